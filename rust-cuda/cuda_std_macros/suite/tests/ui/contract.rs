use cuda_std::{kernel, launch_contract};

#[kernel]
#[launch_contract(n > 0)]
pub unsafe fn reference(n: u32, table: &[u32; 4]) {}

#[kernel]
#[launch_contract(n > 0)]
pub unsafe fn name(grid: *mut u32, n: u32) {}

#[kernel]
#[launch_contract()]
pub unsafe fn empty(n: u32) {}

#[kernel]
#[launch_contract(n)]
pub unsafe fn not_a_condition(n: u32) {}

#[launch_contract(n > 0)]
#[kernel]
pub unsafe fn above(n: u32) {}

fn main() {}
