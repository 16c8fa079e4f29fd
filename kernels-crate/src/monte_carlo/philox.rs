//! Philox4x32-10: a bijection of 128 bits whose values at 0, 1, 2, ... are random numbers.
//!
//! Source: Salmon, Moraes, Dror and Shaw, Parallel random numbers: as easy as 1, 2, 3, SC 2011,
//! section 3.3; the known answers of the test are those of its authors' library Random123.

/// Rounds.
const ROUNDS: usize = 10;
/// The multipliers of the two halves,
const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
/// and what their keys grow by each round.
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The keys of all rounds. A kernel takes them as a parameter: then they are operands of its
/// instructions and need neither registers nor additions.
pub type RoundKeys = [[u32; 2]; ROUNDS];

/// The keys of the rounds for a seed.
pub const fn round_keys(seed: u64) -> RoundKeys {
    let mut key = [seed as u32, (seed >> 32) as u32];
    let (mut keys, mut round) = ([[0; 2]; ROUNDS], 0);
    while round < ROUNDS {
        keys[round] = key;
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
        round += 1;
    }
    keys
}

/// Four random words, those of this number.
#[inline(always)]
pub const fn philox(counter: [u32; 4], keys: &RoundKeys) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let mut round = 0;
    while round < ROUNDS {
        let first = MULTIPLIERS[0] as u64 * a as u64;
        let second = MULTIPLIERS[1] as u64 * c as u64;
        [a, b, c, d] = [
            (second >> 32) as u32 ^ b ^ keys[round][0],
            second as u32,
            (first >> 32) as u32 ^ d ^ keys[round][1],
            first as u32,
        ];
        round += 1;
    }
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::{philox, round_keys};

    #[test]
    fn words_are_the_known_answers_of_the_authors() {
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        for (counter, seed, words) in [
            (
                [0; 4],
                0,
                [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
            ),
            (
                [u32::MAX; 4],
                u64::MAX,
                [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            ),
            (
                pi,
                0x299f_31d0_a409_3822,
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ] {
            assert_eq!(philox(counter, &round_keys(seed)), words);
        }
    }
}
