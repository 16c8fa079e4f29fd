//! Folders of PTX: one that is corrupt is refused, and a kernel that was slowed on purpose is
//! found, on the emulator by its instructions. On a GPU the same artifact is told by its times;
//! how it is made stands in `examples/slower_artifact.rs`.

use crate::common::{folder, quadscan, without_device_in};
use quadscan_bench::modules;

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
    assert!(crate::slower::write(&folder.path().join("slower"), 60).is_ok());
    let outcome = bench(&["--artifact", "slower", "--baseline", "before"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let more: Vec<&str> = outcome
        .output
        .lines()
        .filter(|line| line.starts_with("more: "))
        .collect();
    assert_eq!(more.len(), 1, "{outcome:?}");
    assert!(more[0].starts_with("more: sweep-f64 "), "{outcome:?}");
    let counts = "1 with more instructions, 1 with the same number of instructions";
    assert!(outcome.output.contains(counts), "{outcome:?}");
    assert!(!outcome.output.contains("failed"), "{outcome:?}");
}

#[test]
fn a_corrupt_artifact_is_refused_on_every_machine() {
    let folder = folder();
    let artifact = folder.path().join("artifact");
    assert!(std::fs::create_dir(&artifact).is_ok());
    let run = || {
        quadscan(
            folder.path(),
            &["bench", "accuracy", "--artifact", "artifact"],
        )
    };
    let missing = run();
    assert_eq!(
        (missing.code, missing.errors.lines().count()),
        (2, 1),
        "{missing:?}"
    );
    assert!(std::fs::write(artifact.join("manifest.json"), "{").is_ok());
    let corrupt = run();
    assert_eq!(
        (corrupt.code, corrupt.errors.lines().count()),
        (2, 1),
        "{corrupt:?}"
    );
    assert!(
        corrupt.errors.contains("manifest.json is corrupt"),
        "{corrupt:?}"
    );

    // The PTX of this program, with one byte changed.
    let refused = quadscan(
        folder.path(),
        &["artifact", "--write", "artifact/manifest.json"],
    );
    assert_eq!(
        (refused.code, refused.output.as_str()),
        (2, ""),
        "{refused:?}"
    );
    let said = "error: --write is artifact/manifest.json, which cannot be written: ";
    assert!(refused.errors.starts_with(said), "{refused:?}");
    let written = quadscan(folder.path(), &["artifact", "--write", "artifact"]);
    assert_eq!(
        (written.code, written.output.as_str()),
        (0, "artifact\n"),
        "{written:?}"
    );
    let Ok(embedded) = modules::ours() else {
        panic!("no artifact")
    };
    let listed = quadscan(
        folder.path(),
        &["artifact", "--artifact", "artifact", "--device", "emulator"],
    );
    assert_eq!(
        (listed.code, listed.errors.lines().count()),
        (0, 1),
        "{listed:?}"
    );
    // A header and a rule; no part has a time.
    assert_eq!(listed.output.lines().count(), 2 + embedded.parts().count());
    for (line, part) in listed.output.lines().skip(2).zip(embedded.parts()) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let bytes = part.ptx().len().to_string();
        assert_eq!(cells[1..3], [part.arch, &part.part.name]);
        assert_eq!(cells[4..7], [&*bytes, "", ""]);
    }
    let whole = ["accuracy", "--strips", "16", "--artifact", "artifact"];
    assert_eq!(without_device_in(folder.path(), &whole).code, 0);
    let Some(last) = embedded.parts().last() else {
        panic!("no parts")
    };
    let damaged = last.ptx().replacen(".version", ".versiom", 1);
    assert!(std::fs::write(artifact.join(&last.part.file), damaged).is_ok());
    let corrupt = run();
    assert_eq!(corrupt.code, 2);
    assert_eq!(
        corrupt.errors,
        format!(
            "error: the artifact's file {} is corrupt: its hash is not the manifest's; build it again\n",
            last.part.file
        )
    );
}
