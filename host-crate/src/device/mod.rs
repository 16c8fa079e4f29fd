//! Devices: memory, modules, launches and events, through one interface.
//!
//! Three layers, from the outside in:
//!
//! - [`Device`], [`Buffer`] with its [`View`]s, [`Module`], [`Event`], [`Graph`]: typed
//!   and safe. A wrong argument does not compile; a wrong size, length or device is an
//!   `Err`.
//! - [`Backend`]: what a device must be able to do, in bytes and handles. The
//!   CUDA driver is one, an emulator of PTX another.
//! - `cuda`: the driver's functions, through `cust` and `libcuda-lazy`.
//!   `emulator`: PTX on the CPU (the feature `emulator`, on by default).
//!
//! Nothing here knows a kernel by name, measures, or prints.
//!
//! ```no_run
//! use quadscan::device::{Artifact, Device, DeviceChoice};
//!
//! # fn main() -> quadscan::Result<()> {
//! let device = Device::open(DeviceChoice::Auto)?;
//! let module = device.load(&Artifact::embedded()?)?;
//! let numbers = device.upload(&[1.0f32, 2.0, 3.0])?;
//! assert_eq!(numbers.to_vec()?, [1.0, 2.0, 3.0]);
//! # Ok(())
//! # }
//! ```

mod argument;
mod artifact;
mod backend;
mod buffer;
mod choice;
mod code;
mod config;
mod cuda;
mod devices;
#[cfg(feature = "emulator")]
pub mod emulator;
mod event;
mod foreign;
mod gate;
mod graph;
pub(crate) mod host;
mod host_memory;
mod launch;
mod limits;
pub(crate) mod module;
mod properties;
mod ptx_version;
mod sharded;
mod signature;
mod source_line;
mod view;
mod view_mut;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use bytemuck::Pod;

pub use argument::{Argument, Arguments};
pub use artifact::{Artifact, ArtifactModule, ArtifactPart};
pub use backend::{Backend, EventHandle, FunctionHandle, GraphHandle, Image, ModuleHandle};
pub use buffer::Buffer;
pub use choice::{DeviceChoice, DevicesChoice};
pub use config::LaunchConfig;
pub use cuda_std::launch::{Actual, Dim3, LaunchShape};
pub use devices::Devices;
pub use event::Event;
pub use graph::Graph;
pub use host::HostBuffer;
pub use host_memory::HostMemory;
pub use module::Module;
pub use properties::{Counts, DeviceProperties, EMULATOR, FunctionAttributes, MemoryInfo};
pub use sharded::{Layout, Partition, ShardedBuffer};
pub use signature::ptx_bytes;
pub use view::{Readable, View};
pub use view_mut::{ViewMut, Writable};

use crate::{Error, Result};

/// A device that runs kernels, with one stream of work: copies, fills and launches happen in the
/// order in which they were asked for.
///
/// May be used from several threads. While one of them records a graph
/// ([`Device::capture`]), what the others ask of the device is an
/// [`Error::Recording`], and nothing happens.
///
/// Cheap to clone; clones are the same device. Two calls of [`Device::open`]
/// give two devices, each with a stream of its own, whose buffers cannot be mixed.
#[derive(Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

struct Inner {
    backend: Box<dyn Backend>,
    number: u32,
    /// The number of the device whose clock its events are on.
    clock: u32,
    held: Mutex<graph::Held>,
    gate: gate::Gate,
    /// Whether launches may be programmatic dependent ones.
    pdl: AtomicBool,
}

impl Device {
    /// Opens a device.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] with the reason in one sentence when there is no
    /// such device, or no driver.
    pub fn open(choice: DeviceChoice) -> Result<Self> {
        match choice {
            DeviceChoice::Auto => Self::open_best().map(|(device, _)| device),
            DeviceChoice::Cuda(ordinal) => Self::open_cuda(ordinal),
            DeviceChoice::Emulator { schedule } => Self::open_emulator(schedule),
        }
    }

    /// Opens the best device of this machine: the first CUDA device, else the
    /// emulator, with the reason why it is not a CUDA device.
    ///
    /// # Errors
    ///
    /// The driver's, for a CUDA device that is there; [`Error::NoDevice`] without one, where
    /// quadscan was built without its feature `emulator`.
    pub fn open_best() -> Result<(Self, Option<String>)> {
        Self::open_best_or(|| Self::open_emulator(None).ok())
    }

