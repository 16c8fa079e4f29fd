//! A kernel a function, over an array: `exp_f64` and so on.
#![no_std]
#![allow(clippy::missing_safety_doc)]
use cuda_std::float::{Addend, LazyFloat, fast};
use cuda_std::{kernel, thread, FloatExt, GpuFloat};

#[macro_use]
mod list;

macro_rules! kernels {
    ($($one:ident)*; $($two:ident)*; $($term:ident)*; $($more:ident)*) => {
        kernels!(f32: $($one)*; $($two)*; $($term)*; $($more)*);
        kernels!(f64: $($one)*; $($two)*; $($term)*; $($more)*);
    };
    ($float:ident: $($one:ident)*; $($two:ident)*; $($term:ident)*; $($more:ident)*) => { pastey::paste! {
        $(#[kernel]
        pub unsafe fn [<$more _ $float>](x: &[$float], y: &[$float], out: *mut $float) {
            let i = thread::index_1d() as usize;
            if i < x.len() && i < y.len() {
                unsafe { *out.add(i) = FloatExt::$more(x[i]) };
            }
        })*
        $(#[kernel]
        pub unsafe fn [<$one _ $float>](x: &[$float], y: &[$float], out: *mut $float) {
            let i = thread::index_1d() as usize;
            if i < x.len() && i < y.len() {
                unsafe { *out.add(i) = GpuFloat::$one(x[i]) };
            }
        })*
        $(#[kernel]
        pub unsafe fn [<$two _ $float>](x: &[$float], y: &[$float], out: *mut $float) {
            let i = thread::index_1d() as usize;
            if i < x.len() && i < y.len() {
                unsafe { *out.add(i) = GpuFloat::$two(x[i], y[i]) };
            }
        })*
        $(#[kernel]
        pub unsafe fn [<$term _ $float>](x: &[$float], y: &[$float], out: *mut $float) {
            let i = thread::index_1d() as usize;
            if i < x.len() && i < y.len() {
                unsafe { *out.add(i) = scaled(x[i].$term(), y[i]) };
            }
        })*
    } };
}

/// One term added to `y`, at its size.
fn scaled<R: LazyFloat, A: Addend<R>>(term: A, y: R) -> R {
    term.add_to(y) * A::SCALE
}

for_each_function!(kernels);

/// The function of `cuda_std::float::fast` that `which` says.
#[kernel]
pub unsafe fn fast_functions(x: &[f32], y: &[f32], which: u32, out: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < x.len() && i < y.len() {
        let (x, y) = (x[i], y[i]);
        let value = match which {
            0 => fast::exp(x),
            1 => fast::exp2(x),
            2 => fast::ln(x),
            3 => fast::log2(x),
            4 => fast::sin(x),
            5 => fast::cos(x),
            6 => fast::tanh(x),
            7 => fast::pow(x, y),
            8 => fast::div(x, y),
            9 => fast::sqrt(x),
            _ => fast::rsqrt(x),
        };
        unsafe { *out.add(i) = value };
    }
}

/// Fast forms, which have other bits on a GPU than elsewhere.
#[kernel]
pub unsafe fn fast_forms(x: f32, y: f64, out: *mut f32, wide: *mut f64) {
    *out = x.fast_sqrt() + x.fast_recip() + x.fast_div(3.0) + fast::exp(x);
    *wide = scaled(y.over(3.0 + y), y) + y.fast_sqrt() + y.fast_recip() + y.fast_div(3.0);
}
