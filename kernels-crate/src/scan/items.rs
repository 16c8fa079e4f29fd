//! The items of one lane: neighbouring elements in its registers.

use bytemuck::Pod;
use core::array::from_fn;
use cuda_std::shared::SharedPtr;

use crate::operator::Operator;

/// 16 bytes.
type Vector = [u32; 4];

/// Reads `N` items, which are `V` vectors, from shared memory.
///
/// # Safety
/// `at` points to them, and is a multiple of 16.
#[inline(always)]
pub unsafe fn read<T: Pod, const V: usize, const N: usize>(at: SharedPtr<u8>) -> [T; N] {
    const { assert!(size_of::<[T; N]>() == 16 * V, "the items are whole vectors") };
    // SAFETY: the caller's.
    let vectors: [Vector; V] =
        from_fn(|v| unsafe { at.cast::<Vector>().wrapping_add(v as u32).load() });
    // SAFETY: both are as many bytes, and every pattern is a `Pod` value.
    unsafe { core::mem::transmute_copy(&vectors) }
}

/// Writes `N` items, which are `V` vectors, to shared memory.
///
/// # Safety
/// As for [`read`], and nobody else accesses them.
#[inline(always)]
pub unsafe fn write<T: Pod, const V: usize, const N: usize>(at: SharedPtr<u8>, items: [T; N]) {
    const { assert!(size_of::<[T; N]>() == 16 * V, "the items are whole vectors") };
    // SAFETY: both are as many bytes, and every pattern is a `Pod` value.
    let vectors: [Vector; V] = unsafe { core::mem::transmute_copy(&items) };
    for v in 0..V {
        // SAFETY: the caller's.
        unsafe { at.cast::<Vector>().wrapping_add(v as u32).store(vectors[v]) };
    }
}

/// The first `count` items combined, one after the other; nothing in particular when
/// there is none.
#[inline(always)]
pub fn total<O: Operator, const N: usize>(items: &[O::Input; N], count: usize) -> O::Accumulator {
    let mut total = O::transform(items[0]);
    for i in 1..N {
        if i < count {
            total = O::combine(total, O::transform(items[i]));
        }
    }
    total
}

/// The scan of the first `count` items behind `before`, where there is something before
/// them; an exclusive one always has.
#[inline(always)]
pub fn scan<O: Operator, const N: usize>(
    items: &[O::Input; N],
    count: usize,
    before: O::Accumulator,
    has_before: bool,
    is_exclusive: bool,
) -> [O::Output; N] {
    let mut running = before;
    from_fn(|i| {
        let earlier = running;
        if i < count {
            let own = O::transform(items[i]);
            running = if i == 0 && !has_before {
                own
            } else {
                O::combine(running, own)
            };
        }
        O::finish(if is_exclusive { earlier } else { running })
    })
}
