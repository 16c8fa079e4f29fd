use cuda_std::kernel;

pub struct Owned {
    value: u32,
}

#[kernel]
pub unsafe fn by_value(owned: Owned, out: *mut u32) {
    unsafe { *out = owned.value };
}

#[kernel]
pub unsafe fn vector(values: Vec<f32>) {}

fn main() {}
