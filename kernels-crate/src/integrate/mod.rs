//! Quadrature: rules that integrate a function over an interval.
//!
//! [`integrand`] says what is integrated, [`catalogue`] lists ours, and
//! [`integrands!`](crate::integrands) makes their kernels; [`composite`] is one integral over
//! equal strips, by the rules of [`rules`]; [`adaptive`] and [`tanh_sinh`] are [`batch`]es of
//! them, each to a tolerance. [`trapezoid`], [`compensated`] and [`mapping`] are
//! the kernels of the published tables.

/// Makes kernels of the published mapping: what a launch must satisfy is the same
/// for all of them, and stands here.
macro_rules! entries {
    ($(
        $(#[$attribute:meta])*
        unsafe fn $name:ident($partials:ident: $sums:ty, $count:ident: u32, $strips:ident: $float:ty) $body:block
    )*) => {$(
        #[kernel]
        $(#[$attribute])*
        #[launch_contract(
            $partials.len() as u64 >= grid.count().saturating_mul(block.count()),
            grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1,
            u64::from($count).saturating_mul(grid.count()).saturating_mul(block.count()) <= MAX_STRIPS
        )]
        pub unsafe fn $name($partials: $sums, $count: u32, $strips: $float) $body
    )*};
}

pub mod adaptive;
pub mod batch;
#[cfg(feature = "catalogue")]
pub mod catalogue;
pub mod compensated;
pub mod composite;
pub mod estimate;
pub mod integrand;
pub mod interval;
pub mod kronrod;
#[cfg(not(target_os = "cuda"))]
pub mod launch;
pub mod levels;
mod macros;
pub mod mapping;
pub mod range;
pub mod real;
pub mod rules;
pub mod store;
pub mod tanh_sinh;
pub mod trapezoid;
pub mod walk;
