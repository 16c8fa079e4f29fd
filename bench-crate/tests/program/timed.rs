//! `quadscan time`: the first times are kept, later ones are compared with them, and where
//! there are none it says why and keeps nothing.

use std::path::Path;

use crate::common::{NO_DEVICE, Outcome, READY, done, fake, folder, quadscan};

/// Times the copy by a measuring process that is this script.
fn time(folder: &Path, script: &str, extra: &[&str]) -> Outcome {
    let worker = fake(folder, script);
    let asked = ["time", "limit_copy", "--worker", &worker];
    quadscan(folder, &[&asked[..], extra].concat())
}

/// A device on which every launch takes so many milliseconds.
fn launches_take(ms: &str) -> String {
    let done = done(&format!(
        r#"{{"kernel":{{"value":{ms},"unit":"ms","samples":[{ms}]}}}}"#
    ));
    format!(
        r#"{READY}
        while read -r line; do
            id=${{line#*\"id\":}}; id=${{id%%,*}}
            {done}
        done"#
    )
}

fn baseline(folder: &Path) -> Option<String> {
    std::fs::read_to_string(folder.join("results/times/baselines/limit_copy.jsonl")).ok()
}

const KEPT: &str = "these times are the baseline from now on\n";

#[test]
fn the_first_times_are_kept_and_later_ones_compared_with_them() {
    let folder = folder();
    let first = time(folder.path(), &launches_take("1.0"), &[]);
    assert_eq!(first.code, 0, "{first:?}");
    assert!(first.output.ends_with(KEPT), "{first:?}");
    let kept = baseline(folder.path());
    assert!(kept.is_some());

    let slower = time(folder.path(), &launches_take("1.2"), &[]);
    assert_eq!(slower.code, 1, "{slower:?}");
    let line = "slower: kernels kernel=limit_copy n=65536: kernel_ms 1 -> 1.2, ratio 1.200";
    assert!(slower.output.contains(line), "{slower:?}");

    let faster = time(folder.path(), &launches_take("0.5"), &[]);
    assert_eq!(faster.code, 0, "{faster:?}");
    let line = "faster: kernels kernel=limit_copy n=65536: kernel_ms 1 -> 0.5, ratio 0.500";
    assert!(faster.output.contains(line), "{faster:?}");
    assert_eq!(baseline(folder.path()), kept, "comparing changes nothing");

    let anew = time(folder.path(), &launches_take("1.2"), &["--new-baseline"]);
    assert_eq!(anew.code, 0, "{anew:?}");
    assert!(anew.output.ends_with(KEPT), "{anew:?}");
    let same = time(folder.path(), &launches_take("1.2"), &[]);
    assert_eq!(same.code, 0, "{same:?}");
}

#[test]
fn without_a_gpu_there_is_a_reason_and_no_baseline() {
    let folder = folder();
    let outcome = time(folder.path(), NO_DEVICE, &[]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    let said = "error: --device cuda is not available: none; ";
    assert!(outcome.errors.starts_with(said), "{outcome:?}");
    assert!(!outcome.output.contains(KEPT), "{outcome:?}");
    assert_eq!(baseline(folder.path()), None);
    // One that there was stays.
    assert_eq!(time(folder.path(), &launches_take("1.0"), &[]).code, 0);
    let kept = baseline(folder.path());
    assert_eq!(time(folder.path(), NO_DEVICE, &[]).code, 2);
    assert_eq!(baseline(folder.path()), kept);
}

#[test]
fn a_gpu_whose_driver_is_too_old_is_refused_in_its_words_and_nothing_is_kept() {
    let folder = folder();
    let said = "the driver is too old for the PTX: it supports CUDA 11.4, PTX 8.0 needs CUDA 12.0 \
                or newer; update the driver";
    let script = format!(r#"echo '{{"refused":{{"reason":"{said}"}}}}'"#);
    let outcome = time(folder.path(), &script, &[]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.errors.contains(said), "{outcome:?}");
    assert_eq!(baseline(folder.path()), None);
}

#[test]
fn a_kernel_that_no_table_times_is_refused_by_its_name() {
    let folder = folder();
    let outcome = quadscan(folder.path(), &["time", "hang"]);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    let said = "error: KERNEL `hang` is in no table, allowed are kernels of the tables ";
    assert!(outcome.errors.starts_with(said), "{outcome:?}");
    assert!(!folder.path().join("results").exists());
}
