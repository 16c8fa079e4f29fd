//! Loaded code, and launches of its kernels.
//!
//! A launch goes: find the entry (once, which loads its part), compare its parameters with the
//! launcher's (once), check owners, sizes and the author's conditions, then
//! hand the bytes to the backend.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use cuda_builder::manifest;
use cuda_std::launch::{Actual, Kernel, LaunchShape, Parameter, SafeLaunch};

use super::artifact::Artifact;
use super::code::Code;
use super::limits::{self, KernelLimits};
use super::{
    Arguments, Device, FunctionAttributes, FunctionHandle, Image, LaunchConfig, signature,
};
use crate::{Error, Result};

/// The compute capability with programmatic dependent launches (CUDA C++ Programming
/// Guide, "Programmatic Dependent Launch and Synchronization").
pub(super) const PROGRAMMATIC: (u32, u32) = (9, 0);

/// Code on a device. Cheap to clone; unloaded with its last clone.
#[derive(Clone)]
pub struct Module {
    loaded: Arc<Loaded>,
}

struct Loaded {
    code: Code,
    entries: Mutex<HashMap<String, Entry>>,
}

/// A kernel that was looked up.
#[derive(Clone, Copy)]
struct Entry {
    function: FunctionHandle,
    attributes: FunctionAttributes,
    cluster: [u32; 3],
    /// Dynamic shared memory that the backend allows it by now; 0 for the default.
    allowed_shared: u32,
    /// The launcher whose parameters were compared with the manifest's.
    checked: Option<&'static [Parameter]>,
    /// Whether it was launched since [`Module::take_launched`].
    is_launched: bool,
}

/// What an entry is looked up for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Look,
    Launch,
}

impl Module {
    pub(super) fn from_artifact(device: &Device, artifact: &Artifact) -> Result<Self> {
        Code::of_artifact(device, artifact).map(Self::new)
    }

    pub(super) fn from_image(device: &Device, image: Image<'_>, what: &str) -> Result<Self> {
        Code::of_image(device, image, what).map(Self::new)
    }

    fn new(code: Code) -> Self {
        let loaded = Loaded {
            code,
            entries: Mutex::default(),
        };
        Self {
            loaded: Arc::new(loaded),
        }
    }

    /// The device that the code is loaded on.
    pub fn device(&self) -> &Device {
        self.loaded.code.device()
    }

    /// The architecture that was chosen, its PTX version, hash, parts and kernels;
    /// `None` for code that was loaded without a manifest.
    pub fn manifest(&self) -> Option<&manifest::Module> {
        self.loaded.code.manifest()
    }

    /// Loads the parts of the artifact that hold these kernels, by their entry names,
    /// and looks the kernels up. Any use of a kernel does so by itself; it takes the
    /// driver long, so do it where a launch must not wait, and before
    /// [`Device::capture`], within which a part cannot be loaded.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownKernel`]; [`Error::BadModule`] and [`Error::UnsupportedModule`]
    /// with the file of the part; [`Error::NotPrepared`] within a recording.
    pub fn prepare(&self, kernels: &[&str]) -> Result<()> {
        kernels
            .iter()
            .try_for_each(|name| self.entry(name, Purpose::Look).map(drop))
    }

    /// Err unless the manifest has the entry, of the crate of the Rust module `origin`, with
    /// parameters of so many bytes each. For plans, which launch by name:
    /// [`Module::launch_raw`] compares no bytes, code without a manifest may be anything, and
    /// another crate may give an entry of its own the same name.
    ///
    /// # Errors
    ///
    /// [`Error::NoManifest`], [`Error::UnknownKernel`], [`Error::SignatureMismatch`].
    pub(crate) fn expect_parameters(
        &self,
        origin: &str,
        entry: &str,
        expected: &[u64],
    ) -> Result<()> {
        let kernel = || entry.to_owned();
        let manifest = self
            .manifest()
            .ok_or_else(|| Error::NoManifest { kernel: kernel() })?;
        let described = manifest
            .kernel(entry)
            .ok_or_else(|| Error::UnknownKernel { kernel: kernel() })?;
        if crate_of(&described.module) != crate_of(origin) {
            return Err(Error::UnknownKernel {
                kernel: format!("{}::{entry}", crate_of(origin)),
            });
        }
        let found = signature::ptx_bytes(described);
        if found == expected {
            return Ok(());
        }
        Err(Error::SignatureMismatch {
            kernel: kernel(),
            expected: format!("bytes: {expected:?}"),
            found: format!("bytes: {found:?}"),
        })
    }

