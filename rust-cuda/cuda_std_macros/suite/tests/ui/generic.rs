use cuda_std::kernel;

#[kernel]
pub unsafe fn by_type<T: Copy>(out: *mut T) {}

#[kernel]
pub unsafe fn by_const<const N: usize>(out: *mut [f32; N]) {}

#[kernel]
pub unsafe fn by_impl(out: impl Copy) {}

fn main() {}
