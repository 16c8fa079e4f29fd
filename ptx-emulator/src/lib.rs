//! Runs PTX on the CPU, warp by warp.
//!
//! ```
//! use ptx_emulator::{Gpu, Model, Program};
//!
//! let program = Program::load(
//!     ".version 8.0 .target sm_75 .address_size 64
//!      .visible .entry double(.param .u64 data) {
//!          .reg .b32 %r<3>; .reg .b64 %rd<4>;
//!          ld.param.u64 %rd1, [data];
//!          mov.u32 %r1, %tid.x;
//!          mul.wide.u32 %rd2, %r1, 4;
//!          add.s64 %rd3, %rd1, %rd2;
//!          ld.global.u32 %r2, [%rd3];
//!          shl.b32 %r2, %r2, 1;
//!          st.global.u32 [%rd3], %r2;
//!          ret;
//!      }",
//! )?;
//! let mut gpu = Gpu::new(Model::h200());
//! let data = gpu.alloc(4 * 4)?;
//! gpu.copy_in(data, &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0])?;
//! let report = gpu.launch(&program, "double", [1, 1, 1], [4, 1, 1], 0, &[&data.to_le_bytes()])?;
//! let mut bytes = [0; 16];
//! gpu.copy_out(data, &mut bytes)?;
//! assert_eq!(bytes, [2, 0, 0, 0, 4, 0, 0, 0, 6, 0, 0, 0, 8, 0, 0, 0]);
//! assert_eq!(report.warp_instructions, 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What PTX leaves open
//!
//! Where PTX does not determine a result, or a program cannot tell, the
//! emulator gives what an H200 gives (`suite/tests/emulator/hardware.rs` has the bits):
//!
//! - NaNs. Arithmetic of 16 and 32 bits gives the one NaN of its format, also
//!   of `abs` and `neg`; f64 keeps an operand's sign and payload, and of two
//!   NaNs the one that its instruction prefers. An assembler may exchange the
//!   factors of a product, and with them that choice.
//! - Division by zero: quotient and remainder have all bits set.
//! - `.ftz` flushes a result that is below the normal numbers when it has been
//!   rounded as if the exponent had no end.
//! - Fields (`bfe`, `bfi`) with a start or a length above 255.
//! - `atom` and `red` with `.add.f32` flush subnormals in global memory and not
//!   in shared memory.
//!
//! - `add`, `sub` and `mul` of floats without a rounding modifier may become one
//!   `fma`. They do where `ptxas` and the driver make one: nvcc writes them so
//!   (but not with `-fmad=false`), rustc never does. `lower/contract.rs` has the
//!   rule, and what of ptxas it leaves out; `LoadOptions::contract` turns it off.
//!
//! Two things are not an H200's bits. Approximate functions are the exact value
//! rounded to nearest, within the error that PTX allows. And ptxas contracts in
//! places where `lower/contract.rs` does not: the product inside of a `div.full` or
//! `div.approx`, and products that meet a sum only where it unrolls a loop.
//!
//! The package `ptx-syntax` reads text, `lower` makes code of it, `exec` knows the
//! instructions, `machine` runs them; `observe` is what `check` and `count`
//! see of it.

mod attributes;
pub mod check;
pub mod count;
mod error;
mod exec;
mod ir;
mod lower;
mod machine;
pub mod observe;

use std::sync::atomic::{AtomicU64, Ordering};

pub use attributes::Attributes;
pub use check::{Checked, Checks, Finding, FindingKind};
pub use error::{Fault, FaultKind, LaunchError, LoadError, MemoryError, Refusal, Waiter};
pub use exec::{Coverage, coverage};
pub use ir::Class;
pub use machine::gpu::{Gpu, Observed, Report, Shape};
pub use machine::launch::{LaunchOptions, Schedule};
pub use machine::model::Model;
pub use ptx_syntax::{self as ast, ParseError, parse};

/// Refusals of one module that are listed.
const MOST_REFUSALS: usize = 1000;

/// Everything that `Program::load` refuses in a module, in the order of the
/// text, up to 1000: empty when it loads. A declaration that is refused ends
/// the list, because what follows may use it.
///
/// # Errors
///
/// The first place at which the text is not PTX.
pub fn refusals(ptx: &str) -> Result<Vec<Refusal>, ParseError> {
    let module = ptx_syntax::parse(ptx)?;
    Ok(lower::refusals(&module, ptx, MOST_REFUSALS))
}

