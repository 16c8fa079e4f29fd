//! Attribute macros of `cuda_std`; use them through that crate, which re-exports all of them.
//!
//! What lives here: the parsing of kernels and of the attributes around them, and the code that
//! they become, once for the device (`target_os = "cuda"`) and once for the host. What does not:
//! the types that the generated code names (`cuda_std::launch`), and everything that turns the
//! compiled kernel into PTX (`cuda_builder`). The attribute names are rust-cuda's, plus
//! `launch_bounds`, `cluster`, `max_registers`, `part` and `launch_contract`, which are ours.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `text`: tokens as a user reads them.
//! - `attributes`, `parameter`: what a kernel's attributes and parameters say.
//! - `contract`: the conditions of a launch.
//! - `kernel`: what a kernel may look like.
//! - `only`: whether a build wants it.
//! - `device`, `host`: the two halves that it becomes.
//! - `expand`, `statics`, `unroll`: `#[kernel]` in full, and the other macros.

mod attributes;
mod contract;
mod device;
mod expand;
mod host;
mod kernel;
mod only;
mod parameter;
mod statics;
mod text;
mod unroll;

use proc_macro::TokenStream;

/// Makes an `unsafe fn` a GPU kernel.
///
/// On the device the function becomes an entry point under its own name. On the host it becomes
/// a function of no arguments, of the same name, that stands for the kernel: hand it to a launch,
/// which reads the kernel's name and parameter types from it. The kernel's body is type-checked on
/// the host, and never runs there: with `#[cfg(target_os = "cuda")]` on its block or statements it
/// is left out, so that what it calls need not be there.
///
/// Parameters: scalars, raw pointers, `Copy` structs by value, `&[T]`, `&mut [T]`, `*const [T]` and
/// `*mut [T]` (two PTX parameters: address and length in elements), and `&T` (an address; such a
/// kernel can only be launched unsafely). One that is not used may be called `_`. A `&[T]` promises that nothing writes those elements while the
/// kernel runs: its loads may go through the read-only path (`ld.global.nc`). For memory that is
/// read and written in one launch, take a raw pointer.
///
/// rustc resolves `#[cfg]` and `#[cfg_attr]` below `#[kernel]` before this macro runs, so a kernel
/// and the attributes around it may be conditional.
///
/// # Errors
///
/// A return type, type or const parameters, a safe, `async`, `const` or variadic function, an
/// `extern` other than "C", a pattern as parameter, `#[cfg]` or `#[cfg_attr]` on
/// a parameter, a type that is not `Copy`, a zero-sized type, and a slice hidden behind a
/// type alias are compile errors that say what to write instead.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::expand(arguments.into(), item.into()).into()
}

/// `#[launch_bounds(max_threads[, min_blocks])]`, below `#[kernel]`: the largest block (threads,
/// x*y*z) that the kernel is launched with, and how many such blocks an SM should hold at once.
/// Constant expressions of type `u32`. PTX: `.maxntid`, `.minnctapersm`.
///
/// # Errors
///
/// Anywhere but below `#[kernel]`.
#[proc_macro_attribute]
pub fn launch_bounds(_: TokenStream, item: TokenStream) -> TokenStream {
    attributes::misplaced("launch_bounds", item.into()).into()
}

/// `#[cluster(x[, y[, z]])]`, below `#[kernel]`: the cluster shape in blocks. Constant
/// expressions of type `u32`. PTX: `.reqnctapercluster` (sm_90).
///
/// # Errors
///
/// Anywhere but below `#[kernel]`.
#[proc_macro_attribute]
pub fn cluster(_: TokenStream, item: TokenStream) -> TokenStream {
    attributes::misplaced("cluster", item.into()).into()
}

/// `#[max_registers(n)]`, below `#[kernel]`: the most registers a thread may use. A constant
/// expression of type `u32`. PTX: `.maxnreg`.
///
/// # Errors
///
/// Anywhere but below `#[kernel]`, and together with `launch_bounds`, which PTX does not allow.
#[proc_macro_attribute]
pub fn max_registers(_: TokenStream, item: TokenStream) -> TokenStream {
    attributes::misplaced("max_registers", item.into()).into()
}

