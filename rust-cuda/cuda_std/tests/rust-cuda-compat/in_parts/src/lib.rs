//! Kernels that a macro writes, for each type in a part of its own, and one in none.
use cuda_std::{kernel, thread};

macro_rules! kernels_of {
    ($part:ident, $type:ty: $double:ident, $square:ident) => {
        #[kernel]
        #[part($part)]
        pub unsafe fn $double(out: *mut $type) {
            let at = unsafe { out.add(thread::index_1d() as usize) };
            unsafe { *at += *at };
        }

        #[kernel]
        #[cfg_attr(all(), part($part))]
        pub unsafe fn $square(out: *mut $type) {
            let at = unsafe { out.add(thread::index_1d() as usize) };
            unsafe { *at *= *at };
        }
    };
}

kernels_of!(of_f32, f32: double_f32, square_f32);
kernels_of!(of_f64, f64: double_f64, square_f64);

#[kernel]
pub unsafe fn clear(out: *mut u32) {
    unsafe { *out.add(thread::index_1d() as usize) = 0 };
}
