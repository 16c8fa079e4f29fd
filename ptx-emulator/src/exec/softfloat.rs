//! IEEE 754 arithmetic on integers, for what the host's instructions do not
//! offer: rounding modes other than to nearest, and narrow formats.
//!
//! A finite value is `significand * 2^exponent` with up to 126 bits; `round`
//! is the one place that rounds.

mod bits;
mod tensor;

/// A binary format.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    exponent_bits: u32,
    fraction_bits: u32,
    /// The NaN that operations give.
    nan: u64,
    /// Results below the normal numbers are zeros.
    flushes: bool,
}

pub(crate) const F16: Format = Format::new(5, 10, 0x7fff);
pub(crate) const BF16: Format = Format::new(8, 7, 0x7fff);
pub(crate) const F32: Format = Format::new(8, 23, 0x7fff_ffff);
pub(crate) const F64: Format = Format::new(11, 52, 0xfff8_0000_0000_0000);

/// The rounding modes of PTX.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// `.rn`: to nearest, ties to even.
    Nearest,
    /// `.rz`
    Zero,
    /// `.rm`
    Down,
    /// `.rp`
    Up,
}

impl Mode {
    /// The mode that a modifier names.
    pub(crate) fn parse(word: &str) -> Option<Mode> {
        Some(match word {
            "rn" | "rni" => Mode::Nearest,
            "rz" | "rzi" => Mode::Zero,
            "rm" | "rmi" => Mode::Down,
            "rp" | "rpi" => Mode::Up,
            _ => return None,
        })
    }

    /// For `Operands::aux`.
    pub(crate) fn code(self) -> u64 {
        self as u64
    }

    #[inline(always)]
    pub(crate) fn from_code(code: u64) -> Mode {
        match code & 3 {
            0 => Mode::Nearest,
            1 => Mode::Zero,
            2 => Mode::Down,
            _ => Mode::Up,
        }
    }
}

/// A value taken apart.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    NaN,
    Infinity { negative: bool },
    Finite(Finite),
}

/// `significand * 2^exponent`; zero has significand 0.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finite {
    pub(crate) negative: bool,
    pub(crate) significand: u128,
    pub(crate) exponent: i32,
}

impl Finite {
    fn is_zero(self) -> bool {
        self.significand == 0
    }

    /// The exponent of its top bit.
    fn top(self) -> i32 {
        self.exponent + 127 - self.significand.leading_zeros() as i32
    }

    /// The same value with the top bit of its significand at bit 125, unless it
    /// is above.
    fn raised(self) -> Finite {
        let up = (self.significand.leading_zeros() as i32 - 2).max(0);
        Finite {
            significand: self.significand << up,
            exponent: self.exponent - up,
            ..self
        }
    }
}

impl Parts {
    /// The sign, where there is one.
    fn negative(self) -> bool {
        match self {
            Parts::NaN => false,
            Parts::Infinity { negative } => negative,
            Parts::Finite(finite) => finite.negative,
        }
    }

    fn is_zero(self) -> bool {
        matches!(self, Parts::Finite(finite) if finite.is_zero())
    }

    /// The product, exactly.
    fn times(self, other: Parts) -> Parts {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Parts::NaN, _) | (_, Parts::NaN) => Parts::NaN,
            (Parts::Finite(a), Parts::Finite(b)) => Parts::Finite(Finite {
                negative,
                significand: a.significand * b.significand,
                exponent: a.exponent + b.exponent,
            }),
            _ if self.is_zero() || other.is_zero() => Parts::NaN,
            _ => Parts::Infinity { negative },
        }
    }
}

impl Format {
    const fn new(exponent_bits: u32, fraction_bits: u32, nan: u64) -> Self {
        Format {
            exponent_bits,
            fraction_bits,
            nan,
            flushes: false,
        }
    }

    /// What is added to an exponent.
    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The NaN that operations give.
    pub(crate) fn nan(self) -> u64 {
        self.nan
    }

    /// The same format under `.ftz`: a result is rounded as if exponents had
    /// no end, and is a zero of its sign if it is then below the normal numbers.
    /// So does an H200; to round to a subnormal first may give a normal number.
    pub(crate) fn flushing(mut self) -> Format {
        self.flushes = true;
        self
    }

    /// With a sign.
    fn signed(self, negative: bool, bits: u64) -> u64 {
        bits | u64::from(negative) << (self.exponent_bits + self.fraction_bits)
    }

