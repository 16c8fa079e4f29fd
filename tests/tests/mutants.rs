//! The emulator's checks report every fault that a mutant of our kernels has,
//! with its kind and line, and nothing on the kernels as they are.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use quadscan::device::Artifact;
use quadscan::device::emulator::ptx_emulator::{
    Checks, Finding, FindingKind, Gpu, LaunchOptions, Model, Program, Shape,
};
use quadscan_bench::modules;
use quadscan_tests::fixtures::launches;
use quadscan_tests::mutants::change::{Change, Mutant, mutants};
use quadscan_tests::mutants::flow::{Flow, Line};
use quadscan_tests::mutants::page::{Launched, page};
use quadscan_tests::mutants::run::{Bench, Fate, is_expected, schedules, sizes};
use quadscan_tests::mutants::survived::{LEFT_OUT, SURVIVORS, Verdict};
use quadscan_tests::mutants::{SOURCE, alone};

type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Schedules of the kernels as they are.
const SCHEDULES: u64 = 20;
/// Schedules that a mutant is tried under before it counts as survived.
const TRIES: u64 = 4;

/// What a line of the kernels' source that reads or writes memory has.
const ACCESSES: [&str; 13] = [
    "*node(",
    "*left",
    "*right",
    "input[",
    "*to.add",
    "*from.add",
    "*output.add",
    "*partials.add",
    "fetch_add",
    "*tile",
    "*is_last",
    "*block_sums.add",
    "*values.add",
];

fn root() -> &'static Path {
    // The package stands in the workspace's root.
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The PTX of the part with this kernel that the emulated H200 runs.
fn ptx<'a>(artifact: &'a Artifact, kernel: &str) -> Outcome<&'a str> {
    let mut parts = artifact.parts().filter(|part| part.arch == "sm_90");
    let part = parts.find(|part| part.part.kernels.iter().any(|known| known.entry == kernel));
    Ok(part
        .ok_or_else(|| format!("{kernel} has no PTX of sm_90"))?
        .ptx())
}

/// The text of a line of the source.
fn text_of(line: Option<&Line>) -> Outcome<String> {
    let line = line.ok_or("a mutant without a line")?;
    let source = std::fs::read_to_string(root().join(&line.file))?;
    let text = source.lines().nth(line.line - 1);
    Ok(text
        .ok_or_else(|| format!("{line} is not there"))?
        .to_owned())
}

/// Does work for each kernel, on all cores; in the order of the names.
fn for_each_kernel<T: Send>(
    artifact: &Artifact,
    work: impl Fn(&Bench, &str) -> Outcome<T> + Sync,
) -> Outcome<Vec<T>> {
    let mut names: Vec<&str> = launches::names().collect();
    names.sort_unstable();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let run = || -> Outcome {
        while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
            // A device for each, so that what stands at which address does not
            // depend on the kernels before.
            let bench = Bench::new(artifact)?;
            let result = work(&bench, name).map_err(|error| format!("{name}: {error}"))?;
            done.lock()
                .map_err(|_| "another thread failed")?
                .insert(name, result);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(run)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().map_err(|_| "a thread panicked")?)
    })?;
    let done = done.into_inner().map_err(|_| "a thread failed")?;
    Ok(done.into_values().collect())
}

#[test]
fn the_kernels_as_they_are_are_clean_under_20_schedules() -> Outcome {
    let artifact = modules::ours()?;
    let launches = for_each_kernel(&artifact, |bench, kernel| {
        let budget = LaunchOptions::default().budget;
        let (mut launches, mut first) = (0, BTreeMap::new());
        for schedule in schedules(SCHEDULES) {
            for (index, size) in sizes(kernel).into_iter().enumerate() {
                let (result, checked) = bench.launch(kernel, size, None, schedule, budget)?;
                let checked = checked.ok_or("the launch was not checked")?;
                assert!(checked.is_clean(), "{size:?}, {schedule:?}: {checked}");
                assert_eq!(
                    first.entry(index).or_insert_with(|| result.clone()),
                    &result
                );
                launches += 1;
            }
        }
        Ok(launches)
    })?;
    assert_eq!(launches.len(), launches::names().count());
    assert!(launches.iter().all(|&count| count >= 8 * SCHEDULES));
    Ok(())
}

