//! What a probe is given: special values of its types, then random ones.

/// The most cases of one probe: five warps of them.
pub const CASES: usize = 160;

/// Cases of a probe of so many operands: whole warps, enough for all special
/// values, or all pairs of the core ones, and for random ones besides.
pub fn count(operands: usize) -> usize {
    if operands == 1 { 96 } else { CASES }
}

/// What an operand may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// An f32, in the low half of the word.
    F32,
    /// An f64.
    F64,
    /// An f16, in the low 16 bits.
    F16,
    /// A bf16, in the low 16 bits.
    BF16,
    /// Two f16.
    F16x2,
    /// Two bf16.
    BF16x2,
    /// 16 bits of an integer.
    I16,
    /// 32 bits of an integer.
    I32,
    /// 64 bits of an integer.
    I64,
    /// A shift, a position or a length: 0 to 300, and huge ones.
    Shift,
    /// A lane or a distance in a warp: 0 to 40.
    Lane,
    /// The last operand of `shfl`: a clamp and a segment mask.
    Segment,
    /// One of few values, so that lanes agree now and then.
    Few,
    /// An angle or an exponent: an f32 of magnitude up to 2^7.
    Angle,
}

use super::values::{
    BORDER_F16, BORDER_F32, CORE_BF16, CORE_F16, CORE_F32, CORE_F64, CORE_I16, CORE_I32, CORE_I64,
    CORE_LANE, CORE_SHIFT, FEW, MORE_BF16, MORE_F16, MORE_F32, MORE_F64, MORE_I32, MORE_I64,
    MORE_SHIFT, SEGMENTS,
};
use Domain::{Angle, BF16, BF16x2, F16, F16x2, F32, F64, Few, I16, I32, I64, Lane, Segment, Shift};

/// splitmix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The numbers of a seed and a name: another name does not disturb them.
    pub fn named(seed: u64, name: &str) -> Self {
        let fnv = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Random(seed ^ fnv)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// One of them.
    pub fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }
}

impl Domain {
    /// The values that are crossed with those of the other operands.
    fn core(self) -> Vec<u64> {
        match self {
            F32 => widened(CORE_F32),
            F64 => CORE_F64.to_vec(),
            F16 => widened(CORE_F16),
            BF16 => widened(CORE_BF16),
            F16x2 => pairs(CORE_F16),
            BF16x2 => pairs(CORE_BF16),
            I16 => widened(CORE_I16),
            I32 => widened(CORE_I32),
            I64 => CORE_I64.to_vec(),
            Shift => widened(CORE_SHIFT),
            Lane => CORE_LANE.to_vec(),
            Segment => SEGMENTS.to_vec(),
            Few => FEW.to_vec(),
            Angle => widened(CORE_F32),
        }
    }

    /// The values that a single operand takes as well.
    fn more(self) -> Vec<u64> {
        match self {
            F32 | Angle => widened(MORE_F32),
            F64 => MORE_F64.to_vec(),
            F16 => widened(MORE_F16),
            BF16 => widened(MORE_BF16),
            F16x2 => pairs(MORE_F16),
            BF16x2 => pairs(MORE_BF16),
            I32 => widened(MORE_I32),
            I64 => MORE_I64.to_vec(),
            Shift => widened(MORE_SHIFT),
            I16 | Lane | Segment | Few => Vec::new(),
        }
    }

    /// A random value: a special one, any bits, or (of a float) one whose
    /// exponent lies near that of 1, so that operands meet.
    pub(crate) fn random(self, random: &mut Random) -> u64 {
        let bits = random.bits();
        let kind = random.below(8);
        match self {
            Lane => bits % 41,
            Segment => random.pick(SEGMENTS),
            Few => random.pick(&self.core()),
            Shift => bits % 301,
            F16x2 => F16.random(random) << 16 | F16.random(random),
            BF16x2 => BF16.random(random) << 16 | BF16.random(random),
            _ if kind == 0 => random.pick(&self.core()),
            F32 if kind < 5 => u64::from(near(bits, 23, 8, 20) as u32),
            F64 if kind < 5 => near(bits, 52, 11, 40),
            F16 if kind < 5 => near(bits, 10, 5, 6),
            BF16 if kind < 5 => near(bits, 7, 8, 10),
            // Products that are subnormal.
            F32 if kind == 5 => bits & 0x803f_ffff_u64 | 0x2000_0000,
            F64 if kind == 5 => bits & 0x800f_ffff_ffff_ffff | 0x1ff0_0000_0000_0000,
            Angle => u64::from(near(bits, 23, 8, 6) as u32),
            I32 if kind == 1 => bits & 0xffff,
            I64 if kind == 1 => bits & 0xffff_ffff,
            F16 | BF16 | I16 => bits & 0xffff,
            F32 | I32 => bits & 0xffff_ffff,
            F64 | I64 => bits,
        }
    }
}

