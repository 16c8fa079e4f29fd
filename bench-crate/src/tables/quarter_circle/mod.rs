//! What tables of the quarter circle have in common: a grid's partial sums, measured and compared
//! with the host's, and whether a pi is right.

mod peer;
mod sums;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::host::HostOracle;
use crate::measure::{Bench, Contest};
use crate::oracle::Precision;
use crate::oracle::quarter_circle::{self, Partials};
use crate::record::{Cell, Record};
use crate::table::list::refused;
use crate::table::{Judged, MINUTE};
use crate::timing::device as timing;
use crate::trapezoid::{self, Grid};
use quadscan::Result;
use quadscan::device::{Buffer, Module};

use sums::Sum;

/// The most partial sums: one element each, copied both ways in every span.
const MOST_PARTIALS: u64 = 1 << 26;

/// The oracle's partial sums, each computed once.
#[derive(Default)]
struct Expected {
    /// By precision, strips and number of sums: grids of as many threads have the same ones.
    partials: HashMap<(Precision, u64, u64), Partials>,
}

impl Expected {
    fn of(&mut self, precision: Precision, grid: Grid) -> &Partials {
        let of = || quarter_circle::partials(precision, grid.strips, grid.partials());
        let key = (precision, grid.strips, grid.partials());
        self.partials.entry(key).or_insert_with(of)
    }
}

/// The totals of partial sums, added in order, in their own precision.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    /// Ours.
    pub(super) ours: f64,
    /// The peer's.
    pub(super) nvcc: Option<f64>,
}

/// The grid of a cell that has one.
pub(super) fn grid(cell: &Cell) -> Option<Grid> {
    Some(Grid {
        strips: cell.number("strips")?,
        blocks: cell.small("blocks")?,
        threads: cell.small("threads")?,
    })
}

/// Err when the threads of a cell are too many, or do not divide its strips, which is refused for
/// the reason `why`.
pub(super) fn fits(cell: &Cell, why: &str) -> crate::error::Result<()> {
    let number = |axis| cell.number(axis).unwrap_or(1);
    let [strips, blocks, threads] = ["strips", "blocks", "threads"].map(number);
    let partials = blocks * threads;
    if partials > MOST_PARTIALS {
        let problem = format!(
            "{blocks} with --threads {threads} makes {partials} partial sums, blocks * threads may \
             be 1 to {MOST_PARTIALS}"
        );
        return Err(refused("--blocks", problem));
    }
    if !strips.is_multiple_of(partials) {
        let problem = format!(
            "{strips} is not a multiple of blocks * threads = {blocks} * {threads} = {partials}, \
             and {why}"
        );
        return Err(refused("--strips", problem));
    }
    Ok(())
}

/// Sums on a grid, compares with the host, and times: `gpu` is the page's span (copy in, kernel,
/// copy out), `kernel` the kernel alone, `nvcc_kernel` and `nvcc_dyadic_kernel` the peer's.
pub(super) fn measure(bench: &mut Bench<'_>, precision: Precision, grid: Grid) -> Result<Totals> {
    type Launch<T> = fn(&Module, Grid, &mut Buffer<T>) -> Result<()>;
    let f32s = |launch: Launch<f32>| launch;
    match precision {
        Precision::F64 => sums::<f64>(bench, precision, grid, trapezoid::f64_partials),
        Precision::F32DoubleFloat => {
            sums::<[f32; 2]>(bench, precision, grid, trapezoid::f32_double_float_partials)
        }
        _ => {
            let launch = match precision {
                Precision::F32Pure => f32s(trapezoid::f32_pure_partials),
                Precision::F32Kahan => f32s(trapezoid::f32_kahan_partials),
                Precision::F32Pairwise => f32s(trapezoid::f32_pairwise_partials),
                _ => f32s(trapezoid::f32_partials),
            };
            sums::<f32>(bench, precision, grid, launch)
        }
    }
}

fn sums<T: Sum>(
    bench: &mut Bench<'_>,
    precision: Precision,
    grid: Grid,
    launch: fn(&Module, Grid, &mut Buffer<T>) -> Result<()>,
) -> Result<Totals> {
    let module = bench.module().clone();
    let device = module.device();
    let mut partials = vec![T::zeroed(); grid.partials() as usize];
    let mut buffer = device.alloc_zeroed::<T>(partials.len())?;
    let mut launch = |buffer: &mut Buffer<T>| launch(&module, grid, buffer);
    let (begin, rule) = (Instant::now(), bench.rule());
    if bench.is_timed() {
        let gpu = timing::span(&rule, device, &mut buffer, &mut partials, &mut launch)?;
        bench.put("gpu", gpu);
    } else {
        // Once: every launch gives the same, and no time is asked for or had.
        launch(&mut buffer)?;
        buffer.copy_to(&mut partials)?;
    }
    // Without the oracle's time, which comes next.
    let spent = begin.elapsed();
    let mut totals = Totals {
        ours: T::in_order(&partials, precision),
        nvcc: None,
    };
    bench.same_bits(totals.ours.to_bits());
    if !bench.sampling().checked {
        let expected = bench.kept::<Expected>().of(precision, grid);
        let wrong = T::first_difference(&partials, expected);
        bench.expect(wrong);
    }
    if !bench.is_timed() {
        return Ok(totals);
    }
    let begin = Instant::now() - spent;
    let mut peers = Vec::new();
    if let Some(loaded) = peer::load::<T>(bench, precision, grid, &mut partials)? {
        peers = loaded;
        totals.nvcc = Some(T::in_order(&partials, precision));
    }
    let mut ours = || launch(&mut buffer);
    let mut contest = Contest::default();
    contest.ours("kernel", &mut ours);
    for (metric, peer) in ["nvcc_kernel", "nvcc_dyadic_kernel"].iter().zip(&peers) {
        contest.ours(metric, || peer.launch());
    }
    bench.time_all(&rule.after(begin.elapsed()), contest)?;
    bench.time_cold(&rule.after(begin.elapsed()), &mut ours)?;
    Ok(totals)
}

