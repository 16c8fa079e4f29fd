//! What the host knows about a kernel: its name, its parameters as types, its bounds, and what a
//! launch of it must satisfy. The macros fill it in; a host crate reads it and does the launch.
//!
//! What lives here: descriptions and checks, in `no_std` without allocation. What does not:
//! devices, buffers, drivers.
//!
//! ```
//! use cuda_std::kernel;
//! use cuda_std::launch::{Kernel, LaunchShape, ParameterKind, SafeLaunch};
//!
//! /// Fills `out`.
//! #[kernel]
//! #[launch_bounds(256, 2)]
//! #[launch_contract(out.len() as u64 >= grid.count().saturating_mul(block.count()))]
//! pub unsafe fn fill(out: *mut f32, value: f32) {
//!     unsafe { *out.add(cuda_std::thread::index_1d() as usize) = value };
//! }
//!
//! fn describe<K: Kernel>(_: K) {
//!     assert_eq!(K::NAME, "fill");
//!     assert_eq!(K::PARAMETERS[0].kind, ParameterKind::PointerMut);
//!     assert_eq!(K::PARAMETERS[1].ty, "f32");
//!     assert_eq!(K::BOUNDS.max_threads, 256);
//! }
//! describe(fill);
//! ```

mod arguments;
mod shape;

pub use arguments::{
    Actual, Extent, Parameter, ParameterKind, Pointer, PointerMut, Reference, ReferenceMut, Slice,
    SliceMut, Value,
};
pub use shape::{Dim3, LaunchBounds, LaunchShape};

/// What `#[kernel]` says about a kernel. Code that launches takes a [`Kernel`] instead.
///
/// # Safety
///
/// `NAME`, `PARAMETERS` and `Formals` are those of the kernel that the device code exports under
/// that name.
pub unsafe trait Definition: Copy {
    /// See [`Kernel::NAME`].
    const NAME: &'static str;
    /// See [`Kernel::PARAMETERS`].
    const PARAMETERS: &'static [Parameter];
    /// See [`Kernel::BOUNDS`].
    const BOUNDS: LaunchBounds;
    /// See [`Kernel::Formals`].
    type Formals;
    /// See [`Kernel::Names`].
    type Names: Names;
}

/// Types one behind the other: `(First, Others)`, and behind the last one `()`.
pub trait Names {
    /// The first of them, `()` behind the last.
    type First;
    /// Those behind it.
    type Others: Names;
}

impl Names for () {
    type First = ();
    type Others = ();
}

impl<First, Others: Names> Names for (First, Others) {
    type First = First;
    type Others = Others;
}

/// What `#[launch_contract]` says about a kernel. Code that launches takes a [`SafeLaunch`].
///
/// # Safety
///
/// A launch that [`check`](Contract::check) passes is sound, given arguments of the right types
/// whose buffers belong to the device and are as long as they say.
#[diagnostic::on_unimplemented(
    message = "this kernel has no launch contract, so it cannot be launched safely",
    label = "no `#[launch_contract(..)]`",
    note = "write what a launch must satisfy below #[kernel], as in #[launch_contract(out.len() as u64 >= grid.count().saturating_mul(block.count()))], or launch it unsafely"
)]
pub unsafe trait Contract: Definition {
    /// See [`SafeLaunch::check`].
    ///
    /// # Errors
    ///
    /// The text of the first condition that does not hold.
    ///
    /// # Safety
    ///
    /// As for [`SafeLaunch::check`].
    unsafe fn check(shape: &LaunchShape, arguments: &[Actual<'_>]) -> Result<(), &'static str>;
}

/// A kernel, as the value that its name is on the host: pass the name itself, `launch(fill, ..)`.
///
/// # Safety
///
/// As for [`Definition`], which the macro implements; do not implement this by hand.
#[diagnostic::on_unimplemented(
    message = "this is not a kernel",
    label = "not a `#[kernel]`",
    note = "pass a kernel by its name, without calling it: `launch(vecadd, ..)`"
)]
pub unsafe trait Kernel: Copy {
    /// The entry's name in the PTX.
    const NAME: &'static str;
    /// The parameters as written, in order.
    const PARAMETERS: &'static [Parameter];
    /// What the attributes below `#[kernel]` promise about every launch.
    const BOUNDS: LaunchBounds;
    /// A tuple with one of [`Slice`], [`SliceMut`], [`Pointer`], [`PointerMut`], [`Reference`],
    /// [`ReferenceMut`] and [`Value`] for each parameter, in order.
    type Formals;
    /// A type of its name for each parameter, in order, by which an error of the compiler names the
    /// parameter that an argument does not fit.
    type Names: Names;
}

// SAFETY: hands the definition on unchanged.
unsafe impl<F, D> Kernel for F
where
    F: Fn() -> D + Copy,
    D: Definition,
{
    const NAME: &'static str = D::NAME;
    const PARAMETERS: &'static [Parameter] = D::PARAMETERS;
    const BOUNDS: LaunchBounds = D::BOUNDS;
    type Formals = D::Formals;
    type Names = D::Names;
}

/// A kernel whose author declared, with `#[launch_contract(..)]` below `#[kernel]`, what a launch
/// must satisfy to be sound.
///
/// # Safety
///
/// As for [`Contract`], which the macro implements; do not implement this by hand.
#[diagnostic::on_unimplemented(
    message = "this kernel has no launch contract, so it cannot be launched safely",
    label = "no `#[launch_contract(..)]`",
    note = "write what a launch must satisfy below #[kernel], as in #[launch_contract(out.len() as u64 >= grid.count().saturating_mul(block.count()))], or launch it unsafely"
)]
pub unsafe trait SafeLaunch: Kernel {
    /// Whether a launch of `shape` with `arguments` (one for each parameter, in order) satisfies
    /// the contract.
    ///
    /// # Errors
    ///
    /// The text of the first condition that does not hold.
    ///
    /// # Panics
    ///
    /// When an argument's size is not its parameter's.
    ///
    /// # Safety
    ///
    /// For each parameter that is a value, the argument's bytes are those of a value of the
    /// parameter's type: the conditions read it from them.
    unsafe fn check(shape: &LaunchShape, arguments: &[Actual<'_>]) -> Result<(), &'static str>;
}

// SAFETY: hands the contract on unchanged.
unsafe impl<F, D> SafeLaunch for F
where
    F: Fn() -> D + Copy,
    D: Contract,
{
    unsafe fn check(shape: &LaunchShape, arguments: &[Actual<'_>]) -> Result<(), &'static str> {
        // SAFETY: the caller's.
        unsafe { D::check(shape, arguments) }
    }
}
