//! What PTX leaves open, or says in half a sentence, as hardware does it: the
//! expected bits were read off an H200 (driver 580.159.04).

use crate::harness::{expect32, expect64};

const ONE: u64 = 0x3ff0_0000_0000_0000;
/// Quiet and positive, signalling and negative; then the latter made quiet.
const FIRST: u64 = 0x7ff8_1234_5678_9abc;
const SECOND: u64 = 0xfff0_1234_5678_9abc;
const SECOND_QUIET: u64 = 0xfff8_1234_5678_9abc;
/// Of infinity minus infinity.
const INVALID: u64 = 0xfff8_0000_0000_0000;
const INFINITY: u64 = 0x7ff0_0000_0000_0000;

#[test]
fn a_nan_of_f64_keeps_its_payload_and_the_second_operand_goes_first() {
    for rounding in ["rn", "rz", "rm", "rp"] {
        for opcode in ["add", "sub", "mul"] {
            expect64(
                &format!("{opcode}.{rounding}.f64 %o, %a, %b;"),
                &[
                    ([ONE, SECOND, 0, 0], SECOND_QUIET),
                    ([SECOND, ONE, 0, 0], SECOND_QUIET),
                    ([FIRST, SECOND, 0, 0], SECOND_QUIET),
                    ([SECOND, FIRST, 0, 0], FIRST),
                ],
            );
        }
        expect64(
            &format!("sub.{rounding}.f64 %o, %a, %b;"),
            &[([INFINITY, INFINITY, 0, 0], INVALID)],
        );
        expect64(
            &format!("fma.{rounding}.f64 %o, %a, %b, %c;"),
            &[
                ([FIRST, ONE, SECOND, 0], SECOND_QUIET),
                ([ONE, FIRST, SECOND, 0], FIRST),
                ([SECOND, FIRST, ONE, 0], FIRST),
                ([0, INFINITY, SECOND, 0], SECOND_QUIET),
            ],
        );
        expect64(
            &format!("div.{rounding}.f64 %o, %a, %b;"),
            &[
                ([FIRST, SECOND, 0, 0], FIRST),
                ([SECOND, FIRST, 0, 0], SECOND_QUIET),
                ([ONE, SECOND, 0, 0], SECOND_QUIET),
            ],
        );
        for opcode in ["rcp", "sqrt"] {
            expect64(
                &format!("{opcode}.{rounding}.f64 %o, %a;"),
                &[([SECOND, 0, 0, 0], SECOND_QUIET)],
            );
        }
    }
    for opcode in ["min", "max"] {
        expect64(
            &format!("{opcode}.f64 %o, %a, %b;"),
            &[
                ([FIRST, SECOND, 0, 0], SECOND_QUIET),
                ([SECOND, FIRST, 0, 0], FIRST),
                ([SECOND, ONE, 0, 0], ONE),
            ],
        );
    }
}

#[test]
fn abs_and_neg_leave_the_sign_of_a_nan_alone() {
    for opcode in ["abs", "neg"] {
        expect64(
            &format!("{opcode}.f64 %o, %a;"),
            &[([FIRST, 0, 0, 0], FIRST), ([SECOND, 0, 0, 0], SECOND_QUIET)],
        );
        for ftz in ["", ".ftz"] {
            expect32(
                &format!("{opcode}{ftz}.f32 %ro, %ra;"),
                &[
                    ([0x7fc1_2345, 0, 0, 0], 0x7fff_ffff),
                    ([0xff81_2345, 0, 0, 0], 0x7fff_ffff),
                ],
            );
        }
    }
}

#[test]
fn a_nan_becomes_zero_only_from_f32_to_at_most_32_bits() {
    let single = [0xffc1_2345, 0, 0, 0];
    let double = [FIRST, 0, 0, 0];
    for (ty, expected) in [("u8", 0x80), ("s8", 0xffff_ff80), ("u16", 0x8000)] {
        expect32(&format!("cvt.rzi.{ty}.f32 %ro, %ra;"), &[(single, 0)]);
        expect32(&format!("cvt.rzi.{ty}.f64 %ro, %a;"), &[(double, expected)]);
    }
    for ty in ["u32", "s32"] {
        expect32(&format!("cvt.rni.{ty}.f32 %ro, %ra;"), &[(single, 0)]);
        expect32(&format!("cvt.rni.{ty}.f64 %ro, %a;"), &[(double, 1 << 31)]);
    }
    for ty in ["u64", "s64"] {
        expect64(&format!("cvt.rmi.{ty}.f32 %o, %ra;"), &[(single, 1 << 63)]);
        expect64(&format!("cvt.rmi.{ty}.f64 %o, %a;"), &[(double, 1 << 63)]);
    }
}

