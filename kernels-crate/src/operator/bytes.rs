//! Sums of bytes, four at a time: the bytes of a word, in two registers of two 16-bit
//! numbers each. All of it wraps as byte after byte would.
//!
//! What it saves: a byte on its own is taken out, added and put back, some nine
//! instructions for the total and the scan; four together take about twelve.

// A loop over constant indices unrolls, and what it indexes stays in registers.
#![allow(clippy::needless_range_loop)]

/// Bytes 0 and 2 of a word, as 16-bit numbers.
const EVEN: u32 = 0x00FF_00FF;

/// 16 bytes.
type Vector = [u32; 4];

/// Bytes 0 and 2, and bytes 1 and 3.
#[inline(always)]
fn halves(word: u32) -> (u32, u32) {
    (word & EVEN, word >> 8 & EVEN)
}

/// The word of such halves, whose numbers count modulo 256.
#[inline(always)]
fn joined(even: u32, odd: u32) -> u32 {
    even & EVEN | (odd & EVEN) << 8
}

/// The sum of all bytes, of which there are no more than 512.
#[inline(always)]
pub(super) fn total<const V: usize>(vectors: &[Vector; V]) -> u32 {
    const {
        assert!(
            V * size_of::<Vector>() <= 512,
            "the sums of 2 in 4 bytes have 16 bits"
        )
    };
    let mut sums = 0;
    for v in 0..V {
        for w in 0..4 {
            let (even, odd) = halves(vectors[v][w]);
            sums += even + odd;
        }
    }
    (sums & 0xFFFF) + (sums >> 16)
}

/// The scan of bytes behind `before`, modulo 256.
#[inline(always)]
pub(super) fn scan<const V: usize>(
    vectors: &[Vector; V],
    before: u32,
    is_exclusive: bool,
) -> [Vector; V] {
    if is_exclusive {
        scan_as::<V, true>(vectors, before)
    } else {
        scan_as::<V, false>(vectors, before)
    }
}

#[inline(always)]
fn scan_as<const V: usize, const EXCLUSIVE: bool>(
    vectors: &[Vector; V],
    before: u32,
) -> [Vector; V] {
    const {
        assert!(
            V * size_of::<Vector>() <= 255,
            "the sums of all bytes have 16 bits"
        )
    };
    let mut results = *vectors;
    // What lies before the word, in both halves.
    let mut before = (before & 0xFF) * 0x1_0001;
    for v in 0..V {
        for w in 0..4 {
            let (even, odd) = halves(vectors[v][w]);
            // Of bytes 0 and 1, and of all four.
            let pairs = (even + odd).wrapping_mul(0x1_0001).wrapping_add(before);
            let up_to_even = pairs.wrapping_sub(odd);
            results[v][w] = match EXCLUSIVE {
                true => joined(before & 0xFFFF | pairs << 16, up_to_even),
                false => joined(up_to_even, pairs),
            };
            before = (pairs >> 16) * 0x1_0001;
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(bytes: &[u8; 48]) -> [Vector; 3] {
        bytemuck::cast(*bytes)
    }

    #[test]
    fn words_have_the_sums_of_their_bytes() {
        for (factor, offset) in [(0, 0), (0, 255), (7, 3), (251, 1)] {
            let bytes: [u8; 48] = core::array::from_fn(|i| (i as u32 * factor + offset) as u8);
            let words = vectors(&bytes);
            assert_eq!(
                total(&words),
                bytes.iter().map(|&byte| u32::from(byte)).sum()
            );
            for before in [0, 1, 200, 255] {
                let mut running = before as u8;
                let inclusive: [u8; 48] = core::array::from_fn(|i| {
                    running = running.wrapping_add(bytes[i]);
                    running
                });
                assert_eq!(scan(&words, before, false), vectors(&inclusive));
                let exclusive: [u8; 48] = core::array::from_fn(|i| match i {
                    0 => before as u8,
                    _ => inclusive[i - 1],
                });
                assert_eq!(scan(&words, before, true), vectors(&exclusive));
            }
        }
    }
}
