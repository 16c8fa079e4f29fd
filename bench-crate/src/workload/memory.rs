//! The arrays of a workload on the device: parts of more memory than the second-level
//! cache holds, so that every launch finds its elements in memory, as in a program that
//! has just got them. All contestants work on the same ones.
//!
//! (A graph holds 2000 launches at most: where those touch less than the cache, below
//! 2^13 elements of 4 bytes, what the next replay reads is still in it.)
//!
//! Elements are made on the host for a few periods and copied on by the device.

use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Range;

use bytemuck::Pod;

use super::Placement;
use super::operation::Sizes;
pub use super::size::Size;
use super::values::{self, PERIOD};
use crate::limit;
use quadscan::device::{Buffer, Device, Module, View, ViewMut};
use quadscan::{Error, Result};

/// Bytes that are rotated through, in units of the second-level cache: 150 MiB on an H200,
/// whose cache has 50.
const ROTATION: u64 = 3;

/// The cache of a device that does not tell: larger than any known one.
const UNKNOWN_CACHE: u64 = 128 << 20;

/// Periods that the host makes of an input: a multiple of 16 bytes of every type.
const PERIODS: usize = 64;

/// Keys that the host makes at least, where there are so many.
const KEYS: u64 = 1 << 14;

/// What results are before they are written.
const UNWRITTEN: u8 = 0xA5;

/// Bytes that launches have to go through before they come back to the same ones.
pub fn rotated_bytes(device: &Device) -> u64 {
    let cache = device.properties().l2_cache.map(u64::from);
    ROTATION * cache.filter(|&bytes| bytes > 0).unwrap_or(UNKNOWN_CACHE)
}

/// What an operation works on, in addresses of device memory.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// n elements.
    pub input: u64,
    /// n keys or `segments` + 1 ascending offsets of at most n, u32; room for the number of
    /// selected elements, u64; 0 where the operation takes none of them.
    pub keys_or_offsets: u64,
    /// As many results as [`Operation::sizes`](super::operation::Operation::sizes) says. It may be
    /// the input of a scan.
    pub output: u64,
    /// Elements.
    pub n: u64,
    /// Segments, of operations that have them.
    pub segments: u64,
}

/// Which part is next: one after the other, and again.
#[derive(Clone, Debug, Default)]
pub struct Turn(Cell<u64>);

/// The arrays.
pub struct Memory {
    size: Size,
    parts: u64,
    strides: Sizes,
    input: RefCell<Buffer<[u32; 4]>>,
    keys_or_offsets: Buffer<u32>,
    output: RefCell<Buffer<[u32; 4]>>,
    /// The results that are compared: where, and their bytes.
    expected: OnceCell<Vec<(Range<u64>, Vec<u8>)>>,
}

impl Memory {
    /// Arrays with elements in them, and room for results.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], before anything is allocated; the device's.
    pub fn new(device: &Device, size: Size, rotated: u64) -> Result<Self> {
        let (parts, strides) = (size.parts(rotated), size.strides());
        let free = device.memory_info()?.free;
        let wanted = parts.saturating_mul(strides.moved());
        if wanted > free / 10 * 9 {
            return Err(Error::OutOfMemory {
                wanted,
                free,
                device: device.properties().name.clone(),
            });
        }
        let room = |stride: u64, each: u64| (parts * stride / each) as usize;
        let memory = Memory {
            size,
            parts,
            strides,
            input: RefCell::new(device.alloc(room(strides.input, 16))?),
            keys_or_offsets: keys_or_offsets(device, &size, strides, parts)?,
            output: RefCell::new(device.alloc(room(strides.output, 16))?),
            expected: OnceCell::new(),
        };
        memory.restore()?;
        Ok(memory)
    }

    /// What the arrays are for.
    pub fn size(&self) -> &Size {
        &self.size
    }

    /// The device that they are on.
    pub fn device(&self) -> &Device {
        self.keys_or_offsets.device()
    }

    /// Makes input and output what they were before the first launch.
    ///
    /// # Errors
    ///
    /// The device's.
    pub fn restore(&self) -> Result<()> {
        let operation = self.size.workload.operation(self.size.element);
        // Element 0 stands behind an element before it, where the array begins later.
        let before = u64::from(self.size.shifts().0 > 0);
        let period = values::period(operation, PERIOD - before).repeat(PERIODS);
        let vectors: Vec<[u32; 4]> = period
            .chunks_exact(16)
            .map(bytemuck::pod_read_unaligned)
            .collect();
        let stride = (self.strides.input / 16) as usize;
        let mut input = self.input.borrow_mut();
        repeat(&mut input, &vectors, stride, self.parts as usize)?;
        let mut output = self.output.borrow_mut();
        output.fill_bytes(UNWRITTEN)
    }

    /// The next part.
    pub fn next(&self, turn: &Turn) -> u64 {
        let part = turn.0.get();
        turn.0.set((part + 1) % self.parts);
        part
    }

    /// Whether results are in the place of their elements.
    fn is_in_place(&self) -> bool {
        self.size.workload.placement == Placement::InPlace
    }

    /// What a peer is given of a part.
    pub fn call(&self, part: u64) -> Call {
        let shifts = self.size.shifts();
        let input = self.input.borrow().address() + part * self.strides.input + shifts.0;
        let keys = self.keys_or_offsets.address() + part * self.strides.keys_or_offsets;
        let output = self.output.borrow().address() + part * self.strides.output + shifts.1;
        Call {
            input,
            keys_or_offsets: keys,
            output: if self.is_in_place() { input } else { output },
            n: self.size.n,
            segments: self.size.segments(),
        }
    }

