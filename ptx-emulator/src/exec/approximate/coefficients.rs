//! The coefficients of the unit's interpolation: of each segment the constant, the linear and the
//! quadratic one, a line of a file in `segments`.
//!
//! Determined from all results of an H100 (driver 580.159.04, 2026-11-24): they are the whole
//! numbers for which no result is another.

/// Of a segment: its constant, its slope, and the factor of the square.
pub(super) type Segment = (i64, i32, i32);

/// 2^f of a fraction f of 23 bits, less 1, in units of 2^-38.
pub(super) const EX2: [Segment; 64] = segments(include_str!("segments/ex2.csv"));

/// 1 / m of m in [1, 2), less 1/2, in units of 2^-39.
pub(super) const RCP: [Segment; 128] = segments(include_str!("segments/rcp.csv"));

/// 1 / sqrt(m) of m in [1, 2), less 1/2, in units of 2^-41.
pub(super) const RSQRT_EVEN: [Segment; 64] = segments(include_str!("segments/rsqrt_even.csv"));

/// 1 / sqrt(2 m) of m in [1, 2), less 1/2, in units of 2^-41.
pub(super) const RSQRT_ODD: [Segment; 64] = segments(include_str!("segments/rsqrt_odd.csv"));

/// sqrt(m) of m in [1, 2), less 1, in units of 2^-40.
pub(super) const SQRT_EVEN: [Segment; 64] = segments(include_str!("segments/sqrt_even.csv"));

/// sqrt(2 m) of m in [1, 2), less 1, in units of 2^-40.
pub(super) const SQRT_ODD: [Segment; 64] = segments(include_str!("segments/sqrt_odd.csv"));

/// log2(m) of m in [1, 2), in units of 2^-38.
pub(super) const LG2: [Segment; 64] = segments(include_str!("segments/lg2.csv"));

/// sin of a quarter turn, in units of 2^-37.
pub(super) const SIN: [Segment; 64] = segments(include_str!("segments/sin.csv"));

/// tanh from 2^-8 to 8, in units of 2^-40: segments of binade after binade.
pub(super) const TANH: [Segment; 51] = segments(include_str!("segments/tanh.csv"));

/// What a file has, of as many lines.
const fn segments<const N: usize>(file: &str) -> [Segment; N] {
    let (mut segments, mut segment, mut at) = ([(0, 0, 0); N], 0, 0);
    while segment < N {
        let (constant, slope, curvature);
        (constant, at) = number(file.as_bytes(), at);
        (slope, at) = number(file.as_bytes(), at);
        (curvature, at) = number(file.as_bytes(), at);
        segments[segment] = (constant, slope as i32, curvature as i32);
        segment += 1;
    }
    assert!(at == file.len());
    segments
}

/// A whole number, and what stands behind the comma, or the line's end, behind it.
const fn number(file: &[u8], mut at: usize) -> (i64, usize) {
    let is_negative = file[at] == b'-';
    at += is_negative as usize;
    let mut size = 0;
    while file[at].is_ascii_digit() {
        size = 10 * size + (file[at] - b'0') as i64;
        at += 1;
    }
    (if is_negative { -size } else { size }, at + 1)
}
