//! Typed device memory. Its parts are in `view`, and what can be done with elements.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use bytemuck::Pod;

use super::graph::Given;
use super::{Actual, Device, View, ViewMut};
use crate::{Error, Result};

/// The address of a buffer of no bytes: aligned, not null, never accessed.
const EMPTY: u64 = 256;

/// Bytes of `len` elements.
///
/// # Errors
///
/// [`Error::TooManyElements`].
pub(super) fn bytes<T>(len: usize) -> Result<usize> {
    let bytes = len.checked_mul(size_of::<T>());
    bytes
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or(Error::TooManyElements {
            elements: len,
            size: size_of::<T>(),
        })
}

/// `len` elements of `T` on one device, aligned to 256 bytes. Freed when dropped, once
/// the work asked for before is done.
pub struct Buffer<T: Pod> {
    device: Device,
    address: u64,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    pub(super) fn new(device: &Device, len: usize) -> Result<Self> {
        let bytes = bytes::<T>(len)?;
        let address = match bytes {
            0 => EMPTY,
            _ => device.at_work()?.alloc(bytes)?,
        };
        Ok(Self {
            device: device.clone(),
            address,
            len,
            elements: PhantomData,
        })
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
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The address on the device, for raw launches. Valid as long as the buffer.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The buffer as a raw argument: its address, with its count of elements.
    pub fn actual(&self) -> Actual<'_> {
        Actual {
            bytes: bytemuck::bytes_of(&self.address),
            elements: Some(self.len),
        }
    }

    /// All elements, to read.
    pub fn as_view(&self) -> View<'_, T> {
        View::new(&self.device, self.address, self.len)
    }

    /// All elements, to read and to write.
    pub fn as_view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::new(&self.device, self.address, self.len)
    }

    /// Some of the elements, to read.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for a range that is not within `0..len`, or that ends
    /// before it starts.
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<View<'_, T>> {
        self.as_view().slice(range)
    }

    /// Some of the elements, to read and to write.
    ///
    /// # Errors
    ///
    /// As [`Buffer::slice`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<ViewMut<'_, T>> {
        let part = self.slice(range)?;
        let (address, len) = (part.address(), part.len());
        Ok(ViewMut::new(&self.device, address, len))
    }

    /// The first `middle` elements, and the others: two views that may be used
    /// together, since they do not overlap.
    ///
    /// ```
    /// # use quadscan::device::{Device, DeviceChoice};
    /// # fn main() -> quadscan::Result<()> {
    /// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
    /// let mut numbers = device.upload(&[1, 2, 3, 4])?;
    /// let (source, mut target) = numbers.split_at_mut(2)?;
    /// target.copy_from_view(&source)?;
    /// assert_eq!(numbers.to_vec()?, [1, 2, 1, 2]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] when there are fewer.
    pub fn split_at_mut(&mut self, middle: usize) -> Result<(ViewMut<'_, T>, ViewMut<'_, T>)> {
        let (first, second) = self.as_view().split_at(middle)?;
        let exclusive = |part: View<'_, T>| ViewMut::new(&self.device, part.address(), part.len());
        Ok((exclusive(first), exclusive(second)))
    }

    /// Overwrites all elements with those of `source`.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `source` has not `len` elements; the driver's.
    pub fn copy_from(&mut self, source: &[T]) -> Result<()> {
        self.as_view_mut().copy_from(source)
    }

    /// Copies all elements to `target`, after the work asked for before.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `target` has not `len` elements; the
    /// driver's, a fault of an earlier kernel among them.
    pub fn copy_to(&self, target: &mut [T]) -> Result<()> {
        self.as_view().copy_to(target)
    }

    /// Overwrites all elements with those of another buffer, on the device.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when the lengths differ, [`Error::ForeignBuffer`]
    /// when the other buffer is another device's; the driver's.
    pub fn copy_from_buffer(&mut self, source: &Self) -> Result<()> {
        self.as_view_mut().copy_from_view(source)
    }

    /// All elements, after the work asked for before.
    ///
    /// # Errors
    ///
    /// As [`Buffer::copy_to`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.as_view().to_vec()
    }

    /// Sets every byte to `value`.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn fill_bytes(&mut self, value: u8) -> Result<()> {
        self.as_view_mut().fill_bytes(value)
    }
}

impl<T: Pod> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.size() == 0 {
            return;
        }
        self.device.give_back(Given::Memory(self.address));
    }
}

impl<T: Pod> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Buffer")
            .field("type", &std::any::type_name::<T>())
            .field("len", &self.len)
            .field("device", &self.device)
            .finish()
    }
}

impl<'a, T: Pod> From<&'a mut Buffer<T>> for ViewMut<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        buffer.as_view_mut()
    }
}

impl<'a, T: Pod> From<&'a Buffer<T>> for View<'a, T> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        buffer.as_view()
    }
}

impl<'a, T: Pod> From<&'a mut Buffer<T>> for View<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        buffer.as_view()
    }
}
