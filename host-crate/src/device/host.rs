//! Memory of the host that a device copies from and to at its full rate, and that its kernels write, so
//! that the host has their totals without a copy.
//!
//! A driver copies pageable memory through page-locked buffers, and page-locked memory
//! directly. Copies are methods of views and wait until they are complete. An asynchronous one
//! needs the memory until the device has finished, which a borrow cannot guarantee, since the
//! guard that ends it can be forgotten: [`Staging`] owns the memory that it sends, and waits
//! before it lends it or gives it back.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;

use bytemuck::Pod;

use super::graph::Given;
use super::host_memory::ALIGNMENT;
use super::{Buffer, Device, HostMemory, ViewMut};
use crate::Result;

/// `len` elements of `T` in memory of the host that a device copies from and to at its
/// full rate (page-locked memory). A slice otherwise.
///
/// ```
/// use quadscan::device::{Device, DeviceChoice};
///
/// # fn main() -> quadscan::Result<()> {
/// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
/// let mut numbers = device.alloc_host::<u32>(3)?;
/// numbers.copy_from_slice(&[1, 2, 3]);
/// let buffer = device.upload(&numbers)?;
/// numbers.fill(0);
/// buffer.copy_to(&mut numbers)?;
/// assert_eq!(*numbers, [1, 2, 3]);
/// # Ok(())
/// # }
/// ```
pub struct HostBuffer<T: Pod> {
    device: Device,
    /// None without bytes.
    memory: Option<HostMemory>,
    len: usize,
    elements: PhantomData<T>,
}

impl<T: Pod> HostBuffer<T> {
    fn new(device: &Device, len: usize) -> Result<Self> {
        const { assert!(align_of::<T>() <= ALIGNMENT) };
        let bytes = super::buffer::bytes::<T>(len)?;
        let memory = match bytes {
            0 => None,
            _ => Some(device.at_work()?.alloc_host(bytes)?),
        };
        Ok(Self {
            device: device.clone(),
            memory,
            len,
            elements: PhantomData,
        })
    }

    fn start(&self) -> NonNull<T> {
        match &self.memory {
            Some(memory) => memory.start.cast(),
            None => NonNull::dangling(),
        }
    }
}

impl Device {
    /// `len` elements in memory of the host that this device copies from and to at its
    /// full rate, every byte zero. It is taken from what the system can move: not for
    /// most of a host's memory.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfHostMemory`](crate::Error::OutOfHostMemory), [`Error::TooManyElements`](crate::Error::TooManyElements).
    pub fn alloc_host<T: Pod>(&self, len: usize) -> Result<HostBuffer<T>> {
        HostBuffer::new(self, len)
    }
}

impl<T: Pod> Deref for HostBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the memory holds `len` aligned elements, initialised when it was
        // given out, which are borrowed with `self`; `T` is valid for any bytes.
        unsafe { slice::from_raw_parts(self.start().as_ptr(), self.len) }
    }
}

impl<T: Pod> DerefMut for HostBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.start().as_ptr(), self.len) }
    }
}

impl<T: Pod> Drop for HostBuffer<T> {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.device.give_back(Given::Host(memory));
        }
    }
}

impl<T: Pod> fmt::Debug for HostBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostBuffer")
            .field("type", &std::any::type_name::<T>())
            .field("len", &self.len)
            .field("device", &self.device)
            .finish()
    }
}

/// Memory of the host for elements on their way to a device, which the host does not wait for.
#[derive(Debug)]
pub(crate) struct Staging<T: Pod> {
    host: HostBuffer<T>,
    /// So many there are.
    len: usize,
    /// Whether the device may still read them.
    is_read: bool,
}

impl<T: Pod> Staging<T> {
    /// Without elements.
    pub(crate) fn new(device: &Device) -> Result<Self> {
        Ok(Self {
            host: device.alloc_host(0)?,
            len: 0,
            is_read: false,
        })
    }

    /// So many elements, of any value, to be written.
    pub(crate) fn elements(&mut self, len: usize) -> Result<&mut [T]> {
        self.wait()?;
        if self.host.len < len {
            self.host = self.host.device.alloc_host(len.next_power_of_two())?;
        }
        self.len = len;
        Ok(&mut self.host[..len])
    }

