//! Operands for many cases: bit patterns near every edge of a format, and a
//! fixed sequence of random ones.

use rustc_apfloat::{Float, Round};

/// A fixed sequence (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// Zeros, subnormals, ones, ties, the largest values, infinities and NaNs of
/// a format, of both signs.
pub(crate) fn edges<F: Float>() -> Vec<u64> {
    let one = F::from_u128(1).value;
    let positive = [
        F::ZERO,
        F::SMALLEST,
        F::SMALLEST.next_up().value,
        F::smallest_normalized().next_down().value,
        F::smallest_normalized(),
        F::smallest_normalized().next_up().value,
        one.next_down().value,
        one,
        one.next_up().value,
        F::from_u128(3).value,
        (one / F::from_u128(3).value).value,
        (one / F::from_u128(2).value).value,
        (F::from_u128(5).value / F::from_u128(2).value).value,
        one.scalbn(F::PRECISION as i32),
        one.scalbn(-(F::PRECISION as i32)),
        F::largest().next_down().value,
        F::largest(),
        F::INFINITY,
        F::NAN,
        F::qnan(Some(1)),
    ];
    positive
        .into_iter()
        .flat_map(|x| [x.to_bits() as u64, (-x).to_bits() as u64])
        .collect()
}

/// Triples of operands: all pairs of edges with an edge, and random ones of
/// which half have exponents near each other.
pub(crate) fn triples<F: Float>(random: usize) -> Vec<[u64; 3]> {
    let edges = edges::<F>();
    let mut source = Random(F::BITS as u64);
    let mask = u64::MAX >> (64 - F::BITS);
    let mut out = Vec::new();
    for &a in &edges {
        for &b in &edges {
            let c = edges[source.next() as usize % edges.len()];
            out.push([a, b, c]);
        }
    }
    let one = F::from_u128(1).value.to_bits() as u64;
    let fraction = (1u64 << (F::PRECISION - 1)) - 1;
    let near = |bits: u64| {
        let step = (bits >> 60) << (F::PRECISION - 1);
        let sign = (bits >> 59 & 1) << (F::BITS - 1);
        (one - 4 * (fraction + 1) + step) ^ (bits & fraction) ^ sign
    };
    for index in 0..random {
        let mut pick = || source.next();
        out.push(if index % 2 == 0 {
            [pick() & mask, pick() & mask, pick() & mask]
        } else {
            [near(pick()), near(pick()), near(pick())]
        });
    }
    out
}

/// The rounding modes by their words.
pub(crate) const ROUNDINGS: [(&str, Round); 4] = [
    ("rn", Round::NearestTiesToEven),
    ("rz", Round::TowardZero),
    ("rm", Round::TowardNegative),
    ("rp", Round::TowardPositive),
];

/// A subnormal to zero of its sign.
pub(crate) fn flush<F: Float>(x: F) -> F {
    if x.is_denormal() {
        F::ZERO.copy_sign(x)
    } else {
        x
    }
}

/// To 0..=1, NaN to 0.
pub(crate) fn saturate<F: Float>(x: F) -> F {
    let one = F::from_u128(1).value;
    if x.is_nan() || x.is_negative() || x.is_zero() {
        F::ZERO
    } else if x > one {
        one
    } else {
        x
    }
}

/// Negative values to zero.
pub(crate) fn relu<F: Float>(x: F) -> F {
    if !x.is_nan() && x.is_negative() {
        F::ZERO
    } else {
        x
    }
}

/// Bits, with `nan` for every NaN.
pub(crate) fn bits<F: Float>(x: F, nan: u64) -> u64 {
    if x.is_nan() { nan } else { x.to_bits() as u64 }
}
