//! Parts of device memory that are borrowed exclusively.
//!
//! A view hands out no [`View`] that outlives its own borrow, so that what may be
//! written is never named by another view.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use bytemuck::Pod;

use super::{Actual, Device, View};
use crate::Result;

/// Elements of a [`Buffer`](super::Buffer), to read and to write, as `&mut [T]` is.
///
/// Functions that write elements take `impl Into<ViewMut<'a, T>>`, so that a caller may
/// give `&mut buffer` and `buffer.slice_mut(1..)?` alike:
///
/// ```
/// use quadscan::device::{Device, DeviceChoice, ViewMut};
///
/// fn clear<'a>(numbers: impl Into<ViewMut<'a, u32>>) -> quadscan::Result<()> {
///     numbers.into().fill_bytes(0)
/// }
///
/// # fn main() -> quadscan::Result<()> {
/// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
/// let mut numbers = device.upload(&[1, 2, 3, 4])?;
/// clear(numbers.slice_mut(1..3)?)?;
/// assert_eq!(numbers.to_vec()?, [1, 0, 0, 4]);
/// clear(&mut numbers)?;
/// assert_eq!(numbers.to_vec()?, [0; 4]);
/// # Ok(())
/// # }
/// ```
///
/// There is one at a time, unless they are parts that do not overlap
/// ([`ViewMut::split_at_mut`]):
///
/// ```compile_fail,E0499
/// # use quadscan::device::{Device, DeviceChoice};
/// # fn main() -> quadscan::Result<()> {
/// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
/// # let mut numbers = device.upload(&[1, 2, 3, 4])?;
/// let mut first = numbers.slice_mut(..3)?;
/// let mut second = numbers.slice_mut(2..)?;
/// first.fill_bytes(0)?;
/// second.fill_bytes(0)
/// # }
/// ```
///
/// ```compile_fail,E0502
/// # use quadscan::device::{Device, DeviceChoice};
/// # fn main() -> quadscan::Result<()> {
/// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
/// # let mut numbers = device.upload(&[1, 2, 3, 4])?;
/// let mut target = numbers.slice_mut(..2)?;
/// let source = numbers.slice(1..3)?;
/// target.copy_from_view(source)
/// # }
/// ```
pub struct ViewMut<'a, T: Pod> {
    view: View<'a, T>,
    elements: PhantomData<&'a mut [T]>,
}

/// What can be written as elements of the type `T`: whatever becomes a [`ViewMut`] of them.
#[diagnostic::on_unimplemented(
    message = "elements of the type `{T}` are written here, and `{Self}` has none that can be",
    label = "elements of another type, or borrowed to read",
    note = "pass `&mut Buffer<{T}>` or `ViewMut<{T}>`; the operator or the integrand that the plan was made for decides the type"
)]
pub trait Writable<'a, T: Pod>: Into<ViewMut<'a, T>> {}

#[diagnostic::do_not_recommend]
impl<'a, T: Pod, S: Into<ViewMut<'a, T>>> Writable<'a, T> for S {}

impl<'a, T: Pod> ViewMut<'a, T> {
    /// The caller has borrowed the elements exclusively.
    pub(super) fn new(device: &'a Device, address: u64, len: usize) -> Self {
        Self::exclusive(View::new(device, address, len))
    }

    fn exclusive(view: View<'a, T>) -> Self {
        Self {
            view,
            elements: PhantomData,
        }
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.view.len()
    }

    /// True when there are no elements.
    pub fn is_empty(&self) -> bool {
        self.view.is_empty()
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.view.size()
    }