    /// What a kernel takes up, by its entry name.
    ///
    /// # Errors
    ///
    /// As [`Module::prepare`].
    pub fn attributes(&self, entry: &str) -> Result<FunctionAttributes> {
        Ok(self.entry(entry, Purpose::Look)?.attributes)
    }

    /// The entries that were launched since this was asked last, in the order of their names.
    pub fn take_launched(&self) -> Vec<String> {
        let mut entries = self.loaded.lock();
        let launched = entries.iter_mut().filter(|(_, entry)| entry.is_launched);
        let mut names: Vec<String> = launched
            .map(|(name, entry)| {
                entry.is_launched = false;
                name.clone()
            })
            .collect();
        names.sort_unstable();
        names
    }

    /// Blocks of a kernel, by its entry name, that the device holds at once: as many may
    /// wait for each other in a [cooperative](LaunchConfig::cooperative) launch. Each is
    /// of `threads` threads and `shared_bytes` bytes of dynamic shared memory. The
    /// clusters of a kernel that has some are not thought of, and may fit in less.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for a block that the device or the kernel does not allow,
    /// [`Error::UnknownKernel`]; the driver's.
    pub fn resident_blocks(&self, entry: &str, threads: u32, shared_bytes: u32) -> Result<u32> {
        let known = self.entry(entry, Purpose::Look)?;
        let [x, y, z] = known.cluster.map(|blocks| blocks.max(1));
        let shape = LaunchShape::new((x, y, z), threads).with_shared(shared_bytes);
        self.fit(entry, &known, &shape.into())?;
        self.resident(&known, &shape)
    }

    /// Starts a kernel whose author declared what a launch must satisfy. May
    /// return before it is done; a fault of the kernel shows here or in the next
    /// call that waits.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`], [`Error::NotAMultiple`] and
    /// [`Error::TooManyThreads`] for sizes, [`Error::NoCooperativeLaunch`],
    /// [`Error::ContractBroken`] with the author's condition, [`Error::ForeignBuffer`] for a buffer of another
    /// device, [`Error::SignatureMismatch`] and [`Error::NoManifest`] for code that was
    /// built from another source, and those of [`Module::prepare`].
    pub fn launch<K, A>(
        &self,
        _kernel: K,
        config: impl Into<LaunchConfig>,
        arguments: A,
    ) -> Result<()>
    where
        K: SafeLaunch,
        A: Arguments<K::Formals>,
    {
        if self.manifest().is_none() {
            return Err(Error::NoManifest {
                kernel: K::NAME.to_owned(),
            });
        }
        let config = self.suited(config);
        arguments.with(|actuals, owners| {
            let entry = self.checked::<K>(&config, actuals, owners)?;
            // SAFETY: `Arguments` makes each value of its formal parameter's type.
            unsafe { K::check(config.shape(), actuals) }.map_err(|condition| {
                Error::ContractBroken {
                    kernel: K::NAME.to_owned(),
                    condition,
                }
            })?;
            // SAFETY: the parameters have the types of the kernel that the
            // manifest describes, the buffers are this device's and alive, and
            // the author's conditions hold, which the author declared enough.
            unsafe { self.start(entry.function, &config, K::PARAMETERS, actuals) }
        })
    }

    /// Starts a kernel without asking its author's conditions. Sizes, owners
    /// and (where there is a manifest) the parameters are checked all the same.
    ///
    /// # Errors
    ///
    /// As [`Module::launch`], but for [`Error::ContractBroken`] and [`Error::NoManifest`].
    ///
    /// # Safety
    ///
    /// What the kernel's documentation asks for under `# Safety` holds for this
    /// shape and these arguments; within [`Device::capture`], whenever the graph is
    /// launched. For code that was loaded without a manifest:
    /// the entry has the launcher's parameters.
    pub unsafe fn launch_unchecked<K, A>(
        &self,
        _kernel: K,
        config: impl Into<LaunchConfig>,
        arguments: A,
    ) -> Result<()>
    where
        K: Kernel,
        A: Arguments<K::Formals>,
    {
        let config = self.suited(config);
        arguments.with(|actuals, owners| {
            let entry = self.checked::<K>(&config, actuals, owners)?;
            // SAFETY: the caller's.
            unsafe { self.start(entry.function, &config, K::PARAMETERS, actuals) }
        })
    }