    pub(crate) fn unpack(self, bits: u64) -> Parts {
        let negative = bits >> (self.exponent_bits + self.fraction_bits) & 1 != 0;
        let fraction = bits & ((1 << self.fraction_bits) - 1);
        let biased = bits >> self.fraction_bits & ((1 << self.exponent_bits) - 1);
        if biased == (1 << self.exponent_bits) - 1 {
            return if fraction != 0 {
                Parts::NaN
            } else {
                Parts::Infinity { negative }
            };
        }
        let hidden = u64::from(biased != 0) << self.fraction_bits;
        Parts::Finite(Finite {
            negative,
            significand: u128::from(fraction | hidden),
            exponent: biased.max(1) as i32 - self.bias() - self.fraction_bits as i32,
        })
    }

    /// The bits of a value: `(significand + tail) * 2^exponent`, where `tail`
    /// says that something between 0 and 1 follows the significand.
    fn round(self, value: Finite, tail: bool, mode: Mode) -> u64 {
        let Finite {
            negative,
            significand,
            exponent,
        } = value;
        if significand == 0 && !tail {
            return self.signed(negative, 0);
        }
        // Room below for the tail, so that it can be a bit.
        let (significand, exponent) = if significand == 0 {
            (1, exponent - 1)
        } else {
            let up = significand.leading_zeros().saturating_sub(1);
            (
                significand << up | u128::from(tail && up > 0),
                exponent - up as i32,
            )
        };
        let smallest = 1 - self.bias() - self.fraction_bits as i32;
        let full = exponent + 127 - significand.leading_zeros() as i32 - self.fraction_bits as i32;
        let quantum = if self.flushes {
            full
        } else {
            full.max(smallest)
        };
        let drop = quantum - exponent;
        let (kept, half, rest) = if drop <= 0 {
            // At most fraction_bits + 1 bits: no overflow.
            ((significand << -drop) as u64, false, tail)
        } else if drop > 127 {
            (0, false, true)
        } else {
            let low = significand & ((1 << drop) - 1);
            let half = low >> (drop - 1) & 1 != 0;
            let rest = low & ((1 << (drop - 1)) - 1) != 0 || tail;
            ((significand >> drop) as u64, half, rest)
        };
        let up = match mode {
            Mode::Nearest => half && (rest || kept & 1 != 0),
            Mode::Zero => false,
            Mode::Down => negative && (half || rest),
            Mode::Up => !negative && (half || rest),
        };
        let kept = kept + u64::from(up);
        if quantum < smallest {
            let carried = (kept >> (self.fraction_bits + 1)) as i32;
            let least = u64::from(quantum + carried == smallest) << self.fraction_bits;
            return self.signed(negative, least);
        }
        let steps = (quantum - smallest) as u64;
        if steps >= self.infinity() >> self.fraction_bits {
            return self.overflow(negative, mode);
        }
        let bits = (steps << self.fraction_bits) + kept;
        if bits >= self.infinity() {
            self.overflow(negative, mode)
        } else {
            self.signed(negative, bits)
        }
    }

    fn overflow(self, negative: bool, mode: Mode) -> u64 {
        let to_infinity = match mode {
            Mode::Nearest => true,
            Mode::Zero => false,
            Mode::Down => negative,
            Mode::Up => !negative,
        };
        self.signed(negative, self.infinity() - u64::from(!to_infinity))
    }

    pub(crate) fn add(self, a: u64, b: u64, mode: Mode) -> u64 {
        self.sum(self.unpack(a), self.unpack(b), mode)
    }

    pub(crate) fn sub(self, a: u64, b: u64, mode: Mode) -> u64 {
        self.add(a, b ^ self.signed(true, 0), mode)
    }

    pub(crate) fn mul(self, a: u64, b: u64, mode: Mode) -> u64 {
        self.convert(self.unpack(a).times(self.unpack(b)), mode)
    }

    /// `a * b + c`, rounded once.
    pub(crate) fn fma(self, a: u64, b: u64, c: u64, mode: Mode) -> u64 {
        let product = self.unpack(a).times(self.unpack(b));
        self.sum(product, self.unpack(c), mode)
    }

