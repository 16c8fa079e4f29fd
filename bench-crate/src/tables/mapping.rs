//! `mapping`: the page's other questions. Which thread gets which strip, where it
//! keeps its running sum, who adds the sums up: every way on one grid, with its time,
//! its digits, and whether they repeat.
//!
//! Three mappings, four places, four finishes: all 48 ways. 2^20 strips on the shape
//! that was the fastest on the page's Tesla, 64 blocks of 256 threads, so that the
//! emulator has them all within seconds; `--full` goes to the page's 2^24.
//!
//! Nothing of it was published. `gpu_ms` is from before the first launch until the
//! host has the sum: launches, the clearing of a total that atomics add to, and the
//! copy of what the host needs, which are all sums of threads or one total.

use std::fmt::Display;

use super::column::{Column, fixed, median, optional};
use super::sweep::MOST_PARTIALS;
use super::{Extent, Selection, Table, judge_pi, mapping_summary};
use crate::error::{Error, Result};
use crate::mapping::{Finish, Mapping, Partials, Way};
use crate::oracle::{Precision, quarter_circle};
use crate::record::{Key, Record};
use crate::worker::protocol::{Reading, Task};

/// The table.
pub struct MappingTable;

/// Strips of the table, and of its `--full` form.
const STRIPS: u64 = 1 << 20;
const FULL_STRIPS: u64 = 1 << 24;

/// The page's fastest shape in f64.
const BLOCKS: u32 = 64;
const THREADS: u32 = 256;

/// Counts that are worth a column on a terminal here: what a place costs.
const SHOWN: [&str; 4] = [
    "shared_wavefronts",
    "ideal_shared_wavefronts",
    "global_sectors",
    "ideal_global_sectors",
];

/// The way of a row.
pub(super) fn way(key: &Key) -> Option<Way> {
    Some(Way {
        mapping: Mapping::by_name(key.mapping.as_deref()?)?,
        partials: Partials::by_name(key.partials.as_deref()?)?,
        finish: Finish::by_name(key.finish.as_deref()?)?,
    })
}

/// All ways, in the order of the rows.
fn ways() -> impl Iterator<Item = Way> {
    Mapping::ALL.iter().flat_map(|&mapping| {
        Partials::ALL.iter().flat_map(move |&partials| {
            Finish::ALL.iter().map(move |&finish| Way {
                mapping,
                partials,
                finish,
            })
        })
    })
}

fn refused(argument: &str, problem: impl Display) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem: problem.to_string(),
    }
}

/// Err when the threads do not share the strips, or are too many.
fn check(strips: u64, blocks: u32, threads: u32) -> Result<()> {
    let all = u64::from(blocks) * u64::from(threads);
    if all > MOST_PARTIALS {
        return Err(refused(
            "--blocks",
            format!(
                "{blocks} with --threads {threads} makes {all} partial sums, blocks * threads \
                 may be 1 to {MOST_PARTIALS}"
            ),
        ));
    }
    if !strips.is_multiple_of(all) {
        return Err(refused(
            "--strips",
            format!(
                "{strips} is not a multiple of blocks * threads = {blocks} * {threads} = {all}, \
                 and in mapping every thread has as many strips as the others"
            ),
        ));
    }
    Ok(())
}

fn cell(way: Way, strips: u64, blocks: u32, threads: u32) -> Key {
    Key {
        mapping: Some(way.mapping.name().to_owned()),
        partials: Some(way.partials.name().to_owned()),
        finish: Some(way.finish.name().to_owned()),
        strips: Some(strips),
        blocks: Some(blocks),
        threads: Some(threads),
        ..Key::default()
    }
}

/// What the sum lost to rounding: pi less what exact sums give.
fn rounding(record: &Record) -> String {
    let lost = || {
        let limit = quarter_circle::trapezoid_limit(record.key.strips?);
        Some(record.values.pi? - limit)
    };
    lost().map(|lost| format!("{lost:.1e}")).unwrap_or_default()
}

fn repeats(record: &Record) -> String {
    let word = |repeats| if repeats { "yes" } else { "no" };
    optional(record.values.repeats.map(word))
}

