//! f32 and f64 arithmetic and conversions in every rounding mode, against
//! `rustc_apfloat` on edges and random operands; roots against exact integer
//! roots.

use crate::harness::evaluate;
use crate::patterns::{ROUNDINGS, Random, bits, edges, flush, saturate, triples};
use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

const NAN: u64 = 0x7fff_ffff;
/// PTX leaves the payload of f64 NaN open; all are taken for this one.
const NAN64: u64 = 0x7ff8_0000_0000_0000;

fn of<F: Float>(bits: u64) -> F {
    F::from_bits(u128::from(bits))
}

/// What a body leaves in `%o` for each case, NaN of f64 made one.
fn check(body: &str, wide: bool, cases: &[[u64; 3]], expected: impl Fn([u64; 3]) -> u64) {
    let inputs: Vec<[u64; 4]> = cases.iter().map(|&[a, b, c]| [a, b, c, 0]).collect();
    for (case, found) in cases.iter().zip(evaluate(body, &inputs)) {
        let found = if wide && f64::from_bits(found).is_nan() {
            NAN64
        } else {
            found
        };
        let expected = expected(*case);
        assert_eq!(
            found, expected,
            "{body} {case:x?}: {found:#x} {expected:#x}"
        );
    }
}

type Operation<F> = fn([F; 3], Round) -> F;

