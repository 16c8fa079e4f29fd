//! Nodes of rules, in the table that the host makes.

use cuda_std::GpuFloat;

use super::region::{NODE, Region, nodes_before};

/// The numbers of a node of a rule.
#[inline(always)]
pub(super) fn node(table: *const f64, nodes: u32, index: u32) -> *const f64 {
    table.wrapping_add((nodes_before(nodes) + index) as usize * NODE)
}

/// A number of a node.
///
/// # Safety
/// It is in the table.
#[inline(always)]
pub(super) unsafe fn number(node: *const f64, index: usize) -> f64 {
    // SAFETY: the caller's.
    unsafe { *node.add(index) }
}

/// Where a node is on an axis.
///
/// # Safety
/// As [`number`].
#[inline(always)]
pub(super) unsafe fn place(region: &Region, axis: usize, node: *const f64) -> f64 {
    // SAFETY: the caller's.
    unsafe { GpuFloat::mul_add(region.half[axis], number(node, 0), region.centre[axis]) }
}
