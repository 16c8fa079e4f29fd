//! Typed device memory.

use std::fmt;
use std::marker::PhantomData;

use bytemuck::Pod;

use super::{Actual, Device};
use crate::{Error, Result};

/// The address of a buffer of no bytes: aligned, not null, never accessed.
const EMPTY: u64 = 256;

/// `len` elements of `T` on one device. Freed when dropped, once the work
/// asked for before is done.
pub struct Buffer<T: Pod> {
    device: Device,
    address: u64,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    pub(super) fn new(device: &Device, len: usize) -> Result<Self> {
        let bytes = len
            .checked_mul(size_of::<T>())
            .filter(|&bytes| isize::try_from(bytes).is_ok())
            .ok_or(Error::TooManyElements {
                elements: len,
                size: size_of::<T>(),
            })?;
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

    /// Overwrites all elements with those of `source`.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when `source` has not `len` elements; the driver's.
    pub fn copy_from(&mut self, source: &[T]) -> Result<()> {
        self.expect_len("source", source.len())?;
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: the allocation has exactly as many bytes as the source.
        unsafe {
            self.device
                .at_work()?
                .write(self.address, bytemuck::cast_slice(source))
        }
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
        // SAFETY: the allocation has exactly as many bytes as the target.
        unsafe {
            self.device
                .at_work()?
                .read(self.address, bytemuck::cast_slice_mut(target))
        }
    }

    /// Overwrites all elements with those of another buffer, on the device.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] when the lengths differ, [`Error::ForeignBuffer`]
    /// when the other buffer is another device's; the driver's.
    pub fn copy_from_buffer(&mut self, source: &Self) -> Result<()> {
        self.expect_len("source", source.len())?;
        if self.device != source.device {
            return Err(Error::ForeignBuffer {
                kernel: "copy".to_owned(),
                argument: "source".to_owned(),
                owner: source.device.label(),
                device: self.device.label(),
            });
        }
        if self.size() == 0 {
            return Ok(());
        }
        // SAFETY: both allocations have the same count of bytes, and they are
        // two, since one is borrowed mutably.
        unsafe {
            self.device
                .at_work()?
                .copy(source.address, self.address, self.size())
        }
    }

    /// All elements, after the work asked for before.
    ///
    /// # Errors
    ///
    /// As [`Buffer::copy_to`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = vec![T::zeroed(); self.len];
        self.copy_to(&mut elements)?;
        Ok(elements)
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
        // SAFETY: the range is the whole allocation.
        unsafe {
            self.device
                .at_work()?
                .fill(self.address, value, self.size())
        }
    }

    fn expect_len(&self, what: &'static str, actual: usize) -> Result<()> {
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

impl<T: Pod> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.size() == 0 {
            return;
        }
        self.device.free(self.address);
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
