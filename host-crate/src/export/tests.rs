//! What each form looks like, literally.

use super::*;
use crate::measure::Timing;
use crate::record::{HostInfo, Key, Timings, Values};
use crate::tables::Table;
use crate::tables::sweep::{SWEEP_F32, SWEEP_F64};

fn host() -> HostInfo {
    HostInfo {
        cpu: "cpu".into(),
        cores: None,
        version: "0".into(),
        git_revision: "unknown".into(),
    }
}

fn record(blocks: u32, threads: u32, gpu: &[f64]) -> Record {
    Record {
        run: "r".into(),
        table: "sweep-f64".into(),
        key: Key {
            blocks: Some(blocks),
            threads: Some(threads),
            strips: Some(1 << 24),
            ..Key::default()
        },
        status: Status::Ok,
        reason: None,
        values: Values {
            pi: Some(3.141592653573),
            ..Values::default()
        },
        timings: Timings {
            gpu: Timing::from_samples(gpu.to_vec()),
            host: Timing::from_samples(vec![63.0, 62.0, 64.0, 63.0, 63.0]),
            host_best: Timing::from_samples(vec![2.5]),
            ..Timings::default()
        },
        counts: None,
        clocks: None,
        remarks: Vec::new(),
        device: None,
        host: host(),
        timestamp: "2026-01-01T00:00:00Z".into(),
    }
}

fn skipped() -> Record {
    Record {
        status: Status::Skipped,
        reason: Some("no device: none, \"really\"".into()),
        values: Values::default(),
        ..record(1, 1024, &[])
    }
}

fn text(format: Format, published: bool) -> String {
    let columns = select(SWEEP_F64.columns(), format, published);
    render(format, &columns, &[record(64, 256, &[0.03125]), skipped()])
}

#[test]
fn csv_has_the_published_columns_first_with_our_numbers_and_the_published_figures_last() {
    assert_eq!(
        text(Format::Csv, false),
        "blocks,threads,gpu_ms,host_ms,host_best_ms,strips,kernel_ms,kernel_noise_percent,nvcc_kernel_ms,\
         nvcc_dyadic_kernel_ms,pi,host_pi,nvcc_pi,warp_instructions,\
         lane_instructions,divergent_branches,shared_wavefronts,ideal_shared_wavefronts,\
         global_sectors,ideal_global_sectors,device,status,reason,published_gpu_ms,\
         published_host_ms\n\
         64,256,0.03125,63,2.5,16777216,,,,,3.141592653573,,,,,,,,,,,ok,,2.64,479.28\n\
         1,1024,,63,2.5,16777216,,,,,,,,,,,,,,,,skipped,\"no device: none, \"\"really\"\"\",,479.6\n"
    );
}

#[test]
fn published_csv_has_nothing_else() {
    assert_eq!(
        text(Format::Csv, true),
        "blocks,threads,gpu_ms,host_ms\n64,256,0.03125,63\n1,1024,,63\n"
    );
}

#[test]
fn markdown_is_a_pipe_table() {
    assert_eq!(
        text(Format::Markdown, true),
        "| blocks | threads | gpu_ms | host_ms |\n\
         | ---: | ---: | ---: | ---: |\n\
         | 64 | 256 | 0.03125 | 63 |\n\
         | 1 | 1024 |  | 63 |\n"
    );
}

#[test]
fn a_table_is_aligned_and_leaves_out_columns_without_a_value() {
    let columns = select(SWEEP_F64.columns(), Format::Table, true);
    assert_eq!(
        render(Format::Table, &columns, &[skipped()]),
        "| blocks | threads | host_ms |\n\
         |--------|---------|---------|\n\
         |      1 |    1024 |      63 |\n"
    );
}

#[test]
fn json_of_published_columns_has_numbers_and_null() {
    let columns = select(SWEEP_F64.columns(), Format::Json, true);
    assert_eq!(
        render(Format::Json, &columns, &[skipped()]),
        "[\n  {\n    \"blocks\": 1,\n    \"gpu_ms\": null,\n    \"host_ms\": 63,\n    \
         \"threads\": 1024\n  }\n]\n"
    );
}

#[test]
fn json_of_a_run_has_every_record_whole() {
    let records = [record(64, 256, &[0.5, 0.25]), skipped()];
    let text = render_json(&records.iter().collect::<Vec<_>>());
    let back: Vec<Record> = serde_json::from_str(&text).unwrap_or_default();
    assert_eq!(back, records);
}

#[test]
fn the_f32_sweep_has_five_times_and_the_published_header() {
    let columns = select(SWEEP_F32.columns(), Format::Csv, true);
    let row = record(4, 128, &[5.0, 4.0, 3.0, 2.0, 1.0]);
    let published = include_str!("../../data/sweep_f32_geforce_8800gt.csv");
    let text = render(Format::Csv, &columns, &[row]);
    let mut lines = text.lines();
    assert_eq!(lines.next(), published.lines().next());
    // 1000 / (3 * 512) = 0.65104
    assert_eq!(
        lines.next(),
        Some("4,128,5,63,4,62,3,64,2,63,1,63,3.141593,0.65104")
    );
}

#[test]
fn footnotes_name_every_reason_once() {
    assert_eq!(
        footnotes(&[skipped(), record(1, 1, &[]), skipped()]),
        ["2 rows skipped: no device: none, \"really\""]
    );
}
