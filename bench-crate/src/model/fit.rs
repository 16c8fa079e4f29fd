//! Fits the law to the cells of a column: half of them are seen, by a fixed rule,
//! and the median error is that of the others.
//!
//! What is small is an error's logarithm, so that a cell of a microsecond counts as
//! much as one of a second; large errors count by their size and not by their
//! square (pseudo-Huber), so that one bad cell does not bend the law.

use super::law::Law;
use super::machine::Machine;
use super::simplex;
use super::{Constant, Fit, Predicted};
use crate::timing::Timing;

/// A measured cell: blocks, threads, ms.
pub(super) type Cell = (u32, u32, f64);

/// Fewer cells than this tell nothing.
const FEWEST_CELLS: usize = 10;

/// From this relative error on, an error counts by its size.
const ROBUST: f64 = 0.05;

/// The pull of a constant towards its start, for those that the cells do not
/// determine: too weak to be felt by the others.
const PULL: f64 = 0.003;

/// A constant is told by the cells where half of it, or its double, makes the mean
/// error of the seen cells larger by this part of itself,
const TELLING_PART: f64 = 0.2;

/// and by this: what times differ by from run to run.
const TELLING: f64 = 0.001;

/// Below this many partial sums a copy takes its fixed time alone.
const FEW_PARTIALS: u64 = 1 << 14;

/// How the SMs' bounds meet, before the cells say.
const SHARPNESS: f64 = 3.0;

const SHARPNESS_MEANS: &str =
    "how abruptly issue takes over from latency: 1 adds the two, more takes the larger one";
const SHARING_MEANS: &str = "what many blocks on one SM lose beside one large block, as a part";
const FIXED_MEANS: &str = "what every span takes besides: the calls and the start of the copies";

/// The constants of the law that can be fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Free {
    Latency,
    Issue,
    Sharpness,
    Sharing,
    Launch,
    Fixed,
    Partial,
}

impl Free {
    /// Where the constant stands in the law.
    fn of(self, law: &mut Law) -> &mut f64 {
        match self {
            Free::Latency => &mut law.latency_ns,
            Free::Issue => &mut law.issue_ns,
            Free::Sharpness => &mut law.sharpness,
            Free::Sharing => &mut law.sharing,
            Free::Launch | Free::Fixed => &mut law.fixed_us,
            Free::Partial => &mut law.partial_ns,
        }
    }

    /// The least value: all constants are above it.
    fn least(self, base: &Law) -> f64 {
        match self {
            Free::Sharpness => 1.0,
            Free::Fixed => base.fixed_us,
            _ => 0.0,
        }
    }

    fn constant(self, value: f64, determined: bool) -> Constant {
        let (name, unit, meaning) = match self {
            Free::Latency => (
                "latency",
                "ns",
                "a term of a warp that has an SM for itself",
            ),
            Free::Issue => (
                "issue",
                "ns",
                "a term of one warp on an SM that is full of warps",
            ),
            Free::Sharpness => ("sharpness", "", SHARPNESS_MEANS),
            Free::Sharing => ("sharing", "", SHARING_MEANS),
            Free::Launch => ("launch", "us", "what every launch takes besides"),
            Free::Fixed => ("fixed", "us", FIXED_MEANS),
            Free::Partial => ("partial", "ns", "copying one partial sum in and out"),
        };
        Constant {
            name,
            value,
            unit,
            meaning,
            determined,
        }
    }
}

/// Cells in the order in which every second one is seen: by blocks * threads, then
/// by blocks.
pub(super) fn in_order(mut cells: Vec<Cell>) -> Vec<Cell> {
    cells.sort_by_key(|&(blocks, threads, _)| {
        (u64::from(blocks) * u64::from(threads), blocks, threads)
    });
    cells
}

/// The cells that a fit sees; the others it must not feel, not even in its start.
pub(super) fn seen(cells: &[Cell]) -> impl Iterator<Item = &Cell> {
    cells.iter().step_by(2)
}

/// What a fit starts from: read off the cells that it sees, without a fit.
fn start(machine: &Machine, strips: u64, cells: &[Cell]) -> Law {
    let partials = |cell: &Cell| f64::from(cell.0) * f64::from(cell.1);
    let fewest = &cells[0];
    let most = seen(cells).last().unwrap_or(fewest);
    let best = seen(cells).map(|c| c.2).fold(f64::INFINITY, f64::min);
    let latency_ns = fewest.2 * 1e6 * partials(fewest) / strips as f64;
    Law {
        machine: machine.clone(),
        strips,
        latency_ns,
        issue_ns: latency_ns / 12.0,
        sharpness: SHARPNESS,
        sharing: 0.1,
        fixed_us: 100.0 * best,
        partial_ns: most.2 * 1e6 / partials(most),
    }
}

/// Fits the kernel alone: at most five constants. `None` with too few cells.
pub(super) fn kernel(machine: &Machine, strips: u64, cells: &[Cell]) -> Option<(Fit, Law)> {
    let mut free = vec![Free::Latency, Free::Issue, Free::Sharpness, Free::Launch];
    let mut law = start(machine, strips, enough(cells)?);
    law.partial_ns = 0.0;
    let share = |c: &Cell| machine.most_blocks(c.0).min(machine.resident_blocks(c.1)) > 1;
    if seen(cells).any(share) {
        free.push(Free::Sharing);
    } else {
        law.sharing = 0.0;
    }
    Some(fitted("kernel", &free, law, cells))
}

