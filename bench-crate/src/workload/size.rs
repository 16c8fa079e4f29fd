//! What the arrays of a workload are for, and how large they are.

use std::ops::Range;

use super::operation::{Element, Form, Sizes};
use super::{Placement, Workload, values};
use crate::limit::COPIED_BY_A_THREAD;

/// The most parts: more than a graph has launches.
pub(super) const MOST_PARTS: u64 = 1 << 12;

/// Parts begin at multiples of this, as allocations do.
pub(super) const ALIGNMENT: u64 = 256;

/// The most threads of a block of the copy.
const COPY_THREADS: u64 = 256;

/// Up to so many results are compared one by one; of more, those of [`Size::windows`].
const ALL_COMPARED: u64 = 1 << 20;

/// Results compared at each end of more.
pub(super) const END: u64 = 1 << 16;

/// Places between the ends, and results compared at each.
pub(super) const PLACES: (u64, u64) = (64, 1 << 10);

/// What the arrays are for.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// What is done with them.
    pub workload: &'static Workload,
    /// The type.
    pub element: Element,
    /// Elements.
    pub n: u64,
    /// Of which so many are a segment or have one key, where there are any.
    pub segment: u64,
}

impl Size {
    /// Segments that have offsets.
    pub fn segments(&self) -> u64 {
        match self.workload.operation(self.element).has_offsets() {
            true => self.n.div_ceil(self.segment),
            false => 0,
        }
    }

    /// What is read and written, bytes.
    pub(super) fn sizes(&self) -> Sizes {
        let room = self.room();
        match self.workload.form {
            Form::Select => Sizes {
                output: values::selected(self.element, self.n) * self.element.output_bytes(),
                ..room
            },
            _ => room,
        }
    }

    /// What there is room for: of a selection, for all elements.
    pub(super) fn room(&self) -> Sizes {
        let operation = self.workload.operation(self.element);
        operation.sizes(self.n, self.segments())
    }

    /// What has to be read and written at least, bytes.
    pub fn moved(&self) -> u64 {
        self.sizes().moved()
    }

    /// Bytes between the arrays' aligned beginnings and their first elements.
    pub(super) fn shifts(&self) -> (u64, u64) {
        match self.workload.placement {
            Placement::UnalignedInput => (self.element.input_bytes(), 0),
            Placement::UnalignedOutput => (0, self.element.output_bytes()),
            Placement::Apart | Placement::InPlace => (0, 0),
        }
    }

    /// Blocks and threads of the copy that moves as many bytes, rounded up to whole warps.
    pub(super) fn copy(&self) -> (u32, u32) {
        let threads = self.moved().div_ceil(2 * COPIED_BY_A_THREAD as u64);
        let block = threads.next_multiple_of(32).clamp(32, COPY_THREADS);
        (threads.div_ceil(block) as u32, block as u32)
    }

    /// Vectors that it copies.
    pub(super) fn copied(&self) -> u64 {
        let (blocks, threads) = self.copy();
        u64::from(blocks) * u64::from(threads) * COPIED_BY_A_THREAD as u64 / 16
    }

    /// Bytes that it reads and writes.
    pub fn copy_moved(&self) -> u64 {
        2 * 16 * self.copied()
    }

    /// From one part of each array to the next, bytes. The copy goes from the input to the
    /// output, and has room there.
    pub(super) fn strides(&self) -> Sizes {
        let (sizes, shifts, copied) = (self.room(), self.shifts(), 16 * self.copied());
        let stride = |bytes: u64| bytes.max(copied).next_multiple_of(ALIGNMENT);
        Sizes {
            input: stride(sizes.input + shifts.0),
            keys_or_offsets: sizes.keys_or_offsets.next_multiple_of(ALIGNMENT),
            output: stride(sizes.output + shifts.1),
        }
    }

    /// As many parts as make launches touch `rotated` bytes, at least one and no more than a
    /// graph can go through.
    pub(super) fn parts(&self, rotated: u64) -> u64 {
        let sizes = self.sizes();
        let touched = match self.workload.placement {
            Placement::InPlace => sizes.input,
            _ => sizes.moved(),
        };
        rotated.div_ceil(touched.max(1)).clamp(1, MOST_PARTS)
    }

    /// The numbers of the results that are compared: ranges of them.
    pub(super) fn windows(&self) -> Vec<Range<u64>> {
        let last = self.sizes().output / self.element.output_bytes().max(1);
        if last <= ALL_COMPARED {
            return std::iter::once(0..last).collect();
        }
        let (count, length) = PLACES;
        // Spread by the golden ratio's fraction in 32 bits.
        let place = |i: u64| (i * 2_654_435_769) % (1 << 32);
        let middle = (1..=count).map(|i| {
            let first = ((u128::from(last - length) * u128::from(place(i))) >> 32) as u64;
            first..first + length
        });
        let ends = [0..END, last - END..last].into_iter();
        ends.chain(middle).collect()
    }
}
