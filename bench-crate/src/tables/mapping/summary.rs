//! What the rows of `mapping` say: the fastest and the slowest way, what each choice
//! does to the speed, what shared memory's banks cost, and which ways repeat.
//!
//! A choice is weighed between rows that differ in it alone; the median of their
//! ratios is told. Everything comes from the rows.

use super::{OTHER_SCHEDULES, common, way};
use crate::mapping::{Finish, Mapping, Partials, Way};
use crate::number;
use crate::record::{Record, Status};

/// A number of a row, where it has it.
type Value = fn(&Record) -> Option<f64>;

const GPU: Value = |row| row.ms("gpu");
const KERNEL: Value = |row| row.ms("kernel");

/// The rows that ended well, with their ways.
type Rows<'a> = Vec<(Way, &'a Record)>;

/// The lines under the table.
pub(super) fn lines(records: &[Record]) -> Vec<String> {
    let rows: Rows<'_> = records
        .iter()
        .filter(|record| record.status == Status::Ok)
        .filter_map(|record| Some((way(&record.cell)?, record)))
        .collect();
    let mut lines = Vec::new();
    lines.extend(extremes(&rows));
    let of_mapping = |way: Way, mapping| Way { mapping, ..way };
    let of_partials = |way: Way, partials| Way { partials, ..way };
    let of_finish = |way: Way, finish| Way { finish, ..way };
    lines.extend(choice(
        ("kernel_ms", KERNEL, Mapping::name),
        &rows,
        Mapping::ALL,
        of_mapping,
    ));
    lines.extend(choice(
        ("kernel_ms", KERNEL, Partials::name),
        &rows,
        Partials::ALL,
        of_partials,
    ));
    lines.extend(choice(
        ("gpu_ms", GPU, Finish::name),
        &rows,
        Finish::ALL,
        of_finish,
    ));
    lines.extend(conflicts(&rows));
    lines.extend(repetition(&rows));
    lines
        .into_iter()
        .map(|line| format!("mapping: {line}"))
        .collect()
}

fn describe(way: Way) -> String {
    let Way {
        mapping,
        partials,
        finish,
    } = way;
    format!("{}, {}, {}", mapping.name(), partials.name(), finish.name())
}

/// The fastest and the slowest way until the host has the sum.
fn extremes(rows: &Rows<'_>) -> Option<String> {
    let times = || rows.iter().filter_map(|(way, row)| Some((GPU(row)?, *way)));
    let (least, best) = times().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (most, worst) = times().max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(format!(
        "the sum is there soonest with {} ({} ms), latest with {} ({} ms)",
        describe(best),
        number::milliseconds(least),
        describe(worst),
        number::milliseconds(most)
    ))
}

/// The middle one of some numbers.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = (values.len().checked_sub(1)? / 2, values.len() / 2);
    Some(f64::midpoint(values[low], values[high]))
}

/// What a choice does to a time: each of `all` against the first, between rows that
/// are otherwise the same; `with` makes a way's choice another.
fn choice<T: Copy>(
    (unit, value, name): (&str, Value, fn(T) -> &'static str),
    rows: &Rows<'_>,
    all: &[T],
    with: fn(Way, T) -> Way,
) -> Option<String> {
    let (&base, others) = all.split_first()?;
    let ratio = |other: T| {
        let pairs = rows.iter().filter_map(|(way, row)| {
            let is_based = with(*way, base) == *way;
            let shape = |row: &Record| common::grid(&row.cell);
            let partner = rows.iter().find(|(partner, candidate)| {
                *partner == with(*way, other) && shape(candidate) == shape(row)
            });
            let (_, partner) = partner.filter(|_| is_based)?;
            Some(value(partner)? / value(row)?)
        });
        Some(format!("{} {:.2}", name(other), median(pairs.collect())?))
    };
    let ratios: Option<Vec<String>> = others.iter().map(|&other| ratio(other)).collect();
    Some(format!(
        "{unit} against {}, median of rows alike: {}",
        name(base),
        ratios?.join(", ")
    ))
}

/// How many wavefronts shared memory took, against the fewest.
fn conflicts(rows: &Rows<'_>) -> Option<String> {
    let ratio = |partials: Partials| {
        // Where the host adds, all of shared memory is for running sums.
        let of = rows
            .iter()
            .filter(|(way, _)| (way.partials, way.finish) == (partials, Finish::Host));
        let counts = of.filter_map(|(_, row)| row.counts.as_ref());
        let (took, ideal) = counts.fold((0, 0), |(took, ideal), counts| {
            (
                took + counts.shared_wavefronts.unwrap_or_default(),
                ideal + counts.ideal_shared_wavefronts.unwrap_or_default(),
            )
        });
        (ideal > 0).then(|| took as f64 / ideal as f64)
    };
    Some(format!(
        "shared memory takes {:.2} of the fewest wavefronts with the words of a warp next to \
         each other, {:.2} with them in one pair of banks",
        ratio(Partials::Shared)?,
        ratio(Partials::SharedConflicts)?
    ))
}

/// Which finishes gave the same bits again.
fn repetition(rows: &Rows<'_>) -> Option<String> {
    let told: Vec<String> = Finish::ALL
        .iter()
        .filter_map(|&finish| {
            let of = rows.iter().filter(|(way, _)| way.finish == finish);
            let all: Vec<bool> = of
                .filter_map(|(_, row)| row.metrics.flag("repeats"))
                .collect();
            let yes = all.iter().filter(|&&repeats| repeats).count();
            (!all.is_empty()).then(|| format!("{} in {yes} of {} rows", finish.name(), all.len()))
        })
        .collect();
    let is_emulated = rows.iter().any(|(_, row)| {
        row.device
            .as_ref()
            .is_some_and(|device| device.is_emulated())
    });
    let how = if is_emulated {
        format!(" under {} orders of warps and blocks", 1 + OTHER_SCHEDULES)
    } else {
        String::new()
    };
    (!told.is_empty()).then(|| format!("the digits repeat{how}: {}", told.join(", ")))
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
