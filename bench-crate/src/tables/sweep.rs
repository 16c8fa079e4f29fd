//! `sweep-f64` and `sweep-f32`: the page's kernel over grids and blocks, with its
//! time, its pi, and the host's time beside it.
//!
//! Each thread sums a contiguous sub-range, so blocks * threads has to divide the
//! strips; the page's integer division drops what is left over, and this program
//! refuses such sizes. In `sweep-f32` the column `pi` is computed by the page's
//! formula, whose last correction is off by 2^-7 (see
//! [`quarter_circle::pi_as_published_f32`]), and `pi_corrected` without the slip.

mod compared;
mod words;

use std::sync::LazyLock;

use super::column::{Column, fixed, median, noise, optional, sample};
use super::matrix::Matrix;
use super::published::{self, Published, Row};
use super::{Extent, Selection, Table};
use crate::bench::host_oracle::HostOracle;
use crate::error::{Error, Result};
use crate::export::number;
use crate::oracle::{Precision, quarter_circle};
use crate::record::{Key, Record, Status};
use crate::worker::protocol::{Reading, Task};

/// One of the two sweeps.
pub struct Sweep {
    name: &'static str,
    precision: Precision,
    published: &'static LazyLock<Published>,
    columns: fn(&'static Published) -> Vec<Column>,
    decimals: usize,
}

/// `sweep-f64`.
pub static SWEEP_F64: Sweep = Sweep {
    name: "sweep-f64",
    precision: Precision::F64,
    published: &published::SWEEP_F64,
    columns: columns_f64,
    decimals: 12,
};

/// `sweep-f32`.
pub static SWEEP_F32: Sweep = Sweep {
    name: "sweep-f32",
    precision: Precision::F32,
    published: &published::SWEEP_F32,
    columns: columns_f32,
    decimals: SLIP_DECIMALS,
};

/// Strips of the published sweeps.
const STRIPS: u64 = 65536 * 256;

/// Decimals of the page's f32 pi.
const SLIP_DECIMALS: usize = 6;

/// The most partial sums: one element each, copied both ways in every span.
pub const MOST_PARTIALS: u64 = 1 << 26;

fn blocks(record: &Record) -> String {
    optional(record.key.blocks)
}

fn threads(record: &Record) -> String {
    optional(record.key.threads)
}

fn shape_of(key: &Key) -> [(&'static str, String); 2] {
    [
        ("blocks", optional(key.blocks)),
        ("threads", optional(key.threads)),
    ]
}

/// The published figures of all columns but the keys.
fn references(published: &'static Published) -> impl Iterator<Item = Column> {
    published.columns()[2..].iter().map(move |name| {
        let column = name.clone();
        Column::reference(name, move |record| {
            // The page has one number of strips.
            if record.key.strips == Some(STRIPS) {
                published.figure(&shape_of(&record.key), &column)
            } else {
                String::new()
            }
        })
    })
}

fn columns_f64(published: &'static Published) -> Vec<Column> {
    let mut columns = vec![
        Column::published("blocks", blocks),
        Column::published("threads", threads),
        Column::published("gpu_ms", |record| median(&record.timings.gpu)),
        Column::published("host_ms", |record| median(&record.timings.host)),
        Column::ours("host_best_ms", |record| median(&record.timings.host_best)),
        Column::ours("strips", |record| optional(record.key.strips)),
        Column::ours("kernel_ms", |record| median(&record.timings.kernel)),
        Column::ours("kernel_noise_percent", |record| {
            noise(&record.timings.kernel)
        })
        .detail(),
        Column::ours("inverse_time_per_thread", inverse_time_per_thread).detail(),
        Column::ours("nvcc_kernel_ms", |record| {
            median(&record.timings.nvcc_kernel)
        }),
        Column::ours("nvcc_dyadic_kernel_ms", |record| {
            median(&record.timings.nvcc_dyadic_kernel)
        }),
        Column::ours("pi", |record| fixed(record.values.pi, 12)),
        Column::ours("host_pi", |record| fixed(record.values.host_pi, 12)),
        Column::ours("nvcc_pi", |record| fixed(record.values.nvcc_pi, 12)).detail(),
    ];
    columns.extend(Column::conditions());
    columns.extend(Column::counts());
    columns.extend(Column::outcome());
    columns.extend(references(published));
    columns
}

/// 1000 / (ms * blocks * threads), from the span's median.
fn inverse_time_per_thread(record: &Record) -> String {
    let inverse = || {
        let parts = f64::from(record.key.blocks?) * f64::from(record.key.threads?);
        let ms = record.timings.gpu.as_ref()?.median_ms;
        (ms > 0.0).then_some(1000.0 / (ms * parts))
    };
    inverse().map(number::significant).unwrap_or_default()
}

fn columns_f32(published: &'static Published) -> Vec<Column> {
    let mut columns = vec![
        Column::published("blocks", blocks),
        Column::published("threads", threads),
    ];
    for index in 0..5 {
        let gpu = move |record: &Record| sample(&record.timings.gpu, index);
        let host = move |record: &Record| sample(&record.timings.host, index);
        columns.push(Column::published(format!("gpu_ms_{}", index + 1), gpu).detail());
        columns.push(Column::published(format!("cpu_ms_{}", index + 1), host).detail());
    }
    columns.extend([
        Column::published("pi", |record| fixed(record.values.pi, 6)),
        Column::published("inverse_time_per_thread", inverse_time_per_thread).detail(),
        Column::ours("pi_corrected", |record| {
            fixed(record.values.pi_corrected, 6)
        }),
        Column::ours("strips", |record| optional(record.key.strips)),
        Column::ours("gpu_ms", |record| median(&record.timings.gpu)),
        Column::ours("kernel_ms", |record| median(&record.timings.kernel)),
        Column::ours("kernel_noise_percent", |record| {
            noise(&record.timings.kernel)
        })
        .detail(),
        Column::ours("nvcc_kernel_ms", |record| {
            median(&record.timings.nvcc_kernel)
        }),
        Column::ours("nvcc_dyadic_kernel_ms", |record| {
            median(&record.timings.nvcc_dyadic_kernel)
        }),
        Column::ours("host_ms", |record| median(&record.timings.host)),
        Column::ours("host_best_ms", |record| median(&record.timings.host_best)),
        Column::ours("host_pi", |record| fixed(record.values.host_pi, 6)),
        Column::ours("host_pi_corrected", |record| {
            fixed(record.values.host_pi_corrected, 6)
        }),
        Column::ours("nvcc_pi", |record| fixed(record.values.nvcc_pi, 6)).detail(),
    ]);
    columns.extend(Column::conditions());
    columns.extend(Column::counts());
    columns.extend(Column::outcome());
    columns.extend(references(published).map(|column| {
        if column.name == "published_pi" {
            column
        } else {
            column.detail()
        }
    }));
    columns
}

/// blocks, threads, strips.
fn parts(key: &Key) -> Option<(u32, u32, u64)> {
    Some((key.blocks?, key.threads?, key.strips?))
}

fn shape_of_row(row: &Row<'_>) -> Option<(u32, u32)> {
    Some((row.number("blocks")?, row.number("threads")?))
}

/// The values without repetition, in order of size.
fn distinct(values: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut values: Vec<u32> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

impl Sweep {
    /// The published cells, or the cross of the lists; a list that is not given
    /// holds the published numbers.
    fn shapes(&self, selection: &Selection) -> Vec<(u32, u32)> {
        let published: Vec<(u32, u32)> = self
            .published
            .rows()
            .filter_map(|row| shape_of_row(&row))
            .collect();
        if selection.blocks.is_none() && selection.threads.is_none() {
            return published;
        }
        let blocks = selection
            .blocks
            .clone()
            .unwrap_or_else(|| distinct(published.iter().map(|shape| shape.0)));
        let threads = selection
            .threads
            .clone()
            .unwrap_or_else(|| distinct(published.iter().map(|shape| shape.1)));
        blocks
            .iter()
            .flat_map(|&b| threads.iter().map(move |&t| (b, t)))
            .collect()
    }

    fn cell(&self, blocks: u32, threads: u32, strips: u64) -> Result<Key> {
        let partials = u64::from(blocks) * u64::from(threads);
        if partials > MOST_PARTIALS {
            return Err(Error::Argument {
                argument: "--blocks".into(),
                problem: format!(
                    "{blocks} with --threads {threads} makes {partials} partial sums, \
                     blocks * threads may be 1 to {MOST_PARTIALS}"
                ),
            });
        }
        if !strips.is_multiple_of(partials) {
            return Err(Error::Argument {
                argument: "--strips".into(),
                problem: format!(
                    "{strips} is not a multiple of blocks * threads = {blocks} * {threads} = \
                     {partials}, and {} refuses such a size because the page's integer division \
                     would drop {} strips",
                    self.name,
                    strips % partials
                ),
            });
        }
        Ok(Key {
            precision: Some(self.precision),
            strips: Some(strips),
            blocks: Some(blocks),
            threads: Some(threads),
            ..Key::default()
        })
    }

    /// The table's `pi` and the right one, from the total of the partial sums.
    fn pi(&self, total: f64, strips: u64) -> (f64, f64) {
        let corrected = quarter_circle::pi(self.precision, total, strips);
        let published = match self.precision {
            Precision::F64 => corrected,
            _ => quarter_circle::pi_as_published_f32(total, strips),
        };
        (published, corrected)
    }
}

impl Table for Sweep {
    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> Vec<Column> {
        self.columns_of(&[])
    }

    fn columns_of(&self, records: &[Record]) -> Vec<Column> {
        let mut columns = (self.columns)(self.published);
        columns.extend(compared::with_the_page(self.precision, self.published));
        columns.extend(compared::with_the_model(self.name, records));
        columns
    }

    fn matrices(&self, records: &[Record]) -> Vec<Matrix> {
        words::matrices(self, records)
    }

    fn notes(&self, records: &[Record]) -> Vec<String> {
        words::notes(self, records)
    }

    fn cells(&self, selection: &Selection) -> Result<Vec<Key>> {
        let default = match selection.extent {
            Extent::Quick => vec![1 << 20],
            Extent::Default | Extent::Full => vec![STRIPS],
        };
        let sizes = selection.strips.clone().unwrap_or(default);
        let shapes = self.shapes(selection);
        sizes
            .iter()
            .flat_map(|&strips| shapes.iter().map(move |&(b, t)| self.cell(b, t, strips)))
            .collect()
    }

    fn has_peer(&self) -> bool {
        true
    }

    fn fill_from_host(&self, record: &mut Record, host: &mut HostOracle) {
        if let Some((blocks, threads, strips)) = parts(&record.key) {
            record.timings.host = host.range_loop_time(self.precision, strips);
            super::fill_best_of_host(record, host);
            let partials = u64::from(blocks) * u64::from(threads);
            let total = host.total(self.precision, strips, partials);
            let (pi, corrected) = self.pi(total, strips);
            record.values.host_pi = Some(pi);
            if self.precision != Precision::F64 {
                record.values.host_pi_corrected = Some(corrected);
            }
        }
    }

    fn task(&self, key: &Key) -> Option<Task> {
        let (blocks, threads, strips) = parts(key)?;
        Some(Task::QuarterCircle {
            precision: self.precision,
            strips,
            blocks,
            threads,
        })
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        let strips = record.key.strips?;
        if let Some(total) = reading.total {
            let (pi, corrected) = self.pi(total, strips);
            record.values.pi = Some(pi);
            if self.precision != Precision::F64 {
                record.values.pi_corrected = Some(corrected);
            }
        }
        record.values.nvcc_pi = reading.nvcc_total.map(|total| self.pi(total, strips).0);
        record.timings.gpu = reading.gpu.clone();
        record.timings.kernel = reading.kernel.clone();
        record.timings.nvcc_kernel = reading.nvcc_kernel.clone();
        record.timings.nvcc_dyadic_kernel = reading.nvcc_dyadic_kernel.clone();
        reading.wrong.clone()
    }

    fn check_host(&self, record: &Record) -> Option<std::result::Result<(), String>> {
        let pi = record.values.host_pi?;
        let strips = record.key.strips?;
        // The page has one number of strips.
        let published = if strips == STRIPS {
            self.published.figure(&shape_of(&record.key), "pi")
        } else {
            String::new()
        };
        super::judge_pi(pi, &published, self.decimals, self.precision, strips)
    }

    fn summary(&self, records: &[Record]) -> Vec<String> {
        let best = |time: fn(&Record) -> Option<f64>| {
            records
                .iter()
                .filter(|record| record.status == Status::Ok)
                .filter_map(|record| Some((time(record)?, record)))
                .min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let place = |record: &Record| format!("{}x{}", blocks(record), threads(record));
        let Some((ours, at)) = best(|r| Some(r.timings.kernel.as_ref()?.median_ms)) else {
            return Vec::new();
        };
        let mut line = format!(
            "{}: best kernel {} ms at {}",
            self.name,
            number::milliseconds(ours),
            place(at)
        );
        let mut compare = |what: &str, time: fn(&Record) -> Option<f64>| {
            if let Some((theirs, at)) = best(time) {
                line.push_str(&format!(
                    ", {what} {} ms at {}, ratio {:.3}",
                    number::milliseconds(theirs),
                    place(at),
                    ours / theirs
                ));
            }
        };
        compare("nvcc's best", |r| {
            Some(r.timings.nvcc_kernel.as_ref()?.median_ms)
        });
        compare("nvcc's with our algorithm", |r| {
            Some(r.timings.nvcc_dyadic_kernel.as_ref()?.median_ms)
        });
        vec![line]
    }
}
