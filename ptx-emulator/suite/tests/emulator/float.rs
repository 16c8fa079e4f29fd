//! f32 and f64 arithmetic; expected bits by hand. `softfloat` itself is
//! compared with the host in its own file.

use crate::harness::{expect32, expect64, refusal};

fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

fn d(value: f64) -> u64 {
    value.to_bits()
}

const NAN: u32 = 0x7fff_ffff;

#[test]
fn f32_sums_products_and_their_specials() {
    expect32(
        "add.f32 %ro, %ra, %rb;",
        &[
            ([f(1.5), f(2.25), 0, 0], 3.75f32.to_bits()),
            ([f(f32::INFINITY), f(f32::NEG_INFINITY), 0, 0], NAN),
            ([0xffc1_2345, f(1.0), 0, 0], NAN),
        ],
    );
    expect32(
        "sub.rn.f32 %ro, %ra, %rb;",
        &[
            ([f(1.0), f(1.0), 0, 0], 0),
            ([f(-0.0), f(0.0), 0, 0], 0x8000_0000),
        ],
    );
    expect32(
        "sub.rm.f32 %ro, %ra, %rb;",
        &[([f(1.0), f(1.0), 0, 0], 0x8000_0000)],
    );
    // 1 + 2^-24 is a tie.
    let tie = [f(1.0), f(2f32.powi(-24)), 0, 0];
    for (mode, bits) in [
        ("rn", 0x3f80_0000),
        ("rz", 0x3f80_0000),
        ("rm", 0x3f80_0000),
        ("rp", 0x3f80_0001),
    ] {
        expect32(&format!("add.{mode}.f32 %ro, %ra, %rb;"), &[(tie, bits)]);
    }
    expect32(
        "mul.rn.f32 %ro, %ra, %rb;",
        &[
            ([f(0.0), f(f32::INFINITY), 0, 0], NAN),
            ([f(3.0), f(-2.0), 0, 0], 0xc0c0_0000),
        ],
    );
    expect32(
        "mul.sat.f32 %ro, %ra, %rb;",
        &[
            ([f(3.0), f(2.0), 0, 0], 0x3f80_0000),
            ([f(f32::NAN), f(2.0), 0, 0], 0),
        ],
    );
}

#[test]
fn ftz_flushes_what_goes_in_and_what_comes_out() {
    // 2^-126 * 0.5 is subnormal.
    let cases = [f(f32::MIN_POSITIVE), f(0.5), 0, 0];
    expect32("mul.f32 %ro, %ra, %rb;", &[(cases, 0x0040_0000)]);
    expect32("mul.ftz.f32 %ro, %ra, %rb;", &[(cases, 0)]);
    expect32(
        "add.ftz.f32 %ro, %ra, %rb;",
        &[([0x8000_0001, 0x8000_0001, 0, 0], 0x8000_0000)],
    );
    expect32("abs.ftz.f32 %ro, %ra;", &[([0x8000_0001, 0, 0, 0], 0)]);
}

#[test]
fn fma_rounds_once() {
    // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24 exactly; rounding twice gives 0.
    let x = f(1.0 + 2f32.powi(-12));
    expect32(
        "fma.rn.f32 %ro, %ra, %rb, %rc;",
        &[(
            [x, x, f(-(1.0 + 2f32.powi(-11))), 0],
            2f32.powi(-24).to_bits(),
        )],
    );
    let y = d(1.0 + 2f64.powi(-30));
    expect64(
        "fma.rn.f64 %o, %a, %b, %c;",
        &[([y, y, d(-(1.0 + 2f64.powi(-29))), 0], d(2f64.powi(-60)))],
    );
    expect64(
        "fma.rp.f64 %o, %a, %b, %c;",
        &[([d(2f64.powi(-60)), d(1.0), d(1.0), 0], d(1.0) + 1)],
    );
}

#[test]
fn quotients_and_roots_are_correctly_rounded() {
    expect32(
        "div.rn.f32 %ro, %ra, %rb;",
        &[
            ([f(1.0), f(3.0), 0, 0], 0x3eaa_aaab),
            ([f(1.0), f(-0.0), 0, 0], 0xff80_0000),
            ([f(0.0), f(0.0), 0, 0], NAN),
        ],
    );
    expect32(
        "div.rz.f32 %ro, %ra, %rb;",
        &[([f(1.0), f(3.0), 0, 0], 0x3eaa_aaaa)],
    );
    expect32("rcp.rn.f32 %ro, %ra;", &[([f(3.0), 0, 0, 0], 0x3eaa_aaab)]);
    expect32(
        "sqrt.rn.f32 %ro, %ra;",
        &[
            ([f(2.0), 0, 0, 0], 0x3fb5_04f3),
            ([f(-1.0), 0, 0, 0], NAN),
            ([f(-0.0), 0, 0, 0], 0x8000_0000),
        ],
    );
    expect32("sqrt.rp.f32 %ro, %ra;", &[([f(2.0), 0, 0, 0], 0x3fb5_04f4)]);
    // sqrt 2 = 0x3ff6a09e667f3bcc.9...
    expect64(
        "sqrt.rn.f64 %o, %a;",
        &[([d(2.0), 0, 0, 0], 0x3ff6_a09e_667f_3bcd)],
    );
    expect64(
        "sqrt.rm.f64 %o, %a;",
        &[([d(2.0), 0, 0, 0], 0x3ff6_a09e_667f_3bcc)],
    );
    expect64(
        "div.rn.f64 %o, %a, %b;",
        &[([d(1.0), d(3.0), 0, 0], 0x3fd5_5555_5555_5555)],
    );
    expect64(
        "div.rp.f64 %o, %a, %b;",
        &[([d(1.0), d(3.0), 0, 0], 0x3fd5_5555_5555_5556)],
    );
}

#[test]
fn min_and_max_prefer_numbers_and_know_the_sign_of_zero() {
    expect32(
        "min.f32 %ro, %ra, %rb;",
        &[
            ([f(f32::NAN), f(2.0), 0, 0], 0x4000_0000),
            ([f(0.0), f(-0.0), 0, 0], 0x8000_0000),
            ([f(f32::NAN), 0x7fc0_0001, 0, 0], NAN),
        ],
    );
    expect32(
        "max.f32 %ro, %ra, %rb;",
        &[([f(-0.0), f(0.0), 0, 0], 0), ([f(0.0), f(-0.0), 0, 0], 0)],
    );
    expect32(
        "max.NaN.f32 %ro, %ra, %rb;",
        &[([f(f32::NAN), f(2.0), 0, 0], NAN)],
    );
    expect64(
        "max.f64 %o, %a, %b;",
        &[([d(f64::NAN), d(2.0), 0, 0], d(2.0))],
    );
    expect64("neg.f64 %o, %a;", &[([d(0.0), 0, 0, 0], 1 << 63)]);
    expect32(
        "copysign.f32 %ro, %ra, %rb;",
        &[([f(-1.0), f(5.0), 0, 0], (-5f32).to_bits())],
    );
}

#[test]
fn what_must_be_rounded_says_how() {
    for text in [
        "div.f32 %ro, %ra, %rb;",
        "sqrt.ftz.f32 %ro, %ra;",
        "rcp.f64 %o, %a;",
        "fma.f32 %ro, %ra, %rb, %rc;",
        "fma.f64 %o, %a, %b, %c;",
    ] {
        assert!(refusal(text).contains("needs a rounding mode"), "{text}");
    }
}
