//! Scalar video instructions; expected values by hand from the formulas of the PTX ISA, and those of
//! an H200 where the code that ptxas 13 makes gives others.

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

/// Random launches found these on an H200 (ptxas 13, sm_90, 2026-11-24). None is the ISA's formula.
#[rustfmt::skip]
const SEEN: [(&str, [u32; 3], u32); 38] = [
    // A result `.h1` has the upper half of the word, and not the lower one.
    ("vabsdiff.s32.s32.s32 %ro.h1, %ra.b1, %rb.b1, %rc;", [0x7c00_5039, 0xbf1b_f522, 0xc20e_0244], 0x0000_0244),
    ("vadd.s32.s32.s32 %ro.h1, %ra, %rb.b0, %rc;", [0xb898_d26a, 0xab1c_8517, 0xcbd1_cf0b], 0xb898_cf0b),
    ("vset.u32.s32.ne %ro.h1, %ra, %rb.b3, %rc;", [0x35c9_1a34, 0xefe6_2c49, 0xc369_8d85], 0x0000_8d85),
    ("vadd.u32.s32.s32.sat %ro.h1, %ra.h1, %rb, %rc;", [0xeb30_16f8, 0x4027_d16b, 0xbfba_33e0], 0x0000_33e0),
    ("vadd.u32.u32.u32.sat %ro.h1, %ra, %rb.b2, %rc;", [0x0000_e7b0, 0x0000_0005, 0x0000_0005], 0x0000_0005),
    // `.sat` of a part takes a word below 0 as a large one.
    ("vadd.s32.u32.s32.sat %ro.b2, %ra.b2, %rb.b0, %rc;", [0x511e_a806, 0x4da0_c19b, 0x4da0_c19b], 0x4d7f_c19b),
    ("vsub.s32.s32.s32.sat %ro.h0, %ra.h0, %rb, %rc;", [0x2bd7_390a, 0x1849_3092, 0x2009_f6e5], 0x2009_7fff),
    ("vsub.u32.u32.u32.sat %ro.h0, %ra.h1, %rb.h0, %rc;", [0x3f39_a1e1, 0x2ec0_949c, 0x0000_0006], 0x0000_ffff),
    ("vmin.u32.s32.u32.sat %ro.b0, %ra.b3, %rb, %rc;", [0x97b3_7e6b, 0x4034_be2d, 0xc177_6bd8], 0xc177_6bff),
    ("vadd.u32.u32.s32.sat %ro.b1, %ra.b2, %rb.b1, %rc;", [0x3c14_bee0, 0x5b80_bb19, 0x0080_0000], 0x0080_ff00),
    // A shift saturates the whole word, by 34 bits.
    ("vshr.u32.u32.u32.sat.wrap %ro.b3, %ra.h0, %rb.h0, %rc;", [0xd9ca_7e12, 0x8000_0000, 0x3ab3_ed5e], 0x12b3_ed5e),
    ("vshr.s32.u32.u32.sat.clamp %ro.b1, %ra.b0, %rb.b3, %rc;", [0x0000_6afe, 0x007f_ffff, 0x33c1_ac07], 0x33c1_fe07),
    ("vshl.s32.s32.u32.sat.wrap %ro.h0, %ra, %rb.b0, %rc;", [0xcf93_f0e1, 0x9832_bdcf, 0xbc80_4126], 0xbc80_ffff),
    ("vshl.s32.s32.u32.sat.clamp %ro.b0, %ra.b2, %rb.h0, %rc;", [0x200b_fee1, 0x79a6_af7a, 0x203b_ea56], 0x203b_ea00),
    ("vshl.s32.s32.u32.sat.clamp %ro.b0, %ra.b2, %rb.h0, %rc;", [0x2001_1e5a, 0x66ad_6ff6, 0x15a6_9bf9], 0x15a6_9bff),
    ("vshl.u32.s32.u32.sat.clamp %ro.h0, %ra.h0, %rb.b1, %rc;", [0xb8c4_39a6, 0x0000_c871, 0x0000_d54c], 0x0000_0000),
    ("vshl.u32.u32.u32.sat.wrap %ro, %ra, %rb.b1;", [0xed2d_05c3, 0xbd24_2ff5, 0x0000_0000], 0x0000_0000),
    ("vshl.u32.s32.u32.sat.clamp %ro, %ra, %rb.b1;", [0x2c31_3644, 0xc817_0efd, 0x0000_0000], 0x4d91_0000),
    ("vshl.u32.s32.u32.sat.clamp %ro, %ra, %rb.b1;", [0x03ff_3f90, 0x0000_81d3, 0x0000_0000], 0x0000_0000),
    ("vshl.s32.u32.u32.sat.clamp %ro, %ra.h0, %rb;", [0x471b_a54a, 0x0080_bfe6, 0x0000_0000], 0x8000_0000),
    ("vshl.s32.s32.u32.sat.wrap %ro, %ra.h0, %rb.b0;", [0x0000_0008, 0x370f_c65f, 0x0000_0000], 0x0000_0000),
    // The third operand is compared with all bits.
    ("vabsdiff.s32.u32.s32.max %ro, %ra, %rb.h1, %rc;", [0xff7f_ffff, 0x504c_afd6, 0xff7f_ffff], 0xff7f_afb3),
    ("vabsdiff.u32.s32.u32.max %ro, %ra, %rb, %rc;", [0x8000_0001, 0xa00a_76f6, 0x3f2f_2c92], 0x200a_76f5),
    ("vadd.u32.u32.s32.max %ro, %ra.b3, %rb, %rc;", [0x83ae_424f, 0x83ae_424f, 0xebf6_4b41], 0x83ae_42d2),
    ("vmin.u32.u32.s32.max %ro, %ra.b3, %rb, %rc;", [0x405a_9d74, 0xa03a_9010, 0xc857_5504], 0xa03a_9010),
    ("vset.s32.u32.le.max %ro, %ra.b2, %rb, %rc;", [0x0400_532d, 0xa025_ab4c, 0xe9d7_f03a], 0x0000_0001),
    ("vset.s32.u32.ne.min %ro, %ra.b3, %rb.b1, %rc;", [0x0000_e76b, 0x0000_e76b, 0xffff_ffff], 0xffff_ffff),
    ("vshl.s32.s32.u32.wrap.max %ro, %ra.b3, %rb.b1, %rc;", [0xebfa_7b82, 0xd165_fbff, 0x0fdb_43e3], 0x0fdb_43e3),
    ("vshl.s32.s32.u32.wrap.min %ro, %ra, %rb, %rc;", [0x203e_4f9d, 0x203e_4f9d, 0x163c_188a], 0x163c_188a),
    ("vshl.u32.s32.u32.clamp.max %ro, %ra.b3, %rb.b3, %rc;", [0x26bb_b9ad, 0xc837_209c, 0x26bb_b9ad], 0x0000_0000),
    // Words of a product are signed, and 64 bits of it are shifted.
    ("vmad.s32.s32.u32.sat %ro, %ra.b1, %rb, %rc;", [0xc12b_23ad, 0xc12b_23ad, 0x0e3e_0645], 0x8000_0000),
    ("vmad.u32.u32.u32.sat %ro, %ra.b0, %rb, %rc;", [0xfbff_68d5, 0xfbff_68d5, 0x0000_0000], 0x0000_0000),
    ("vmad.u32.u32.u32.sat %ro, %ra.b0, %rb, %rc;", [0x3448_cb03, 0x3448_cb03, 0xbcef_395c], 0x59c9_9a65),
    ("vmad.u32.u32.u32.sat.shr15 %ro, %ra.b3, %rb.b2, %rc;", [0x0978_aee1, 0x0978_aee1, 0xf7ef_f8eb], 0xffff_ffff),
    ("vmad.u32.u32.u32.sat.shr7 %ro, %ra, %rb.b2, %rc;", [0x3e29_05f9, 0x5833_3ec2, 0xc271_eab7], 0x1849_3c36),
    ("vmad.u32.u32.u32.shr7 %ro, %ra, %rb, %rc;", [0x8aab_c312, 0x0ecd_3b55, 0x007f_ffff], 0x09a5_cdd5),
    ("vmad.u32.u32.u32.shr7 %ro, %ra.b0, %rb.b1, %rc;", [0xc362_fb9b, 0xa5fb_d908, 0xc2b2_ba4e], 0xff85_667b),
    ("vmad.s32.u32.s32.sat %ro, %ra, %rb, %rc;", [0xb078_56dd, 0x0534_bc09, 0x139d_3275], 0x8000_0000),
];

