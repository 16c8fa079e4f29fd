//! A kernel for each subject of rust-cuda's compile tests, and kernels that use ordinary
//! crates, written from the documentation of what they are about.
//!
//! Most are an ordinary function of one element, `of`, in a module of the subject's name,
//! with a kernel that applies it to every element of an array: the host calls the same
//! function, compiled for its own processor, and has to get the same bits. What is no
//! function of an element (threads, warps, shared memory, atomics) is in [`gpu`].
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `branches`, `core_library`, `crates`, `floats`, `gpu`, `language`, `loops`, `vectors`: kernels.
//!
//! Nothing here compares; the tests are in the package beside this one.
#![no_std]
#![allow(
    clippy::missing_safety_doc,
    reason = "each kernel's contract is the whole condition"
)]

extern crate alloc;

/// A module with a function `of` one element and the kernel of the same name as the module.
macro_rules! per_element {
    ($($(#[$doc:meta])* fn $name:ident($x:ident: $input:ty) -> $output:ty $body:block)*) => {$(
        $(#[$doc])*
        pub mod $name {
            #[allow(unused_imports)]
            use super::*;
            use cuda_std::prelude::{kernel, thread};

            #[doc = "The function that the kernel applies."]
            #[allow(clippy::ptr_arg)]
            pub fn of($x: $input) -> $output $body

            #[doc = "`output[i] = of(input[i])`, one thread an element."]
            #[kernel]
            #[launch_contract(
                output.len() >= input.len(),
                grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1
            )]
            pub unsafe fn $name(input: &[$input], output: *mut $output) {
                let i = thread::index_1d() as usize;
                if i < input.len() {
                    // SAFETY: the contract: output is as long as input, and i is this
                    // thread's alone.
                    unsafe { *output.add(i) = of(input[i]) };
                }
            }
        }
    )*};
}

pub mod branches;
pub mod core_library;
pub mod crates;
pub mod floats;
pub mod gpu;
pub mod language;
pub mod loops;
pub mod vectors;

/// The next of a sequence in which no step can be foreseen from the one before: keeps
/// compilers from replacing a loop by a formula.
#[inline]
fn next(x: u32) -> u32 {
    (x ^ (x << 13)).wrapping_mul(0x9e37_79b1).rotate_left(7)
}
