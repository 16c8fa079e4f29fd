//! Sobol's sequence of up to 32 dimensions, and its scrambling by a hash.
//!
//! The sequence: Sobol, On the distribution of points in a cube and the approximate evaluation of
//! integrals, 1967; primitive polynomials and direction numbers are Joe and Kuo's (Constructing Sobol
//! sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30, 2008; their file
//! new-joe-kuo-6.21201, read on 2026-11-27). Scrambling: Owen, Randomly permuted (t,m,s)-nets and
//! (t,s)-sequences, 1995, where a bit is flipped by a random function of the bits before it. A hash of
//! the reversed bits is such a function: Laine and Karras, Stratified sampling for stochastic
//! transparency, 2011; Burley, Practical hash-based Owen scrambling, JCGT 9, 2020; this one is
//! Vegdahl's (Building a better LK hash, 2021). Of f(x) = x on 2^12 points its root mean square error
//! is that of Owen's scrambling, where Burley's has 1.5 times as much.

/// A place with its bits in reverse order, scrambled by a key; it has them in their own order then.
#[inline(always)]
pub const fn scrambled(reversed: u32, key: u32) -> u32 {
    let mut x = reversed;
    x ^= x.wrapping_mul(0x3d20_adea);
    x = x.wrapping_add(key);
    x = x.wrapping_mul((key >> 16) | 1);
    x ^= x.wrapping_mul(0x0552_6c56);
    x ^= x.wrapping_mul(0x53a2_2864);
    x.reverse_bits()
}

#[cfg(not(target_os = "cuda"))]
pub use directions::directions;

#[cfg(not(target_os = "cuda"))]
mod directions {
    use crate::monte_carlo::sizes::{DIRECTIONS, MAX_DIMENSIONS};

    /// Of each dimension but the first: the primitive polynomial, a bit a coefficient, and the odd
    /// numbers that the recurrence begins with.
    const OF_DIMENSIONS: [(u32, &[u32]); MAX_DIMENSIONS - 1] = [
        (3, &[1]),
        (7, &[1, 3]),
        (11, &[1, 3, 1]),
        (13, &[1, 1, 1]),
        (19, &[1, 1, 3, 3]),
        (25, &[1, 3, 5, 13]),
        (37, &[1, 1, 5, 5, 17]),
        (41, &[1, 1, 5, 5, 5]),
        (47, &[1, 1, 7, 11, 19]),
        (55, &[1, 1, 5, 1, 1]),
        (59, &[1, 1, 1, 3, 11]),
        (61, &[1, 3, 5, 5, 31]),
        (67, &[1, 3, 3, 9, 7, 49]),
        (91, &[1, 1, 1, 15, 21, 21]),
        (97, &[1, 3, 1, 13, 27, 49]),
        (103, &[1, 1, 1, 15, 7, 5]),
        (109, &[1, 3, 1, 15, 13, 25]),
        (115, &[1, 1, 5, 5, 19, 61]),
        (131, &[1, 3, 7, 11, 23, 15, 103]),
        (137, &[1, 3, 7, 13, 13, 15, 69]),
        (143, &[1, 1, 3, 13, 7, 35, 63]),
        (145, &[1, 3, 5, 9, 1, 25, 53]),
        (157, &[1, 3, 1, 13, 9, 35, 107]),
        (167, &[1, 3, 1, 5, 27, 61, 31]),
        (171, &[1, 1, 5, 11, 19, 41, 61]),
        (185, &[1, 3, 5, 3, 3, 13, 69]),
        (191, &[1, 1, 7, 13, 1, 19, 1]),
        (193, &[1, 3, 7, 5, 13, 19, 59]),
        (203, &[1, 1, 3, 9, 25, 29, 41]),
        (211, &[1, 3, 5, 13, 23, 1, 55]),
        (213, &[1, 3, 7, 3, 13, 59, 17]),
    ];

    /// What each bit of a point's number flips of its places, whose bits are in reverse order: a row
    /// a bit.
    pub fn directions() -> [[u32; MAX_DIMENSIONS]; DIRECTIONS] {
        let mut rows = [[0; MAX_DIMENSIONS]; DIRECTIONS];
        for (bit, row) in rows.iter_mut().enumerate() {
            row[0] = 1 << bit;
        }
        for (axis, (polynomial, first)) in (1..).zip(OF_DIMENSIONS) {
            let degree = first.len();
            let mut numbers = [0; DIRECTIONS];
            numbers[..degree].copy_from_slice(first);
            for bit in degree..DIRECTIONS {
                // Bratley and Fox, Algorithm 659, 1988, equation 2.
                let before = |distance: usize| match polynomial >> (degree - distance) & 1 {
                    0 => 0,
                    _ => numbers[bit - distance] << distance,
                };
                let all = (1..=degree).map(before);
                numbers[bit] = all.fold(numbers[bit - degree], |all, one| all ^ one);
            }
            for (bit, number) in numbers.iter().enumerate() {
                rows[bit][axis] = (number << (31 - bit)).reverse_bits();
            }
        }
        rows
    }

    #[cfg(test)]
    mod tests {
        extern crate std;

        use std::vec;
        use std::vec::Vec;

