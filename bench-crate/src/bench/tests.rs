//! A run over a fake device: what becomes of right, wrong and failing cells.

use std::path::Path;
use std::time::Duration;

use super::peers::Peers;
use super::run::{Measuring, Run};
use super::*;
use crate::measure::{Method, Timing};
use crate::oracle::{Precision, quarter_circle};
use crate::record::{Clocks, DeviceInfo};
use crate::tables;
use crate::worker::Executor;
use crate::worker::protocol::{Job, Reading, Task};

#[derive(Default)]
struct Paper {
    notices: Vec<String>,
    milestones: Vec<String>,
    progress: Vec<(usize, bool)>,
}

impl Console for Paper {
    fn result(&mut self, _text: &str) {}
    fn is_lost(&self) -> bool {
        false
    }
    fn notice(&mut self, sentence: &str) {
        self.notices.push(sentence.to_owned());
    }
    fn milestone(&mut self, sentence: &str) {
        self.milestones.push(sentence.to_owned());
    }
    fn progress(&mut self, progress: &progress::Progress<'_>) {
        self.progress.push((progress.done, progress.left.is_some()));
    }
    fn finish(&mut self) {}
}

/// Answers as a right kernel does, but for blocks = 2 (no answer), blocks = 4 (a
/// wrong result) and blocks = 8 (a clock that falls meanwhile).
struct Fake;

impl Executor for Fake {
    fn run(&mut self, job: &Job, _limit: Duration) -> std::result::Result<Reading, String> {
        let Task::QuarterCircle {
            precision,
            strips,
            blocks,
            threads,
        } = job.task
        else {
            return Err("not asked for".into());
        };
        let parts = u64::from(blocks) * u64::from(threads);
        let total = quarter_circle::partials(precision, strips, parts).sum();
        match blocks {
            2 => Err("illegal address".into()),
            4 => Ok(Reading {
                total: Some(0.5),
                wrong: Some("wrong sums".into()),
                ..Reading::default()
            }),
            8 => Ok(Reading {
                total: Some(total),
                kernel: Timing::from_samples(vec![8.0, 8.0, 8.0, 8.0, 10.0]),
                kernel_method: Some(Method::Single),
                kernel_cold: Timing::from_samples(vec![9.0]),
                cold_events: Timing::from_samples(vec![0.5]),
                clocks: Some(Clocks {
                    sm_before_mhz: Some(1980),
                    sm_after_mhz: Some(1200),
                    throttled: vec!["heat".into()],
                    ..Clocks::default()
                }),
                remarks: vec!["said by the device".into()],
                ..Reading::default()
            }),
            _ => Ok(Reading {
                total: Some(total),
                kernel: Timing::from_samples(vec![f64::from(blocks); 3]),
                nvcc_kernel: Timing::from_samples(vec![2.0; 3]),
                ..Reading::default()
            }),
        }
    }
}

fn info() -> DeviceInfo {
    DeviceInfo {
        name: "fake".into(),
        kind: "cuda".into(),
        compute_capability: "9.0".into(),
        driver: None,
        cuda_version: None,
        ptx_sha256: "0".into(),
        ptx_arch: "sm_90".into(),
        rustc: "1".into(),
        llvm: "1".into(),
        multiprocessors: None,
    }
}

fn request(table: &str, folder: &Path) -> Request {
    let arguments = BenchArguments {
        tables: vec![table.into()],
        device: "auto".into(),
        format: "csv".into(),
        strips: Some("65536".into()),
        blocks: Some("1,2,4,8".into()),
        threads: Some("8".into()),
        repeat: Some("1".into()),
        out: folder.to_owned(),
        ..BenchArguments::default()
    };
    match Request::new(&arguments) {
        Ok(request) => request,
        Err(e) => panic!("{e}"),
    }
}

