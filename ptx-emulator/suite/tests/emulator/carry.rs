//! Carries and borrows: numbers of four words against u128 and i128.

use crate::harness;

use crate::harness::{evaluate, expect32, expect64, module, refusal};
use crate::patterns::Random;

/// Values with runs of ones and zeros, so that carries run far.
fn values(count: usize) -> Vec<[u64; 4]> {
    let mut random = Random(128);
    let mut pick = || {
        let bits = random.next();
        match bits & 7 {
            0 => 0,
            1 => u64::MAX,
            2 => u64::MAX << (bits >> 8 & 63),
            3 => u64::MAX >> (bits >> 8 & 63),
            4 => 1 << (bits >> 8 & 63),
            _ => bits,
        }
    };
    (0..count)
        .map(|_| [pick(), pick(), pick(), pick()])
        .collect()
}

fn wide(low: u64, high: u64) -> u128 {
    u128::from(low) | u128::from(high) << 64
}

#[test]
fn sums_and_differences_of_128_bits() {
    // (b:a) and (d:c); `%t64` keeps the low word.
    let cases = values(3000);
    for (ty, add, sub) in [("u64", "add", "sub"), ("s64", "add", "sub")] {
        for (word, expected) in [
            (add, (|x, y| x.wrapping_add(y)) as fn(u128, u128) -> u128),
            (sub, |x, y| x.wrapping_sub(y)),
        ] {
            let low = format!("{word}.cc.{ty} %o, %a, %c; {word}c.{ty} %t64, %b, %d;");
            let high = format!("{low} mov.b64 %o, %t64;");
            let (low, high) = (evaluate(&low, &cases), evaluate(&high, &cases));
            for (case, (low, high)) in cases.iter().zip(low.into_iter().zip(high)) {
                let expected = expected(wide(case[0], case[1]), wide(case[2], case[3]));
                assert_eq!(wide(low, high), expected, "{word} {case:x?}");
            }
        }
    }
}

#[test]
fn carries_run_through_four_words_of_32_bits() {
    let cases = values(3000);
    for (word, expected) in [
        ("add", (|x, y| x.wrapping_add(y)) as fn(u128, u128) -> u128),
        ("sub", |x, y| x.wrapping_sub(y)),
    ] {
        let body = format!(
            ".reg .b32 %x<4>, %y<4>;
             mov.b64 {{%x0, %x1}}, %a; mov.b64 {{%x2, %x3}}, %b;
             mov.b64 {{%y0, %y1}}, %c; mov.b64 {{%y2, %y3}}, %d;
             {word}.cc.u32 %x0, %x0, %y0; {word}c.cc.u32 %x1, %x1, %y1;
             {word}c.cc.s32 %x2, %x2, %y2; {word}c.u32 %x3, %x3, %y3;"
        );
        let low = evaluate(&format!("{body} mov.b64 %o, {{%x0, %x1}};"), &cases);
        let high = evaluate(&format!("{body} mov.b64 %o, {{%x2, %x3}};"), &cases);
        for (case, (low, high)) in cases.iter().zip(low.into_iter().zip(high)) {
            let expected = expected(wide(case[0], case[1]), wide(case[2], case[3]));
            assert_eq!(wide(low, high), expected, "{word} {case:x?}");
        }
    }
}

#[test]
fn products_of_64_bits_are_added_to_128() {
    // a * b + (d:c), modulo 2^128.
    let cases = values(3000);
    let body = "mad.lo.cc.u64 %o, %a, %b, %c; madc.hi.u64 %t64, %a, %b, %d;";
    let low = evaluate(body, &cases);
    let high = evaluate(&format!("{body} mov.b64 %o, %t64;"), &cases);
    for (case, (low, high)) in cases.iter().zip(low.into_iter().zip(high)) {
        let expected =
            (u128::from(case[0]) * u128::from(case[1])).wrapping_add(wide(case[2], case[3]));
        assert_eq!(wide(low, high), expected, "{case:x?}");
    }
    // Signed: the upper half of the product is the signed one.
    let body = "mad.lo.cc.s64 %o, %a, %b, %c; madc.hi.s64 %t64, %a, %b, %d; mov.b64 %o, %t64;";
    for (case, found) in cases.iter().zip(evaluate(body, &cases)) {
        let product = i128::from(case[0] as i64) * i128::from(case[1] as i64);
        let expected = (product as u128).wrapping_add(wide(case[2], case[3])) >> 64;
        assert_eq!(u128::from(found), expected, "{case:x?}");
    }
    let body = "mad.lo.cc.s32 %ro, %ra, %rb, %rc; madc.hi.cc.s32 %t32, %ra, %rb, %rd;
                mov.b64 %o, {%ro, %t32};";
    for (case, found) in cases.iter().zip(evaluate(body, &cases)) {
        let [a, b, c, d] = case.map(|x| x as u32);
        let product = i64::from(a as i32) * i64::from(b as i32);
        let addend = u64::from(c) | u64::from(d) << 32;
        assert_eq!(found, (product as u64).wrapping_add(addend), "{case:x?}");
    }
}

#[test]
fn a_carry_belongs_to_the_lane_and_is_kept_until_it_is_written() {
    // A product's upper half may carry too; addc without .cc leaves the carry.
    expect32(
        "mad.hi.cc.u32 %t32, %ra, %rb, %rc; addc.u32 %t32, 0, 0; addc.u32 %ro, 5, %t32;",
        &[
            ([0x8000_0000, 2, u64::MAX, 0], 7),
            ([0x8000_0000, 1, u64::MAX, 0], 5),
        ],
    );
    // Lanes that a guard leaves out keep theirs.
    expect32(
        "add.cc.u32 %t32, %ra, 1; setp.ne.u32 %p, %rb, 0;
         @%p add.cc.u32 %t32, 0, 0; addc.u32 %ro, 0, 0;",
        &[
            ([0xffff_ffff, 0, 0, 0], 1),
            ([0xffff_ffff, 1, 0, 0], 0),
            ([0, 0, 0, 0], 0),
        ],
    );
    // A borrow: 0 - 1, then 10 - 3 - 1.
    expect64(
        "sub.cc.u64 %o, %a, 1; subc.u64 %o, 10, 3;",
        &[([0, 0, 0, 0], 6), ([1, 0, 0, 0], 7)],
    );
    // 0 - (max + borrow) borrows although max + 1 wraps.
    expect64(
        "sub.cc.u64 %o, 0, 1; subc.cc.u64 %o, 0, %a; subc.u64 %o, 5, 0;",
        &[([u64::MAX, 0, 0, 0], 4)],
    );
}

#[test]
fn each_function_has_a_carry_of_its_own() {
    let function = ".func overflow() { .reg .b32 %t; add.cc.u32 %t, -1, 1; ret; }";
    let ptx = module(
        function,
        "add.cc.u32 %r1, 0, 0; call overflow; addc.u32 %r2, 0, 0; st.global.u32 [%d0], %r2; ret;",
    );
    let options = ptx_emulator::LaunchOptions::default();
    let (found, _) = harness::launch(&ptx, 1, 1, 1, &options).unwrap();
    assert_eq!(found, [0]);
}

#[test]
fn sixteen_bits_do_not_carry() {
    assert!(refusal("add.cc.u16 %ho, %ha, %hb;").contains("U16"));
    refusal("mad.wide.cc.u32 %o, %ra, %rb, %c;");
    refusal("addc.f32 %ro, %ra, %rb;");
}
