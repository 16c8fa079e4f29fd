//! The builder's output, as far as loading needs it: the manifest and, for each architecture,
//! the PTX of each part.
//!
//! Reading a folder verifies every file against the manifest's hash. An artifact inside the
//! program needs no verification. Nothing here
//! builds, and nothing here talks to a device.

use std::path::Path;
use std::sync::Arc;
#[cfg(feature = "embedded")]
use std::sync::OnceLock;
use std::{fs, io};

use cuda_builder::manifest::{FILE_NAME as MANIFEST, Manifest, Module, Part};
use hmac_sha256::Hash as Sha256;

use super::{DeviceProperties, ptx_version};
use crate::{Error, Result};

/// A manifest and the PTX that it lists. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Artifact {
    whole: Arc<Whole>,
}

#[derive(Debug)]
struct Whole {
    manifest: Manifest,
    /// The PTX of each part, module by module.
    texts: Vec<Vec<Text>>,
}

/// The PTX of a part.
#[derive(Debug)]
enum Text {
    Read(String),
    /// Unpacked when it is first asked for.
    #[cfg(feature = "embedded")]
    Packed(&'static [u8], OnceLock<String>),
}

impl Text {
    fn get(&self) -> &str {
        match self {
            Self::Read(text) => text,
            #[cfg(feature = "embedded")]
            Self::Packed(packed, text) => text.get_or_init(|| unpacked(packed)),
        }
    }
}

/// The text that `quadscan_ptx` packed. A program that is damaged is not ours to judge: what is
/// missing does not load.
#[cfg(feature = "embedded")]
fn unpacked(packed: &[u8]) -> String {
    let text = miniz_oxide::inflate::decompress_to_vec_zlib(packed).unwrap_or_default();
    String::from_utf8(text).unwrap_or_default()
}

/// One architecture of an artifact.
#[derive(Clone, Copy, Debug)]
pub struct ArtifactModule<'a> {
    /// Its entry in the manifest.
    pub module: &'a Module,
    /// Its place among the modules.
    pub(super) index: usize,
    texts: &'a [Text],
}

/// One part of an architecture: what is loaded at once.
#[derive(Clone, Copy, Debug)]
pub struct ArtifactPart<'a> {
    /// The architecture: `sm_90`.
    pub arch: &'a str,
    /// Its entry in the manifest: name, file, hash and kernels.
    pub part: &'a Part,
    text: &'a Text,
}

impl<'a> ArtifactPart<'a> {
    /// Its PTX.
    pub fn ptx(&self) -> &'a str {
        self.text.get()
    }
}

impl Artifact {
    /// The artifact that this program was built without.
    ///
    /// # Errors
    ///
    /// [`Error::WithoutKernels`].
    #[cfg(not(feature = "embedded"))]
    pub fn embedded() -> Result<Self> {
        Err(Error::WithoutKernels)
    }

    /// The artifact that this program was built with.
    ///
    /// # Errors
    ///
    /// [`Error::CorruptArtifact`], which a program that was built whole never gives;
    /// [`Error::WithoutKernels`] where quadscan was built without its feature `kernels`.
    #[cfg(feature = "embedded")]
    pub fn embedded() -> Result<Self> {
        let packed = |file: &str| {
            let found = quadscan_ptx::PTX.iter().find(|(name, _)| *name == file);
            found
                .map(|&(_, packed)| Text::Packed(packed, OnceLock::new()))
                .ok_or_else(|| corrupt(file, "it is not in this program"))
        };
        Self::assemble(&unpacked(quadscan_ptx::MANIFEST), |_| true, packed)
    }

    /// Reads the artifact in a folder: `manifest.json` and the files that it names.
    ///
    /// # Safety
    ///
    /// The folder holds what `cuda_builder` made of the kernel sources that the
    /// launchers of this program are of: [`Module::launch`](super::Module::launch)
    /// compares the kernels' parameters with the manifest's, but the conditions
    /// that it asks are those of this program's source, and a kernel of another
    /// source may need others. Hashes show a damaged folder, not a foreign one.
    ///
    /// # Errors
    ///
    /// [`Error::Unreadable`] for a file that cannot be read,
    /// [`Error::CorruptArtifact`] for one that is not what the builder wrote.
    pub unsafe fn read(folder: impl AsRef<Path>) -> Result<Self> {
        let artifact = Self::read_where(folder.as_ref(), |_| true)?;
        artifact.modules().try_for_each(verify_whole)?;
        Ok(artifact)
    }

