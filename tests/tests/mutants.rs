//! Mutants of our kernels are caught.

use std::sync::Arc;

use quadscan::device::Artifact;
use quadscan::device::emulator::ptx_emulator::Program;
use quadscan_tests::fixtures::launches;
use quadscan_tests::mutants::change::mutants;
use quadscan_tests::mutants::flow::Flow;
use quadscan_tests::mutants::run::{Bench, Fate, schedules};
use quadscan_tests::mutants::{SOURCE, alone};

#[test]
fn explore() {
    let artifact = Artifact::embedded().unwrap();
    let module = artifact.modules().find(|m| m.module.file.contains("sm_90")).unwrap();
    let ptx = module.ptx;
    let bench = Bench::new(&artifact).unwrap();
    for name in launches::names() {
        let start = std::time::Instant::now();
        let text = alone(ptx, name).unwrap();
        let flow = Flow::read(&text, SOURCE).unwrap();
        let references = bench.references(name).unwrap();
        for mutant in mutants(&flow) {
            let program = Arc::new(Program::load(&mutant.text(&text)).unwrap());
            let fate = bench.fate(name, &mutant, &program, &references, &schedules(2)).unwrap();
            let fate = match fate {
                Fate::Caught(f) => format!("caught {} {:?} {:?}", f.kind, f.at.source, f.other.and_then(|o| o.source)),
                Fate::Misplaced(f) => format!("MISPLACED {f}"),
                Fate::Wrong => "WRONG".into(),
                Fate::Unharmed => "UNHARMED".into(),
            };
            let old = text.lines().nth(mutant.line - 1).unwrap().trim();
            let source = mutant.source.as_ref().map(|l| l.to_string()).unwrap_or_default();
            println!("{name} {} {} {} `{old}` -> `{}`: {fate}", mutant.change, mutant.detail, source, mutant.with);
        }
        println!("{name} took {:?}", start.elapsed());
    }
}
