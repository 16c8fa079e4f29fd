//! The parts of a module that are on the device: the main part from the beginning, each other
//! part from the first lookup of one of its kernels.
//!
//! A driver compiles PTX when it loads it, which takes seconds for megabytes, so a program
//! loads only the parts that it uses. Launches are in `module`.

use std::sync::{Mutex, PoisonError};

use cuda_builder::manifest;

use super::artifact::{Artifact, driver_too_old};
use super::graph::Given;
use super::{Device, Image, ModuleHandle, source_line};
use crate::{Error, Result};

/// `CUDA_ERROR_UNSUPPORTED_PTX_VERSION`.
const UNSUPPORTED_PTX_VERSION: u32 = 222;

/// The place of the main part.
const MAIN: usize = 0;

/// Code of one architecture on one device. Unloaded when dropped.
pub(super) struct Code {
    device: Device,
    /// Where the parts come from, and which module of it was chosen.
    source: Option<(Artifact, usize)>,
    /// What is loaded, part by part. A lock is held while its part is loaded, and
    /// never while something is asked of the device otherwise.
    parts: Vec<Mutex<Option<ModuleHandle>>>,
}

impl Code {
    /// The best module of an artifact that the device can run, its main part loaded.
    pub(super) fn of_artifact(device: &Device, artifact: &Artifact) -> Result<Self> {
        let mut refusal = None;
        for candidate in artifact.candidates(device.properties())? {
            let (module, index) = (candidate.module, candidate.index);
            let text = artifact.text(index, MAIN);
            match load(device, Image::Ptx(text), &module.parts[MAIN].file) {
                Ok(handle) => {
                    let source = Some((artifact.clone(), index));
                    return Ok(Self::new(device, source, module.parts.len(), handle));
                }
                Err(error @ Error::DriverTooOld { .. }) => refusal = Some(error),
                Err(error) => return Err(error),
            }
        }
        // The list is never empty, so the last refusal is there.
        Err(refusal.unwrap_or_else(|| driver_too_old(device.properties(), None)))
    }

    /// Code without a manifest, which is one part; errors call it `what`.
    pub(super) fn of_image(device: &Device, image: Image<'_>, what: &str) -> Result<Self> {
        Ok(Self::new(device, None, 1, load(device, image, what)?))
    }

    fn new(
        device: &Device,
        source: Option<(Artifact, usize)>,
        parts: usize,
        main: ModuleHandle,
    ) -> Self {
        let mut parts: Vec<_> = (0..parts).map(|_| Mutex::default()).collect();
        parts[MAIN] = Mutex::new(Some(main));
        Self {
            device: device.clone(),
            source,
            parts,
        }
    }

    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    /// The chosen module, where there is a manifest.
    pub(super) fn manifest(&self) -> Option<&manifest::Module> {
        let (artifact, module) = self.source.as_ref()?;
        artifact.manifest().modules.get(*module)
    }

    /// The part that has this entry, loaded by now. An entry that no part lists is
    /// looked for in the main one.
    pub(super) fn holding(&self, entry: &str) -> Result<ModuleHandle> {
        let lists = |part: &manifest::Part| part.kernels.iter().any(|known| known.entry == entry);
        let parts = self.manifest().map_or(&[][..], |module| &module.parts);
        let place = parts.iter().position(lists).unwrap_or(MAIN);
        let mut loaded = self.parts[place]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = *loaded {
            return Ok(handle);
        }
        let handle = self.load(place, entry)?;
        *loaded = Some(handle);
        Ok(handle)
    }

    fn load(&self, place: usize, entry: &str) -> Result<ModuleHandle> {
        let Some(((artifact, module), part)) = self.source.as_ref().zip(self.part(place)) else {
            return Err(Error::unknown_kernel(entry));
        };
        if self.device.is_recording_here() {
            return Err(Error::NotPrepared {
                kernel: entry.to_owned(),
                part: part.name.clone(),
            });
        }
        let text = artifact.text(*module, place);
        load(&self.device, Image::Ptx(text), &part.file)
    }

    /// The PTX of the part that has this entry, and the part's place.
    pub(super) fn text_of(&self, entry: &str) -> Result<(&str, usize)> {
        let kernel = || entry.to_owned();
        let Some((artifact, module)) = &self.source else {
            return Err(Error::NoManifest { kernel: kernel() });
        };
        let parts = self.manifest().map_or(&[][..], |module| &module.parts);
        let lists = |part: &manifest::Part| part.kernels.iter().any(|known| known.entry == entry);
        let place = parts.iter().position(lists);
        let place = place.ok_or_else(|| Error::unknown_kernel(entry))?;
        Ok((artifact.text(*module, place), place))
    }

    /// The same code with another text for the part of this entry.
    pub(super) fn with_part_of(&self, entry: &str, text: &str) -> Result<Self> {
        let (_, place) = self.text_of(entry)?;
        let handle = load(&self.device, Image::Ptx(text), "the formula's PTX")?;
        let mut parts: Vec<_> = self.parts.iter().map(|_| Mutex::default()).collect();
        parts[place] = Mutex::new(Some(handle));
        Ok(Self {
            device: self.device.clone(),
            source: self.source.clone(),
            parts,
        })
    }

    fn part(&self, place: usize) -> Option<&manifest::Part> {
        self.manifest()?.parts.get(place)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        for part in &mut self.parts {
            let loaded = part.get_mut().unwrap_or_else(PoisonError::into_inner);
            if let Some(handle) = loaded.take() {
                self.device.give_back(Given::Module(handle));
            }
        }
    }
}

/// Loads code, with the refusals of a driver named for what they are.
fn load(device: &Device, image: Image<'_>, what: &str) -> Result<ModuleHandle> {
    device.at_work()?.load(image).map_err(|error| match error {
        Error::BadModule { code, .. } if code == UNSUPPORTED_PTX_VERSION => {
            let version = match image {
                Image::Ptx(text) => ptx_syntax::version(text),
                Image::Cubin(_) => None,
            };
            driver_too_old(device.properties(), version)
        }
        Error::BadModule {
            code, name, log, ..
        } => {
            let source = match image {
                Image::Ptx(text) => source_line::note(text, &log),
                Image::Cubin(_) => None,
            };
            Error::BadModule {
                what: what.to_owned(),
                code,
                name,
                log: source.map_or(log.clone(), |source| format!("{log}; {source}")),
            }
        }
        Error::UnsupportedModule { reason, .. } => Error::UnsupportedModule {
            what: what.to_owned(),
            reason,
        },
        other => other,
    })
}
