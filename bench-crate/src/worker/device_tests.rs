//! The measuring process over a device that is a CPU: launches, parameters, copies and
//! judgements without a GPU.

use std::path::PathBuf;

use super::*;
use crate::limit::Limit;
use crate::measure::Sampling;
use crate::oracle::{Precision, quarter_circle};
use crate::record::{Cell, Record};
use crate::tables::limits;
use crate::worker::cpu::{Cpu, Defect};

fn loaded(defect: Defect) -> Loaded {
    let device = Device::from_backend(Box::new(Cpu::new(defect)));
    let artifact = modules::ours().expect("the program was built whole");
    Loaded::with(device, artifact).expect("it loads anything")
}

fn emulated() -> Loaded {
    let choice = DeviceChoice::Emulator { schedule: None };
    Loaded::open(choice, None, &[]).expect("there is always an emulator")
}

fn job(table: &str, cell: Cell) -> Job {
    Job {
        id: 1,
        table: table.to_owned(),
        cell,
        sampling: Sampling {
            repeat: Some(3),
            ..Sampling::default()
        },
    }
}

/// The same job, sampled otherwise.
fn sampled(mut job: Job, change: impl FnOnce(&mut Sampling)) -> Job {
    change(&mut job.sampling);
    job
}

fn shape(cell: Cell, strips: u64, blocks: u32) -> Cell {
    let cell = cell.with("strips", strips).with("blocks", blocks);
    cell.with("threads", 8_u32)
}

fn trapezoid(strips: u64) -> Job {
    job("sweep-f64", shape(Cell::default(), strips, 2))
}

fn carried_out(loaded: &mut Loaded, job: &Job) -> Measurement {
    let measured = loaded.carry_out(job);
    measured.unwrap_or_else(|failure| panic!("{}", failure.reason))
}

fn measured(defect: Defect, job: &Job) -> Measurement {
    carried_out(&mut loaded(defect), job)
}

fn row(defect: Defect, job: &Job) -> Record {
    measured(defect, job).record
}

/// Samples of a time, ms.
fn samples<'a>(row: &'a Record, time: &str) -> Option<&'a [f64]> {
    row.timing(time).map(|timing| timing.samples_ms.as_slice())
}

/// What was wrong with a result, of which the row has to tell.
fn wrong(row: &Record) -> &str {
    assert_eq!(row.status, Status::Failed);
    row.reason.as_deref().unwrap_or_default()
}

#[test]
fn a_right_kernel_is_timed_and_its_sums_are_the_oracles() {
    // A power of two, and a number that only the general kernel can do.
    for strips in [1024, 1008] {
        let found = measured(Defect::None, &trapezoid(strips));
        let row = found.record;
        assert_eq!((row.status, &row.reason), (Status::Ok, &None), "{strips}");
        let total = quarter_circle::partials(Precision::F64, strips, 16).sum();
        assert_eq!(found.bits, Some(total.to_bits()), "{strips}");
        let pi = quarter_circle::pi(Precision::F64, total, strips);
        assert_eq!(row.number("pi"), Some(pi), "{strips}");
        assert_eq!(samples(&row, "kernel"), Some([4.0; 3].as_slice()));
        assert_eq!(samples(&row, "gpu").map(<[f64]>::len), Some(3));
        assert_eq!(row.metrics.get("nvcc_kernel"), None);
    }
}

#[test]
fn a_kernel_is_timed_cold_when_asked_to_and_the_events_own_time_is_told() {
    let cold = sampled(trapezoid(1024), |sampling| sampling.cold = true);
    let asked = row(Defect::None, &cold);
    for time in ["kernel_cold", "cold_events"] {
        assert_eq!(samples(&asked, time).map(<[f64]>::len), Some(3), "{time}");
    }
    let kernel = asked.metrics.time("kernel").expect("its time");
    assert_eq!(kernel.method.as_deref(), Some("single launch"));
    assert_eq!(asked.remarks, [""; 0]);
    let not_asked = row(Defect::None, &trapezoid(1024));
    for time in ["kernel_cold", "cold_events"] {
        assert_eq!(not_asked.metrics.get(time), None, "{time}");
    }
    let unknown = row(Defect::Silent, &cold);
    assert!(unknown.ms("kernel").is_some() && unknown.ms("kernel_cold").is_none());
    assert_eq!(
        unknown.remarks,
        ["kernel_cold_ms was not measured: the device does not tell the size of its cache"]
    );
}

