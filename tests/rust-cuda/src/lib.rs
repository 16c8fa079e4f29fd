//! What rust-cuda's compile tests are about, tested here on every device.
//!
//! `conformance` has a test a subject; the kernels are in `kernels/`, a crate of its own
//! that is compiled for the GPU and for the host. `subjects` is the list of rust-cuda's
//! subjects and features, `subjects.toml`, and the page that is made of it,
//! `docs/rust-cuda.md`. `bits` compares arrays.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `bench`: the kernels, on a device. `bits`: arrays, bit for bit.
//! - `conformance`: a test a subject.
//! - `subjects`: the list, and the page.
//!
//! The names of the subjects are those of rust-cuda's files; of what is in them nothing is
//! here.

mod bench;
mod bits;
pub mod conformance;
pub mod subjects;

pub use bench::{artifact, folder, open};