        use super::{DIRECTIONS, MAX_DIMENSIONS, OF_DIMENSIONS, directions};
        use crate::monte_carlo::philox::{philox, round_keys};
        use crate::monte_carlo::sobol::scrambled;

        type Rows = [[u32; MAX_DIMENSIONS]; DIRECTIONS];

        /// The point of a number, in units of 2^-32, scrambled or not.
        fn place(rows: &Rows, index: u32, axis: usize, key: Option<u32>) -> u32 {
            let rows = rows.iter().enumerate();
            let of = rows.filter(|(bit, _)| index >> bit & 1 == 1);
            let reversed = of.fold(0, |all, (_, row)| all ^ row[axis]);
            key.map_or(reversed.reverse_bits(), |key| scrambled(reversed, key))
        }

        #[test]
        fn polynomials_are_primitive_and_first_numbers_odd_and_small() {
            for (polynomial, first) in OF_DIMENSIONS {
                let degree = polynomial.ilog2();
                assert_eq!(first.len() as u32, degree);
                // The powers of x are all other polynomials before they are 1 again.
                let times_x = |power: u32| match power << 1 {
                    high if high >> degree & 1 == 1 => high ^ polynomial,
                    low => low,
                };
                let mut power = times_x(1);
                let mut order = 1;
                while power != 1 {
                    power = times_x(power);
                    order += 1;
                }
                // x + 1 has degree 1, and x is 1 there.
                assert_eq!(order, (1 << degree) - 1, "{polynomial}");
                for (bit, number) in (1..).zip(first) {
                    assert!(number % 2 == 1 && *number < 1 << bit, "{polynomial}");
                }
            }
        }

        /// Expected: `scipy.stats.qmc.Sobol(32, scramble=False)`, SciPy 1.17.1, whose point 1000 is that of
        /// the number 540 here: the first ten bits of some axes.
        #[test]
        fn points_are_those_of_scipy() {
            let (rows, index) = (directions(), 1000 ^ (1000 >> 1));
            let found = [0, 1, 2, 8, 15, 23, 31].map(|axis| place(&rows, index, axis, None) >> 22);
            assert_eq!(found, [225, 99, 531, 513, 379, 553, 149]);
        }

        /// 2^m points of s dimensions are a (t, m, s)-net, where t is the sum of the degrees less one:
        /// each box of volume 2^(t - m), cut by halving, has 2^t of them.
        #[test]
        fn boxes_have_as_many_points_as_their_volume_scrambled_or_not() {
            let (m, rows) = (8, directions());
            for (axes, t) in [(&[0_usize, 1][..], 0), (&[0, 1, 2], 1), (&[1, 3, 4], 4)] {
                for seed in 0..4 {
                    let words = philox([0; 4], &round_keys(seed));
                    let key = |k: usize| (seed > 0).then_some(words[k]);
                    let points: Vec<Vec<u32>> = (0..1 << m)
                        .map(|index| {
                            let places = axes.iter().enumerate();
                            places
                                .map(|(k, &axis)| place(&rows, index, axis, key(k)))
                                .collect()
                        })
                        .collect();
                    // Bits of all axes but the last; it has the rest.
                    for cut in 0..(m + 1_u32).pow(axes.len() as u32 - 1) {
                        let mut bits: Vec<u32> = (0..axes.len() as u32 - 1)
                            .map(|k| cut / (m + 1).pow(k) % (m + 1))
                            .collect();
                        let all: u32 = bits.iter().sum();
                        let Some(rest) = (m - t).checked_sub(all) else {
                            continue;
                        };
                        bits.push(rest);
                        let mut counts = vec![0; 1 << (m - t)];
                        for point in &points {
                            let cell = point.iter().zip(&bits).fold(0, |cell, (place, &bits)| {
                                cell << bits | (u64::from(*place) >> (32 - bits)) as usize
                            });
                            counts[cell] += 1;
                        }
                        let is_even = counts.iter().all(|count| *count == 1 << t);
                        assert!(is_even, "{axes:?}, seed {seed}, {bits:?}");
                    }
                }
            }
        }

        /// Owen's scrambling of 2^m points has the mean (2^m)^-3 / 12 of the squared error of f(x) = x.
        #[test]
        fn a_scrambled_axis_has_the_error_of_owens() {
            let (m, count, rows) = (8, 2000, directions());
            for axis in [0, 7, 31] {
                let reversed: Vec<u32> = (0..1 << m)
                    .map(|index| place(&rows, index, axis, None).reverse_bits())
                    .collect();
                let error = |seed| {
                    let [key, ..] = philox([axis as u32, 0, 0, 0], &round_keys(seed));
                    let at = |of: &u32| (f64::from(scrambled(*of, key)) + 0.5) / 2.0_f64.powi(32);
                    reversed.iter().map(at).sum::<f64>() / reversed.len() as f64 - 0.5
                };
                let square = |seed| error(seed) * error(seed);
                let mean = (0..count).map(square).sum::<f64>() / count as f64;
                let ratio = (mean * 12.0 * 2.0_f64.powi(3 * m)).sqrt();
                assert!((ratio - 1.0).abs() < 0.1, "axis {axis}: {ratio}");
            }
        }
    }
}