#[test]
fn conversions_between_floats_keep_what_fits_of_a_nan() {
    for rounding in ["rn", "rz", "rm", "rp"] {
        for ftz in ["", ".ftz"] {
            expect32(
                &format!("cvt.{rounding}{ftz}.f32.f64 %ro, %a;"),
                &[
                    ([FIRST, 0, 0, 0], 0x7fc0_91a2),
                    ([SECOND, 0, 0, 0], 0xffc0_91a2),
                    ([0x7ff0_0000_0000_0001, 0, 0, 0], 0x7fc0_0000),
                ],
            );
        }
    }
    let signalling = [0xff81_2345, 0, 0, 0];
    expect64(
        "cvt.f64.f32 %o, %ra;",
        &[(signalling, 0xfff8_2468_a000_0000)],
    );
    expect64(
        "cvt.ftz.f64.f32 %o, %ra;",
        &[(signalling, 0x7fff_ffff_e000_0000)],
    );
    // Without a modifier, a move.
    expect32("cvt.f32.f32 %ro, %ra;", &[(signalling, 0xff81_2345)]);
    expect32("cvt.ftz.f32.f32 %ro, %ra;", &[(signalling, 0x7fff_ffff)]);
}

#[test]
fn what_is_flushed_is_decided_on_the_value_rounded_to_full_precision() {
    // 2^-126 - 2^-150 has 24 bits and is below 2^-126, although the nearest
    // number of those that there are is 2^-126.
    let below = 0x380f_ffff_e000_0000;
    // 2^-126 - 2^-151 has 25, and rounds to 2^-126 on any precision up to 24.
    let tie = 0x380f_ffff_f000_0000;
    expect32(
        "cvt.rn.f32.f64 %ro, %a;",
        &[([below, 0, 0, 0], 0x0080_0000)],
    );
    for rounding in ["rn", "rp"] {
        for sat in ["", ".sat"] {
            expect32(
                &format!("cvt.{rounding}.ftz{sat}.f32.f64 %ro, %a;"),
                &[([below, 0, 0, 0], 0), ([tie, 0, 0, 0], 0x0080_0000)],
            );
        }
    }
    // The first product and the first quotient are 2^-126 - 2^-150, the second
    // product is 2^-126 - 2^-172.
    let products = [
        ([0x3f7f_ffff, 0x0080_0000, 0, 0], 0),
        ([0xbf7f_ffff, 0x0080_0000, 0, 0], 0x8000_0000),
        ([0x3f7f_fffe, 0x0080_0001, 0, 0], 0x0080_0000),
    ];
    expect32("mul.rn.ftz.f32 %ro, %ra, %rb;", &products);
    expect32("fma.rn.ftz.f32 %ro, %ra, %rb, %rc;", &products);
    expect32(
        "mul.rp.ftz.f32 %ro, %ra, %rb;",
        &[([0x3f7f_ffff, 0x0080_0000, 0, 0], 0)],
    );
    expect32(
        "mul.rn.f32 %ro, %ra, %rb;",
        &[([0x3f7f_ffff, 0x0080_0000, 0, 0], 0x0080_0000)],
    );
    let quotient = ([0x80ff_ffff, 0x4000_0000, 0, 0], 0x8000_0000);
    for opcode in ["div.rn.ftz", "div.rm.ftz", "div.approx.ftz", "div.full.ftz"] {
        expect32(&format!("{opcode}.f32 %ro, %ra, %rb;"), &[quotient]);
    }
    // In f16, 2^-14 - 2^-25.
    let halves = [
        ([0x3bff, 0x0400, 0, 0], 0),
        ([0x07ff, 0xb800, 0, 0], 0x8000),
    ];
    for text in [
        "mul.ftz.f16 %ho, %ha, %hb;",
        "fma.rn.ftz.f16 %ho, %ha, %hb, %hc;",
    ] {
        expect32(&format!("{text} cvt.u32.u16 %ro, %ho;"), &halves);
    }
}

#[test]
fn sixteen_bit_abs_and_neg_give_the_one_nan() {
    for opcode in ["abs", "neg"] {
        expect32(
            &format!("{opcode}.f16x2 %ro, %ra;"),
            &[([0xfc12_8000, 0, 0, 0], 0x7fff_0000)],
        );
        expect32(
            &format!("{opcode}.bf16 %ho, %ha; cvt.u32.u16 %ro, %ho;"),
            &[([0xff81, 0, 0, 0], 0x7fff)],
        );
    }
}

#[test]
fn some_conversions_of_narrow_floats_keep_a_nan() {
    expect32(
        "cvt.f32.bf16 %ro, %ha;",
        &[([0xff81, 0, 0, 0], 0xff81_0000)],
    );
    expect64(
        "cvt.f64.f16 %o, %ha;",
        &[
            ([0x7e12, 0, 0, 0], 0x7ff8_4800_0000_0000),
            ([0xfc12, 0, 0, 0], 0xfff8_4800_0000_0000),
        ],
    );
    expect32(
        "cvt.rz.f16.f64 %ho, %a; cvt.u32.u16 %ro, %ho;",
        &[
            ([FIRST, 0, 0, 0], 0x7e04),
            ([SECOND, 0, 0, 0], 0xfe04),
            ([0x7ff0_0000_0000_0001, 0, 0, 0], 0x7e00),
        ],
    );
    // Cut, even to an infinity.
    expect32(
        "cvt.rna.tf32.f32 %ro, %ra;",
        &[
            ([0xff81_2345, 0, 0, 0], 0xff81_2000),
            ([0x7f80_0001, 0, 0, 0], 0x7f80_0000),
        ],
    );
}

