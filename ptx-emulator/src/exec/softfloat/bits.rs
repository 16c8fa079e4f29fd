//! What is done to the bits of a value without rounding.

use super::Format;

impl Format {
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

    /// A subnormal to zero of the same sign.
    pub(crate) fn flush(self, bits: u64) -> u64 {
        if bits & self.infinity() == 0 {
            bits & self.sign_bit()
        } else {
            bits
        }
    }

    /// As `flush`, when the format is a flushing one.
    pub(crate) fn flushed(self, bits: u64) -> u64 {
        if self.flushes { self.flush(bits) } else { bits }
    }

    /// To 0..=1; NaN to 0.
    pub(crate) fn saturate(self, bits: u64) -> u64 {
        if self.is_nan(bits) || bits & self.sign_bit() != 0 {
            0
        } else {
            bits.min(self.one())
        }
    }

    /// What is below zero to zero.
    pub(crate) fn relu(self, bits: u64) -> u64 {
        if bits & self.sign_bit() != 0 && !self.is_nan(bits) {
            0
        } else {
            bits
        }
    }

    /// A number that orders all values but NaN, -0 below +0.
    pub(crate) fn key(self, bits: u64) -> i64 {
        let magnitude = (bits & !self.sign_bit()) as i64;
        if bits & self.sign_bit() != 0 {
            !magnitude
        } else {
            magnitude
        }
    }
}
