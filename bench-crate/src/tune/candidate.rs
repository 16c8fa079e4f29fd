//! A candidate of a sweep: the shape of a kernel, as the list beside the PTX has it, and its
//! launches.
//!
//! The list and the PTX come from `cargo xtask tune`; which shapes there are is decided
//! there.

use bytemuck::bytes_of;
use quadscan_kernels::LANES;
use quadscan_kernels::scan::scratch;
use quadscan_kernels::scan::shape::{Lookahead, Registers};
use serde::{Deserialize, Serialize};

use crate::workload::memory::Call;
use crate::workload::operation::Element;
use quadscan::device::{Actual, Buffer, LaunchConfig, LaunchShape, Module};
use quadscan::{Error, Result};

/// Kernels that are tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// One block for a small array.
    OneBlock,
    /// One wave of small tiles.
    OneWaveSmall,
    /// One wave.
    OneWave,
    /// Persistent blocks that look ahead.
    Lookahead,
}

/// A shape of a kernel: an entry of the PTX.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name.
    pub entry: String,
    /// What it does.
    pub algorithm: Algorithm,
    /// Bytes of an element.
    pub element: usize,
    /// Bytes of a result.
    pub result: usize,
    /// Warps that scan.
    pub warps: usize,
    /// Rows of a warp; of [`Algorithm::Lookahead`] how many times a lane has the fewest
    /// elements that are whole vectors.
    pub rows: usize,
    /// Rounds of delay; 0 of the others.
    pub delay: usize,
    /// Tiles on their way; 0 of the others.
    pub ahead: usize,
    /// Neighbouring elements of a lane, in a row where there are rows.
    pub items: usize,
    /// The same as vectors of 16 bytes.
    pub vectors: usize,
    /// As many results as such vectors.
    pub results: usize,
}

/// How it is launched.
struct Blocks {
    threads: u32,
    shared_bytes: u32,
    /// Elements of a tile.
    tile: u64,
    /// The most tiles.
    most: u64,
}

/// What stands for a width class: an operator whose results are exact in any order, and the
/// workload that checks it.
pub(super) struct StandIn {
    /// In the source of kernels.
    pub(super) operator: &'static str,
    /// The workload's name.
    pub(super) workload: &'static str,
    /// The type of the elements.
    pub(super) type_: Element,
}

impl Candidate {
    /// What stands for its class; `None` where nothing does.
    pub(super) fn stand_in(&self) -> Option<StandIn> {
        let (operator, workload, type_) = match (self.element, self.result) {
            (1, 1) => ("Sum<u8>", "inclusive_sum", Element::U8),
            (1, 4) => ("Sum<u8, u32>", "inclusive_sum", Element::U8ToU32),
            (1, 8) => ("Sum<u8, u64>", "inclusive_sum", Element::U8ToU64),
            (2, 2) => ("Sum<u16>", "inclusive_sum", Element::U16),
            (4, 4) => ("Sum<u32>", "inclusive_sum", Element::U32),
            (8, 8) => ("Sum<u64>", "inclusive_sum", Element::U64),
            (16, 16) => ("Compose", "affine", Element::F64x2),
            _ => return None,
        };
        Some(StandIn {
            operator,
            workload,
            type_,
        })
    }

    fn blocks(&self) -> Blocks {
        let registers = Registers {
            warps: self.warps,
            rows: self.rows,
            each: self.items,
            vectors: self.vectors,
            results: self.results,
        };
        let lookahead = Lookahead {
            items: self.items,
            vectors: self.vectors,
            results: self.results,
            workers: self.warps,
            delay: self.delay,
            ahead: self.ahead,
            shifted: true,
            segment_flags: 0,
        };
        let in_registers = |most| Blocks {
            threads: registers.threads(),
            shared_bytes: 0,
            tile: registers.elements(),
            most,
        };
        match self.algorithm {
            Algorithm::OneBlock => in_registers(1),
            Algorithm::OneWaveSmall | Algorithm::OneWave => in_registers(registers.max_blocks()),
            Algorithm::Lookahead => Blocks {
                threads: lookahead.threads(),
                shared_bytes: lookahead.shared_bytes(),
                tile: lookahead.elements(),
                most: u64::MAX,
            },
        }
    }

    fn is_one_block(&self) -> bool {
        self.algorithm == Algorithm::OneBlock
    }

