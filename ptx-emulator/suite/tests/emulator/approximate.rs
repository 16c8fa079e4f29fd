//! The approximate functions: special values as in the tables of the PTX ISA,
//! and the error that PTX allows, against f64 functions of the host.

use crate::harness::{evaluate, evaluate32, expect32, expect64, refusal};
use crate::patterns::{Random, edges};
use rustc_apfloat::ieee::Single;

const NAN: u32 = 0x7fff_ffff;
const INFINITY: u32 = 0x7f80_0000;
const MINUS_INFINITY: u32 = 0xff80_0000;
const MINUS_ZERO: u32 = 0x8000_0000;
const ONE: u32 = 0x3f80_0000;
/// The smallest subnormal.
const TINY: u32 = 1;
const MINUS_TINY: u32 = 0x8000_0001;

fn table(instruction: &str, rows: &[(u32, u32)]) {
    let cases: Vec<([u64; 4], u32)> = rows
        .iter()
        .map(|&(input, output)| ([u64::from(input), 0, 0, 0], output))
        .collect();
    expect32(&format!("{instruction} %ro, %ra;"), &cases);
}

#[test]
fn reciprocals_and_roots_of_special_values() {
    let common = [
        (MINUS_INFINITY, MINUS_ZERO),
        (MINUS_ZERO, MINUS_INFINITY),
        (0, INFINITY),
        (INFINITY, 0),
        (0xffc0_0001, NAN),
    ];
    table("rcp.approx.f32", &common);
    table("rcp.approx.ftz.f32", &common);
    table(
        "rcp.approx.ftz.f32",
        &[
            (TINY, INFINITY),
            (MINUS_TINY, MINUS_INFINITY),
            // 1 / 2^127 = 2^-127 is subnormal.
            (0x7f00_0000, 0),
            (0xff00_0000, MINUS_ZERO),
        ],
    );
    table("rcp.approx.f32", &[(0x7f00_0000, 0x0040_0000)]);
    for name in ["rsqrt.approx.f32", "rsqrt.approx.ftz.f32"] {
        table(
            name,
            &[
                (MINUS_INFINITY, NAN),
                (0xbf80_0000, NAN),
                (MINUS_ZERO, MINUS_INFINITY),
                (0, INFINITY),
                (INFINITY, 0),
                (NAN, NAN),
            ],
        );
    }
    table(
        "rsqrt.approx.ftz.f32",
        &[(TINY, INFINITY), (MINUS_TINY, MINUS_INFINITY)],
    );
    for name in ["sqrt.approx.f32", "sqrt.approx.ftz.f32"] {
        table(
            name,
            &[
                (MINUS_INFINITY, NAN),
                (0xbf80_0000, NAN),
                (MINUS_ZERO, MINUS_ZERO),
                (0, 0),
                (INFINITY, INFINITY),
                (0x7fc0_0000, NAN),
            ],
        );
    }
    table(
        "sqrt.approx.ftz.f32",
        &[(TINY, 0), (MINUS_TINY, MINUS_ZERO)],
    );
    // The root of 2^-149 is 2^-74.5.
    table("sqrt.approx.f32", &[(TINY, 0x1a35_04f3), (MINUS_TINY, NAN)]);
}

