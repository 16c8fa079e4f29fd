//! What is integrated: functions of several real variables, with parameters.

use super::region::MAX_DIMENSIONS;

/// A place; beyond the dimensions there are zeros.
pub type Point = [f64; MAX_DIMENSIONS];

/// Two numbers an axis, mostly a difficulty and a place: `[a, u]`.
pub type Parameters = [Point; 2];

/// A function of `dimensions` real variables, in f64.
pub trait Integrand: 'static {
    /// The function at a point. What it does once an axis, it does in a loop over all
    /// [`MAX_DIMENSIONS`] that leaves out those that are not there: then the compiler keeps the
    /// point in registers.
    fn at(x: &Point, dimensions: usize, parameters: &Parameters) -> f64;
}

/// The sum of `term` over the axes, from the last one on: then the sum of all but the first is the
/// same along the axis that a rule's innermost loop goes along.
#[inline(always)]
pub fn sum(dimensions: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for k in (0..MAX_DIMENSIONS).rev() {
        if k < dimensions {
            sum += term(k);
        }
    }
    sum
}

/// The product of `factor` over the axes, from the last one on.
#[inline(always)]
pub fn product(dimensions: usize, factor: impl Fn(usize) -> f64) -> f64 {
    let mut product = 1.0;
    for k in (0..MAX_DIMENSIONS).rev() {
        if k < dimensions {
            product *= factor(k);
        }
    }
    product
}

/// An integrand and its kernels, as a host knows them.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// What it is called: the name in its kernels' names.
    pub name: &'static str,
    /// What it is, in words for a list.
    pub formula: &'static str,
    /// [`Integrand::at`].
    pub at: fn(&Point, usize, &Parameters) -> f64,
    rule: &'static str,
    lines: &'static str,
    combine: &'static str,
}

impl Kernels {
    /// The kernels of `I`, whose name and formula come first.
    ///
    /// # Safety
    ///
    /// The entries are those that [`cubature_integrands!`](crate::cubature_integrands) made for `I`:
    /// of a rule, of lines, and of the sums of chunks.
    pub const unsafe fn new<I: Integrand>(
        [name, formula]: [&'static str; 2],
        [rule, lines, combine]: [&'static str; 3],
    ) -> Self {
        Self {
            name,
            formula,
            at: I::at,
            rule,
            lines,
            combine,
        }
    }

    /// The entry of the kernel of the rule.
    pub const fn rule(&self) -> &'static str {
        self.rule
    }

    /// The entry of the kernel of lines.
    pub const fn lines(&self) -> &'static str {
        self.lines
    }

    /// The entry of the kernel that adds up chunks.
    pub const fn combine(&self) -> &'static str {
        self.combine
    }
}

/// An integrand whose kernels some PTX has. Implemented by
/// [`cubature_integrands!`](crate::cubature_integrands).
pub trait IntegrandKernels: Integrand {
    /// They.
    const KERNELS: Kernels;
}
