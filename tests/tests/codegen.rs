//! What the PTX inside the program looks like: the code that was meant, and
//! the manifest that describes it.
//!
//! The builder's own checks (no local array, no atomic without an order, no
//! generic access to shared memory) stop a build; here stands what is true of
//! our kernels in particular.

use std::collections::{BTreeMap, BTreeSet};

use ptx_syntax::{Function, Instruction, Module, Space};
use quadscan::device::Artifact;

fn artifact() -> Artifact {
    quadscan_bench::modules::ours().expect("the program was built whole")
}

/// Runs `check` on every module of every architecture: `sm_75`, its file, the module.
fn every_module(mut check: impl FnMut(&str, &str, &Module<'_>)) {
    for part in artifact().parts() {
        let file = &part.part.file;
        match ptx_syntax::parse(part.ptx()) {
            Ok(module) => check(part.arch, file, &module),
            Err(error) => panic!("{file}:{error}"),
        }
    }
}

/// Runs `check` on every entry of every architecture: `sm_75`, the entry.
fn every_entry(mut check: impl FnMut(&str, &Function<'_>)) {
    every_module(|arch, file, module| {
        assert!(module.entries().next().is_some(), "{file} has no entries");
        module.entries().for_each(|entry| check(arch, entry));
    });
}

/// How many instructions of an entry have a name that begins with these words: `ld.shared`
/// finds `ld.shared.u32`.
fn count(entry: &Function<'_>, name: &str) -> usize {
    let instructions = entry.instructions();
    instructions
        .filter(|instruction| instruction.is(name))
        .count()
}

#[test]
fn both_architectures_are_built_the_portable_one_first() {
    let artifact = artifact();
    let archs: Vec<_> = artifact
        .modules()
        .map(|module| module.module.arch.clone())
        .collect();
    assert_eq!(archs, ["sm_75", "sm_90"]);
}

#[test]
fn the_ptx_says_what_the_manifest_says() {
    let artifact = artifact();
    let modules = artifact.modules();
    for (described, part) in modules.flat_map(|m| m.parts().map(move |part| (m.module, part))) {
        let module = ptx_syntax::parse(part.ptx()).expect("it is PTX");
        let (major, minor) = module.version;
        assert_eq!(format!("{major}.{minor}"), described.ptx_version);
        assert_eq!(module.target, [described.arch.as_str()]);
        assert_eq!(module.address_size, 64);
        let in_text: BTreeSet<_> = module.entries().map(|entry| entry.name).collect();
        let kernels = part.part.kernels.iter();
        let in_manifest: BTreeSet<_> = kernels.map(|kernel| kernel.entry.as_str()).collect();
        assert_eq!(in_text, in_manifest, "{}", part.part.file);
    }
}

/// Kernels that need bulk copies. Those of the last kind have others of both in their place.
const SM_90: [&str; 3] = ["lookahead_", "segmented_lookahead_", "select_lookahead_"];

/// Kernels that scan in their place on older GPUs; newer ones have some, to compare.
const SM_75: [&str; 2] = ["decoupled_lookback_fixed_", "segmented_lookback_"];

#[test]
fn both_architectures_have_the_same_kernels_with_the_same_parameters() {
    let artifact = artifact();
    let signatures: Vec<BTreeMap<_, _>> = artifact
        .modules()
        .map(|module| {
            let kernels = module.module.kernels();
            kernels
                .map(|kernel| (kernel.entry.clone(), kernel.parameters.clone()))
                .collect()
        })
        .collect();
    let (mut portable, mut newer) = (signatures[0].clone(), signatures[1].clone());
    for (ahead, back) in SM_90.into_iter().zip(SM_75) {
        let instances = newer.keys().filter_map(|entry| entry.strip_prefix(ahead));
        let expected: BTreeSet<_> = instances.map(|of| format!("{back}{of}")).collect();
        let found = portable.keys().filter(|entry| entry.starts_with(back));
        assert!(!expected.is_empty());
        assert!(found.cloned().eq(expected), "one for every operator");
    }
    let starts = |entry: &str, of: &[&str]| of.iter().any(|start| entry.starts_with(start));
    portable.retain(|entry, _| newer.contains_key(entry) || !starts(entry, &SM_75));
    newer.retain(|entry, _| !starts(entry, &SM_90));
    assert_eq!(portable, newer);
}

/// The one that keeps lists in local memory: of a member's parts, as many as there are. Its file is its own.
const WITH_LISTS: &str = "cubature_decide";

#[test]
fn no_kernel_keeps_anything_in_local_memory() {
    every_module(|_, file, module| {
        if file.contains(WITH_LISTS) {
            return;
        }
        let declared = module.functions().flat_map(|function| function.variables());
        let mut local = declared.filter(|variable| variable.space == Space::Local);
        assert_eq!(local.next(), None, "{file}");
        let mut instructions = module.functions().flat_map(|one| one.instructions());
        let access = instructions.find(|instruction| instruction.has("local"));
        assert_eq!(access, None, "{file}");
    });
}

#[test]
fn every_access_names_its_memory() {
    const SPACES: &[&str] = &["global", "shared", "param", "const"];
    every_entry(|arch, entry| {
        let is_access = |one: &&Instruction<'_>| matches!(one.opcode, "ld" | "st");
        for access in entry.instructions().filter(is_access) {
            // Where a list is, its functions are not told.
            let is_list = entry.name == WITH_LISTS;
            let named = is_list || SPACES.iter().any(|space| access.has(space));
            let (kernel, name) = (entry.name, access.name());
            assert!(named, "{kernel} for {arch}: {name} is a generic access");
        }
    });
}

#[test]
fn scans_work_in_shared_memory_and_wait_at_barriers() {
    every_entry(|arch, entry| {
        let name = entry.name;
        // Barriers in the source: a loop that is unrolled has more, and one
        // that is split along a branch would have more than a few.
        let barriers = match name {
            _ if name.starts_with("hillis_steele") => 2..=8,
            _ if name.starts_with("blelloch") => 4..=12,
            _ => return,
        };
        assert!(
            count(entry, "ld.shared") > 0,
            "{name} for {arch} reads no shared memory"
        );
        assert!(
            count(entry, "st.shared") > 0,
            "{name} for {arch} writes no shared memory"
        );
        let found = count(entry, "bar.sync") + count(entry, "barrier.sync");
        assert!(
            barriers.contains(&found),
            "{name} for {arch} has {found} barriers"
        );
    });
}

#[test]
fn only_kernels_that_count_or_add_across_blocks_have_atomics() {
    every_entry(|arch, entry| {
        // Kernels that are launched by themselves say so themselves.
        if quadscan_bench::kernels::by_name(entry.name).is_some() {
            return;
        }
        // A ballot gathers bits, and waits for nobody.
        let counting = ["red", "atom", "vote.sync.all", "vote.sync.any"];
        let counts: usize = counting.iter().map(|name| count(entry, name)).sum();
        let adds = ["_counted", "_same_launch", "_atomics"];
        let adds = adds.iter().any(|ending| entry.name.ends_with(ending));
        // Tiles count the launch, whose tag their totals have.
        let tiles = ["one_wave_", "lookahead_", "decoupled_lookback_", "select_"];
        let segments = [
            "segmented_lookahead_",
            "segmented_lookback_",
            "segmented_small_",
            "segmented_wave_",
        ];
        // Two segments may begin in one word of bits.
        let flags = ["segment_flags_of_offsets_", "segment_flags_of_few_offsets_"];
        // Chunks count the launch, teams draw their items, lanes vote on where to cut a line, members take
        // room in the next launch, samples are counted by bins, and blocks of strata as they are done.
        let integrals = [
            "composite_",
            "adaptive_",
            "tanh_sinh_",
            "fourier_",
            "cubature_lines_",
            "cubature_decide",
            "monte_carlo_sample_",
            "monte_carlo_strata_",
        ];
        // The blocks of a reduction count those that are done, and warps vote on segments.
        let reduces = ["reduce_", "segmented_reduce_"];
        let reduces = reduces.iter().any(|start| entry.name.starts_with(start));
        let alone = ["reduce_then_scan_"];
        let alone = alone.iter().any(|start| entry.name.starts_with(start));
        let adds = adds || reduces && !alone;
        let mut others = tiles
            .iter()
            .chain(&segments)
            .chain(&flags)
            .chain(&integrals);
        let adds = adds || others.any(|start| entry.name.starts_with(start));
        assert_eq!(counts > 0, adds, "{} for {arch}", entry.name);
    });
}

#[test]
fn nothing_of_earlier_launches_is_touched_before_they_have_ended() {
    let mut waiting = 0;
    every_entry(|arch, entry| {
        // Blocks of integrals by composite rules evaluate units before they wait, in a loop whose
        // later turns draw units.
        let is_composite = entry.name.starts_with("composite_");
        if is_composite || count(entry, "griddepcontrol.wait") == 0 {
            return;
        }
        waiting += 1;
        let before = entry.instructions();
        let before = before.take_while(|one| !one.is("griddepcontrol.wait"));
        for one in before {
            let touches = ["ld", "st", "atom", "red", "cp"];
            let is_own = ["ld.param", "ld.shared", "st.shared", "ld.global.nc"];
            let touches = touches.contains(&one.opcode);
            let is_own = is_own.iter().any(|of| one.is(of));
            assert!(
                !touches || is_own,
                "{} for {arch}: {}",
                entry.name,
                one.name()
            );
        }
    });
    assert!(waiting > 150, "{waiting} kernels wait");
}

#[test]
fn running_sums_are_where_their_kernels_names_say() {
    every_entry(|arch, entry| {
        let Some(name) = entry.name.strip_prefix("mapped_") else {
            return;
        };
        let at = format!("{} for {arch}", entry.name);
        // Thirteen terms in a turn of the loop and around it: read and written each.
        let volatile = |space: &str| {
            let access = |opcode: &str| count(entry, &format!("{opcode}.volatile.{space}"));
            (access("ld"), access("st"))
        };
        let (shared, global) = (volatile("shared"), volatile("global"));
        let is_empty = |(loads, stores): (usize, usize)| loads == 0 && stores == 0;
        let is_every_term = |(loads, stores)| {
            // The first store clears the word, and the last load ends it.
            loads == stores && loads > count(entry, "sqrt.rn.f64")
        };
        if name.starts_with("registers") {
            assert!(is_empty(shared) && is_empty(global), "{at}");
        } else if name.starts_with("shared") {
            assert!(
                is_every_term(shared) && is_empty(global),
                "{at}: {shared:?}"
            );
        } else {
            assert!(
                is_empty(shared) && is_every_term(global),
                "{at}: {global:?}"
            );
        }
        let ordered = count(entry, "atom.acq_rel.gpu");
        assert_eq!(ordered, usize::from(name.ends_with("same_launch")), "{at}");
    });
}

#[test]
fn the_trapezoid_stays_in_its_precision() {
    every_entry(|arch, entry| {
        let name = entry.name;
        if !name.starts_with("trapezoid") {
            return;
        }
        let of = |ty: &str| {
            let instructions = entry.instructions();
            instructions
                .filter(|one| one.modifiers.last() == Some(&ty))
                .count()
        };
        let (f64s, f32s) = (of("f64"), of("f32"));
        assert!(
            count(entry, "st.global") > 0,
            "{name} for {arch} stores nothing"
        );
        assert_eq!(count(entry, "sqrt.approx"), 0, "{name} for {arch}");
        if name.contains("f32_pure") {
            assert!(f64s == 0 && f32s > 0, "{name} for {arch} computes in f64");
        } else if name.contains("f64") {
            assert!(f32s == 0 && f64s > 0, "{name} for {arch} computes in f32");
        } else {
            assert!(
                count(entry, "sqrt.rn.f64") > 0 && f32s > 0,
                "{name} for {arch}"
            );
        }
    });
}

#[test]
fn a_module_is_printed_as_it_is_written() {
    for part in artifact().parts() {
        let (text, file) = (part.ptx(), &part.part.file);
        let module = ptx_syntax::parse(text).unwrap_or_else(|error| panic!("{file}:{error}"));
        let printed = module.to_string();
        assert_eq!(ptx_syntax::parse(&printed).as_ref(), Ok(&module), "{file}");
        assert_eq!(first_difference(text, &printed), None, "{file}");
        // What LLVM itself writes is printed byte for byte, in its order.
        let mut printed = printed.lines();
        let by_llvm = text
            .lines()
            .filter(|line| line.starts_with('\t') && line.contains(" \t") && !line.contains(" 0x"));
        for line in by_llvm {
            assert!(printed.any(|other| other == line), "{file}: {line}");
        }
    }
}

/// Where two texts differ, but for blanks, for comments, and for numbers in hexadecimal, which people
/// write.
fn first_difference(expected: &str, found: &str) -> Option<(String, String)> {
    let mut lines = [expected.lines(), found.lines()];
    let mut left = [String::new(), String::new()];
    loop {
        let next = lines.clone().map(|mut lines| lines.next());
        // Most lines are the same to the byte.
        if left == ["", ""] && next[0].is_some() && next[0] == next[1] {
            lines.iter_mut().for_each(|lines| _ = lines.next());
            continue;
        }
        let behind = usize::from(left[1].len() < left[0].len());
        let sides = [behind, 1 - behind];
        let Some(side) = sides.into_iter().find(|&side| next[side].is_some()) else {
            return (left != ["", ""]).then(|| left.into());
        };
        left[side].extend(lines[side].next().map(squeezed));
        if !left[0].starts_with(&left[1]) && !left[1].starts_with(&left[0]) {
            return Some(left.into());
        }
        let same = left[0].len().min(left[1].len());
        left = left.map(|text| text[same..].to_owned());
    }
}

/// A line without blanks and comments, its numbers in decimal.
fn squeezed(line: &str) -> String {
    let end = match line.split_once("//") {
        Some((code, _)) if !line.starts_with("//.call") && !code.contains(".loc") => code.len(),
        _ => line.len(),
    };
    let words = line[..end].split_inclusive([' ', '\t', ',', ';']);
    words.map(|word| decimal(word.trim())).collect()
}

#[test]
fn a_difference_is_found_and_blanks_comments_and_hexadecimal_are_none() {
    let text = "\tmov.u32 \t%r1, 0x10U; // why\n\n// alone\n\tret;\n}\n";
    let printed = "\tmov.u32 %r1,16;\n\tret;\n}";
    assert_eq!(first_difference(text, printed), None);
    for other in [
        printed.replace("16", "17"),
        printed.replace('}', ""),
        format!("{printed}}}"),
        printed.replace("ret", "exit"),
    ] {
        assert!(first_difference(text, &other).is_some(), "{other}");
        assert!(first_difference(&other, text).is_some(), "{other}");
    }
}

/// A word, and a number such as `0x3340U;` as `13120;`.
fn decimal(word: &str) -> String {
    let end = word.find([',', ';']).unwrap_or(word.len());
    let digits = word[..end]
        .strip_prefix("0x")
        .map(|digits| digits.trim_end_matches('U'));
    match digits.map(|digits| u64::from_str_radix(digits, 16)) {
        Some(Ok(number)) => format!("{number}{}", &word[end..]),
        _ => word.to_owned(),
    }
}

#[test]
fn the_emulator_decodes_every_kernel() {
    for part in artifact().parts() {
        // Whatever the emulator does not know is refused here.
        if let Err(refusal) = ptx_emulator::Program::load(part.ptx()) {
            panic!("{}: {refusal}", part.part.file);
        }
    }
}
