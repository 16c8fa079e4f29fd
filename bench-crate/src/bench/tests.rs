//! A run over a fake device: what becomes of right, wrong and failing cells.

use std::path::Path;
use std::time::Duration;

use super::*;
use crate::cli::AxisArguments;
use crate::measure::Measurement;
use crate::modules;
use crate::oracle::{Precision, quarter_circle};
use crate::record::{Clocks, sample};
use crate::tables;
use crate::timing::{Measured, Method, Timing};
use crate::worker::Executor;
use crate::worker::device::Loaded;
use crate::worker::protocol::Job;
use crate::worker::serve::Server;
use quadscan::device::Device;
use quadscan::device::emulator::{Emulator, Settings};

#[derive(Default)]
struct Paper {
    notices: Vec<String>,
    milestones: Vec<String>,
    progress: Vec<(usize, bool)>,
}

impl Console for Paper {
    fn result(&mut self, _text: &str) {}
    fn width(&self) -> Option<usize> {
        None
    }
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

fn timing(samples: &[f64]) -> Timing {
    Timing::from_samples(samples.to_vec()).expect("there are samples")
}

/// Answers as a right kernel in f64 does, but for blocks = 2 (no answer), blocks = 4 (a
/// wrong result) and blocks = 8 (a clock that falls meanwhile).
struct Fake;

impl Executor for Fake {
    fn run(&mut self, job: &Job, _limit: Duration) -> std::result::Result<Measurement, String> {
        let grid = ["strips", "blocks", "threads"].map(|axis| job.cell.number(axis));
        let [Some(strips), Some(blocks), Some(threads)] = grid else {
            return Err("not asked for".into());
        };
        let total = quarter_circle::partials(Precision::F64, strips, blocks * threads).sum();
        let pi = quarter_circle::pi(Precision::F64, total, strips);
        let found = sample::record(&job.table, job.cell.clone());
        let record = match blocks {
            2 => return Err("illegal address".into()),
            4 => Record {
                status: Status::Failed,
                reason: Some("wrong sums".into()),
                ..found.having("pi", 0.5)
            },
            8 => {
                let kernel = Measured {
                    timing: timing(&[8.0, 8.0, 8.0, 8.0, 10.0]),
                    method: Method::Single,
                };
                let found = found.having("pi", pi).having("kernel", kernel);
                Record {
                    clocks: Some(Clocks {
                        sm_before_mhz: Some(1980),
                        sm_after_mhz: Some(1200),
                        throttled: vec!["heat".into()],
                        ..Clocks::default()
                    }),
                    remarks: vec!["said by the device".into()],
                    ..found.taking("kernel_cold", 9.0).taking("cold_events", 0.5)
                }
            }
            _ => {
                let found = found.having("kernel", timing(&[blocks as f64; 3]));
                found
                    .having("nvcc_kernel", timing(&[2.0; 3]))
                    .having("pi", pi)
            }
        };
        Ok(Measurement {
            record,
            notices: Vec::new(),
            bits: None,
        })
    }
}

fn fake() -> Workers {
    Workers::of(Box::new(Fake), sample::device("cuda"))
}

/// Measures by the tables themselves, in this process.
struct InProcess(Loaded);

impl Executor for InProcess {
    fn run(&mut self, job: &Job, _limit: Duration) -> std::result::Result<Measurement, String> {
        self.0.carry_out(job).map_err(|failure| failure.reason)
    }
}

fn emulator() -> Workers {
    let device = Device::from_backend(Box::new(Emulator::new(Settings::default())));
    let artifact = modules::ours().expect("our kernels are there");
    let loaded = Loaded::with(device, artifact).expect("an emulator loads them");
    let device = loaded.greeting().device;
    Workers::of(Box::new(InProcess(loaded)), device)
}

fn request(table: &str, folder: &Path) -> Request {
    let lists = [("strips", "65536"), ("blocks", "1,2,4,8"), ("threads", "8")];
    let list = |(option, list): (&str, &str)| (option.to_owned(), list.to_owned());
    let arguments = BenchArguments {
        tables: vec![table.into()],
        device: "auto".into(),
        format: "csv".into(),
        axes: AxisArguments {
            lists: lists.map(list).to_vec(),
            ..AxisArguments::default()
        },
        repeat: Some("1".into()),
        out: folder.to_owned(),
        ..BenchArguments::default()
    };
    match Request::new(&arguments) {
        Ok(request) => request,
        Err(e) => panic!("{e}"),
    }
}

fn measure(table: &str, workers: Workers) -> (Vec<Record>, Paper) {
    let Ok(folder) = tempfile::tempdir() else {
        panic!("no folder")
    };
    let request = request(table, folder.path());
    let Ok(mut store) = Store::open(folder.path(), "a", workers.device().ok()) else {
        panic!("no store")
    };
    let mut paper = Paper::default();
    let mut run = Run::new(&request, workers, Peers::default(), &store);
    let (table, cells) = &request.tables[0];
    match run.table(table, cells, &mut store, &mut paper) {
        Ok(records) => (records, paper),
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn a_failed_cell_is_a_row_with_its_reason_and_the_run_goes_on() {
    let (records, paper) = measure("sweep-f64", fake());
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
    assert_eq!(records[1].number("pi"), None, "a failed cell has no value");
    assert!(records[1].number("host_pi").is_some());
    assert_eq!(records[0].device, Some(sample::device("cuda")));
}

#[test]
fn a_row_says_what_its_samples_and_the_clocks_said() {
    let (records, _) = measure("sweep-f64", fake());
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
        let columns = tables::sweep::F64.columns_of(&[]);
        let column = columns.iter().find(|column| column.name == name);
        column.map(|column| column.text(row)).unwrap_or_default()
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
    let (records, _) = measure("sweep-f64", fake());
    let summary = tables::by_name("sweep-f64").map(|table| (table.summary)(&records));
    assert_eq!(
        summary.unwrap_or_default(),
        ["sweep-f64: best kernel 1 ms at 1x8, nvcc's best 2 ms at 1x8, ratio 0.500"]
    );
}

#[test]
fn the_f32_sweep_has_the_pages_pi_and_the_corrected_one() {
    let (records, _) = measure("sweep-f32", emulator());
    let total = quarter_circle::partials(Precision::F32, 65536, 8).sum();
    let right = Some(quarter_circle::pi(Precision::F32, total, 65536));
    let published = Some(quarter_circle::pi_as_published_f32(total, 65536));
    let number = |metric: &str| records[0].number(metric);
    assert_eq!(records[0].status, Status::Ok, "{:?}", records[0].reason);
    assert_eq!(
        (number("pi_corrected"), number("host_pi_corrected")),
        (right, right)
    );
    assert_eq!((number("pi"), number("host_pi")), (published, published));
}

#[test]
fn without_a_device_rows_are_skipped_with_the_reason_and_the_host_is_measured() {
    let (records, _) = measure("sweep-f64", Workers::none("no device: none"));
    for record in &records {
        assert_eq!(record.status, Status::Skipped);
        assert_eq!(record.reason.as_deref(), Some("no device: none"));
        assert!(record.timing("host").is_some() && record.timing("gpu").is_none());
        assert!(record.number("pi").is_none());
    }
}

#[test]
fn accuracy_is_the_hosts_table_and_ok_without_a_device() {
    let (records, _) = measure("accuracy", Workers::none("no device: none"));
    assert!(
        records
            .iter()
            .all(|record| record.status == Status::Ok && record.number("pi").is_some())
    );
    assert_eq!(records.len(), 6, "a row a precision");
    for record in &records {
        let best = record.timing("host_best");
        assert!(
            best.is_some_and(|best| best.min_ms > 0.0),
            "{}",
            record.describe()
        );
        let errors = ["rule_error", "predicted_error"].map(|metric| record.number(metric));
        assert!(errors.iter().all(Option::is_some), "{errors:?}");
        assert_eq!(record.remarks, [""; 0]);
    }
}
