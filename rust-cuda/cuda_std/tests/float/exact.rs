//! Numbers of 160 bits, the distance of an f64 from one, and arguments to try.

use dashu_float::{FBig, round::mode::HalfEven};

pub(crate) type Exact = FBig<HalfEven, 2>;

const BITS: usize = 160;

pub(crate) fn exact(x: f64) -> Exact {
    let number = Exact::try_from(x).expect("a finite number");
    number.with_precision(BITS).value()
}

/// How many units in the last place of the f64 at `truth` lie between that and `value`.
pub(crate) fn ulps(value: f64, truth: &Exact) -> f64 {
    let near = truth.to_f64().value();
    if !value.is_finite() || !near.is_finite() {
        return if value == near { 0.0 } else { f64::INFINITY };
    }
    let exponent = ((near.to_bits() >> 52) & 0x7ff).max(1) as isize - 1075;
    let distance = (exact(value) - truth) << -exponent;
    distance.to_f64().value().abs()
}

/// What the environment's variable `name` says, for more than the usual number of arguments.
pub(crate) fn asked(name: &str, usual: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(usual, |text| text.parse().expect("a number of arguments"))
}

/// A 64-bit xorshift generator (Marsaglia 2003), the same numbers each time.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new() -> Self {
        Self(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Between `low` and `high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// A finite number of any exponent, subnormal ones among them, and of either sign.
    pub(crate) fn anywhere(&mut self) -> f64 {
        loop {
            let x = f64::from_bits(self.bits());
            if x.is_finite() {
                return x;
            }
        }
    }
}
