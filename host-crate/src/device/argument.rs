//! Which values may be passed for which kernel parameters.
//!
//! A kernel's formal parameters are types (`cuda_std::launch`); a launch
//! compiles when the tuple of actual arguments implements [`Arguments`] of
//! them. What a kernel may write needs an exclusive borrow, so one launch
//! cannot be given the same buffer to write and to read. Both traits are sealed:
//! an address reaches a safe launch from a [`Buffer`] and its views alone.

use bytemuck::{NoUninit, Pod};
use cuda_std::launch::{
    Actual, Names, Pointer, PointerMut, Reference, ReferenceMut, Slice, SliceMut, Value,
};

use super::{Buffer, Device, View, ViewMut};

mod sealed {
    /// Arguments that this module vouches for.
    pub trait Sealed<Formal> {}
}

use sealed::Sealed;

/// A value that may be passed for the parameter `Formal`, which is called `Name`. Sealed.
///
/// | parameter of the kernel | argument |
/// | --- | --- |
/// | `&[T]`, `*const T`, `&T` | `&Buffer<T>`, `View<T>`; what may be written, too |
/// | `&mut [T]`, `*mut T`, `&mut T` | `&mut Buffer<T>`, `ViewMut<T>`, `&mut ViewMut<T>` |
/// | `T` by value | `T`, without padding bytes |
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for the kernel's parameter `{Name}`, a `{Formal}`",
    label = "this launch has an argument of a type that the kernel does not take",
    note = "pass `&Buffer<T>` or a `View<T>` for `Slice<T>`, `Pointer<T>`; `&mut Buffer<T>` or a `ViewMut<T>` for `SliceMut<T>`, `PointerMut<T>`; a `T` for `Value<T>`"
)]
pub trait Argument<Formal, Name = ()>: Sealed<Formal> {
    /// The argument in bytes.
    fn actual(&self) -> Actual<'_>;

    /// The device whose memory the argument names, if it does.
    fn device(&self) -> Option<&Device> {
        None
    }
}

impl<T: NoUninit> Sealed<Value<T>> for T {}

impl<T: NoUninit, Name> Argument<Value<T>, Name> for T {
    fn actual(&self) -> Actual<'_> {
        Actual {
            bytes: bytemuck::bytes_of(self),
            elements: None,
        }
    }
}

macro_rules! memory_argument {
    ($($formal:ident <- $($owner:ident: $argument:ty),+;)*) => {$($(
        impl<T: Pod> Sealed<$formal<T>> for $argument {}

        impl<T: Pod, Name> Argument<$formal<T>, Name> for $argument {
            fn actual(&self) -> Actual<'_> {
                $owner::actual(self)
            }

            fn device(&self) -> Option<&Device> {
                Some($owner::device(self))
            }
        }
    )+)*};
}

/// What is borrowed to read, or exclusively.
macro_rules! readable {
    ($($formal:ident)*) => {
        memory_argument! {$(
            $formal <- Buffer: &Buffer<T>, Buffer: &mut Buffer<T>,
                View: View<'_, T>, View: &View<'_, T>,
                ViewMut: ViewMut<'_, T>, ViewMut: &ViewMut<'_, T>, ViewMut: &mut ViewMut<'_, T>;
        )*}
    };
}

/// What is borrowed exclusively.
macro_rules! writable {
    ($($formal:ident)*) => {
        memory_argument! {$(
            $formal <- Buffer: &mut Buffer<T>,
                ViewMut: ViewMut<'_, T>, ViewMut: &mut ViewMut<'_, T>;
        )*}
    };
}

readable!(Slice Pointer Reference);
writable!(SliceMut PointerMut ReferenceMut);

