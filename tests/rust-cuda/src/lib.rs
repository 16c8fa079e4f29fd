//! What rust-cuda's compile tests are about, stated here and run on every device.
//!
//! `statements` has a statement a subject; the kernels are in `kernels/`, a crate of its own
//! that is compiled for the GPU and for the host. `subjects` is the list of rust-cuda's
//! subjects and features, `subjects.toml`, and the page that is made of it,
//! `docs/rust-cuda.md`. `bits` compares arrays.
//!
//! The names of the subjects are those of rust-cuda's files; of what is in them nothing is
//! here.

mod bench;
mod bits;
pub mod statements;
pub mod subjects;

pub use bench::{artifact, folder, open};
