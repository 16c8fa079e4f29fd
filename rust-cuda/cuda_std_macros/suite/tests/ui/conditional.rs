use cuda_std::kernel;

#[kernel]
pub unsafe fn parameter(#[cfg(feature = "wide")] out: *mut u32, n: u32) {}

#[kernel]
pub unsafe fn twice(#[cfg_attr(feature = "wide", cfg(test))] out: *mut u32) {}

fn main() {}