#[test]
fn a_gross_reciprocal_sees_the_upper_word_alone() {
    for opcode in ["rcp", "rsqrt"] {
        expect64(
            &format!("{opcode}.approx.ftz.f64 %o, %a;"),
            &[
                ([FIRST, 0, 0, 0], 0x7fff_ffff_0000_0000),
                // Its payload is in the lower word: an infinity.
                ([0x7ff0_0000_0000_0001, 0, 0, 0], 0),
            ],
        );
    }
}

#[test]
fn quotient_and_remainder_of_a_division_by_zero_are_all_ones() {
    for opcode in ["div", "rem"] {
        for sign in ["u", "s"] {
            expect32(
                &format!("{opcode}.{sign}16 %ho, %ha, %hb; cvt.u32.u16 %ro, %ho;"),
                &[([7, 0, 0, 0], 0xffff)],
            );
            expect32(
                &format!("{opcode}.{sign}32 %ro, %ra, %rb;"),
                &[([7, 0, 0, 0], u32::MAX)],
            );
            expect64(
                &format!("{opcode}.{sign}64 %o, %a, %b;"),
                &[([7, 0, 0, 0], u64::MAX)],
            );
        }
    }
}

#[test]
fn zeros_are_normal_numbers() {
    let text = |ty, source| format!("testp.normal.{ty} %p, {source}; selp.u32 %ro, 1, 0, %p;");
    expect32(
        &text("f32", "%ra"),
        &[
            ([0, 0, 0, 0], 1),
            ([1 << 31, 0, 0, 0], 1),
            ([1, 0, 0, 0], 0),
        ],
    );
    expect32(&text("f64", "%a"), &[([1 << 63, 0, 0, 0], 1)]);
}

#[test]
fn fields_of_64_bits_take_starts_and_lengths_above_255_as_they_are() {
    expect64(
        "bfe.u64 %o, %a, %rb, %rc;",
        &[
            ([0x1e49_44a8_f9e6_73ec, 0x115, 0x47, 0], 0),
            ([0x8eeb_b71b_aff1_2d36, 0xf, 0x121, 0], 0x1_1dd7_6e37_5fe2),
        ],
    );
    expect64(
        "bfe.s64 %o, %a, %rb, %rc;",
        &[([0x962f_d5ef_4cbf_6b15, 0x124, 0xaf, 0], u64::MAX)],
    );
    expect64(
        "bfi.b64 %o, %a, %b, %rc, %rd;",
        &[([0x069c, 0x5a5a, 0x123, 0x61], 0x5a5a)],
    );
    // Of 32 bits, the low 8 bits count.
    expect32(
        "bfe.u32 %ro, %ra, %rb, %rc;",
        &[([0xabcd, 0x104, 0x108, 0], 0xbc)],
    );
}

/// The new value of a cell that held a, after adding b.
fn sum(room: &str, ty: &str) -> String {
    let (declare, at) = match room {
        "global" => ("", "%out"),
        _ => (
            ".shared .align 8 .b8 cells[256]; mov.b64 %t64, cells; mad.wide.u32 %t64, %lane, 8, %t64;",
            "%t64",
        ),
    };
    let (source, to) = if ty == "f64" {
        ("%b", "b64 %o")
    } else {
        ("%rb", "b32 %ro")
    };
    format!(
        "{declare} st.{room}.b64 [{at}], %a; red.{room}.add.{ty} [{at}], {source}; ld.{room}.{to}, [{at}];"
    )
}

#[test]
fn sums_in_global_memory_flush_and_those_in_shared_memory_do_not() {
    let (small, least) = (0x8000_0001, 0x0080_0000);
    for (room, of_smalls, of_normals) in [
        ("global", 0x8000_0000, 0),
        ("shared", 0x8000_0002, 0x0000_0001),
    ] {
        expect32(
            &sum(room, "f32"),
            &[
                ([small, small, 0, 0], of_smalls),
                // 2^-126 + 2^-149 less 2^-126.
                ([0x0080_0001, least | 1 << 31, 0, 0], of_normals),
            ],
        );
    }
}

#[test]
fn sums_of_f64_in_memory_take_the_operands_nan_or_the_old_one() {
    expect64(
        &sum("global", "f64"),
        &[
            ([ONE, SECOND, 0, 0], SECOND),
            ([SECOND, ONE, 0, 0], SECOND),
            ([FIRST, SECOND, 0, 0], SECOND),
        ],
    );
    expect64(
        &sum("shared", "f64"),
        &[
            ([FIRST, SECOND, 0, 0], FIRST),
            ([SECOND, FIRST, 0, 0], SECOND_QUIET),
        ],
    );
}
