//! What a host has to know of an integrand to launch its kernels and to evaluate it. The
//! launches themselves are `quadscan::integrate`'s.

use super::integrand::{Integrand, Parameters, Point};
use super::real::Real;

/// An integrand in one kind of numbers, and its kernels.
#[derive(Clone, Copy, Debug)]
pub struct Kernels<R: Real> {
    /// What it is called: the name in its kernels' names.
    pub name: &'static str,
    /// What it is, in words for a list.
    pub formula: &'static str,
    /// What its parameters are called.
    pub parameters: &'static [&'static str],
    /// [`Integrand::LIMITS`].
    pub limits: (R, R),
    /// [`Integrand::BREAKS`].
    pub breaks: usize,
    /// [`Integrand::break_point`].
    pub break_point: fn(usize, &Parameters<R>) -> R,
    /// [`Integrand::eval_at`].
    pub eval_at: fn(Point<R>, &Parameters<R>) -> R,
    /// The entry of [`composite`](super::composite).
    composite: &'static str,
    /// The entry of [`adaptive`](super::adaptive).
    adaptive: &'static str,
    /// The entry of [`tanh_sinh`](super::tanh_sinh).
    tanh_sinh: &'static str,
}

impl<R: Real> Kernels<R> {
    /// The kernels of `I`.
    ///
    /// # Safety
    ///
    /// The last three are entries that [`integrand_kernels!`](crate::integrand_kernels) made
    /// for `I` in `R`, of these rules.
    pub const unsafe fn new<I: Integrand<R>>(
        name: &'static str,
        formula: &'static str,
        parameters: &'static [&'static str],
        composite: &'static str,
        adaptive: &'static str,
        tanh_sinh: &'static str,
    ) -> Self {
        Self {
            name,
            formula,
            parameters,
            limits: I::LIMITS,
            breaks: I::BREAKS,
            break_point: I::break_point,
            eval_at: I::eval_at,
            composite,
            adaptive,
            tanh_sinh,
        }
    }

    /// The entry of the kernel of composite rules.
    pub const fn composite(&self) -> &'static str {
        self.composite
    }

    /// The entry of the kernel of adaptive rules.
    pub const fn adaptive(&self) -> &'static str {
        self.adaptive
    }

    /// The entry of the kernel of tanh-sinh rules.
    pub const fn tanh_sinh(&self) -> &'static str {
        self.tanh_sinh
    }
}

/// An integrand whose kernels some PTX has. Implemented by
/// [`integrands!`](crate::integrands).
#[diagnostic::on_unimplemented(
    message = "no kernels integrate `{Self}` in `{R}`",
    note = "`quadscan_kernels::integrands!` in a crate of kernels makes them"
)]
pub trait IntegrandKernels<R: Real>: Integrand<R> {
    /// They.
    const KERNELS: Kernels<R>;
}

/// An integrand in both kinds of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// In `f32`.
    pub f32: Kernels<f32>,
    /// In `f64`.
    pub f64: Kernels<f64>,
}

/// A function that is a formula (`quadscan::integrate::Formula`), with limits of its own.
#[derive(Clone, Copy, Debug)]
pub struct NamedFormula {
    /// What it is called.
    pub name: &'static str,
    /// What it is, in words for a list.
    pub formula: &'static str,
    /// The formula's text.
    pub text: &'static str,
    /// The limits that it is known for.
    pub limits: (f64, f64),
    /// What its parameters are called, in their order.
    pub parameters: &'static [&'static str],
}
