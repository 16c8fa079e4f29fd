//! From a record to the rows of the table. Pure: what is chosen depends on the record and on
//! the table in use, and on nothing else.
//!
//! - The large kernel's shape: the least geometric mean of its times relative to the best
//!   shape's at each number of elements, larger ones weighing more.
//! - The shapes of the three others together, since they share the smaller arrays: the
//!   least geometric mean of the time of whichever kernel scans so many elements, relative
//!   to the best, weighed in the same way.
//! - Thresholds: where the next kernel becomes the faster one, between two numbers of
//!   elements by linear interpolation in log n.
//!
//! Shapes in use stay unless others are faster by [`MARGIN`]: another shape has other bits
//! of floats. A record has candidates of every class.

use quadscan_kernels::scan::tuning::{MOST_WORKERS, Row, Stream, Thresholds, Tile};

use super::candidate::Algorithm;
use super::record::{Measured, Record};
use crate::grouping::rising;

/// What another shape has to be faster by, as a part: less is not worth other bits.
const MARGIN: f64 = 0.01;

/// From so many elements on the large kernel's times decide its shape; with fewer it is
/// timed to find where it begins to be the fastest.
const LARGE: u64 = 1 << 22;

/// The table that a record gives, where `before` is the one in use.
///
/// # Errors
///
/// Why the record gives none, in words.
pub(super) fn rows(record: &Record, before: &[Row]) -> Result<Vec<Row>, String> {
    check(record)?;
    let lacking = before.iter().filter(|row| class(record, row).is_empty());
    let lacking: Vec<String> = lacking
        .map(|row| format!("{} to {}", row.element, row.result))
        .collect();
    if !lacking.is_empty() {
        let lacking = lacking.join(", ");
        return Err(format!(
            "has no candidates of {lacking} bytes, and the table has a row of each: a record of \
             all classes is needed"
        ));
    }
    let rows = before.iter().map(|row| of_class(&class(record, row), row));
    rows.collect()
}

/// The rows of which a record has candidates.
pub(super) fn present(record: &Record, rows: &[Row]) -> Vec<Row> {
    let has_some = |row: &&Row| !class(record, row).is_empty();
    rows.iter().filter(has_some).copied().collect()
}

/// The candidates of a row's class.
fn class<'r>(record: &'r Record, row: &Row) -> Vec<&'r Measured> {
    let is_of = |one: &&Measured| {
        (one.candidate.element, one.candidate.result) == (row.element, row.result)
    };
    record.candidates.iter().filter(is_of).collect()
}

/// Refuses a record that is no ground for a choice.
fn check(record: &Record) -> Result<(), String> {
    let (major, minor) = record.compute_capability;
    if major < 9 {
        return Err(format!(
            "is of compute capability {major}.{minor}, and the table is that of 9.0"
        ));
    }
    if record.candidates.is_empty() {
        return Err("has no candidates".to_owned());
    }
    for one in &record.candidates {
        for time in &one.times {
            let entry = format!("{} at {} elements", one.candidate.entry, time.n);
            if let Some(wrong) = &time.wrong {
                return Err(format!("{entry} gave wrong results: {wrong}"));
            }
            match time.median_us {
                Some(us) if us > 0.0 && us.is_finite() => {}
                _ => return Err(format!("{entry} has no time")),
            }
        }
    }
    Ok(())
}

fn of_class(class: &[&Measured], before: &Row) -> Result<Row, String> {
    let of = |algorithm: Algorithm| {
        let of = class.iter().copied().filter(|one| {
            let shape = &one.candidate;
            let fits = algorithm != Algorithm::Lookahead || shape.warps <= MOST_WORKERS;
            shape.algorithm == algorithm && !one.times.is_empty() && fits
        });
        let of: Vec<&Measured> = of.collect();
        let (element, result) = (before.element, before.result);
        match of.is_empty() {
            false => Ok(of),
            true => Err(format!(
                "has no times of {algorithm:?} for {element} to {result} bytes"
            )),
        }
    };
    let large = large(&of(Algorithm::Lookahead)?, before)?;
    let small = [
        Algorithm::OneBlock,
        Algorithm::OneWaveSmall,
        Algorithm::OneWave,
    ];
    let [blocks, small, waves] = small.map(of);
    let [block, small, wave] = registers([blocks?, small?, waves?], large, before)?;
    let bytes = |n: f64| (n * before.element as f64).round() as u64;
    let tile = |one: &Measured| Tile {
        warps: one.candidate.warps,
        rows: one.candidate.rows,
    };
    Ok(Row {
        one_block: tile(block),
        one_wave_small: tile(small),
        one_wave: tile(wave),
        lookahead: stream(large),
        sm_90: Thresholds {
            one_wave_small: bytes(threshold(small, &[wave, large])),
            one_wave: bytes(threshold(wave, &[large])),
        },
        ..*before
    })
}

fn stream(one: &Measured) -> Stream {
    Stream {
        workers: one.candidate.warps,
        times: one.candidate.rows,
        delay: one.candidate.delay,
        ahead: one.candidate.ahead,
    }
}

/// The numbers of elements that any of them was timed with, the fewest first.
fn counts(of: &[&Measured]) -> Vec<u64> {
    rising(of.iter().flat_map(|one| &one.times).map(|time| time.n))
}

