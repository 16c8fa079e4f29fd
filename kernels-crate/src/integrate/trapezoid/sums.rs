//! The sums: what a thread does.

#[cfg_attr(test, allow(unused_imports, reason = "a test has std's functions"))]
use cuda_std::GpuFloat;
use cuda_std::thread;

/// Sums `count` terms from left to right; `next` gives one term after the other.
///
/// Four terms are in flight at a time: their square roots do not depend on each
/// other, their sum does and is taken in order. Four names, not an array, so that
/// they stay in registers.
#[inline(always)]
fn sum_in_order<F: Copy + core::ops::AddAssign>(
    zero: F,
    count: u32,
    mut next: impl FnMut() -> F,
) -> F {
    let mut sum = zero;
    let mut left = count;
    while left >= 4 {
        let (a, b, c, d) = (next(), next(), next(), next());
        sum += a;
        sum += b;
        sum += c;
        sum += d;
        left -= 4;
    }
    while left > 0 {
        sum += next();
        left -= 1;
    }
    sum
}

/// Heights at x, x + step, x + 2 step, ...: exact for a step of 2^-p.
#[inline(always)]
fn dyadic_heights(first: u32, step: f64) -> impl FnMut() -> f64 {
    let mut x = f64::from(first) * step;
    move || {
        let height = GpuFloat::sqrt(x.mul_add(-x, 1.0));
        x += step;
        height
    }
}

/// Heights at i / strips, i = first, first + 1, ...
#[inline(always)]
fn heights(first: u32, strips: f64) -> impl FnMut() -> f64 {
    let mut i = first;
    move || {
        let x = f64::from(i) / strips;
        i += 1;
        (1.0 - x * x).sqrt()
    }
}

/// In f64; any number of strips.
///
/// # Safety
/// `partials` holds an element for every thread.
#[inline(always)]
pub unsafe fn f64_in_order(partials: *mut f64, count: u32, strips: f64) {
    let thread = thread::index_1d();
    let mut height = heights(thread * count, strips);
    let sum = sum_in_order(0.0, count, || height() / strips);
    // SAFETY: the caller's.
    unsafe { *partials.add(thread as usize) = sum };
}

/// In f64; strips = 2^p, `step` = 2^-p.
///
/// # Safety
/// `partials` holds an element for every thread.
#[inline(always)]
pub unsafe fn f64_dyadic(partials: *mut f64, count: u32, step: f64) {
    let thread = thread::index_1d();
    let sum = sum_in_order(0.0, count, dyadic_heights(thread * count, step));
    // SAFETY: the caller's.
    unsafe { *partials.add(thread as usize) = sum * step };
}

/// In f32, of the integrand in f64; any number of strips.
///
/// # Safety
/// `partials` holds an element for every thread.
#[inline(always)]
pub unsafe fn f32_in_order(partials: *mut f32, count: u32, strips: f64) {
    let thread = thread::index_1d();
    let mut height = heights(thread * count, strips);
    let sum = sum_in_order(0.0, count, || height() as f32 / strips as f32);
    // SAFETY: the caller's.
    unsafe { *partials.add(thread as usize) = sum };
}

/// In f32, of the integrand in f64; strips = 2^p, `step` = 2^-p.
///
/// # Safety
/// `partials` holds an element for every thread.
#[inline(always)]
pub unsafe fn f32_dyadic(partials: *mut f32, count: u32, step: f64) {
    let thread = thread::index_1d();
    let mut height = dyadic_heights(thread * count, step);
    let sum = sum_in_order(0.0, count, || height() as f32);
    // SAFETY: the caller's.
    unsafe { *partials.add(thread as usize) = sum * step as f32 };
}

/// Everything in f32; any number of strips.
///
/// # Safety
/// `partials` holds an element for every thread.
#[inline(always)]
pub unsafe fn f32_pure(partials: *mut f32, count: u32, strips: f32) {
    let thread = thread::index_1d();
    let mut i = thread * count;
    let sum = sum_in_order(0.0, count, || {
        let x = i as f32 / strips;
        i += 1;
        (1.0 - x * x).sqrt() / strips
    });
    // SAFETY: the caller's.
    unsafe { *partials.add(thread as usize) = sum };
}

/// Everything in f32; strips = 2^p, `step` = 2^-p.
///
/// # Safety
/// `partials` holds an element for every thread.
#[inline(always)]
pub unsafe fn f32_pure_dyadic(partials: *mut f32, count: u32, step: f32) {
    let thread = thread::index_1d();
    let mut i = thread * count;
    let sum = sum_in_order(0.0, count, || {
        let x = i as f32 * step;
        i += 1;
        (1.0 - x * x).sqrt()
    });
    // SAFETY: the caller's.
    unsafe { *partials.add(thread as usize) = sum * step };
}
