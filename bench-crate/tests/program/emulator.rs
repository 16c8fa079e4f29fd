//! The program on the emulator, without a driver: results and counts, no times,
//! and kernels that fault or hang.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use crate::common::{Outcome, command, ends, folder};
use quadscan_bench::record::{Record, Status};

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

/// The rows of a CSV text, by the names of their columns.
fn rows(csv: &str) -> Vec<BTreeMap<String, String>> {
    csv::Reader::from_reader(csv.as_bytes())
        .into_deserialize()
        .filter_map(Result::ok)
        .collect()
}

const SWEEP: [&str; 9] = [
    "sweep-f64",
    "--strips",
    "65536",
    "--blocks",
    "1,64",
    "--threads",
    "1,256",
    "--format",
    "csv",
];

#[test]
fn without_a_gpu_the_emulator_gives_results_and_counts_and_no_times() {
    let folder = folder();
    let outcome = bench(folder.path(), &SWEEP);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let said = outcome.errors.split_inclusive('\n').next();
    assert_eq!(
        said.unwrap_or_default(),
        "device: H200 (emulated), since there is no GPU (the NVIDIA driver library \
         /nonexistent/libcuda.so.1 could not be loaded (/nonexistent/libcuda.so.1: cannot open \
         shared object file: No such file or directory)); it gives results and counts, and no \
         times\n",
        "one line says which device, and why"
    );
    let rows = rows(&outcome.output);
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert_eq!((&*row["device"], &*row["status"]), ("emulator", "ok"));
        assert_eq!(row["pi"], row["host_pi"]);
        for time in ["gpu_ms", "kernel_ms", "kernel_noise_percent"] {
            assert_eq!(row[time], "", "{time}: {row:?}");
        }
        assert_ne!(row["host_ms"], "");
        let counted: u64 = row["warp_instructions"].parse().unwrap_or_default();
        let threads: u64 = row["threads"].parse().unwrap_or_default();
        // One strip is a handful of instructions of a warp of up to 32 lanes.
        let strips = 65536 / threads.min(32);
        assert!(
            (2 * strips..20 * strips).contains(&counted),
            "{counted}: {row:?}"
        );
        let lanes: u64 = row["lane_instructions"].parse().unwrap_or_default();
        // All lanes of a warp run the same; only branches that none of them takes
        // have no lane, a few for each warp.
        let partials = threads * row["blocks"].parse::<u64>().unwrap_or_default();
        let width = threads.min(32);
        assert_eq!(lanes % width, 0, "{row:?}");
        let without = counted.checked_sub(lanes / width);
        assert!(
            without.is_some_and(|count| count <= 8 * partials / width),
            "{row:?}"
        );
        assert_eq!(row["divergent_branches"], "0");
        assert_eq!(row["shared_wavefronts"], "0");
        // Partial sums of 8 bytes, stored once, side by side.
        let sectors = if threads == 1 { partials } else { partials / 4 };
        assert_eq!(row["global_sectors"], sectors.to_string(), "{row:?}");
        assert_eq!(row["ideal_global_sectors"], sectors.to_string(), "{row:?}");
    }
}

#[test]
fn no_column_of_the_f32_sweep_makes_a_time_up() {
    let folder = folder();
    let arguments = [&["sweep-f32"], &SWEEP[1..]].concat();
    let outcome = bench(folder.path(), &arguments);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let rows = rows(&outcome.output);
    assert_eq!(rows.len(), 4);
    for row in &rows {
        assert_eq!(row["pi"], row["host_pi"]);
        for index in 1..=5 {
            assert_eq!(row[&format!("gpu_ms_{index}")], "", "{row:?}");
            assert_ne!(row[&format!("cpu_ms_{index}")], "", "{row:?}");
        }
        for time in ["gpu_ms", "kernel_ms", "inverse_time_per_thread"] {
            assert_eq!(row[time], "", "{time}: {row:?}");
        }
        assert_ne!(row["warp_instructions"], "");
    }
}