/// Shared memory of a block, as far as the module says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct SharedMemory {
    /// Static, bytes.
    pub bytes: u32,
    /// Whether a launch may add dynamic shared memory: the kernel names an
    /// `.extern .shared` array.
    pub dynamic: bool,
}

/// How a program is loaded.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Floating-point products without a rounding modifier become one `fma` with
    /// the sums that they go into, as a driver makes them; true by default.
    /// Without, as of `ptxas -fmad=false`.
    pub contract: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        LoadOptions { contract: true }
    }
}

/// A loaded PTX module.
#[derive(Debug)]
pub struct Program {
    pub(crate) code: lower::Code,
    /// Tells programs apart in a GPU's memory.
    pub(crate) id: u64,
}

impl Program {
    /// Parses and decodes a module: afterwards, all of it can run.
    ///
    /// # Errors
    ///
    /// `LoadError::Parse` when the text is not PTX, `LoadError::Refused` for
    /// the first instruction, modifier or name that is not supported.
    pub fn load(ptx: &str) -> Result<Program, LoadError> {
        Program::load_with(ptx, &LoadOptions::default())
    }

    /// As `load`, with options.
    ///
    /// # Errors
    ///
    /// As `load`.
    pub fn load_with(ptx: &str, options: &LoadOptions) -> Result<Program, LoadError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let module = ptx_syntax::parse(ptx)?;
        let code = lower::lower(&module, ptx, options)?;
        Ok(Program {
            code,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The names of the kernels.
    pub fn kernels(&self) -> impl Iterator<Item = &str> {
        self.code
            .functions
            .iter()
            .filter(|f| f.entry && f.defined)
            .map(|f| f.name.as_str())
    }

    /// The sizes in bytes of a kernel's parameters; `None` when there is no
    /// such kernel.
    pub fn parameters(&self, kernel: &str) -> Option<Vec<u32>> {
        let function = self
            .code
            .functions
            .iter()
            .find(|f| f.entry && f.defined && f.name == kernel)?;
        Some(
            function
                .parameters
                .iter()
                .map(|formal| formal.bytes)
                .collect(),
        )
    }

    /// The shared memory of a kernel and of what it calls; `None` when there
    /// is no such kernel, or 4 GiB are too few.
    pub fn shared(&self, kernel: &str) -> Option<SharedMemory> {
        let code = &self.code;
        let index = code
            .functions
            .iter()
            .position(|f| f.entry && f.defined && f.name == kernel)?;
        let layout = lower::layout::shared(&code.functions, &code.variables, index as u32)?;
        let is_dynamic = |&(variable, _): &(u32, u32)| {
            let placed = code.variables.get(variable as usize);
            placed.is_some_and(|placed| placed.dynamic)
        };
        Some(SharedMemory {
            bytes: layout.fixed,
            dynamic: layout.places.iter().any(is_dynamic),
        })
    }

    /// `file:line` of the source of an instruction, when the PTX has `.loc`:
    /// the innermost one, which may be in a library.
    pub fn source(&self, pc: u32) -> Option<String> {
        self.code.source_stack(pc).into_iter().next()
    }

    /// `file:line` of an instruction and of the calls that it was inlined by,
    /// the innermost first; empty when the PTX has no `.loc`.
    pub fn source_stack(&self, pc: u32) -> Vec<String> {
        self.code.source_stack(pc)
    }

    /// The line of `source_stack` that the kernel's author wrote: the
    /// innermost one in the source folder (up to `src/`) of the outermost
    /// one, so neither the toolchain's library nor another crate's wrapper.
    pub fn authors_line(&self, pc: u32) -> Option<String> {
        self.code.authors_line(pc)
    }

    /// The PTX text of an instruction.
    pub fn statement(&self, pc: u32) -> String {
        self.code.statement(pc)
    }

    /// The kernel or function that an instruction stands in; empty when there
    /// is no such instruction.
    pub fn function(&self, pc: u32) -> &str {
        self.code.function_of(pc)
    }

    /// The line in the PTX text of an instruction; 0 when there is none.
    pub fn line(&self, pc: u32) -> u32 {
        self.code.line(pc)
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