/// The operations with their operands' number.
fn operations<F: Float>() -> [(&'static str, usize, Operation<F>); 7] {
    [
        ("add", 2, |[a, b, _], round| a.add_r(b, round).value),
        ("sub", 2, |[a, b, _], round| a.sub_r(b, round).value),
        ("mul", 2, |[a, b, _], round| a.mul_r(b, round).value),
        ("fma", 3, |[a, b, c], round| a.mul_add_r(b, c, round).value),
        ("div", 2, |[a, b, _], round| a.div_r(b, round).value),
        ("rcp", 1, |[a, ..], round| {
            F::from_u128(1).value.div_r(a, round).value
        }),
        ("sqrt", 1, |[a, ..], round| root(a, round)),
    ]
}

/// The square root: of an integer with twice the precision, with a bit below
/// it that says whether it is exact, rounded once.
fn root<F: Float>(x: F, round: Round) -> F {
    if x.is_nan() || x.is_zero() {
        return x;
    }
    if x.is_negative() {
        return F::NAN;
    }
    if x.is_infinite() {
        return x;
    }
    let precision = F::PRECISION as i32;
    let exponent = x.ilogb() - (precision - 1);
    let significand = x.scalbn(-exponent).to_u128(128).value;
    let up = precision + 6 + (exponent + precision) % 2;
    let wide = significand << up;
    let root = wide.isqrt();
    let exact = root * root == wide;
    let rounded = F::from_u128_r(root << 1 | u128::from(!exact), round).value;
    rounded.scalbn((exponent - up) / 2 - 1)
}

/// `.ftz` for the operation of this index. What counts is whether the value
/// rounded to full precision is below the least normal number; it is found
/// from the f64 that is nearest towards zero, with a bit that says whether
/// that is exact, scaled to where f32 has its full precision.
fn flushed(index: usize, operands: [Single; 3], round: Round) -> Single {
    let operands = operands.map(flush);
    let value = operations::<Single>()[index].2(operands, round);
    let least = Single::smallest_normalized();
    if value.abs() != least {
        return flush(value);
    }
    let wide = operands.map(|x| -> Double { x.convert(&mut false).value });
    let operation = operations::<Double>()[index].2;
    let below = operation(wide, Round::TowardZero);
    let inexact = below != operation(wide, Round::TowardPositive)
        || below != operation(wide, Round::TowardNegative);
    let sticky = Double::from_bits(below.to_bits() | u128::from(inexact));
    let scaled: Single = sticky.scalbn(64).convert_r(round, &mut false).value;
    if scaled.abs() < least.scalbn(64) {
        Single::ZERO.copy_sign(value)
    } else {
        value
    }
}

fn names(prefix: &str, operands: usize) -> String {
    ["a", "b", "c"][..operands]
        .iter()
        .map(|x| format!(", %{prefix}{x}"))
        .collect()
}

#[test]
fn f32_operations_in_every_mode() {
    let cases = triples::<Single>(6000);
    for (index, (name, operands, operation)) in operations::<Single>().into_iter().enumerate() {
        for (word, round) in ROUNDINGS {
            let body = |rest: &str| {
                let names = names("r", operands);
                format!("{name}.{word}{rest}.f32 %ro{names}; cvt.u64.u32 %o, %ro;")
            };
            check(&body(""), false, &cases, |case| {
                bits(operation(case.map(of::<Single>), round), NAN)
            });
            let flushed = |case: [u64; 3]| flushed(index, case.map(of::<Single>), round);
            check(&body(".ftz"), false, &cases, |case| {
                bits(flushed(case), NAN)
            });
            if matches!(name, "add" | "sub" | "mul" | "fma") {
                check(&body(".sat"), false, &cases, |case| {
                    bits(saturate(operation(case.map(of::<Single>), round)), NAN)
                });
                check(&body(".ftz.sat"), false, &cases, |case| {
                    bits(saturate(flushed(case)), NAN)
                });
            }
        }
    }
}

#[test]
fn f64_operations_in_every_mode() {
    let cases = triples::<Double>(6000);
    for (name, operands, operation) in operations::<Double>() {
        for (word, round) in ROUNDINGS {
            let names = names("", operands);
            let body = format!("{name}.{word}.f64 %o{names};");
            check(&body, true, &cases, |case| {
                bits(operation(case.map(of::<Double>), round), NAN64)
            });
        }
    }
}

#[test]
fn pairs_of_f32_in_every_mode() {
    let cases = triples::<Single>(3000);
    let pairs: Vec<[u64; 3]> = cases
        .iter()
        .zip(cases.iter().rev())
        .map(|(low, high)| [0, 1, 2].map(|i| low[i] | high[i] << 32))
        .collect();
    for (index, (name, operands, operation)) in operations::<Single>()[..4].iter().enumerate() {
        for (word, round) in ROUNDINGS {
            let names = names("", *operands);
            let part = |x: u64| of::<Single>(x & 0xffff_ffff);
            check(
                &format!("{name}.{word}.f32x2 %o{names};"),
                false,
                &pairs,
                |case| {
                    let low = operation(case.map(part), round);
                    let high = operation(case.map(|x| part(x >> 32)), round);
                    bits(low, NAN) | bits(high, NAN) << 32
                },
            );
            check(
                &format!("{name}.{word}.ftz.f32x2 %o{names};"),
                false,
                &pairs,
                |case| {
                    let low = flushed(index, case.map(part), round);
                    let high = flushed(index, case.map(|x| part(x >> 32)), round);
                    bits(low, NAN) | bits(high, NAN) << 32
                },
            );
        }
    }
}

#[test]
fn f32_with_16_bit_operands_in_every_mode() {
    use rustc_apfloat::ieee::{BFloat, Half};
    fn mixed<H: Float + FloatConvert<Single>>(name: &str) {
        let wide = |x: u64| -> Single {
            let narrow: H = of(x & 0xffff);
            narrow.convert_r(Round::NearestTiesToEven, &mut false).value
        };
        // The low halves of random words are random 16-bit values.
        let mut cases = triples::<Single>(4000);
        cases.extend(triples::<H>(2000));
        for (word, round) in ROUNDINGS {
            for (sat, cut) in [("", false), (".sat", true)] {
                let finish = |x: Single| bits(if cut { saturate(x) } else { x }, NAN);
                let store = "cvt.u64.u32 %o, %ro;";
                let body = format!("add.{word}{sat}.f32.{name} %ro, %ha, %rb; {store}");
                check(&body, false, &cases, |[a, b, _]| {
                    finish(wide(a).add_r(of(b), round).value)
                });
                let body = format!("sub.{word}{sat}.f32.{name} %ro, %ha, %rb; {store}");
                check(&body, false, &cases, |[a, b, _]| {
                    finish(wide(a).sub_r(of(b), round).value)
                });
                let body = format!("fma.{word}{sat}.f32.{name} %ro, %ha, %hb, %rc; {store}");
                check(&body, false, &cases, |[a, b, c]| {
                    finish(wide(a).mul_add_r(wide(b), of(c), round).value)
                });
            }
        }
    }
    mixed::<Half>("f16");
    mixed::<BFloat>("bf16");
}

fn one_operand(values: impl IntoIterator<Item = u64>) -> Vec<[u64; 3]> {
    values.into_iter().map(|a| [a, 0, 0]).collect()
}

#[test]
fn f64_is_narrowed_in_every_mode() {
    let mut random = Random(32);
    let near = (0..6000).map(|index| {
        let bits = random.next();
        // Within the exponents of f32 and a little beyond; ties often.
        let exponent = 1023 - 155 + (bits >> 52) % 290;
        let fraction = bits & ((1 << 52) - 1);
        let fraction = if index % 2 == 0 {
            fraction >> 28 << 28
        } else {
            fraction
        };
        bits >> 63 << 63 | exponent << 52 | fraction
    });
    // PTX leaves open what becomes of a NaN, and whether `.ftz` flushes before
    // rounding what rounds to the smallest normal number.
    let smallest = f64::from(f32::MIN_POSITIVE);
    let open = |&bits: &u64| {
        let x = f64::from_bits(bits).abs();
        x.is_nan() || x > smallest * (1.0 - 2f64.powi(-23)) && x < smallest
    };
    let values = edges::<Double>().into_iter().chain(near);
    let cases = one_operand(values.filter(|bits| !open(bits)));
    let nan = evaluate(
        "cvt.rn.f32.f64 %ro, %a; cvt.u64.u32 %o, %ro;",
        &[[NAN64, 0, 0, 0]],
    );
    assert!(f32::from_bits(nan[0] as u32).is_nan());
    for (word, round) in ROUNDINGS {
        let narrow = |x: u64| -> Single { of::<Double>(x).convert_r(round, &mut false).value };
        let body = |rest: &str| format!("cvt.{word}{rest}.f32.f64 %ro, %a; cvt.u64.u32 %o, %ro;");
        check(&body(""), false, &cases, |[a, ..]| bits(narrow(a), NAN));
        check(&body(".ftz"), false, &cases, |[a, ..]| {
            bits(flush(narrow(a)), NAN)
        });
        check(&body(".sat"), false, &cases, |[a, ..]| {
            bits(saturate(narrow(a)), NAN)
        });
    }
}

const INTEGERS: [(&str, usize, bool); 8] = [
    ("s8", 8, true),
    ("u8", 8, false),
    ("s16", 16, true),
    ("u16", 16, false),
    ("s32", 32, true),
    ("u32", 32, false),
    ("s64", 64, true),
    ("u64", 64, false),
];

fn extend(x: u64, width: usize, signed: bool) -> u64 {
    let up = 64 - width;
    if signed {
        ((x << up) as i64 >> up) as u64
    } else {
        x << up >> up
    }
}

fn to_integers<F: Float>(name: &str, source: &str) {
    let mut random = Random(F::BITS as u64 + 1);
    let values = (0..4000).map(|_| {
        // A multiple of a quarter, of up to 66 bits.
        let bits = random.next();
        let value = F::from_i128(i128::from(bits as i64) >> (bits % 60)).value;
        value.scalbn(-((bits >> 8) as i32 & 3)).to_bits() as u64
    });
    let cases = one_operand(edges::<F>().into_iter().chain(values));
    for (word, round) in ROUNDINGS {
        for (ty, width, signed) in INTEGERS {
            let (to, store) = match width {
                64 => ("%o", ""),
                16 => ("%ho", "cvt.u64.u16 %o, %ho;"),
                _ => ("%ro", "cvt.u64.u32 %o, %ro;"),
            };
            let register = if width == 8 { 32 } else { width };
            let body = format!("cvt.{word}i.{ty}.{name} {to}, {source}; {store}");
            check(&body, false, &cases, |[a, ..]| {
                let x = of::<F>(a);
                let value = if x.is_nan() {
                    // PTX ISA, `cvt`.
                    let indefinite = name == "f64" || width == 64;
                    u64::from(indefinite) << (width - 1)
                } else if signed {
                    x.to_i128_r(width, round, &mut false).value as u64
                } else {
                    x.to_u128_r(width, round, &mut false).value as u64
                };
                extend(extend(value, width, signed), register, false)
            });
        }
        let (to, store) = if name == "f64" {
            ("%o", "")
        } else {
            ("%ro", "cvt.u64.u32 %o, %ro;")
        };
        let body = format!("cvt.{word}i.{name}.{name} {to}, {source}; {store}");
        let nan = if name == "f64" { NAN64 } else { NAN };
        check(&body, name == "f64", &cases, |[a, ..]| {
            bits(of::<F>(a).round_to_integral(round).value, nan)
        });
    }
}

#[test]
fn floats_to_integers_in_every_mode() {
    to_integers::<Single>("f32", "%ra");
    to_integers::<Double>("f64", "%a");
}

fn from_integers<F: Float>(name: &str, to: &str, store: &str) {
    let mut random = Random(F::BITS as u64 + 2);
    let values = (0..4000).map(|_| {
        let bits = random.next();
        bits >> (bits & 63) ^ if bits >> 6 & 1 != 0 { u64::MAX } else { 0 }
    });
    let limits = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 0xffff_ffff, 1 << 31];
    let cases = one_operand(limits.into_iter().chain(values));
    for (word, round) in ROUNDINGS {
        for (ty, width, signed) in INTEGERS {
            let source = match width {
                64 => "%a",
                16 => "%ha",
                _ => "%ra",
            };
            let body = format!("cvt.{word}.{name}.{ty} {to}, {source}; {store}");
            check(&body, false, &cases, |[a, ..]| {
                let value = extend(a, width, signed);
                let value = if signed {
                    F::from_i128_r(i128::from(value as i64), round).value
                } else {
                    F::from_u128_r(u128::from(value), round).value
                };
                value.to_bits() as u64
            });
        }
    }
}