#[test]
fn why_the_clocks_around_a_job_are_not_known_is_told() {
    assert_eq!(row(Defect::None, &trapezoid(1024)).clocks, None);
    assert_eq!(
        loaded(Defect::None).greeting().no_clocks.as_deref(),
        Some("the clocks of CPU are not known: nobody tells them")
    );
}

#[test]
fn a_row_is_of_the_device_that_was_greeted_with_and_of_the_entries_that_ran() {
    let mut loaded = loaded(Defect::None);
    let greeted = loaded.greeting().device;
    for (strips, entry) in [(1024, "trapezoid_f64_dyadic"), (1008, "trapezoid_f64")] {
        let row = carried_out(&mut loaded, &trapezoid(strips)).record;
        assert_eq!(row.entries, [entry]);
        assert_eq!(row.device.as_ref(), Some(&greeted));
    }
}

#[test]
fn a_device_without_a_timer_gives_results_and_counts_and_no_times() {
    let mut loaded = emulated();
    let greeting = loaded.greeting();
    assert_eq!(greeting.no_gpu, None, "it was asked for");
    assert_eq!(greeting.no_clocks, None, "nobody misses them");
    let first = carried_out(&mut loaded, &trapezoid(1024));
    let total = quarter_circle::partials(Precision::F64, 1024, 16).sum();
    assert_eq!(first.bits, Some(total.to_bits()));
    let pi = quarter_circle::pi(Precision::F64, total, 1024);
    assert_eq!(first.record.number("pi"), Some(pi));
    assert_eq!(first.record.reason, None);
    assert_eq!(first.record.metrics.times().count(), 0);
    let counted = |found: &Measurement| {
        let counts = found.record.counts.expect("the emulator counts");
        counts.warp_instructions
    };
    // Two warps, 64 strips a thread: at least a square root each.
    assert!(counted(&first) > 2 * 64, "{}", counted(&first));
    let mut again = carried_out(&mut loaded, &trapezoid(1024));
    again.record.timestamp.clone_from(&first.record.timestamp);
    assert_eq!(again, first, "once each, and not added up");
    // Whatever comes before and after the loop comes twice as often.
    let larger = job("sweep-f64", shape(Cell::default(), 2048, 4));
    let twice = carried_out(&mut loaded, &larger);
    assert_eq!(counted(&twice), 2 * counted(&first));
}

#[test]
fn what_was_skipped_has_no_counts() {
    let copy = job("limits", Cell::default().with("limit", "copy"));
    let row = carried_out(&mut emulated(), &copy).record;
    assert_eq!((row.status, row.counts), (Status::Skipped, None));
}

#[test]
fn a_fault_of_an_emulated_kernel_names_its_source_line_and_loses_the_device() {
    let mut loaded = emulated();
    let of = |step: u32, kernel: &str| {
        let cell = Cell::default().with("step", step);
        job("faults", cell.with("kernel", kernel))
    };
    assert!(loaded.carry_out(&of(1, "healthy")).is_ok());
    let failure = loaded.carry_out(&of(2, "fault"));
    let failure = failure.expect_err("a store to nowhere");
    assert!(failure.lost);
    assert_eq!(failure.entries, ["fault"], "and names what ran until then");
    let reason = &failure.reason;
    assert!(
        reason.contains("kernel `fault`, block [0, 0, 0], thread [0, 0, 0], ")
            && reason.contains("4 bytes at 0x40 (global) are out of bounds")
            && reason.contains("kernels-crate/src/diagnostics.rs:"),
        "{reason}"
    );
}

#[test]
fn a_table_that_is_not_there_fails_and_loses_nothing() {
    let failure = loaded(Defect::None).carry_out(&job("flights", Cell::default()));
    let failure = failure.expect_err("there is no such table");
    assert_eq!(failure.reason, "there is no table `flights`");
    assert!(!failure.lost);
}

#[test]
fn a_single_wrong_bit_in_one_partial_sum_is_seen() {
    let row = row(Defect::WrongBit, &trapezoid(1024));
    let reason = wrong(&row);
    assert!(
        reason.starts_with("1 of 16 partial sums are not the host's, the first is number 3: "),
        "{reason}"
    );
}

#[test]
fn what_another_process_has_compared_is_not_compared_again() {
    let checked = sampled(trapezoid(1024), |sampling| sampling.checked = true);
    let found = measured(Defect::WrongBit, &checked);
    assert_eq!(found.record.reason, None);
    // The run compares these with the other process's.
    assert!(found.bits.is_some());
}