    /// The device that the memory belongs to.
    pub fn device(&self) -> &'a Device {
        self.view.device()
    }

    /// The address on the device, as [`View::address`].
    pub fn address(&self) -> u64 {
        self.view.address()
    }

    /// The view as a raw argument: its address, with its count of elements.
    pub fn actual(&self) -> Actual<'_> {
        self.view.actual()
    }

    /// The same elements, to read.
    pub fn as_view(&self) -> View<'_, T> {
        self.view
    }

    /// The same elements, for as long as this view is lent: `&mut view` for functions
    /// that take a [`ViewMut`] by value.
    pub fn as_view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::exclusive(self.view)
    }

    /// As [`View::cast`].
    pub fn cast<U: Pod>(self) -> ViewMut<'a, U> {
        ViewMut::exclusive(self.view.cast())
    }

    /// Some of the elements, to read.
    ///
    /// # Errors
    ///
    /// As [`View::slice`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        self.view.slice(range)
    }

    /// Some of the elements.
    ///
    /// # Errors
    ///
    /// As [`View::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>> {
        self.view.slice(range).map(ViewMut::exclusive)
    }

    /// The first `middle` elements, and the others: two views that may be used
    /// together, since they do not overlap.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) when there are fewer.
    pub fn split_at_mut(&mut self, middle: usize) -> Result<(ViewMut<'_, T>, ViewMut<'_, T>)> {
        let (first, second) = self.view.split_at(middle)?;
        Ok((ViewMut::exclusive(first), ViewMut::exclusive(second)))
    }

    /// Copies all elements to `target`, as [`View::copy_to`].
    ///
    /// # Errors
    ///
    /// As [`View::copy_to`].
    pub fn copy_to(&self, target: &mut [T]) -> Result<()> {
        self.view.copy_to(target)
    }

    /// All elements, after the work asked for before.
    ///
    /// # Errors
    ///
    /// As [`View::copy_to`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.view.to_vec()
    }

    /// Overwrites all elements with those of `source`.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) when `source` has not `len` elements; the driver's.
    pub fn copy_from(&mut self, source: &[T]) -> Result<()> {
        self.view.expect_len("source", source.len())?;
        if self.size() == 0 {
            return Ok(());
        }
        let bytes = bytemuck::cast_slice(source);
        // SAFETY: the borrowed elements have exactly as many bytes as the source.
        unsafe { self.device().at_work()?.write(self.address(), bytes) }
    }

    /// Overwrites all elements with others, on the device.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) when the lengths differ, [`Error::ForeignBuffer`](crate::Error::ForeignBuffer)
    /// when the others are another device's; the driver's.
    pub fn copy_from_view<'b>(&mut self, source: impl Into<View<'b, T>>) -> Result<()> {
        let source = source.into();
        self.view.expect_len("source", source.len())?;
        self.device()
            .expect_own(source.device(), "copy", "source")?;
        if self.size() == 0 {
            return Ok(());
        }
        let (from, to) = (source.address(), self.address());
        // SAFETY: both have the same count of bytes, and do not overlap, since these
        // elements are borrowed exclusively.
        unsafe { self.device().at_work()?.copy(from, to, self.size()) }
    }

    /// Sets every byte to `value`.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn fill_bytes(&mut self, value: u8) -> Result<()> {
        if self.size() == 0 {
            return Ok(());
        }
        let backend = self.device().at_work()?;
        // SAFETY: the range is that of the borrowed elements.
        unsafe { backend.fill(self.address(), value, self.size()) }
    }
}

impl<'a, T: Pod> From<&'a mut ViewMut<'_, T>> for ViewMut<'a, T> {
    fn from(view: &'a mut ViewMut<'_, T>) -> Self {
        view.as_view_mut()
    }
}

impl<'a, T: Pod> From<ViewMut<'a, T>> for View<'a, T> {
    fn from(view: ViewMut<'a, T>) -> Self {
        view.view
    }
}

impl<'a, T: Pod> From<&'a ViewMut<'_, T>> for View<'a, T> {
    fn from(view: &'a ViewMut<'_, T>) -> Self {
        view.as_view()
    }
}

impl<T: Pod> fmt::Debug for ViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ViewMut").field(&self.view).finish()
    }
}
