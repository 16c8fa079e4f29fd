//! `accuracy`: pi from one loop over all strips, by precision and number of
//! strips. The page's first table: in f32 more strips make it worse.
//!
//! The table's `pi` is the host's loop, as published. Beside it stands the
//! device's: as many partial sums as a grid of up to 64 x 256 threads has. Each has
//! its error, the rule's own and the one that the sum's rounding predicts
//! ([`running_sum`]); what they say together is in the file `rounding`.

use super::column::{Column, fixed, median, optional};
use super::published::ACCURACY;
use super::{Selection, Table, rounding};
use crate::bench::host_oracle::HostOracle;
use crate::error::Result;
use crate::oracle::{Precision, quarter_circle, running_sum};
use crate::record::{DeviceInfo, Key, Record};
use crate::worker::protocol::{Reading, Task};

/// The table.
pub struct Accuracy;

/// The smallest size of the table, as an exponent of two.
const FIRST_EXPONENT: u32 = 16;

/// Precisions in the order of the rows; the page has the first two.
const PRECISIONS: [Precision; 6] = [
    Precision::F32,
    Precision::F64,
    Precision::F32Pure,
    Precision::F32Kahan,
    Precision::F32Pairwise,
    Precision::F32DoubleFloat,
];

/// The largest grid and block for the device's value.
const MOST_BLOCKS: u64 = 64;
const MOST_THREADS: u64 = 256;

/// The most strips that one thread is given: where the strips divide badly (a
/// prime number of them), the device's value is left out.
const MOST_STRIPS_A_THREAD: u64 = 1 << 20;

/// The most strips on the emulator, which runs some 10^7 warp instructions a
/// second: a few seconds a row.
const MOST_EMULATED_STRIPS: u64 = 1 << 26;

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

/// Blocks and threads that divide the strips.
fn shape(strips: u64) -> Option<(u32, u32)> {
    let threads = greatest_common_divisor(strips, MOST_THREADS);
    let blocks = greatest_common_divisor(strips / threads, MOST_BLOCKS);
    (strips / threads / blocks <= MOST_STRIPS_A_THREAD).then_some((blocks as u32, threads as u32))
}

fn cell(precision: Precision, strips: u64) -> Key {
    Key {
        precision: Some(precision),
        strips: Some(strips),
        ..Key::default()
    }
}

fn parts(key: &Key) -> Option<(Precision, u64)> {
    Some((key.precision?, key.strips?))
}

fn published_pi(key: &Key) -> String {
    let key = [
        ("precision", optional(key.precision)),
        ("strips", optional(key.strips)),
    ];
    ACCURACY.figure(&key, "pi")
}

/// A value of pi less the true one, two digits.
fn error(pi: Option<f64>) -> String {
    small(pi.map(|pi| pi - std::f64::consts::PI))
}

fn small(value: Option<f64>) -> String {
    value
        .map(|value| format!("{value:.2e}"))
        .unwrap_or_default()
}