#[test]
fn transcendental_functions_of_special_values() {
    for ftz in ["", ".ftz"] {
        table(
            &format!("sin.approx{ftz}.f32"),
            &[
                (MINUS_INFINITY, NAN),
                (MINUS_ZERO, MINUS_ZERO),
                (0, 0),
                (INFINITY, NAN),
                (0x7fc0_0000, NAN),
            ],
        );
        table(
            &format!("cos.approx{ftz}.f32"),
            &[
                (MINUS_INFINITY, NAN),
                (MINUS_TINY, ONE),
                (MINUS_ZERO, ONE),
                (0, ONE),
                (TINY, ONE),
                (INFINITY, NAN),
            ],
        );
        table(
            &format!("lg2.approx{ftz}.f32"),
            &[
                (MINUS_INFINITY, NAN),
                (0xbf80_0000, NAN),
                (MINUS_ZERO, MINUS_INFINITY),
                (0, MINUS_INFINITY),
                (INFINITY, INFINITY),
                (ONE, 0),
            ],
        );
        table(
            &format!("ex2.approx{ftz}.f32"),
            &[
                (MINUS_INFINITY, 0),
                (MINUS_TINY, ONE),
                (MINUS_ZERO, ONE),
                (0, ONE),
                (TINY, ONE),
                (INFINITY, INFINITY),
                (NAN, NAN),
                // 2^128
                (0x4300_0000, INFINITY),
            ],
        );
    }
    table("sin.approx.ftz.f32", &[(MINUS_TINY, MINUS_ZERO), (TINY, 0)]);
    table(
        "lg2.approx.ftz.f32",
        &[(MINUS_TINY, MINUS_INFINITY), (TINY, MINUS_INFINITY)],
    );
    // log2 of 2^-149
    table("lg2.approx.f32", &[(TINY, (-149f32).to_bits())]);
    // 2^-130 is subnormal: 2^19 units of 2^-149.
    table("ex2.approx.f32", &[((-130f32).to_bits(), 0x0008_0000)]);
    table("ex2.approx.ftz.f32", &[((-130f32).to_bits(), 0)]);
    table(
        "tanh.approx.f32",
        &[
            (MINUS_INFINITY, 0xbf80_0000),
            (MINUS_ZERO, MINUS_ZERO),
            (0, 0),
            (INFINITY, ONE),
            (0xffff_ffff, NAN),
        ],
    );
}

#[test]
fn division_by_huge_divisors_is_zero_when_approximate_and_right_when_full() {
    let f = |x: f32| u64::from(x.to_bits());
    // 2^127 lies in (2^126, 2^128).
    let huge = f(2f32.powi(127));
    for ftz in ["", ".ftz"] {
        expect32(
            &format!("div.approx{ftz}.f32 %ro, %ra, %rb;"),
            &[
                ([huge, huge, 0, 0], 0),
                ([f(f32::INFINITY), huge, 0, 0], NAN),
                ([f(f32::INFINITY), f(2.0), 0, 0], INFINITY),
                ([f(-6.0), f(2.0), 0, 0], (-3f32).to_bits()),
                ([f(0.0), f(0.0), 0, 0], NAN),
                ([f(1.0), f(-0.0), 0, 0], MINUS_INFINITY),
                ([f(1.0), f(f32::INFINITY), 0, 0], 0),
                ([f(f32::NAN), huge, 0, 0], NAN),
                // 2^126 itself is within the range.
                ([f(2f32.powi(126)), f(2f32.powi(126)), 0, 0], ONE),
            ],
        );
        expect32(
            &format!("div.full{ftz}.f32 %ro, %ra, %rb;"),
            &[
                ([huge, huge, 0, 0], ONE),
                ([f(f32::INFINITY), huge, 0, 0], INFINITY),
                ([f(0.0), f(-0.0), 0, 0], NAN),
            ],
        );
    }
    expect32(
        "div.full.ftz.f32 %ro, %ra, %rb;",
        &[
            ([1, f(1.0), 0, 0], 0),
            ([f(1.0), 0x8000_0001, 0, 0], MINUS_INFINITY),
        ],
    );
    expect32("div.full.f32 %ro, %ra, %rb;", &[([2, f(2.0), 0, 0], 1)]);
}

/// Random f32 with exponents from `low` to `high`.
fn spread(count: usize, low: i32, high: i32, negative: bool) -> Vec<f32> {
    let mut random = Random(low as u64 ^ 77);
    (0..count)
        .map(|_| {
            let bits = random.next();
            let exponent = low + (bits >> 40) as i32 % (high - low + 1);
            let sign = if negative { bits >> 63 << 31 } else { 0 };
            f32::from_bits(sign as u32 | ((exponent + 127) as u32) << 23 | bits as u32 & 0x7f_ffff)
        })
        .collect()
}

