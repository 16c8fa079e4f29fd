//! The quarter circle as fast as this CPU can compute it: every strip's height with a correctly
//! rounded square root, on all cores, in SIMD registers.
//!
//! The opposite of `oracle`, whose loops are the page's and stay slow: here nothing
//! has the page's bits, and the result is held to the rule's limit within a stated
//! bound. A chunk of strips is a task of rayon; within it the heights of many lanes
//! are independent of each other, so that the compiler makes vectors of them, with
//! AVX2 where the CPU has it. AVX-512 is left out: square roots bound this loop, and
//! in 512 bits they came no faster (tried on an Intel Xeon with AVX-512, 2026-11-21).
//! The order of all additions is fixed, so that a result depends neither on
//! the number of cores nor on their instructions.

use rayon::prelude::*;

use crate::oracle::Precision;
use crate::oracle::quarter_circle::rule_error;

/// Strips of a task.
const CHUNK: u64 = 1 << 16;

/// Independent heights: several registers of the widest kind.
const LANES: usize = 32;

/// Additions of one f32 lane before it goes to f64.
const ADDITIONS: u64 = 16;

/// Cores that are used.
pub fn cores() -> usize {
    rayon::current_num_threads()
}

/// Pi from `strips` strips, 1 to 2^31: heights in f64 for [`Precision::F64`], else
/// in f32; sums in f64, of f32 after a few additions.
pub fn pi(precision: Precision, strips: u64) -> f64 {
    let sum = match precision {
        Precision::F64 => sum_of_chunks(strips, heights_f64),
        _ => sum_of_chunks(strips, heights_f32),
    };
    // Half of the term of x = 0, which is 1, is taken off.
    (sum - 0.5) / strips as f64 * 4.0
}

/// How far [`pi`] may be from the rule's limit: each lane's additions, the chunks'
/// and four roundings of a term, all at their worst; and what the asymptotic
/// formula leaves out.
pub fn bound(precision: Precision, strips: u64) -> f64 {
    let n = strips as f64;
    let chunks = n / CHUNK as f64;
    let f64s = 4.0 * f64::EPSILON * ((CHUNK / LANES as u64) as f64 + LANES as f64 + chunks);
    let f32s = match precision {
        Precision::F64 => 0.0,
        _ => 2.0 * f64::from(f32::EPSILON) * (ADDITIONS as f64 + 4.0),
    };
    f64s + f32s + 4.0 * n.powf(-4.5)
}

/// Where a result is not the rule's, in one sentence.
pub fn problem(precision: Precision, strips: u64, pi: f64) -> Option<String> {
    let error = pi - std::f64::consts::PI - rule_error(strips);
    let bound = bound(precision, strips);
    // Not `>`, which is false for what is not a number.
    let near = error.abs() <= bound;
    (!near).then(|| {
        format!(
            "host_best_ms is left out, its loop is wrong: off the rule's limit by {error:.1e}, \
             more than {bound:.1e}"
        )
    })
}

/// The sums of all chunks, added in their order.
fn sum_of_chunks(strips: u64, heights: fn(u64, u64, u64) -> f64) -> f64 {
    let chunks: Vec<f64> = (0..strips.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let first = chunk * CHUNK;
            heights(first, (strips - first).min(CHUNK), strips)
        })
        .collect();
    chunks.iter().sum()
}

/// Makes a function that sums heights, from a body that is compiled a second time
/// for the instructions that most CPUs have by now.
macro_rules! dispatched {
    ($(#[$doc:meta])* fn $name:ident = $body:ident) => {
        $(#[$doc])*
        fn $name(first: u64, count: u64, strips: u64) -> f64 {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2")]
                fn with_avx2(first: u64, count: u64, strips: u64) -> f64 {
                    $body(first, count, strips)
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the CPU has them.
                    return unsafe { with_avx2(first, count, strips) };
                }
            }
            $body(first, count, strips)
        }
    };
}

dispatched! {
    /// The sum of the heights of `count` strips from `first`, in f64.
    fn heights_f64 = lanes_f64
}

dispatched! {
    /// The same with heights in f32.
    fn heights_f32 = lanes_f32
}

#[inline(always)]
fn lanes_f64(first: u64, count: u64, strips: u64) -> f64 {
    let step = 1.0 / strips as f64;
    let height = |i: f64| {
        let x = i * step;
        (1.0 - x * x).sqrt()
    };
    let mut sums = [0.0_f64; LANES];
    let turns = count / LANES as u64;
    for turn in 0..turns {
        let start = (first + turn * LANES as u64) as f64;
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += height(start + lane as f64);
        }
    }
    let rest = first + turns * LANES as u64..first + count;
    sums.iter().sum::<f64>() + rest.map(|i| height(i as f64)).sum::<f64>()
}

#[inline(always)]
fn lanes_f32(first: u64, count: u64, strips: u64) -> f64 {
    let step = 1.0 / strips as f32;
    // A strip's index is below 2^31.
    let height = |i: i32| {
        let x = i as f32 * step;
        (1.0 - x * x).max(0.0).sqrt()
    };
    let mut sums = [0.0_f64; LANES];
    let few = ADDITIONS * LANES as u64;
    let turns = count / few;
    for turn in 0..turns {
        let mut short = [0.0_f32; LANES];
        for addition in 0..ADDITIONS {
            let start = (first + turn * few + addition * LANES as u64) as i32;
            for (lane, sum) in short.iter_mut().enumerate() {
                *sum += height(start + lane as i32);
            }
        }
        for (sum, short) in sums.iter_mut().zip(short) {
            *sum += f64::from(short);
        }
    }
    let rest = first + turns * few..first + count;
    sums.iter().sum::<f64>() + rest.map(|i| f64::from(height(i as i32))).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::quarter_circle;

    /// Less than a register and less than a chunk, on both sides of one, and several.
    const SIZES: [u64; 8] = [16, 31, 1000, 65535, 65536, 65537, 196_608, 1_000_003];

    #[test]
    fn every_size_has_the_rules_limit() {
        for strips in SIZES {
            for precision in [Precision::F64, Precision::F32] {
                let pi = pi(precision, strips);
                assert_eq!(
                    problem(precision, strips, pi),
                    None,
                    "{precision} {strips}: {pi}"
                );
            }
        }
    }

    #[test]
    fn it_sums_the_same_strips_as_the_pages_loop() {
        for strips in [1, 2, 5, 40, 3000] {
            let slow = quarter_circle::plain(Precision::F64, strips);
            let fast = pi(Precision::F64, strips);
            assert!((fast - slow).abs() < 1e-12, "{strips}: {fast} {slow}");
        }
    }

    #[test]
    fn a_strip_too_many_or_too_few_is_noticed() {
        for strips in [1 << 10, 1 << 16] {
            let right = pi(Precision::F64, strips);
            let off = 4.0 / strips as f64;
            assert!(problem(Precision::F64, strips, right + off).is_some());
            assert!(problem(Precision::F64, strips, right - off).is_some());
            assert!(problem(Precision::F32, strips, f64::NAN).is_some());
        }
    }

    #[test]
    fn both_compilations_give_the_same_bits() {
        let (first, count, strips) = (65536, 40_000, 1 << 20);
        let heights = heights_f64(first, count, strips);
        assert_eq!(lanes_f64(first, count, strips), heights);
        let heights = heights_f32(first, count, strips);
        assert_eq!(lanes_f32(first, count, strips), heights);
    }
}
