//! How batches are launched, whatever the rule.

use quadscan_kernels::LANES;
use quadscan_kernels::integrate::sizes::teams;

use crate::Result;
use crate::device::Module;

/// As many blocks as the device holds at a time, and warps of each, of up to `most` the
/// number with which it holds the most warps; `shared` is a block's dynamic shared memory in
/// bytes, of its warps.
///
/// # Errors
///
/// The device's, for a kernel that it does not have or that does not fit.
pub(super) fn shape(
    module: &Module,
    entry: &str,
    most: u32,
    shared: impl Fn(u32) -> u32,
) -> Result<(u32, u32)> {
    let mut best = (0, 0);
    for warps in 1..=most {
        // One that does not fit is refused.
        let resident = match module.resident_blocks(entry, warps * LANES, shared(warps)) {
            Ok(resident) => resident,
            Err(error) if best.0 == 0 => return Err(error),
            Err(_) => break,
        };
        if resident * warps > best.0 * best.1 {
            best = (resident, warps);
        }
    }
    let (blocks, warps) = best;
    Ok((blocks.max(1), warps.max(1)))
}

/// Blocks of a launch for `n` items, up to `most` of so many warps, and the items that a warp
/// draws at a time.
pub(super) fn launch(n: u64, most: u32, warps: u32) -> (u32, u32) {
    let (of_warp, of_block) = (u64::from(teams(1)), u64::from(teams(warps)));
    // Every team has an item, or nearly so, before any has two.
    let all = u64::from(most) * of_block;
    let blocks = n.div_ceil(of_block).clamp(1, u64::from(most)) as u32;
    let draw = (n / all / 4 * of_warp).clamp(of_warp, 64);
    (blocks, draw as u32)
}
