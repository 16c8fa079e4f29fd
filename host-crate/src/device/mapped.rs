//! Memory of the host that a device's kernels write: how they tell the host their totals, without a copy.

use bytemuck::Pod;

use super::{Buffer, Device, HostBuffer};
use crate::Result;

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
            Self::Host(_, memory) => memory.as_ptr().addr() as u64,
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