    /// As [`Artifact::read`], of the parts of these names and of the first one, which is loaded
    /// at once, alone: the others are neither read nor verified, and are none of the artifact.
    ///
    /// # Safety
    ///
    /// As for [`Artifact::read`].
    ///
    /// # Errors
    ///
    /// As for [`Artifact::read`].
    pub unsafe fn read_parts(folder: impl AsRef<Path>, names: &[impl AsRef<str>]) -> Result<Self> {
        Self::read_where(folder.as_ref(), |part| {
            names.iter().any(|name| name.as_ref() == part)
        })
    }

    fn read_where(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> Result<Self> {
        let manifest = read_text(&folder.join(MANIFEST), MANIFEST)?;
        let read = |file: &str| {
            if Path::new(file).file_name().is_none_or(|name| name != file) {
                return Err(corrupt(MANIFEST, &format!("it names the file `{file}`")));
            }
            read_text(&folder.join(file), file).map(Text::Read)
        };
        let artifact = Self::assemble(&manifest, is_wanted, read)?;
        artifact.modules().try_for_each(verify_parts)?;
        Ok(artifact)
    }

    fn assemble(
        manifest: &str,
        is_wanted: impl Fn(&str) -> bool,
        mut text_of: impl FnMut(&str) -> Result<Text>,
    ) -> Result<Self> {
        let manifest =
            Manifest::from_json(manifest).map_err(|reason| corrupt(MANIFEST, &reason))?;
        let mut manifest = manifest.of_what_is_built();
        for module in &mut manifest.modules {
            let mut is_first = true;
            module
                .parts
                .retain(|part| std::mem::take(&mut is_first) || is_wanted(&part.name));
        }
        if manifest.modules.is_empty() {
            return Err(corrupt(MANIFEST, "it lists no modules"));
        }
        if manifest
            .modules
            .iter()
            .any(|module| module.parts.is_empty())
        {
            return Err(corrupt(MANIFEST, "it lists a module without parts"));
        }
        let mut texts = Vec::with_capacity(manifest.modules.len());
        for module in &manifest.modules {
            let parts: Result<Vec<_>> = module.parts.iter().map(|p| text_of(&p.file)).collect();
            texts.push(parts?);
        }
        let whole = Whole { manifest, texts };
        Ok(Self {
            whole: Arc::new(whole),
        })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.whole.manifest
    }

    /// The modules, one an architecture, in the manifest's order.
    pub fn modules(&self) -> impl Iterator<Item = ArtifactModule<'_>> {
        let modules = self.whole.manifest.modules.iter().zip(&self.whole.texts);
        let modules = modules.enumerate();
        modules.map(|(index, (module, texts))| ArtifactModule {
            module,
            index,
            texts,
        })
    }

    /// The parts of all architectures, in the manifest's order: what each holds,
    /// and its PTX.
    pub fn parts(&self) -> impl Iterator<Item = ArtifactPart<'_>> {
        self.modules().flat_map(|module| module.parts())
    }

    /// The PTX of a part by its place, which is one of the manifest's.
    pub(super) fn text(&self, module: usize, part: usize) -> &str {
        self.whole.texts[module][part].get()
    }

    /// The modules that a device and its driver can run, the best one first.
    ///
    /// # Errors
    ///
    /// [`Error::NoArchitecture`] when the device is of an older architecture
    /// than all of them, [`Error::DriverTooOld`] when the driver is.
    pub fn candidates(&self, device: &DeviceProperties) -> Result<Vec<ArtifactModule<'_>>> {
        let mut runnable: Vec<_> = self
            .modules()
            .filter(|candidate| candidate.runs_on(device.compute_capability))
            .collect();
        runnable.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank()));
        let (Some(oldest), ..) = (runnable.last().copied(),) else {
            return Err(self.no_architecture(device));
        };
        runnable.retain(|candidate| candidate.driver_can_read(device));
        if runnable.is_empty() {
            return Err(driver_too_old(device, oldest.ptx_version()));
        }
        Ok(runnable)
    }

    fn no_architecture(&self, device: &DeviceProperties) -> Error {
        let (major, minor) = device.compute_capability;
        let offered: Vec<_> = self
            .manifest()
            .modules
            .iter()
            .map(|module| module.arch.as_str())
            .collect();
        Error::NoArchitecture {
            device: device.name.clone(),
            capability: format!("{major}.{minor}"),
            offered: format!("{} or newer", offered.join(" or ")),
        }
    }
}

