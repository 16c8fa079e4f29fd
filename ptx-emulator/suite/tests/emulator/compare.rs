//! Comparison and selection; expected values by hand.

use crate::harness::{expect32, expect64};

fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

#[test]
fn signed_and_unsigned_comparisons_differ() {
    let cases = |hit: u32, other: u32| [([0xffff_ffff, 1, 0, 0], hit), ([1, 1, 0, 0], other)];
    expect32(
        "setp.lt.s32 %p, %ra, %rb; selp.u32 %ro, 1, 0, %p;",
        &cases(1, 0),
    );
    expect32(
        "setp.lt.u32 %p, %ra, %rb; selp.u32 %ro, 1, 0, %p;",
        &cases(0, 0),
    );
    expect32(
        "setp.hs.u32 %p, %ra, %rb; selp.u32 %ro, 1, 0, %p;",
        &cases(1, 1),
    );
    expect32(
        "set.le.u32.s32 %ro, %ra, %rb;",
        &cases(0xffff_ffff, 0xffff_ffff),
    );
    expect32("set.gt.f32.u32 %ro, %ra, %rb;", &cases(0x3f80_0000, 0));
    expect32(
        "setp.ne.b64 %p, %a, 0; selp.u32 %ro, 1, 0, %p;",
        &[([1 << 40, 0, 0, 0], 1)],
    );
}

#[test]
fn a_second_predicate_is_the_complement_before_combining() {
    let text = "setp.ne.u32 %q, %rc, 0; setp.eq.and.u32 %p|%q, %ra, %rb, %q; \
                selp.u32 %ro, 1, 0, %p; selp.u32 %t32, 2, 0, %q; add.u32 %ro, %ro, %t32;";
    expect32(
        text,
        &[
            ([5, 5, 1, 0], 1),
            ([5, 6, 1, 0], 2),
            ([5, 5, 0, 0], 0),
            ([5, 6, 0, 0], 0),
        ],
    );
    let text = "setp.ne.u32 %q, %rc, 0; setp.eq.or.u32 %p, %ra, %rb, !%q; selp.u32 %ro, 1, 0, %p;";
    expect32(text, &[([5, 6, 0, 0], 1), ([5, 6, 1, 0], 0)]);
}

#[test]
fn ordered_comparisons_are_false_and_unordered_ones_true_for_nan() {
    let nan = f(f32::NAN);
    for (word, equal, with_nan) in [
        ("eq", 1, 0),
        ("ne", 0, 0),
        ("le", 1, 0),
        ("equ", 1, 1),
        ("neu", 0, 1),
        ("ltu", 0, 1),
        ("num", 1, 0),
        ("nan", 0, 1),
    ] {
        let text = format!("setp.{word}.f32 %p, %ra, %rb; selp.u32 %ro, 1, 0, %p;");
        expect32(
            &text,
            &[
                ([f(1.0), f(1.0), 0, 0], equal),
                ([nan, f(1.0), 0, 0], with_nan),
            ],
        );
    }
    // -0 = +0; a subnormal is zero with .ftz.
    expect32(
        "setp.eq.f32 %p, %ra, %rb; selp.u32 %ro, 1, 0, %p;",
        &[([f(-0.0), 0, 0, 0], 1), ([1, 0, 0, 0], 0)],
    );
    expect32(
        "setp.eq.ftz.f32 %p, %ra, %rb; selp.u32 %ro, 1, 0, %p;",
        &[([1, 0, 0, 0], 1)],
    );
    expect32(
        "setp.gt.f64 %p, %a, %b; selp.u32 %ro, 1, 0, %p;",
        &[([2f64.to_bits(), 1f64.to_bits(), 0, 0], 1)],
    );
}

#[test]
fn selection_by_predicate_and_by_sign() {
    expect64(
        "setp.gt.u32 %p, %rc, 3; selp.b64 %o, %a, %b, %p;",
        &[([7, 8, 4, 0], 7), ([7, 8, 3, 0], 8)],
    );
    expect32(
        "slct.u32.s32 %ro, %ra, %rb, %rc;",
        &[([7, 8, 0, 0], 7), ([7, 8, 0xffff_ffff, 0], 8)],
    );
    expect32(
        "slct.u32.f32 %ro, %ra, %rb, %rc;",
        &[([7, 8, f(-0.0), 0], 7), ([7, 8, f(f32::NAN), 0], 8)],
    );
    expect32(
        "testp.subnormal.f32 %p, %ra; selp.u32 %ro, 1, 0, %p;",
        &[([1, 0, 0, 0], 1), ([0, 0, 0, 0], 0)],
    );
    // Zeros count as normal; PTX ISA, `testp`.
    expect32(
        "testp.normal.f32 %p, %ra; selp.u32 %ro, 1, 0, %p;",
        &[
            ([0, 0, 0, 0], 1),
            ([f(-0.0), 0, 0, 0], 1),
            ([f(1.0), 0, 0, 0], 1),
            ([1, 0, 0, 0], 0),
            ([f(f32::INFINITY), 0, 0, 0], 0),
        ],
    );
}
