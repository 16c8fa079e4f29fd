//! Memory and streams that other code of the process made, as CuPy and PyTorch do: elements
//! at an address, and the order of work on two streams.
//!
//! A CUDA device here has the primary context, in which the CUDA runtime works too, so that its
//! addresses and streams are valid.

use std::ffi::c_void;

use bytemuck::Pod;

use super::buffer::bytes;
use super::{Device, View, ViewMut};
use crate::{Error, Result};

impl<'a, T: Pod> View<'a, T> {
    /// `len` elements at an address on the device, which others own.
    ///
    /// # Safety
    ///
    /// For `'a`, and until the work that the view is passed to is done, the elements are
    /// initialised memory of this device, and nobody writes them: not by another view, except
    /// that a scan may have the same elements as its input and its output, and not on another
    /// stream ([`Device::follow`], [`Device::lead`]).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for an address that no element of this type can have,
    /// [`Error::TooManyElements`].
    pub unsafe fn from_raw(device: &'a Device, address: u64, len: usize) -> Result<Self> {
        let size = bytes::<T>(len)? as u64;
        // Elements of 12 bytes are aligned to 4, and so on, as within a buffer.
        let alignment = (1 << size_of::<T>().trailing_zeros().min(8)).max(align_of::<T>() as u64);
        let is_outside = address == 0 || address.checked_add(size).is_none();
        if len > 0 && (is_outside || !address.is_multiple_of(alignment)) {
            let problem = format!(
                "is {address:#x} for {size} bytes, allowed are multiples of {alignment} other than 0"
            );
            return Err(Error::argument("address", problem));
        }
        Ok(Self::new(device, address, len))
    }
}

impl<'a, T: Pod> ViewMut<'a, T> {
    /// As [`View::from_raw`], to write as well.
    ///
    /// # Safety
    ///
    /// As for [`View::from_raw`]; nobody else reads the elements either.
    ///
    /// # Errors
    ///
    /// As [`View::from_raw`].
    pub unsafe fn from_raw(device: &'a Device, address: u64, len: usize) -> Result<Self> {
        // SAFETY: the caller's.
        let view = unsafe { View::<T>::from_raw(device, address, len)? };
        Ok(Self::new(device, view.address(), len))
    }
}

impl Device {
    /// Makes the work that is asked of this device from now on wait for what a stream of the
    /// same device was given so far. Does not wait itself.
    ///
    /// # Safety
    ///
    /// `stream` is a `CUstream` of the device's primary context, or null for the default one.
    ///
    /// # Errors
    ///
    /// [`Error::NotCuda`]; the driver's.
    pub unsafe fn follow(&self, stream: *mut c_void) -> Result<()> {
        // SAFETY: the caller's.
        self.with_cuda_stream(|own| unsafe { self.backend().order_streams(stream, own) })
    }

    /// Makes what a stream of the same device is given from now on wait for the work that
    /// this device was asked for so far. Does not wait itself.
    ///
    /// # Safety
    ///
    /// As for [`Device::follow`].
    ///
    /// # Errors
    ///
    /// As [`Device::follow`].
    pub unsafe fn lead(&self, stream: *mut c_void) -> Result<()> {
        // SAFETY: the caller's.
        self.with_cuda_stream(|own| unsafe { self.backend().order_streams(own, stream) })
    }
}

#[cfg(feature = "emulator")]
#[cfg(test)]
mod tests {
    use crate::device::{Device, DeviceChoice, View, ViewMut};

    fn device() -> Device {
        Device::open(DeviceChoice::Emulator { schedule: None }).expect("it is always there")
    }

    #[test]
    fn elements_at_an_address_are_those_that_are_there() {
        let device = device();
        let buffer = device.upload(&[1u32, 2, 3, 4]).expect("four elements");
        // SAFETY: elements of the buffer, which lives on, and nothing else uses them.
        let views = unsafe {
            let second = ViewMut::<u32>::from_raw(&device, buffer.address() + 4, 1);
            (View::<u32>::from_raw(&device, buffer.address(), 4), second)
        };
        let (all, mut second) = (views.0.expect("aligned"), views.1.expect("aligned"));
        second.copy_from(&[7]).expect("one element");
        assert_eq!(all.to_vec().expect("four elements"), [1, 7, 3, 4]);
    }

    #[test]
    fn an_address_without_room_for_the_elements_is_refused() {
        let device = device();
        for (address, len) in [(0, 1), (2, 1), (258, 4), (u64::MAX - 7, 4)] {
            // SAFETY: nothing is read.
            let view = unsafe { View::<u32>::from_raw(&device, address, len) };
            let said = view.expect_err("refused").to_string();
            assert!(said.starts_with("address is 0x"), "{said}");
        }
        // SAFETY: there are no elements.
        let none = unsafe { View::<u32>::from_raw(&device, 0, 0) };
        assert!(none.expect("no elements need no address").is_empty());
        // SAFETY: nothing is read.
        let many = unsafe { View::<u32>::from_raw(&device, 256, usize::MAX) };
        assert!(many.is_err());
    }

    #[test]
    fn a_device_of_another_kind_has_no_stream_to_order() {
        let device = device();
        // SAFETY: null is the default stream.
        let refused = unsafe {
            [
                device.follow(std::ptr::null_mut()),
                device.lead(std::ptr::null_mut()),
            ]
        };
        assert!(
            refused
                .iter()
                .all(|result| { matches!(result, Err(crate::Error::NotCuda { .. })) })
        );
    }
}