/// Whether a pi is right: the published text where there is one, else the
/// limit of the rule, where the sum is one that stays near it. `None` where neither
/// knows it.
pub(super) fn judge_pi(
    pi: f64,
    published: &str,
    decimals: usize,
    precision: Precision,
    strips: u64,
) -> Judged {
    if !published.is_empty() {
        let got = format!("{pi:.decimals$}");
        return Some(if got == published {
            Ok(())
        } else {
            Err(format!("pi is {got}, published is {published}"))
        });
    }
    let limit = quarter_circle::trapezoid_limit(strips);
    let bound = rounding_bound(precision, strips)? + 4.0 * (strips as f64).powf(-4.5);
    Some(if (pi - limit).abs() <= bound {
        Ok(())
    } else {
        Err(format!("pi is {pi:.12}, the rule's limit is {limit:.12}"))
    })
}

/// How far rounding can take pi from the rule's limit, where that says anything.
fn rounding_bound(precision: Precision, strips: u64) -> Option<f64> {
    let n = strips as f64;
    // The terms add up to pi / 4 and have at most four roundings each, in f32
    // like those of the sum.
    let f32_units = |units: f64| Some((4.0 + units) * 4.0 * f64::from(f32::EPSILON) / 2.0);
    match precision {
        // n additions of terms that add up to 1: at worst n roundings of it.
        Precision::F64 => Some(4.0 * f64::EPSILON * n),
        Precision::F32 | Precision::F32Pure => None,
        Precision::F32Kahan | Precision::F32DoubleFloat => f32_units(2.0),
        Precision::F32Pairwise => f32_units(n.log2() + 1.0),
    }
}

/// Fills in the time of the host's fastest loop; a result of it that is not right is
/// a remark and no time.
pub(super) fn best_of_host(
    record: &mut Record,
    host: &mut HostOracle,
    (precision, strips): (Precision, u64),
) {
    match host.best(precision, strips) {
        Ok(timing) => record.metrics.put("host_best", timing),
        Err(problem) => record.remarks.push(problem),
    }
}

/// A minute and, for kernels with few threads, thirty launches at 1 us a strip and thread. A
/// device without a timer launches once under each of so many schedules and runs one warp after
/// the other: 10 us a strip and warp.
pub(super) fn patience(grid: Option<Grid>, has_timer: bool, schedules: u64) -> Duration {
    grid.map_or(MINUTE, |grid| {
        let each = grid.strips / grid.partials().max(1);
        let micros = match has_timer {
            true => 30,
            false => 10 * schedules * warps(grid),
        };
        MINUTE + Duration::from_micros(micros * each)
    })
}

/// Strips of a thread on a device with a timer, strips of all warps on one that runs them one
/// after the other.
pub(super) fn weight(cell: &Cell, has_timer: bool) -> f64 {
    grid(cell).map_or(0.0, |grid| {
        let factor = if has_timer { 1 } else { warps(grid) };
        grid.strips as f64 * factor as f64 / grid.partials().max(1) as f64
    })
}

fn warps(grid: Grid) -> u64 {
    u64::from(grid.blocks) * u64::from(grid.threads.div_ceil(32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pi_is_judged_by_the_page_then_by_the_rule_and_else_not_at_all() {
        let judge = |pi, published, precision| judge_pi(pi, published, 3, precision, 1 << 20);
        assert_eq!(judge(3.1421, "3.142", Precision::F32), Some(Ok(())));
        assert_eq!(
            judge(3.1399, "3.142", Precision::F64),
            Some(Err("pi is 3.140, published is 3.142".to_owned()))
        );
        let limit = quarter_circle::trapezoid_limit(1 << 20);
        assert_eq!(judge(limit, "", Precision::F64), Some(Ok(())));
        let wrong = judge(limit + 1e-8, "", Precision::F64);
        assert!(wrong.is_some_and(|wrong| wrong.is_err()));
        assert_eq!(judge(3.0, "", Precision::F32), None);
        for compensated in [
            Precision::F32Kahan,
            Precision::F32Pairwise,
            Precision::F32DoubleFloat,
        ] {
            assert_eq!(judge(limit + 2e-7, "", compensated), Some(Ok(())));
            let wrong = judge(limit + 1e-5, "", compensated);
            assert!(wrong.is_some_and(|wrong| wrong.is_err()), "{compensated}");
        }
    }
}
