//! What says where segments begin: keys, flags, offsets or a length; and the kernels that make
//! segment flags of it.

use quadscan_kernels::scan::{SegmentedScanKernels, segment_flags};

use crate::device::module::crate_of;
use crate::device::{Artifact, Device, Module};
use crate::error::{Error, Result};

/// Where the kernels are that find where segments begin.
pub(super) struct Finders {
    pub(super) module: Module,
    /// The crate that they were instantiated in, or a module of it.
    pub(super) origin: &'static str,
}

/// The crate of our own kernels.
const OURS: &str = "quadscan_kernels";

impl Finders {
    /// Those of the crate of the operator's kernels, or else our own.
    pub(super) fn of<O: SegmentedScanKernels>(module: &Module) -> Result<Self> {
        let own = O::SEGMENTED.first().map_or(OURS, |kernel| kernel.module);
        let (module, origin) = if are_in(module, own)? {
            (module.clone(), own)
        } else if are_in(module, OURS)? {
            (module.clone(), OURS)
        } else {
            (module.device().load(&ours(own)?)?, OURS)
        };
        // All are in one part, which cannot be loaded while a graph is recorded.
        module.prepare(&[FLAGS])?;
        Ok(Self { module, origin })
    }
}

/// Whether a module has these kernels, of the crate of the Rust module `origin`.
fn are_in(module: &Module, origin: &str) -> Result<bool> {
    match module.expect_parameters(origin, FLAGS, &OF_KEYS) {
        Err(Error::UnknownKernel { .. }) => Ok(false),
        there => there.map(|()| true),
    }
}

/// Our own kernels, for an operator of a crate that has no such kernels.
fn ours(origin: &str) -> Result<Artifact> {
    Artifact::embedded().map_err(|error| match error {
        Error::WithoutKernels => Error::NoSegmentFlags {
            origin: crate_of(origin).to_owned(),
        },
        error => error,
    })
}

/// The kernel that takes flags.
const FLAGS: &str = "segment_flags_of_flags";

/// Bytes of the parameters of the kernels that take keys or flags,
pub(super) const OF_KEYS: [u64; 4] = [8; 4];

/// and of those that take offsets.
pub(super) const OF_OFFSETS: [u64; 5] = [8; 5];

/// What says where segments begin.
pub(super) struct Source<'p> {
    pub(super) argument: &'static str,
    pub(super) by: By,
    pub(super) address: u64,
    /// How many keys, flags or offsets, or the elements of a segment.
    pub(super) len: u64,
    pub(super) device: Option<&'p Device>,
}

/// What it is, with the bytes of a key or an offset.
pub(super) enum By {
    Keys(usize),
    Flags,
    Offsets(usize),
    Length,
}

impl Source<'_> {
    pub(super) fn is_offsets(&self) -> bool {
        matches!(self.by, By::Offsets(_))
    }

    /// Whether these are offsets so few that each block looks at all of them.
    pub(super) fn is_few(&self, n: u64) -> bool {
        self.is_offsets()
            && self.len <= segment_flags::FEW_OFFSETS
            && n <= segment_flags::FEW_ELEMENTS
    }

    /// The kernel that finds the beginnings among `n` elements.
    pub(super) fn entry(&self, n: u64) -> String {
        match self.by {
            By::Keys(bytes) => format!("segment_flags_of_keys_{bytes}"),
            By::Flags | By::Length => FLAGS.to_owned(),
            By::Offsets(bytes) if self.is_few(n) => format!("segment_flags_of_few_offsets_{bytes}"),
            By::Offsets(bytes) => format!("segment_flags_of_offsets_{bytes}"),
        }
    }
}