#[test]
fn a_way_to_sum_is_repeated_judged_and_timed() {
    let cell = Cell::default().with("mapping", "contiguous");
    let cell = cell.with("partials", "registers").with("finish", "host");
    let job = job("mapping", shape(cell, 1024, 2));
    let found = measured(Defect::None, &job);
    let total = quarter_circle::partials(Precision::F64, 1024, 16).sum();
    assert_eq!(found.bits, Some(total.to_bits()));
    let right = found.record;
    let pi = quarter_circle::pi(Precision::F64, total, 1024);
    assert_eq!(right.number("pi"), Some(pi));
    assert_eq!(right.metrics.flag("repeats"), Some(true));
    assert_eq!((right.status, &right.reason), (Status::Ok, &None));
    assert_eq!(samples(&right, "gpu").map(<[f64]>::len), Some(3));
    assert_eq!(samples(&right, "kernel"), Some([4.0; 3].as_slice()));
    let row = row(Defect::WrongBit, &job);
    let reason = wrong(&row);
    assert!(
        reason.starts_with("1 of 16 threads' sums are not the host's, the first is number 3: "),
        "{reason}"
    );
}

#[test]
fn a_lost_context_is_said_to_be_lost() {
    let failure = loaded(Defect::Fault).carry_out(&trapezoid(1024)).err();
    assert_eq!(failure.as_ref().map(|failure| failure.lost), Some(true));
    assert!(failure.is_some_and(|failure| failure.reason.contains("(700)")));
}

/// A step of the naive scan of `n` elements, or without a step the scan beside a second kernel.
fn scan(n: u32, step: Option<u32>) -> Job {
    let cell = Cell::default().with("algorithm", "naive").with("n", n);
    let cell = match step {
        Some(step) => cell.with("step", step),
        None => cell,
    };
    job("activity", cell)
}

#[test]
fn the_activity_of_a_step_is_what_the_kernel_counted() {
    let right = row(Defect::None, &scan(1024, Some(6)));
    let active = ["active_threads", "active_warps"].map(|metric| right.metrics.count(metric));
    assert_eq!(active, [Some(992), Some(31)]);
    assert_eq!(right.reason, None);
    let row = row(Defect::WrongBit, &scan(1024, Some(6)));
    let reason = wrong(&row);
    assert!(reason.starts_with("element 3 of the scan is "), "{reason}");
}

#[test]
fn a_scan_is_timed_once_for_all_of_its_steps_alone_and_in_a_batch() {
    let mut loaded = loaded(Defect::None);
    let mut row = |step| carried_out(&mut loaded, &scan(64, Some(step))).record;
    let (first, last) = (row(1), row(6));
    assert_eq!(first.metrics.count("adds"), Some(63));
    assert_eq!(last.metrics.count("adds"), Some(32));
    // One SM holds 32 blocks of 64 threads.
    assert_eq!(first.metrics.count("batch_blocks"), Some(8 * 32));
    for time in ["kernel", "batch"] {
        assert!(first.ms(time).is_some(), "{time}");
        assert_eq!(first.metrics.get(time), last.metrics.get(time));
    }
    assert_eq!(first.reason, None);
}

#[test]
fn a_scan_that_does_not_run_beside_the_second_kernel_has_no_time_beside_it() {
    // On this device every two marks are equally far apart.
    let row = row(Defect::None, &scan(64, None));
    assert_eq!(row.reason, None);
    let shape = ["companion_blocks", "companion_threads"].map(|metric| row.metrics.count(metric));
    assert_eq!(shape, [Some(1), Some(1024)]);
    assert!(row.ms("kernel").is_some() && row.ms("companion").is_some());
    assert!(row.ms("kernel_beside").is_none() && row.ms("companion_beside").is_none());
    assert_eq!(
        row.remarks,
        [
            "the device has one SM, and the second kernel leaves none to the scan",
            "the two kernels did not run at the same time: of the second one's, the scans took 0 %"
        ]
    );
}

/// A cell of `strips` beside the peer of a cubin.
fn beside(defect: Defect, strips: u64, cubin: PathBuf) -> Measurement {
    let job = sampled(trapezoid(strips), |sampling| sampling.peers = vec![cubin]);
    measured(defect, &job)
}

/// The one notice of a measurement.
fn notice(found: &Measurement) -> &str {
    assert_eq!(found.notices.len(), 1, "{:?}", found.notices);
    &found.notices[0]
}

