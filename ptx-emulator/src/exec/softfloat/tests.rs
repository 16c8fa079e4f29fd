//! The arithmetic against the host's, and rounding by hand.

use super::*;

/// A fixed sequence of bit patterns with many special exponents.
fn patterns() -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut out = vec![
        0,
        1 << 63,
        1,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
    ];
    out.extend([
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0xbff0_0000_0000_0001,
    ]);
    for _ in 0..60 {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        out.push(state);
        // Near one, so that sums cancel.
        out.push(state >> 12 | 0x3fe0_0000_0000_0000);
    }
    out
}

#[test]
fn nearest_agrees_with_the_host_for_f64() {
    let all = patterns();
    for &a in &all {
        for &b in &all {
            let (x, y) = (f64::from_bits(a), f64::from_bits(b));
            let check = |ours: u64, host: f64, what: &str| {
                assert!(
                    ours == host.to_bits() || host.is_nan() && f64::from_bits(ours).is_nan(),
                    "{what} {x:e} {y:e}: {ours:#x} {:#x}",
                    host.to_bits()
                );
            };
            check(F64.add(a, b, Mode::Nearest), x + y, "add");
            check(F64.sub(a, b, Mode::Nearest), x - y, "sub");
            check(F64.mul(a, b, Mode::Nearest), x * y, "mul");
            check(F64.div(a, b, Mode::Nearest), x / y, "div");
            check(
                F64.fma(a, b, all[(a ^ b) as usize % all.len()], Mode::Nearest),
                x.mul_add(y, f64::from_bits(all[(a ^ b) as usize % all.len()])),
                "fma",
            );
        }
        check_sqrt(a);
    }
}

fn check_sqrt(a: u64) {
    let host = f64::from_bits(a).sqrt();
    let ours = F64.sqrt(a, Mode::Nearest);
    assert!(ours == host.to_bits() || host.is_nan() && f64::from_bits(ours).is_nan());
}

#[test]
fn narrowing_to_f32_agrees_with_the_host() {
    for a in patterns() {
        let host = f64::from_bits(a) as f32;
        let ours = f32::from_bits(F32.convert(F64.unpack(a), Mode::Nearest) as u32);
        assert!(
            ours.to_bits() == host.to_bits() || host.is_nan() && ours.is_nan(),
            "{a:#x}"
        );
    }
}

#[test]
fn directed_modes_bracket_the_nearest() {
    // 1 + 2^-60: to nearest and down it is 1, up it is the next f64.
    let (one, tiny) = (1f64.to_bits(), (2f64.powi(-60)).to_bits());
    assert_eq!(F64.add(one, tiny, Mode::Nearest), one);
    assert_eq!(F64.add(one, tiny, Mode::Zero), one);
    assert_eq!(F64.add(one, tiny, Mode::Down), one);
    assert_eq!(F64.add(one, tiny, Mode::Up), one + 1);
    // 1 - 2^-60: down and to zero it is the f64 below 1.
    assert_eq!(F64.sub(one, tiny, Mode::Down), one - 1);
    assert_eq!(F64.sub(one, tiny, Mode::Zero), one - 1);
    assert_eq!(F64.sub(one, tiny, Mode::Up), one);
    // 1/3 in f32 is 0x3eaaaaab to nearest, 0x3eaaaaaa cut.
    let three = u64::from(3f32.to_bits());
    let one = u64::from(1f32.to_bits());
    assert_eq!(F32.div(one, three, Mode::Nearest), 0x3eaa_aaab);
    assert_eq!(F32.div(one, three, Mode::Zero), 0x3eaa_aaaa);
    assert_eq!(F32.div(one, three, Mode::Up), 0x3eaa_aaab);
    // sqrt 2 in f32 is 1.41421354 = 0x3fb504f3, below the root.
    let two = u64::from(2f32.to_bits());
    assert_eq!(F32.sqrt(two, Mode::Down), 0x3fb5_04f3);
    assert_eq!(F32.sqrt(two, Mode::Up), 0x3fb5_04f4);
    // Overflow: the largest finite or infinity by direction.
    let max = u64::from(f32::MAX.to_bits());
    assert_eq!(F32.add(max, max, Mode::Zero), max);
    assert_eq!(F32.add(max, max, Mode::Up), 0x7f80_0000);
    // x - x is +0, and -0 when rounding down.
    assert_eq!(F32.sub(one, one, Mode::Nearest), 0);
    assert_eq!(F32.sub(one, one, Mode::Down), 0x8000_0000);
}