#[test]
fn records_of_the_emulator_name_it_and_a_second_run_goes_on_with_them() {
    let folder = folder();
    let json = |device: &str| {
        let arguments = [&SWEEP[..7], &["--format", "json", "--device", device]].concat();
        let outcome = bench(folder.path(), &arguments);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        serde_json::from_str::<Vec<Record>>(&outcome.output).unwrap_or_default()
    };
    let first = json("emulator");
    assert_eq!(first.len(), 4);
    for record in &first {
        let device = record.device.as_ref();
        assert!(device.is_some_and(|device| device.is_emulated() && device.driver.is_none()));
        assert!(
            record
                .metrics
                .times()
                .next()
                .is_none_or(|(name, _)| name.starts_with("host"))
        );
        let counts = record.counts.unwrap_or_default();
        assert!(counts.warp_instructions > 0);
        assert!(counts.lane_instructions.is_some() && counts.global_sectors.is_some());
    }
    // Nothing in a launch depends on when it is made.
    let counts = |records: &[Record]| records.iter().map(|r| r.counts).collect::<Vec<_>>();
    let second = json("emulator");
    assert_ne!(first[0].run, second[0].run, "the first run had ended");
    assert_eq!(counts(&first), counts(&second));
}

#[test]
fn more_instructions_than_the_baselines_are_a_failure() {
    let folder = folder();
    let cell = ["--threads", "1", "--blocks", "1", "--device", "emulator"];
    let sweep = |strips: &str, extra: [&str; 2]| {
        let arguments = [&["sweep-f64", "--strips", strips], &cell[..], &extra].concat();
        bench(folder.path(), &arguments)
    };
    assert_eq!(sweep("1024", ["--save", "first"]).code, 0);
    let path = folder.path().join("results/baselines/first.jsonl");
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let Ok(mut record) = serde_json::from_str::<Record>(&text) else {
        panic!("{text}")
    };
    let Some(counts) = &mut record.counts else {
        panic!("{text}")
    };
    let honest = counts.warp_instructions;
    let cell = record.cell.describe();
    let more = format!(
        "more: sweep-f64 {cell}: warp_instructions {} -> {honest}\n",
        honest - 1
    );
    let equal = ", 1 with the same number of instructions\n".to_owned();
    for (before, code, said) in [(honest, 0, equal), (honest - 1, 1, more)] {
        if let Some(counts) = &mut record.counts {
            counts.warp_instructions = before;
        }
        let line = serde_json::to_string(&record).unwrap_or_default() + "\n";
        assert!(std::fs::write(&path, line).is_ok());
        let outcome = sweep("1024", ["--baseline", "first"]);
        assert_eq!(outcome.code, code, "{outcome:?}");
        assert!(outcome.output.contains(&said), "{outcome:?}");
    }
}

#[test]
fn every_way_to_sum_is_right_and_atomics_have_other_digits_in_another_order() {
    let folder = folder();
    let size = "--strips 16384 --blocks 8 --threads 64 --format csv";
    let arguments: Vec<&str> = ["mapping"].into_iter().chain(size.split(' ')).collect();
    let outcome = bench(folder.path(), &arguments);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(outcome.output.starts_with("mapping,partials,finish,"));
    let rows = rows(&outcome.output);
    assert_eq!(rows.len(), 48);
    for row in &rows {
        assert_eq!((&*row["device"], &*row["status"]), ("emulator", "ok"));
        let repeats = if row["finish"] == "atomics" {
            "no"
        } else {
            "yes"
        };
        assert_eq!(row["repeats"], repeats, "{row:?}");
        assert!(row["gpu_ms"].is_empty() && row["kernel_ms"].is_empty());
        // pi - 1.17598207517 n^-1.5 + 0.0360415 n^-2.5 is 3.141592092838891.
        assert!(row["pi"].starts_with("3.1415920928388"), "{row:?}");
        let wavefronts = |column: &str| row[column].parse::<f64>().unwrap_or(f64::NAN);
        let took = wavefronts("shared_wavefronts") / wavefronts("ideal_shared_wavefronts");
        match &*row["partials"] {
            "shared_conflicts" => assert!(took > 10.0, "{row:?}"),
            "shared" => assert!(took == 1.0, "{row:?}"),
            // Without shared memory there is no ratio.
            _ => assert!(took.is_nan() || took == 1.0, "{row:?}"),
        }
    }
    assert!(
        outcome.errors.contains("atomics in 0 of 12 rows"),
        "{outcome:?}"
    );
}

#[test]
fn a_dry_run_launches_every_kernel_once_and_keeps_nothing() {
    let folder = folder();
    let dry = |table: &str, extra: &[&str]| {
        let arguments = ["bench", "--dry-run", "--device", "emulator", table];
        crate::common::quadscan(folder.path(), &[&arguments[..], extra].concat())
    };
    let right = dry(
        "sweep-f64",
        &["--strips", "1024", "--blocks", "1", "--threads", "8"],
    );
    let line = "sweep-f64 strips=1024 blocks=1 threads=8: right on the host; right \
                on the device\n";
    assert_eq!((right.code, right.output.as_str()), (0, line), "{right:?}");
    let wrong = dry("faults", &["--cell-timeout", "1"]);
    assert_eq!(wrong.code, 1, "{wrong:?}");
    assert_eq!(wrong.output.matches("; right on the device\n").count(), 3);
    assert_eq!(wrong.output.matches("; wrong on the device: ").count(), 2);
    let written = std::fs::read_dir(folder.path()).map(Iterator::count);
    assert_eq!(written.ok(), Some(0));
}

