//! What cuda_std's macros say about kernels, in sections of the module.
//!
//! `.cuda_std.kernel` holds, for each kernel, eight little-endian 32-bit words
//! (version, most threads, fewest blocks, cluster x, y, z, most registers, 0)
//! and then JSON (entry, module, parameters, part). `.cuda_std.external` holds the
//! name of a function or static that stays visible though it is no kernel.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::llvm::Module;
use crate::manifest::{Kernel, MAIN, Parameter};
use crate::{CudaBuilderError, names};

const KERNEL_SECTION: &str = ".cuda_std.kernel";
const EXTERNAL_SECTION: &str = ".cuda_std.external";
const VERSION: u32 = 1;
const WORDS: usize = 8;

/// What the source says about one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KernelMetadata {
    pub(crate) entry: String,
    pub(crate) module: String,
    /// The part of the artifact that it is in.
    pub(crate) part: String,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) max_threads: u32,
    pub(crate) min_blocks: u32,
    pub(crate) cluster: [u32; 3],
    pub(crate) max_registers: u32,
}

impl KernelMetadata {
    /// The kernel in a manifest, not compiled.
    pub(crate) fn kernel(&self) -> Kernel {
        Kernel {
            entry: self.entry.clone(),
            module: self.module.clone(),
            parameters: self.parameters.clone(),
            max_threads: self.max_threads,
            min_blocks: self.min_blocks,
            cluster: self.cluster,
            max_registers: self.max_registers,
            compiled: None,
        }
    }

    /// Whether the library of that name defines it.
    pub(crate) fn is_of(&self, library: &str) -> bool {
        self.module.split("::").next() == Some(library)
    }
}

/// Everything the sections hold.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// In the order of their entry names.
    pub(crate) kernels: Vec<KernelMetadata>,
    /// Names that stay visible.
    pub(crate) externals: Vec<String>,
}

/// Leaves the kernels that these names stand for, or all where there is no name: the others are
/// functions like any other from here on.
///
/// # Errors
///
/// [`CudaBuilderError::UnknownKernel`] when nothing is called so.
pub(crate) fn select(
    found: &mut Found,
    only: &[String],
    several: bool,
) -> Result<(), CudaBuilderError> {
    if only.is_empty() {
        return Ok(());
    }
    let kernels = found.kernels.iter();
    let kernels: Vec<(&str, &str)> = kernels.map(|one| (&*one.part, &*one.entry)).collect();
    let mut wanted = BTreeSet::new();
    for name in only {
        match names::among(name, &kernels) {
            Ok(entries) => wanted.extend(entries.into_iter().map(str::to_owned)),
            Err(_) if several => {}
            Err(unknown) => return Err(unknown.into()),
        }
    }
    found
        .kernels
        .retain(|kernel| wanted.contains(&kernel.entry));
    Ok(())
}

#[derive(Deserialize)]
struct Description {
    entry: String,
    module: String,
    parameters: Vec<Parameter>,
    /// Absent where the source does not say.
    part: Option<String>,
}

/// Reads the sections and removes them, and with them the lists that kept
/// them alive until now.
pub(crate) fn take(module: &Module) -> Result<Found, CudaBuilderError> {
    let mut found = Found::default();
    for list in ["llvm.used", "llvm.compiler.used"] {
        if let Some(global) = module.global(list) {
            // SAFETY: nothing refers to these lists.
            unsafe { global.delete() };
        }
    }
    for global in module.globals() {
        let section = global.section();
        if section != KERNEL_SECTION && section != EXTERNAL_SECTION {
            continue;
        }
        let unreadable = |reason: &str| CudaBuilderError::BadKernel {
            entry: global.name(),
            reason: reason.to_owned(),
        };
        let bytes = global
            .initial_bytes()
            .ok_or_else(|| unreadable("it is not an array of bytes"))?;
        if section == KERNEL_SECTION {
            found
                .kernels
                .push(parse(&bytes).map_err(|text| unreadable(&text))?);
        } else {
            let name = String::from_utf8(bytes).map_err(|_| unreadable("its name is not UTF-8"))?;
            found.externals.push(name);
        }
        if global.is_used() {
            return Err(unreadable("something in the crate refers to it"));
        }
        // SAFETY: it was just seen to have no uses, and the loop moves on.
        unsafe { global.delete() };
    }
    found.kernels.sort_by(|a, b| a.entry.cmp(&b.entry));
    if let Some(twice) = found
        .kernels
        .windows(2)
        .find(|pair| pair[0].entry == pair[1].entry)
    {
        return Err(CudaBuilderError::BadKernel {
            entry: twice[0].entry.clone(),
            reason: format!(
                "{} and {} both define it, and names of kernels are global: rename one of them",
                twice[0].module, twice[1].module
            ),
        });
    }
    Ok(found)
}

fn parse(bytes: &[u8]) -> Result<KernelMetadata, String> {
    let Some((words, json)) = bytes.split_at_checked(WORDS * 4) else {
        return Err(format!("{} bytes are too few", bytes.len()));
    };
    let words: Vec<u32> = words
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    if words[0] != VERSION {
        return Err(format!(
            "its version is {}, and this cuda_builder reads version {VERSION}: use cuda_std and cuda_builder of one release",
            words[0]
        ));
    }
    let description: Description =
        serde_json::from_slice(json).map_err(|error| error.to_string())?;
    Ok(KernelMetadata {
        entry: description.entry,
        module: description.module,
        part: description.part.unwrap_or_else(|| MAIN.to_owned()),
        parameters: description.parameters,
        max_threads: words[1],
        min_blocks: words[2],
        cluster: [words[3], words[4], words[5]],
        max_registers: words[6],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(version: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [version, 256, 2, 4, 2, 1, 64, 0] {
            bytes.extend_from_slice(&u32::to_le_bytes(word));
        }
        bytes.extend_from_slice(
            br#"{"entry":"k","module":"m","parameters":[{"name":"a","type":"&[f32]","kind":"slice"}]}"#,
        );
        bytes
    }

    #[test]
    fn words_and_description_are_read_in_their_order() {
        let kernel = parse(&bytes(1)).unwrap();
        assert_eq!((kernel.max_threads, kernel.min_blocks), (256, 2));
        assert_eq!(kernel.cluster, [4, 2, 1]);
        assert_eq!(kernel.max_registers, 64);
        assert_eq!(kernel.parameters[0].ty, "&[f32]");
    }

    #[test]
    fn a_kernel_is_in_the_part_that_it_names_and_else_in_the_main_one() {
        assert_eq!(parse(&bytes(1)).unwrap().part, "main");
        let mut named = bytes(1);
        named.pop();
        named.extend_from_slice(br#","part":"scans"}"#);
        assert_eq!(parse(&named).unwrap().part, "scans");
    }

    #[test]
    fn another_version_is_refused_and_named() {
        assert!(parse(&bytes(7)).unwrap_err().contains("version is 7"));
        assert!(parse(&bytes(1)[..20]).unwrap_err().contains("too few"));
    }
}
