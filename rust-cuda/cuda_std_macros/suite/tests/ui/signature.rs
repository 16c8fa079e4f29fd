use cuda_std::kernel;

#[kernel]
pub fn safe(n: u32) {}

#[kernel]
pub async unsafe fn asynchronous(n: u32) {}

#[kernel]
pub const unsafe fn constant(n: u32) {}

#[kernel]
pub unsafe extern "system" fn foreign(n: u32) {}

#[kernel(256)]
pub unsafe fn arguments(n: u32) {}

#[kernel]
pub unsafe fn method(self) {}

#[kernel]
pub struct NotAFunction;

fn main() {}