impl Table for Accuracy {
    fn name(&self) -> &'static str {
        "accuracy"
    }

    fn columns(&self) -> Vec<Column> {
        let pi = |record: &Record| fixed(record.values.pi, 12);
        let mut columns = vec![
            Column::published("precision", |record| optional(record.key.precision)),
            Column::published("strips", |record| optional(record.key.strips)),
            Column::published("pi", pi),
            Column::ours("error", |record| error(record.values.pi)),
            Column::ours("rule_error", |record| small(record.values.rule_error)),
            Column::ours("predicted_error", |record| {
                small(record.values.predicted_error)
            }),
            Column::ours("host_ms", |record| median(&record.timings.host)),
            Column::ours("host_best_ms", |record| median(&record.timings.host_best)),
            Column::ours("gpu_pi", |record| fixed(record.values.gpu_pi, 12)),
            Column::ours("gpu_error", |record| error(record.values.gpu_pi)),
            Column::ours("gpu_predicted_error", |record| {
                small(record.values.gpu_predicted_error)
            }),
            Column::ours("kernel_ms", |record| median(&record.timings.kernel)),
        ];
        columns.extend(Column::conditions());
        columns.extend(Column::counts());
        columns.extend(Column::outcome());
        columns.push(Column::reference("pi", |record| published_pi(&record.key)));
        columns
    }

    fn cells(&self, selection: &Selection) -> Result<Vec<Key>> {
        if let Some(sizes) = &selection.strips {
            let precisions = if selection.published {
                &PRECISIONS[..2]
            } else {
                &PRECISIONS
            };
            return Ok(precisions
                .iter()
                .flat_map(|&precision| sizes.iter().map(move |&strips| cell(precision, strips)))
                .collect());
        }
        let sizes = (FIRST_EXPONENT..=selection.extent.exponent()).map(|p| 1_u64 << p);
        let all = PRECISIONS
            .iter()
            .flat_map(|&precision| sizes.clone().map(move |strips| cell(precision, strips)));
        Ok(all
            .filter(|key| !selection.published || !published_pi(key).is_empty())
            .collect())
    }

    fn needs_device(&self) -> bool {
        false
    }

    fn fill_from_host(&self, record: &mut Record, host: &mut HostOracle) {
        if let Some((precision, strips)) = parts(&record.key) {
            let (pi, timing) = host.plain(precision, strips);
            record.values.pi = Some(pi);
            record.values.rule_error = Some(quarter_circle::rule_error(strips));
            record.values.predicted_error = Some(running_sum::error_of_one_loop(precision, strips));
            record.timings.host = timing;
            super::fill_best_of_host(record, host);
        }
    }

    fn task(&self, key: &Key) -> Option<Task> {
        let (precision, strips) = parts(key)?;
        let (blocks, threads) = shape(strips)?;
        Some(Task::QuarterCircle {
            precision,
            strips,
            blocks,
            threads,
        })
    }

    fn skipped_on(&self, key: &Key, device: &DeviceInfo) -> Option<String> {
        let strips = key.strips?;
        (device.is_emulated() && strips > MOST_EMULATED_STRIPS).then(|| {
            format!(
                "{strips} strips would take the emulator minutes, it is given up to \
                 {MOST_EMULATED_STRIPS}"
            )
        })
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        let (precision, strips) = parts(&record.key)?;
        let (blocks, threads) = shape(strips)?;
        let partials = u64::from(blocks) * u64::from(threads);
        record.values.gpu_predicted_error =
            Some(running_sum::error_of_partials(precision, strips, partials));
        record.values.gpu_pi = reading
            .total
            .map(|total| quarter_circle::pi(precision, total, strips));
        record.timings.gpu = reading.gpu.clone();
        record.timings.kernel = reading.kernel.clone();
        reading.wrong.clone()
    }

    fn check_host(&self, record: &Record) -> Option<std::result::Result<(), String>> {
        let (precision, strips) = parts(&record.key)?;
        let published = published_pi(&record.key);
        super::judge_pi(record.values.pi?, &published, 12, precision, strips)
    }

    fn summary(&self, _records: &[Record]) -> Vec<String> {
        Vec::new()
    }

    fn notes(&self, records: &[Record]) -> Vec<String> {
        rounding::sentences(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Extent;

    #[test]
    fn the_published_cells_come_in_the_published_order() {
        let selection = Selection {
            published: true,
            ..Selection::default()
        };
        let cells: Vec<(String, String)> = Accuracy
            .cells(&selection)
            .unwrap_or_default()
            .iter()
            .map(|key| (optional(key.precision), optional(key.strips)))
            .collect();
        let published: Vec<(String, String)> = ACCURACY
            .rows()
            .map(|row| {
                (
                    row.text("precision").to_owned(),
                    row.text("strips").to_owned(),
                )
            })
            .collect();
        assert_eq!(cells, published);
    }

    #[test]
    fn the_sizes_end_where_the_extent_says() {
        for (extent, last) in [
            (Extent::Quick, 1 << 20),
            (Extent::Default, 1 << 24),
            (Extent::Full, 1 << 30),
        ] {
            let cells = Accuracy.cells(&Selection {
                extent,
                ..Selection::default()
            });
            let strips = cells
                .unwrap_or_default()
                .iter()
                .filter_map(|key| key.strips)
                .max();
            assert_eq!(strips, Some(last));
        }
    }

    #[test]
    fn the_device_gets_a_shape_that_divides_the_strips() {
        assert_eq!(shape(1 << 24), Some((64, 256)));
        assert_eq!(shape(196608), Some((64, 256)));
        assert_eq!(shape(1000), Some((1, 8)));
        for strips in [1, 7, 1000, 196608, 65536, 999_983] {
            let Some((blocks, threads)) = shape(strips) else {
                panic!("{strips} has no shape")
            };
            assert_eq!(
                strips % (u64::from(blocks) * u64::from(threads)),
                0,
                "{strips}"
            );
        }
        assert_eq!(
            shape(2_147_483_647),
            None,
            "a prime number of strips is one thread's"
        );
    }

    #[test]
    fn sizes_that_take_the_emulator_minutes_are_skipped_there_alone() {
        let device = |kind: &str| DeviceInfo {
            name: String::new(),
            kind: kind.into(),
            compute_capability: "9.0".into(),
            driver: None,
            cuda_version: None,
            ptx_sha256: String::new(),
            ptx_arch: "sm_90".into(),
            rustc: String::new(),
            llvm: String::new(),
            multiprocessors: None,
        };
        let skipped = |exponent: u32, kind| {
            let key = cell(Precision::F32Kahan, 1 << exponent);
            Accuracy.skipped_on(&key, &device(kind)).is_some()
        };
        assert!(skipped(27, quadscan::device::EMULATOR) && skipped(30, quadscan::device::EMULATOR));
        assert!(!skipped(26, quadscan::device::EMULATOR) && !skipped(30, "cuda"));
    }
}
