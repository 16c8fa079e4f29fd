//! The grid of importance sampling: bins of each axis, narrow where the function is large.
//!
//! Source: Lepage, Adaptive multidimensional integration: VEGAS enhanced, J. Comput. Phys. 439,
//! 2021, section 2.1. What is ours: a block moves an axis, a bin or an edge a thread; sums are in the order of
//! the bins, so that edges have the same bits as on a host.

use cuda_std::{GpuFloat, shared_array, thread};

use super::lanes::scan_in_order;
use super::sizes::BINS;

/// Moves the edges of an axis, so that the squares of the function, weighted, come to more equal sums in
/// the bins; `alpha` says how fast: not at all if it is 0, or where nothing was counted. The histogram is 0
/// again.
///
/// Sums of neighbours are averaged, by 1, 6 and 1; a bin's share s of them all counts as
/// ((1 - s) / ln(1 / s))^alpha.
///
/// # Safety
/// The axis has [`BINS`] numbers in its histogram and one edge more, which are this block's alone. All
/// threads of the block call it; there are [`BINS`] or more.
#[inline(always)]
pub(super) unsafe fn refine(edges: *mut f64, histogram: *mut u64, alpha: f64) {
    let (counts, prefixes) = (shared_array![f64; BINS], shared_array![f64; BINS]);
    let sums = shared_array![f64; 2];
    let bin = thread::thread_idx_x() as usize;
    let is_bin = bin < BINS;
    // SAFETY: the caller's; below the numbers of bins. What a thread wrote others read behind a barrier.
    unsafe {
        let mut square = 0.0;
        if is_bin {
            square = smooth(histogram, bin);
            *prefixes.add(bin) = square;
        }
        thread::sync_threads();
        if bin == 0 {
            *sums = scan_in_order(prefixes, BINS, 0.0);
        }
        thread::sync_threads();
        let all = *sums;
        if is_bin {
            *histogram.wrapping_add(bin) = 0;
            let count = damped(square / all, alpha);
            *counts.add(bin) = count;
            *prefixes.add(bin) = count;
        }
        thread::sync_threads();
        if bin == 0 {
            *sums.add(1) = scan_in_order(prefixes, BINS, 0.0);
        }
        thread::sync_threads();
        let is_moved = is_bin && bin > 0 && moves(all, alpha);
        let mut edge = 0.0;
        if is_moved {
            let wanted = *sums.add(1) / BINS as f64 * bin as f64;
            edge = divided(edges, counts, prefixes, wanted);
        }
        thread::sync_threads();
        if is_moved {
            *edges.wrapping_add(bin) = edge;
        }
    }
}

/// Whether a grid moves at all, where the sums come to so much.
#[inline(always)]
fn moves(all: f64, alpha: f64) -> bool {
    all > 0.0 && alpha > 0.0
}

/// The mean of a bin and its neighbours.
///
/// # Safety
/// There are [`BINS`] squares, and there is such a bin.
#[inline(always)]
unsafe fn smooth(squares: *const u64, bin: usize) -> f64 {
    // SAFETY: the caller's.
    let square = |bin: usize| unsafe { *squares.wrapping_add(bin) } as f64;
    match bin {
        0 => (7.0 * square(0) + square(1)) / 8.0,
        _ if bin == BINS - 1 => (square(bin - 1) + 7.0 * square(bin)) / 8.0,
        _ => (square(bin - 1) + 6.0 * square(bin) + square(bin + 1)) / 8.0,
    }
}

/// What a share of the sums counts.
#[inline(always)]
fn damped(share: f64, alpha: f64) -> f64 {
    if share > 0.0 && share < 1.0 {
        let factor = (share - 1.0) / GpuFloat::ln(share);
        GpuFloat::exp(alpha * GpuFloat::ln(factor))
    } else {
        between(share, 0.0, 1.0)
    }
}

