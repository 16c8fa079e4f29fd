//! The pages that are looked at: an H200 alone, and several machines with all that
//! a page can have. What is made up here is nobody's measurement; it is drawn only.

use std::fs;
use std::path::Path;

use quadscan_bench::record::{Cell, Metric, Metrics, Record, Status};
use quadscan_bench::report::{Source, html};
use quadscan_bench::timing::Timing;

/// Their names, for the tests', and the pages.
pub(crate) fn pages() -> [(&'static str, String); 4] {
    let h200 = Source {
        name: "h200".into(),
        records: kept("2026-11-21-h200.jsonl"),
    };
    let peers = Source {
        name: "peers".into(),
        records: kept("2026-11-23-h200.jsonl"),
    };
    let several = [
        h200.clone(),
        Source {
            name: "other".into(),
            records: other(),
        },
    ];
    let mut few = h200.clone();
    few.records.retain(|record| {
        let number = |axis| record.cell.number(axis);
        number("strips") == Some(65536) || number("threads") == Some(1)
    });
    [
        ("a_few_rows", html(&[few])),
        ("beside_peers", html(&[peers])),
        ("one_machine", html(&[h200])),
        ("several_machines", html(&several)),
    ]
}

/// Kept records of an H200.
fn kept(file: &str) -> Vec<Record> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/records")
        .join(file);
    let text = fs::read_to_string(&path).expect("the records of an H200");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

/// The same rows of a device with a long name, some failed, with rows of the
/// tables that those records do not have.
fn other() -> Vec<Record> {
    let mut records = kept("2026-11-21-h200.jsonl");
    let mut extra = Vec::new();
    for (index, record) in records.iter_mut().enumerate() {
        if let Some(device) = &mut record.device {
            device.name = "A device whose name is longer than a telephone is wide <&>".into();
        }
        record.remarks = vec!["the clock fell: twice".into()];
        if index % 17 == 0 {
            record.status = Status::Failed;
            record.reason = Some("an illegal address was read, in line 12".into());
            record.metrics = without_times(&record.metrics);
        }
    }
    let template = records[1].clone();
    for (table, names) in [("limits", 4_u32), ("mapping", 12)] {
        for index in 0..names {
            let mut record = template.clone();
            record.table = table.into();
            let ms = 0.01 * f64::from(index + 1);
            record.metrics.put("kernel", time(ms));
            record.metrics.put("gpu", time(40.0 * ms));
            record.cell = match table {
                "limits" => {
                    record.metrics.put("value", Some(1000.0 * ms.powi(2)));
                    Cell::default().with("limit", format!("memory_{index}_gb_per_s"))
                }
                _ => Cell::default()
                    .with("mapping", "block_strided")
                    .with("partials", format!("shared_conflicts_{index}"))
                    .with("finish", "second_launch")
                    .with("strips", 1_u64 << 20),
            };
            extra.push(record);
        }
    }
    records.extend(extra);
    records.extend(scans(&template));
    records
}

/// Three samples.
fn time(ms: f64) -> Option<Timing> {
    Timing::from_samples(vec![ms; 3])
}

/// What was counted and computed alone.
fn without_times(metrics: &Metrics) -> Metrics {
    let mut rest = Metrics::default();
    for (name, metric) in metrics.iter() {
        if !matches!(metric, Metric::Time(_)) {
            rest.put(name, Some(metric.clone()));
        }
    }
    rest
}

/// Scans of several sizes, alone and beside a second kernel.
fn scans(template: &Record) -> Vec<Record> {
    let names = [
        "naive",
        "work_efficient",
        "naive_scattered",
        "work_efficient_scattered",
    ];
    let mut rows = Vec::new();
    for (size, n) in [64_u64, 1024, 2048].into_iter().enumerate() {
        for (index, algorithm) in names.into_iter().enumerate() {
            let mut row = template.clone();
            row.table = "activity".into();
            row.cell = Cell::default().with("algorithm", algorithm).with("n", n);
            let mut timed = row.clone();
            for (metric, times) in [
                ("kernel", 1.0),
                ("kernel_beside", 1.2),
                ("companion", 400.0),
                ("companion_beside", 410.0),
            ] {
                let ms = 0.002 * (1 + size + index) as f64 * times;
                timed.metrics.put(metric, time(ms));
            }
            rows.push(timed);
            for step in 1..=6_u32 {
                let threads = n >> step;
                let warps = threads.div_ceil(32);
                row.cell = row.cell.with("step", step);
                row.metrics.put("active_threads", Some(threads));
                row.metrics.put("active_warps", Some(warps));
                rows.push(row.clone());
            }
        }
    }
    rows
}