#[test]
fn a_peer_that_cannot_be_read_costs_its_columns_alone() {
    let found = beside(Defect::None, 1024, "/nonexistent/x.cubin".into());
    let row = &found.record;
    assert_eq!((row.status, &row.reason), (Status::Ok, &None));
    assert!(row.ms("kernel").is_some() && row.ms("nvcc_kernel").is_none());
    let problem = notice(&found);
    assert!(
        problem.starts_with("--peers: cannot read /nonexistent/x.cubin"),
        "{problem}"
    );
}

/// A cell of `strips` with a peer that was compiled for `compiled` strips.
fn with_peer(defect: Defect, strips: u64, compiled: u64) -> Measurement {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), compiled.to_string()).expect("written");
    beside(defect, strips, file.path().to_owned())
}

#[test]
fn a_peer_is_timed_beside_our_kernel() {
    let found = with_peer(Defect::None, 1024, 1024);
    assert_eq!(found.notices, [""; 0]);
    let row = found.record;
    assert_eq!(samples(&row, "nvcc_kernel"), Some([4.0; 3].as_slice()));
    let of_ours = row.ms("nvcc_dyadic_kernel");
    assert!(of_ours.is_some(), "the form with our algorithm");
    assert!(row.number("pi").is_some());
    assert_eq!(row.number("nvcc_pi"), row.number("pi"));
}

#[test]
fn a_wrong_bit_of_either_form_of_the_peer_is_said_and_nothing_of_it_timed() {
    for (defect, entry) in [
        (Defect::WrongPeer, "quarter_circle_f64"),
        (Defect::WrongDyadicPeer, "quarter_circle_f64_dyadic"),
    ] {
        let found = with_peer(defect, 1024, 1024);
        let problem = notice(&found);
        let start = format!(
            "--peers: {entry} is wrong and not timed: 1 of 16 partial sums are not the host's, \
             the first is number 3: "
        );
        assert!(problem.starts_with(&start), "{problem}");
        let row = &found.record;
        for metric in ["nvcc_kernel", "nvcc_dyadic_kernel", "nvcc_pi"] {
            assert_eq!(row.metrics.get(metric), None, "{metric}");
        }
        assert_eq!(
            (row.status, &row.reason),
            (Status::Ok, &None),
            "ours is right"
        );
        assert!(row.ms("kernel").is_some());
    }
}

#[test]
fn a_peer_whose_products_are_rounded_may_differ_in_last_bits_and_in_no_more() {
    let near = with_peer(Defect::WrongPeer, 1008, 1008);
    assert_eq!(near.notices, [""; 0]);
    let near = near.record;
    assert!(near.ms("nvcc_kernel").is_some() && near.ms("nvcc_dyadic_kernel").is_none());
    assert!(near.number("nvcc_pi").is_some());
    let far = with_peer(Defect::None, 1008, 2016);
    let problem = notice(&far);
    assert!(
        problem.starts_with("--peers: quarter_circle_f64 is wrong and not timed: the sum is "),
        "{problem}"
    );
    assert!(far.record.ms("nvcc_kernel").is_none());
}

fn of_limit(limit: Limit) -> Job {
    job("limits", Cell::default().with("limit", limit.name()))
}

#[test]
fn a_limit_is_of_its_work_in_the_time_of_it() {
    let launch = row(Defect::None, &of_limit(Limit::Launch));
    // The events of this device are 4 ms apart.
    assert_eq!(launch.ms("kernel"), Some(4.0));
    assert_eq!(limits::value(&launch), Some(Limit::Launch.value(1.0, 4.0)));
    for (limit, work) in [
        (Limit::LaunchAndWait, 1.0),
        (Limit::CopyOutLatency, 1.0),
        (Limit::CopyIn, 67_108_864.0),
    ] {
        let row = row(Defect::None, &of_limit(limit));
        let value = row.ms("gpu").map(|ms| limit.value(work, ms));
        assert!(value.is_some() && limits::value(&row) == value, "{limit:?}");
        assert_eq!(samples(&row, "gpu").map(<[f64]>::len), Some(3));
        assert_eq!((row.status, row.reason), (Status::Ok, None));
    }
}

#[test]
fn a_dry_run_of_a_limit_has_no_time() {
    let dry = sampled(of_limit(Limit::Launch), |sampling| sampling.untimed = true);
    let row = row(Defect::None, &dry);
    assert_eq!(row.status, Status::Ok);
    assert_eq!(
        (row.metrics.times().count(), limits::value(&row)),
        (0, None)
    );
}

#[test]
fn a_chain_that_leaves_its_steps_out_is_wrong() {
    let row = row(Defect::None, &of_limit(Limit::FmaLatencyF64));
    let reason = wrong(&row);
    assert!(reason.starts_with("the chains end at 0"), "{reason}");
}
