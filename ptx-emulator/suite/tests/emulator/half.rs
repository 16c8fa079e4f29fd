//! f16 and bf16: arithmetic against `rustc_apfloat`, every pattern through
//! the conversions.

use crate::patterns;

use crate::harness::{evaluate, refusal};
use crate::patterns::{Random, bits, flush, relu, saturate, triples};
use rustc_apfloat::ieee::{BFloat, Half};
use rustc_apfloat::{Float, Round};

/// The NaN of both formats.
const NAN: u64 = 0x7fff;
const NEAREST: Round = Round::NearestTiesToEven;

/// `body`, scalar and packed, against `expected` of the operands.
fn check<F: Float>(name: &str, operands: usize, expected: impl Fn(F, F, F) -> F) {
    let triples = triples::<F>(6000);
    let of = |[a, b, c]: [u64; 3]| {
        let [a, b, c] = [a, b, c].map(|x| F::from_bits(u128::from(x)));
        bits(expected(a, b, c), NAN)
    };
    let names = |prefix: char| -> String {
        ["a", "b", "c"][..operands]
            .iter()
            .map(|x| format!(", %{prefix}{x}"))
            .collect()
    };
    let cases: Vec<[u64; 4]> = triples.iter().map(|&[a, b, c]| [a, b, c, 0]).collect();
    let body = format!("{name} %ho{}; cvt.u64.u16 %o, %ho;", names('h'));
    for (case, found) in triples.iter().zip(evaluate(&body, &cases)) {
        let expected = of(*case);
        assert_eq!(
            found, expected,
            "{name} {case:x?}: {found:#x} {expected:#x}"
        );
    }
    // The neighbour in the upper half.
    let above = |index: usize| triples[(index + 1) % triples.len()];
    let cases: Vec<[u64; 4]> = (0..triples.len())
        .map(|i| {
            let (low, high) = (triples[i], above(i));
            [0, 1, 2, 3].map(|x| if x < 3 { low[x] | high[x] << 16 } else { 0 })
        })
        .collect();
    let body = format!("{name}x2 %ro{}; cvt.u64.u32 %o, %ro;", names('r'));
    for (i, found) in evaluate(&body, &cases).into_iter().enumerate() {
        let expected = of(triples[i]) | of(above(i)) << 16;
        assert_eq!(
            found, expected,
            "{name}x2 {:x?}: {found:#x} {expected:#x}",
            cases[i]
        );
    }
}

fn sum<F: Float>(a: F, b: F, _: F) -> F {
    a.add_r(b, NEAREST).value
}

fn difference<F: Float>(a: F, b: F, _: F) -> F {
    a.sub_r(b, NEAREST).value
}

fn product<F: Float>(a: F, b: F, _: F) -> F {
    a.mul_r(b, NEAREST).value
}

fn fused<F: Float>(a: F, b: F, c: F) -> F {
    a.mul_add_r(b, c, NEAREST).value
}

/// `f` with operands and result flushed.
fn flushed<F: Float>(f: impl Fn(F, F, F) -> F) -> impl Fn(F, F, F) -> F {
    move |a, b, c| flush(f(flush(a), flush(b), flush(c)))
}

/// As `flushed`, for `a * b + c`, whose exact value may be below the least
/// normal number when the rounded one is it: hardware flushes what is below
/// after rounding to full precision, which 2^8 times the value is rounded to.
fn flushed_product<F: Float>(f: impl Fn(F, F, F) -> F) -> impl Fn(F, F, F) -> F {
    move |a, b, c| {
        let (a, b, c) = (flush(a), flush(b), flush(c));
        let value = f(a, b, c);
        let least = F::smallest_normalized();
        if value.abs() != least {
            return flush(value);
        }
        let (x, y) = if a.abs() < F::from_u128(1).value {
            (a.scalbn(8), b)
        } else {
            (a, b.scalbn(8))
        };
        if f(x, y, c.scalbn(8)).abs() < least.scalbn(8) {
            F::ZERO.copy_sign(value)
        } else {
            value
        }
    }
}

#[test]
fn sums_differences_and_products_are_rounded_once() {
    check::<Half>("add.f16", 2, sum);
    check::<Half>("add.rn.f16", 2, sum);
    check::<Half>("sub.f16", 2, difference);
    check::<Half>("mul.f16", 2, product);
    check::<BFloat>("add.bf16", 2, sum);
    check::<BFloat>("sub.rn.bf16", 2, difference);
    check::<BFloat>("mul.bf16", 2, product);
}

