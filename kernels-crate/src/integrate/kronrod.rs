//! Gauss and Kronrod's rules: nodes and weights.
//!
//! Source: Kronrod, Nodes and weights of quadrature formulas, 1965; Laurie, Calculation of
//! Gauss-Kronrod quadrature rules, 1997; Berntsen and Espelid, Error estimation in automatic
//! quadrature routines, 1991 (null rules). Computed with 60 digits, as the roots of Legendre's
//! and Stieltjes' polynomials, and rounded once.

use super::sizes::NODES;

/// What a rule has of each node: its place in -1..1, Kronrod's weight, Gauss' weight or 0, and
/// that of a null rule.
///
/// The null rule gives 0 for polynomials of up to two degrees less than Kronrod's less Gauss',
/// which is a null rule too, and to which it is orthogonal and of the same norm. That of [`K21`] has
/// another one added, of the [`ENDS`].
pub const COLUMNS: usize = 4;

/// Places behind the nodes of [`K21`]: next to the upper end and to the lower one. Between an end and
/// the outermost node nothing else sees a corner or a jump. How far the function there is from the
/// polynomial through the nodes is a null rule of degree 20.
pub const ENDS: u32 = 2;

/// Where they are: as far from the ends as f32 can tell, since a limit may be singular and the
/// function is another one beyond a break.
const END: f64 = 1.0 - 1.0 / (1 << 22) as f64;

/// How far the outermost node of [`K21`] is from the end of -1..1.
const OUTSIDE: f64 = 1.0 - 0.9956571630258081;

/// What an end counts in the null rule, of which a 16th is believed: twice what is missed up to the
/// outermost node. A quarter of that is the least that errors are taken for. More of it would cost
/// evaluations where a function is singular at a limit.
const OF_END: f64 = 16.0 * 2.0 * OUTSIDE;

/// What the lower end counts of the upper one: not the same, or what is odd about the middle
/// would cancel.
const OF_LOWER: f64 = 0.625;

/// The nodes of [`GaussKronrod::G7K15`](super::rules::GaussKronrod::G7K15) and their [`COLUMNS`]. Behind them nothing.
#[rustfmt::skip]
pub static K15: [[f64; COLUMNS]; NODES] = both_halves([
    [0.0, 0.20948214108472782, 0.4179591836734694, 0.2081729504094845],
    [0.20778495500789848, 0.20443294007529889, 0.0, -0.16887038937628596],
    [0.4058451513773972, 0.19035057806478542, 0.3818300505051189, 0.06519167158268736],
    [0.5860872354676911, 0.1690047266392679, 0.0, 0.06318426060448822],
    [0.7415311855993945, 0.14065325971552592, 0.27970539148927664, -0.1666381596151969],
    [0.8648644233597691, 0.10479001032225019, 0.0, 0.20852757513127224],
    [0.9491079123427585, 0.06309209262997856, 0.1294849661688697, -0.17265535675841706],
    [0.9914553711208126, 0.022935322010529224, 0.0, 0.06717392322670984],
]);

/// The same of [`GaussKronrod::G10K21`](super::rules::GaussKronrod::G10K21).
#[rustfmt::skip]
pub static K21: [[f64; COLUMNS]; NODES] = with_ends([
    [0.0, 0.1494455540029169, 0.0, -0.149372559202428, 0.08057103438734803, 0.08057103438734803],
    [0.14887433898163122, 0.14773910490133849, 0.29552422471475287, 0.1346076357527161, -0.09361231418943404, -0.06935121997787048],
    [0.2943928627014602, 0.14277593857706009, 0.0, -0.093196973615671, 0.1090907787070247, 0.05946820509929089],
    [0.4333953941292472, 0.13470921731147334, 0.26926671930999635, 0.033368050315373474, -0.12803356392387014, -0.050610172785023014],
    [0.5627571346686047, 0.12349197626206584, 0.0, 0.03304780089332931, 0.15226920570516556, 0.04260329143977277],
    [0.6794095682990244, 0.10938715880229764, 0.21908636251598204, -0.09295620978013384, -0.184479910031684, -0.035216220942387494],
    [0.7808177265864169, 0.0931254545836976, 0.0, 0.1340865437002787, 0.22906529065763134, 0.028193229731091805],
    [0.8650633666889845, 0.07503967481091996, 0.1494513491505806, -0.14842380324739135, -0.2973088316169417, -0.021510146922091772],
    [0.9301574913557082, 0.054755896574351995, 0.0, 0.13481938960983014, 0.42267677311505003, 0.01529445611807627],
    [0.9739065285171717, 0.032558162307964725, 0.06667134430868814, -0.09536281205032948, -0.7048394023627605, -0.009317331268952476],
    [0.9956571630258081, 0.011694638867371874, 0.0, 0.03469665802321198, 1.4518875061347785, 0.0031593429257857387],
]);

