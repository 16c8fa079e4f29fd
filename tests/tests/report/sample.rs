//! The pages that are looked at: an H200 alone, and several machines with all that
//! a page can have. What is made up here is nobody's measurement; it is drawn only.

use std::fs;
use std::path::Path;

use quadscan_bench::export::report::{Source, html};
use quadscan_bench::measure::Timing;
use quadscan_bench::record::{Key, Record, Status, Timings};

/// Their names, for the tests', and the pages.
pub(crate) fn pages() -> [(&'static str, String); 3] {
    let h200 = Source {
        name: "h200".into(),
        records: h200(),
    };
    let several = [
        h200.clone(),
        Source {
            name: "other".into(),
            records: other(),
        },
    ];
    let mut few = h200.clone();
    few.records
        .retain(|record| record.key.strips == Some(65536) || record.key.threads == Some(1));
    [
        ("a_few_rows", html(&[few])),
        ("one_machine", html(&[h200])),
        ("several_machines", html(&several)),
    ]
}

fn h200() -> Vec<Record> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/records/2026-11-21-h200.jsonl");
    let text = fs::read_to_string(&path).expect("the records of an H200");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

/// The same rows of a device with a long name, some failed, with rows of the
/// tables that those records do not have.
fn other() -> Vec<Record> {
    let mut records = h200();
    let mut extra = Vec::new();
    for (index, record) in records.iter_mut().enumerate() {
        if let Some(device) = &mut record.device {
            device.name = "A device whose name is longer than a telephone is wide <&>".into();
        }
        record.remarks = vec!["the clock fell: twice".into()];
        if index % 17 == 0 {
            record.status = Status::Failed;
            record.reason = Some("an illegal address was read, in line 12".into());
            record.timings = Timings::default();
        }
    }
    let template = records[1].clone();
    for (table, names) in [("limits", 4_u32), ("mapping", 12)] {
        for index in 0..names {
            let mut record = template.clone();
            record.table = table.into();
            let ms = 0.01 * f64::from(index + 1);
            record.timings = Timings {
                kernel: Timing::from_samples(vec![ms; 3]),
                gpu: Timing::from_samples(vec![40.0 * ms; 3]),
                ..Timings::default()
            };
            record.values.limit = (table == "limits").then(|| 1000.0 * ms.powi(2));
            record.key = Key {
                limit: (table == "limits").then(|| format!("memory_{index}_gb_per_s")),
                mapping: Some("block_strided".into()),
                partials: Some(format!("shared_conflicts_{index}")),
                finish: Some("second_launch".into()),
                strips: Some(1 << 20),
                ..Key::default()
            };
            extra.push(record);
        }
    }
    records.extend(extra);
    records.extend(scans(&template));
    records
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
            let ms = |times: f64| {
                let each = 0.002 * (1 + size + index) as f64 * times;
                Timing::from_samples(vec![each; 3])
            };
            let mut row = template.clone();
            row.table = "activity".into();
            row.key = Key {
                algorithm: Some(algorithm.into()),
                n: Some(n),
                ..Key::default()
            };
            row.timings = Timings {
                kernel: ms(1.0),
                kernel_beside: ms(1.2),
                companion: ms(400.0),
                companion_beside: ms(410.0),
                ..Timings::default()
            };
            rows.push(row.clone());
            row.timings = Timings::default();
            for step in 1..=6 {
                row.key.step = Some(step);
                row.values.active_threads = Some(n as u32 >> step);
                row.values.active_warps = Some((n as u32 >> step).div_ceil(32));
                rows.push(row.clone());
            }
        }
    }
    rows
}