#[test]
fn fused_products_are_rounded_once() {
    check::<Half>("fma.rn.f16", 3, fused);
    check::<BFloat>("fma.rn.bf16", 3, fused);
}

#[test]
fn subnormals_are_flushed_and_results_cut() {
    check::<Half>("add.ftz.f16", 2, flushed(sum));
    check::<Half>("mul.ftz.f16", 2, flushed_product(product));
    check::<Half>("fma.rn.ftz.f16", 3, flushed_product(fused));
    check::<Half>("add.sat.f16", 2, |a, b, c| saturate(sum(a, b, c)));
    check::<Half>("sub.ftz.sat.f16", 2, |a, b, c| {
        saturate(flushed(difference)(a, b, c))
    });
    check::<Half>("mul.sat.f16", 2, |a, b, c| saturate(product(a, b, c)));
    check::<Half>("fma.rn.sat.f16", 3, |a, b, c| saturate(fused(a, b, c)));
    check::<Half>("fma.rn.relu.f16", 3, |a, b, c| relu(fused(a, b, c)));
    check::<Half>("fma.rn.ftz.relu.f16", 3, |a, b, c| {
        relu(flushed_product(fused)(a, b, c))
    });
    check::<BFloat>("fma.rn.relu.bf16", 3, |a, b, c| relu(fused(a, b, c)));
}

/// IEEE 754-2019 minimumNumber, with -0 below +0.
fn smaller<F: Float>(a: F, b: F, _: F) -> F {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => a.minimum(b),
    }
}

fn larger<F: Float>(a: F, b: F, _: F) -> F {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => a.maximum(b),
    }
}

/// `f` of the magnitudes with the sign of the product.
fn exclusive<F: Float>(f: impl Fn(F, F, F) -> F) -> impl Fn(F, F, F) -> F {
    move |a, b, c| {
        let negative = a.is_negative() != b.is_negative();
        let value = f(a.abs(), b.abs(), c);
        if negative { -value } else { value }
    }
}

#[test]
fn extremes_take_numbers_before_nan_unless_told() {
    check::<Half>("min.f16", 2, smaller);
    check::<Half>("max.f16", 2, larger);
    check::<Half>("max.ftz.f16", 2, flushed(larger));
    check::<Half>("min.NaN.f16", 2, |a, b, _| a.minimum(b));
    check::<Half>("max.ftz.NaN.f16", 2, flushed(|a: Half, b, _| a.maximum(b)));
    check::<Half>("min.xorsign.abs.f16", 2, exclusive(smaller));
    check::<Half>(
        "max.NaN.xorsign.abs.f16",
        2,
        exclusive(|a: Half, b, _| a.maximum(b)),
    );
    check::<BFloat>("min.bf16", 2, smaller);
    check::<BFloat>("max.NaN.bf16", 2, |a, b, _| a.maximum(b));
    check::<BFloat>("max.xorsign.abs.bf16", 2, exclusive(larger));
}

#[test]
fn signs_change_and_nothing_else() {
    // All patterns; a NaN becomes the one that operations give.
    let cases: Vec<[u64; 4]> = (0..0x1_0000).map(|a| [a, 0, 0, 0]).collect();
    for ty in ["f16", "bf16"] {
        for (word, expected) in [
            ("neg", (|a| a ^ 0x8000) as fn(u64) -> u64),
            ("abs", |a| a & 0x7fff),
        ] {
            let body = format!("{word}.{ty} %ho, %ha; cvt.u64.u16 %o, %ho;");
            for (case, found) in cases.iter().zip(evaluate(&body, &cases)) {
                let infinity = if ty == "f16" { 0x7c00 } else { 0x7f80 };
                let expected = match case[0] & 0x7fff > infinity {
                    true => NAN,
                    false => expected(case[0]),
                };
                assert_eq!(found, expected, "{word}.{ty} {:#x}", case[0]);
            }
        }
    }
    let found = evaluate(
        "neg.ftz.f16x2 %ro, %ra; cvt.u64.u32 %o, %ro;",
        &[[0x8001_3c00, 0, 0, 0]],
    );
    assert_eq!(found, [0x0000_bc00]);
}

#[test]
fn what_is_not_there_is_refused() {
    assert!(refusal("fma.f16 %ho, %ha, %hb, %hc;").contains("`.rn`"));
    assert!(refusal("add.sat.bf16 %ho, %ha, %hb;").contains("neither"));
    assert!(refusal("fma.rn.oob.f16 %ho, %ha, %hb, %hc;").contains("`.oob`"));
    assert!(refusal("min.xorsign.f16 %ho, %ha, %hb;").contains("`.abs`"));
    assert!(refusal("setp.lt.f16x2 %p, %ra, %rb;").contains("p|q"));
}

