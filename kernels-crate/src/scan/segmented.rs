//! The scan of many segments of one array by one launch: any scan here, of values that
//! know whether a segment begins in them.
//!
//! [`Segmented`] makes of an operator one on [`Flagged`] values: what stands before a flag
//! is not combined with what comes behind. It is as associative as the operator, so that
//! every algorithm takes it, and segments of one element cost no more than one segment of
//! all. Where segments begin is in [`segment_flags`](super::segment_flags).
//!
//! What stands before a segment's first element, the initial value, is combined with each
//! result at the very end: `combine(initial, combination of the elements)`.
//!
//! Association: that of the algorithm, as if the segment were the whole array, but for
//! where lanes, segments of warps and tiles begin: these are the array's.
//!
//! Source: Blelloch, Prefix sums and their applications, 1990, section 1.5 (segmented
//! scans by flags); Sengupta, Harris, Zhang and Owens, Scan primitives for GPU computing,
//! 2007.

use bytemuck::{Pod, Zeroable};
use core::marker::PhantomData;

use super::words::{MAX_WORDS, from_words, to_words};
#[cfg(not(target_os = "cuda"))]
use super::{ScanKernel, ScanKernels};
use crate::operator::Operator;
#[cfg(all(not(target_os = "cuda"), feature = "instances"))]
use crate::operator::Sum;

/// A combination of neighbours, and whether a segment begins in it: then it is that of the
/// elements from there on.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Flagged<A> {
    value: A,
    /// Not all zeros where a segment begins. Of the value's type, so that nothing lies
    /// between the two or behind them.
    flag: A,
}

// SAFETY: zeros are a value of both fields.
unsafe impl<A: Pod> Zeroable for Flagged<A> {}
// SAFETY: both fields are `Pod`, and of one size and alignment: there are no other bytes.
unsafe impl<A: Pod> Pod for Flagged<A> {}

impl<A: Pod> Flagged<A> {
    /// A value in which no segment begins.
    #[inline(always)]
    pub fn new(value: A) -> Self {
        Self {
            value,
            flag: A::zeroed(),
        }
    }

    #[inline(always)]
    fn is_flagged(&self) -> bool {
        to_words(self.flag)[0] != 0
    }

    #[inline(always)]
    fn flagged(self, is_flagged: bool) -> Self {
        let mut words = [0; MAX_WORDS];
        words[0] = is_flagged.into();
        Self {
            value: self.value,
            flag: from_words(words),
        }
    }
}

/// The operator `O`, in segments.
#[derive(Clone, Copy, Debug)]
pub struct Segmented<O>(PhantomData<O>);

impl<O: Operator> Operator for Segmented<O> {
    type Input = O::Input;
    type Accumulator = Flagged<O::Accumulator>;
    type Output = O::Output;

    #[inline(always)]
    fn transform(element: O::Input) -> Self::Accumulator {
        Flagged::new(O::transform(element))
    }

    #[inline(always)]
    fn combine(first: Self::Accumulator, second: Self::Accumulator) -> Self::Accumulator {
        let value = match second.is_flagged() {
            true => second.value,
            false => O::combine(first.value, second.value),
        };
        Flagged::new(value).flagged(first.is_flagged() | second.is_flagged())
    }

    #[inline(always)]
    fn finish(result: Self::Accumulator) -> O::Output {
        O::finish(result.value)
    }

    const IS_SEGMENTED: bool = true;

    #[inline(always)]
    fn enter(element: Self::Accumulator, is_first: bool) -> Self::Accumulator {
        element.flagged(is_first)
    }

    #[inline(always)]
    fn follow(
        running: Self::Accumulator,
        element: Self::Accumulator,
        is_first: bool,
    ) -> Self::Accumulator {
        Flagged::new(match is_first {
            true => element.value,
            false => O::combine(running.value, element.value),
        })
    }

    /// Flags are known to all lanes at once: values alone are exchanged.
    #[cfg(any(target_os = "cuda", test, clippy, doc))]
    #[inline(always)]
    unsafe fn scan_of_lanes(
        value: Self::Accumulator,
        count: u32,
        most: usize,
    ) -> Option<Self::Accumulator> {
        use super::lanes::{LANES, shuffle_up};
        use cuda_std::warp;

        let lane = warp::lane_id();
        // SAFETY: all lanes are here, the caller's.
        let flags = unsafe { warp::warp_vote_ballot(warp::FULL_MASK, value.is_flagged()) };
        let so_far = flags & (u32::MAX >> (LANES - 1 - lane));
        // Where the lane's segment begins: lane 0, if it began before.
        let first = (so_far | 1).ilog2();
        let mut own = value.value;
        let mut delta = 1;
        while (delta as usize) < most {
            // SAFETY: the caller's.
            let before = unsafe { shuffle_up(own, delta) };
            if lane >= first + delta && lane < count {
                own = O::combine(before, own);
            }
            delta *= 2;
        }
        Some(Flagged::new(own).flagged(so_far != 0))
    }

    #[inline(always)]
    fn leave(
        combined: Self::Accumulator,
        is_first: bool,
        initial: Option<Self::Accumulator>,
        is_exclusive: bool,
    ) -> Self::Accumulator {
        match initial {
            Some(initial) if is_exclusive && is_first => initial,
            Some(initial) => Flagged::new(O::combine(initial.value, combined.value)),
            None => combined,
        }
    }
}

/// An operator whose segmented scans some PTX has. Implemented by
/// [`segmented_scan_kernels!`](crate::segmented_scan_kernels).
///
/// # Safety
///
/// As for [`ScanKernels`], for [`Segmented`]; and entries of that crate that are named as those of
/// [`segment_flags_kernels!`](crate::segment_flags_kernels) are what it made.
#[cfg(not(target_os = "cuda"))]
#[diagnostic::on_unimplemented(
    message = "no kernels scan segments with `{Self}`",
    note = "`quadscan_kernels::segmented_scan_kernels! {{ name: {Self}; }}` in a crate of kernels makes them"
)]
pub unsafe trait SegmentedScanKernels: Operator {
    /// An algorithm each, in the order of [`Algorithm::ALL`](super::Algorithm::ALL).
    const SEGMENTED: &'static [ScanKernel];
}

// SAFETY: the kernels are those of this operator.
#[cfg(not(target_os = "cuda"))]
unsafe impl<O: SegmentedScanKernels> ScanKernels for Segmented<O> {
    const KERNELS: &'static [ScanKernel] = O::SEGMENTED;
}

/// Sums of signed integers, whose bits are those of unsigned ones.
#[cfg(all(not(target_os = "cuda"), feature = "instances"))]
macro_rules! twins {
    ($($signed:ty = $unsigned:ty;)*) => {$(
        // SAFETY: two's complement: wrapping sums have the same bits.
        unsafe impl SegmentedScanKernels for $signed {
            const SEGMENTED: &'static [ScanKernel] =
                <$unsigned as SegmentedScanKernels>::SEGMENTED;
        }
    )*};
}

#[cfg(all(not(target_os = "cuda"), feature = "instances"))]
crate::instances! { signed segmented twins }
