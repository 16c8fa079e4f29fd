//! What the sums of the table `mapping` have to be: the same additions in the same
//! order, one after the other.
//!
//! The heights are those of the midpoints' left ends i / n with a fused `1 - x^2`,
//! scaled by the step once a thread has added its own up; n a power of two up to
//! 2^26 makes each product exact, and then the contiguous mapping has the sums of
//! the published loop ([`super::quarter_circle`]).

use crate::mapping::{Finish, Mapping};

/// The strips of a thread, in the order in which it adds them.
fn strips_of(
    mapping: Mapping,
    strips: u64,
    (blocks, threads): (u64, u64),
    (block, thread): (u64, u64),
) -> Vec<u64> {
    let a_block = strips / blocks;
    let a_thread = a_block / threads;
    let range = |first: u64, end: u64, by: u64| (first..end).step_by(by as usize).collect();
    match mapping {
        Mapping::Contiguous => {
            let first = block * a_block + thread * a_thread;
            range(first, first + a_thread, 1)
        }
        Mapping::Strided => range(block * threads + thread, strips, blocks * threads),
        Mapping::BlockStrided => range(block * a_block + thread, (block + 1) * a_block, threads),
    }
}

/// The sum of each thread, by number of the thread; `blocks * threads` divides the
/// strips.
pub fn partials(mapping: Mapping, strips: u64, blocks: u32, threads: u32) -> Vec<f64> {
    let shape = (u64::from(blocks), u64::from(threads));
    let step = 1.0 / strips as f64;
    let mut sums = Vec::with_capacity(blocks as usize * threads as usize);
    for block in 0..shape.0 {
        for thread in 0..shape.1 {
            let mut sum = 0.0;
            for strip in strips_of(mapping, strips, shape, (block, thread)) {
                let x = strip as f64 * step;
                sum += x.mul_add(-x, 1.0).sqrt();
            }
            sums.push(sum * step);
        }
    }
    sums
}

/// The sum of one value a thread by a tree: the upper half is added to the lower,
/// until one is left. An odd one in the middle waits a round.
fn tree(mut values: Vec<f64>) -> f64 {
    while values.len() > 1 {
        let half = values.len().div_ceil(2);
        let upper = values.split_off(half);
        for (lower, upper) in values.iter_mut().zip(upper) {
            *lower += upper;
        }
    }
    values.first().copied().unwrap_or_default()
}

/// The sum of any number of values by one block: every thread adds up each
/// `threads`-th of them, then the tree.
fn by_one_block(values: &[f64], threads: u32) -> f64 {
    let threads = threads as usize;
    let of_thread = |thread| {
        let its = values.iter().skip(thread).step_by(threads);
        its.fold(0.0, |sum, value| sum + value)
    };
    tree((0..threads).map(of_thread).collect())
}

/// The sum of the threads' sums in the order of a way to finish, on blocks of
/// `threads` threads, and for a second launch on one of `second`. `None` where
/// there is no order.
pub fn total(finish: Finish, partials: &[f64], threads: u32, second: u32) -> Option<f64> {
    match finish {
        Finish::Host => Some(partials.iter().fold(0.0, |sum, partial| sum + partial)),
        Finish::SecondLaunch => Some(by_one_block(partials, second)),
        Finish::SameLaunch => {
            let blocks = partials.chunks(threads as usize);
            let sums: Vec<f64> = blocks.map(|sums| tree(sums.to_vec())).collect();
            Some(by_one_block(&sums, threads))
        }
        Finish::Atomics => None,
    }
}

/// The sum of positive values almost exactly, and how far a sum of them in any
/// order can be from it: n - 1 roundings, each by half an ulp of a sum that never
/// exceeds the last (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
/// edition, section 4.2).
pub fn any_order(values: &[f64]) -> (f64, f64) {
    let (mut sum, mut lost) = (0.0_f64, 0.0);
    for &value in values {
        // Knuth's exact difference between the sum and its rounded value.
        let rounded = sum + value;
        let part = rounded - sum;
        lost += (sum - (rounded - part)) + (value - part);
        sum = rounded;
    }
    let exact = sum + lost;
    let roundings = values.len() as f64;
    (exact, roundings * (f64::EPSILON / 2.0) * exact * 1.01)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::quarter_circle::{self, Partials, Precision};

    #[test]
    fn the_contiguous_mapping_has_the_sums_of_the_published_loop() {
        let ours = partials(Mapping::Contiguous, 1 << 16, 4, 32);
        let published = quarter_circle::partials(Precision::F64, 1 << 16, 128);
        assert_eq!(Partials::F64(ours), published);
    }

    #[test]
    fn every_mapping_and_every_order_is_the_rule() {
        for strips in [3 << 12, 1 << 14] {
            let limit = quarter_circle::trapezoid_limit(strips);
            for &mapping in Mapping::ALL {
                let sums = partials(mapping, strips, 4, 96 / 3);
                let (exact, _) = any_order(&sums);
                let totals = Finish::ALL
                    .iter()
                    .map(|&finish| total(finish, &sums, 32, 64).unwrap_or(exact));
                for total in totals {
                    let pi = quarter_circle::pi(Precision::F64, total, strips);
                    assert!((pi - limit).abs() < 1e-12, "{mapping:?}: {pi} {limit}");
                }
            }
        }
    }

    #[test]
    fn a_tree_adds_the_upper_half_to_the_lower() {
        // (a + d) + ((b + e) and the odd one, c): each order rounds another way.
        let [a, b, c, d, e] = [1e16, 1.0, -1e16, 3.0, 5.0];
        assert_eq!(tree(vec![a, b, c, d, e]), ((a + d) + c) + (b + e));
        assert_eq!(tree(vec![7.0]), 7.0);
        assert_eq!(by_one_block(&[1.0, 2.0, 4.0], 1024), 7.0);
    }

    #[test]
    fn sums_in_any_order_are_within_the_bound_and_wrong_ones_are_not() {
        let values: Vec<f64> = (1..=1000).map(|i| 1.0 / f64::from(i)).collect();
        let (exact, bound) = any_order(&values);
        let forwards: f64 = values.iter().sum();
        let backwards: f64 = values.iter().rev().sum();
        assert_ne!(forwards, backwards, "the order shows");
        assert!((forwards - exact).abs() <= bound && (backwards - exact).abs() <= bound);
        let without_one: f64 = values[..999].iter().sum();
        assert!((without_one - exact).abs() > bound);
    }
}
