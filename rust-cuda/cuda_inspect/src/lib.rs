//! What compiled kernels take up, known without a GPU.
//!
//! - [`ptx`]: an entry's instructions, registers and memory;
//! - [`locations`]: from machine code to the debug locations of its PTX;
//! - [`class`]: instructions of PTX and of machine code by class;
//! - [`ptxas`]: what the assembler says of registers, spills and barriers;
//! - [`sass`]: the machine code as a disassembler prints it;
//! - [`tools`]: where assembler and disassemblers are, and running them;
//! - [`occupancy`]: how many blocks an SM holds, and what limits them;
//! - [`figures`]: all of these of one kernel, and what a change did to them;
//! - [`listing`]: code with its source between;
//! - [`ir`]: one kernel out of a module of LLVM IR.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `class`, `ptxas`, `occupancy`, `ir`, `locations`
//! - `ptx`, `sass`
//! - `figures`, `listing`
//! - `tools`
//!
//! What is absent: nothing here builds PTX (that is `cuda_builder`'s), runs it, measures,
//! or talks to a driver; and only [`tools`] starts programs.

pub mod class;
pub mod figures;
pub mod ir;
pub mod listing;
pub mod locations;
pub mod occupancy;
pub mod ptx;
pub mod ptxas;
pub mod sass;
pub mod tools;

use std::path::PathBuf;

/// Why something could not be told.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text has no such kernel.
    #[error("the PTX has no entry `{0}`")]
    NoEntry(String),
    /// The text is not PTX: where, and what was expected there.
    #[error("{0}: this is not PTX; is the file damaged?")]
    NotPtx(#[from] ptx_syntax::ParseError),
    /// A program answered with an error; its first one.
    #[error("{} refuses the code: {reason}", tool.display())]
    Refused {
        /// The program.
        tool: PathBuf,
        /// What it said.
        reason: String,
    },
    /// A program printed what this version cannot read.
    #[error("{} printed nothing about `{entry}` that this version can read", tool.display())]
    Unreadable {
        /// The program.
        tool: PathBuf,
        /// The kernel that was asked for.
        entry: String,
    },
    /// A program could not be run, or a file for it not be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The program or file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

/// What most functions here return.
pub type Result<T> = std::result::Result<T, Error>;
