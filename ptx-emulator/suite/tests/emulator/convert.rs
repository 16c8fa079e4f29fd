//! Conversions; expected values by hand.

use crate::harness::{expect32, expect64, refusal};

fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

#[test]
fn integers_are_cut_extended_and_saturated() {
    expect64(
        "cvt.s64.s32 %o, %ra;",
        &[([0x8000_0000, 0, 0, 0], 0xffff_ffff_8000_0000)],
    );
    expect64(
        "cvt.u64.u32 %o, %ra;",
        &[([0x8000_0000, 0, 0, 0], 0x8000_0000)],
    );
    expect32(
        "cvt.u32.u64 %ro, %a;",
        &[([0x1_2345_6789, 0, 0, 0], 0x2345_6789)],
    );
    expect32("cvt.s32.s8 %ro, %ra;", &[([0x1ff, 0, 0, 0], 0xffff_ffff)]);
    expect32("cvt.u32.u8 %ro, %ra;", &[([0x1ff, 0, 0, 0], 0xff)]);
    expect32(
        "cvt.s16.s32 %ro, %ra;",
        &[([0x1_8000, 0, 0, 0], 0xffff_8000)],
    );
    expect32(
        "cvt.sat.u8.s32 %ro, %ra;",
        &[([0xffff_fff0, 0, 0, 0], 0), ([300, 0, 0, 0], 255)],
    );
    expect32(
        "cvt.sat.s32.s64 %ro, %a;",
        &[
            ([1 << 40, 0, 0, 0], 0x7fff_ffff),
            ([(-(1i64 << 40)) as u64, 0, 0, 0], 0x8000_0000),
        ],
    );
    expect32(
        "cvt.sat.s32.u64 %ro, %a;",
        &[([u64::MAX, 0, 0, 0], 0x7fff_ffff)],
    );
}

#[test]
fn integers_to_floats_round_as_told() {
    // 2^24 + 1 lies between two f32.
    let odd = [0x100_0001, 0, 0, 0];
    expect32("cvt.rn.f32.u32 %ro, %ra;", &[(odd, 0x4b80_0000)]);
    expect32("cvt.rp.f32.u32 %ro, %ra;", &[(odd, 0x4b80_0001)]);
    expect32(
        "cvt.rz.f32.s32 %ro, %ra;",
        &[([(-0x100_0001i32) as u32 as u64, 0, 0, 0], 0xcb80_0000)],
    );
    expect32(
        "cvt.rm.f32.s32 %ro, %ra;",
        &[([(-0x100_0001i32) as u32 as u64, 0, 0, 0], 0xcb80_0001)],
    );
    expect64(
        "cvt.rn.f64.u64 %o, %a;",
        &[([u64::MAX, 0, 0, 0], (2f64.powi(64)).to_bits())],
    );
    expect64(
        "cvt.rz.f64.u64 %o, %a;",
        &[([u64::MAX, 0, 0, 0], 0x43ef_ffff_ffff_ffff)],
    );
    expect64(
        "cvt.rn.f64.s32 %o, %ra;",
        &[([0xffff_ffff, 0, 0, 0], (-1f64).to_bits())],
    );
    expect32(
        "cvt.rn.f32.u16 %ro, %ha;",
        &[([0x1_0003, 0, 0, 0], 3f32.to_bits())],
    );
}

#[test]
fn floats_to_integers_round_clamp_and_turn_nan_to_zero() {
    for (word, up, down) in [
        ("rni", 2, -2i32),
        ("rzi", 2, -2),
        ("rmi", 2, -3),
        ("rpi", 3, -2),
    ] {
        let text = format!("cvt.{word}.s32.f32 %ro, %ra;");
        expect32(
            &text,
            &[([f(2.5), 0, 0, 0], up), ([f(-2.5), 0, 0, 0], down as u32)],
        );
    }
    expect32(
        "cvt.rni.s32.f32 %ro, %ra;",
        &[
            ([f(3.5), 0, 0, 0], 4),
            ([f(1e20), 0, 0, 0], 0x7fff_ffff),
            ([f(f32::NAN), 0, 0, 0], 0),
        ],
    );
    expect32(
        "cvt.rzi.u32.f64 %ro, %a;",
        &[
            ([(-1.5f64).to_bits(), 0, 0, 0], 0),
            ([1e10f64.to_bits(), 0, 0, 0], u32::MAX),
        ],
    );
    expect32("cvt.rzi.u8.f32 %ro, %ra;", &[([f(300.0), 0, 0, 0], 255)]);
    expect64(
        "cvt.rzi.u64.f64 %o, %a;",
        &[
            ([1e19f64.to_bits(), 0, 0, 0], 10_000_000_000_000_000_000),
            ([1e30f64.to_bits(), 0, 0, 0], u64::MAX),
        ],
    );
    expect64(
        "cvt.rzi.s64.f64 %o, %a;",
        &[
            ([(-1e30f64).to_bits(), 0, 0, 0], 1 << 63),
            ([(-7.9f64).to_bits(), 0, 0, 0], -7i64 as u64),
        ],
    );
}

#[test]
fn floats_to_floats() {
    // 1 + 2^-24 is a tie between 1 and the next f32.
    let tie = [(1.0 + 2f64.powi(-24)).to_bits(), 0, 0, 0];
    expect32(
        "cvt.rn.f32.f64 %ro, %a;",
        &[
            (tie, 0x3f80_0000),
            ([f64::NAN.to_bits(), 0, 0, 0], 0x7fc0_0000),
        ],
    );
    expect32("cvt.rp.f32.f64 %ro, %a;", &[(tie, 0x3f80_0001)]);
    expect32(
        "cvt.rz.f32.f64 %ro, %a;",
        &[
            (tie, 0x3f80_0000),
            ([1e300f64.to_bits(), 0, 0, 0], f32::MAX.to_bits()),
        ],
    );
    expect64(
        "cvt.f64.f32 %o, %ra;",
        &[([f(1.5), 0, 0, 0], 1.5f64.to_bits())],
    );
    expect64(
        "cvt.ftz.f64.f32 %o, %ra;",
        &[([0x8000_0001, 0, 0, 0], 1 << 63)],
    );
    expect32(
        "cvt.rmi.f32.f32 %ro, %ra;",
        &[([f(-2.5), 0, 0, 0], (-3f32).to_bits())],
    );
    expect64(
        "cvt.rni.f64.f64 %o, %a;",
        &[([2.5f64.to_bits(), 0, 0, 0], 2f64.to_bits())],
    );
    expect32(
        "cvt.sat.f32.f32 %ro, %ra;",
        &[([f(7.0), 0, 0, 0], 1f32.to_bits()), ([f(-7.0), 0, 0, 0], 0)],
    );
}

#[test]
fn a_missing_or_wrong_rounding_is_refused() {
    assert!(refusal("cvt.f32.f64 %ro, %a;").contains("rounding mode"));
    assert!(refusal("cvt.f32.u32 %ro, %ra;").contains(".rn"));
    assert!(refusal("cvt.rn.s32.f32 %ro, %ra;").contains(".rni"));
    assert!(refusal("cvt.rn.f64.f32 %o, %ra;").contains("exact"));
}
