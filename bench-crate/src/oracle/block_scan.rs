//! Sequential scans, and what the two parallel algorithms do step by step.
//!
//! The steps are counted by carrying the algorithm out on the host, one thread
//! after the other: Hillis and Steele, Data parallel algorithms (CACM 1986), and
//! Blelloch, Prefix sums and their applications (1990), section 1.3. The result
//! of the walk is checked against the sequential scan, so that the counts belong
//! to an algorithm that scans.

/// Lanes of a warp.
const WARP: usize = 32;

/// The most threads of a block.
const MOST_THREADS: usize = 1024;

/// Work of one step between two barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepActivity {
    /// Threads that execute at least one combine: an add and its store.
    pub active_threads: u32,
    /// Warps with at least one of them.
    pub active_warps: u32,
    /// Combines executed.
    pub adds: u32,
}

/// Which threads do the work of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// Thread t does item t: working threads share as few warps as they can.
    Packed,
    /// The items lie in rows of 32, and each warp does those of one diagonal:
    /// working threads are in as many warps as can be.
    Scattered,
    /// Item i is the work of warp i modulo the number of warps: as many warps as can
    /// be again, and other ones.
    Dealt,
}

impl Placing {
    /// For every item its warp, in a block of `warps` warps. Scattered, the warps
    /// go through the rows column by column, one row lower in each.
    fn warps(self, warps: usize) -> Vec<usize> {
        if self == Placing::Dealt {
            return (0..warps).cycle().take(warps * WARP).collect();
        }
        let mut of_item: Vec<usize> = (0..warps * WARP).map(|item| item / WARP).collect();
        if self == Placing::Scattered {
            for column in 0..WARP {
                let mut row = column % warps;
                for warp in 0..warps {
                    of_item[row * WARP + column] = warp;
                    row = if row + 1 == warps { 0 } else { row + 1 };
                }
            }
        }
        of_item
    }
}

/// The threads of a block, and who does which item.
struct Block {
    /// The warp of each item.
    warps: Vec<usize>,
}

impl Block {
    fn new(threads: usize, placing: Placing) -> Self {
        let warps = threads.clamp(1, MOST_THREADS).div_ceil(WARP);
        Block {
            warps: placing.warps(warps),
        }
    }

    /// Counts the items that combine; behind the block's last thread they begin
    /// with its first again.
    fn step(&self, items: usize, mut combine: impl FnMut(usize) -> bool) -> StepActivity {
        let threads = self.warps.len();
        let mut active = vec![false; threads];
        let mut adds = 0;
        for item in 0..items {
            if combine(item) {
                adds += 1;
                active[item % threads] = true;
            }
        }
        let mut warps = vec![false; threads / WARP];
        let working = self
            .warps
            .iter()
            .zip(&active)
            .filter(|(_, active)| **active);
        working.for_each(|(&warp, _)| warps[warp] = true);
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count() as u32;
        StepActivity {
            active_threads: count(&active),
            active_warps: count(&warps),
            adds,
        }
    }
}

/// Element i is the sum of the elements 0 ..= i, wrapping.
pub fn inclusive(input: &[u32]) -> Vec<u32> {
    let mut sum = 0_u32;
    let added = input.iter().map(|x| {
        sum = sum.wrapping_add(*x);
        sum
    });
    added.collect()
}

/// Element i is the sum of the elements 0 .. i, wrapping.
pub fn exclusive(input: &[u32]) -> Vec<u32> {
    let mut sum = 0_u32;
    let before = input.iter().map(|x| {
        let after = sum.wrapping_add(*x);
        std::mem::replace(&mut sum, after)
    });
    before.collect()
}

/// The naive scan (inclusive), one thread an element as far as a block goes: its
/// result, and the activity of its log2(n) steps. `input` has a power of two of
/// elements.
pub fn hillis_steele(input: &[u32], placing: Placing) -> (Vec<u32>, Vec<StepActivity>) {
    let mut data = input.to_vec();
    let block = Block::new(data.len(), placing);
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < data.len() {
        let before = data.clone();
        steps.push(block.step(data.len(), |i| {
            let combines = i >= distance;
            if combines {
                data[i] = before[i - distance].wrapping_add(before[i]);
            }
            combines
        }));
        distance *= 2;
    }
    (data, steps)
}

