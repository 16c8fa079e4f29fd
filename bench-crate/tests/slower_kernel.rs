//! A kernel that was slowed on purpose is found, on the emulator by its
//! instructions. On a GPU the same artifact is told by its times; how it is made
//! stands in `examples/slower_artifact.rs`.

mod common;
#[path = "common/slower.rs"]
mod slower;

use common::{folder, quadscan};

#[test]
fn a_slowed_kernel_has_the_same_sums_and_misses_the_baseline() {
    let folder = folder();
    let cell = [
        "bench",
        "sweep-f64",
        "sweep-f32",
        "--strips",
        "16384",
        "--blocks",
        "2",
        "--threads",
        "32",
        "--device",
        "emulator",
    ];
    let bench = |extra: &[&str]| quadscan(folder.path(), &[&cell[..], extra].concat());
    assert_eq!(bench(&["--save", "before"]).code, 0);
    assert!(slower::write(&folder.path().join("slower"), 60).is_ok());
    let outcome = bench(&["--artifact", "slower", "--baseline", "before"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let more: Vec<&str> = outcome
        .output
        .lines()
        .filter(|line| line.starts_with("more: "))
        .collect();
    assert_eq!(more.len(), 1, "{outcome:?}");
    assert!(more[0].starts_with("more: sweep-f64 "), "{outcome:?}");
    let counts = "1 with more instructions, 1 with as many instructions";
    assert!(outcome.output.contains(counts), "{outcome:?}");
    assert!(!outcome.output.contains("failed"), "{outcome:?}");
}
