//! The sums: what a thread does.

#[cfg_attr(test, allow(unused_imports, reason = "a test has std's functions"))]
use cuda_std::GpuFloat;
use cuda_std::thread;

/// Strip `i`: its height divided by the strips, every operation rounded to f32.
#[inline(always)]
fn term(i: u32, strips: f32) -> f32 {
    let x = i as f32 / strips;
    GpuFloat::sqrt(1.0 - x * x) / strips
}

/// Kahan's: what an addition lost is taken off the next term.
///
/// # Safety
/// `partials` holds an element for every thread.
#[inline(always)]
pub unsafe fn kahan(partials: *mut f32, count: u32, strips: f32) {
    let thread = thread::index_1d();
    let first = thread * count;
    let (mut sum, mut excess) = (0.0, 0.0);
    for i in 0..count {
        let corrected = term(first + i, strips) - excess;
        let next = sum + corrected;
        excess = (next - sum) - corrected;
        sum = next;
    }
    // SAFETY: the caller's.
    unsafe { *partials.add(thread as usize) = sum };
}

/// Of pairs: digit k of a binary counter of the terms is the sum of 2^k of them, and a carry
/// adds two such sums. What is left in the end is added from the lowest digit up.
///
/// # Safety
/// `partials` holds an element for every thread.
#[inline(always)]
pub unsafe fn pairwise(partials: *mut f32, count: u32, strips: f32) {
    let thread = thread::index_1d();
    let first = thread * count;
    let term = |i: u32| term(first + i, strips);
    let mut digits = [0.0_f32; 32];
    // Spelled out digit by digit: what is indexed by constants stays in registers.
    macro_rules! carry_on {
        ($carry:ident, $last:ident; $k:literal) => {
            digits[$k] = $carry;
        };
        ($carry:ident, $last:ident; $k:literal $($higher:literal)+) => {
            if $last >> $k & 1 == 0 {
                digits[$k] = $carry;
            } else {
                $carry += digits[$k];
                carry_on!($carry, $last; $($higher)+);
            }
        };
    }
    // Eight terms at a time, whose three carries are known.
    for group in 0..count / 8 {
        let i = 8 * group;
        let pair = |i: u32| term(i) + term(i + 1);
        let four = |i: u32| pair(i) + pair(i + 2);
        let (last, mut carry) = (i + 7, four(i) + four(i + 4));
        carry_on!(carry, last;
            3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    }
    for last in count / 8 * 8..count {
        let mut carry = term(last);
        carry_on!(carry, last; 0 1 2);
    }
    let mut sum = 0.0;
    macro_rules! add_what_is_left {
        ($($k:literal)*) => {$(
            if count >> $k & 1 == 1 {
                sum += digits[$k];
            }
        )*};
    }
    add_what_is_left!(
        0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
        16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
    );
    // SAFETY: the caller's.
    unsafe { *partials.add(thread as usize) = sum };
}

/// In two f32, the rounded sum and the rest.
///
/// # Safety
/// `partials` holds an element for every thread.
#[inline(always)]
pub unsafe fn double_float(partials: *mut [f32; 2], count: u32, strips: f32) {
    let thread = thread::index_1d();
    let first = thread * count;
    let (mut high, mut low) = (0.0, 0.0);
    for i in 0..count {
        let term = term(first + i, strips);
        // Knuth's two_sum: `sum + rest` is exactly `high + term`.
        let sum = high + term;
        let term_in_sum = sum - high;
        let rest = (high - (sum - term_in_sum)) + (term - term_in_sum);
        // Dekker's fast form moves what fits of both rests into the sum.
        let rest = rest + low;
        high = sum + rest;
        low = rest - (high - sum);
    }
    // SAFETY: the caller's.
    unsafe { *partials.add(thread as usize) = [high, low] };
}
