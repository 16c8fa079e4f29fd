//! What is integrated: functions of up to 32 real variables, with parameters.

use super::sizes::MAX_DIMENSIONS;
use crate::cubature;

/// A place; beyond the dimensions there are zeros.
pub type Point = [f64; MAX_DIMENSIONS];

/// Two numbers an axis, mostly a difficulty and a place: `[a, u]`.
pub type Parameters = [Point; 2];

/// A function of `dimensions` real variables, in f64. One of cubature
/// ([`cubature::integrand::Integrand`]) is one of these too, of up to ten variables.
pub trait Integrand: 'static {
    /// The most dimensions: up to [`MAX_DIMENSIONS`]. Kernels have code for so many, and the
    /// fewer, the faster they are; they are fastest in exactly as many.
    const MOST: usize;

    /// Whether it is a [formula](super::formula), whose dimensions its PTX has.
    const IS_TYPED: bool = false;

    /// How many dimensions there are, of which a launch is told.
    #[inline(always)]
    fn dimensions(told: u32) -> usize {
        told as usize
    }

    /// The function at a point. What it does once an axis, it does in a loop over a constant number
    /// of axes that leaves out those that are not there, as [`sum`] and [`product`] do: then the
    /// compiler keeps the point in registers.
    fn at(x: &Point, dimensions: usize, parameters: &Parameters) -> f64;
}

impl<I: cubature::integrand::Integrand> Integrand for I {
    const MOST: usize = cubature::region::MAX_DIMENSIONS;

    #[inline(always)]
    fn at(x: &Point, dimensions: usize, [a, u]: &Parameters) -> f64 {
        let parameters = [narrow(a), narrow(u)];
        <I as cubature::integrand::Integrand>::at(&narrow(x), dimensions, &parameters)
    }
}

/// The first numbers of a point, as many as cubature has.
#[inline(always)]
fn narrow(x: &Point) -> cubature::integrand::Point {
    let mut first = [0.0; cubature::region::MAX_DIMENSIONS];
    for (first, x) in first.iter_mut().zip(x) {
        *first = *x;
    }
    first
}

/// The sum of `term` over the axes.
#[inline(always)]
pub fn sum(dimensions: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut sum = 0.0;
    for k in 0..MAX_DIMENSIONS {
        if k < dimensions {
            sum += term(k);
        }
    }
    sum
}

/// The product of `factor` over the axes.
#[inline(always)]
pub fn product(dimensions: usize, factor: impl Fn(usize) -> f64) -> f64 {
    let mut product = 1.0;
    for k in 0..MAX_DIMENSIONS {
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
    /// The fewest dimensions that they integrate over,
    pub least: usize,
    /// and the most: [`Integrand::MOST`].
    pub most: usize,
    /// [`Integrand::at`].
    pub at: fn(&Point, usize, &Parameters) -> f64,
    sample: &'static str,
    strata: &'static str,
    lattice: &'static str,
}

impl Kernels {
    /// The kernels of `I`.
    ///
    /// # Safety
    ///
    /// The entries are those that [`monte_carlo_kernels!`](crate::monte_carlo_kernels) made for `I`: of
    /// samples, of the sums of strata, and of lattices.
    pub const unsafe fn new<I: Integrand>(
        name: &'static str,
        [sample, strata, lattice]: [&'static str; 3],
    ) -> Self {
        assert!(0 < I::MOST && I::MOST <= MAX_DIMENSIONS);
        Self {
            name,
            least: 1,
            most: I::MOST,
            at: I::at,
            sample,
            strata,
            lattice,
        }
    }

    /// The same for integrals over boxes of so many dimensions alone.
    #[must_use]
    pub const fn of_dimensions(self, dimensions: usize) -> Self {
        Self {
            least: dimensions,
            most: dimensions,
            ..self
        }
    }

    /// The entry of the kernel of samples.
    pub const fn sample(&self) -> &'static str {
        self.sample
    }

    /// The entry of the kernel that adds up strata.
    pub const fn strata(&self) -> &'static str {
        self.strata
    }

    /// The entry of the kernel of lattices and Sobol points.
    pub const fn lattice(&self) -> &'static str {
        self.lattice
    }
}

/// An integrand whose kernels some PTX has. Implemented by
/// [`monte_carlo_kernels!`](crate::monte_carlo_kernels).
pub trait IntegrandKernels: Integrand {
    /// They.
    const KERNELS: Kernels;
}
