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
//! Approximate functions have the bits of a Hopper GPU: `exec/approximate/unit.rs`
//! is a model of its special function unit. Other GPUs may have others.
//!
//! One thing is not an H200's bits: ptxas contracts in places where
//! `lower/contract.rs` does not: products that meet a sum only where it unrolls a
//! loop, and products of what it simplifies.
//!
//! The package `ptx-syntax` reads the text.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `error`: what can go wrong.
//! - `observe`: what checkers and counters see of a run.
//! - `ir`: what runs: instructions whose operands are rows of registers.
//! - `lower`: a tree to code, by a set of instructions that it is given.
//! - `machine`: memory, paths, warps, blocks, and how an instruction gets at them.
//! - `exec`: the instructions, a file a group: how each is decoded, and what it does.
//! - `program`: a loaded module.
//! - `attributes`: what a kernel takes up.
//! - `run`: a launch from its first block to its last: who runs next, who is stuck.
//! - `gpu`: the modelled GPU as a program sees it.
//! - `check`, `count`: observers: checkers and counters.

mod attributes;
pub mod check;
pub mod count;
mod error;
mod exec;
mod gpu;
mod ir;
mod lower;
mod machine;
pub mod observe;
mod program;
mod run;

pub use attributes::Attributes;
pub use check::{Checked, Checks, Finding, FindingKind};
pub use error::{Fault, FaultKind, LaunchError, LoadError, MemoryError, Refusal, Waiter};
pub use exec::{Coverage, coverage};
pub use gpu::{Gpu, Observed, Report, Shape};
pub use lower::LoadOptions;
pub use machine::{LaunchOptions, Model, Schedule};
pub use observe::Class;
pub use program::{Program, SharedMemory, refusals};
pub use ptx_syntax::{ParseError, Type};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
