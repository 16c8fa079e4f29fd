//! The model against what an H200 gave, against the page, and against sweeps that
//! were made by a known law.

use super::*;
use crate::record::{self, DeviceInfo, Metric, Metrics, SmLimits, sample};
use crate::timing::Timing;

/// The sweeps of docs/records/2026-11-21-h200.md.
fn h200(table: &str) -> Vec<Record> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/records/2026-11-21-h200.jsonl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Record>(line).unwrap())
        .filter(|record| record.table == table)
        .collect()
}

fn explained(records: &[Record]) -> Explanation {
    explain(records).unwrap()
}

fn constant(fit: &Fit, name: &str) -> f64 {
    let found = fit.constants.iter().find(|c| c.name == name);
    found.unwrap_or_else(|| panic!("no constant {name}")).value
}

fn median_error(fit: &Option<Fit>) -> f64 {
    fit.as_ref().unwrap().median_error.unwrap()
}

/// A machine of no make, with times by the textbook: a launch takes the longer of
/// waiting and issuing on the fullest SM, and its copies.
fn made(count: u32, latency_ns: f64, issue_ns: f64, partial_ns: f64) -> Vec<Record> {
    let mut records = Vec::new();
    for block_bits in 0..12 {
        for thread_bits in 3..=10 {
            let (blocks, threads) = (1u32 << block_bits, 1u32 << thread_bits);
            let partials = f64::from(blocks) * f64::from(threads);
            let terms = f64::from(1 << 24) / partials;
            let fullest = f64::from(blocks.div_ceil(count));
            let together = f64::from((2048 / threads.max(32)).min(32));
            let waves = (fullest / together).ceil();
            let warps = fullest * f64::from(threads.div_ceil(32));
            let kernel = (waves * latency_ns * terms).max(warps * issue_ns * terms) / 1e6 + 0.002;
            let span = kernel + 0.02 + partial_ns * partials / 1e6;
            records.push(row(count, (blocks, threads), kernel, span));
        }
    }
    records
}

fn row(count: u32, (blocks, threads): (u32, u32), kernel: f64, span: f64) -> Record {
    let cell = record::Cell::default().with("strips", 1_u64 << 24);
    let cell = cell.with("blocks", blocks).with("threads", threads);
    let device = DeviceInfo {
        name: "Made up".into(),
        sms: Some(SmLimits {
            count,
            max_threads: 2048,
            max_blocks: 32,
            registers: 65536,
        }),
        ..sample::device("cuda")
    };
    let row = sample::record("sweep-f64", cell).taking("gpu", span);
    Record {
        device: Some(device),
        ..row.taking("kernel", kernel)
    }
}

#[test]
fn both_sweeps_of_the_h200_are_predicted_to_five_percent_where_the_fit_did_not_look() {
    for table in ["sweep-f64", "sweep-f32"] {
        let explanation = explained(&h200(table));
        // Issue 4 asks for 15 %.
        assert!(median_error(&explanation.kernel) < 0.05, "{table}");
        assert!(median_error(&explanation.span) < 0.05, "{table}");
    }
}

#[test]
fn both_columns_of_the_page_are_predicted_to_fifteen_percent_where_the_fit_did_not_look() {
    for table in ["sweep-f64", "sweep-f32"] {
        assert!(median_error(&published(table).cloned()) < 0.15, "{table}");
    }
}

#[test]
fn the_page_s_own_times_tell_the_sms_of_the_tesla_s2050() {
    let best = page::of("sweep-f64").unwrap().best.as_ref();
    assert_eq!(best.map(|(count, _)| *count), Some(14));
}

#[test]
fn a_kernel_has_at_most_five_constants_and_every_second_cell_is_seen() {
    for table in ["sweep-f64", "sweep-f32"] {
        let explanation = explained(&h200(table));
        for fit in [&explanation.kernel, &explanation.published] {
            let fit = fit.as_ref().unwrap();
            assert!(fit.constants.len() <= 5, "{table} {}", fit.name);
            let seen = fit.cells.iter().filter(|cell| cell.seen).count();
            assert_eq!(seen, fit.cells.len().div_ceil(2), "{table} {}", fit.name);
        }
        // The copies around a kernel whose law is known.
        assert!(explanation.span.unwrap().constants.len() <= 2, "{table}");
    }
}

