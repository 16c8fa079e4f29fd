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
    /// [`Integrand::IS_SHORT`].
    pub is_short: bool,
    entries: &'static [&'static str],
    text: &'static [&'static str],
}

impl<R: Real> Kernels<R> {
    /// The kernels of `I`.
    ///
    /// # Safety
    ///
    /// The entries are those that [`integrand_kernels!`](crate::integrand_kernels) made for `I` in `R`.
    pub const unsafe fn new<I: Integrand<R>>(
        name: &'static str,
        formula: &'static str,
        parameters: &'static [&'static str],
        entries: &'static [&'static str],
        text: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            formula,
            parameters,
            limits: I::LIMITS,
            breaks: I::BREAKS,
            break_point: I::break_point,
            eval_at: I::eval_at,
            is_short: I::IS_SHORT,
            entries,
            text,
        }
    }

    /// The entry of its kernel by a rule: `composite`, `adaptive` or `tanh_sinh`. None where it has no
    /// kernel of its own.
    pub fn entry(&self, rule: &str) -> Option<&'static str> {
        let is_of = |entry: &&&str| {
            let name = entry.strip_prefix(rule);
            name.is_some_and(|name| name.starts_with('_'))
        };
        self.entries.iter().find(is_of).copied()
    }

    /// Its formula, by which rules without a kernel integrate it; none where all have one.
    pub fn text(&self) -> Option<&'static str> {
        self.text.first().copied()
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
