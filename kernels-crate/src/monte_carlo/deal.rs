//! How many units of samples strata have: one each, and a share of the others.

use cuda_std::GpuFloat;

use super::sizes::{Deal, THREADS, TOTALS};

/// What a deal is made by: what the iteration before has found.
#[derive(Clone, Copy)]
pub struct Shares {
    /// How many units there are.
    pub deal: Deal,
    /// The shares of the strata before each one in its block of [`THREADS`],
    pub prefixes: *const f64,
    /// those of the blocks before each one, as the last of their totals,
    pub blocks: *const [f64; TOTALS],
    /// and the totals of all; zeros before the first iteration.
    pub totals: *const [f64; TOTALS],
}

impl Shares {
    /// # Safety
    /// What the iteration before has found is there.
    #[inline(always)]
    pub(super) unsafe fn deal(self) -> Dealt {
        // SAFETY: the caller's.
        let all = unsafe { *self.totals.cast::<f64>().wrapping_add(TOTALS - 1) };
        let factor = f64::from(self.deal.extra) / all;
        Dealt {
            shares: self,
            factor: if factor.is_normal() { factor } else { 0.0 },
        }
    }
}

/// A deal by shares.
#[derive(Clone, Copy)]
pub(super) struct Dealt {
    shares: Shares,
    /// Units an amount of shares; 0 if all strata have as many, to within one.
    factor: f64,
}

impl Dealt {
    /// The first unit of a stratum; for the number of strata, that of units.
    ///
    /// # Safety
    /// There are so many strata.
    #[inline(always)]
    pub(super) unsafe fn first(&self, stratum: u32) -> u32 {
        let Shares { deal, .. } = self.shares;
        let Deal { bits, extra, .. } = deal;
        if stratum >> bits != 0 {
            return deal.units();
        }
        if self.factor == 0.0 {
            return stratum + ((u64::from(extra) * u64::from(stratum)) >> bits) as u32;
        }
        // SAFETY: the caller's.
        let before = unsafe {
            let blocks = self.shares.blocks.cast::<f64>();
            let block = (stratum / THREADS) as usize;
            *blocks.wrapping_add(block * TOTALS + TOTALS - 1)
                + *self.shares.prefixes.wrapping_add(stratum as usize)
        };
        let before = GpuFloat::min(before * self.factor, f64::from(extra));
        // SAFETY: it is between 0 and a number of 32 bits.
        stratum + unsafe { before.to_int_unchecked::<u32>() }
    }

    /// The stratum that has a unit.
    ///
    /// # Safety
    /// There is such a unit.
    #[inline(always)]
    pub(super) unsafe fn stratum_of(&self, unit: u32) -> u32 {
        // Bit by bit, from the highest.
        let (mut stratum, mut bit) = (0, 1 << self.shares.deal.bits >> 1);
        while bit != 0 {
            // SAFETY: the caller's; there are more strata.
            if unsafe { self.first(stratum | bit) } <= unit {
                stratum |= bit;
            }
            bit >>= 1;
        }
        stratum
    }
}

#[cfg(test)]
mod tests {
    use super::super::sizes::{Deal, THREADS, TOTALS};
    use super::Shares;

    /// Deals units by these shares, a block after the other, as launches add them up.
    fn check(shares: &[f64], extra: u32) {
        let (mut prefixes, mut blocks, mut total) = ([0.0; 1024], [[0.0; TOTALS]; 4], 0.0);
        for (block, shares) in shares.chunks(THREADS as usize).enumerate() {
            let mut before = 0.0;
            for (index, share) in shares.iter().enumerate() {
                prefixes[block * THREADS as usize + index] = before;
                before += share;
            }
            blocks[block][TOTALS - 1] = total;
            total += before;
        }
        let deal = Deal {
            bits: shares.len().ilog2(),
            extra,
            samples: 4,
        };
        let of = Shares {
            deal,
            prefixes: prefixes.as_ptr(),
            blocks: blocks.as_ptr(),
            totals: &[0.0, 0.0, 0.0, total],
        };
        // SAFETY: these are the shares.
        let dealt = unsafe { of.deal() };
        let mut next = 0;
        for (stratum, share) in (0..).zip(shares) {
            // SAFETY: there are such strata and units.
            unsafe {
                let (first, end) = (dealt.first(stratum), dealt.first(stratum + 1));
                assert_eq!(first, next);
                let wanted = if total > 0.0 {
                    f64::from(extra) / total * share
                } else {
                    f64::from(extra) / shares.len() as f64
                };
                let off = f64::from(end - first) - 1.0 - wanted;
                assert!(-1.0 < off && off < 1.0, "{stratum}: {off}");
                assert_eq!(dealt.stratum_of(first), stratum);
                assert_eq!(dealt.stratum_of(end - 1), stratum);
                next = end;
            }
        }
        assert_eq!(next, deal.units());
    }

    #[test]
    fn every_unit_is_dealt_and_finds_its_stratum() {
        let mut shares = [0.0; 1024];
        check(&shares, 5000);
        check(&shares[..1], 31);
        for (index, share) in (0_u32..).zip(&mut shares) {
            *share = f64::from(index.wrapping_mul(2_654_435_769) >> 8) * 1e-9;
        }
        check(&shares, 12_345);
        check(&shares[..8], 0);
        shares.fill(0.0);
        shares[700] = 3.0;
        check(&shares, 999);
    }
}
