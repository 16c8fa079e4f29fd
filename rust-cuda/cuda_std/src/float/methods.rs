//! How the float traits are written: each method with what computes it, once for both types.

/// Of `f32` and `f64` alone: nobody else implements the traits.
pub trait Sealed {}
impl Sealed for f32 {}
impl Sealed for f64 {}

/// Declares a trait, and implements it for `f32` and `f64`. The body of a method is one of
///
/// - `ptx NAME(..)`, or `ptx NAME host NAME(..)`: an operation that IEEE 754 rounds correctly,
///   LLVM's on the device, [`host`](super::host)'s on the host (this crate does without `std`). Both give the
///   same bits.
/// - `core NAME(..)`: the method of `core`.
/// - `libm NAME(..)`: a function of `libm`, on the device too.
/// - `own MODULE NAME(..)`: a function of this folder.
/// - Rust, in which `Self` is the type.
///
/// A function of `f32` has an `f` behind its name, in `libm` and here.
macro_rules! methods {
    (
        $(#[$of_trait:meta])*
        pub trait $trait:ident: $first:ident $(+ $bound:ident)* {
            $(
                $(#[$of_method:meta])*
                fn $name:ident($self:ident $(, $argument:ident: $type:ty)*) -> $result:ty {
                    $($by:tt)+
                }
            )*
        }
    ) => {
        $(#[$of_trait])*
        pub trait $trait: $first $(+ $bound)* {
            $(
                $(#[$of_method])*
                #[must_use = "the method returns a new number"]
                fn $name($self $(, $argument: $type)*) -> $result;
            )*
        }

        impl $trait for f32 {$(
            #[inline]
            fn $name($self $(, $argument: $type)*) -> $result {
                $crate::float::methods::computed!(f32 [f] $($by)+)
            }
        )*}

        impl $trait for f64 {$(
            #[inline]
            fn $name($self $(, $argument: $type)*) -> $result {
                $crate::float::methods::computed!(f64 [] $($by)+)
            }
        )*}
    };
}
pub(super) use methods;

/// What a method's body says, for one type.
macro_rules! computed {
    ($float:ident $suffix:tt ptx $name:ident $arguments:tt) => {
        $crate::float::methods::computed!($float $suffix ptx $name host $name $arguments)
    };
    ($float:ident [$($suffix:ident)?] ptx $device:ident host $host:ident $arguments:tt) => {
        pastey::paste! {{
            #[cfg(target_os = "cuda")]
            let value = core::intrinsics::[<$device $float>] $arguments;
            #[cfg(not(target_os = "cuda"))]
            let value = $crate::float::host::[<$host $($suffix)?>] $arguments;
            value
        }}
    };
    ($float:ident $suffix:tt core $name:ident $arguments:tt) => {
        $float::$name $arguments
    };
    ($float:ident [$($suffix:ident)?] libm $name:ident $arguments:tt) => {
        pastey::paste! { libm::[<$name $($suffix)?>] $arguments }
    };
    ($float:ident [$($suffix:ident)?] own $module:ident $name:ident $arguments:tt) => {
        pastey::paste! { $module::[<$name $($suffix)?>] $arguments }
    };
    ($float:ident $suffix:tt $($body:tt)+) => {{
        $($body)+
    }};
}
pub(super) use computed;
