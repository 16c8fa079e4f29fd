//! Scalar video instructions; expected values by hand from the formulas of the PTX ISA.

use crate::harness::{expect32, refusal};

/// `a`, `b` and `c` of one thread, and the result.
fn expect(instruction: &str, [a, b, c]: [u32; 3], result: u32) {
    expect32(instruction, &[([a.into(), b.into(), c.into(), 0], result)]);
}

#[test]
fn parts_are_extended_by_the_sign_of_their_type() {
    let bytes = [0x80ff_7f01, 0, 0];
    expect("vadd.s32.s32.s32 %ro, %ra.b3, 1;", bytes, 0xffff_ff81);
    expect("vadd.s32.u32.s32 %ro, %ra.b3, 1;", bytes, 0x81);
    expect("vadd.s32.s32.s32 %ro, %ra.h1, %ra.b1;", bytes, 0xffff_817e);
    expect(
        "vsub.s32.u32.u32 %ro, %ra.b0, %ra.h0;",
        bytes,
        1u32.wrapping_sub(0x7f01),
    );
}

#[test]
fn results_saturate_to_their_type_or_to_the_part_that_they_are() {
    let words = [300, 500, 0xaabb_ccdd];
    expect("vsub.u32.u32.u32.sat %ro, %ra, %rb;", words, 0);
    expect(
        "vsub.s32.u32.u32.sat %ro, %ra, %rb;",
        words,
        200u32.wrapping_neg(),
    );
    expect(
        "vadd.u32.u32.u32.sat %ro.b1, %ra, %rb, %rc;",
        words,
        0xaabb_ffdd,
    );
    expect(
        "vadd.s32.u32.u32.sat %ro.b1, %ra, %rb, %rc;",
        words,
        0xaabb_7fdd,
    );
    expect(
        "vadd.u32.u32.u32 %ro.h1, %ra, %rb, %rc;",
        words,
        0x0320_ccdd,
    );
    expect(
        "vadd.u32.u32.u32.sat %ro, %ra, %rb;",
        [u32::MAX, 1, 0],
        u32::MAX,
    );
    expect(
        "vadd.s32.s32.s32.sat %ro, %ra, %rb;",
        [i32::MAX as u32, 1, 0],
        i32::MAX as u32,
    );
}

#[test]
fn a_third_operand_is_added_or_compared_by_the_type_of_the_result() {
    let words = [7, 9, 5];
    expect("vabsdiff.u32.u32.u32.add %ro, %ra, %rb, %rc;", words, 7);
    expect(
        "vsub.s32.u32.u32.min %ro, %ra, %rb, %rc;",
        words,
        2u32.wrapping_neg(),
    );
    expect("vsub.u32.u32.u32.min %ro, %ra, %rb, %rc;", words, 5);
    expect("vmax.u32.u32.u32.max %ro, %ra, %rb, %rc;", words, 9);
    expect("vset.u32.u32.lt.add %ro, %ra, %rb, %rc;", words, 6);
    // So did an H200 (2026-11-24).
    let below = [7, 9, -5i32 as u32];
    expect("vset.s32.u32.lt.max %ro, %ra, %rb, %rc;", below, 1);
    expect("vset.u32.s32.lt.max %ro, %ra, %rb, %rc;", below, below[2]);
    expect("vset.s32.u32.ge %ro, %ra, %rb;", [u32::MAX, 1, 0], 0);
}

#[test]
fn shifts_clamp_or_wrap_their_distance() {
    expect("vshl.u32.u32.u32.clamp %ro, %ra, %rb;", [3, 40, 0], 0);
    expect("vshl.u32.u32.u32.wrap %ro, %ra, %rb;", [3, 40, 0], 768);
    expect(
        "vshr.s32.s32.u32.clamp %ro, %ra, %rb;",
        [0x8000_0000, 40, 0],
        u32::MAX,
    );
    expect(
        "vshr.u32.u32.u32.wrap %ro, %ra.h1, %rb;",
        [0x8000_0000, 33, 0],
        0x4000,
    );
    expect(
        "vshl.u32.u32.u32.sat.clamp %ro, %ra, %rb;",
        [3, 31, 0],
        u32::MAX,
    );
}

#[test]
fn a_product_has_the_third_operand_added_and_then_is_shifted() {
    expect("vmad.u32.u32.u32 %ro, %ra, %rb, %rc;", [3, 5, 7], 22);
    expect(
        "vmad.u32.u32.u32.shr7 %ro, %ra, %rb, %rc;",
        [1 << 20, 1 << 20, 128],
        1,
    );
    expect(
        "vmad.s32.s32.u32.shr15 %ro, %ra, %rb, %rc;",
        [u32::MAX, 1 << 16, 0],
        2u32.wrapping_neg(),
    );
    expect(
        "vmad.s32.s32.s32.sat %ro, %ra, %rb, %rc;",
        [1 << 20, 1 << 20, 0],
        i32::MAX as u32,
    );
}

#[test]
fn what_the_assembler_refuses_is_refused() {
    for wrong in [
        "vadd.u32.u32.u32.add %ro.b0, %ra, %rb, %rc;",
        "vadd.u32.u32.u32 %ro.b0, %ra, %rb;",
        "vadd.u32.u32.u32.add %ro, %ra, %rb;",
        "vshr.s32.s32.u32 %ro, %ra, %rb;",
        "vshr.s32.s32.s32.wrap %ro, %ra, %rb;",
        "vset.u32.u32.u32.eq %ro, %ra, %rb;",
        "vadd.u32.u32.u32 %ro, %ra.z, %rb;",
    ] {
        refusal(wrong);
    }
}