#[test]
fn integers_to_floats_in_every_mode() {
    from_integers::<Single>("f32", "%ro", "cvt.u64.u32 %o, %ro;");
    from_integers::<Double>("f64", "%o", "");
}

/// The smaller or larger one as PTX defines it.
fn extreme<F: Float>(a: F, b: F, largest: bool, propagate: bool) -> F {
    match (a.is_nan(), b.is_nan()) {
        (true, _) | (_, true) if propagate => F::NAN,
        (true, _) => b,
        (_, true) => a,
        _ if largest => a.maximum(b),
        _ => a.minimum(b),
    }
}

#[test]
fn extremes_of_f32_and_f64() {
    let cases = triples::<Single>(3000);
    for (word, largest) in [("min", false), ("max", true)] {
        for (nan, propagate) in [("", false), (".NaN", true)] {
            for (ftz, flushes) in [("", false), (".ftz", true)] {
                let part = |x: u64| {
                    let x = of::<Single>(x);
                    if flushes { flush(x) } else { x }
                };
                let body = |rest: &str, operands: usize| {
                    let names = names("r", operands);
                    format!("{word}{ftz}{nan}{rest}.f32 %ro{names}; cvt.u64.u32 %o, %ro;")
                };
                check(&body("", 2), false, &cases, |[a, b, _]| {
                    bits(extreme(part(a), part(b), largest, propagate), NAN)
                });
                check(&body(".xorsign.abs", 2), false, &cases, |[a, b, _]| {
                    let value = extreme(part(a).abs(), part(b).abs(), largest, propagate);
                    let negative = (a ^ b) >> 31 != 0;
                    bits(if negative { -value } else { value }, NAN)
                });
                check(&body("", 3), false, &cases, |case| {
                    let [a, b, c] = case.map(part);
                    let first = extreme(a, b, largest, propagate);
                    bits(extreme(first, c, largest, propagate), NAN)
                });
                check(&body(".abs", 3), false, &cases, |case| {
                    let [a, b, c] = case.map(|x| part(x).abs());
                    let first = extreme(a, b, largest, propagate);
                    bits(extreme(first, c, largest, propagate), NAN)
                });
            }
        }
        check(
            &format!("{word}.f64 %o, %a, %b;"),
            true,
            &triples::<Double>(3000),
            |[a, b, _]| bits(extreme(of::<Double>(a), of(b), largest, false), NAN64),
        );
    }
}