impl Table for MappingTable {
    fn name(&self) -> &'static str {
        "mapping"
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::ours("mapping", |record| optional(record.key.mapping.clone())),
            Column::ours("partials", |record| optional(record.key.partials.clone())),
            Column::ours("finish", |record| optional(record.key.finish.clone())),
            Column::ours("strips", |record| optional(record.key.strips)),
            Column::ours("blocks", |record| optional(record.key.blocks)),
            Column::ours("threads", |record| optional(record.key.threads)),
            Column::ours("gpu_ms", |record| median(&record.timings.gpu)),
            Column::ours("kernel_ms", |record| median(&record.timings.kernel)),
            Column::ours("pi", |record| fixed(record.values.pi, 15)),
            Column::ours("rounding_error", rounding),
            Column::ours("repeats", repeats),
        ];
        columns.extend(Column::conditions());
        columns.extend(Column::counts().map(|column| Column {
            detail: column.detail && !SHOWN.contains(&column.name.as_str()),
            ..column
        }));
        columns.extend(Column::outcome());
        columns
    }

    fn cells(&self, selection: &Selection) -> Result<Vec<Key>> {
        let default = match selection.extent {
            Extent::Quick | Extent::Default => STRIPS,
            Extent::Full => FULL_STRIPS,
        };
        let sizes = selection.strips.clone().unwrap_or(vec![default]);
        let blocks = selection.blocks.clone().unwrap_or(vec![BLOCKS]);
        let threads = selection.threads.clone().unwrap_or(vec![THREADS]);
        let mut cells = Vec::new();
        for &strips in &sizes {
            for &blocks in &blocks {
                for &threads in &threads {
                    check(strips, blocks, threads)?;
                    cells.extend(ways().map(|way| cell(way, strips, blocks, threads)));
                }
            }
        }
        Ok(cells)
    }

    fn is_published(&self) -> bool {
        false
    }

    fn is_usual(&self) -> bool {
        true
    }

    fn task(&self, key: &Key) -> Option<Task> {
        Some(Task::Mapping {
            way: way(key)?,
            strips: key.strips?,
            blocks: key.blocks?,
            threads: key.threads?,
        })
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        let strips = record.key.strips?;
        let pi = quarter_circle::pi(Precision::F64, reading.total?, strips);
        record.values.pi = Some(pi);
        record.values.repeats = reading.repeats;
        record.timings.gpu = reading.gpu.clone();
        record.timings.kernel = reading.kernel.clone();
        let is_far = || judge_pi(pi, "", 15, Precision::F64, strips)?.err();
        reading.wrong.clone().or_else(is_far)
    }

    fn summary(&self, records: &[Record]) -> Vec<String> {
        mapping_summary::lines(records)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(selection: Selection) -> std::result::Result<Vec<Key>, String> {
        let cells = MappingTable.cells(&selection);
        cells.map_err(|error| error.to_string())
    }

    #[test]
    fn every_way_is_a_row_of_one_shape() {
        let cells = cells(Selection::default()).unwrap_or_default();
        assert_eq!(cells.len(), 3 * 4 * 4);
        let mut ways: Vec<Way> = cells.iter().filter_map(way).collect();
        ways.dedup();
        assert_eq!(ways.len(), 48, "each row has a way of its own");
        assert!(
            cells.iter().all(|key| key.strips == Some(1 << 20)
                && (key.blocks, key.threads) == (Some(64), Some(256)))
        );
    }

    #[test]
    fn lists_take_the_place_of_the_size_and_the_shape() {
        let all = cells(Selection {
            strips: Some(vec![3 << 12]),
            blocks: Some(vec![4, 8]),
            threads: Some(vec![96]),
            ..Selection::default()
        });
        let all = all.unwrap_or_default();
        assert_eq!(all.len(), 2 * 48);
        assert_eq!(all[48].blocks, Some(8));
        let full = cells(Selection {
            extent: Extent::Full,
            ..Selection::default()
        });
        assert_eq!(full.unwrap_or_default()[0].strips, Some(1 << 24));
    }

    #[test]
    fn shapes_that_do_not_share_the_strips_are_refused() {
        let of = |strips, blocks, threads| {
            cells(Selection {
                strips: Some(vec![strips]),
                blocks: Some(vec![blocks]),
                threads: Some(vec![threads]),
                ..Selection::default()
            })
        };
        assert_eq!(
            of(1000, 3, 32).err().as_deref(),
            Some(
                "--strips 1000 is not a multiple of blocks * threads = 3 * 32 = 96, and in \
                 mapping every thread has as many strips as the others"
            )
        );
        let many = of(1 << 31, 1 << 21, 1024).err().unwrap_or_default();
        assert!(
            many.starts_with("--blocks 2097152 with --threads 1024 makes 2147483648"),
            "{many}"
        );
    }
}
