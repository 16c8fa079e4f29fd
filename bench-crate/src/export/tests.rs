//! What each form looks like, literally.

use super::*;
use crate::record::{Cell, Status, sample};
use crate::table::{Matrix, column};
use crate::tables;
use crate::timing::Timing;

/// A table's columns, without a model.
fn columns(table: &str) -> Vec<Column> {
    let table = tables::by_name(table).expect("a known table");
    table.columns_of(&[])
}

/// A row with the times of the host.
fn of_host(blocks: u32, threads: u32) -> Record {
    let cell = Cell::default().with("strips", 1_u64 << 24);
    let cell = cell.with("blocks", blocks).with("threads", threads);
    let mut record = sample::record("sweep-f64", cell).taking("host_best", 2.5);
    let host = Timing::from_samples(vec![63.0, 62.0, 64.0, 63.0, 63.0]);
    record.metrics.put("host", host);
    record
}

fn record(blocks: u32, threads: u32, gpu: &[f64]) -> Record {
    let mut record = of_host(blocks, threads).having("pi", 3.141592653573);
    record.entries = vec!["one".into(), "two".into()];
    let gpu = Timing::from_samples(gpu.to_vec());
    record.metrics.put("gpu", gpu);
    record
}

fn skipped() -> Record {
    Record {
        status: Status::Skipped,
        reason: Some("no device: none, \"really\"".into()),
        ..of_host(1, 1024)
    }
}

fn text(format: Format, published: bool) -> String {
    // What the model makes of the page's column has numbers of its own.
    let columns = columns("sweep-f64")
        .into_iter()
        .filter(|column| !column.name.starts_with("published_model"))
        .collect();
    let columns = select(columns, format, published);
    render(format, &columns, &[record(64, 256, &[0.03125]), skipped()])
}

#[test]
fn csv_has_the_published_columns_first_with_our_numbers_and_the_published_figures_last() {
    // 1000 / (0.03125 * 64 * 256), 2.64 / 0.03125 and 479.28 / 63.
    assert_eq!(
        text(Format::Csv, false),
        "blocks,threads,gpu_ms,host_ms,host_best_ms,strips,kernel_ms,kernel_noise_percent,\
         inverse_time_per_thread,nvcc_kernel_ms,nvcc_dyadic_kernel_ms,pi,host_pi,nvcc_pi,\
         kernel_cold_ms,cold_events_ms,kernel_method,sm_mhz,remarks,warp_instructions,\
         lane_instructions,divergent_branches,shared_wavefronts,ideal_shared_wavefronts,\
         global_sectors,ideal_global_sectors,device,status,reason,entries,\
         model_ms,model_error_percent,model_gpu_ms,model_gpu_error_percent,published_gpu_ms,\
         published_host_ms,published_ratio,published_host_ratio\n\
         64,256,0.03125,63,2.5,16777216,,,1.9531,,,3.141592653573,,,,,,,,,,,,,,,,ok,,one two,,,,,2.64,479.28,84.48,7.6076\n\
         1,1024,,63,2.5,16777216,,,,,,,,,,,,,,,,,,,,,,skipped,\"no device: none, \"\"really\"\"\",,,,,,,479.6,,7.6127\n"
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
    let columns = select(columns("sweep-f64"), Format::Table, true);
    assert_eq!(
        render(Format::Table, &columns, &[skipped()]),
        "| blocks | threads | host_ms |\n\
         |--------|---------|---------|\n\
         |      1 |    1024 |      63 |\n"
    );
}

#[test]
fn json_of_published_columns_has_numbers_and_null() {
    let columns = select(columns("sweep-f64"), Format::Json, true);
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
    let columns = select(columns("sweep-f32"), Format::Csv, true);
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
fn footnotes_count_remarks_by_kind_and_tell_one_in_full() {
    let remarked = |remarks: &[&str]| Record {
        remarks: remarks.iter().map(|&remark| remark.to_owned()).collect(),
        ..record(1, 1, &[])
    };
    let records = [
        remarked(&[
            "gpu_ms has outliers: 1 of 9 samples",
            "the clock fell: from 9 to 8 MHz",
        ]),
        skipped(),
        remarked(&["gpu_ms has outliers: 2 of 5 samples"]),
        remarked(&["no cache"]),
        remarked(&["no cache"]),
    ];
    assert_eq!(
        footnotes(&records),
        [
            "1 row skipped: no device: none, \"really\"",
            "2 rows: gpu_ms has outliers",
            "1 row: the clock fell: from 9 to 8 MHz",
            "2 rows: no cache",
        ]
    );
}

#[test]
fn footnotes_name_every_reason_once() {
    assert_eq!(
        footnotes(&[skipped(), record(1, 1, &[]), skipped()]),
        ["2 rows skipped: no device: none, \"really\""]
    );
}

#[test]
fn a_matrix_has_blocks_down_and_threads_across_where_there_is_room_for_it() {
    let records = [
        record(4, 8, &[0.5]),
        record(4, 16, &[0.25]),
        record(8, 8, &[0.125]),
    ];
    let matrix = Matrix::of("gpu_ms", &records, |record| {
        column::ms("gpu_ms", "gpu").text(record)
    });
    let text = |format| {
        matrix
            .as_ref()
            .map(|matrix| render_matrix(format, matrix, None))
    };
    assert_eq!(
        text(Format::Table).as_deref(),
        Some(
            "gpu_ms\n\
             | BLOCK \\ THREAD |     8 |   16 |\n\
             |----------------|-------|------|\n\
             |              4 |   0.5 | 0.25 |\n\
             |              8 | 0.125 |      |\n"
        )
    );
    assert_eq!(
        text(Format::Markdown).as_deref(),
        Some(
            "gpu_ms:\n\n\
             | BLOCK \\ THREAD | 8 | 16 |\n\
             | ---: | ---: | ---: |\n\
             | 4 | 0.5 | 0.25 |\n\
             | 8 | 0.125 |  |\n"
        )
    );
    assert_eq!(text(Format::Csv).as_deref(), Some(""));
}