#[test]
fn a_kernel_that_faults_or_hangs_costs_its_own_row() {
    let folder = folder();
    let arguments = [
        "faults",
        "--device",
        "emulator",
        "--cell-timeout",
        "2",
        "--format",
        "json",
    ];
    let outcome = bench(folder.path(), &arguments);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let records: Vec<Record> = serde_json::from_str(&outcome.output).unwrap_or_default();
    let statuses: Vec<Status> = records.iter().map(|record| record.status).collect();
    assert_eq!(
        statuses,
        [
            Status::Ok,
            Status::Failed,
            Status::Ok,
            Status::Failed,
            Status::Ok
        ]
    );
    let reason = |row: usize| records[row].reason.clone().unwrap_or_default();
    assert!(
        reason(1).contains("kernel `fault`, block [0, 0, 0], thread [0, 0, 0], ")
            && reason(1).contains("kernels-crate/src/diagnostics.rs:"),
        "{}",
        reason(1)
    );
    assert_eq!(records[1].entries, ["fault"], "what ran is named");
    assert!(
        reason(3).starts_with("no result within 2 s, the measuring process was killed"),
        "{}",
        reason(3)
    );
}

#[test]
fn peers_have_nothing_to_be_timed_beside() {
    let folder = folder();
    let arguments = [&SWEEP[..], &["--device", "emulator", "--peers"]].concat();
    let outcome = bench(folder.path(), &arguments);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let said = "--peers has no effect on the emulator, which has no times\n";
    assert!(outcome.errors.contains(said), "{outcome:?}");
}

#[test]
fn nothing_is_timed_cold_where_nothing_is_timed() {
    let folder = folder();
    let arguments = [&SWEEP[..], &["--device", "emulator", "--cold"]].concat();
    let outcome = bench(folder.path(), &arguments);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let said = "--cold has no effect on the emulator, which has no times\n";
    assert!(outcome.errors.contains(said), "{outcome:?}");
    for row in rows(&outcome.output) {
        let names = [
            "kernel_cold_ms",
            "cold_events_ms",
            "kernel_method",
            "sm_mhz",
        ];
        assert_eq!(names.map(|name| &*row[name]), [""; 4], "{row:?}");
    }
    let outcome = bench(folder.path(), &["activity", "--cold"]);
    let warning = "warning: --cold has no effect on these tables\n";
    assert!(outcome.errors.starts_with(warning), "{outcome:?}");
}

#[test]
fn launches_that_wait_are_asked_for_where_launches_could_overlap() {
    let folder = folder();
    let arguments = ["reduce", "--types", "i32", "--sizes", "1000"];
    let options = ["--device", "emulator", "--no-pdl"];
    let outcome = bench(folder.path(), &[&arguments[..], &options].concat());
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let said = "--no-pdl has no effect on the emulator, whose launches always wait\n";
    assert!(outcome.errors.contains(said), "{outcome:?}");
    assert!(!outcome.output.contains("dependent launch"), "{outcome:?}");
    let outcome = bench(folder.path(), &["activity", "--no-pdl"]);
    let warning = "warning: --no-pdl has no effect on these tables\n";
    assert!(outcome.errors.starts_with(warning), "{outcome:?}");
}

#[test]
fn the_old_name_of_no_pdl_is_taken_and_says_the_new_one() {
    let folder = folder();
    let options = ["limits", "--device", "emulator", "--one-by-one"];
    let outcome = bench(folder.path(), &options);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for said in [
        "--one-by-one is called --no-pdl now; the next release removes the old name\n",
        "warning: --no-pdl has no effect on these tables\n",
        "--no-pdl has no effect on the emulator, whose launches always wait\n",
    ] {
        assert!(outcome.errors.contains(said), "{outcome:?}");
    }
}

