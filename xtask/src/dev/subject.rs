//! Which kernels a name stands for: an entry, a part of the PTX, an integrand, the entries that
//! begin with it, or those of a module of that name. Pure, but for reading sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cuda_builder::manifest::Part;

use crate::{Refused, alone, cargo};

/// Names that a refusal tells.
const NAMED: usize = 12;

/// The crate of kernels.
const KERNELS: &str = "kernels-crate/src";

/// Types that macros put behind names.
const FLOATS: [&str; 2] = ["f32", "f64"];

/// Whether a name stands for a kernel, by its part, its entry and its module.
type Way<'w> = &'w dyn Fn(&str, &str, &str) -> bool;

/// The entries that a name stands for among those of these parts.
pub(super) fn entries<'p>(
    name: &str,
    parts: impl Iterator<Item = &'p Part>,
) -> Result<Vec<String>, Refused> {
    let parts: Vec<&Part> = parts.collect();
    let kernels = || {
        let all = parts.iter();
        all.flat_map(|part| part.kernels.iter().map(move |kernel| (*part, kernel)))
    };
    let family = format!("{name}_");
    let is_integrand = |part: &str| part.strip_prefix("integrate_") == Some(name);
    let ways: [Way<'_>; 4] = [
        &|_, entry, _| entry == name,
        &|part, _, _| part == name || is_integrand(part),
        &|_, entry, _| entry.starts_with(&family),
        &|_, _, module| module.split("::").any(|segment| segment == name),
    ];
    for way in ways.iter().filter(|_| !name.is_empty()) {
        let found =
            kernels().filter(|(part, kernel)| way(&part.name, &kernel.entry, &kernel.module));
        let found: BTreeSet<String> = found.map(|(_, kernel)| kernel.entry.clone()).collect();
        if !found.is_empty() {
            return Ok(found.into_iter().collect());
        }
    }
    let known: Vec<String> = kernels().map(|(_, kernel)| kernel.entry.clone()).collect();
    Err(unknown(name, &known))
}

/// Refuses what no kernel can be called, by the names in the sources alone: before all kernels
/// are built for it, which takes minutes.
pub(super) fn can_be(name: &str) -> Result<(), Refused> {
    let mut words = BTreeSet::new();
    collect(&cargo::root().join(KERNELS), &mut words);
    match is_made_of(name, &words) {
        true => Ok(()),
        false => Err(unknown(name, &own())),
    }
}

/// Whether a name is a word of the sources, or one behind beginnings of names and before a
/// type, as macros put them together: `lookahead_` and `sum_f32`, `adaptive_`, `runge` and `f64`.
fn is_made_of(name: &str, words: &BTreeSet<String>) -> bool {
    if words.contains(name) || words.contains(&format!("{name}_")) {
        return true;
    }
    name.match_indices('_').any(|(at, _)| {
        let (beginning, rest) = name.split_at(at + 1);
        let begins = at > 1 && words.contains(beginning) && is_made_of(rest, words);
        begins || FLOATS.contains(&rest) && is_made_of(&name[..at], words)
    })
}

/// The words of all files below a folder, and names of its files.
fn collect(folder: &Path, words: &mut BTreeSet<String>) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // What cannot be read has no names.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        words.extend(stem.map(str::to_owned));
        if path.is_dir() {
            collect(&path, words);
        } else if let Ok(text) = fs::read_to_string(&path) {
            let found = text.split(|c| !is_word(c)).filter(|word| word.len() > 1);
            words.extend(found.map(str::to_owned));
        }
    }
}

/// Kernels with statements of their own.
fn own() -> Vec<String> {
    let folder = cargo::root().join(alone::STATEMENTS);
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.filter(|name| alone::has_statements(name)).collect();
    names.sort();
    names.dedup();
    names
}

