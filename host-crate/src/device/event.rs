//! Events: marks in a device's work, and the time between them.

use std::fmt;

use super::{Device, EventHandle};
use crate::{Error, Result};

/// A mark in a device's work. Given back when dropped.
pub struct Event {
    device: Device,
    handle: EventHandle,
}

impl Event {
    pub(super) fn new(device: &Device) -> Result<Self> {
        let handle = device.at_work()?.create_event()?;
        Ok(Self {
            device: device.clone(),
            handle,
        })
    }

    /// Marks the end of the work asked for so far. Recording again moves the mark.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn record(&self) -> Result<()> {
        self.device.at_work()?.record_event(self.handle)
    }

    /// Waits until the device has reached the mark.
    ///
    /// # Errors
    ///
    /// The driver's; a kernel's fault shows here.
    pub fn synchronize(&self) -> Result<()> {
        self.device.at_work()?.synchronize_event(self.handle)
    }

    /// Milliseconds between two marks, both recorded; the streams may be two of one
    /// device. Waits for `end`.
    ///
    /// # Errors
    ///
    /// [`Error::ForeignEvent`] when the events are of devices that were opened apart,
    /// [`Error::NoTimer`] on a device without a time of its own; the driver's, such as
    /// `CUDA_ERROR_INVALID_HANDLE` for an event never recorded.
    pub fn elapsed_ms(start: &Self, end: &Self) -> Result<f64> {
        if !start.device.shares_clock_with(&end.device) {
            return Err(Error::ForeignEvent);
        }
        end.synchronize()?;
        end.device.at_work()?.elapsed_ms(start.handle, end.handle)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the handle is this event's own and dies with it. A failure
        // means a lost context, in which nothing is left to give back.
        let _ = unsafe { self.device.backend().destroy_event(self.handle) };
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}
