//! A region, its rule, and how its points are dealt out.
//!
//! A *plane* is all points of a region that differ in the first two coordinates alone. A lane takes
//! a plane at a time, a warp a *chunk* of planes: how many depends on the region, so that its sums
//! have the same bits on every grid.

use bytemuck::{Pod, Zeroable};

use crate::LANES;

/// The fewest dimensions,
pub const MIN_DIMENSIONS: usize = 2;
/// and the most.
pub const MAX_DIMENSIONS: usize = 10;

/// The fewest nodes of an axis,
pub const MIN_NODES: usize = 5;
/// and the most.
pub const MAX_NODES: usize = 24;

/// Coefficients of an axis that are summed: those of the highest degrees that its nodes tell.
pub const COEFFICIENTS: usize = 4;

/// Numbers of a node: its place in -1..1, its share of the weights, and for each coefficient, from
/// the highest degree n - 1 down, (2 m + 1) P_m there, m being the degree.
pub const NODE: usize = 2 + COEFFICIENTS;

/// Sums of a region: the integral and that of the magnitude, the coefficients axis by axis, the
/// largest magnitude of a plane with the plane's number, and what lines along the axes tell.
pub const SUMS: usize = LINES + MAX_DIMENSIONS * LINE;
/// Where the coefficients begin among them,
pub const FIRST: usize = 2;
/// where the plane is,
pub const BEST: usize = FIRST + MAX_DIMENSIONS * COEFFICIENTS;
/// and the lines.
pub const LINES: usize = BEST + 2;

/// Numbers of an axis' lines. Of that through the largest point, in units of the magnitude that its
/// finest rule sees: what the region's rule is off, the larger of the last two coefficients that it
/// tells, and the largest of the first [`BEYOND`] that it errs by. Of those [beside](super::beside) it,
/// between -1 and 1: the mean of how far the rule is off, the part of it on lines that are rough, and
/// the mean of what the rule lacks, where the signs count.
pub const LINE: usize = 6;
/// So many.
pub const BEYOND: u32 = 6;

/// Numbers of an axis' plan: where to cut, and the decay of the coefficients in bits a degree, with
/// a minus where the cut is worth it.
pub const PLAN: usize = 2;

/// What lines are for: what a rule lacks, behind the rule,
pub const LACKS: u32 = 0;
/// plans,
pub const PLANS: u32 = 1;
/// and what a rule lacks on other lines beside it.
pub const AGAIN: u32 = 2;
/// What a purpose has more for each region that comes first, behind its rule.
pub const BEHIND: u32 = 4;

/// Warps of a block that sums, a chunk each; and of one that looks along lines.
pub const WARPS: u32 = 2;
/// Warps that plan an axis: of what is on both sides of a cut.
pub const SIDES: u32 = 2;
const _: () = assert!(SIDES == WARPS, "they are a block");
/// And of one that sums a chunk together: each warp has every so many of its rows.
pub const TEAM: u32 = 4;

/// Lanes that add up a sum of a region's chunks.
pub const ADDERS: u32 = 8;
const _: () = assert!((LINES as u32 * ADDERS).is_multiple_of(LANES), "whole warps");

/// The most planes of a region.
pub const MAX_PLANES: u64 = 1 << 31;

/// The fewest chunks of many planes, and the most of all.
const CHUNKS: [u32; 2] = [8, 2048];
/// Planes that a lane takes at most where the chunks are not the most.
const ROW: u32 = 8;

/// How many nodes' numbers stand before those of the rule of `nodes`.
pub const fn nodes_before(nodes: u32) -> u32 {
    (nodes * (nodes - 1) - (MIN_NODES * (MIN_NODES - 1)) as u32) / 2
}

/// Nodes of a line's rule: two a lane;
pub const FINE_NODES: u32 = 2 * LANES;
/// and where lines are looked at again: where there are twice as many lines, of half the nodes each, more is
/// seen.
pub const LOOK_NODES: u32 = LANES;
/// Where in the table of all nodes those of looks again begin,
pub const LOOK: usize = nodes_before(MAX_NODES as u32 + 1) as usize * NODE;
/// and those of other lines.
pub const FINE: usize = LOOK + NODE * LOOK_NODES as usize;

/// The degrees of the coefficients of a line's rule of so many nodes: the last ones, and those half way.
pub const fn tails(nodes: u32) -> [u32; COEFFICIENTS] {
    [nodes - 1, nodes - 2, nodes / 2, nodes / 2 - 1]
}

/// A line is rough where its last coefficients are more than this of those half way,
pub const ROUGH: f64 = 1.0 / 32.0;
/// and of the magnitude.
pub const ROUGH_NOISE: f64 = 1.0 / (1u64 << 43) as f64;

/// Numbers of the table.
pub const TABLE: usize = FINE + NODE * FINE_NODES as usize;

/// A box, its rule, and its part of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Region {
    /// Its middle,
    pub centre: [f64; MAX_DIMENSIONS],
    /// and how far it goes from there, in each direction.
    pub half: [f64; MAX_DIMENSIONS],
    /// By plans: the error that an axis may have, relative to the magnitude. By those behind a rule: the
    /// relative tolerance.
    pub goal: f64,
    /// Which of the launch's parameters are its integrand's.
    pub member: u64,
    /// Nodes of each axis.
    pub nodes: [u32; MAX_DIMENSIONS],
    /// By rules: the first of its chunks. By looks again: how many.
    pub first: u32,
    /// By rules: all its planes. By plans: the plane in which lines are looked for. By looks again: the
    /// first. By plans behind a rule, the bits of the absolute tolerance are in `first` and `plane`.
    pub plane: u32,
}

// SAFETY: zeros are a value of every field.
unsafe impl Zeroable for Region {}
// SAFETY: 22 numbers of 8 bytes and 12 of 4 bytes: nothing lies between them, nor behind them.
unsafe impl Pod for Region {}

/// Planes of a region that a lane takes one after the other.
pub const fn row(planes: u32) -> u32 {
    let few = planes / (LANES * CHUNKS[0]);
    let few = if few < 1 {
        1
    } else if few > ROW {
        ROW
    } else {
        few
    };
    let many = planes.div_ceil(LANES * CHUNKS[1]);
    if few > many { few } else { many }
}

/// Chunks of a region.
pub const fn chunks(planes: u32) -> u32 {
    planes.div_ceil(LANES * row(planes))
}
