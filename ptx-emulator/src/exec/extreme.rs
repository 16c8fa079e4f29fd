//! `min` and `max` of floats, with what may go with them.

use super::softfloat::Format;

/// `.NaN`
pub(super) const PROPAGATE: u64 = 16;
/// `.xorsign.abs`
pub(super) const XOR_SIGN: u64 = 32;

/// The smaller one, or the larger one; a NaN loses against a number unless
/// `PROPAGATE` is set; -0 is below +0. With `XOR_SIGN`, of the magnitudes, and
/// the sign is the product's.
pub(super) fn extreme(aux: u64, format: Format, a: u64, b: u64, largest: bool) -> u64 {
    let sign = format.sign_bit();
    let (x, y) = if aux & XOR_SIGN != 0 {
        (a & !sign, b & !sign)
    } else {
        (a, b)
    };
    let bits = match (format.is_nan(x), format.is_nan(y)) {
        (true, true) => return format.nan(),
        (true, false) | (false, true) if aux & PROPAGATE != 0 => return format.nan(),
        (true, false) => y,
        (false, true) => x,
        _ if (format.key(x) < format.key(y)) != largest => x,
        _ => y,
    };
    if aux & XOR_SIGN != 0 {
        bits | (a ^ b) & sign
    } else {
        bits
    }
}