/// All nodes of a rule, of those from its center on: the others mirror them.
const fn both_halves<const N: usize>(from_center: [[f64; 4]; N]) -> [[f64; COLUMNS]; NODES] {
    let mut all = [[0.0; COLUMNS]; NODES];
    let mut i = 0;
    while i < N {
        let [x, kronrod, gauss, null] = from_center[i];
        all[N - 1 - i] = [-x, kronrod, gauss, null];
        all[N - 1 + i] = [x, kronrod, gauss, null];
        i += 1;
    }
    all
}

/// The same with [`ENDS`] behind the nodes: the last two numbers of a node are what it and its mirror
/// image weigh in the polynomial at the upper end.
const fn with_ends<const N: usize>(from_center: [[f64; 6]; N]) -> [[f64; COLUMNS]; NODES] {
    let mut all = [[0.0; COLUMNS]; NODES];
    let mut i = 0;
    while i < N {
        let [x, kronrod, gauss, null, near, far] = from_center[i];
        let of_lower = null + OF_END * (far + OF_LOWER * near);
        let of_upper = null + OF_END * (near + OF_LOWER * far);
        all[N - 1 - i] = [-x, kronrod, gauss, of_lower];
        all[N - 1 + i] = [x, kronrod, gauss, of_upper];
        i += 1;
    }
    all[2 * N - 1] = [END, 0.0, 0.0, -OF_END];
    all[2 * N] = [-END, 0.0, 0.0, -OF_END * OF_LOWER];
    all
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, K15, K21, NODES, OF_END, OF_LOWER, OUTSIDE};

    /// The integral of x^degree over -1..1 by the weights of this column.
    fn power(rule: &[[f64; COLUMNS]; NODES], column: usize, degree: i32) -> f64 {
        let terms = rule.iter().map(|row| row[column] * row[0].powi(degree));
        terms.sum()
    }

    #[test]
    fn rules_are_exact_up_to_their_degree_and_no_further() {
        // Gauss: 2 n - 1; Kronrod: 3 n + 1, and one more for odd n.
        for (rule, column, exact) in [(&K15, 1, 23), (&K15, 2, 13), (&K21, 1, 31), (&K21, 2, 19)] {
            for degree in 0..=exact {
                let expected = if degree % 2 == 0 {
                    2.0 / f64::from(degree + 1)
                } else {
                    0.0
                };
                let error = (power(rule, column, degree) - expected).abs();
                assert!(error < 1e-15, "column {column}, degree {degree}: {error:e}");
            }
            let next = exact + 1;
            let error = (power(rule, column, next) - 2.0 / f64::from(next + 1)).abs();
            assert!(error > 1e-13, "column {column} is exact for degree {next}");
        }
    }

    #[test]
    fn the_null_rules_are_none_of_the_others_and_see_two_degrees_less() {
        for (rule, first) in [(&K15, 12), (&K21, 18)] {
            for degree in 0..first {
                let sum = power(rule, 3, degree);
                assert!(sum.abs() < 1e-14, "degree {degree}: {sum:e}");
            }
            let seen = power(rule, 3, first);
            assert!(seen.abs() > 1e-6, "degree {first}: {seen:e}");
        }
        // Without ends.
        let products = |f: fn(f64, f64) -> f64| -> f64 {
            K15.iter().map(|row| f(row[1] - row[2], row[3])).sum()
        };
        assert!(products(|difference, null| difference * null).abs() < 1e-15);
        let norms = [
            products(|difference, _| difference * difference),
            products(|_, null| null * null),
        ];
        assert!((norms[0] / norms[1] - 1.0).abs() < 1e-14, "{norms:?}");
    }

    #[test]
    fn a_step_beyond_the_nodes_is_seen_at_either_end() {
        for (side, weight) in [(1.0, OF_END), (-1.0, OF_END * OF_LOWER)] {
            let step = |x: f64| f64::from(side * x > 1.0 - OUTSIDE + 1e-9);
            let sum: f64 = K21.iter().map(|row| row[3] * step(row[0])).sum();
            assert_eq!(sum, -weight);
        }
    }

    #[test]
    fn there_are_as_many_nodes_as_the_rules_say() {
        for (rule, kronrod, gauss) in [(&K15, 15, 7), (&K21, 21, 10)] {
            let weights = |column: usize| rule.iter().filter(|row| row[column] > 0.0).count();
            assert_eq!((weights(1), weights(2)), (kronrod, gauss));
        }
    }
}