#[test]
fn whole_arrays_have_their_results_compared_and_their_launches_counted_and_no_times() {
    let folder = folder();
    let asked = [
        "scan",
        "reduce",
        "--sizes",
        "1000,2^13+3",
        "--types",
        "i32,f64",
    ];
    let more = [
        "--operations",
        "exclusive_sum,in_place,reduce",
        "--format",
        "csv",
    ];
    let outcome = bench(folder.path(), &[&asked[..], &more].concat());
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let (scan, reduce) = outcome.output.split_once("\n\n").unwrap_or_default();
    for (text, operations) in [
        (scan, &["exclusive_sum", "in_place"][..]),
        (reduce, &["reduce"]),
    ] {
        let rows = rows(text);
        assert_eq!(rows.len(), operations.len() * 4, "{text}");
        for row in &rows {
            assert!(operations.contains(&row["operation"].as_str()), "{row:?}");
            assert_eq!(
                (row["status"].as_str(), row["us"].as_str()),
                ("ok", ""),
                "{row:?}"
            );
            let counted = row["warp_instructions"].parse::<u64>();
            assert!(counted.is_ok_and(|count| count > 0), "{row:?}");
        }
    }
}

#[test]
fn integrals_have_their_results_compared_and_their_launches_counted_and_no_times() {
    let folder = folder();
    let asked = ["integrate", "--sizes", "300", "--format", "csv"];
    let outcome = bench(folder.path(), &asked);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let (one, batches) = outcome.output.split_once("\n\n").unwrap_or_default();
    let (one, batches) = (rows(one), rows(batches));
    assert_eq!((one.len(), batches.len()), (9 * 2, 7 * 2));
    for row in one.iter().chain(&batches) {
        assert_eq!(
            (row["status"].as_str(), row["us"].as_str()),
            ("ok", ""),
            "{row:?}"
        );
        let counted = row["warp_instructions"].parse::<u64>();
        assert!(counted.is_ok_and(|count| count > 0), "{row:?}");
    }
    for row in &one {
        let ulps = row["ulps"].parse::<u64>();
        assert!(ulps.is_ok_and(|ulps| ulps <= 5), "{row:?}");
    }
    for row in &batches {
        let counts = (row["converged"].as_str(), row["unconverged"].as_str());
        assert_eq!(counts, ("300", "0"), "{row:?}");
        let error = row["largest_error"].parse::<f64>();
        assert!(error.is_ok_and(|error| error <= 10.0), "{row:?}");
    }
    for file in ["integral.csv", "integrals.csv"] {
        assert!(folder.path().join("results").join(file).is_file());
    }
}

#[test]
fn sizes_that_nobody_named_are_small_on_the_emulator() {
    let folder = folder();
    let asked = [
        "scan",
        "--types",
        "u32",
        "--dry-run",
        "--device",
        "emulator",
    ];
    let outcome = bench(folder.path(), &asked);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let lines: Vec<&str> = outcome.output.lines().collect();
    assert_eq!(lines.len(), 7, "2^10 to 2^16");
    assert_eq!(
        lines[6],
        "scan operation=inclusive_sum type=u32 algorithm=default n=65536: not known in advance; \
         right on the device"
    );
}

#[test]
fn a_baseline_of_whole_arrays_is_the_same_again() {
    let folder = folder();
    let asked = ["scan", "--sizes", "1000", "--types", "u32,f32"];
    let save = bench(folder.path(), &[&asked[..], &["--save", "before"]].concat());
    let compare = bench(
        folder.path(),
        &[&asked[..], &["--baseline", "before"]].concat(),
    );
    assert_eq!((save.code, compare.code), (0, 0), "{compare:?}");
    assert!(folder.path().join("results/scan.csv").is_file());
}

/// Elements and results go through shared memory: eight lanes at a time have a vector each, of
/// whatever size a lane's part is.
#[test]
fn large_scans_have_no_bank_conflicts() {
    let folder = folder();
    let types = ["--types", "u8,u8_u32,f16,i32,f64", "--sizes", "2^16"];
    let what = ["scan", "--operations", "inclusive_sum", "--format", "csv"];
    let how = ["--algorithms", "lookahead", "--device", "emulator"];
    let outcome = bench(folder.path(), &[&what[..], &types, &how].concat());
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let rows = rows(&outcome.output);
    let large = rows.iter().filter(|row| row["algorithm"] == "lookahead");
    let mut seen = 0;
    for row in large {
        let wavefronts = |column: &str| row[column].parse::<u64>().expect("counted");
        let (found, ideal) = (
            wavefronts("shared_wavefronts"),
            wavefronts("ideal_shared_wavefronts"),
        );
        // Totals of a warp lie apart, a few words a tile.
        let most = ideal + ideal / 100;
        assert!(found <= most, "{}: {found}, ideal {ideal}", row["type"]);
        seen += 1;
    }
    assert_eq!(seen, 5);
}
