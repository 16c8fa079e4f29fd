//! Launches of a module's kernels: what is checked before one, and the bytes that the backend gets.
//!
//! A launch finds its entry (once, which loads its part), compares the entry's parameters with the
//! launcher's (once), and checks owners, sizes and the author's conditions.

use cuda_builder::manifest;
use cuda_std::launch::{Actual, Kernel, LaunchShape, SafeLaunch};

use super::gate::in_order;
use super::limits::Limits;
use super::module::Entry;
use super::signature::Launcher;
use super::{Arguments, Device, FunctionHandle, LaunchConfig, Module, signature};
use crate::{Error, Result};

/// The compute capability with programmatic dependent launches (CUDA C++ Programming
/// Guide, "Programmatic Dependent Launch and Synchronization").
pub(super) const PROGRAMMATIC: (u32, u32) = (9, 0);

impl Module {
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
        let known = self.entry(entry)?;
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
        A: Arguments<K::Formals, K::Names>,
    {
        if self.manifest().is_none() {
            return Err(Error::NoManifest {
                kernel: K::NAME.to_owned(),
            });
        }
        let config = self.suited(config);
        arguments.with(|actuals, owners| {
            let entry = self.checked(Launcher::of::<K>(), &config, actuals, owners)?;
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
            unsafe { self.start(Launcher::of::<K>(), entry.function, &config, actuals) }
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
        A: Arguments<K::Formals, K::Names>,
    {
        let config = self.suited(config);
        arguments.with(|actuals, owners| {
            let entry = self.checked(Launcher::of::<K>(), &config, actuals, owners)?;
            // SAFETY: the caller's.
            unsafe { self.start(Launcher::of::<K>(), entry.function, &config, actuals) }
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
        let entry = self.entry(name)?;
        if let Some(kernel) = self.described(name)
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
        // SAFETY: the caller's.
        unsafe { self.hand_over(name, entry.function, &config, &parameters) }
    }

    /// As [`Module::launch_raw`], of every module with the arguments of its own, on all of their
    /// devices at the same time: blocks of different devices may wait for each other.
    ///
    /// # Errors
    ///
    /// As [`Module::launch_raw`].
    ///
    /// # Safety
    ///
    /// As [`Module::launch_raw`], for every device; the modules are of one artifact, and their
    /// devices [reach each other](super::Devices::reach_each_other).
    pub(crate) unsafe fn launch_among(
        modules: &[&Self],
        name: &str,
        config: LaunchConfig,
        arguments: &[Vec<Actual<'_>>],
    ) -> Result<()> {
        let mut ready = Vec::with_capacity(modules.len());
        for (module, arguments) in modules.iter().zip(arguments) {
            let entry = module.entry(name)?;
            let config = module.suited(config);
            module.fit(name, &entry, &config)?;
            let bytes: Vec<&[u8]> = arguments.iter().map(|actual| actual.bytes).collect();
            // Where one cannot take work, nothing begins: the others would wait for it.
            drop(module.device().at_work()?);
            ready.push((module, entry.function, config, bytes));
        }
        let Some((first, function, config, bytes)) = ready.first() else {
            return Ok(());
        };
        if first.device().backend().family().is_some() {
            // An emulated device that a kernel has ended says so.
            for (module, ..) in &ready {
                module.device().memory_info()?;
            }
            let peers: Vec<Vec<&[u8]>> = ready[1..].iter().map(|peer| peer.3.clone()).collect();
            let backend = first.device().at_work()?;
            // SAFETY: the caller's.
            let launched = unsafe { backend.launch_among(*function, config, bytes, &peers) };
            drop(backend);
            if is_taken(&launched) {
                modules.iter().for_each(|module| module.set_launched(name));
            }
            return launched;
        }
        let _in_order = in_order();
        let mut ready = ready.iter();
        // SAFETY: the caller's.
        ready.try_for_each(|(module, function, config, bytes)| unsafe {
            module.hand_over(name, *function, config, bytes)
        })
    }

    /// The configuration that a launch is made with: no programmatic one, where the device has
    /// been told so, nor for an architecture without them, whose PTX has nothing in the place of
    /// `griddepcontrol.wait`.
    fn suited(&self, config: impl Into<LaunchConfig>) -> LaunchConfig {
        let config = config.into();
        let is_older = |module: &manifest::Module| module.compute_capability() < PROGRAMMATIC;
        match !self.device().has_pdl() || self.manifest().is_some_and(is_older) {
            true => config.without_pdl(),
            false => config,
        }
    }

    /// Everything that a typed launch checks but its author's conditions.
    fn checked(
        &self,
        launcher: Launcher,
        config: &LaunchConfig,
        actuals: &[Actual<'_>],
        owners: &[Option<&Device>],
    ) -> Result<Entry> {
        let entry = self.entry(launcher.name)?;
        self.compare_signature(launcher, &entry, actuals)?;
        for (owner, parameter) in owners.iter().zip(launcher.parameters) {
            if let Some(owner) = owner {
                self.device()
                    .expect_own(owner, launcher.name, parameter.name)?;
            }
        }
        self.fit(launcher.name, &entry, config)?;
        Ok(entry)
    }

    /// Checks the sizes, and allows the kernel the shared memory that it needs.
    fn fit(&self, name: &str, entry: &Entry, config: &LaunchConfig) -> Result<()> {
        let (shape, device) = (config.shape(), self.device().properties());
        let limits = Limits {
            kernel: name,
            attributes: &entry.attributes,
            cluster: entry.cluster,
            device,
        };
        limits.check(shape)?;
        if limits.need_opt_in(shape) {
            self.allow_shared(name, shape.shared_bytes)?;
        }
        if !config.is_cooperative() {
            return Ok(());
        }
        if !device.has_cooperative_launch {
            let device = device.name.clone();
            return Err(Error::NoCooperativeLaunch { device });
        }
        limits.check_together(shape, self.resident(entry, shape)?)
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
        launcher: Launcher,
        function: FunctionHandle,
        config: &LaunchConfig,
        actuals: &[Actual<'_>],
    ) -> Result<()> {
        let lengths: Vec<[u8; 8]> = actuals
            .iter()
            .map(|actual| (actual.elements.unwrap_or(0) as u64).to_ne_bytes())
            .collect();
        let mut bytes: Vec<&[u8]> = Vec::with_capacity(2 * actuals.len());
        for ((actual, parameter), length) in actuals.iter().zip(launcher.parameters).zip(&lengths) {
            bytes.push(actual.bytes);
            if signature::is_slice(parameter) {
                bytes.push(length);
            }
        }
        // SAFETY: the caller's.
        unsafe { self.hand_over(launcher.name, function, config, &bytes) }
    }

    /// Launches, and notes it where the backend took it: also a kernel that the emulator stopped
    /// has run.
    ///
    /// # Safety
    ///
    /// As [`super::Backend::launch`].
    unsafe fn hand_over(
        &self,
        name: &str,
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[&[u8]],
    ) -> Result<()> {
        let backend = self.device().at_work()?;
        // SAFETY: the caller's.
        let launched = unsafe { backend.launch(function, config, parameters) };
        // Gone before the entries are locked, which others do first.
        drop(backend);
        if is_taken(&launched) {
            self.set_launched(name);
        }
        launched
    }

    /// Compares the launcher's parameters with the manifest's, once a launcher.
    fn compare_signature(
        &self,
        launcher: Launcher,
        entry: &Entry,
        actuals: &[Actual<'_>],
    ) -> Result<()> {
        if self.manifest().is_none() {
            return Ok(());
        }
        if entry
            .checked
            .is_some_and(|checked| std::ptr::eq(checked, launcher.parameters))
        {
            return Ok(());
        }
        let kernel = self.described(launcher.name);
        let kernel = kernel.ok_or_else(|| Error::unknown_kernel(launcher.name))?;
        signature::compare(launcher, kernel, actuals)?;
        self.set_checked(launcher.name, launcher.parameters);
        Ok(())
    }
}

/// Whether the backend took a launch.
fn is_taken(launched: &Result<()>) -> bool {
    matches!(launched, Ok(()) | Err(Error::KernelStopped { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_wait_for_each_other_as_long_as_pdl_is_off() -> Result<()> {
        let device = Device::open_emulator(None)?;
        let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry none() { ret; }";
        let module = device.load_ptx(ptx)?;
        // SAFETY: nothing is launched.
        let early = unsafe { LaunchConfig::new(LaunchShape::new(1, 32)).programmatic() };
        for is_on in [true, false, true] {
            device.set_pdl(is_on);
            assert_eq!(module.suited(early).is_programmatic(), is_on);
            assert_eq!(module.suited(early.cooperative()).is_programmatic(), is_on);
            assert!(!module.suited(LaunchShape::new(1, 32)).is_programmatic());
        }
        Ok(())
    }
}
