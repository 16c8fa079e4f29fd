//! What the fuzzer starts from, and what it found: every text that is kept in
//! `fuzz/seeds` goes through the parser and the loader, in time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ptx_emulator::{Program, refusals};
use ptx_syntax::parse;

/// A fuzzer counts 5 seconds as a hang, with sanitizers; this is more.
const LIMIT: Duration = Duration::from_secs(5);

fn files(folder: &str) -> Vec<PathBuf> {
    std::fs::read_dir(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(folder),
    )
    .unwrap()
    .map(|entry| entry.unwrap().path())
    .filter(|path| path.is_file())
    .collect()
}

#[test]
fn every_seed_is_parsed_and_loaded_or_refused() {
    let (mut seeds, mut loaded, mut refused) = (0, 0, 0);
    for file in files("fuzz/seeds")
        .into_iter()
        .chain(files("fuzz/seeds/found"))
    {
        let text = std::fs::read_to_string(&file).unwrap();
        seeds += 1;
        let started = Instant::now();
        match parse(&text) {
            Ok(module) => {
                let printed = module.to_string();
                assert_eq!(parse(&printed).as_ref(), Ok(&module), "{file:?}");
            }
            Err(error) => {
                let lines = text.split('\n').count() as u32;
                assert!(
                    (1..=lines).contains(&error.position.line),
                    "{file:?}: {error}"
                );
            }
        }
        match Program::load(&text) {
            Ok(program) => {
                loaded += 1;
                assert_eq!(refusals(&text), Ok(vec![]), "{file:?}");
                for kernel in program.kernels() {
                    assert!(program.parameters(kernel).is_some(), "{file:?}");
                }
            }
            Err(_) => {
                refused += 1;
                assert_ne!(refusals(&text), Ok(vec![]), "{file:?}");
            }
        }
        let took = started.elapsed();
        assert!(took < LIMIT, "{file:?}: {took:?}");
    }
    assert!(
        seeds >= 4 && loaded >= 2 && refused >= 1,
        "{seeds} {loaded} {refused}"
    );
}

/// The seeds written by hand are programs, so that the fuzzer begins behind
/// the parser.
#[test]
fn the_seeds_written_by_hand_reach_the_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds");
    for name in ["control.ptx", "memory.ptx", "directives.ptx"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let reasons: Vec<String> = refusals(&text)
            .unwrap()
            .into_iter()
            .map(|refusal| refusal.text)
            .collect();
        assert!(reasons.is_empty(), "{name}: {reasons:?}");
    }
}