#[test]
fn what_an_h200_gave_is_given() {
    for (instruction, words, result) in SEEN {
        expect(instruction, words, result);
    }
}

#[test]
fn halves_and_bytes_are_chosen_from_both_words_and_replaced_or_added() {
    let words = [0x0001_8000, 0x7fff_0002, 0xaabb_ccdd];
    expect("vadd2.s32.s32.s32 %ro, %ra, %rb, %rc;", words, 0x8000_8002);
    expect(
        "vadd2.s32.s32.s32.sat %ro, %ra, %rb, %rc;",
        words,
        0x7fff_8002,
    );
    expect(
        "vadd2.u32.u32.u32.sat %ro.h1, %ra.h00, %rb.h30, %rc;",
        words,
        0xffff_ccdd,
    );
    expect(
        "vabsdiff2.u32.s32.s32.add %ro, %ra, %rb, 1;",
        words,
        0x7ffe + 0x8002 + 1,
    );
    expect("vset2.u32.s32.lt.add %ro, %ra, %rb, 5;", words, 6);
    let words = [0x80ff_7f01, 0x0102_0304, 0xaabb_ccdd];
    expect("vavrg4.s32.s32.s32 %ro, %ra, %rb, %rc;", words, 0xc001_4103);
    expect(
        "vsub4.u32.u32.u32.sat %ro.b30, %ra, %rb, %rc;",
        words,
        0x7fbb_cc00,
    );
    expect(
        "vmax4.u32.u32.s32 %ro.b0, %ra.b0123, %rb.b7777, %rc;",
        words,
        0xaabb_cc80,
    );
    expect("vset4.u32.s32.gt %ro, %ra, %rb, %rc;", words, 0x0101_0100);
    for wrong in [
        "vadd2.s32.s32.s32 %ro.h01, %ra, %rb, %rc;",
        "vadd2.s32.s32.s32 %ro.h2, %ra, %rb, %rc;",
        "vadd2.s32.s32.s32 %ro, %ra.h1, %rb, %rc;",
        "vadd2.s32.s32.s32 %ro, %ra.h14, %rb, %rc;",
        "vadd4.s32.s32.s32 %ro, %ra.h10, %rb, %rc;",
        "vadd4.s32.s32.s32.sat.add %ro, %ra, %rb, %rc;",
        "vadd4.s32.s32.s32 %ro, %ra, %rb;",
    ] {
        refusal(wrong);
    }
}
