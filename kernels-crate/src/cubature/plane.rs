//! A plane: all points of a region's rule that differ in the first two coordinates alone. A lane adds it up,
//! line by line.

use cuda_std::GpuFloat;

use super::integrand::{Integrand, Parameters};
use super::node::{node, number, place};
use super::region::{COEFFICIENTS, MAX_DIMENSIONS, Region};

/// What a launch sums.
#[derive(Clone, Copy)]
pub struct Request {
    /// The regions, of ascending first chunks.
    pub regions: *const Region,
    /// How many.
    pub count: u32,
    /// Chunks of all of them.
    pub chunks: u32,
    /// Of the integral.
    pub dimensions: u32,
    /// Numbers of all nodes.
    pub table: *const f64,
    /// Of the integrand, a member's each.
    pub parameters: *const Parameters,
    /// [`SUMS`](super::region::SUMS) a chunk.
    pub partials: *mut f64,
}

impl Request {
    /// Those of a region's member.
    ///
    /// # Safety
    /// There are as many.
    #[inline(always)]
    unsafe fn parameters_of(&self, region: &Region) -> &Parameters {
        // SAFETY: the caller's.
        unsafe { &*self.parameters.add(region.member as usize) }
    }
}

/// What a plane adds to the sums.
#[derive(Clone, Copy)]
pub(super) struct Weighted {
    pub(super) value: f64,
    /// Less than 0 where there is no plane.
    pub(super) magnitude: f64,
    pub(super) weight: f64,
    /// The nodes of the axes from the third one on, a byte each.
    pub(super) indices: u64,
    /// Of the first two axes, without the weight.
    pub(super) coefficients: [[f64; COEFFICIENTS]; 2],
}

impl Weighted {
    /// Of no plane.
    pub(super) const NONE: Self = Self {
        value: 0.0,
        magnitude: -1.0,
        weight: 0.0,
        indices: 0,
        coefficients: [[0.0; COEFFICIENTS]; 2],
    };
    /// Its numbers.
    pub(super) const NUMBERS: u32 = 4 + 2 * COEFFICIENTS as u32;

    /// That of this number.
    ///
    /// # Safety
    /// As `sum` of rules; there is such a plane.
    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "an iterator would put the arrays into memory"
    )]
    pub(super) unsafe fn of<I: Integrand>(request: &Request, region: &Region, plane: u32) -> Self {
        let (table, dimensions) = (request.table, request.dimensions as usize);
        let mut x = [0.0; MAX_DIMENSIONS];
        let (mut left, mut weight, mut indices) = (plane, 1.0, 0);
        // SAFETY: the caller's, whose planes are as many as the nodes of the other axes.
        unsafe {
            for k in 2..MAX_DIMENSIONS {
                if k < dimensions {
                    let count = region.nodes[k];
                    let index = left % count;
                    left /= count;
                    let node = node(table, count, index);
                    x[k] = place(region, k, node);
                    weight *= number(node, 1) * region.half[k];
                    indices |= u64::from(index) << (8 * (k - 2));
                }
            }
            let of = of_plane::<I>(request, region, &mut x);
            Self {
                value: of.value * weight,
                magnitude: of.magnitude * weight,
                weight,
                indices,
                coefficients: of.coefficients,
            }
        }
    }
}

/// Sums of a plane.
struct OfPlane {
    value: f64,
    magnitude: f64,
    coefficients: [[f64; COEFFICIENTS]; 2],
}

/// The points of a plane, whose other coordinates are there.
///
/// # Safety
/// As [`Weighted::of`].
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an iterator would put the arrays into memory"
)]
unsafe fn of_plane<I: Integrand>(
    request: &Request,
    region: &Region,
    x: &mut [f64; MAX_DIMENSIONS],
) -> OfPlane {
    let (table, dimensions) = (request.table, request.dimensions as usize);
    let mut plane = OfPlane {
        value: 0.0,
        magnitude: 0.0,
        coefficients: [[0.0; COEFFICIENTS]; 2],
    };
    // SAFETY: the caller's.
    let parameters = unsafe { request.parameters_of(region) };
    let [across, along] = [region.nodes[1], region.nodes[0]];
    let mut line = 0;
    while line < across {
        let of_line = node(table, across, line);
        let (mut value, mut magnitude) = (0.0, 0.0);
        let mut coefficients = [0.0; COEFFICIENTS];
        // SAFETY: the caller's.
        unsafe {
            x[1] = place(region, 1, of_line);
            let mut point = 0;
            while point < along {
                let at = node(table, along, point);
                x[0] = place(region, 0, at);
                let part = I::at(x, dimensions, parameters) * number(at, 1);
                value += part;
                magnitude += GpuFloat::abs(part);
                for m in 0..COEFFICIENTS {
                    coefficients[m] = part.mul_add(number(at, 2 + m), coefficients[m]);
                }
                point += 1;
            }
            let weight = number(of_line, 1) * (region.half[0] * region.half[1]);
            value *= weight;
            plane.value += value;
            plane.magnitude += magnitude * weight;
            for m in 0..COEFFICIENTS {
                let first = coefficients[m].mul_add(weight, plane.coefficients[0][m]);
                let second = value.mul_add(number(of_line, 2 + m), plane.coefficients[1][m]);
                plane.coefficients[0][m] = first;
                plane.coefficients[1][m] = second;
            }
        }
        line += 1;
    }
    plane
}