/// The work-efficient scan (exclusive), one thread for two elements: its result,
/// and the activity of its 2 log2(n) - 1 steps. The up-sweep stops before the
/// root, whose sum nobody reads. `input` has a power of two of elements, at
/// least 2.
pub fn blelloch(input: &[u32], placing: Placing) -> (Vec<u32>, Vec<StepActivity>) {
    let mut tree = input.to_vec();
    let n = tree.len();
    let pairs = n / 2;
    let block = Block::new(pairs, placing);
    let mut steps = Vec::new();
    let mut distance = 1;
    while 2 * distance < n {
        steps.push(block.step(pairs, |pair| {
            let right = 2 * distance * (pair + 1) - 1;
            let combines = right < n;
            if combines {
                tree[right] = tree[right - distance].wrapping_add(tree[right]);
            }
            combines
        }));
        distance *= 2;
    }
    tree[n - 1] = 0;
    while distance > 0 {
        steps.push(block.step(pairs, |pair| {
            let right = 2 * distance * (pair + 1) - 1;
            let combines = right < n;
            if combines {
                let left = tree[right - distance];
                tree[right - distance] = tree[right];
                tree[right] = tree[right].wrapping_add(left);
            }
            combines
        }));
        distance /= 2;
    }
    (tree, steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Placing::{Dealt, Packed, Scattered};

    const SIZES: [usize; 11] = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];

    fn input(n: usize) -> Vec<u32> {
        (0..n as u32)
            .map(|i| i.wrapping_mul(2_654_435_761) >> 7)
            .collect()
    }

    /// Steps, adds and warps of a scan.
    fn sums((_, steps): (Vec<u32>, Vec<StepActivity>)) -> (usize, u32, u32) {
        let adds = steps.iter().map(|s| s.adds).sum();
        (
            steps.len(),
            adds,
            steps.iter().map(|s| s.active_warps).sum(),
        )
    }

    #[test]
    fn scans_of_ones_count() {
        assert_eq!(inclusive(&[1; 5]), [1, 2, 3, 4, 5]);
        assert_eq!(exclusive(&[1; 5]), [0, 1, 2, 3, 4]);
        assert_eq!(exclusive(&[u32::MAX, 2, 3]), [0, u32::MAX, 1]);
    }

    #[test]
    fn both_algorithms_scan() {
        for n in SIZES {
            let input = input(n);
            for placing in [Packed, Scattered, Dealt] {
                assert_eq!(hillis_steele(&input, placing).0, inclusive(&input), "{n}");
                assert_eq!(blelloch(&input, placing).0, exclusive(&input), "{n}");
            }
        }
    }

    #[test]
    fn naive_scan_keeps_289_warps_busy_for_1024_elements_and_the_efficient_one_71() {
        assert_eq!(sums(hillis_steele(&input(1024), Packed)), (10, 9217, 289));
        assert_eq!(sums(blelloch(&input(1024), Packed)), (19, 2045, 71));
    }

    #[test]
    fn steps_and_adds_are_the_closed_forms_for_every_power_of_two() {
        for n in SIZES {
            let (log, elements) = (n.ilog2(), n as u32);
            for placing in [Packed, Scattered, Dealt] {
                let (steps, adds, _) = sums(hillis_steele(&input(n), placing));
                assert_eq!(
                    (steps as u32, adds),
                    (log, elements * log - (elements - 1)),
                    "{n}"
                );
                // The root's add is left out.
                let (steps, adds, _) = sums(blelloch(&input(n), placing));
                assert_eq!(
                    (steps as u32, adds),
                    (2 * log - 1, 2 * (elements - 1) - 1),
                    "{n}"
                );
            }
        }
    }

    #[test]
    fn scattered_work_is_in_all_warps_as_long_as_there_is_enough_of_it() {
        // 32 warps in 10 steps.
        assert_eq!(sums(hillis_steele(&input(1024), Scattered)).2, 320);
        // 16 warps down to 16 pairs, then one a pair: 110 up, 111 down.
        assert_eq!(sums(blelloch(&input(1024), Scattered)).2, 221);
        assert_eq!(sums(blelloch(&input(1024), Dealt)).2, 221);
        for n in SIZES {
            let pairs = n as u32 / 2;
            let warps = pairs.div_ceil(32);
            for placing in [Scattered, Dealt] {
                for step in blelloch(&input(n), placing).1 {
                    assert_eq!(step.active_warps, warps.min(step.active_threads), "{n}");
                }
            }
        }
    }

    #[test]
    fn with_2048_elements_every_thread_has_two_and_counts_once() {
        let (_, steps) = hillis_steele(&input(2048), Packed);
        // The later half of the elements combines in every step.
        assert!(
            steps
                .iter()
                .all(|s| (s.active_threads, s.active_warps) == (1024, 32))
        );
        assert_eq!((steps[0].adds, steps[10].adds), (2047, 1024));
    }

    #[test]
    fn a_diagonal_has_every_lane_once_and_its_own_rows() {
        for warps in [1, 2, 16, 32] {
            let of_item = Scattered.warps(warps);
            for lane in 0..WARP {
                let mut column: Vec<usize> =
                    of_item.iter().skip(lane).step_by(WARP).copied().collect();
                column.sort_unstable();
                assert_eq!(column, (0..warps).collect::<Vec<_>>());
            }
        }
    }
}
