//! The hall of known bugs: kernels of `tests/known-bugs`, which have bugs that others reported.
//!
//! [`pairs`] says how each is launched and what has to be found, [`source`] reads what its file
//! says, [`run`] launches it under the emulator's checks or on a GPU, [`report`] runs all of them,
//! [`sanitizer`] has compute-sanitizer watch them on a GPU, and [`page`] makes
//! `docs/known-bugs.md`.

pub mod page;
pub mod pairs;
pub mod report;
pub mod run;
pub mod sanitizer;
pub mod source;