    /// Why this device cannot launch it, if it cannot: too many threads for the registers
    /// that each takes, or too much shared memory.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownKernel`]; the device's.
    pub(super) fn refusal(&self, module: &Module) -> Result<Option<String>> {
        let of = self.blocks();
        match module.resident_blocks(&self.entry, of.threads, of.shared_bytes) {
            Ok(0) => Ok(Some(format!("{}: no block is resident", self.entry))),
            Ok(_) => Ok(None),
            Err(error @ Error::OutOfRange { .. }) => Ok(Some(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// Ready to scan `n` elements, if it can on this device.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownKernel`] and [`Error::SignatureMismatch`] for PTX that does not
    /// belong to the list; the device's.
    pub(super) fn ready(&self, module: &Module, n: u64) -> Result<Option<Ready<'_>>> {
        let accumulator = self.accumulator(module)?;
        let of = self.blocks();
        let tiles = n.div_ceil(of.tile);
        if tiles > of.most {
            return Ok(None);
        }
        let resident = module.resident_blocks(&self.entry, of.threads, of.shared_bytes)?;
        let is_wave = !matches!(self.algorithm, Algorithm::Lookahead);
        if is_wave && tiles > u64::from(resident) {
            return Ok(None);
        }
        let words = match self.is_one_block() {
            true => 1,
            false => scratch::of_tiles(tiles, accumulator.div_ceil(4)),
        };
        let device = module.device();
        let threads = match self.is_one_block() {
            true => {
                let of_warp = of.tile / self.warps as u64;
                n.div_ceil(of_warp) as u32 * LANES
            }
            false => of.threads,
        };
        let blocks = tiles.min(u64::from(resident)) as u32;
        let shape = LaunchShape::new(blocks, threads).with_shared(of.shared_bytes);
        let config = LaunchConfig::new(shape);
        let config = match blocks > 1 && device.properties().has_cooperative_launch {
            true => config.cooperative(),
            false => config,
        };
        Ok(Some(Ready {
            candidate: self,
            // SAFETY: before it waits for earlier launches, a thread asks for lines into the L2
            // cache, which is no access; and what they write is behind raw pointers.
            config: unsafe { config.programmatic() },
            initial: vec![0; accumulator],
            scratch: device.alloc_zeroed(words as usize)?,
        }))
    }

    /// Bytes of what is combined, by the manifest; Err when the entry's parameters are not
    /// those of a scan.
    fn accumulator(&self, module: &Module) -> Result<usize> {
        let manifest = module.manifest().ok_or_else(|| Error::NoManifest {
            kernel: self.entry.clone(),
        })?;
        let kernel = manifest
            .kernel(&self.entry)
            .ok_or_else(|| Error::UnknownKernel {
                kernel: self.entry.clone(),
            })?;
        let found = quadscan::device::ptx_bytes(kernel);
        match found[..] {
            [8, 8, 8, 8, accumulator, 4, 8, 8] => Ok(accumulator as usize),
            _ => Err(Error::SignatureMismatch {
                kernel: self.entry.clone(),
                expected: "bytes: [8, 8, 8, 8, accumulator, 4, 8, 8]".to_owned(),
                found: format!("bytes: {found:?}"),
            }),
        }
    }
}

/// A candidate with its grid and its scratch memory.
pub(super) struct Ready<'c> {
    pub(super) candidate: &'c Candidate,
    config: LaunchConfig,
    initial: Vec<u8>,
    scratch: Buffer<u64>,
}

impl Ready<'_> {
    /// Asks for the inclusive scan.
    ///
    /// # Errors
    ///
    /// The device's.
    pub(super) fn launch(&self, module: &Module, call: &Call) -> Result<()> {
        let (count, flags) = (0u64, 0u32);
        let (scratch, words) = (self.scratch.address(), self.scratch.len() as u64);
        let parameters = [
            bytes_of(&call.input),
            bytes_of(&call.output),
            bytes_of(&call.n),
            bytes_of(&count),
            &self.initial,
            bytes_of(&flags),
            bytes_of(&scratch),
            bytes_of(&words),
        ]
        .map(|bytes| Actual {
            bytes,
            elements: None,
        });
        // SAFETY: the entry is a scan of this shape, since the list and the PTX are of one
        // making, and its parameters are those of the manifest. Input and output hold `n`
        // elements apart from each other; no count is asked for; the scratch memory has
        // room for the tiles and is this candidate's alone. The grid is the kernel's, and
        // resident at once. A graph keeps the addresses and is done before they are freed.
        unsafe { module.launch_raw(&self.candidate.entry, self.config, &parameters) }
    }
}
