//! The tag of a launch, by which its words are told from those of earlier launches, and the
//! counter in the scratch memory from which it is made.
//!
//! The counter holds the launches so far, modulo 2^32 - 1, above bit 32, and below it what the
//! blocks of this launch have added so far. Tags begin with 1, and again after 2^32 - 1 launches.

use cuda_std::{mem, thread};

/// The last tag of a cycle, which begins with 1.
const LAST_TAG: u32 = u32::MAX;

/// The tag of this launch. Every block calls it once, by one thread.
///
/// Below bit 32 each block adds 1 to the counter, and the first one what is missing to a launch.
/// So nobody waits for what stands there, but in the last launch of a cycle.
///
/// # Safety
/// `scratch` is this launch's alone; all of its blocks call this.
#[inline(always)]
pub unsafe fn begin(scratch: *mut u64) -> u32 {
    let blocks = thread::grid_dim_x();
    // SAFETY: the caller's.
    unsafe {
        let tag = tag(scratch);
        if tag == LAST_TAG {
            arrive(scratch, blocks);
        } else {
            let others = u64::from(blocks - 1);
            let is_first = thread::block_idx_x() == 0;
            let own = if is_first { (1 << 32) - others } else { 1 };
            mem::fetch_add_relaxed(scratch, own);
        }
        tag
    }
}

/// The tag of this launch, as [`begin`] says it. It is to be had until all blocks have
/// [arrived](arrive).
///
/// # Safety
/// `scratch` is this launch's alone.
#[inline(always)]
pub unsafe fn tag(scratch: *const u64) -> u32 {
    // SAFETY: the caller's.
    let count = unsafe { mem::load_relaxed(scratch) };
    next(count)
}

/// Counts the calling block among those that are done, and says whether it is the last of
/// `blocks`: then the launch is counted, and the blocks begin at none again.
///
/// # Safety
/// As for [`tag`]; one thread of every block calls it, which has asked for the tag before.
#[inline(always)]
pub unsafe fn arrive(scratch: *mut u64, blocks: u32) -> bool {
    // SAFETY: the caller's.
    let before = unsafe { mem::fetch_add_relaxed(scratch, 1) };
    let is_last = before as u32 == blocks - 1;
    if is_last {
        let tag = next(before);
        // SAFETY: the caller's.
        unsafe { mem::store_relaxed(scratch, counted(tag)) };
    }
    is_last
}

/// The number of a tile for the calling block, and above bit 32 the launch's tag. Every block
/// calls it once, by one thread.
///
/// It is to [`arrive`] what numbers are to counting: tiles go to
/// blocks as they come.
///
/// # Safety
/// As for [`begin`].
#[inline(always)]
pub unsafe fn take_ticket(scratch: *mut u64, blocks: u32) -> u64 {
    // SAFETY: the caller's.
    let before = unsafe { mem::fetch_add_relaxed(scratch, 1) };
    let tag = next(before);
    if before as u32 == blocks - 1 {
        // SAFETY: the caller's.
        unsafe { mem::store_relaxed(scratch, counted(tag)) };
    }
    before + (1 << 32)
}

/// The counter behind the launch with this tag.
#[inline(always)]
pub fn counted(tag: u32) -> u64 {
    if tag == LAST_TAG {
        0
    } else {
        u64::from(tag) << 32
    }
}

/// The tag of the launch that finds the counter like this.
#[inline(always)]
pub fn next(counter: u64) -> u32 {
    (counter >> 32) as u32 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_count_the_launches_and_begin_again_with_1() {
        assert_eq!(next(0), 1);
        assert_eq!(next(counted(1)), 2);
        assert_eq!(next(counted(LAST_TAG - 1)), LAST_TAG);
        assert_eq!(next(counted(LAST_TAG)), 1);
    }

    #[test]
    fn what_the_blocks_of_a_launch_add_changes_no_tag_before_the_last_one() {
        for before in [0, 1, 7, LAST_TAG - 2] {
            let counter = counted(before);
            // As `begin` adds it: 1 each, and the first one what is missing to a launch.
            for blocks in [1u32, 2, 132] {
                let others = u64::from(blocks - 1);
                assert_eq!(next(counter + others), next(counter));
                let all = counter + others + ((1 << 32) - others);
                assert_eq!(all, counted(next(counter)));
            }
        }
    }
}