/// A tuple of arguments for a kernel with the parameters `Formals`, which are called `Called`; up to
/// 16. Sealed.
#[diagnostic::on_unimplemented(
    message = "the arguments `{Self}` are not as many as the kernel's parameters `{Formals}`, which are called `{Called}`",
    label = "wrong number of arguments for this kernel",
    note = "a launch takes a tuple with one argument for each parameter; a single one is written `(argument,)`, and for more than 16, put scalars into a `#[repr(C)]` `Copy` struct and pass it by value"
)]
pub trait Arguments<Formals, Called = ()>: Sealed<Formals> {
    /// Calls `use_them` with the arguments in bytes, and the device that each names.
    fn with<R>(&self, use_them: impl FnOnce(&[Actual<'_>], &[Option<&Device>]) -> R) -> R;
}

macro_rules! tuples {
    ($(($formal:ident $argument:ident $field:tt $name:ty))*) => {
        impl<$($formal, $argument: Sealed<$formal>),*> Sealed<($($formal,)*)> for ($($argument,)*) {}

        impl<N: Names, $($formal, $argument: Argument<$formal, <$name as Names>::First>),*>
            Arguments<($($formal,)*), N> for ($($argument,)*)
        {
            fn with<R>(&self, use_them: impl FnOnce(&[Actual<'_>], &[Option<&Device>]) -> R) -> R {
                use_them(&[$(self.$field.actual()),*], &[$(self.$field.device()),*])
            }
        }
    };
}

/// Implements the arguments of every count up to the length of the list, whose next name is the first
/// of `$names`.
macro_rules! counts {
    ([$($done:tt)*] $names:ty;) => { tuples!($($done)*); };
    ([$($done:tt)*] $names:ty; ($($next:tt)*) $($rest:tt)*) => {
        tuples!($($done)*);
        counts!([$($done)* ($($next)* $names)] Others<$names>; $($rest)*);
    };
}

/// The names behind the first.
type Others<N> = <N as Names>::Others;

counts! {
    [] N;
    (F0 A0 0) (F1 A1 1) (F2 A2 2) (F3 A3 3)
    (F4 A4 4) (F5 A5 5) (F6 A6 6) (F7 A7 7)
    (F8 A8 8) (F9 A9 9) (F10 A10 10) (F11 A11 11)
    (F12 A12 12) (F13 A13 13) (F14 A14 14) (F15 A15 15)
}

/// Launches of `scale(input: &[f32], out: *mut f32, factor: f32)`. The first
/// compiles; each of the others differs from it in one thing, and does not.
///
/// Right:
///
/// ```
/// # use cuda_std::kernel;
/// # use quadscan::device::{Buffer, LaunchShape, Module};
/// # #[kernel]
/// # #[launch_contract(out.len() >= input.len())]
/// # #[allow(unused_variables)]
/// # pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}
/// # fn launch(module: &Module, input: &Buffer<f32>, mut out: Buffer<f32>, mut other: Buffer<f64>) {
/// # let shape = LaunchShape::new(1, 32);
/// let _ = module.launch(scale, shape, (&*input, &mut out, 2.0));
/// # }
/// ```
///
/// Right too, of parts:
///
/// ```
/// # use cuda_std::kernel;
/// # use quadscan::device::{Buffer, LaunchShape, Module};
/// # #[kernel]
/// # #[launch_contract(out.len() >= input.len())]
/// # #[allow(unused_variables)]
/// # pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}
/// # fn launch(module: &Module, mut out: Buffer<f32>) -> quadscan::Result<()> {
/// # let shape = LaunchShape::new(1, 32);
/// let (mut first, mut second) = out.split_at_mut(8)?;
/// module.launch(scale, shape, (&first, &mut second, 2.0))?;
/// module.launch(scale, shape, (second.slice(1..3)?, first.slice_mut(..2)?, 2.0))?;
/// # Ok(())
/// # }
/// ```
///
/// An element type of another size:
///
/// ```compile_fail,E0277
/// # use cuda_std::kernel;
/// # use quadscan::device::{Buffer, LaunchShape, Module};
/// # #[kernel]
/// # #[launch_contract(out.len() >= input.len())]
/// # #[allow(unused_variables)]
/// # pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}
/// # fn launch(module: &Module, input: &Buffer<f32>, mut out: Buffer<f32>, mut other: Buffer<f64>) {
/// # let shape = LaunchShape::new(1, 32);
/// let _ = module.launch(scale, shape, (&*input, &mut other, 2.0));
/// # }
/// ```
///
/// One argument too few:
///
/// ```compile_fail,E0277
/// # use cuda_std::kernel;
/// # use quadscan::device::{Buffer, LaunchShape, Module};
/// # #[kernel]
/// # #[launch_contract(out.len() >= input.len())]
/// # #[allow(unused_variables)]
/// # pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}
/// # fn launch(module: &Module, input: &Buffer<f32>, mut out: Buffer<f32>, mut other: Buffer<f64>) {
/// # let shape = LaunchShape::new(1, 32);
/// let _ = module.launch(scale, shape, (&*input, &mut out));
/// # }
/// ```
///
/// A shared borrow of what the kernel writes:
///
/// ```compile_fail,E0277
/// # use cuda_std::kernel;
/// # use quadscan::device::{Buffer, LaunchShape, Module};
/// # #[kernel]
/// # #[launch_contract(out.len() >= input.len())]
/// # #[allow(unused_variables)]
/// # pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}
/// # fn launch(module: &Module, input: &Buffer<f32>, mut out: Buffer<f32>, mut other: Buffer<f64>) {
/// # let shape = LaunchShape::new(1, 32);
/// let _ = module.launch(scale, shape, (&*input, &out, 2.0));
/// # }
/// ```
///
/// A shared view of what the kernel writes:
///
/// ```compile_fail,E0277
/// # use cuda_std::kernel;
/// # use quadscan::device::{Buffer, LaunchShape, Module};
/// # #[kernel]
/// # #[launch_contract(out.len() >= input.len())]
/// # #[allow(unused_variables)]
/// # pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}
/// # fn launch(module: &Module, input: &Buffer<f32>, mut out: Buffer<f32>, mut other: Buffer<f64>) {
/// # let shape = LaunchShape::new(1, 32);
/// let _ = module.launch(scale, shape, (&*input, out.as_view(), 2.0));
/// # }
/// ```
///
/// A scalar of another type:
///
/// ```compile_fail,E0277
/// # use cuda_std::kernel;
/// # use quadscan::device::{Buffer, LaunchShape, Module};
/// # #[kernel]
/// # #[launch_contract(out.len() >= input.len())]
/// # #[allow(unused_variables)]
/// # pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}
/// # fn launch(module: &Module, input: &Buffer<f32>, mut out: Buffer<f32>, mut other: Buffer<f64>) {
/// # let shape = LaunchShape::new(1, 32);
/// let _ = module.launch(scale, shape, (&*input, &mut out, 2u32));
/// # }
/// ```
///
/// One buffer to read and to write:
///
/// ```compile_fail,E0502
/// # use cuda_std::kernel;
/// # use quadscan::device::{Buffer, LaunchShape, Module};
/// # #[kernel]
/// # #[launch_contract(out.len() >= input.len())]
/// # #[allow(unused_variables)]
/// # pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}
/// # fn launch(module: &Module, input: &Buffer<f32>, mut out: Buffer<f32>, mut other: Buffer<f64>) {
/// # let shape = LaunchShape::new(1, 32);
/// let _ = module.launch(scale, shape, (&out, &mut out, 2.0));
/// # }
/// ```
///
/// A kernel whose author declared no contract:
///
/// ```compile_fail,E0277
/// # use cuda_std::kernel;
/// # use quadscan::device::{Buffer, LaunchShape, Module};
/// # #[kernel]
/// # #[allow(unused_variables)]
/// # pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}
/// # fn launch(module: &Module, input: &Buffer<f32>, mut out: Buffer<f32>, mut other: Buffer<f64>) {
/// # let shape = LaunchShape::new(1, 32);
/// let _ = module.launch(scale, shape, (&*input, &mut out, 2.0));
/// # }
/// ```
#[cfg(doctest)]
struct Launches;

/// Addresses made up by safe code. What would take them compiles; the address
/// does not.
///
/// Right:
///
/// ```
/// # use cuda_std::launch::{Actual, Slice};
/// # use quadscan::device::{Argument, Arguments, Device};
/// struct Forged([u8; 8]);
/// fn takes(_: impl Argument<Slice<f32>>) {}
/// fn takes_all(_: impl Arguments<(Slice<f32>,)>) {}
/// ```
///
/// An argument:
///
/// ```compile_fail,E0277
/// # use cuda_std::launch::{Actual, Slice};
/// # use quadscan::device::{Argument, Arguments, Device};
/// struct Forged([u8; 8]);
/// impl Argument<Slice<f32>> for Forged {
///     fn actual(&self) -> Actual<'_> {
///         Actual { bytes: &self.0, elements: Some(1 << 40) }
///     }
/// }
/// ```
///
/// All arguments:
///
/// ```compile_fail,E0277
/// # use cuda_std::launch::{Actual, Slice};
/// # use quadscan::device::{Argument, Arguments, Device};
/// struct Forged([u8; 8]);
/// impl Arguments<(Slice<f32>,)> for Forged {
///     fn with<R>(&self, use_them: impl FnOnce(&[Actual<'_>], &[Option<&Device>]) -> R) -> R {
///         let forged = Actual { bytes: &self.0, elements: Some(1 << 40) };
///         use_them(&[forged], &[None])
///     }
/// }
/// ```
#[cfg(doctest)]
struct Forgeries;
