//! The table `activity` from outside, on the emulator: the published figures, other
//! sizes, scans without bank conflicts, with scattered work, and beside a second
//! kernel.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use crate::common::{Outcome, command, ends, folder};

/// `quadscan bench` on a machine whose driver is not there.
fn bench(folder: &Path, arguments: &[&str]) -> Outcome {
    let all = [&["bench"], arguments].concat();
    ends(
        command(folder, &all)
            .env(libcuda_lazy::LIBRARY_VARIABLE, "/nonexistent/libcuda.so.1")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    )
}

/// The text of each column.
type Row = BTreeMap<String, String>;

/// The rows of a CSV text, by the names of their columns.
fn rows(csv: &str) -> Vec<Row> {
    csv::Reader::from_reader(csv.as_bytes())
        .into_deserialize()
        .filter_map(Result::ok)
        .collect()
}

#[test]
fn the_published_activity_comes_out_byte_for_byte_under_every_schedule() {
    let folder = folder();
    for schedule in [&[][..], &["--schedule", "1"], &["--schedule", "20260101"]] {
        let arguments = ["activity", "--device", "emulator", "--format", "csv"];
        let all = [&arguments[..], &["--published"], schedule].concat();
        let outcome = bench(folder.path(), &all);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        assert_eq!(
            outcome.output,
            include_str!("../../data/scan_activity_n1024.csv"),
            "{schedule:?}"
        );
        let why = match schedule {
            [_, seed] => format!("as asked for, with schedule {seed};"),
            _ => "as asked for;".to_owned(),
        };
        assert!(outcome.errors.contains(&why), "{outcome:?}");
    }
}

#[test]
fn activity_shows_bank_conflicts_and_with_padding_none() {
    let folder = folder();
    let arguments = ["activity", "--device", "emulator", "--format", "csv"];
    let outcome = bench(folder.path(), &[&arguments[..], &["--padded"]].concat());
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let rows = rows(&outcome.output);
    let of = |algorithm: &str, column: &str| -> u64 {
        rows.iter()
            .filter(|row| row["algorithm"] == algorithm)
            .filter_map(|row| row[column].parse::<u64>().ok())
            .sum()
    };
    for (algorithm, steps, warps) in [
        ("naive", 10, 289),
        ("work_efficient", 19, 71),
        ("work_efficient_padded", 19, 71),
    ] {
        let count = rows.iter().filter(|r| r["algorithm"] == algorithm).count();
        assert_eq!((count, of(algorithm, "active_warps")), (steps, warps));
    }
    assert_eq!(of("work_efficient", "wavefronts"), 762);
    assert_eq!(of("work_efficient", "ideal_wavefronts"), 142);
    assert_eq!(of("work_efficient_padded", "wavefronts"), 142);
    assert_eq!(
        of("naive", "wavefronts"),
        of("naive", "ideal_wavefronts"),
        "neighbours never meet in a bank"
    );
    for line in [
        "work_efficient, 1024 elements: 19 steps, 2045 adds, 71 active warps; \
         loads take 762 wavefronts, 142 without conflicts\n",
        "naive in units of work_efficient, 1024 elements: 0.53 times the steps, \
         4.51 times the adds, 4.07 times the active warps, ",
    ] {
        assert!(outcome.errors.contains(line), "{outcome:?}");
    }
}

/// The sum of a column over the rows of an algorithm and a size.
fn sum_of(rows: &[Row], algorithm: &str, elements: u32, column: &str) -> u64 {
    rows.iter()
        .filter(|row| row["algorithm"] == algorithm && row["elements"] == elements.to_string())
        .filter_map(|row| row[column].parse::<u64>().ok())
        .sum()
}

#[test]
fn activity_of_every_power_of_two_has_the_adds_of_the_closed_forms() {
    let folder = folder();
    let sizes: Vec<u32> = (1..=11).map(|log| 1 << log).collect();
    let list = sizes
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(",");
    let arguments = ["activity", "--device", "emulator", "--format", "csv"];
    let outcome = bench(
        folder.path(),
        &[&arguments[..], &["--padded", "--elements", &list]].concat(),
    );
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let rows = rows(&outcome.output);
    for &n in &sizes {
        let log = u64::from(n.ilog2());
        let elements = u64::from(n);
        let sum = |algorithm, column| sum_of(&rows, algorithm, n, column);
        assert_eq!(sum("naive", "adds"), elements * log - (elements - 1));
        for efficient in ["work_efficient", "work_efficient_padded"] {
            assert_eq!(sum(efficient, "adds"), 2 * (elements - 1) - 1);
        }
        let ideal = sum("work_efficient", "ideal_wavefronts");
        assert_eq!(sum("work_efficient_padded", "wavefronts"), ideal, "{n}");
    }
    // One thread has two elements: it is active once, in one warp.
    assert_eq!(sum_of(&rows, "naive", 2048, "active_threads"), 11 * 1024);
    assert_eq!(sum_of(&rows, "naive", 2048, "active_warps"), 11 * 32);
    assert_eq!(sum_of(&rows, "work_efficient", 2048, "wavefronts"), 1530);
    let published = rows
        .iter()
        .filter(|row| !row["published_active_threads"].is_empty());
    assert!(published.clone().all(|row| row["elements"] == "1024"));
    assert_eq!(published.count(), 29);
}

