//! Logic, shifts and permutes; expected values by hand.

use crate::harness::{expect32, expect64};

#[test]
fn bitwise() {
    expect64("and.b64 %o, %a, %b;", &[([0xff00ff, 0x0ff0, 0, 0], 0xf0)]);
    expect32("xor.b32 %ro, %ra, -1;", &[([0x0f, 0, 0, 0], 0xffff_fff0)]);
    expect32("not.b32 %ro, %ra;", &[([0, 0, 0, 0], 0xffff_ffff)]);
    expect32(
        "cnot.b32 %ro, %ra;",
        &[([0, 0, 0, 0], 1), ([5, 0, 0, 0], 0)],
    );
    // 0xe8: the majority of three bits.
    expect32(
        "lop3.b32 %ro, %ra, %rb, %rc, 0xe8;",
        &[([0b1100, 0b1010, 0b0110, 0], 0b1110)],
    );
    expect32(
        "setp.eq.u32 %p, %ra, 1; setp.eq.u32 %q, %rb, 1; and.pred %p, %p, %q; not.pred %q, %p; selp.b32 %ro, 1, 2, %q;",
        &[([1, 1, 0, 0], 2), ([1, 0, 0, 0], 1)],
    );
}

/// Code generators write true as 1 or -1.
#[test]
fn a_predicate_takes_a_constant() {
    for (constant, chosen) in [("0", 2), ("1", 1), ("-1", 1)] {
        let code = format!("mov.pred %p, {constant}; selp.b32 %ro, 1, 2, %p;");
        expect32(&code, &[([0; 4], chosen)]);
    }
    // Lanes that the guard excludes keep their bit.
    expect32(
        "setp.eq.u32 %q, %ra, 0; mov.pred %p, -1; @%q mov.pred %p, 0; selp.b32 %ro, 1, 2, %p;",
        &[([0; 4], 2), ([3, 0, 0, 0], 1)],
    );
}

#[test]
fn shifts_beyond_the_width_give_zero_or_the_sign() {
    expect32(
        "shl.b32 %ro, %ra, %rb;",
        &[
            ([1, 31, 0, 0], 0x8000_0000),
            ([1, 32, 0, 0], 0),
            ([1, 0xffff_ffff, 0, 0], 0),
        ],
    );
    expect32(
        "shr.s32 %ro, %ra, %rb;",
        &[
            ([0x8000_0000, 99, 0, 0], 0xffff_ffff),
            ([0x4000_0000, 4, 0, 0], 0x0400_0000),
        ],
    );
    expect64(
        "shr.u64 %o, %a, %rb;",
        &[([u64::MAX, 64, 0, 0], 0), ([u64::MAX, 60, 0, 0], 15)],
    );
    expect32(
        "shf.l.wrap.b32 %ro, %ra, %rb, %rc;",
        &[([0x8000_0000, 1, 1, 0], 3), ([0x8000_0000, 1, 33, 0], 3)],
    );
    expect32(
        "shf.r.clamp.b32 %ro, %ra, %rb, %rc;",
        &[([0x10, 0x3, 4, 0], 0x3000_0001), ([7, 9, 40, 0], 9)],
    );
}

#[test]
fn bytes_are_permuted() {
    // Bytes 7..0 of b:a are 88 77 66 55 44 33 22 11.
    let ab = |c| [0x4433_2211, 0x8877_6655, c, 0];
    expect32(
        "prmt.b32 %ro, %ra, %rb, %rc;",
        &[(ab(0x7531), 0x8866_4422), (ab(0xf0f0), 0xff11_ff11)],
    );
    expect32("prmt.b32.f4e %ro, %ra, %rb, %rc;", &[(ab(1), 0x5544_3322)]);
    expect32("prmt.b32.b4e %ro, %ra, %rb, %rc;", &[(ab(1), 0x7788_1122)]);
    expect32("prmt.b32.rc8 %ro, %ra, %rb, %rc;", &[(ab(2), 0x3333_3333)]);
    expect32("prmt.b32.ecl %ro, %ra, %rb, %rc;", &[(ab(2), 0x4433_3333)]);
    expect32("prmt.b32.ecr %ro, %ra, %rb, %rc;", &[(ab(2), 0x3333_2211)]);
    expect32("prmt.b32.rc16 %ro, %ra, %rb, %rc;", &[(ab(1), 0x4433_4433)]);
    expect32(
        "bmsk.clamp.b32 %ro, %ra, %rb;",
        &[([4, 8, 0, 0], 0xff0), ([28, 40, 0, 0], 0xf000_0000)],
    );
    expect32(
        "szext.clamp.s32 %ro, %ra, %rb;",
        &[([0x8, 4, 0, 0], 0xffff_fff8), ([0x8, 5, 0, 0], 8)],
    );
}