    /// As [`Device::open_best`], with another emulator, or none.
    ///
    /// # Errors
    ///
    /// As [`Device::open_best`].
    pub fn open_best_or(emulator: impl FnOnce() -> Option<Self>) -> Result<(Self, Option<String>)> {
        match Self::open_cuda(None) {
            Ok(device) => Ok((device, None)),
            Err(Error::NoDevice { reason }) => match emulator() {
                Some(emulator) => Ok((emulator, Some(reason))),
                None => Err(Error::NoDevice { reason }),
            },
            Err(error) => Err(error),
        }
    }

    /// The compute capability of the device that would be opened.
    pub(super) fn capability_of(choice: DeviceChoice) -> Result<(u32, u32)> {
        let emulated = || Ok(Self::open_emulator(None)?.properties().compute_capability);
        match choice {
            DeviceChoice::Auto => match cuda::compute_capability(0) {
                Err(Error::NoDevice { reason }) => {
                    emulated().map_err(|_| Error::NoDevice { reason })
                }
                known => known,
            },
            DeviceChoice::Cuda(ordinal) => cuda::compute_capability(ordinal.unwrap_or(0)),
            DeviceChoice::Emulator { .. } => emulated(),
        }
    }

    #[cfg(feature = "emulator")]
    fn open_emulator(schedule: Option<u64>) -> Result<Self> {
        let settings = emulator::Settings {
            schedule,
            ..emulator::Settings::default()
        };
        let emulator = emulator::Emulator::new(settings);
        Ok(Self::from_backend(Box::new(emulator)))
    }

    #[cfg(not(feature = "emulator"))]
    fn open_emulator(_schedule: Option<u64>) -> Result<Self> {
        let reason = "this program was built without quadscan's feature `emulator`";
        Err(Error::NoDevice {
            reason: reason.to_owned(),
        })
    }

    fn open_cuda(ordinal: Option<u32>) -> Result<Self> {
        Ok(Self::from_backend(Box::new(cuda::Cuda::open(
            ordinal.unwrap_or(0),
        )?)))
    }

    /// A device made of a backend, for backends from outside of this crate.
    pub fn from_backend(backend: Box<dyn Backend>) -> Self {
        Self::numbered(backend, None)
    }

    fn numbered(backend: Box<dyn Backend>, clock: Option<u32>) -> Self {
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let clock = clock.unwrap_or(number);
        Self {
            inner: Arc::new(Inner {
                backend,
                number,
                clock,
                held: Mutex::default(),
                gate: gate::Gate::default(),
                pdl: AtomicBool::new(true),
            }),
        }
    }

    /// The same device with another stream of work, which goes on beside this one's.
    /// Buffers and modules of the two cannot be mixed; events of both can be
    /// compared.
    ///
    /// # Errors
    ///
    /// [`Error::OneStream`] on a device that does one thing after the other; the
    /// driver's.
    pub fn another_stream(&self) -> Result<Self> {
        let backend = self.backend().another_stream()?;
        Ok(Self::numbered(backend, Some(self.inner.clock)))
    }

    /// Whether events of the two are on one clock.
    pub fn shares_clock_with(&self, other: &Self) -> bool {
        self.inner.clock == other.inner.clock
    }

    /// Turns programmatic dependent launch (PDL) on or off for launches on this stream, those
    /// that graphs record among them: without it each waits until the one before has ended, also
    /// those that need not ([`LaunchConfig::programmatic`]). It is on by default.
    pub fn set_pdl(&self, is_on: bool) {
        self.inner.pdl.store(is_on, Ordering::Relaxed);
    }

    fn has_pdl(&self) -> bool {
        self.inner.pdl.load(Ordering::Relaxed)
    }

    /// What the device is and what it allows.
    pub fn properties(&self) -> &DeviceProperties {
        self.backend().properties()
    }

    /// Bytes of device memory, free and in all.
    ///
    /// # Errors
    ///
    /// The driver's, such as one from an earlier kernel.
    pub fn memory_info(&self) -> Result<MemoryInfo> {
        self.backend().memory_info()
    }