/// Names those that are meant, perhaps: with the most words of the name.
fn unknown(name: &str, known: &[String]) -> Refused {
    let words: Vec<&str> = name.split('_').filter(|word| word.len() > 1).collect();
    let shared = |known: &str| {
        let parts: Vec<&str> = known.split('_').collect();
        words.iter().filter(|word| parts.contains(word)).count()
    };
    let most = known.iter().map(|known| shared(known)).max().unwrap_or(0);
    let close = known
        .iter()
        .filter(|known| most > 0 && shared(known) == most);
    let mut close: Vec<&str> = close.map(String::as_str).collect();
    let more = match close.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    close.truncate(NAMED);
    let allowed = match close.as_slice() {
        [] => "allowed are the name of an entry, a part, an integrand, a module of kernels, and what names of entries begin with; `cargo xtask inspect --all` lists the entries".to_owned(),
        close => format!("near it are {}{more}", close.join(", ")),
    };
    Refused(format!("KERNEL `{name}` is no kernel's name: {allowed}"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use cuda_builder::manifest::{FORMAT, Kernel, Manifest, Module};

    /// A manifest of parts with entries; a kernel is of the module that its part is called.
    pub(crate) fn manifest(parts: &[(&str, &[&str])]) -> Manifest {
        let kernel = |module: &str, entry: &str| Kernel {
            entry: entry.into(),
            module: format!("kernels::{module}::inner"),
            parameters: vec![],
            ptx_parameters: vec![],
            static_shared_bytes: 0,
            dynamic_shared: false,
            max_threads: 0,
            min_blocks: 0,
            cluster: [0; 3],
            max_registers: 0,
        };
        let part = |(name, entries): &(&str, &[&str])| Part {
            name: (*name).into(),
            file: format!("{name}.ptx"),
            sha256: String::new(),
            kernels: entries.iter().map(|entry| kernel(name, entry)).collect(),
        };
        Manifest {
            format: FORMAT,
            crate_name: "kernels".into(),
            version: "0.1.0".into(),
            rustc: String::new(),
            llvm: String::new(),
            flags: vec![],
            modules: vec![Module {
                arch: "sm_90".into(),
                ptx_version: "8.0".into(),
                sha256: String::new(),
                parts: parts.iter().map(part).collect(),
            }],
        }
    }

    fn named(name: &str) -> Result<Vec<String>, String> {
        let manifest = manifest(&[
            ("main", &["copy", "scan_all"]),
            ("sum_f32", &["scan_sum_f32", "wave_sum_f32"]),
            ("integrate_runge", &["composite_runge"]),
        ]);
        entries(name, manifest.modules[0].parts.iter()).map_err(|refused| refused.to_string())
    }

    #[test]
    fn a_name_is_an_entrys_a_parts_an_integrands_a_familys_or_a_modules() {
        let of = |name: &str| named(name).expect(name);
        assert_eq!(of("scan_all"), ["scan_all"]);
        assert_eq!(of("sum_f32"), ["scan_sum_f32", "wave_sum_f32"]);
        assert_eq!(of("runge"), ["composite_runge"]);
        assert_eq!(of("scan"), ["scan_all", "scan_sum_f32"]);
        assert_eq!(of("composite"), ["composite_runge"]);
        assert_eq!(of("inner").len(), 5);
    }

    #[test]
    fn a_name_of_nothing_is_refused_with_those_that_are_near_it() {
        let said = named("scan_sum_f64").expect_err("there is none");
        let near = "KERNEL `scan_sum_f64` is no kernel's name: near it are scan_sum_f32";
        assert_eq!(said, near);
        for name in ["", "x", "../main", "scan_"] {
            let said = named(name).expect_err(name);
            let start = format!("KERNEL `{name}` is no kernel's name: ");
            assert!(said.starts_with(&start), "{said}");
        }
    }

    #[test]
    fn names_that_macros_put_together_can_be_and_others_cannot() {
        let words = ["lookahead_", "shifted_", "sum_f32", "copy", "no", "kernel"];
        let words: BTreeSet<String> = words.map(str::to_owned).into();
        for name in [
            "copy",
            "lookahead_sum_f32",
            "lookahead_shifted_sum_f32",
            "lookahead",
        ] {
            assert!(is_made_of(name, &words), "{name}");
        }
        for name in ["no_such_kernel", "lookahead_mean_f32", "", "../copy"] {
            assert!(!is_made_of(name, &words), "{name}");
        }
    }

    #[test]
    fn names_of_our_own_sources_can_be() {
        for name in [
            "lookahead_sum_f32",
            "device_blelloch_above_add_sum_u32",
            "adaptive_runge_f64",
            "textbook",
            "limit_copy",
            "gaussian",
            "block_scan",
        ] {
            assert!(can_be(name).is_ok(), "{name}");
        }
        for name in ["no_such_kernel", "../main", ""] {
            assert!(can_be(name).is_err(), "{name}");
        }
    }
}