/// The place of the least of `scores`, natural logarithms; the one in use, where it is
/// among them, unless it is beaten by [`MARGIN`]. Of equal ones the first.
fn best(scores: &[f64], used: Option<usize>) -> Option<usize> {
    let places = 0..scores.len();
    let least = places.min_by(|&a, &b| scores[a].total_cmp(&scores[b]))?;
    match used {
        Some(used) if scores[used] <= scores[least] + MARGIN.ln_1p() => Some(used),
        _ => Some(least),
    }
}

/// The shape of the large kernel.
fn large<'r>(of: &[&'r Measured], before: &Row) -> Result<&'r Measured, String> {
    let mut counts = counts(of);
    counts.retain(|&n| n >= LARGE);
    if counts.is_empty() {
        return Err(format!(
            "has no time of {} from {LARGE} elements on",
            of[0].candidate.entry
        ));
    }
    let mut scores = vec![0.0; of.len()];
    for &n in &counts {
        let time = |one: &&Measured| {
            let missing = || format!("{} has no time at {n} elements", one.candidate.entry);
            one.at(n).ok_or_else(missing)
        };
        let times = of.iter().map(time).collect::<Result<Vec<f64>, String>>()?;
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        for (score, time) in scores.iter_mut().zip(times) {
            *score += weight(n, LARGE) * (time / least).ln();
        }
    }
    let all: f64 = counts.iter().map(|&n| weight(n, LARGE)).sum();
    scores.iter_mut().for_each(|score| *score /= all);
    let used = of.iter().position(|one| stream(one) == before.lookahead);
    let place = best(&scores, used).unwrap_or(0);
    Ok(of[place])
}

/// 1 for the least number of elements, and 1 more for every doubling.
fn weight(n: u64, least: u64) -> f64 {
    f64::from(n.ilog2()) - f64::from(least.ilog2()) + 1.0
}

/// The shapes of the others, given the large kernel's.
fn registers<'r>(
    of: [Vec<&'r Measured>; 3],
    large: &Measured,
    before: &Row,
) -> Result<[&'r Measured; 3], String> {
    let [blocks, small, waves] = of;
    let all: Vec<&Measured> = blocks.iter().chain(&small).chain(&waves).copied().collect();
    let counts = counts(&all);
    let mut sets: Vec<[&Measured; 3]> = Vec::new();
    for &block in &blocks {
        for &few in &small {
            sets.extend(waves.iter().map(|&wave| [block, few, wave]));
        }
    }
    let costs: Vec<Vec<Option<f64>>> = sets
        .iter()
        .map(|set| counts.iter().map(|&n| cost(set, large, n)).collect())
        .collect();
    let mut scores = vec![0.0; sets.len()];
    let weights: Vec<f64> = counts.iter().map(|&n| weight(n, counts[0])).collect();
    for place in 0..counts.len() {
        let at: Vec<Option<f64>> = costs.iter().map(|costs| costs[place]).collect();
        // What no set has a time of tells nothing.
        let Some(least) = at.iter().flatten().copied().reduce(f64::min) else {
            continue;
        };
        for (score, time) in scores.iter_mut().zip(at) {
            *score += weights[place] * time.map_or(f64::INFINITY, |time| (time / least).ln());
        }
    }
    let all: f64 = weights.iter().sum();
    scores.iter_mut().for_each(|score| *score /= all);
    let tiles = [before.one_block, before.one_wave_small, before.one_wave];
    let tile = |one: &Measured| (one.candidate.warps, one.candidate.rows);
    let is_used = |set: &[&Measured; 3]| set.map(tile) == tiles.map(|of| (of.warps, of.rows));
    let used = sets.iter().position(is_used);
    match best(&scores, used) {
        Some(place) if scores[place].is_finite() => Ok(sets[place]),
        _ => Err(format!(
            "has no set of kernels with all times for {} to {} bytes",
            before.element, before.result
        )),
    }
}

/// The time of the kernel that scans `n` elements: one block wherever it has room, else the
/// fastest.
fn cost([block, small, wave]: &[&Measured; 3], large: &Measured, n: u64) -> Option<f64> {
    let others = [small, wave, &large]
        .into_iter()
        .filter_map(|one| one.at(n));
    block.at(n).or_else(|| others.reduce(f64::min))
}

/// Up to how many elements a kernel is faster than all that follow it.
fn threshold(kernel: &Measured, following: &[&Measured]) -> f64 {
    let next = |n: u64| {
        let times = following.iter().filter_map(|one| one.at(n));
        times.reduce(f64::min)
    };
    // How much faster it is, as a logarithm; none where it cannot scan so many.
    let gains = counts(following).into_iter().filter_map(|n| {
        let next = next(n)?;
        Some((n, kernel.at(n).map(|time| (next / time).ln())))
    });
    let gains: Vec<(u64, Option<f64>)> = gains.collect();
    let is_faster = |&(_, gain): &(u64, Option<f64>)| gain.is_some_and(|gain| gain >= 0.0);
    let last = gains.iter().rposition(is_faster);
    let Some(last) = last else {
        return 0.0;
    };
    let (n, gain) = (gains[last].0 as f64, gains[last].1.unwrap_or(0.0));
    match gains.get(last + 1) {
        Some(&(more, Some(loss))) => {
            let part = gain / (gain - loss);
            (n.ln() + part * ((more as f64).ln() - n.ln())).exp()
        }
        // What it has room for ends before, and that ends it too.
        Some(&(more, None)) => more as f64,
        None => n,
    }
}

#[cfg(test)]
#[path = "choose_tests.rs"]
pub(super) mod tests;
