//! Which thread records the device's work into a graph; other threads cannot add work to it.
//!
//! A recording takes in whatever is asked of its stream, whoever asks. Work of another
//! thread would become part of a graph that knows nothing of it: a copy from the host
//! would be recorded with an address that is soon another's, and a thread that waits
//! would spoil the recording. So every call that asks something of the stream holds
//! the gate for as long as it runs, and while a thread records, the others are refused.
//!
//! Nothing waits for a recording, and its closure runs without the gate, so that
//! threads cannot wait for each other: a recording begins and ends when the calls
//! that are under way return, which wait for the device alone.

use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::{self, ThreadId};

use super::{Backend, Device, GraphHandle};
use crate::{Error, Result};

/// The thread that records, if one does.
#[derive(Default)]
pub(super) struct Gate(RwLock<Option<ThreadId>>);

impl Gate {
    fn enter(&self) -> RwLockReadGuard<'_, Option<ThreadId>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) -> RwLockWriteGuard<'_, Option<ThreadId>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The backend, while no other thread begins or ends a recording. One at a time in a
/// thread: a second one may wait for a thread that waits for the first.
pub(super) struct AtWork<'a> {
    backend: &'a dyn Backend,
    _entered: RwLockReadGuard<'a, Option<ThreadId>>,
}

impl<'a> Deref for AtWork<'a> {
    type Target = dyn Backend + 'a;

    fn deref(&self) -> &Self::Target {
        self.backend
    }
}

/// Held while several devices are given something that makes them wait for each other. If one
/// device had it before what another thread gives, and a second device behind that, each would wait
/// for the other for ever.
pub(super) fn in_order() -> MutexGuard<'static, ()> {
    static ORDER: Mutex<()> = Mutex::new(());
    ORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Device {
    /// The backend for a call that asks something of the stream.
    ///
    /// # Errors
    ///
    /// [`Error::Recording`] while another thread records.
    pub(super) fn at_work(&self) -> Result<AtWork<'_>> {
        let entered = self.inner.gate.enter();
        self.allowed(*entered)?;
        Ok(AtWork {
            backend: self.backend(),
            _entered: entered,
        })
    }

    /// Gives `work` the stream as a library in CUDA C++ takes it, whose context is
    /// current on this thread meanwhile. `work` asks the stream for something, or is
    /// recorded as a launch would be; it neither keeps the stream nor calls the device.
    ///
    /// # Errors
    ///
    /// [`Error::NotCuda`], [`Error::Recording`] while another thread records, the
    /// driver's, and those of `work`.
    pub fn with_cuda_stream<R>(&self, work: impl FnOnce(*mut c_void) -> Result<R>) -> Result<R> {
        let backend = self.at_work()?;
        work(backend.cuda_stream()?)
    }

    fn allowed(&self, recording: Option<ThreadId>) -> Result<()> {
        match recording {
            Some(thread) if thread != thread::current().id() => Err(Error::Recording {
                device: self.properties().name.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// Err while any thread records.
    ///
    /// # Errors
    ///
    /// [`Error::Recording`] where another thread does, [`Error::Argument`] with `what` where this
    /// one does.
    pub(crate) fn expect_no_recording(&self, what: &str) -> Result<()> {
        if self.is_recording_here() {
            let device = self.label();
            let problem = format!("cannot be recorded into a graph, as on {device}");
            return Err(Error::argument(what, problem));
        }
        self.at_work().map(drop)
    }

    /// Whether this thread records.
    pub(super) fn is_recording_here(&self) -> bool {
        *self.inner.gate.enter() == Some(thread::current().id())
    }

    /// Begins a recording of this thread.
    pub(super) fn begin_recording(&self) -> Result<()> {
        let mut recording = self.inner.gate.close();
        self.allowed(*recording)?;
        self.backend().begin_capture()?;
        *recording = Some(thread::current().id());
        Ok(())
    }

    /// Ends this thread's recording, whatever became of it.
    pub(super) fn end_recording(&self) -> Result<GraphHandle> {
        let mut recording = self.inner.gate.close();
        *recording = None;
        self.backend().end_capture()
    }
}
