//! PTX, NVIDIA's assembly language, as text and as a tree.
//!
//! ```
//! let text = ".version 8.0 .target sm_90 .address_size 64
//!             .visible .entry k(.param .u64 data) { bar.sync 0; ret; }";
//! let module = ptx_syntax::parse(text)?;
//! let kernel = module.entries().next().expect("it has one");
//! assert_eq!(kernel.name, "k");
//! assert!(kernel.instructions().any(|instruction| instruction.is("bar.sync")));
//! # Ok::<(), ptx_syntax::ParseError>(())
//! ```
//!
//! A tree says what the text says, and where: line, column and bytes of each part. Names are
//! slices of the text. What instructions and modifiers there are is not known here: any word
//! that stands where one may stand is taken.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `types`: spaces, types, literals, and where they stand in a text.
//! - `lexer`, `tree`: text to tokens; a module, its functions, their statements.
//! - `walk`, `parse`, `print`: ways through a tree; tokens to a tree; a tree to text.
//! - `debug`, `variables`: from an instruction to the line of the source that it came from; from
//!   a register to the variable that it holds.

pub mod debug;
mod lexer;
mod parse;
mod print;
mod tree;
mod types;
pub mod variables;
mod walk;

pub use parse::{ParseError, location, parse, version};
pub use tree::*;
pub use types::{Linkage, Number, Position, Space, Span, Type};
pub use walk::Reached;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
