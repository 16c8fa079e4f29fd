//! Parts of device memory, as slices are parts of vectors.
//!
//! A [`View`] is a shared borrow of elements of a [`Buffer`](super::Buffer); the exclusive one is
//! [`ViewMut`](super::ViewMut). All copies and fills are theirs: a buffer's are those
//! of its whole. Addresses are whole elements away from the buffer's, which is aligned
//! to 256.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

use bytemuck::Pod;

use super::{Actual, Device};
use crate::{Error, Result};

/// Elements of a [`Buffer`](super::Buffer), to read. Cheap to copy, as `&[T]` is.
///
/// Functions that read elements take `impl Into<View<'a, T>>`, so that a caller may
/// give `&buffer` and `buffer.slice(1..)?` alike:
///
/// ```
/// use quadscan::device::{Device, DeviceChoice, View};
///
/// fn last<'a>(numbers: impl Into<View<'a, u32>>) -> quadscan::Result<Option<u32>> {
///     Ok(numbers.into().to_vec()?.last().copied())
/// }
///
/// # fn main() -> quadscan::Result<()> {
/// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
/// let numbers = device.upload(&[1, 2, 3, 4])?;
/// assert_eq!(last(&numbers)?, Some(4));
/// assert_eq!(last(numbers.slice(..3)?)?, Some(3));
/// # Ok(())
/// # }
/// ```
///
/// It cannot be written through, and lives no longer than its buffer:
///
/// ```compile_fail,E0277
/// # use quadscan::device::{Device, DeviceChoice, ViewMut};
/// fn clear<'a>(numbers: impl Into<ViewMut<'a, u32>>) -> quadscan::Result<()> {
///     numbers.into().fill_bytes(0)
/// }
/// # fn main() -> quadscan::Result<()> {
/// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
/// # let mut numbers = device.upload(&[1, 2, 3, 4])?;
/// clear(numbers.slice(..3)?)
/// # }
/// ```
///
/// ```compile_fail,E0505
/// # use quadscan::device::{Device, DeviceChoice};
/// # fn main() -> quadscan::Result<()> {
/// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
/// # let mut numbers = device.upload(&[1, 2, 3, 4])?;
/// let part = numbers.slice(1..)?;
/// drop(numbers);
/// part.to_vec().map(drop)
/// # }
/// ```
pub struct View<'a, T: Pod> {
    device: &'a Device,
    address: u64,
    len: usize,
    elements: PhantomData<&'a [T]>,
}

/// What can be read as elements of the type `T`: whatever becomes a [`View`] of them.
#[diagnostic::on_unimplemented(
    message = "elements of the type `{T}` are read here, and `{Self}` has none",
    label = "elements of another type, or none on a device",
    note = "pass `&Buffer<{T}>` or `View<{T}>`; the operator or the integrand that the plan was made for decides the type"
)]
pub trait Readable<'a, T: Pod>: Into<View<'a, T>> {}

#[diagnostic::do_not_recommend]
impl<'a, T: Pod, S: Into<View<'a, T>>> Readable<'a, T> for S {}

impl<T: Pod> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Pod> Copy for View<'_, T> {}

impl<'a, T: Pod> View<'a, T> {
    pub(super) fn new(device: &'a Device, address: u64, len: usize) -> Self {
        Self {
            device,
            address,
            len,
            elements: PhantomData,
        }
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device that the memory belongs to.
    pub fn device(&self) -> &'a Device {
        self.device
    }

    /// The address on the device, for raw launches; a multiple of the size of `T`
    /// behind the buffer's.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The view as a raw argument: its address, with its count of elements.
    pub fn actual(&self) -> Actual<'_> {
        Actual {
            bytes: bytemuck::bytes_of(&self.address),
            elements: Some(self.len),
        }
    }

    /// The same bytes as elements of another type, as many as are whole. The address is a
    /// multiple of that type's alignment.
    pub fn cast<U: Pod>(self) -> View<'a, U> {
        debug_assert!(self.address.is_multiple_of(align_of::<U>() as u64));
        View::new(self.device, self.address, self.size() / size_of::<U>())
    }

    /// Some of the elements.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for a range that is not within `0..len`, or that ends
    /// before it starts.
    pub fn slice(self, range: impl RangeBounds<usize>) -> Result<Self> {
        let (start, end) = (range.start_bound(), range.end_bound());
        let start = match start {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match end {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len,
        };
        within("the start of a slice", start, 0, self.len)?;
        within("the end of a slice", end, start, self.len)?;
        // Within the buffer's bytes, which a `usize` counts.
        let address = self.address + (start * size_of::<T>()) as u64;
        Ok(Self::new(self.device, address, end - start))
    }

    /// The first `middle` elements, and the others.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] when there are fewer.
    pub fn split_at(self, middle: usize) -> Result<(Self, Self)> {
        within("the middle of a split", middle, 0, self.len)?;
        Ok((self.slice(..middle)?, self.slice(middle..)?))
    }

    /// Copies all elements to `target`, after the work asked for before.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `target` has not `len` elements; the
    /// driver's, a fault of an earlier kernel among them.
    pub fn copy_to(&self, target: &mut [T]) -> Result<()> {
        self.expect_len("target", target.len())?;
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: the borrowed elements have exactly as many bytes as the target.
        unsafe {
            self.device
                .at_work()?
                .read(self.address, bytemuck::cast_slice_mut(target))
        }
    }

    /// All elements, after the work asked for before.
    ///
    /// # Errors
    ///
    /// As [`View::copy_to`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = vec![T::zeroed(); self.len];
        self.copy_to(&mut elements)?;
        Ok(elements)
    }

    pub(super) fn expect_len(&self, what: &'static str, actual: usize) -> Result<()> {
        if actual == self.len {
            return Ok(());
        }
        Err(Error::LengthMismatch {
            what,
            expected: self.len,
            actual,
        })
    }
}

fn within(what: &'static str, value: usize, lowest: usize, highest: usize) -> Result<()> {
    let scope = || format!("of {highest} elements");
    Error::unless_within(what, value as u64, lowest as u64..=highest as u64, scope)
}

impl<'a, T: Pod> From<&View<'a, T>> for View<'a, T> {
    fn from(view: &View<'a, T>) -> Self {
        *view
    }
}

impl<T: Pod> fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("type", &std::any::type_name::<T>())
            .field("len", &self.len)
            .field("device", &self.device)
            .finish()
    }
}