impl<'a> ArtifactModule<'a> {
    /// The parts, the main one first, in the manifest's order.
    pub fn parts(&self) -> impl Iterator<Item = ArtifactPart<'a>> + use<'a> {
        let module = self.module;
        let parts = module.parts.iter().zip(self.texts);
        parts.map(|(part, text)| ArtifactPart {
            arch: &module.arch,
            part,
            text,
        })
    }

    /// PTX of `sm_75` runs on 7.5 and all later ones, of `sm_90a` on 9.0 only,
    /// of `sm_100f` on later ones of the same major version.
    fn runs_on(&self, capability: (u32, u32)) -> bool {
        let needed = self.module.compute_capability();
        match self.module.arch.chars().last() {
            Some('a') => capability == needed,
            Some('f') => capability.0 == needed.0 && capability >= needed,
            _ => capability >= needed,
        }
    }

    /// Later architectures first, specific ones before general ones.
    fn rank(&self) -> ((u32, u32), bool) {
        let specific = self.module.arch.ends_with(['a', 'f']);
        (self.module.compute_capability(), specific)
    }

    fn ptx_version(&self) -> Option<(u32, u32)> {
        ptx_version::parse(&self.module.ptx_version)
    }

    fn driver_can_read(&self, device: &DeviceProperties) -> bool {
        let needed = self.ptx_version().and_then(ptx_version::first_cuda);
        match (needed, device.driver_version) {
            (Some(needed), Some(driver)) => driver >= needed,
            // Only the driver can judge, and it will.
            _ => true,
        }
    }
}

/// The refusal of a PTX version by a driver.
pub(super) fn driver_too_old(device: &DeviceProperties, ptx: Option<(u32, u32)>) -> Error {
    let text = |version: Option<(u32, u32)>| match version {
        Some((major, minor)) => format!("{major}.{minor}"),
        None => "of an unknown version".to_owned(),
    };
    Error::DriverTooOld {
        driver: text(device.driver_version),
        ptx: text(ptx),
        needed: match ptx.and_then(ptx_version::first_cuda) {
            Some((major, minor)) => format!("CUDA {major}.{minor} or newer"),
            None => "a newer one".to_owned(),
        },
    }
}

/// Compares the hashes of parts with those of their texts.
fn verify_parts(ArtifactModule { module, texts, .. }: ArtifactModule<'_>) -> Result<()> {
    for (part, text) in module.parts.iter().zip(texts) {
        let written = part.sha256.as_deref().unwrap_or_default();
        if !is_hash(Sha256::hash(text.get().as_bytes()), written) {
            return Err(corrupt(&part.file, "its hash is not the manifest's"));
        }
    }
    Ok(())
}

/// Compares the hash of a module with that of all of its texts.
fn verify_whole(ArtifactModule { module, texts, .. }: ArtifactModule<'_>) -> Result<()> {
    let mut whole = Sha256::new();
    texts.iter().for_each(|text| whole.update(text.get()));
    if !is_hash(whole.finalize(), &module.sha256) {
        let reason = format!("the hash of {} is not that of its parts", module.arch);
        return Err(corrupt(MANIFEST, &reason));
    }
    Ok(())
}

fn is_hash(digest: impl AsRef<[u8]>, written: &str) -> bool {
    let hexadecimal = digest.as_ref().iter().map(|byte| format!("{byte:02x}"));
    hexadecimal
        .collect::<String>()
        .eq_ignore_ascii_case(written)
}

fn read_text(path: &Path, file: &str) -> Result<String> {
    let bytes = match fs::metadata(path) {
        // Of a pipe nothing may ever come.
        Ok(found) if !found.is_file() => Err(io::Error::other("it is not a file")),
        _ => fs::read(path),
    };
    let bytes = bytes.map_err(|source| Error::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    String::from_utf8(bytes).map_err(|_| corrupt(file, "it is not text"))
}

fn corrupt(file: &str, reason: &str) -> Error {
    Error::CorruptArtifact {
        file: file.to_owned(),
        reason: reason.to_owned(),
    }
}