/// Whether a comparison holds.
fn holds(word: &str, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match word {
        "eq" => a == b,
        "ne" => !unordered && a != b,
        "lt" => a < b,
        "le" => a <= b,
        "gt" => a > b,
        "ge" => a >= b,
        "equ" => unordered || a == b,
        "neu" => unordered || a != b,
        "ltu" => unordered || a < b,
        "leu" => unordered || a <= b,
        "gtu" => unordered || a > b,
        "geu" => unordered || a >= b,
        "num" => !unordered,
        _ => unordered,
    }
}

const COMPARISONS: [&str; 14] = [
    "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan",
];

#[test]
fn comparisons_know_the_unordered() {
    let mut random = Random(1);
    let edges = patterns::edges::<Half>();
    let brain_edges = patterns::edges::<BFloat>();
    for word in COMPARISONS {
        for (ty, edges, value) in [
            (
                "f16",
                &edges,
                (|x| half::f16::from_bits(x as u16).to_f64()) as fn(u64) -> f64,
            ),
            ("bf16", &brain_edges, |x| {
                half::bf16::from_bits(x as u16).to_f64()
            }),
        ] {
            let mut pick = || edges[random.next() as usize % edges.len()];
            let cases: Vec<[u64; 4]> = (0..1500)
                .map(|_| {
                    let (a, b) = (pick() | pick() << 16, pick() | pick() << 16);
                    [a, b, pick() & 1, 0]
                })
                .collect();
            let low = |[a, b, ..]: [u64; 4]| holds(word, value(a & 0xffff), value(b & 0xffff));
            let high = |[a, b, ..]: [u64; 4]| holds(word, value(a >> 16), value(b >> 16));
            // Both results of each, in bits 0 and 1.
            let both = "selp.u64 %o, 1, 0, %p; @%q or.b64 %o, %o, 2;";
            let body = format!("setp.{word}.{ty} %p, %ha, %hb; selp.u64 %o, 1, 0, %p;");
            for (case, found) in cases.iter().zip(evaluate(&body, &cases)) {
                assert_eq!(found, u64::from(low(*case)), "{word}.{ty} {case:x?}");
            }
            let body = format!(
                "setp.ne.u32 %p, %rc, 0; setp.{word}.xor.{ty}x2 %p|%q, %ra, %rb, !%p; {both}"
            );
            for (case, found) in cases.iter().zip(evaluate(&body, &cases)) {
                let flip = case[2] == 0;
                let expected = u64::from(low(*case) != flip) | u64::from(high(*case) != flip) << 1;
                assert_eq!(found, expected, "{word}.xor.{ty}x2 {case:x?}");
            }
            let one = if ty == "f16" { 0x3c00 } else { 0x3f80 };
            let body = format!("set.{word}.{ty}.{ty} %ho, %ha, %hb; cvt.u64.u16 %o, %ho;");
            for (case, found) in cases.iter().zip(evaluate(&body, &cases)) {
                assert_eq!(found, if low(*case) { one } else { 0 }, "{body} {case:x?}");
            }
            for (to, element) in [("u32", 0xffff), (&*format!("{ty}x2"), one)] {
                let body = format!("set.{word}.{to}.{ty}x2 %ro, %ra, %rb; cvt.u64.u32 %o, %ro;");
                for (case, found) in cases.iter().zip(evaluate(&body, &cases)) {
                    let part = |holds: bool| if holds { element } else { 0 };
                    let expected = part(low(*case)) | part(high(*case)) << 16;
                    assert_eq!(found, expected, "{body} {case:x?}");
                }
            }
        }
    }
    // Flushed, the smallest subnormal is zero.
    let tiny = [[1, 0, 0, 0]];
    let body = |ftz: &str| format!("setp.gt{ftz}.f16 %p, %ha, %hb; selp.u64 %o, 1, 0, %p;");
    assert_eq!(evaluate(&body(""), &tiny), [1]);
    assert_eq!(evaluate(&body(".ftz"), &tiny), [0]);
    let body = "set.eq.s16.f16 %ho, %ha, %hb; cvt.u64.u16 %o, %ho;";
    assert_eq!(evaluate(body, &[[0x3c00, 0x3c00, 0, 0]]), [0xffff]);
    let body = "set.lt.f16.s32 %ho, %ra, %rb; cvt.u64.u16 %o, %ho;";
    assert_eq!(evaluate(body, &[[u64::MAX, 0, 0, 0]]), [0x3c00]);
}
