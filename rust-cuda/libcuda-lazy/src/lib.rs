//! The CUDA driver's functions without linking against the driver.
//!
//! This crate defines every `cu*` symbol that `cust_raw` declares. Each is a
//! jump through a slot; the first call through an empty slot loads
//! `libcuda.so.1`, looks the function up and fills the slot. A program linked
//! with it starts on any machine: where there is no driver, its calls answer
//! `CUDA_ERROR_NOT_INITIALIZED` and [`status`] says in one sentence why.
//!
//! ```
//! match libcuda_lazy::status() {
//!     Ok(driver) => println!("{} supports CUDA {}.{}", driver.library, driver.cuda.0, driver.cuda.1),
//!     Err(reason) => println!("no GPU here: {reason}"),
//! }
//! ```
//!
//! `cust_raw` looks for a CUDA toolkit when it is built. The folder `stub/` of
//! this crate is enough for it, where `.cargo/config.toml` of the workspace says so:
//!
//! ```toml
//! [env]
//! CUDA_LIBRARY_PATH = { value = "path/to/libcuda-lazy/stub", relative = true }
//! ```
//!
//! So is any other folder that holds a folder `lib64`, such as `/usr` of most systems: this crate's
//! build script names the stub to the linker.
//!
//! It declares no types of the driver and gives no safe calls: that is
//! `cust`'s part. The idea is that of a delay-loaded library (`/DELAYLOAD` of
//! Windows linkers, Implib.so), written in Rust alone.
//!
//! What is not preserved across the first call of a function: the upper halves
//! of vector registers, which no driver function takes arguments in.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `library`, `names`: the driver's library, loaded once, and the list of the functions.
//! - `entry`: the functions.

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
compile_error!("libcuda-lazy supports Linux on x86-64 and aarch64");

mod entry;
mod library;
mod names;

use std::ffi::c_void;
use std::ptr::NonNull;

pub use library::{DriverInfo, LIBRARY_VARIABLE, LoadError};

/// The names of all functions that this crate defines, in the order of `cust_raw`.
pub const FUNCTIONS: &[&str] = entry::NAMES;

/// Loads the driver library, unless that was tried before, and says what came of it.
///
/// Does not call `cuInit`: a driver without a GPU is `Ok` here.
///
/// # Errors
///
/// [`LoadError::NotFound`] when no driver library could be loaded,
/// [`LoadError::NotADriver`] when what was loaded lacks the driver's basic functions.
pub fn status() -> Result<DriverInfo, LoadError> {
    library::status()
}

/// The address of any function that the driver library exports, whether this
/// crate defines it or not (`cuLaunchKernelEx`, ...).
///
/// # Errors
///
/// As [`status`], and [`LoadError::MissingSymbol`] when the library has no such function.
pub fn symbol(name: &str) -> Result<NonNull<c_void>, LoadError> {
    library::symbol(name)
}

/// The functions that were called although the loaded library lacks them, in
/// the order of [`FUNCTIONS`]. Each such call answered `CUDA_ERROR_NOT_FOUND`.
pub fn missing_functions() -> Vec<&'static str> {
    entry::missing()
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
