//! Adds up the chunks of every region.

use cuda_std::{thread, warp};

use super::region::{ADDERS, BEST, LINES, Region, SUMS, chunks};

/// Chunks of which a lane has numbers at a time.
const AHEAD: usize = 8;

/// Adds up the chunks of each region, [`ADDERS`] lanes each of its sums: a lane every so many chunks in
/// order, then the lanes in pairs.
///
/// # Safety
/// The partials of all chunks of the regions were written; there is room for [`SUMS`] a region. Blocks
/// have whole warps.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an iterator would put the arrays into memory"
)]
pub unsafe fn combine(regions: *const Region, count: u32, partials: *const f64, sums: *mut f64) {
    let threads = u64::from(thread::grid_dim_x()) * u64::from(thread::block_dim_x());
    let first = u64::from(thread::block_idx_x()) * u64::from(thread::block_dim_x());
    let mut of = first + u64::from(thread::thread_idx_x());
    let all = u64::from(count) * LINES as u64 * u64::from(ADDERS);
    while of < all {
        let (own, of_sum) = ((of % u64::from(ADDERS)) as u32, of / u64::from(ADDERS));
        let (number, index) = (
            (of_sum / LINES as u64) as usize,
            (of_sum % LINES as u64) as usize,
        );
        // SAFETY: the caller's; the sums of all regions are of whole warps.
        unsafe {
            let region = &*regions.add(number);
            let from = partials.add(region.first as usize * SUMS + index);
            let end = chunks(region.plane);
            let is_sum = index < BEST;
            let of_size = if is_sum { 0 } else { index - BEST };
            // The largest so far, and the chunk that has it.
            let (mut sum, mut best, mut at, mut chunk) = (0.0, -1.0, own, own);
            while chunk < end {
                // They come from memory together.
                let (mut parts, mut sizes) = ([0.0; AHEAD], [-1.0; AHEAD]);
                for k in 0..AHEAD {
                    let next = chunk + k as u32 * ADDERS;
                    if next < end {
                        let part = from.add(next as usize * SUMS);
                        (parts[k], sizes[k]) = (*part, *part.sub(of_size));
                    }
                }
                for k in 0..AHEAD {
                    if is_sum {
                        sum += parts[k];
                    } else if sizes[k] > best {
                        (best, at, sum) = (sizes[k], chunk + k as u32 * ADDERS, parts[k]);
                    }
                }
                chunk += AHEAD as u32 * ADDERS;
            }
            let mut distance = 1;
            while distance < ADDERS {
                let other = |number| warp::shuffle_xor(warp::FULL_MASK, number, distance);
                let (more, size) = (other(sum), other(best));
                let place = warp::shuffle_xor(warp::FULL_MASK, at, distance);
                if is_sum {
                    sum += more;
                } else if size > best || size == best && place < at {
                    (best, at, sum) = (size, place, more);
                }
                distance *= 2;
            }
            if own == 0 {
                *sums.add(number * SUMS + index) = sum;
            }
        }
        of += threads;
    }
}
