//! Conversions of f16, bf16, tf32 and the 8-bit formats against
//! `rustc_apfloat`; from 16 bits, every pattern.

use crate::harness::{evaluate, refusal};
use crate::patterns::{ROUNDINGS, Random, bits, edges, flush, relu, saturate};
use rustc_apfloat::ieee::{BFloat, Double, Float8E4M3FN, Float8E5M2, Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

const NAN16: u64 = 0x7fff;
const NAN32: u64 = 0x7fff_ffff;
const NEAREST: Round = Round::NearestTiesToEven;

fn convert<F: FloatConvert<T>, T: Float>(x: F, round: Round) -> T {
    x.convert_r(round, &mut false).value
}

fn of<F: Float>(bits: u64) -> F {
    F::from_bits(u128::from(bits))
}

/// `body` gives `%o` for `%a` of each input.
fn check(body: &str, inputs: &[u64], expected: impl Fn(u64) -> u64) {
    let cases: Vec<[u64; 4]> = inputs.iter().map(|&a| [a, 0, 0, 0]).collect();
    for (&input, found) in inputs.iter().zip(evaluate(body, &cases)) {
        let expected = expected(input);
        assert_eq!(
            found, expected,
            "{body} {input:#x}: {found:#x} {expected:#x}"
        );
    }
}

fn all16() -> Vec<u64> {
    (0..0x1_0000).collect()
}

/// Edges of f32, ties of a 16-bit format with both neighbours, and random
/// values.
fn singles<F: Float + FloatConvert<Single>>() -> Vec<u64> {
    let mut out = edges::<Single>();
    let mut random = Random(16);
    let ties: Vec<u64> = (0..3000)
        .map(|_| {
            let bits = random.next() & 0xffff;
            let (x, y) = (of::<F>(bits), of::<F>(bits ^ 1));
            let (x, y): (Single, Single) = (convert(x, NEAREST), convert(y, NEAREST));
            let sum: Double = convert(x, NEAREST);
            let other: Double = convert(y, NEAREST);
            let middle = ((sum + other).value / Double::from_u128(2).value).value;
            let middle: Single = convert(middle, NEAREST);
            middle.to_bits() as u64
        })
        .collect();
    out.extend(ties.iter().flat_map(|&x| [x.saturating_sub(1), x, x + 1]));
    out.extend((0..3000).map(|_| random.next() & 0xffff_ffff));
    out
}

fn from_single<F>(name: &str)
where
    F: Float + FloatConvert<Single>,
    Single: FloatConvert<F>,
{
    let inputs = singles::<F>();
    for (word, round) in ROUNDINGS {
        let to = |x: u64| -> F { convert(of::<Single>(x), round) };
        let flushed = |x: u64| -> F { convert(flush(of::<Single>(x)), round) };
        let body =
            |rest: &str| format!("cvt.{word}{rest}.{name}.f32 %ho, %ra; cvt.u64.u16 %o, %ho;");
        check(&body(""), &inputs, |x| bits(to(x), NAN16));
        if name == "f16" {
            check(&body(".sat"), &inputs, |x| bits(saturate(to(x)), NAN16));
            check(&body(".ftz"), &inputs, |x| bits(flushed(x), NAN16));
        }
        if matches!(word, "rn" | "rz") {
            check(&body(".relu"), &inputs, |x| bits(relu(to(x)), NAN16));
            let pairs: Vec<[u64; 4]> = inputs
                .iter()
                .zip(inputs.iter().rev())
                .map(|(&a, &b)| [a, b, 0, 0])
                .collect();
            let body = format!("cvt.{word}.{name}x2.f32 %ro, %ra, %rb; cvt.u64.u32 %o, %ro;");
            for (case, found) in pairs.iter().zip(evaluate(&body, &pairs)) {
                let expected = bits(to(case[0]), NAN16) << 16 | bits(to(case[1]), NAN16);
                assert_eq!(found, expected, "{body} {case:x?}");
            }
            let body = format!("cvt.{word}.relu.{name}x2.f32 %ro, %ra, %rb; cvt.u64.u32 %o, %ro;");
            for (case, found) in pairs.iter().zip(evaluate(&body, &pairs)) {
                let part = |x| bits(relu(to(x)), NAN16);
                assert_eq!(
                    found,
                    part(case[0]) << 16 | part(case[1]),
                    "{body} {case:x?}"
                );
            }
        }
    }
}

#[test]
fn f32_to_16_bits() {
    from_single::<Half>("f16");
    from_single::<BFloat>("bf16");
}

#[test]
fn f64_and_16_bits() {
    let mut inputs = edges::<Double>();
    let mut random = Random(64);
    inputs.extend((0..6000).map(|index| {
        let bits = random.next();
        // Exponents within those of the narrow formats.
        let range = if index % 2 == 0 { 40 } else { 300 };
        let exponent = 1023 - range / 2 + (bits >> 52) % range;
        bits & 0x800f_ffff_ffff_ffff | exponent << 52
    }));
    inputs.retain(|&x| !of::<Double>(x).is_nan());
    for (word, round) in ROUNDINGS {
        let body = format!("cvt.{word}.f16.f64 %ho, %a; cvt.u64.u16 %o, %ho;");
        check(&body, &inputs, |x| {
            bits::<Half>(convert(of::<Double>(x), round), NAN16)
        });
        let body = format!("cvt.{word}.bf16.f64 %ho, %a; cvt.u64.u16 %o, %ho;");
        check(&body, &inputs, |x| {
            bits::<BFloat>(convert(of::<Double>(x), round), NAN16)
        });
    }
    // PTX leaves open which NaN of f64 comes of a NaN.
    fn widened<F: Float + FloatConvert<Double>>(name: &str) {
        let (nans, numbers): (Vec<u64>, Vec<u64>) =
            all16().into_iter().partition(|&x| of::<F>(x).is_nan());
        let body = format!("cvt.f64.{name} %o, %ha;");
        check(&body, &numbers, |x| {
            convert::<F, Double>(of(x), NEAREST).to_bits() as u64
        });
        let nans: Vec<[u64; 4]> = nans.into_iter().map(|x| [x, 0, 0, 0]).collect();
        for found in evaluate(&body, &nans) {
            assert!(f64::from_bits(found).is_nan(), "{body}");
        }
    }
    widened::<Half>("f16");
    widened::<BFloat>("bf16");
}

#[test]
fn sixteen_bits_to_f32_and_to_each_other() {
    let all = all16();
    let numbers =
        |nan: fn(u64) -> bool| -> Vec<u64> { all16().into_iter().filter(|&x| !nan(x)).collect() };
    let halves = numbers(|x| of::<Half>(x).is_nan());
    let brains = numbers(|x| of::<BFloat>(x).is_nan());
    check("cvt.f32.f16 %ro, %ha; cvt.u64.u32 %o, %ro;", &halves, |x| {
        bits::<Single>(convert(of::<Half>(x), NEAREST), NAN32)
    });
    check(
        "cvt.sat.f32.f16 %ro, %ha; cvt.u64.u32 %o, %ro;",
        &all,
        |x| bits(saturate::<Single>(convert(of::<Half>(x), NEAREST)), NAN32),
    );
    check(
        "cvt.f32.bf16 %ro, %ha; cvt.u64.u32 %o, %ro;",
        &brains,
        |x| bits::<Single>(convert(of::<BFloat>(x), NEAREST), NAN32),
    );
    // From bf16 to f16 by way of f32, which holds both.
    let between = |x, round| -> Half {
        let wide: Single = convert(of::<BFloat>(x), NEAREST);
        convert(wide, round)
    };
    let back = |x, round| -> BFloat {
        let wide: Single = convert(of::<Half>(x), NEAREST);
        convert(wide, round)
    };
    for (word, round) in ROUNDINGS {
        let body = format!("cvt.{word}.f16.bf16 %ho, %ha; cvt.u64.u16 %o, %ho;");
        check(&body, &all, |x| bits(between(x, round), NAN16));
        let body = format!("cvt.{word}.bf16.f16 %ho, %ha; cvt.u64.u16 %o, %ho;");
        check(&body, &all, |x| bits(back(x, round), NAN16));
    }
    // As ptxas takes it.
    let unsaid = "cvt.bf16.f16 %ho, %ha; cvt.u64.u16 %o, %ho;";
    check(unsaid, &all, |x| bits(back(x, NEAREST), NAN16));
}

#[test]
fn rounding_to_integral_within_a_format() {
    for (word, round) in ROUNDINGS {
        let body = format!("cvt.{word}i.f16.f16 %ho, %ha; cvt.u64.u16 %o, %ho;");
        check(&body, &all16(), |x| {
            bits(of::<Half>(x).round_to_integral(round).value, NAN16)
        });
        let body = format!("cvt.{word}i.bf16.bf16 %ho, %ha; cvt.u64.u16 %o, %ho;");
        check(&body, &all16(), |x| {
            bits(of::<BFloat>(x).round_to_integral(round).value, NAN16)
        });
    }
}

/// Low `width` bits, extended to 64.
fn extend(x: u64, width: usize, signed: bool) -> u64 {
    let up = 64 - width;
    if signed {
        ((x << up) as i64 >> up) as u64
    } else {
        x << up >> up
    }
}

fn integers<F: Float>(name: &str) {
    for (word, round) in ROUNDINGS {
        for (ty, width, signed) in [
            ("s8", 8, true),
            ("u8", 8, false),
            ("s16", 16, true),
            ("u16", 16, false),
            ("s32", 32, true),
            ("u32", 32, false),
            ("s64", 64, true),
            ("u64", 64, false),
        ] {
            if width == 8 && name == "bf16" {
                continue;
            }
            let store = match width {
                64 => format!("cvt.{word}i.{ty}.{name} %o, %ha;"),
                8 | 32 => format!("cvt.{word}i.{ty}.{name} %ro, %ha; cvt.u64.u32 %o, %ro;"),
                _ => format!("cvt.{word}i.{ty}.{name} %ho, %ha; cvt.u64.u16 %o, %ho;"),
            };
            let register = match width {
                64 => 64,
                16 => 16,
                _ => 32,
            };
            check(&store, &all16(), |x| {
                let x = of::<F>(x);
                if x.is_nan() {
                    // Zero, but for a 64-bit result.
                    return if width == 64 { 1 << 63 } else { 0 };
                }
                // apfloat saturates as PTX does.
                let value = if signed {
                    x.to_i128_r(width, round, &mut false).value as u64
                } else {
                    x.to_u128_r(width, round, &mut false).value as u64
                };
                extend(extend(value, width, signed), register, false)
            });
        }
    }
    let mut random = Random(5);
    let mut inputs = vec![
        0,
        1,
        u64::MAX,
        1 << 63,
        i64::MAX as u64,
        2049,
        257,
        65520,
        65519,
    ];
    inputs.extend((0..2000).map(|_| {
        let bits = random.next();
        bits >> (bits & 63)
    }));
    for (word, round) in ROUNDINGS {
        for (ty, source, width, signed) in [
            ("s8", "%ra", 8, true),
            ("u8", "%ra", 8, false),
            ("s16", "%ha", 16, true),
            ("u16", "%ha", 16, false),
            ("s32", "%ra", 32, true),
            ("u32", "%ra", 32, false),
            ("s64", "%a", 64, true),
            ("u64", "%a", 64, false),
        ] {
            if width == 8 && name == "bf16" {
                continue;
            }
            let body = format!("cvt.{word}.{name}.{ty} %ho, {source}; cvt.u64.u16 %o, %ho;");
            check(&body, &inputs, |x| {
                let x = extend(x, width, signed);
                let value = if signed {
                    F::from_i128_r(i128::from(x as i64), round).value
                } else {
                    F::from_u128_r(u128::from(x), round).value
                };
                bits(value, NAN16)
            });
        }
    }
}

#[test]
fn integers_and_16_bits() {
    integers::<Half>("f16");
    integers::<BFloat>("bf16");
}

#[test]
fn tf32_has_ten_bits_of_fraction() {
    let mut inputs = edges::<Single>();
    inputs.retain(|&x| !of::<Single>(x).is_nan());
    let mut random = Random(19);
    inputs.extend((0..6000).map(|index| {
        let bits = random.next() & 0xffff_ffff;
        // Ties often; no NaN.
        let bits = if bits & 0x7f80_0000 == 0x7f80_0000 {
            bits ^ 0x4000_0000
        } else {
            bits
        };
        if index % 2 == 0 {
            bits & !0xfff | 0x1000
        } else {
            bits
        }
    }));
    // In f64 the values between two tf32 are exact, so that scaling to an
    // integer, rounding and scaling back is the definition.
    let rounded = |x: u64, round: fn(f64) -> f64| {
        let value = f32::from_bits(x as u32);
        if value.is_infinite() || value == 0.0 {
            return x;
        }
        let exponent = ((x >> 23 & 0xff) as i32).max(1) - 127;
        let quantum = 2f64.powi(exponent - 10);
        let result = round(f64::from(value) / quantum) * quantum;
        u64::from((result as f32).to_bits())
    };
    let body = |words: &str| format!("cvt.{words}.tf32.f32 %ro, %ra; cvt.u64.u32 %o, %ro;");
    check(&body("rna"), &inputs, |x| rounded(x, f64::round));
    check(&body("rn"), &inputs, |x| rounded(x, f64::round_ties_even));
    check(&body("rz"), &inputs, |x| rounded(x, f64::trunc));
    check(&body("rn.relu"), &inputs, |x| {
        let result = rounded(x, f64::round_ties_even);
        if result >> 31 != 0 { 0 } else { result }
    });
    check(&body("rna.satfinite"), &inputs, |x| {
        let result = rounded(x, f64::round);
        match result & 0x7fff_ffff {
            0x7f80_0000 => result & 0x8000_0000 | 0x7f7f_e000,
            _ => result,
        }
    });
}

fn bytes<T>(name: &str)
where
    T: Float,
    Single: FloatConvert<T>,
    T: FloatConvert<Single>,
{
    let saturated = |x: Single| -> u64 {
        if x.is_nan() {
            return 0x7f;
        }
        let largest: Single = convert(T::largest(), NEAREST);
        let clamped = if x.abs() > largest {
            largest.copy_sign(x)
        } else {
            x
        };
        convert::<Single, T>(clamped, NEAREST).to_bits() as u64
    };
    let mut inputs = edges::<Single>();
    let mut random = Random(8);
    inputs.extend((0..6000).map(|_| {
        // Exponents from 2^-20 to 2^19, and few bits of fraction: many ties.
        let bits = random.next();
        (bits >> 32 & 0x8000_0000)
            | (107 + (bits >> 8) % 40) << 23
            | (bits & 0xff) << 15 & 0x7f_ffff
    }));
    let pairs: Vec<[u64; 4]> = inputs
        .iter()
        .zip(inputs.iter().rev())
        .map(|(&a, &b)| [a, b, 0, 0])
        .collect();
    let body = format!("cvt.rn.satfinite.{name}.f32 %ho, %ra, %rb; cvt.u64.u16 %o, %ho;");
    for (case, found) in pairs.iter().zip(evaluate(&body, &pairs)) {
        let expected = saturated(of(case[0])) << 8 | saturated(of(case[1]));
        assert_eq!(found, expected, "{body} {case:x?}");
    }
    let body = format!("cvt.rn.satfinite.relu.{name}.f32 %ho, %ra, %rb; cvt.u64.u16 %o, %ho;");
    for (case, found) in pairs.iter().zip(evaluate(&body, &pairs)) {
        let expected = saturated(relu(of(case[0]))) << 8 | saturated(relu(of(case[1])));
        assert_eq!(found, expected, "{body} {case:x?}");
    }
    let pattern = |x: u64| x | (x ^ 0x5555) << 16;
    let doubled: Vec<u64> = all16().into_iter().map(pattern).collect();
    let body = format!("cvt.rn.satfinite.{name}.f16x2 %ho, %ra; cvt.u64.u16 %o, %ho;");
    check(&body, &doubled, |x| {
        let part = |bits: u64| saturated(convert(of::<Half>(bits), NEAREST));
        part(x >> 16) << 8 | part(x & 0xffff)
    });
    let widened = |x: u64| -> u64 {
        let wide: Single = convert(of::<T>(x), NEAREST);
        bits(convert::<Single, Half>(wide, NEAREST), NAN16)
    };
    let body = format!("cvt.rn.f16x2.{name} %ro, %ha; cvt.u64.u32 %o, %ro;");
    check(&body, &all16(), |x| {
        widened(x >> 8) << 16 | widened(x & 0xff)
    });
}

#[test]
fn eight_bit_formats_saturate() {
    bytes::<Float8E4M3FN>("e4m3x2");
    bytes::<Float8E5M2>("e5m2x2");
}

/// PTX leaves its payload open between some of the formats.
#[test]
fn a_nan_stays_a_nan() {
    let narrow = "cvt.u64.u16 %o, %ho;";
    let single = "cvt.u64.u32 %o, %ro;";
    for (body, input, infinity) in [
        (
            format!("cvt.rn.f16.f64 %ho, %a; {narrow}"),
            f64::NAN.to_bits(),
            0x7c00,
        ),
        (
            format!("cvt.rz.bf16.f64 %ho, %a; {narrow}"),
            f64::NAN.to_bits(),
            0x7f80,
        ),
        (
            format!("cvt.f32.f16 %ro, %ha; {single}"),
            0x7e01,
            0x7f80_0000,
        ),
        (
            format!("cvt.f32.bf16 %ro, %ha; {single}"),
            0xffc1,
            0x7f80_0000,
        ),
        (
            format!("cvt.rna.tf32.f32 %ro, %ra; {single}"),
            0x7fc0_0000,
            0x7f80_0000,
        ),
    ] {
        let sign = (infinity << 1) & !infinity;
        for input in [input, input | 1] {
            let found = evaluate(&body, &[[input, 0, 0, 0]])[0];
            assert!(found & !sign > infinity, "{body} {input:#x}: {found:#x}");
        }
    }
}

#[test]
fn wrong_roundings_are_refused() {
    assert!(refusal("cvt.f16.f32 %ho, %ra;").contains(".rn"));
    assert!(refusal("cvt.rn.f32.f16 %ro, %ha;").contains("exact"));
    assert!(refusal("cvt.rn.s32.f16 %ro, %ha;").contains(".rni"));
    assert!(refusal("cvt.rm.f16x2.f32 %ro, %ra, %rb;").contains(".rz"));
    assert!(refusal("cvt.rn.e4m3x2.f32 %ho, %ra, %rb;").contains(".satfinite"));
    assert!(refusal("cvt.rzi.s8.bf16 %ro, %ha;").contains("8 bits"));
    assert!(refusal("cvt.rs.f16x2.f32 %ro, %ra, %rb, %rc;").contains("`.rs`"));
}
