use cuda_std::kernel;

#[kernel]
pub unsafe fn pattern((a, b): (u32, u32)) {}

#[kernel]
pub unsafe fn text(text: &str) {}

#[kernel]
pub unsafe fn object(object: &dyn Fn()) {}

#[kernel]
pub unsafe fn raw_text(text: *const str) {}

fn main() {}
