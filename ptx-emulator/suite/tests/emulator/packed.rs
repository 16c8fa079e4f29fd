//! Packed integers, `.relu`, `cvt.pack`, `fns` and b128; expected values from
//! plain integer arithmetic.

use crate::harness::{evaluate, expect32, expect64, refusal};
use crate::patterns::Random;

fn cases(count: usize) -> Vec<[u64; 4]> {
    let mut random = Random(9);
    let special = [
        0,
        1,
        0x7fff,
        0x8000,
        0xffff,
        0x7fff_ffff,
        0x8000_0000,
        0xffff_ffff,
    ];
    (0..count)
        .map(|_| {
            [0; 4].map(|_: u64| {
                let bits = random.next();
                if bits >> 60 < 6 {
                    special[bits as usize & 7]
                } else {
                    bits & 0xffff_ffff
                }
            })
        })
        .collect()
}

fn check(body: &str, expected: impl Fn(u32, u32, u32) -> u32) {
    let cases = cases(4000);
    let body = format!("{body} cvt.u64.u32 %o, %ro;");
    for (case, found) in cases.iter().zip(evaluate(&body, &cases)) {
        let [a, b, c, _] = case.map(|x| x as u32);
        assert_eq!(found as u32, expected(a, b, c), "{body} {case:x?}");
    }
}

/// `f` on both halves.
fn halves(a: u32, b: u32, f: impl Fn(u16, u16) -> u16) -> u32 {
    u32::from(f(a as u16, b as u16)) | u32::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

fn signed(f: impl Fn(i16, i16) -> i16) -> impl Fn(u16, u16) -> u16 {
    move |a, b| f(a as i16, b as i16) as u16
}

#[test]
fn pairs_of_16_bit_integers() {
    for ty in ["u16x2", "s16x2"] {
        check(&format!("add.{ty} %ro, %ra, %rb;"), |a, b, _| {
            halves(a, b, u16::wrapping_add)
        });
    }
    check("min.u16x2 %ro, %ra, %rb;", |a, b, _| halves(a, b, u16::min));
    check("max.u16x2 %ro, %ra, %rb;", |a, b, _| halves(a, b, u16::max));
    check("min.s16x2 %ro, %ra, %rb;", |a, b, _| {
        halves(a, b, signed(i16::min))
    });
    check("max.s16x2 %ro, %ra, %rb;", |a, b, _| {
        halves(a, b, signed(i16::max))
    });
    check("min.relu.s16x2 %ro, %ra, %rb;", |a, b, _| {
        halves(a, b, signed(|x, y| x.min(y).max(0)))
    });
    check("max.relu.s16x2 %ro, %ra, %rb;", |a, b, _| {
        halves(a, b, signed(|x, y| x.max(y).max(0)))
    });
    check("min.relu.s32 %ro, %ra, %rb;", |a, b, _| {
        (a as i32).min(b as i32).max(0) as u32
    });
    check("max.relu.s32 %ro, %ra, %rb;", |a, b, _| {
        (a as i32).max(b as i32).max(0) as u32
    });
    assert!(refusal("max.relu.u16x2 %ro, %ra, %rb;").contains("`.relu`"));
    refusal("max.relu.u32 %ro, %ra, %rb;");
}

#[test]
fn two_integers_are_saturated_into_one_register() {
    let clamp = |x: u32, low: i32, high: i32| (x as i32).clamp(low, high) as u32;
    check("cvt.pack.sat.u16.s32 %ro, %ra, %rb;", |a, b, _| {
        clamp(a, 0, 65535) << 16 | clamp(b, 0, 65535)
    });
    check("cvt.pack.sat.s16.s32 %ro, %ra, %rb;", |a, b, _| {
        clamp(a, -32768, 32767) << 16 | clamp(b, -32768, 32767) & 0xffff
    });
    check("cvt.pack.sat.u8.s32.b32 %ro, %ra, %rb, %rc;", |a, b, c| {
        c << 16 | clamp(a, 0, 255) << 8 | clamp(b, 0, 255)
    });
    check("cvt.pack.sat.s8.s32.b32 %ro, %ra, %rb, %rc;", |a, b, c| {
        c << 16 | (clamp(a, -128, 127) & 0xff) << 8 | clamp(b, -128, 127) & 0xff
    });
    check("cvt.pack.sat.s4.s32.b32 %ro, %ra, %rb, %rc;", |a, b, c| {
        c << 8 | (clamp(a, -8, 7) & 15) << 4 | clamp(b, -8, 7) & 15
    });
    check("cvt.pack.sat.u2.s32.b32 %ro, %ra, %rb, %rc;", |a, b, c| {
        c << 4 | clamp(a, 0, 3) << 2 | clamp(b, 0, 3)
    });
}

#[test]
fn set_bits_are_found_by_number() {
    // The PTX ISA's definition, a bit at a time.
    let expected = |mask: u32, base: u32, offset: i32| -> u32 {
        let mut position = base as i32;
        if offset == 0 {
            return if mask >> base & 1 != 0 {
                base
            } else {
                u32::MAX
            };
        }
        let mut left = offset.abs() - 1;
        while (0..32).contains(&position) {
            if mask >> position & 1 != 0 {
                if left == 0 {
                    return position as u32;
                }
                left -= 1;
            }
            position += offset.signum();
        }
        u32::MAX
    };
    check(
        "and.b32 %rb, %rb, 31; and.b32 %rc, %rc, 15; sub.s32 %rc, %rc, 7; fns.b32 %ro, %ra, %rb, %rc;",
        |a, b, c| expected(a, b & 31, (c & 15) as i32 - 7),
    );
    expect32("fns.b32 %ro, 0xf0, 0, 2;", &[([0; 4], 5)]);
}

#[test]
fn products_of_24_bits_saturate() {
    check("mad24.hi.sat.s32 %ro, %ra, %rb, %rc;", |a, b, c| {
        let part = |x: u32| i64::from(((x << 8) as i32) >> 8);
        let high = (part(a) * part(b)) >> 16;
        // The upper 32 of 48 bits.
        (high as i32).saturating_add(c as i32) as u32
    });
}

#[test]
fn registers_of_128_bits_are_moved_loaded_and_stored() {
    let body = "
        .reg .b128 %q0, %q1; .shared .align 16 .b8 buffer[512];
        .reg .b64 %x, %y; .reg .b32 %at;
        mov.b128 %q0, {%a, %b};
        mov.u32 %at, buffer; mad.lo.u32 %at, %lane, 16, %at;
        st.shared.b128 [%at], %q0;
        ld.shared.b128 %q1, [%at];
        mov.b128 %q0, %q1;
        mov.b128 {%x, %y}, %q0;
        shl.b64 %y, %y, 8; xor.b64 %o, %x, %y;";
    expect64(
        body,
        &[
            ([1, 2, 0, 0], 0x201),
            ([u64::MAX, 0x11, 0, 0], 0xffff_ffff_ffff_eeff),
            ([5, 0, 0, 0], 5),
        ],
    );
    // Alone, one half can be dropped.
    expect64(
        ".reg .b128 %q0; mov.b128 %q0, {%a, %b}; mov.b128 {_, %o}, %q0;",
        &[([1, 2, 0, 0], 2)],
    );
    assert!(refusal(".reg .b128 %q0; ld.relaxed.gpu.global.b128 %q0, [%in];").contains("order"));
}
