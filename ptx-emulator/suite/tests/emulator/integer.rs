//! Integer arithmetic; expected values by hand.

use crate::harness::{expect32, expect64, refusal};

#[test]
fn add_and_sub_wrap_and_saturate() {
    expect32(
        "add.u32 %ro, %ra, %rb;",
        &[([0xffff_ffff, 2, 0, 0], 1), ([3, 4, 0, 0], 7)],
    );
    expect32(
        "add.sat.s32 %ro, %ra, %rb;",
        &[
            ([0x7fff_ffff, 1, 0, 0], 0x7fff_ffff),
            ([0x8000_0000, 0xffff_ffff, 0, 0], 0x8000_0000),
        ],
    );
    expect64("sub.s64 %o, %a, %b;", &[([0, 1, 0, 0], u64::MAX)]);
    expect32(
        "add.u16 %ho, %ha, %hb; cvt.u32.u16 %ro, %ho;",
        &[([0xffff, 3, 0, 0], 2)],
    );
}

#[test]
fn products_low_high_and_wide() {
    expect32(
        "mul.lo.s32 %ro, %ra, %rb;",
        &[([0x10001, 0x10001, 0, 0], 0x20001)],
    );
    // (2^32-1)^2 = 2^64 - 2^33 + 1
    expect32(
        "mul.hi.u32 %ro, %ra, %rb;",
        &[([0xffff_ffff, 0xffff_ffff, 0, 0], 0xffff_fffe)],
    );
    expect32(
        "mul.hi.s32 %ro, %ra, %rb;",
        &[([0xffff_ffff, 2, 0, 0], 0xffff_ffff)],
    );
    expect64(
        "mul.wide.s32 %o, %ra, %rb;",
        &[([0xffff_fffe, 3, 0, 0], -6i64 as u64)],
    );
    expect64(
        "mul.wide.u32 %o, %ra, 8;",
        &[([0xffff_ffff, 0, 0, 0], 0x7_ffff_fff8)],
    );
    expect64(
        "mul.hi.u64 %o, %a, %b;",
        &[([u64::MAX, u64::MAX, 0, 0], u64::MAX - 1)],
    );
    expect32(
        "mad.lo.s32 %ro, %ra, %rb, %rc;",
        &[([7, 6, 0xffff_ffff, 0], 41)],
    );
    expect64(
        "mad.wide.u32 %o, %ra, %rb, %c;",
        &[([0xffff_ffff, 0x10, 1 << 40, 0], 0x10f_ffff_fff0)],
    );
    expect32(
        "mul24.lo.u32 %ro, %ra, %rb;",
        &[([0xff00_0003, 0x1100_0005, 0, 0], 15)],
    );
    expect32(
        "mul24.hi.u32 %ro, %ra, %rb;",
        &[([0x80_0000, 0x80_0000, 0, 0], 0x4000_0000)],
    );
}

#[test]
fn division_truncates_and_zero_divisors_do_not_stop() {
    expect32(
        "div.s32 %ro, %ra, %rb;",
        &[
            ([-7i32 as u32 as u64, 2, 0, 0], -3i32 as u32),
            ([0x8000_0000, 0xffff_ffff, 0, 0], 0x8000_0000),
            ([5, 0, 0, 0], 0xffff_ffff),
        ],
    );
    expect32(
        "rem.s32 %ro, %ra, %rb;",
        &[([-7i32 as u32 as u64, 2, 0, 0], -1i32 as u32)],
    );
    expect64(
        "div.u64 %o, %a, %b;",
        &[([u64::MAX, 10, 0, 0], 1844674407370955161)],
    );
}

#[test]
fn min_max_abs_neg_and_sad() {
    expect32(
        "min.s32 %ro, %ra, %rb;",
        &[([0xffff_ffff, 1, 0, 0], 0xffff_ffff)],
    );
    expect32("min.u32 %ro, %ra, %rb;", &[([0xffff_ffff, 1, 0, 0], 1)]);
    expect64("max.u64 %o, %a, 1;", &[([0, 0, 0, 0], 1)]);
    expect32(
        "abs.s32 %ro, %ra;",
        &[
            ([0x8000_0000, 0, 0, 0], 0x8000_0000),
            ([0xffff_fff6, 0, 0, 0], 10),
        ],
    );
    expect64("neg.s64 %o, %a;", &[([1, 0, 0, 0], u64::MAX)]);
    expect32(
        "sad.s32 %ro, %ra, %rb, %rc;",
        &[([0xffff_ffff, 4, 10, 0], 15)],
    );
}

#[test]
fn bits_are_counted_found_and_moved() {
    expect32(
        "popc.b64 %ro, %a;",
        &[([0xf0f0_0000_0000_0001, 0, 0, 0], 9)],
    );
    expect32(
        "clz.b64 %ro, %a;",
        &[([0, 0, 0, 0], 64), ([1 << 40, 0, 0, 0], 23)],
    );
    expect32("brev.b32 %ro, %ra;", &[([1, 0, 0, 0], 0x8000_0000)]);
    expect32(
        "bfind.u32 %ro, %ra;",
        &[([0, 0, 0, 0], 0xffff_ffff), ([0x40, 0, 0, 0], 6)],
    );
    expect32(
        "bfind.s32 %ro, %ra;",
        &[
            ([0xffff_ffff, 0, 0, 0], 0xffff_ffff),
            ([0xffff_fffb, 0, 0, 0], 2),
        ],
    );
    expect32("bfind.shiftamt.u32 %ro, %ra;", &[([0x40, 0, 0, 0], 25)]);
    expect32(
        "bfe.u32 %ro, %ra, %rb, %rc;",
        &[
            ([0x1234_5678, 8, 12, 0], 0x456),
            ([0x1234_5678, 8, 0, 0], 0),
            ([0xff00_0000, 24, 32, 0], 0xff),
        ],
    );
    expect32(
        "bfe.s32 %ro, %ra, %rb, %rc;",
        &[
            ([0x0000_0f00, 8, 4, 0], 0xffff_ffff),
            ([0x8000_0000, 40, 4, 0], 0xffff_ffff),
        ],
    );
    expect32(
        "bfi.b32 %ro, %ra, %rb, %rc, %rd;",
        &[
            ([0xab, 0xffff_ffff, 8, 8], 0xffff_abff),
            ([0xab, 0x1111_1111, 28, 8], 0xb111_1111),
        ],
    );
}

#[test]
fn dot_products_of_bytes() {
    // 1*5 + 2*6 + 3*7 + 4*8 = 70
    expect32(
        "dp4a.u32.u32 %ro, %ra, %rb, %rc;",
        &[([0x0403_0201, 0x0807_0605, 100, 0], 170)],
    );
    expect32(
        "dp4a.s32.s32 %ro, %ra, %rb, %rc;",
        &[([0xffff_ffff, 0x0101_0101, 0, 0], -4i32 as u32)],
    );
    // 2*7 + 1*8 with the high bytes of b
    expect32(
        "dp2a.hi.u32.u32 %ro, %ra, %rb, %rc;",
        &[([0x0001_0002, 0x0807_0605, 0, 0], 22)],
    );
}

#[test]
fn operands_of_another_width_are_refused() {
    assert!(refusal("add.u32 %o, %ra, %rb;").contains("does not hold"));
    assert!(refusal("add.u32 %ro, %ra, 0f3F800000, 1;").contains("takes 3 operands"));
}