/// The largest error of `instruction` on `inputs`, measured by `error` from
/// the result and the value.
fn worst(
    instruction: &str,
    inputs: &[f32],
    value: impl Fn(f64) -> f64,
    error: impl Fn(f64, f64, f64) -> f64,
) -> f64 {
    let cases: Vec<[u64; 4]> = inputs
        .iter()
        .map(|x| [u64::from(x.to_bits()), 0, 0, 0])
        .collect();
    evaluate32(&format!("{instruction} %ro, %ra;"), &cases)
        .into_iter()
        .zip(inputs)
        .map(|(found, &x)| {
            let x = f64::from(x);
            let error = error(f64::from(f32::from_bits(found)), value(x), x);
            assert!(!error.is_nan(), "{instruction} {x:e}");
            error
        })
        .fold(0.0, f64::max)
}

fn relative(found: f64, value: f64, _: f64) -> f64 {
    ((found - value) / value).abs()
}

/// In units in the last place of an f32.
fn units(found: f64, value: f64, _: f64) -> f64 {
    (found - value).abs() / (value.abs().log2().floor() - 23.0).exp2()
}

fn absolute(found: f64, value: f64, _: f64) -> f64 {
    (found - value).abs()
}

#[test]
fn errors_are_within_what_ptx_allows() {
    let all = |low, high| spread(20_000, low, high, true);
    let positive = |low, high| spread(20_000, low, high, false);
    let bound = |x: f64| 2f64.powf(x);
    let rcp = worst("rcp.approx.f32", &all(-126, 125), |x| 1.0 / x, units);
    assert!(rcp <= 1.0, "{rcp}");
    let sqrt = worst("sqrt.approx.f32", &positive(-126, 127), f64::sqrt, relative);
    assert!(sqrt <= bound(-23.0), "{sqrt:e}");
    let rsqrt = worst(
        "rsqrt.approx.f32",
        &positive(-126, 127),
        |x| 1.0 / x.sqrt(),
        relative,
    );
    assert!(rsqrt <= bound(-22.9), "{rsqrt:e}");
    let exp = worst("ex2.approx.f32", &all(-30, 5), f64::exp2, units);
    assert!(exp <= 2.0, "{exp}");
    let tanh = worst("tanh.approx.f32", &all(-30, 8), f64::tanh, relative);
    assert!(tanh <= bound(-11.0), "{tanh:e}");
    let near: Vec<f32> = (0..10_000)
        .map(|i| 0.5 + 1.5 * (i as f32 + 0.5) / 1e4)
        .collect();
    let log = worst("lg2.approx.f32", &near, f64::log2, absolute);
    assert!(log <= bound(-22.0), "{log:e}");
    let log = worst("lg2.approx.f32", &positive(1, 127), f64::log2, relative);
    assert!(log <= bound(-22.0), "{log:e}");
    let log = worst("lg2.approx.f32", &positive(-126, -2), f64::log2, relative);
    assert!(log <= bound(-22.0), "{log:e}");
    let pi = std::f32::consts::PI;
    let turn: Vec<f32> = (-10_000..=10_000)
        .map(|i| i as f32 * 2.0 * pi / 1e4)
        .collect();
    let hundred: Vec<f32> = turn.iter().map(|x| x * 50.0).collect();
    for (name, value) in [("sin", f64::sin as fn(f64) -> f64), ("cos", f64::cos)] {
        let error = worst(&format!("{name}.approx.f32"), &turn, value, absolute);
        // PTX says 2^-20.5, and a Hopper GPU's cosine is off by 2^-20.46.
        let exponent = if name == "cos" { -20.45 } else { -20.5 };
        assert!(error <= bound(exponent), "{name} {error:e}");
        let error = worst(&format!("{name}.approx.ftz.f32"), &hundred, value, absolute);
        assert!(error <= bound(-14.7), "{name} {error:e}");
    }
}