#[test]
fn scattered_scans_do_the_same_adds_in_more_warps_without_more_conflicts() {
    let folder = folder();
    let arguments = ["activity", "--device", "emulator", "--format", "csv"];
    let more = ["--scattered", "--padded"];
    let outcome = bench(folder.path(), &[&arguments[..], &more].concat());
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let rows = rows(&outcome.output);
    let of = |algorithm, column| sum_of(&rows, algorithm, 1024, column);
    for (packed, scattered, warps) in [
        ("naive", "naive_scattered", 320),
        ("work_efficient", "work_efficient_scattered", 221),
        (
            "work_efficient_padded",
            "work_efficient_padded_scattered",
            221,
        ),
    ] {
        assert_eq!(of(scattered, "adds"), of(packed, "adds"));
        assert_eq!(of(scattered, "active_warps"), warps);
        let conflicts = |algorithm| of(algorithm, "wavefronts") - of(algorithm, "ideal_wavefronts");
        assert!(conflicts(scattered) <= conflicts(packed), "{scattered}");
    }
    for line in [
        "work_efficient_scattered in units of work_efficient, 1024 elements: \
         the same 2045 adds, 3.11 times the active warps, 1.00 times the wavefronts\n",
        "work_efficient_padded_scattered in units of work_efficient_padded, 1024 elements: \
         the same 2045 adds, 3.11 times the active warps, 3.11 times the wavefronts\n",
    ] {
        assert!(outcome.errors.contains(line), "{outcome:?}");
    }
}

#[test]
fn padded_scattered_loads_take_one_wavefront_a_warp_and_stand_beside_padded_ones() {
    let folder = folder();
    let arguments = ["activity", "--device", "emulator", "--format", "csv"];
    let of_sizes = ["--elements", "2,64,128,256,512,1024,2048"];
    let both = ["--padded", "--scattered"];
    let outcome = bench(
        folder.path(),
        &[&arguments[..], &of_sizes, &both[..]].concat(),
    );
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let all = rows(&outcome.output);
    // A pair a warp, or all warps of a pair for each thread: two loads of each.
    for (elements, warps) in [
        (2, 1),
        (64, 11),
        (128, 25),
        (256, 53),
        (512, 109),
        (1024, 221),
        (2048, 445),
    ] {
        let of = |column| sum_of(&all, "work_efficient_padded_scattered", elements, column);
        assert_eq!(of("active_warps"), warps);
        let wavefronts = (of("wavefronts"), of("ideal_wavefronts"));
        assert_eq!(wavefronts, (2 * warps, 2 * warps), "{elements}");
    }
    for (one, absent) in [
        ("--padded", "work_efficient_padded_scattered"),
        ("--scattered", "work_efficient_padded"),
    ] {
        let outcome = bench(folder.path(), &[&arguments[..], &[one]].concat());
        let found = rows(&outcome.output);
        assert!(found.iter().all(|row| row["algorithm"] != absent), "{one}");
    }
}

#[test]
fn scans_beside_a_second_kernel_are_right_and_have_no_emulated_time() {
    let folder = folder();
    let arguments = ["activity", "--device", "emulator", "--format", "csv"];
    let outcome = bench(
        folder.path(),
        &[&arguments[..], &["--concurrent", "--elements", "64"]].concat(),
    );
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let rows = rows(&outcome.output);
    assert_eq!(rows.len(), 6 + 1 + 11 + 1);
    let beside: Vec<_> = rows.iter().filter(|row| row["step"].is_empty()).collect();
    assert_eq!(beside.len(), 2);
    for row in beside {
        assert_eq!(row["status"], "ok");
        for column in ["kernel_ms", "kernel_beside_ms", "companion_beside_ms"] {
            assert_eq!(row[column], "", "{column}");
        }
        assert!(row["remarks"].contains("has no timer"), "{row:?}");
    }
}

#[test]
fn further_scans_are_said_to_have_no_effect_where_they_have_none() {
    let folder = folder();
    let warning = "warning: --padded has no effect on these tables\n\
                   warning: --scattered has no effect on these tables\n\
                   warning: --concurrent has no effect on these tables\n";
    let published = [
        "activity",
        "--published",
        "--format",
        "csv",
        "--padded",
        "--scattered",
        "--concurrent",
    ];
    let outcome = bench(folder.path(), &published);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let file = include_str!("../../data/scan_activity_n1024.csv");
    assert_eq!(outcome.output, file);
    assert!(outcome.errors.starts_with(warning), "{outcome:?}");
    let cells = ["bench", "--dry-run", "activity", "--padded"];
    let outcome = crate::common::quadscan(folder.path(), &cells);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let count = |text: &str| outcome.output.matches(text).count();
    assert_eq!(count(": right on the host; right on the device\n"), 29);
    assert_eq!(count(": not known in advance; right on the device\n"), 19);
}