    /// Overwrites as many elements of the same device with them, before the work that it is given from now on.
    pub(crate) fn send(&mut self, target: ViewMut<'_, T>) -> Result<()> {
        let device = &self.host.device;
        device.expect_own(target.device(), "copy", "target")?;
        target.as_view().expect_len("source", self.len)?;
        if target.size() == 0 {
            return Ok(());
        }
        self.is_read = true;
        let bytes = bytemuck::cast_slice(&self.host[..self.len]);
        // SAFETY: the borrowed elements have exactly as many bytes as the source, which this device gave, and
        // which is neither lent nor dropped before the device was waited for.
        unsafe { device.at_work()?.write_later(target.address(), bytes) }
    }

    /// The device was waited for: it has read them.
    pub(crate) fn release(&mut self) {
        self.is_read = false;
    }

    fn wait(&mut self) -> Result<()> {
        if self.is_read {
            self.host.device.synchronize()?;
            self.is_read = false;
        }
        Ok(())
    }
}

impl<T: Pod> Drop for Staging<T> {
    fn drop(&mut self) {
        // A recording would be spoiled, and memory is not given back meanwhile. A lost context
        // reads nothing.
        if !self.host.device.is_recording_here() {
            let _ = self.wait();
        }
    }
}

/// `len` elements of `T`, every byte zero at first.
pub(crate) enum Mapped<T: Pod> {
    /// Page-locked memory, which has one address on the host and on GPUs (unified addressing).
    Host(Device, HostBuffer<T>),
    /// A device's whose kernels have no memory of the host: the emulator's.
    Device(Buffer<T>),
}

impl<T: Pod> Mapped<T> {
    pub(crate) fn new(device: &Device, len: usize) -> Result<Self> {
        Ok(match device.backend().maps_host_memory() {
            true => Self::Host(device.clone(), device.alloc_host(len)?),
            false => Self::Device(device.alloc_zeroed(len)?),
        })
    }

    /// Where kernels find it.
    pub(crate) fn address(&self) -> u64 {
        match self {
            // Of no reference: a kernel may be writing.
            Self::Host(_, memory) => memory.start().as_ptr().addr() as u64,
            Self::Device(memory) => memory.address(),
        }
    }

    /// All elements, after the work that the device was given before.
    pub(crate) fn to_vec(&self) -> Result<Vec<T>> {
        match self {
            Self::Host(device, memory) => {
                device.synchronize()?;
                Ok(memory.to_vec())
            }
            Self::Device(memory) => memory.to_vec(),
        }
    }
}

impl<T: Pod> Drop for Mapped<T> {
    fn drop(&mut self) {
        if let Self::Host(device, _) = self {
            // A kernel may still use it; a lost context runs none.
            let _ = device.synchronize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_there_and_spoils_no_recording() -> Result<()> {
        let device = Device::open_emulator(None)?;
        for is_waited_for in [true, false] {
            let mut numbers = Staging::new(&device)?;
            let mut buffer = device.alloc_zeroed::<u32>(3)?;
            numbers.elements(3)?.copy_from_slice(&[1, 2, 3]);
            numbers.send(buffer.as_view_mut())?;
            if is_waited_for {
                assert_eq!(buffer.to_vec()?, [1, 2, 3]);
                numbers.release();
            }
            device.capture(|| {
                drop(numbers);
                Ok(())
            })?;
            assert_eq!(buffer.to_vec()?, [1, 2, 3]);
        }
        Ok(())
    }

    #[test]
    fn elements_that_are_lent_again_were_read() -> Result<()> {
        let device = Device::open_emulator(None)?;
        let mut numbers = Staging::new(&device)?;
        let mut buffer = device.alloc_zeroed::<u32>(2)?;
        numbers.elements(2)?.fill(7);
        numbers.send(buffer.as_view_mut())?;
        assert!(numbers.is_read);
        numbers.elements(1)?.fill(0);
        assert!(!numbers.is_read);
        assert_eq!(buffer.to_vec()?, [7, 7]);
        // As many as there are, on their own device.
        assert!(numbers.send(buffer.as_view_mut()).is_err());
        let mut other = Device::open_emulator(None)?.alloc_zeroed::<u32>(1)?;
        assert!(numbers.send(other.as_view_mut()).is_err());
        Ok(())
    }
}