    /// Starts an entry by its name with raw parameters: each argument's bytes
    /// are one parameter of the entry (a count of elements is not passed along;
    /// give a slice's length as an argument of its own). Sizes are checked.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`], [`Error::NotAMultiple`] and
    /// [`Error::TooManyThreads`] for sizes, [`Error::NoCooperativeLaunch`],
    /// [`Error::ArgumentCount`] where there is a manifest, and those of
    /// [`Module::prepare`].
    ///
    /// # Safety
    ///
    /// The arguments are the entry's in number, size and meaning, every address
    /// among them is valid on this device, and the entry is sound for this shape;
    /// within [`Device::capture`], whenever the graph is launched.
    pub unsafe fn launch_raw(
        &self,
        name: &str,
        config: impl Into<LaunchConfig>,
        arguments: &[Actual<'_>],
    ) -> Result<()> {
        let entry = self.entry(name, Purpose::Launch)?;
        if let Some(kernel) = self.loaded.described(name)
            && let expected = signature::ptx_bytes(kernel).len()
            && expected != arguments.len()
        {
            return Err(Error::ArgumentCount {
                kernel: name.to_owned(),
                expected,
                actual: arguments.len(),
            });
        }
        let config = self.suited(config);
        self.fit(name, &entry, &config)?;
        let parameters: Vec<&[u8]> = arguments.iter().map(|actual| actual.bytes).collect();
        let backend = self.device().at_work()?;
        // SAFETY: the caller's.
        unsafe { backend.launch(entry.function, &config, &parameters) }
    }

    /// The configuration that a launch is made with: no programmatic one, where the device has
    /// been told so, nor for an architecture without them, whose PTX has nothing in the place of
    /// `griddepcontrol.wait`.
    fn suited(&self, config: impl Into<LaunchConfig>) -> LaunchConfig {
        let config = config.into();
        let is_older = |module: &manifest::Module| module.compute_capability() < PROGRAMMATIC;
        let waits = self.device().launches_one_by_one() || self.manifest().is_some_and(is_older);
        match config.is_programmatic() && waits {
            true => config.one_by_one(),
            false => config,
        }
    }

    /// Everything that a typed launch checks but its author's conditions.
    fn checked<K: Kernel>(
        &self,
        config: &LaunchConfig,
        actuals: &[Actual<'_>],
        owners: &[Option<&Device>],
    ) -> Result<Entry> {
        let entry = self.entry(K::NAME, Purpose::Launch)?;
        self.compare_signature::<K>(&entry, actuals)?;
        for (owner, parameter) in owners.iter().zip(K::PARAMETERS) {
            if let Some(owner) = owner.filter(|&owner| owner != self.device()) {
                return Err(Error::ForeignBuffer {
                    kernel: K::NAME.to_owned(),
                    argument: parameter.name.to_owned(),
                    owner: owner.label(),
                    device: self.device().label(),
                });
            }
        }
        self.fit(K::NAME, &entry, config)?;
        Ok(entry)
    }

    /// Checks the sizes, and allows the kernel the shared memory that it needs.
    fn fit(&self, name: &str, entry: &Entry, config: &LaunchConfig) -> Result<()> {
        let shape = config.shape();
        let device = self.device();
        let kernel = KernelLimits {
            kernel: name,
            attributes: &entry.attributes,
            cluster: entry.cluster,
        };
        limits::check(shape, device.properties(), &kernel)?;
        if limits::needs_opt_in(shape, device.properties(), &entry.attributes) {
            self.loaded.allow_shared(name, shape.shared_bytes)?;
        }
        if !config.is_cooperative() {
            return Ok(());
        }
        if !device.properties().has_cooperative_launch {
            let device = device.properties().name.clone();
            return Err(Error::NoCooperativeLaunch { device });
        }
        let resident = self.resident(entry, shape)?;
        limits::check_together(shape, resident, device.properties(), &kernel)
    }

    /// Blocks of this shape that the device holds at once.
    fn resident(&self, entry: &Entry, shape: &LaunchShape) -> Result<u32> {
        // Within the limits of a block, which were checked.
        let threads = shape.block.count() as u32;
        let backend = self.device().at_work()?;
        backend.resident_blocks(entry.function, threads, shape.shared_bytes)
    }

    /// # Safety
    ///
    /// As [`super::Backend::launch`], with slices as one argument for two parameters.
    unsafe fn start(
        &self,
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[Parameter],
        actuals: &[Actual<'_>],
    ) -> Result<()> {
        let lengths: Vec<[u8; 8]> = actuals
            .iter()
            .map(|actual| (actual.elements.unwrap_or(0) as u64).to_ne_bytes())
            .collect();
        let mut bytes: Vec<&[u8]> = Vec::with_capacity(2 * actuals.len());
        for ((actual, parameter), length) in actuals.iter().zip(parameters).zip(&lengths) {
            bytes.push(actual.bytes);
            if signature::is_slice(parameter) {
                bytes.push(length);
            }
        }
        // SAFETY: the caller's.
        unsafe { self.device().at_work()?.launch(function, config, &bytes) }
    }

    /// The kernel of this name, looked up once.
    fn entry(&self, name: &str, purpose: Purpose) -> Result<Entry> {
        let is_launched = purpose == Purpose::Launch;
        if let Some(entry) = self.loaded.lock().get_mut(name) {
            entry.is_launched |= is_launched;
            return Ok(*entry);
        }
        let code = self.loaded.code.holding(name)?;
        let (function, attributes) = {
            // Gone before the entries are locked, which others do first.
            let backend = self.device().at_work()?;
            let function = backend.function(code, name)?;
            (function, backend.attributes(function)?)
        };
        let entry = Entry {
            function,
            attributes,
            cluster: self
                .loaded
                .described(name)
                .map_or([0; 3], |kernel| kernel.cluster),
            allowed_shared: 0,
            checked: None,
            is_launched,
        };
        self.loaded.lock().insert(name.to_owned(), entry);
        Ok(entry)
    }

    /// Compares the launcher's parameters with the manifest's, once a launcher.
    fn compare_signature<K: Kernel>(&self, entry: &Entry, actuals: &[Actual<'_>]) -> Result<()> {
        if self.manifest().is_none() {
            return Ok(());
        }
        if entry
            .checked
            .is_some_and(|checked| std::ptr::eq(checked, K::PARAMETERS))
        {
            return Ok(());
        }
        let kernel = self
            .loaded
            .described(K::NAME)
            .ok_or_else(|| Error::UnknownKernel {
                kernel: K::NAME.to_owned(),
            })?;
        signature::compare::<K>(kernel, actuals)?;
        if let Some(entry) = self.loaded.lock().get_mut(K::NAME) {
            entry.checked = Some(K::PARAMETERS);
        }
        Ok(())
    }
}

/// The crate of a Rust module, by its path.
pub(crate) fn crate_of(path: &str) -> &str {
    path.split_once("::").map_or(path, |(name, _)| name)
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("device", self.device())
            .field("arch", &self.manifest().map(|module| &module.arch))
            .finish_non_exhaustive()
    }
}

impl Loaded {
    fn described(&self, name: &str) -> Option<&manifest::Kernel> {
        self.code.manifest()?.kernel(name)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Raises what the backend allows the kernel. Under the lock, so that no
    /// other thread lowers it again.
    fn allow_shared(&self, name: &str, bytes: u32) -> Result<()> {
        if let Some(entry) = self.lock().get_mut(name)
            && bytes > entry.allowed_shared
        {
            let backend = self.code.device().at_work()?;
            backend.allow_dynamic_shared(entry.function, bytes)?;
            entry.allowed_shared = bytes;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::LaunchShape;

    #[test]
    fn launches_wait_for_each_other_as_long_as_a_device_is_told_so() -> Result<()> {
        let device = Device::open_emulator(None)?;
        let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry none() { ret; }";
        let module = device.load_ptx(ptx)?;
        // SAFETY: nothing is launched.
        let early = unsafe { LaunchConfig::new(LaunchShape::new(1, 32)).programmatic() };
        for wait in [false, true, false] {
            device.launch_one_by_one(wait);
            assert_eq!(module.suited(early).is_programmatic(), !wait);
            assert_eq!(module.suited(early.cooperative()).is_programmatic(), !wait);
            assert!(!module.suited(LaunchShape::new(1, 32)).is_programmatic());
        }
        Ok(())
    }
}