#[test]
fn a_median_error_is_that_of_the_cells_that_the_fit_did_not_see() {
    let kernel = explained(&h200("sweep-f64")).kernel.unwrap();
    let mut errors: Vec<f64> = kernel
        .cells
        .iter()
        .filter(|cell| !cell.seen)
        .map(|cell| (kernel.predict(cell.blocks, cell.threads) / cell.measured_ms - 1.0).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    assert_eq!(errors.len(), 50);
    assert_eq!(kernel.median_error, Some((errors[24] + errors[25]) / 2.0));
}

#[test]
fn the_constants_of_a_made_up_machine_are_found_again() {
    let explanation = explained(&made(40, 80.0, 5.0, 3.0));
    let kernel = explanation.kernel.unwrap();
    for (fit, name, expected, part) in [
        (&kernel, "latency", 80.0, 0.01),
        (&kernel, "issue", 5.0, 0.05),
        (&kernel, "launch", 2.0, 0.2),
        (explanation.span.as_ref().unwrap(), "fixed", 20.0, 0.05),
        (explanation.span.as_ref().unwrap(), "partial", 3.0, 0.02),
    ] {
        let found = constant(fit, name);
        assert!((found / expected - 1.0).abs() < part, "{name}: {found}");
    }
}

#[test]
fn a_device_half_as_fast_is_told_about_in_other_numbers() {
    let fast = h200("sweep-f64");
    let mut slow = fast.clone();
    for metric in slow.iter_mut().flat_map(|record| record.metrics.iter_mut()) {
        if let ("gpu" | "kernel", Metric::Time(time)) = metric {
            time.timing.median_ms *= 2.0;
        }
    }
    let (fast, slow) = (explained(&fast), explained(&slow));
    let latency =
        |explanation: &Explanation| constant(explanation.kernel.as_ref().unwrap(), "latency");
    assert!((latency(&slow) / latency(&fast) - 2.0).abs() < 1e-3);
    assert!(fast.text[1].contains("waits 55.5 ns"), "{}", fast.text[1]);
    assert!(slow.text[1].contains("waits 111 ns"), "{}", slow.text[1]);
}

#[test]
fn a_device_with_fewer_sms_is_told_about_in_other_numbers() {
    let text = |count| explained(&made(count, 80.0, 5.0, 3.0)).text.join("\n");
    let (forty, ten) = (text(40), text(10));
    assert!(forty.contains("Made up, the model. 40 SMs"), "{forty}");
    assert!(forty.contains("the others idle: 8 of 40 at 32 blocks"));
    assert!(ten.contains("Made up, the model. 10 SMs"), "{ten}");
    assert!(ten.contains("the others idle: 2 of 10 at 8 blocks"));
    // 16 blocks on 10 SMs: two where 1.6 would be even.
    assert!(ten.contains("16 is shared out worst: 2 for the fullest, where 1.6 would be even"));
}

#[test]
fn the_page_s_question_is_answered_with_the_page_s_numbers() {
    let text = explained(&h200("sweep-f32")).text;
    let answer = text.last().unwrap();
    // The page: 2310 ms with one thread, 0.99 ms at 16x256, 112 processors.
    assert!(answer.contains("a gain of 2334 is possible"), "{answer}");
    assert!(answer.starts_with("GeForce 8800 GT, "), "{answer}");
    assert!(answer.contains("112 processors"), "{answer}");
    assert!(answer.contains("32 for the lanes of a warp"), "{answer}");
}

#[test]
fn without_times_the_page_is_explained_alone_and_another_table_is_not() {
    let mut records = made(40, 80.0, 5.0, 3.0);
    for record in &mut records {
        record.metrics = Metrics::default();
    }
    let explanation = explained(&records);
    assert!(explanation.kernel.is_none() && explanation.span.is_none());
    assert_eq!(explanation.published.as_ref(), published("sweep-f64"));
    assert!(
        explanation
            .text
            .iter()
            .all(|text| !text.contains("Made up"))
    );
    records[0].table = "activity".into();
    assert_eq!(explain(&records), None);
    assert_eq!(explain(&[]), None);
}

#[test]
fn a_device_without_sms_gets_no_model() {
    let mut records = made(40, 80.0, 5.0, 3.0);
    for record in &mut records {
        let held = record.device.as_mut().unwrap().sms.as_mut();
        held.unwrap().count = 0;
    }
    assert!(explained(&records).kernel.is_none());
}

#[test]
fn too_few_times_are_no_sweep() {
    assert!(explained(&made(40, 80.0, 5.0, 3.0)[..9]).kernel.is_none());
}

#[test]
fn times_of_failed_cells_and_of_other_sizes_are_left_out() {
    let mut records = made(40, 80.0, 5.0, 3.0);
    records[0].status = Status::Failed;
    records[1].cell = records[1].cell.clone().with("strips", 1_u64 << 20);
    let kernel = explained(&records).kernel.unwrap();
    assert_eq!(kernel.cells.len(), records.len() - 2);
    assert_eq!(kernel.strips(), 1 << 24);
}

/// The cells of a sweep in the order of the fit, by one of its clocks.
fn ordered(records: &[Record], metric: &str) -> Vec<Cell> {
    cells(records, 1 << 24, metric)
}

#[test]
fn changing_unseen_cells_changes_no_constant() {
    let records = made(40, 80.0, 5.0, 3.0);
    let machine = machine_of(&records).unwrap();
    let kernel = ordered(&records, "kernel");
    let span = ordered(&records, "gpu");
    let (_, law) = fit::kernel(&machine, 1 << 24, &kernel).unwrap();
    type Fitted<'a> = Box<dyn Fn(&[Cell]) -> Fit + 'a>;
    let fits: [(&[Cell], Fitted<'_>); 3] = [
        (
            &kernel,
            Box::new(|cells| fit::kernel(&machine, 1 << 24, cells).unwrap().0),
        ),
        (&span, Box::new(|cells| fit::span(&law, cells).unwrap().0)),
        (
            &span,
            Box::new(|cells| fit::published(&machine, 1 << 24, cells).unwrap().0),
        ),
    ];
    for (cells, fitted) in fits {
        let before = fitted(cells);
        for factor in [1e-3, 1e3] {
            let mut changed = cells.to_vec();
            changed
                .iter_mut()
                .skip(1)
                .step_by(2)
                .for_each(|cell| cell.2 *= factor);
            let after = fitted(&changed);
            assert_eq!(
                after.constants, before.constants,
                "{} {factor}",
                before.name
            );
            assert_ne!(after.median_error, before.median_error);
        }
    }
}

#[test]
fn a_model_that_does_not_fit_tells_its_score_and_nothing_else() {
    let mut records = made(40, 80.0, 5.0, 3.0);
    // Times that no law of blocks and threads gives: 1, 7, 49 or 343 ms by turns.
    for (index, record) in records.iter_mut().enumerate() {
        let ms = 7f64.powi((index * 37 % 4) as i32);
        record.metrics.put("kernel", Timing::from_samples(vec![ms]));
    }
    let explanation = explained(&records);
    let kernel = explanation.kernel.as_ref().unwrap();
    assert!(kernel.median_error.unwrap() > EXPLAINS && !kernel.explains());
    let said: Vec<&String> = explanation
        .text
        .iter()
        .filter(|text| text.contains("Made up"))
        .collect();
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(said[0].contains("the model does not explain these times"));
    assert!(!said[0].contains("latency"), "{}", said[0]);
}

#[test]
fn no_sm_is_saturated_by_more_threads_than_it_holds() {
    // Issue so quick that 100 warps would be needed, and 64 are held.
    let text = explained(&made(40, 500.0, 5.0, 3.0)).text;
    for text in text.iter().filter(|text| text.contains("Made up")) {
        assert!(!text.contains("take the same time"), "{text}");
        assert!(!text.contains("99 warps could be") && !text.contains("100 warps could be"));
    }
}

#[test]
fn a_latency_that_no_cell_shows_is_not_counted_up_to_0() {
    for text in explained(&made(40, 0.01, 5.0, 3.0)).text {
        assert!(!text.contains("0 of the"), "{text}");
        assert!(!text.contains("blocks * threads = 0"), "{text}");
    }
}

#[test]
fn a_constant_that_half_of_it_would_do_for_is_not_told() {
    // Few blocks and threads: nothing is bound by issue there, and a launch of 2 us
    // is nothing beside them.
    let records: Vec<Record> = made(40, 80.0, 5.0, 3.0)
        .into_iter()
        .filter(|record| record.cell.small("threads") <= Some(128))
        .filter(|record| record.cell.small("blocks") <= Some(32))
        .collect();
    let explanation = explained(&records);
    let kernel = explanation.kernel.as_ref().unwrap();
    let told = |name: &str| {
        kernel
            .constants
            .iter()
            .find(|c| c.name == name)
            .unwrap()
            .determined
    };
    assert!(told("latency"));
    assert!(!told("issue") && !told("launch") && !told("sharpness"));
    let text = explanation.text.join("\n");
    assert!(
        text.contains("launch not determined by these cells"),
        "{text}"
    );
    assert!(!text.contains("us of it for the launch"), "{text}");
}

#[test]
fn the_constants_of_a_whole_sweep_are_told() {
    let kernel = explained(&h200("sweep-f64")).kernel.unwrap();
    for name in ["latency", "issue"] {
        assert!(kernel.tells(name), "{name}");
    }
}