#[test]
fn every_fault_of_a_mutant_is_reported_with_its_kind_and_line() -> Outcome {
    let artifact = modules::ours()?;
    let all = for_each_kernel(&artifact, |bench, kernel| {
        if LEFT_OUT.contains(&kernel) {
            return Ok(Vec::new());
        }
        launch_mutants(bench, kernel, &alone(ptx(&artifact, kernel)?, kernel)?)
    })?;
    let all: Vec<Launched> = all.into_iter().flatten().collect();

    for launched in &all {
        let Launched {
            kernel,
            mutant,
            text,
            fate,
            listed,
        } = launched;
        let what = format!(
            "{kernel}: {}, {} at {:?} `{}`",
            mutant.change,
            mutant.detail,
            mutant.source,
            text.trim()
        );
        match (fate, listed) {
            (Fate::Caught(finding), _) => assert_is_at_an_access(finding, &what)?,
            (Fate::Misplaced(finding), _) => panic!("{what}: misplaced: {finding}"),
            (_, None) => panic!("{what}: not reported, and not listed: {fate:?}"),
            (_, Some(listed)) => assert_eq!(Verdict::of(fate), Some(listed.verdict), "{what}"),
        }
    }
    for listed in SURVIVORS {
        let has_the_line = |kernel: &&str| {
            all.iter()
                .any(|l| l.kernel == **kernel && l.text.trim() == listed.text)
        };
        let kernels: Vec<&str> = launches::names()
            .filter(|kernel| kernel.contains(listed.kernels))
            .filter(has_the_line)
            .collect();
        assert!(!kernels.is_empty(), "no kernel has the line of {listed:?}");
        for kernel in kernels {
            let is_one =
                |l: &&Launched| l.kernel == kernel && listed.is(kernel, &l.mutant, &l.text);
            let is_caught = |l: &Launched| matches!(l.fate, Fate::Caught(_));
            let (caught, not): (Vec<_>, Vec<_>) =
                all.iter().filter(is_one).partition(|l| is_caught(l));
            assert!(!not.is_empty(), "{kernel} does not need {listed:?}");
            assert_eq!(
                !caught.is_empty(),
                listed.one_of_several,
                "{kernel}: {listed:?}"
            );
        }
    }
    let barriers = |l: &&Launched| l.mutant.change == Change::Barrier;
    assert!(
        all.iter()
            .filter(barriers)
            .all(|l| matches!(l.fate, Fate::Caught(_)))
    );
    // Two of Hillis and Steele, four of Blelloch; a block's sum has one, and the last
    // block's one more of these and one to learn that it is the last.
    let of_sums = 4 * 3 + 1;
    assert_eq!(
        all.iter().filter(barriers).count(),
        12 * 2 + 24 * 4 + of_sums
    );
    let orders = all.iter().filter(|l| l.mutant.change == Change::Order);
    let fates: Vec<bool> = orders.map(|l| matches!(l.fate, Fate::Caught(_))).collect();
    assert_eq!(
        fates, [true; 4],
        "the order in which the last block is found"
    );

    let path = root().join("docs/mutants.md");
    if std::env::var_os("UPDATE_MUTANTS").is_some() {
        std::fs::write(&path, page(&all))?;
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page(&all),
        "docs/mutants.md is not what became of the mutants; UPDATE_MUTANTS=1 writes it"
    );
    Ok(())
}

fn launch_mutants(bench: &Bench, kernel: &str, ptx: &str) -> Outcome<Vec<Launched>> {
    let flow = Flow::read(ptx, SOURCE)?;
    let (references, schedules) = (bench.references(kernel)?, schedules(TRIES));
    let fate_of = |mutant: &Mutant, text: &str| -> Outcome<Fate> {
        let program = Arc::new(Program::load(text)?);
        Ok(bench.fate(kernel, mutant, &program, &references, &schedules)?)
    };
    let all = mutants(&flow);
    let mut launched = Vec::new();
    for mutant in &all {
        let fate = fate_of(mutant, &mutant.text(ptx))?;
        if let Fate::Stopped(stop) = &fate {
            // Without the other check as well, the access goes wrong.
            let past = all.iter().find(|other| other.goes_past_a_stop(&flow));
            let past = past.ok_or("stopped by no check")?;
            assert_eq!(stop.at.source, past.source.as_ref().map(Line::to_string));
            match fate_of(mutant, &past.text(&mutant.text(ptx)))? {
                Fate::Caught(finding) => {
                    assert_eq!(finding.kind, FindingKind::Bounds, "{kernel}: {finding}");
                    assert_eq!(finding.at.source, stop.at.source, "{kernel}: {finding}");
                }
                fate => panic!("{kernel}, line {}: {fate:?}", mutant.line),
            }
        }
        let text = text_of(mutant.source.as_ref())?;
        let listed = SURVIVORS
            .iter()
            .filter(|listed| listed.is(kernel, mutant, &text))
            .max_by_key(|listed| Verdict::of(&fate) == Some(listed.verdict));
        launched.push(Launched {
            kernel: kernel.to_owned(),
            mutant: mutant.clone(),
            text,
            fate,
            listed,
        });
    }
    Ok(launched)
}

