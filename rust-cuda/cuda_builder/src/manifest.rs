//! What a build leaves on disk: `manifest.json` and, of each architecture, one PTX file a part.
//!
//! The manifest lists all parts and kernels of the crate, also those that were not asked for
//! ([`CudaBuilder::only`](crate::CudaBuilder::only)): a program finds the part that has an
//! entry, and whether it is there.
//!
//! The types here are shared by the builder, which writes them, and by the
//! programs that load the modules, which depend on this crate without its
//! feature `build`. What a module means to a driver is not decided here.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::CudaBuilderError;

/// The name of the manifest inside an artifact's folder.
pub const FILE_NAME: &str = "manifest.json";

/// The format that this version writes and reads.
pub const FORMAT: u32 = 3;

/// The part of the kernels that name none.
pub const MAIN: &str = "main";

/// Everything that one crate of kernels was built to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`FORMAT`] of the writer.
    pub format: u32,
    /// The package's name, as in its `Cargo.toml`.
    #[serde(rename = "crate")]
    pub crate_name: String,
    /// The package's version.
    pub version: String,
    /// rustc's release, commit and date: `1.101.0-nightly (7df81381d 2026-10-14)`.
    pub rustc: String,
    /// The version of LLVM that generated the code: `23.1.3`.
    pub llvm: String,
    /// The options that decide the code, without the architecture's own.
    pub flags: Vec<String>,
    /// One module an architecture, in the order they were asked for.
    pub modules: Vec<Module>,
}

/// The PTX of one architecture, in parts that are loaded one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// `sm_90`.
    pub arch: String,
    /// What the `.version` of every part says: `8.0`.
    pub ptx_version: String,
    /// SHA-256 of the files that are there one behind the other, in the order of
    /// [`Module::parts`]; 64 hexadecimal digits. Of one part it is the file's own.
    pub sha256: String,
    /// [`MAIN`], which is always there, and then those that kernels name with
    /// `#[part]`, in the order of their names.
    pub parts: Vec<Part>,
}

/// One part, and its PTX file where that was built.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// What `#[part]` says, or [`MAIN`].
    pub name: String,
    /// The PTX file's name inside the artifact's folder, whether it is there or not.
    pub file: String,
    /// SHA-256 of the file, 64 hexadecimal digits; `None` where it is not there.
    pub sha256: Option<String>,
    /// All kernels, in the order of their names.
    pub kernels: Vec<Kernel>,
}

/// One kernel: as the source says, and as the PTX does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kernel {
    /// The name in the PTX, by which a driver finds the kernel.
    pub entry: String,
    /// The Rust module that defines it.
    pub module: String,
    /// The parameters as the Rust source declares them.
    pub parameters: Vec<Parameter>,
    /// Most threads a block (`.maxntid`); 0 when not bounded.
    pub max_threads: u32,
    /// Fewest resident blocks per SM (`.minnctapersm`); 0 when not asked for.
    pub min_blocks: u32,
    /// Blocks a cluster in x, y and z (`.reqnctapercluster`); zeros when not declared.
    pub cluster: [u32; 3],
    /// Most registers a thread (`.maxnreg`); 0 when not bounded.
    pub max_registers: u32,
    /// What its `.entry` says; `None` where the part's file does not have it.
    pub compiled: Option<Compiled>,
}

/// What PTX says of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// The parameters as the PTX declares them: a slice has become two.
    pub parameters: Vec<PtxParameter>,
    /// Shared memory that the kernel declares, in bytes; its own and its callees'.
    pub static_shared_bytes: u64,
    /// Whether the kernel uses shared memory whose size the launch decides.
    pub dynamic_shared: bool,
}

/// A kernel's parameter in Rust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type, as written: `&[f32]`.
    #[serde(rename = "type")]
    pub ty: String,
    /// How it is passed.
    pub kind: ParameterKind,
}

/// How a kernel's parameter is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParameterKind {
    /// `&[T]`: an address and a length.
    Slice,
    /// `&mut [T]`: an address and a length.
    SliceMut,
    /// `*const T`: an address.
    Pointer,
    /// `*mut T`: an address.
    PointerMut,
    /// `&T`: an address.
    Reference,
    /// `&mut T`: an address.
    ReferenceMut,
    /// Anything else, by value.
    Value,
}

