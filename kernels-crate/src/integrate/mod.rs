//! Quadrature: rules that integrate a function over an interval.
//!
//! [`integrand`] says what is integrated, [`catalogue`] lists ours, and
//! [`integrands!`](crate::integrands) makes their kernels; [`composite`] is one integral over
//! equal strips, by the rules of [`rules`]; [`adaptive`], [`tanh_sinh`] and [`fourier`] are
//! [`batch`]es of them, each to a tolerance. [`sizes`], [`chunks`] and [`outcome`] are what a host shares with
//! them. [`trapezoid`], [`compensated`] and [`mapping`] are the kernels of the published tables.

/// Makes kernels of the published mapping, each of what a thread of it does: what a launch must
/// satisfy is the same for all of them, and stands here.
macro_rules! entries {
    ($(
        $(#[$attribute:meta])*
        unsafe fn $name:ident(
            $partials:ident: $sums:ty, $count:ident: u32, $strips:ident: $float:ty
        ) = $($sum:ident)::+;
    )*) => {$(
        #[kernel]
        $(#[$attribute])*
        #[launch_contract(
            $partials.len() as u64 >= grid.count().saturating_mul(block.count()),
            grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1,
            u64::from($count).saturating_mul(grid.count()).saturating_mul(block.count()) <= MAX_STRIPS
        )]
        pub unsafe fn $name($partials: $sums, $count: u32, $strips: $float) {
            #[cfg(target_os = "cuda")]
            // SAFETY: the kernel's own contract.
            unsafe {
                $($sum)::+($partials, $count, $strips);
            }
        }
    )*};
}

#[cfg(feature = "instances")]
pub mod catalogue;
pub mod chunks;
pub mod compensated;
pub mod formula;
pub mod integrand;
#[cfg(not(target_os = "cuda"))]
pub mod launch;
mod macros;
pub mod mapping;
pub mod outcome;
pub mod real;
pub mod rules;
pub mod sizes;
pub mod trapezoid;

// The algorithms, and what they have in common.
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod adaptive;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod batch;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod composite;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod estimate;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod fourier;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod interval;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod kronrod;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod levels;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod range;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod store;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod tanh_sinh;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod walk;
