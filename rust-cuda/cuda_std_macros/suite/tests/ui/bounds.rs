use cuda_std::{kernel, launch_bounds};

#[kernel]
#[launch_bounds(256, 2, 3)]
pub unsafe fn too_many(n: u32) {}

#[kernel]
#[launch_bounds(256)]
#[max_registers(64)]
pub unsafe fn both(n: u32) {}

#[kernel]
#[cluster]
pub unsafe fn none(n: u32) {}

#[kernel]
#[launch_bounds(256usize)]
pub unsafe fn wrong_type(n: u32) {}

#[launch_bounds(256)]
pub fn not_a_kernel() {}

fn main() {}