/// `#[part(name)]`, below `#[kernel]`: the part of the artifact that the kernel is in.
///
/// The kernels of a part are one file of PTX an architecture, which a program loads when it
/// first looks one of them up; those without the attribute are in the part `main`, which is
/// loaded first. A name is an identifier of ASCII letters, digits and `_`; a macro may give it.
/// Kernels of two parts share code, which each has a copy of, and no statics: each part has
/// its own.
///
/// # Errors
///
/// Anywhere but below `#[kernel]`, twice on one kernel, and without exactly one such name.
#[proc_macro_attribute]
pub fn part(_: TokenStream, item: TokenStream) -> TokenStream {
    attributes::misplaced("part", item.into()).into()
}

/// `#[launch_contract(condition, ...)]`, below `#[kernel]`: what a launch must satisfy for the
/// kernel to be sound. Such a kernel can be launched safely; the conditions are checked on the
/// host before every launch.
///
/// In a condition, a slice or raw-pointer parameter is an `Extent` (`out.len()`, in elements, and
/// `out.is_aligned_to(16)`, in bytes), a value parameter has its own type and value, `grid` and `block` are the launch's `Dim3`, and
/// `shared_bytes: u32` is its dynamic shared memory. A parameter may have any other name.
///
/// A product of what the launch chooses can exceed even a `u64` within the limits of a GPU, and
/// a contract that wraps passes what it should refuse: count the threads by
/// `grid.count().saturating_mul(block.count())`.
///
/// # Errors
///
/// Anywhere but below `#[kernel]`, without a condition, on a kernel with a reference parameter, and
/// on a kernel with a parameter named `grid`, `block` or `shared_bytes`.
#[proc_macro_attribute]
pub fn launch_contract(_: TokenStream, item: TokenStream) -> TokenStream {
    attributes::misplaced("launch_contract", item.into()).into()
}

/// `#[address_space(shared | constant | global)]` puts a `static` or `static mut` into an address
/// space of the device. On the host it has no effect.
///
/// A `shared` static has one instance a block and no initial value: what the initialiser says is
/// dropped, so write before you read. `constant` and `global` statics keep their initial value.
///
/// # Errors
///
/// Another address space, or an item that is not a static.
#[proc_macro_attribute]
pub fn address_space(arguments: TokenStream, item: TokenStream) -> TokenStream {
    statics::address_space(arguments.into(), item.into()).into()
}

/// Keeps a `#[no_mangle]` function or static in the PTX under its own name even if no kernel uses
/// it, so that the host (or other PTX) can find it. On the host it has no effect.
///
/// # Errors
///
/// An item without `#[no_mangle]` (`#[unsafe(no_mangle)]` from edition 2024 on), or one that is
/// neither a function nor a static.
#[proc_macro_attribute]
pub fn externally_visible(_: TokenStream, item: TokenStream) -> TokenStream {
    statics::externally_visible(item.into()).into()
}

/// Keeps a function's body on the device; on the host the function exists and panics with its
/// name when called.
#[proc_macro_attribute]
pub fn gpu_only(_: TokenStream, item: TokenStream) -> TokenStream {
    statics::gpu_only(item.into()).into()
}

/// `unroll!(for i in 0..8 { .. })`: the loop, written out when it is compiled.
///
/// `i` is a constant of type `usize` in each copy of the body, so an array indexed by it stays in
/// registers: Rust has no unroll attribute, and an array indexed by a variable lives in local
/// memory unless the loop is gone before LLVM looks at the array. `break` and `continue` have no
/// loop to act on in the body; `return` and `?` work.
///
/// ```
/// use cuda_std_macros::unroll;
///
/// let mut squares = [0; 4];
/// unroll!(for i in 0..4 {
///     squares[i] = i * i;
/// });
/// assert_eq!(squares, [0, 1, 4, 9]);
/// ```
///
/// # Errors
///
/// A range that is not of two integer literals (a macro does not know a constant's value), and
/// more than 1024 copies.
#[proc_macro]
pub fn unroll(input: TokenStream) -> TokenStream {
    unroll::expand(input.into()).into()
}
