//! Loaded code, and what is known of its kernels. Their launches are in [`launch`](super::launch).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_builder::manifest;
use cuda_std::launch::Parameter;

use super::artifact::Artifact;
use super::code::Code;
use super::{Device, FunctionAttributes, FunctionHandle, Image, signature};
use crate::{Error, Result};

/// Code on a device. Cheap to clone; unloaded with its last clone.
#[derive(Clone)]
pub struct Module {
    loaded: Arc<Loaded>,
}

struct Loaded {
    code: Code,
    entries: Mutex<HashMap<String, Entry>>,
    /// The same module with other texts for a part, by their keys.
    changed: Mutex<HashMap<String, Module>>,
    /// Its own key, where it is one of those.
    key: Option<String>,
}

/// A kernel that was looked up.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) function: FunctionHandle,
    pub(super) attributes: FunctionAttributes,
    pub(super) cluster: [u32; 3],
    /// Dynamic shared memory that the backend allows it by now; 0 for the default.
    allowed_shared: u32,
    /// The launcher whose parameters were compared with the manifest's.
    pub(super) checked: Option<&'static [Parameter]>,
    /// Whether it was launched since [`Module::take_launched`].
    is_launched: bool,
}

impl Module {
    pub(super) fn from_artifact(device: &Device, artifact: &Artifact) -> Result<Self> {
        Ok(Self::new(Code::of_artifact(device, artifact)?, None))
    }

    pub(super) fn from_image(device: &Device, image: Image<'_>, what: &str) -> Result<Self> {
        Ok(Self::new(Code::of_image(device, image, what)?, None))
    }

    fn new(code: Code, key: Option<String>) -> Self {
        let loaded = Loaded {
            code,
            entries: Mutex::default(),
            changed: Mutex::default(),
            key,
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
            .try_for_each(|name| self.entry(name).map(drop))
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
        let kernel = entry.to_owned();
        if self.manifest().is_none() {
            return Err(Error::NoManifest { kernel });
        }
        let described = self.described(entry);
        let described = described.ok_or_else(|| Error::unknown_kernel(entry))?;
        if crate_of(&described.module) != crate_of(origin) {
            let kernel = format!("{}::{entry}", crate_of(origin));
            return Err(Error::UnknownKernel { kernel });
        }
        let found = signature::ptx_bytes(described);
        if found == expected {
            return Ok(());
        }
        Err(Error::SignatureMismatch {
            kernel,
            expected: format!("bytes: {expected:?}"),
            found: format!("bytes: {found:?}"),
        })
    }

    /// The PTX of the part that has a kernel.
    pub(crate) fn text_of(&self, entry: &str) -> Result<&str> {
        Ok(self.loaded.code.text_of(entry)?.0)
    }

    /// The same module with another text for the part that has a kernel; of one key the same
    /// module, as long as this one is there. The text depends on the key alone.
    pub(crate) fn with_part_of(
        &self,
        entry: &str,
        key: String,
        text: impl FnOnce() -> Result<String>,
    ) -> Result<Self> {
        let changed = &self.loaded.changed;
        let mut changed = changed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = changed.get(&key) {
            return Ok(module.clone());
        }
        let code = self.loaded.code.with_part_of(entry, &text()?)?;
        let module = Self::new(code, Some(key.clone()));
        changed.insert(key, module.clone());
        Ok(module)
    }

    /// Which text it has for a part, where that is not its own.
    pub(crate) fn key_of_part(&self) -> Option<&str> {
        self.loaded.key.as_deref()
    }

    /// What a kernel takes up, by its entry name.
    ///
    /// # Errors
    ///
    /// As [`Module::prepare`].
    pub fn attributes(&self, entry: &str) -> Result<FunctionAttributes> {
        Ok(self.entry(entry)?.attributes)
    }

    /// The entries that were launched since this was asked last, in the order of their names; one
    /// whose launch was refused is none of them, and one with a formula in it is.
    pub fn take_launched(&self) -> Vec<String> {
        let mut entries = self.entries();
        let launched = entries.iter_mut().filter(|(_, entry)| entry.is_launched);
        let mut names: Vec<String> = launched
            .map(|(name, entry)| {
                entry.is_launched = false;
                name.clone()
            })
            .collect();
        let changed = &self.loaded.changed;
        let changed = changed.lock().unwrap_or_else(PoisonError::into_inner);
        names.extend(changed.values().flat_map(Module::take_launched));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The kernel of this name, looked up once.
    pub(super) fn entry(&self, name: &str) -> Result<Entry> {
        if let Some(entry) = self.entries().get(name) {
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
            cluster: self.described(name).map_or([0; 3], |known| known.cluster),
            allowed_shared: 0,
            checked: None,
            is_launched: false,
        };
        self.entries().insert(name.to_owned(), entry);
        Ok(entry)
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        let entries = self.loaded.entries.lock();
        entries.unwrap_or_else(PoisonError::into_inner)
    }

    /// What the manifest says of a kernel.
    pub(super) fn described(&self, name: &str) -> Option<&manifest::Kernel> {
        self.manifest()?.kernel(name)
    }

    /// Notes the launcher whose parameters were compared.
    pub(super) fn set_checked(&self, name: &str, parameters: &'static [Parameter]) {
        if let Some(entry) = self.entries().get_mut(name) {
            entry.checked = Some(parameters);
        }
    }

    /// Notes that the backend took a launch.
    pub(super) fn set_launched(&self, name: &str) {
        if let Some(entry) = self.entries().get_mut(name) {
            entry.is_launched = true;
        }
    }

    /// Raises what the backend allows the kernel. Under the lock, so that no
    /// other thread lowers it again.
    pub(super) fn allow_shared(&self, name: &str, bytes: u32) -> Result<()> {
        if let Some(entry) = self.entries().get_mut(name)
            && bytes > entry.allowed_shared
        {
            let backend = self.device().at_work()?;
            backend.allow_dynamic_shared(entry.function, bytes)?;
            entry.allowed_shared = bytes;
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
