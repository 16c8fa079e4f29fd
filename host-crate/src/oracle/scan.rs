//! Sequential scans, and what the two parallel algorithms do step by step.
//!
//! The steps are counted by carrying the algorithm out on the host, one thread
//! after the other: Hillis and Steele, Data parallel algorithms (CACM 1986), and
//! Blelloch, Prefix sums and their applications (1990), section 1.3. The result
//! of the walk is checked against the sequential scan, so that the counts belong
//! to an algorithm that scans.

/// Lanes of a warp.
const WARP: usize = 32;

/// Work of one step between two barriers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepActivity {
    /// Combines executed: an add and its store.
    pub active_threads: u32,
    /// Warps with at least one of them.
    pub active_warps: u32,
}

/// Element i is the sum of the elements 0 ..= i, wrapping.
pub fn inclusive(input: &[u32]) -> Vec<u32> {
    input
        .iter()
        .scan(0_u32, |sum, &x| {
            *sum = sum.wrapping_add(x);
            Some(*sum)
        })
        .collect()
}

/// Element i is the sum of the elements 0 .. i, wrapping.
pub fn exclusive(input: &[u32]) -> Vec<u32> {
    input
        .iter()
        .scan(0_u32, |sum, &x| {
            let before = *sum;
            *sum = sum.wrapping_add(x);
            Some(before)
        })
        .collect()
}

/// Counts the threads for which `combine` says that they combine.
fn step(threads: usize, mut combine: impl FnMut(usize) -> bool) -> StepActivity {
    let mut warps = vec![false; threads.div_ceil(WARP)];
    let mut active_threads = 0;
    for thread in 0..threads {
        if combine(thread) {
            active_threads += 1;
            warps[thread / WARP] = true;
        }
    }
    let active_warps = warps.iter().filter(|active| **active).count() as u32;
    StepActivity {
        active_threads,
        active_warps,
    }
}

/// The naive scan (inclusive), one thread an element: its result, and the
/// activity of its log2(n) steps. `input` has a power of two of elements.
pub fn hillis_steele(input: &[u32]) -> (Vec<u32>, Vec<StepActivity>) {
    let mut data = input.to_vec();
    let mut steps = Vec::new();
    let mut distance = 1;
    while distance < data.len() {
        let before = data.clone();
        steps.push(step(data.len(), |thread| {
            let combines = thread >= distance;
            if combines {
                data[thread] = before[thread - distance].wrapping_add(before[thread]);
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
pub fn blelloch(input: &[u32]) -> (Vec<u32>, Vec<StepActivity>) {
    let mut tree = input.to_vec();
    let n = tree.len();
    let threads = n / 2;
    let mut steps = Vec::new();
    let mut distance = 1;
    while 2 * distance < n {
        steps.push(step(threads, |thread| {
            let right = 2 * distance * (thread + 1) - 1;
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
        steps.push(step(threads, |thread| {
            let right = 2 * distance * (thread + 1) - 1;
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

    fn input(n: usize) -> Vec<u32> {
        (0..n as u32)
            .map(|i| i.wrapping_mul(2_654_435_761) >> 7)
            .collect()
    }

    #[test]
    fn scans_of_ones_count() {
        assert_eq!(inclusive(&[1; 5]), [1, 2, 3, 4, 5]);
        assert_eq!(exclusive(&[1; 5]), [0, 1, 2, 3, 4]);
        assert_eq!(exclusive(&[u32::MAX, 2, 3]), [0, u32::MAX, 1]);
    }

    #[test]
    fn both_algorithms_scan() {
        for n in [2, 4, 32, 64, 1024, 2048] {
            let input = input(n);
            assert_eq!(hillis_steele(&input).0, inclusive(&input), "{n}");
            assert_eq!(blelloch(&input).0, exclusive(&input), "{n}");
        }
    }

    #[test]
    fn naive_scan_keeps_289_warps_busy_for_1024_elements_and_the_efficient_one_71() {
        let warps = |steps: &[StepActivity]| steps.iter().map(|s| s.active_warps).sum::<u32>();
        let adds = |steps: &[StepActivity]| steps.iter().map(|s| s.active_threads).sum::<u32>();
        let (_, naive) = hillis_steele(&input(1024));
        let (_, efficient) = blelloch(&input(1024));
        assert_eq!((naive.len(), efficient.len()), (10, 19));
        assert_eq!((warps(&naive), warps(&efficient)), (289, 71));
        // n log2(n) - (n - 1), and 2 (n - 1) without the root's add.
        assert_eq!((adds(&naive), adds(&efficient)), (9217, 2045));
    }
}