/// Fits the copies of a span around a kernel whose law is known: two constants.
pub(super) fn span(kernel: &Law, cells: &[Cell]) -> Option<(Fit, Law)> {
    let guess = start(&kernel.machine, kernel.strips, enough(cells)?);
    let mut law = kernel.clone();
    law.fixed_us += guess.fixed_us;
    let mut free = vec![Free::Fixed];
    if copies_matter(cells) {
        law.partial_ns = guess.partial_ns;
        free.push(Free::Partial);
    }
    Some(fitted_above("span", &free, kernel, law, cells))
}

/// Fits a span whose kernel was not timed alone: five constants.
pub(super) fn published(machine: &Machine, strips: u64, cells: &[Cell]) -> Option<(Fit, Law)> {
    let mut free = vec![Free::Latency, Free::Issue, Free::Sharpness, Free::Fixed];
    let mut law = start(machine, strips, enough(cells)?);
    law.sharing = 0.0;
    if copies_matter(cells) {
        free.push(Free::Partial);
    } else {
        law.partial_ns = 0.0;
    }
    Some(fitted("published", &free, law, cells))
}

fn enough(cells: &[Cell]) -> Option<&[Cell]> {
    (cells.len() >= FEWEST_CELLS).then_some(cells)
}

fn copies_matter(cells: &[Cell]) -> bool {
    seen(cells).any(|&(blocks, threads, _)| u64::from(blocks) * u64::from(threads) >= FEW_PARTIALS)
}

fn fitted(name: &str, free: &[Free], law: Law, cells: &[Cell]) -> (Fit, Law) {
    let mut nothing = law.clone();
    nothing.fixed_us = 0.0;
    fitted_above(name, free, &nothing, law, cells)
}

/// What is fitted: the free constants of `law`, in logarithms above their least
/// values.
struct Search<'a> {
    free: &'a [Free],
    base: &'a Law,
    law: Law,
    cells: &'a [Cell],
    start: Vec<f64>,
}

impl Search<'_> {
    fn at(&self, x: &[f64]) -> Law {
        let mut law = self.law.clone();
        for (f, x) in self.free.iter().zip(x) {
            *f.of(&mut law) = f.least(self.base) + x.exp();
        }
        law
    }

    fn value(&self, x: &[f64]) -> f64 {
        let law = self.at(x);
        let misses: f64 = seen(self.cells).map(|cell| miss(&law, cell)).sum();
        let pulls = x.iter().zip(&self.start).map(|(x, s)| (x - s).powi(2));
        misses + PULL * pulls.sum::<f64>()
    }

    /// The mean size of the errors of the cells that are seen.
    fn mean_error(&self, x: &[f64]) -> f64 {
        let law = self.at(x);
        let error = |&(blocks, threads, ms): &Cell| (law.ms(blocks, threads) / ms).ln().abs();
        let errors: Vec<f64> = seen(self.cells).map(error).collect();
        errors.iter().sum::<f64>() / errors.len() as f64
    }

    /// Whether the cells tell a constant: with half of it and with its double, all
    /// others fitted anew, the errors grow.
    fn determines(&self, found: &[f64], index: usize) -> bool {
        let least = self.mean_error(found);
        [0.5_f64, 2.0].iter().all(|factor| {
            let held = found[index] + factor.ln();
            let whole = |others: &[f64]| {
                let mut x = others.to_vec();
                x.insert(index, held);
                x
            };
            let mut others = found.to_vec();
            others.remove(index);
            let refitted = simplex::minimum(&others, |others| self.value(&whole(others)));
            let rise = self.mean_error(&whole(&refitted)) - least;
            rise > TELLING_PART * least && rise > TELLING
        })
    }
}

/// Fits the free constants of `law`.
fn fitted_above(name: &str, free: &[Free], base: &Law, mut law: Law, cells: &[Cell]) -> (Fit, Law) {
    let start = free.iter().map(|f| (*f.of(&mut law) - f.least(base)).ln());
    let start = start.collect();
    let search = Search {
        free,
        base,
        law,
        cells,
        start,
    };
    let found = simplex::minimum(&search.start, |x| search.value(x));
    let mut law = search.at(&found);
    let constants = free.iter().enumerate().map(|(index, f)| {
        let least = if *f == Free::Fixed {
            f.least(base)
        } else {
            0.0
        };
        let value = *f.of(&mut law) - least;
        f.constant(value, search.determines(&found, index))
    });
    let constants = constants.collect();
    (scored(name, constants, &law, cells), law)
}

/// How badly the law misses a cell.
pub(super) fn miss(law: &Law, &(blocks, threads, ms): &Cell) -> f64 {
    let error = (law.ms(blocks, threads) / ms).ln() / ROBUST;
    (1.0 + error * error).sqrt() - 1.0
}

fn scored(name: &str, constants: Vec<Constant>, law: &Law, cells: &[Cell]) -> Fit {
    let predicted = |(index, &(blocks, threads, measured_ms)): (usize, &Cell)| Predicted {
        blocks,
        threads,
        measured_ms,
        predicted_ms: law.ms(blocks, threads),
        seen: index % 2 == 0,
    };
    let cells: Vec<Predicted> = cells.iter().enumerate().map(predicted).collect();
    let errors = cells.iter().filter(|cell| !cell.seen);
    let errors = errors.map(|cell| cell.error().abs()).collect();
    let median_error = Timing::from_samples(errors).map(|errors| errors.median_ms);
    Fit {
        name: name.to_owned(),
        constants,
        cells,
        median_error,
        law: law.clone(),
    }
}