#[test]
fn quotients_are_within_two_units() {
    let (a, b) = (spread(20_000, -20, 20, true), spread(20_000, -60, 60, true));
    let cases: Vec<[u64; 4]> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| [u64::from(a.to_bits()), u64::from(b.to_bits()), 0, 0])
        .collect();
    for name in ["div.approx.f32", "div.full.f32", "div.approx.ftz.f32"] {
        let found = evaluate32(&format!("{name} %ro, %ra, %rb;"), &cases);
        for ((a, b), found) in a.iter().zip(&b).zip(found) {
            let value = f64::from(*a) / f64::from(*b);
            let error = units(f64::from(f32::from_bits(found)), value, 0.0);
            assert!(error <= 2.0, "{name} {a:e} {b:e} {error}");
        }
    }
}

#[test]
fn the_gross_f64_functions_have_an_upper_word_of_result() {
    expect64(
        "rcp.approx.ftz.f64 %o, %a;",
        &[
            ([0x7ff0_0000_0000_0000, 0, 0, 0], 0),
            ([0xfff0_0000_0000_0000, 0, 0, 0], 1 << 63),
            ([0, 0, 0, 0], 0x7ff0_0000_0000_0000),
            ([1, 0, 0, 0], 0x7ff0_0000_0000_0000),
            ([1 << 63 | 1, 0, 0, 0], 0xfff0_0000_0000_0000),
            ([2f64.to_bits(), 0, 0, 0], 0.5f64.to_bits()),
            // The low word is not looked at.
            ([2f64.to_bits() | 0xffff_ffff, 0, 0, 0], 0.5f64.to_bits()),
            // 2^-1023 is subnormal.
            ([2f64.powi(1023).to_bits(), 0, 0, 0], 0),
        ],
    );
    expect64(
        "rsqrt.approx.ftz.f64 %o, %a;",
        &[
            ([0x7ff0_0000_0000_0000, 0, 0, 0], 0),
            ([1 << 63, 0, 0, 0], 0xfff0_0000_0000_0000),
            ([1 << 63 | 1, 0, 0, 0], 0xfff0_0000_0000_0000),
            ([1, 0, 0, 0], 0x7ff0_0000_0000_0000),
            ([4f64.to_bits(), 0, 0, 0], 0.5f64.to_bits()),
        ],
    );
    let mut random = Random(3);
    let inputs: Vec<f64> = (0..5000)
        .map(|_| {
            let bits = random.next();
            f64::from_bits((0x300 + (bits >> 52) % 0x1ff) << 52 | bits & ((1 << 52) - 1))
        })
        .collect();
    let cases: Vec<[u64; 4]> = inputs.iter().map(|x| [x.to_bits(), 0, 0, 0]).collect();
    for (name, value, bound) in [
        // 20 bits of fraction on both sides.
        (
            "rcp.approx.ftz.f64",
            (|x| 1.0 / x) as fn(f64) -> f64,
            2f64.powi(-18),
        ),
        ("rsqrt.approx.ftz.f64", |x| 1.0 / x.sqrt(), 2f64.powi(-18)),
        ("rsqrt.approx.f64", |x| 1.0 / x.sqrt(), 2f64.powi(-51)),
    ] {
        let found = evaluate(&format!("{name} %o, %a;"), &cases);
        for (x, found) in inputs.iter().zip(found) {
            let error = (f64::from_bits(found) / value(*x) - 1.0).abs();
            assert!(error <= bound, "{name} {x:e} {error:e}");
            if name.contains("ftz") {
                assert_eq!(found as u32, 0, "{name} {x:e}");
            }
        }
        let nan = evaluate(&format!("{name} %o, %a;"), &[[f64::NAN.to_bits(), 0, 0, 0]]);
        assert!(f64::from_bits(nan[0]).is_nan());
    }
}