/// The source, as a reader sees it, has an access at the line of a finding of
/// an access.
fn assert_is_at_an_access(finding: &Finding, what: &str) -> Outcome {
    let accesses = [
        FindingKind::Race,
        FindingKind::UninitialisedRead,
        FindingKind::Bounds,
    ];
    if !accesses.contains(&finding.kind) {
        assert_eq!(finding.kind, FindingKind::Livelock, "{what}: {finding}");
        let source = finding.at.source.as_deref();
        let has_line = source.is_some_and(|source| source.starts_with(SOURCE));
        assert!(has_line, "{what}: {finding}");
        return Ok(());
    }
    for place in [&finding.at].into_iter().chain(&finding.other) {
        let source = place
            .source
            .as_deref()
            .and_then(|source| source.rsplit_once(':'));
        let (file, line) = source.ok_or_else(|| format!("{what}: no line: {finding}"))?;
        assert!(file.starts_with(SOURCE), "{what}: {finding}");
        let (file, line) = (file.to_owned(), line.parse()?);
        let text = text_of(Some(&Line { file, line }))?;
        assert!(
            ACCESSES.iter().any(|access| text.contains(access)),
            "{what}: {finding}"
        );
    }
    Ok(())
}

/// A value handed from one warp to another, by `signal` and `await`, and a
/// store of three threads alone.
fn handover(signal: &str, wait: &str) -> String {
    format!(
        "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry handover(.param .u64 data)
{{
	.reg .pred %p<5>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.loc	1 1 0
	ld.param.b64 %rd1, [data];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	setp.lt.u32 %p4, %r1, 3;
	.loc	1 2 0
	@%p4 st.global.b32 [%rd3+12], %r1;
	setp.ne.u32 %p1, %r1, 0;
	setp.ne.u32 %p2, %r1, 32;
	.loc	1 3 0
	@%p1 bra $OTHERS;
	.loc	1 4 0
	st.global.b32 [%rd1], 7;
	.loc	1 5 0
{signal}
	ret;
$OTHERS:
	.loc	1 6 0
	@%p2 bra $END;
$AGAIN:
	.loc	1 7 0
{wait}
	setp.eq.u32 %p3, %r2, 0;
	.loc	1 8 0
	@%p3 bra $AGAIN;
	.loc	1 9 0
	ld.global.b32 %r3, [%rd1];
	.loc	1 10 0
	st.global.b32 [%rd1+8], %r3;
$END:
	ret;
}}
	.file	1 \"./src/handover.rs\"
"
    )
}

/// The findings of two warps that run a text of `handover`.
fn findings_of_handover(text: &str) -> Outcome<Vec<Finding>> {
    let program = Program::load(text)?;
    let mut gpu = Gpu::new(Model::h200());
    let data = gpu.alloc(6 * 4)?;
    gpu.copy_in(data, &[0; 6 * 4])?;
    let shape = Shape {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        shared_bytes: 0,
    };
    let parameters: [&[u8]; 1] = [&data.to_le_bytes()];
    let options = LaunchOptions {
        budget: 100_000,
        ..LaunchOptions::default()
    };
    let checks = Checks::all();
    Ok(gpu
        .check(&program, "handover", shape, &parameters, &options, checks)?
        .findings)
}

#[test]
fn fences_orders_and_predicates_are_taken_away_too() -> Outcome {
    let orders = handover(
        "	st.release.gpu.global.b32 [%rd1+4], 1;",
        "	ld.acquire.gpu.global.b32 %r2, [%rd1+4];",
    );
    let fences = handover(
        "	fence.acq_rel.gpu;\n	st.relaxed.gpu.global.b32 [%rd1+4], 1;",
        "	ld.relaxed.gpu.global.b32 %r2, [%rd1+4];\n	fence.acq_rel.gpu;",
    );
    for (text, change) in [(orders, Change::Order), (fences, Change::Fence)] {
        assert_eq!(findings_of_handover(&text)?, []);
        let flow = Flow::read(&text, "./src/")?;
        let all = mutants(&flow);
        let changed: Vec<&Mutant> = all.iter().filter(|m| m.change == change).collect();
        let lines: Vec<_> = changed
            .iter()
            .filter_map(|m| m.source.as_ref())
            .map(|l| l.line)
            .collect();
        assert_eq!(lines, [5, 7]);
        for mutant in changed {
            let findings = findings_of_handover(&mutant.text(&text))?;
            let [race] = &findings[..] else {
                panic!("{change}: {findings:?}");
            };
            assert!(is_expected(race, mutant), "{race}");
            assert_eq!(race.kind, FindingKind::Race);
            assert_eq!(race.at.source.as_deref(), Some("./src/handover.rs:9"));
            let other = race
                .other
                .as_ref()
                .and_then(|place| place.source.as_deref());
            assert_eq!(other, Some("./src/handover.rs:4"));
        }
        let order = all.iter().find(|m| m.change == change).cloned();
        let unguarded = all
            .iter()
            .find(|m| m.source.as_ref().is_some_and(|l| l.line == 2));
        let unguarded = unguarded.ok_or("a predicated store is no check")?;
        let findings = findings_of_handover(&unguarded.text(&text))?;
        assert_eq!(findings[0].kind, FindingKind::Bounds);
        assert!(is_expected(&findings[0], unguarded), "{}", findings[0]);
        let order = order.ok_or("nothing was found to weaken")?;
        assert!(!is_expected(&findings[0], &order), "{}", findings[0]);
    }
    Ok(())
}