fn measure(table: &str, measuring: Measuring) -> (Vec<Record>, Paper) {
    let Ok(folder) = tempfile::tempdir() else {
        panic!("no folder")
    };
    let request = request(table, folder.path());
    let Ok(store) = Store::open(folder.path(), "a", measuring.info()) else {
        panic!("no store")
    };
    let mut paper = Paper::default();
    let mut run = Run::new(&request, measuring, store, Peers::default());
    let (table, cells) = &request.tables[0];
    match run.table(*table, cells, &mut paper) {
        Ok(records) => (records, paper),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn a_failed_cell_is_a_row_with_its_reason_and_the_run_goes_on() {
    let device = Measuring::Device(Box::new(Fake), Box::new(info()));
    let (records, paper) = measure("sweep-f64", device);
    let rows: Vec<(Status, Option<&str>)> = records
        .iter()
        .map(|record| (record.status, record.reason.as_deref()))
        .collect();
    assert_eq!(
        rows,
        [
            (Status::Ok, None),
            (Status::Failed, Some("illegal address")),
            (Status::Failed, Some("wrong sums")),
            (Status::Ok, None),
        ]
    );
    assert_eq!(paper.notices.len(), 2);
    assert_eq!(
        paper.progress,
        [(0, false), (1, false), (2, true), (3, true)],
        "before every cell, with the time left from the third one on"
    );
    assert_eq!(
        paper.milestones,
        [
            "sweep-f64: 4 cells to measure",
            "sweep-f64: 4 cells in 0s, 2 failed"
        ]
    );
    assert_eq!(records[1].values.pi, None, "a failed cell has no value");
    assert!(records[1].values.host_pi.is_some());
    assert_eq!(records[0].device, Some(info()));
}

#[test]
fn a_row_says_what_its_samples_and_the_clocks_said() {
    let device = Measuring::Device(Box::new(Fake), Box::new(info()));
    let (records, _) = measure("sweep-f64", device);
    let row = &records[3];
    assert_eq!(
        row.remarks,
        [
            "said by the device",
            "kernel_ms has outliers: 1 of 5 samples, the farthest +25 % off the median",
            "the clock fell: from 1980 to 1200 MHz",
            "the clock was held down: heat",
        ]
    );
    assert_eq!(row.status, Status::Ok, "it is said, and nothing else");
    let text = |name: &str| {
        let columns = tables::sweep::SWEEP_F64.columns();
        let column = columns.iter().find(|column| column.name == name);
        column.map(|column| (column.text)(row)).unwrap_or_default()
    };
    let names = [
        "kernel_cold_ms",
        "cold_events_ms",
        "kernel_method",
        "sm_mhz",
    ];
    assert_eq!(names.map(text), ["9", "0.5", "single launch", "1200"]);
    assert_eq!(text("remarks"), row.remarks.join("; "));
    assert!(records[0].remarks.is_empty() && records[0].clocks.is_none());
}

#[test]
fn the_summary_compares_the_best_right_kernel_with_nvccs_best() {
    let device = Measuring::Device(Box::new(Fake), Box::new(info()));
    let (records, _) = measure("sweep-f64", device);
    let summary = tables::by_name("sweep-f64").map(|table| table.summary(&records));
    assert_eq!(
        summary.unwrap_or_default(),
        ["sweep-f64: best kernel 1 ms at 1x8, nvcc's best 2 ms at 1x8, ratio 0.500"]
    );
}

#[test]
fn the_f32_sweep_has_the_pages_pi_and_the_corrected_one() {
    let device = Measuring::Device(Box::new(Fake), Box::new(info()));
    let (records, _) = measure("sweep-f32", device);
    let total = quarter_circle::partials(Precision::F32, 65536, 8).sum();
    assert_eq!(
        records[0].values.pi_corrected,
        Some(quarter_circle::pi(Precision::F32, total, 65536))
    );
    assert_eq!(records[0].values.pi, records[0].values.host_pi);
}

#[test]
fn without_a_device_rows_are_skipped_with_the_reason_and_the_host_is_measured() {
    let (records, _) = measure("sweep-f64", Measuring::Nothing("no device: none".into()));
    for record in &records {
        assert_eq!(record.status, Status::Skipped);
        assert_eq!(record.reason.as_deref(), Some("no device: none"));
        assert!(record.timings.host.is_some() && record.timings.gpu.is_none());
        assert!(record.values.pi.is_none());
    }
}

#[test]
fn accuracy_is_the_hosts_table_and_ok_without_a_device() {
    let (records, _) = measure("accuracy", Measuring::Nothing("no device: none".into()));
    assert!(
        records
            .iter()
            .all(|record| record.status == Status::Ok && record.values.pi.is_some())
    );
    assert_eq!(records.len(), 6, "a row a precision");
    for record in &records {
        let best = record.timings.host_best.as_ref();
        assert!(
            best.is_some_and(|best| best.min_ms > 0.0),
            "{:?}",
            record.key
        );
        assert!(record.values.rule_error.is_some() && record.values.predicted_error.is_some());
        assert_eq!(record.remarks, [""; 0]);
    }
}
