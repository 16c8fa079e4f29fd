//! IEEE 754 arithmetic on integers, for what the host's instructions do not
//! offer: rounding modes other than to nearest, and narrow formats.
//!
//! A finite value is `significand * 2^exponent` with up to 126 bits; `round`
//! is the one place that rounds.

mod bits;

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

pub(crate) const F16: Format = Format {
    exponent_bits: 5,
    fraction_bits: 10,
    nan: 0x7fff,
    flushes: false,
};
pub(crate) const BF16: Format = Format {
    exponent_bits: 8,
    fraction_bits: 7,
    nan: 0x7fff,
    flushes: false,
};
pub(crate) const F32: Format = Format {
    exponent_bits: 8,
    fraction_bits: 23,
    nan: 0x7fff_ffff,
    flushes: false,
};
pub(crate) const F64: Format = Format {
    exponent_bits: 11,
    fraction_bits: 52,
    nan: 0xfff8_0000_0000_0000,
    flushes: false,
};

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
    Infinity {
        negative: bool,
    },
    /// Zero has significand 0.
    Finite {
        negative: bool,
        significand: u128,
        exponent: i32,
    },
}

impl Format {
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
    pub(crate) fn flushing(self) -> Format {
        Format {
            flushes: true,
            ..self
        }
    }

    /// The bit of the sign.
    pub(crate) fn sign_bit(self) -> u64 {
        self.signed(true, 0)
    }

    /// The bits of the number 1.
    pub(crate) fn one(self) -> u64 {
        (self.bias() as u64) << self.fraction_bits
    }