/// The edge below which there is so much of the counts, which are spread evenly in the old bins.
///
/// # Safety
/// There are old edges, and counts of [`BINS`] and what is before each.
#[inline(always)]
unsafe fn divided(old: *const f64, counts: *const f64, prefixes: *const f64, wanted: f64) -> f64 {
    // The first bin at whose end there is as much, or the last one: bit by bit, from the highest.
    let (mut bin, mut bit) = (0, BINS / 2);
    while bit != 0 {
        // SAFETY: the caller's; there are more bins.
        if unsafe { *prefixes.add(bin + bit) } < wanted {
            bin += bit;
        }
        bit /= 2;
    }
    // SAFETY: the caller's; there is such a bin.
    unsafe {
        let (count, before) = (*counts.add(bin), *prefixes.add(bin));
        let (from, to) = (*old.wrapping_add(bin), *old.wrapping_add(bin + 1));
        let share = if count > 0.0 {
            between((wanted - before) / count, 0.0, 1.0)
        } else {
            1.0
        };
        between(GpuFloat::mul_add(to - from, share, from), from, to)
    }
}

/// `f64::clamp`, which may panic.
#[inline(always)]
fn between(x: f64, least: f64, most: f64) -> f64 {
    match () {
        () if x < least => least,
        () if x > most => most,
        () => x,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::scan_in_order;
    use super::super::sizes::{BINS, EDGES};
    use super::{damped, divided, moves, smooth};

    type Edges = [f64; EDGES];

    /// Equal bins between limits.
    fn even(from: f64, to: f64) -> Edges {
        core::array::from_fn(|edge| from + (to - from) * (edge as f64 / BINS as f64))
    }

    /// The edges that a block makes of these, by one thread.
    fn refined(edges: &Edges, squares: &[u64; BINS], alpha: f64) -> Edges {
        // SAFETY: there are as many of all.
        unsafe {
            let smooth: [f64; BINS] = core::array::from_fn(|bin| smooth(squares.as_ptr(), bin));
            let all = scan_in_order({ smooth }.as_mut_ptr(), BINS, 0.0);
            let counts = smooth.map(|square| damped(square / all, alpha));
            let mut prefixes = counts;
            let each = scan_in_order(prefixes.as_mut_ptr(), BINS, 0.0) / BINS as f64;
            let (old, counts, prefixes) = (edges.as_ptr(), counts.as_ptr(), prefixes.as_ptr());
            core::array::from_fn(|edge| match edge {
                0 | BINS => edges[edge],
                _ if !moves(all, alpha) => edges[edge],
                _ => divided(old, counts, prefixes, each * edge as f64),
            })
        }
    }

    #[test]
    fn bins_come_to_have_equal_parts_of_the_function() {
        // A peak that is a Lorentzian, on a floor.
        let of = |x: f64| 1.0 / (1.0 + 400.0 * (x - 0.4) * (x - 0.4)) + 0.01;
        let mut edges = even(0.0, 1.0);
        let parts = |edges: &Edges| -> [f64; BINS] {
            let part = |from: f64, to: f64| of(0.5 * (from + to)) * (to - from);
            core::array::from_fn(|bin| part(edges[bin], edges[bin + 1]))
        };
        for _ in 0..40 {
            // The square of the function times the bin's width, in the units of a histogram.
            let squares = parts(&edges).map(|part| (1e12 * part * part) as u64);
            edges = refined(&edges, &squares, 0.5);
        }
        assert_eq!((edges[0], edges[BINS]), (0.0, 1.0));
        assert!(edges.is_sorted());
        let parts = parts(&edges);
        let mean = parts.iter().sum::<f64>() / BINS as f64;
        let off = |part: &f64| (part / mean - 1.0).abs();
        let worst = parts.iter().map(off).fold(0.0, f64::max);
        assert!(worst < 0.1, "{worst}");
    }

    #[test]
    fn a_grid_stays_where_alpha_is_0_or_nothing_was_counted() {
        // The first bins are empty.
        let (even, squares) = (even(-1.0, 3.0), core::array::from_fn(|bin| bin as u64 / 4));
        assert_eq!(refined(&even, &squares, 0.0), even);
        assert_eq!(refined(&even, &[0; BINS], 1.0), even);
        assert!(refined(&even, &squares, 1.0)[BINS / 2] > even[BINS / 2] + 0.1);
    }
}