#[test]
fn sixteen_bit_functions_of_every_pattern() {
    use half::{bf16, f16};
    let cases: Vec<[u64; 4]> = (0..0x1_0000).map(|a| [a, 0, 0, 0]).collect();
    // Relative where that is what PTX bounds.
    type Form = (&'static str, bool, fn(f64) -> f64, f64, bool);
    let forms: [Form; 4] = [
        ("ex2.approx.f16", false, f64::exp2, 2f64.powf(-9.9), true),
        ("ex2.approx.ftz.bf16", true, f64::exp2, 2f64.powi(-7), true),
        (
            "tanh.approx.f16",
            false,
            f64::tanh,
            2f64.powf(-10.987),
            false,
        ),
        // At 0x3f3f a Hopper GPU is off by 2^-8 and another 6e-5 of it.
        (
            "tanh.approx.bf16",
            true,
            f64::tanh,
            2f64.powi(-8) * (1.0 + 1e-4),
            false,
        ),
    ];
    for (name, brain, function, bound, relative) in forms {
        let value = |bits: u64| {
            if brain {
                bf16::from_bits(bits as u16).to_f64()
            } else {
                f16::from_bits(bits as u16).to_f64()
            }
        };
        let (smallest, largest) = if brain {
            (f64::from(f32::MIN_POSITIVE), bf16::MAX.to_f64())
        } else {
            (f16::MIN_POSITIVE.to_f64(), f16::MAX.to_f64())
        };
        let found = evaluate(&format!("{name} %ho, %ha; cvt.u64.u16 %o, %ho;"), &cases);
        for (bits, &found) in found.iter().enumerate() {
            let (x, y) = (value(bits as u64), value(found));
            let expected = function(x);
            if x.is_nan() {
                assert_eq!(found, 0x7fff, "{name} {bits:#x}");
            } else if expected > largest * 1.01 {
                assert!(y.is_infinite(), "{name} {bits:#x}");
            } else if expected.abs() < smallest {
                // Subnormal results, flushed or not.
                assert!((y - expected).abs() <= smallest, "{name} {bits:#x}");
            } else if expected < largest {
                let error = (y - expected).abs() / if relative { expected } else { 1.0 };
                assert!(error <= bound, "{name} {bits:#x} {error:e}");
            }
        }
        let body = format!("{name}x2 %ro, %ra; cvt.u64.u32 %o, %ro;");
        let pairs: Vec<[u64; 4]> = (0..1000)
            .map(|i| [(i * 0x41_0041) ^ 0x3c00, 0, 0, 0])
            .collect();
        for (pair, both) in pairs.iter().zip(evaluate(&body, &pairs)) {
            let (low, high) = (pair[0] as usize & 0xffff, pair[0] as usize >> 16 & 0xffff);
            assert_eq!(both, found[low] | found[high] << 16, "{body} {pair:x?}");
        }
    }
    assert_eq!(
        evaluate(
            "tanh.approx.f16 %ho, %ha; cvt.u64.u16 %o, %ho;",
            &[[0x8000, 0, 0, 0]]
        ),
        [0x8000]
    );
}

#[test]
fn forms_that_ptx_does_not_have_are_refused() {
    for text in [
        "tanh.approx.ftz.f32 %ro, %ra;",
        "ex2.approx.bf16 %ho, %ha;",
        "sqrt.approx.f64 %o, %a;",
        "rcp.approx.f64 %o, %a;",
        "sin.f32 %ro, %ra;",
    ] {
        refusal(text);
    }
    // All edges of f32 give a number or the one NaN.
    let cases: Vec<[u64; 4]> = edges::<Single>()
        .into_iter()
        .map(|a| [a, 0, 0, 0])
        .collect();
    for name in ["rcp", "rsqrt", "sqrt", "sin", "cos", "lg2", "ex2"] {
        for found in evaluate32(&format!("{name}.approx.f32 %ro, %ra;"), &cases) {
            assert!(!f32::from_bits(found).is_nan() || found == NAN, "{name}");
        }
    }
}