    /// A buffer of `len` elements whose contents are unspecified.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], [`Error::TooManyElements`].
    pub fn alloc<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        Buffer::new(self, len)
    }

    /// A buffer of `len` elements, every byte zero.
    ///
    /// # Errors
    ///
    /// As [`Device::alloc`].
    pub fn alloc_zeroed<T: Pod>(&self, len: usize) -> Result<Buffer<T>> {
        let mut buffer = Buffer::new(self, len)?;
        buffer.fill_bytes(0).map(|()| buffer)
    }

    /// A buffer with the elements of `source`.
    ///
    /// # Errors
    ///
    /// As [`Device::alloc`].
    pub fn upload<T: Pod>(&self, source: &[T]) -> Result<Buffer<T>> {
        let mut buffer = Buffer::new(self, source.len())?;
        buffer.copy_from(source)?;
        Ok(buffer)
    }

    /// Chooses the best module of the artifact that this device can run: the
    /// highest architecture whose PTX version its driver understands. Loads its main
    /// part; each other part is loaded when a kernel of it is first used
    /// ([`Module::prepare`]).
    ///
    /// # Errors
    ///
    /// [`Error::NoArchitecture`], [`Error::DriverTooOld`], [`Error::BadModule`].
    pub fn load(&self, artifact: &Artifact) -> Result<Module> {
        Module::from_artifact(self, artifact)
    }

    /// Loads one part alone, as code without a manifest.
    pub fn load_part(&self, part: &ArtifactPart<'_>) -> Result<Module> {
        Module::from_image(self, Image::Ptx(part.ptx()), &part.part.file)
    }

    /// Loads PTX that has no manifest. Its kernels have unchecked launches only.
    ///
    /// # Errors
    ///
    /// [`Error::DriverTooOld`], [`Error::BadModule`].
    pub fn load_ptx(&self, text: &str) -> Result<Module> {
        Module::from_image(self, Image::Ptx(text), "the PTX")
    }

    /// Loads a cubin or fat binary. Its kernels have unchecked launches only.
    ///
    /// # Errors
    ///
    /// [`Error::BadModule`].
    pub fn load_cubin(&self, bytes: &[u8]) -> Result<Module> {
        Module::from_image(self, Image::Cubin(bytes), "the cubin")
    }

    /// Waits until all work given to this device is done.
    ///
    /// # Errors
    ///
    /// The driver's; a kernel's fault shows here ([`Error::is_context_lost`]).
    pub fn synchronize(&self) -> Result<()> {
        self.at_work()?.synchronize()
    }

    /// What the kernels did that ended well since the last call; `None` on a
    /// device that does not count.
    pub fn take_counts(&self) -> Option<Counts> {
        self.backend().take_counts()
    }

    /// The device's place on the PCI bus, such as `0000:1b:00.0`, by which NVIDIA's management
    /// library knows it, too. `None` where it has none.
    pub fn pci_bus_id(&self) -> Option<&str> {
        self.backend().pci_bus_id()
    }

    /// A new event, not yet recorded.
    ///
    /// # Errors
    ///
    /// The driver's.
    pub fn event(&self) -> Result<Event> {
        Event::new(self)
    }

    /// What carries out what is asked of this device, without the checks of this interface.
    #[doc(hidden)]
    pub fn backend(&self) -> &dyn Backend {
        self.inner.backend.as_ref()
    }

    /// Err where memory that a kernel is given as `argument` is another device's.
    pub(crate) fn expect_own(&self, owner: &Self, kernel: &str, argument: &str) -> Result<()> {
        if self == owner {
            return Ok(());
        }
        Err(Error::ForeignBuffer {
            kernel: kernel.to_owned(),
            argument: argument.to_owned(),
            owner: owner.label(),
            device: self.label(),
        })
    }

    /// The device's name and number, to tell it from another of the same name.
    pub(crate) fn label(&self) -> String {
        format!(
            "{}, opened as number {}",
            self.properties().name,
            self.inner.number
        )
    }
}

/// Values as the parameters of a raw launch.
macro_rules! arguments {
    ($($value:expr),* $(,)?) => {
        [$($crate::device::Actual { bytes: bytemuck::bytes_of(&$value), elements: None }),*]
    };
}
pub(crate) use arguments;

impl PartialEq for Device {
    /// True for clones of one opened device.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("name", &self.properties().name)
            .field("number", &self.inner.number)
            .finish()
    }
}