impl ParameterKind {
    /// How many PTX parameters it takes: 2 for slices, 1 for all others.
    pub fn ptx_parameters(self) -> usize {
        match self {
            ParameterKind::Slice | ParameterKind::SliceMut => 2,
            _ => 1,
        }
    }
}

/// A kernel's parameter in PTX.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PtxParameter {
    /// `.u64`, `.f32`, ..., or `.b8` for an array of bytes.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its alignment in bytes.
    pub align: u64,
}

impl Manifest {
    /// Reads `manifest.json` from the folder `dir`.
    ///
    /// # Errors
    ///
    /// [`CudaBuilderError::Io`] when there is none or it cannot be read,
    /// [`CudaBuilderError::BadManifest`] when it is not a manifest of [`FORMAT`].
    pub fn read(dir: impl AsRef<Path>) -> Result<Self, CudaBuilderError> {
        let path = dir.as_ref().join(FILE_NAME);
        let text = fs::read_to_string(&path)
            .map_err(|source| CudaBuilderError::io("read", &path, source))?;
        Self::from_json(&text).map_err(|reason| CudaBuilderError::BadManifest { path, reason })
    }

    /// Reads a manifest from its text, as a program does that carries it inside.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn from_json(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            format: u32,
        }
        let read: serde_json::Result<Self> = serde_json::from_str(text);
        let format = match &read {
            Ok(manifest) => manifest.format,
            // Another format has other fields.
            Err(_) => {
                let head: Head = serde_json::from_str(text).map_err(|error| error.to_string())?;
                head.format
            }
        };
        if format != FORMAT {
            return Err(format!(
                "its format is {format}, and this version reads format {FORMAT}"
            ));
        }
        read.map_err(|error| error.to_string())
    }

    /// The manifest as the text of `manifest.json`.
    pub fn to_json(&self) -> String {
        // Every program that loads PTX reads it: blanks would be two thirds of it.
        let mut text = serde_json::to_string(self)
            .expect("a manifest has string keys only, so it has a JSON form");
        text.push('\n');
        text
    }

    /// The manifest without the parts and kernels that were not built.
    pub fn of_what_is_built(mut self) -> Self {
        for module in &mut self.modules {
            module.parts.retain(|part| part.sha256.is_some());
            for part in &mut module.parts {
                part.kernels.retain(|kernel| kernel.compiled.is_some());
            }
        }
        self
    }

    /// The modules, one an architecture.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }
}

impl Module {
    /// Major and minor compute capability: `(9, 0)` for `sm_90` and `sm_90a`.
    /// An `arch` that is not of the form `sm_NN` gives `(u32::MAX, 0)`, which
    /// no device has.
    pub fn compute_capability(&self) -> (u32, u32) {
        let number = self.arch.strip_prefix("sm_").and_then(|rest| {
            let digits = rest.trim_end_matches(|last: char| last.is_ascii_alphabetic());
            digits.parse::<u32>().ok()
        });
        number.map_or((u32::MAX, 0), |number| (number / 10, number % 10))
    }

    /// The kernels of all parts, part by part.
    pub fn kernels(&self) -> impl Iterator<Item = &Kernel> {
        self.parts.iter().flat_map(|part| &part.kernels)
    }

    /// The kernel with that entry name.
    pub fn kernel(&self, entry: &str) -> Option<&Kernel> {
        self.kernels().find(|kernel| kernel.entry == entry)
    }

    /// The part that has the kernel with that entry name.
    pub fn part_of(&self, entry: &str) -> Option<&Part> {
        let has = |part: &&Part| part.kernels.iter().any(|kernel| kernel.entry == entry);
        self.parts.iter().find(has)
    }
}

impl Part {
    /// Whether the file is there, with all kernels of the part.
    pub fn is_complete(&self) -> bool {
        let is_compiled = |kernel: &Kernel| kernel.compiled.is_some();
        self.sha256.is_some() && self.kernels.iter().all(is_compiled)
    }
}