/// A float whose exponent is within `spread` of that of 1.
fn near(bits: u64, fraction: u32, exponent: u32, spread: u64) -> u64 {
    let bias = (1u64 << (exponent - 1)) - 1;
    let chosen = bias - spread + (bits >> 55) % (2 * spread + 1);
    let sign = bits >> 54 & 1;
    sign << (fraction + exponent) | chosen << fraction | bits & ((1 << fraction) - 1)
}

fn widened<T: Copy + Into<u64>>(values: &[T]) -> Vec<u64> {
    values.iter().map(|&value| value.into()).collect()
}

/// Each value with another one of the list above it.
fn pairs(values: &[u16]) -> Vec<u64> {
    (0..values.len())
        .map(|i| {
            let other = values[(i * 7 + 3) % values.len()];
            u64::from(other) << 16 | u64::from(values[i])
        })
        .collect()
}

/// The operands of each case. All pairs of core values of the first two
/// operands come first; a single operand takes all of its special values.
pub fn cases(domains: &[Domain], seed: u64, name: &str) -> Vec<[u64; 3]> {
    let mut random = Random::named(seed, name);
    let borders: Vec<(u64, u64)> = match domains {
        [F32, F32, ..] => BORDER_F32
            .iter()
            .map(|&(a, b)| (a.into(), b.into()))
            .collect(),
        [F16, F16, ..] => BORDER_F16
            .iter()
            .map(|&(a, b)| (a.into(), b.into()))
            .collect(),
        _ => Vec::new(),
    };
    let special: Vec<Vec<u64>> = domains
        .iter()
        .map(|domain| {
            let mut values = domain.core();
            if domains.len() == 1 {
                values.extend(domain.more());
            }
            values
        })
        .collect();
    // Bits above an operand must not matter, so they are random.
    (0..count(domains.len()))
        .map(|case| {
            let mut operands = [random.bits(), random.bits(), random.bits()];
            let crossed = special.first().map_or(0, Vec::len)
                * if domains.len() > 1 {
                    special[1].len()
                } else {
                    1
                };
            for (index, domain) in domains.iter().enumerate() {
                let border = case.checked_sub(crossed).and_then(|at| borders.get(at));
                let value = match (index, domains.len()) {
                    (0, _) if let Some(&(a, _)) = border => a,
                    (1, _) if let Some(&(_, b)) = border => b,
                    // A zero, of either sign.
                    (2, _) if border.is_some() => special[2][case % 2],
                    _ if case >= crossed => domain.random(&mut random),
                    (0, 1) => special[0][case],
                    (0, _) => special[0][case / special[1].len()],
                    (1, _) => special[1][case % special[1].len()],
                    _ => random.pick(&special[index]),
                };
                let width = domain.bits();
                operands[index] = if width == 64 {
                    value
                } else {
                    operands[index] >> width << width | value
                };
            }
            operands
        })
        .collect()
}

impl Domain {
    /// Bits that an instruction reads of the operand.
    pub(super) fn bits(self) -> u32 {
        match self {
            F64 | I64 | Few => 64,
            F16 | BF16 | I16 => 16,
            _ => 32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_operands_meet_in_all_pairs_of_special_values() {
        let cases = cases(&[F32, F32], 1, "add.f32");
        assert_eq!(cases.len(), CASES);
        for &a in CORE_F32 {
            for &b in CORE_F32 {
                assert!(
                    cases
                        .iter()
                        .any(|case| case[0] as u32 == a && case[1] as u32 == b)
                );
            }
        }
    }

    #[test]
    fn one_operand_takes_all_special_values_and_random_ones() {
        let cases = cases(&[F64], 1, "sqrt.rn.f64");
        for value in CORE_F64.iter().chain(MORE_F64) {
            assert!(cases.iter().any(|case| case[0] == *value));
        }
        let special = CORE_F64.len() + MORE_F64.len();
        let all = cases.len();
        assert!(special < all, "{special} of {all} cases are special");
    }

    #[test]
    fn the_seed_and_the_name_make_the_cases() {
        let of = |seed, name| cases(&[I32, I32], seed, name);
        assert_eq!(of(1, "add"), of(1, "add"));
        assert_ne!(of(1, "add"), of(2, "add"));
        assert_ne!(of(1, "add"), of(1, "sub"));
    }
}
