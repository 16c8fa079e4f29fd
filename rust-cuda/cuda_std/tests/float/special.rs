//! Special arguments, one by one: ISO C 17, F.10, whose table of powers is IEEE 754's.

use cuda_std::GpuFloat;

/// The same number with the same sign, or NaN twice.
#[track_caller]
fn same<T: PartialEq + Copy + core::fmt::Debug + Into<f64>>(what: &str, is: T, should: T) {
    let (a, b): (f64, f64) = (is.into(), should.into());
    let equal = a.is_nan() && b.is_nan() || a == b && a.is_sign_negative() == b.is_sign_negative();
    assert!(equal, "{what} is {is:?}, not {should:?}");
}

macro_rules! special {
    ($($float:ident, $powers:ident, $functions:ident, $angles:ident;)*) => {$(
        #[test]
        fn $functions() {
            const INF: $float = $float::INFINITY;
            const NAN: $float = $float::NAN;
            const TINY: $float = $float::from_bits(1);
            type Function = fn($float) -> $float;
            let rows: &[(&str, Function, &[($float, $float)])] = &[
                ("exp", GpuFloat::exp, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (1e4, INF), (-1e4, 0.0), (TINY, 1.0), ($float::MAX, INF), ($float::MIN, 0.0)]),
                ("exp2", GpuFloat::exp2, &[(0.0, 1.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (10.0, 1024.0), (-1.0, 0.5), (5e3, INF), (-5e3, 0.0), ($float::MAX, INF), ($float::MIN, 0.0)]),
                ("exp_m1", GpuFloat::exp_m1, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0), (NAN, NAN), (-100.0, -1.0), (1e4, INF), (TINY, TINY), (-TINY, -TINY), ($float::MAX, INF), ($float::MIN, -1.0)]),
                ("ln", GpuFloat::ln, &[(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (-INF, NAN), (INF, INF), (NAN, NAN), (-TINY, NAN)]),
                ("log2", GpuFloat::log2, &[(1.0, 0.0), (0.0, -INF), (-0.0, -INF), (-1.0, NAN), (INF, INF), (NAN, NAN), (8.0, 3.0), (0.25, -2.0)]),
                ("log10", GpuFloat::log10, &[(1.0, 0.0), (0.0, -INF), (-1.0, NAN), (INF, INF), (NAN, NAN), (1000.0, 3.0), (1e10, 10.0)]),
                ("ln_1p", GpuFloat::ln_1p, &[(0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (-1.5, NAN), (-INF, NAN), (INF, INF), (NAN, NAN), (TINY, TINY), (-TINY, -TINY)]),
                ("cbrt", GpuFloat::cbrt, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (27.0, 3.0), (-8.0, -2.0), (1e-3, 0.1)]),
                ("sinh", GpuFloat::sinh, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (1e4, INF), (-1e4, -INF), (TINY, TINY), ($float::MAX, INF)]),
                ("cosh", GpuFloat::cosh, &[(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN), (-1e4, INF), (TINY, 1.0)]),
                ("tanh", GpuFloat::tanh, &[(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN), (30.0, 1.0), (-30.0, -1.0), (TINY, TINY)]),
                ("asinh", GpuFloat::asinh, &[(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (TINY, TINY)]),
                ("acosh", GpuFloat::acosh, &[(1.0, 0.0), (0.5, NAN), (-1.0, NAN), (-1e30, NAN), (-INF, NAN), (INF, INF), (NAN, NAN)]),
                ("atanh", GpuFloat::atanh, &[(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN), (NAN, NAN), (TINY, TINY)]),
                ("asin", GpuFloat::asin, &[(0.0, 0.0), (-0.0, -0.0), (1.0, core::$float::consts::FRAC_PI_2), (-1.0, -core::$float::consts::FRAC_PI_2), (1.5, NAN), (-INF, NAN), (NAN, NAN), (TINY, TINY)]),
                ("acos", GpuFloat::acos, &[(1.0, 0.0), (-1.0, core::$float::consts::PI), (0.0, core::$float::consts::FRAC_PI_2), (-1.5, NAN), (INF, NAN), (NAN, NAN)]),
                ("atan", GpuFloat::atan, &[(0.0, 0.0), (-0.0, -0.0), (INF, core::$float::consts::FRAC_PI_2), (-INF, -core::$float::consts::FRAC_PI_2), (1.0, core::$float::consts::FRAC_PI_4), (NAN, NAN), (TINY, TINY), (-TINY, -TINY)]),
            ];
            for (name, function, cases) in rows {
                for &(x, should) in *cases {
                    same(&format!("{name}({x:e})"), function(x), should);
                }
            }
        }

        #[test]
        fn $powers() {
            const INF: $float = $float::INFINITY;
            const NAN: $float = $float::NAN;
            const TINY: $float = $float::from_bits(1);
            // The greatest odd number, and the even one beyond it.
            let odd: $float = (2.0 as $float).powi($float::MANTISSA_DIGITS as i32) - 1.0;
            let even = odd + 1.0;
            let cases: &[($float, $float, $float)] = &[
                (NAN, 0.0, 1.0), (NAN, -0.0, 1.0), (0.0, 0.0, 1.0), (INF, -0.0, 1.0), (-3.0, 0.0, 1.0),
                (1.0, NAN, 1.0), (1.0, INF, 1.0), (1.0, -INF, 1.0), (1.0, 1e30, 1.0),
                (-1.0, INF, 1.0), (-1.0, -INF, 1.0), (-1.0, NAN, NAN),
                (NAN, 1.0, NAN), (2.0, NAN, NAN), (-2.0, NAN, NAN), (0.0, NAN, NAN), (INF, NAN, NAN),
                (0.0, -3.0, INF), (-0.0, -3.0, -INF), (0.0, -2.0, INF), (-0.0, -2.0, INF),
                (0.0, -0.5, INF), (-0.0, -0.5, INF), (0.0, -INF, INF), (-0.0, -INF, INF),
                (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, 0.5, 0.0),
                (0.0, INF, 0.0), (-0.0, INF, 0.0),
                (0.5, -INF, INF), (-0.5, -INF, INF), (2.0, -INF, 0.0), (-2.0, -INF, 0.0),
                (0.5, INF, 0.0), (-0.5, INF, 0.0), (2.0, INF, INF), (-2.0, INF, INF), (TINY, -INF, INF),
                (-INF, -3.0, -0.0), (-INF, -2.0, 0.0), (-INF, -0.5, 0.0),
                (-INF, 3.0, -INF), (-INF, 2.0, INF), (-INF, 0.5, INF),
                (-INF, INF, INF), (-INF, -INF, 0.0), (INF, -3.0, 0.0), (INF, 0.5, INF),
                (-2.0, 0.5, NAN), (-2.0, 3.0, -8.0), (-2.0, 2.0, 4.0), (-2.0, -1.0, -0.5),
                (-1.0, odd, -1.0), (-1.0, even, 1.0), (2.0, 10.0, 1024.0), (9.0, 0.5, 3.0),
                (-TINY, 1.0, -TINY), (TINY, 1.0, TINY), (TINY, 2.0, 0.0), (-TINY, -3.0, -INF),
                (1.5, 1e30, INF), (1.5, -1e30, 0.0), (-1.5, 1e30, INF), (1.5, TINY, 1.0),
                (-1.5, odd, -INF), ($float::MAX, 2.0, INF), ($float::MAX, 1.0, $float::MAX),
                ($float::MIN_POSITIVE, 1.0, $float::MIN_POSITIVE), (7.0, 1.0, 7.0),
            ];
            for &(x, y, should) in cases {
                same(&format!("({x:e})^({y:e})"), GpuFloat::powf(x, y), should);
            }
        }

        #[test]
        fn $angles() {
            use core::$float::consts::{FRAC_PI_2, FRAC_PI_4, PI};
            const INF: $float = $float::INFINITY;
            const NAN: $float = $float::NAN;
            const TINY: $float = $float::from_bits(1);
            let cases: &[($float, $float, $float)] = &[
                (0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, INF, 0.0), (TINY, INF, 0.0),
                (0.0, -0.0, PI), (0.0, -1.0, PI), (0.0, -INF, PI), (TINY, -INF, PI),
                (1.0, 0.0, FRAC_PI_2), (1.0, -0.0, FRAC_PI_2), (INF, 1.0, FRAC_PI_2),
                (TINY, 0.0, FRAC_PI_2), (INF, -1.0, FRAC_PI_2),
                (INF, INF, FRAC_PI_4), (INF, -INF, 3.0 * FRAC_PI_4), (1.0, 1.0, FRAC_PI_4),
                (TINY, TINY, FRAC_PI_4), ($float::MAX, $float::MAX, FRAC_PI_4),
                (TINY, 1.0, TINY), (TINY, $float::MAX, 0.0), ($float::MAX, TINY, FRAC_PI_2),
                (NAN, 1.0, NAN), (1.0, NAN, NAN), (NAN, INF, NAN),
            ];
            let lengths: &[($float, $float, $float)] = &[
                (3.0, -4.0, 5.0), (0.0, -0.0, 0.0), (INF, NAN, INF), (NAN, -INF, INF), (1.0, NAN, NAN),
                (NAN, 0.0, NAN), (TINY, 0.0, TINY), ($float::MAX, 1.0, $float::MAX), ($float::MAX, $float::MAX, INF),
                (INF, -INF, INF),
            ];
            for &(x, y, should) in lengths {
                same(&format!("hypot({x:e}, {y:e})"), GpuFloat::hypot(x, y), should);
            }
            for &(y, x, should) in cases {
                same(&format!("atan2({y:e}, {x:e})"), GpuFloat::atan2(y, x), should);
                same(&format!("atan2(-{y:e}, {x:e})"), GpuFloat::atan2(-y, x), -should);
            }
        }
    )*};
}

special! {
    f32, powers_of_f32_follow_ieee_754, functions_of_f32_follow_annex_f, angles_and_lengths_of_f32_follow_annex_f;
    f64, powers_of_f64_follow_ieee_754, functions_of_f64_follow_annex_f, angles_and_lengths_of_f64_follow_annex_f;
}