    /// Input, keys or offsets, and output of a part, for our own launches: typed, with
    /// as many elements as they have.
    pub(crate) fn with<I: Pod, R: Pod>(
        &self,
        part: u64,
        work: impl FnOnce(View<'_, I>, View<'_, u32>, ViewMut<'_, R>) -> Result<()>,
    ) -> Result<()> {
        let (sizes, shifts) = (self.size.room(), self.size.shifts());
        let input = self.input.borrow();
        let mut output = self.output.borrow_mut();
        let input = input.as_view().cast::<u8>();
        let input = input.slice(range(part * self.strides.input + shifts.0, sizes.input))?;
        let keys = self.keys_or_offsets.as_view().cast::<u8>();
        let first = part * self.strides.keys_or_offsets;
        let keys = keys.slice(range(first, sizes.keys_or_offsets))?;
        let mut output = output.as_view_mut().cast::<u8>();
        let first = part * self.strides.output + shifts.1;
        let output = output.slice_mut(range(first, sizes.output))?;
        work(input.cast(), keys.cast(), output.cast())
    }

    /// The elements of a part, to be replaced by their results.
    pub(crate) fn with_elements<T: Pod>(
        &self,
        part: u64,
        work: impl FnOnce(ViewMut<'_, T>) -> Result<()>,
    ) -> Result<()> {
        let mut input = self.input.borrow_mut();
        let mut input = input.as_view_mut().cast::<u8>();
        let bytes = range(part * self.strides.input, self.size.sizes().input);
        work(input.slice_mut(bytes)?.cast())
    }

    /// Copies as many bytes as the workload reads and writes, from the input's part to the
    /// output's.
    pub(crate) fn copy(&self, module: &Module, part: u64) -> Result<()> {
        let copied = 16 * self.size.copied();
        let (input, mut output) = (self.input.borrow(), self.output.borrow_mut());
        let input = input.as_view().cast::<u8>();
        let input = input.slice(range(part * self.strides.input, copied))?;
        let mut output = output.as_view_mut().cast::<u8>();
        let output = output.slice_mut(range(part * self.strides.output, copied))?;
        limit::copy(module, self.size.copy(), input.cast(), output.cast())
    }

    /// Where the first part's results are not what they have to be, in words; of many
    /// results only some are looked at, of which both ends are.
    ///
    /// # Errors
    ///
    /// The device's.
    pub fn difference(&self) -> Result<Option<String>> {
        let Size {
            workload,
            element,
            n,
            segment,
        } = self.size;
        let operation = workload.operation(element);
        let (results, first) = if self.is_in_place() {
            (self.input.borrow(), 0)
        } else {
            (self.output.borrow(), self.size.shifts().1)
        };
        let results = results.as_view().cast::<u8>();
        let each = element.output_bytes();
        let expected = self.expected.get_or_init(|| {
            let results = |window: Range<u64>| {
                let results = values::results(operation, n, segment, window.clone());
                (window, results)
            };
            self.size.windows().into_iter().map(results).collect()
        });
        for (window, expected) in expected {
            let count = window.end - window.start;
            let bytes = range(first + window.start * each, count * each);
            let found = results.slice(bytes)?.to_vec()?;
            let both = [&found[..], expected].map(|bytes| bytes.chunks_exact(each as usize));
            let [found, expected] = both;
            let mut pairs = (window.start..).zip(found.zip(expected));
            let differs = pairs.find(|(_, (found, expected))| {
                found != expected && !values::are_same(element, found, expected)
            });
            if let Some((index, (found, expected))) = differs {
                return Ok(Some(format!(
                    "result {index} has the bytes {found:?}, not {expected:?}"
                )));
            }
        }
        Ok(None)
    }
}

/// Bytes from `first` on.
fn range(first: u64, bytes: u64) -> Range<usize> {
    first as usize..(first + bytes) as usize
}

/// The keys or the offsets of all parts.
fn keys_or_offsets(
    device: &Device,
    size: &Size,
    strides: Sizes,
    parts: u64,
) -> Result<Buffer<u32>> {
    let stride = (strides.keys_or_offsets / 4) as usize;
    let mut buffer = device.alloc(stride * parts as usize)?;
    let operation = size.workload.operation(size.element);
    if operation.has_keys() {
        let pairs = KEYS.div_ceil(2 * size.segment).max(1);
        let made = (2 * size.segment).saturating_mul(pairs).min(stride as u64);
        let keys = values::keys(size.segment, 0..made);
        repeat(&mut buffer, &keys, stride, parts as usize)?;
    } else if operation.has_offsets() {
        let mut offsets = values::offsets(size.n, size.segment);
        offsets.resize(stride, 0);
        repeat(&mut buffer, &offsets, stride, parts as usize)?;
    }
    Ok(buffer)
}

/// Fills the first part with a pattern that repeats itself, and the others with the first.
fn repeat<T: Pod>(
    buffer: &mut Buffer<T>,
    pattern: &[T],
    stride: usize,
    parts: usize,
) -> Result<()> {
    let first = pattern.len().min(stride);
    buffer.slice_mut(..first)?.copy_from(&pattern[..first])?;
    double(buffer, first, stride)?;
    double(buffer, stride, stride * parts)
}

/// Copies what is filled behind itself, again and again.
fn double<T: Pod>(buffer: &mut Buffer<T>, mut filled: usize, whole: usize) -> Result<()> {
    while filled < whole {
        let count = filled.min(whole - filled);
        let (head, mut tail) = buffer.split_at_mut(filled)?;
        let mut next = tail.slice_mut(..count)?;
        next.copy_from_view(head.slice(..count)?)?;
        filled += count;
    }
    Ok(())
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