    pub(crate) fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign_bit() > self.infinity()
    }

    pub(crate) fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }

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
        let hidden = if biased == 0 {
            0
        } else {
            1 << self.fraction_bits
        };
        let exponent = biased.max(1) as i32 - self.bias() - self.fraction_bits as i32;
        Parts::Finite {
            negative,
            significand: u128::from(fraction | hidden),
            exponent,
        }
    }

    /// The bits of a value: `(significand + tail) * 2^exponent`, where `tail`
    /// says that something between 0 and 1 follows the significand.
    pub(crate) fn round(
        self,
        negative: bool,
        significand: u128,
        exponent: i32,
        tail: bool,
        mode: Mode,
    ) -> u64 {
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
        let sticky_low = tail;
        let smallest = 1 - self.bias() - self.fraction_bits as i32;
        let top = exponent + 127 - significand.leading_zeros() as i32;
        let full = top - self.fraction_bits as i32;
        let quantum = if self.flushes {
            full
        } else {
            full.max(smallest)
        };
        let drop = quantum - exponent;
        let (kept, half, rest) = if drop <= 0 {
            // At most fraction_bits + 1 bits: no overflow.
            ((significand << -drop) as u64, false, sticky_low)
        } else if drop > 127 {
            (0, false, true)
        } else {
            let low = significand & ((1 << drop) - 1);
            let half = low >> (drop - 1) & 1 != 0;
            let rest = low & ((1 << (drop - 1)) - 1) != 0 || sticky_low;
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
        self.signed(
            negative,
            if to_infinity {
                self.infinity()
            } else {
                self.infinity() - 1
            },
        )
    }

    pub(crate) fn add(self, a: u64, b: u64, mode: Mode) -> u64 {
        self.sum(self.unpack(a), self.unpack(b), mode)
    }

    pub(crate) fn sub(self, a: u64, b: u64, mode: Mode) -> u64 {
        self.add(a, b ^ self.signed(true, 0), mode)
    }

    pub(crate) fn mul(self, a: u64, b: u64, mode: Mode) -> u64 {
        match product(self.unpack(a), self.unpack(b)) {
            Parts::NaN => self.nan,
            Parts::Infinity { negative } => self.signed(negative, self.infinity()),
            Parts::Finite {
                negative,
                significand,
                exponent,
            } => self.round(negative, significand, exponent, false, mode),
        }
    }

    /// `a * b + c`, rounded once.
    pub(crate) fn fma(self, a: u64, b: u64, c: u64, mode: Mode) -> u64 {
        self.sum(
            product(self.unpack(a), self.unpack(b)),
            self.unpack(c),
            mode,
        )
    }

    /// The sum of two values of any precision, in this format.
    pub(crate) fn sum(self, a: Parts, b: Parts, mode: Mode) -> u64 {
        let (an, asig, aexp, bn, bsig, bexp) = match (a, b) {
            (Parts::NaN, _) | (_, Parts::NaN) => return self.nan,
            (Parts::Infinity { negative: x }, Parts::Infinity { negative: y }) if x != y => {
                return self.nan;
            }
            (Parts::Infinity { negative }, _) | (_, Parts::Infinity { negative }) => {
                return self.signed(negative, self.infinity());
            }
            (
                Parts::Finite {
                    negative: an,
                    significand: asig,
                    exponent: aexp,
                },
                Parts::Finite {
                    negative: bn,
                    significand: bsig,
                    exponent: bexp,
                },
            ) => (an, asig, aexp, bn, bsig, bexp),
        };
        let zero = |negative| self.signed(negative, 0);
        if asig == 0 && bsig == 0 {
            return zero(if an == bn { an } else { mode == Mode::Down });
        }
        if asig == 0 {
            return self.round(bn, bsig, bexp, false, mode);
        }
        if bsig == 0 {
            return self.round(an, asig, aexp, false, mode);
        }
        // The larger one with its top at bit 125, the smaller one shifted to
        // it; what falls off is the tail.
        let top =
            |significand: u128, exponent: i32| exponent + 127 - significand.leading_zeros() as i32;
        let larger_first = top(asig, aexp) >= top(bsig, bexp);
        let (ln, lsig, lexp, sn, ssig, sexp) = if larger_first {
            (an, asig, aexp, bn, bsig, bexp)
        } else {
            (bn, bsig, bexp, an, asig, aexp)
        };
        let up = lsig.leading_zeros() as i32 - 2;
        let (lsig, lexp) = if up >= 0 {
            (lsig << up, lexp - up)
        } else {
            (lsig, lexp)
        };
        let shift = sexp - lexp;
        let (ssig, tail) = if shift >= 0 {
            (ssig << shift, false)
        } else if shift <= -128 {
            (0, true)
        } else {
            (ssig >> -shift, ssig & ((1 << -shift) - 1) != 0)
        };
        if ln == sn {
            return self.round(ln, lsig + ssig, lexp, tail, mode);
        }
        if lsig == ssig && !tail {
            return zero(mode == Mode::Down);
        }
        if ssig > lsig {
            return self.round(sn, ssig - lsig, lexp, tail, mode);
        }
        // larger - (smaller + tail) = (larger - smaller - 1) + (1 - tail)
        self.round(ln, lsig - ssig - u128::from(tail), lexp, tail, mode)
    }

    pub(crate) fn div(self, a: u64, b: u64, mode: Mode) -> u64 {
        let (a, b) = (self.unpack(a), self.unpack(b));
        match (a, b) {
            (Parts::NaN, _)
            | (_, Parts::NaN)
            | (Parts::Infinity { .. }, Parts::Infinity { .. }) => self.nan,
            (Parts::Infinity { negative: x }, Parts::Finite { negative: y, .. }) => {
                self.signed(x != y, self.infinity())
            }
            (Parts::Finite { negative: x, .. }, Parts::Infinity { negative: y }) => {
                self.signed(x != y, 0)
            }
            (
                Parts::Finite {
                    negative: x,
                    significand: n,
                    exponent: ne,
                },
                Parts::Finite {
                    negative: y,
                    significand: m,
                    exponent: me,
                },
            ) => match (n, m) {
                (0, 0) => self.nan,
                (_, 0) => self.signed(x != y, self.infinity()),
                (0, _) => self.signed(x != y, 0),
                _ => {
                    let up = n.leading_zeros() as i32 - 2;
                    let n = n << up;
                    self.round(x != y, n / m, ne - up - me, !n.is_multiple_of(m), mode)
                }
            },
        }
    }

    pub(crate) fn sqrt(self, a: u64, mode: Mode) -> u64 {
        match self.unpack(a) {
            Parts::NaN => self.nan,
            Parts::Finite { significand: 0, .. } => a,
            Parts::Infinity { negative: true } | Parts::Finite { negative: true, .. } => self.nan,
            Parts::Infinity { .. } => self.infinity(),
            Parts::Finite {
                significand,
                exponent,
                ..
            } => {
                let mut up = significand.leading_zeros() as i32 - 2;
                up -= (exponent - up) & 1;
                let wide = significand << up;
                let root = wide.isqrt();
                self.round(false, root, (exponent - up) / 2, root * root != wide, mode)
            }
        }
    }

    /// A value of another format in this one.
    pub(crate) fn convert(self, parts: Parts, mode: Mode) -> u64 {
        match parts {
            Parts::NaN => self.nan,
            Parts::Infinity { negative } => self.signed(negative, self.infinity()),
            Parts::Finite {
                negative,
                significand,
                exponent,
            } => self.round(negative, significand, exponent, false, mode),
        }
    }
}

fn product(a: Parts, b: Parts) -> Parts {
    match (a, b) {
        (Parts::NaN, _) | (_, Parts::NaN) => Parts::NaN,
        (Parts::Infinity { negative: x }, Parts::Infinity { negative: y }) => {
            Parts::Infinity { negative: x != y }
        }
        (
            Parts::Infinity { negative: x },
            Parts::Finite {
                negative: y,
                significand,
                ..
            },
        )
        | (
            Parts::Finite {
                negative: y,
                significand,
                ..
            },
            Parts::Infinity { negative: x },
        ) => {
            if significand == 0 {
                Parts::NaN
            } else {
                Parts::Infinity { negative: x != y }
            }
        }
        (
            Parts::Finite {
                negative: x,
                significand: m,
                exponent: e,
            },
            Parts::Finite {
                negative: y,
                significand: n,
                exponent: f,
            },
        ) => Parts::Finite {
            negative: x != y,
            significand: m * n,
            exponent: e + f,
        },
    }
}

#[cfg(test)]
mod tests;