    /// The sum of two values of any precision, in this format.
    fn sum(self, a: Parts, b: Parts, mode: Mode) -> u64 {
        match (a, b) {
            (Parts::NaN, _) | (_, Parts::NaN) => self.nan,
            (Parts::Infinity { negative: x }, Parts::Infinity { negative: y }) if x != y => {
                self.nan
            }
            (Parts::Infinity { negative }, _) | (_, Parts::Infinity { negative }) => {
                self.signed(negative, self.infinity())
            }
            (Parts::Finite(a), Parts::Finite(b)) => self.finite_sum(a, b, mode),
        }
    }

    fn finite_sum(self, a: Finite, b: Finite, mode: Mode) -> u64 {
        match (a.is_zero(), b.is_zero()) {
            (true, true) if a.negative == b.negative => return self.signed(a.negative, 0),
            (true, true) => return self.signed(mode == Mode::Down, 0),
            (true, false) => return self.round(b, false, mode),
            (false, true) => return self.round(a, false, mode),
            (false, false) => {}
        }
        // The larger one with its top at bit 125, the smaller one shifted to
        // it; what falls off is the tail.
        let (larger, smaller) = if a.top() >= b.top() { (a, b) } else { (b, a) };
        let larger = larger.raised();
        let shift = smaller.exponent - larger.exponent;
        let (less, tail) = if shift >= 0 {
            (smaller.significand << shift, false)
        } else if shift <= -128 {
            (0, true)
        } else {
            let lost = smaller.significand & ((1 << -shift) - 1);
            (smaller.significand >> -shift, lost != 0)
        };
        let more = larger.significand;
        let (negative, significand) = if larger.negative == smaller.negative {
            (larger.negative, more + less)
        } else if more == less && !tail {
            return self.signed(mode == Mode::Down, 0);
        } else if less > more {
            (smaller.negative, less - more)
        } else {
            // larger - (smaller + tail) = (larger - smaller - 1) + (1 - tail)
            (larger.negative, more - less - u128::from(tail))
        };
        let sum = Finite {
            negative,
            significand,
            exponent: larger.exponent,
        };
        self.round(sum, tail, mode)
    }

    pub(crate) fn div(self, a: u64, b: u64, mode: Mode) -> u64 {
        let (a, b) = (self.unpack(a), self.unpack(b));
        let negative = a.negative() != b.negative();
        match (a, b) {
            (Parts::NaN, _) | (_, Parts::NaN) => self.nan,
            (Parts::Infinity { .. }, Parts::Infinity { .. }) => self.nan,
            (Parts::Infinity { .. }, _) => self.signed(negative, self.infinity()),
            (_, Parts::Infinity { .. }) => self.signed(negative, 0),
            (Parts::Finite(n), Parts::Finite(m)) => match (n.is_zero(), m.is_zero()) {
                (true, true) => self.nan,
                (_, true) => self.signed(negative, self.infinity()),
                (true, _) => self.signed(negative, 0),
                _ => {
                    let n = n.raised();
                    let quotient = Finite {
                        negative,
                        significand: n.significand / m.significand,
                        exponent: n.exponent - m.exponent,
                    };
                    let exact = n.significand.is_multiple_of(m.significand);
                    self.round(quotient, !exact, mode)
                }
            },
        }
    }

    pub(crate) fn sqrt(self, a: u64, mode: Mode) -> u64 {
        match self.unpack(a) {
            Parts::Finite(Finite { significand: 0, .. }) => a,
            Parts::NaN | Parts::Infinity { negative: true } => self.nan,
            Parts::Finite(Finite { negative: true, .. }) => self.nan,
            Parts::Infinity { .. } => self.infinity(),
            Parts::Finite(value) => {
                let mut up = value.significand.leading_zeros() as i32 - 2;
                up -= (value.exponent - up) & 1;
                let wide = value.significand << up;
                let significand = wide.isqrt();
                let root = Finite {
                    negative: false,
                    significand,
                    exponent: (value.exponent - up) / 2,
                };
                self.round(root, significand * significand != wide, mode)
            }
        }
    }

    /// A value of another format in this one.
    pub(crate) fn convert(self, parts: Parts, mode: Mode) -> u64 {
        match parts {
            Parts::NaN => self.nan,
            Parts::Infinity { negative } => self.signed(negative, self.infinity()),
            Parts::Finite(value) => self.round(value, false, mode),
        }
    }
}

#[cfg(test)]
mod tests;
