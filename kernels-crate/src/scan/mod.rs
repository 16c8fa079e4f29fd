//! Device-wide prefix scan: any number of elements, any associative operator.
//!
//! One algorithm a file, each a generic function; [`scan_kernels!`](crate::scan_kernels)
//! makes the entries for an operator. What is common: [`items`] (a lane's elements),
//! [`lanes`] (a warp's values), [`status`] (what blocks tell each other).

// Arrays are to stay in registers: that takes constant indices, and by-value iterators
// have none.
#![allow(clippy::needless_range_loop)]

pub mod blelloch;
pub mod chain;
pub mod decoupled_lookback;
pub mod hillis_steele;
pub mod items;
pub mod lanes;
pub mod lookahead;
pub mod one_block;
pub mod one_wave;
pub mod reduce_then_scan;
pub mod rows;
pub mod segment;
pub mod status;
pub mod textbook;
pub mod tile;

use cuda_std::grid;

use crate::operator::Operator;

/// Bit of a scan's `flags`: element i of the result is without element i of the input.
pub const EXCLUSIVE: u32 = 1;
/// Bit of a scan's `flags`: `initial` stands before the first element.
pub const HAS_INITIAL: u32 = 2;

/// What a scan is asked for: its kernel's parameters.
pub struct Request<O: Operator> {
    /// The elements.
    pub input: *const O::Input,
    /// As many results; may be `input`.
    pub output: *mut O::Output,
    /// How many elements.
    pub n: u64,
    /// What stands before the first, when the flags say so.
    pub initial: O::Accumulator,
    /// [`EXCLUSIVE`], [`HAS_INITIAL`].
    pub flags: u32,
    /// Words that tiles tell each other their totals by, [`status`].
    pub scratch: *mut u64,
    /// How many of them.
    pub words: u64,
}

impl<O: Operator> Clone for Request<O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: Operator> Copy for Request<O> {}

impl<O: Operator> Request<O> {
    /// The request of a launch, once the launches before it are done: `count`, where
    /// there is one, says how many elements there are, up to `n`.
    ///
    /// # Safety
    /// `count` is null, or points to a number in global memory.
    #[inline(always)]
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn begin(
        input: *const O::Input,
        output: *mut O::Output,
        n: u64,
        count: *const u64,
        initial: O::Accumulator,
        flags: u32,
        scratch: *mut u64,
        words: u64,
    ) -> Self {
        grid::allow_next();
        grid::wait_for_earlier();
        let n = if count.is_null() {
            n
        } else {
            // SAFETY: the caller's.
            n.min(unsafe { *count })
        };
        Self {
            input,
            output,
            n,
            initial,
            flags,
            scratch,
            words,
        }
    }

    /// Whether results are without their own element.
    #[inline(always)]
    pub fn is_exclusive(&self) -> bool {
        self.flags & EXCLUSIVE != 0
    }

    /// Whether something stands before the first element.
    #[inline(always)]
    pub fn has_initial(&self) -> bool {
        self.flags & HAS_INITIAL != 0
    }
}

/// Makes the kernels of scans: `name: Operator;` makes `lookahead_name`, `one_wave_name`
/// and `one_block_name`.
#[macro_export]
macro_rules! scan_kernels {
    ($($name:ident: $operator:ty;)*) => {$(
        $crate::scan_entry! {
            /// Scans a large array; see `lookahead`.
            lookahead_ $name: $operator, lookahead::scan::<$operator, {28 * 4 / size_of::<<$operator as $crate::operator::Operator>::Input>()}, 7, 7, 9, 4, 2, false>
        }
        $crate::scan_entry! {
            /// Scans a middling array; see `one_wave`.
            one_wave_ $name: $operator, one_wave::scan::<$operator, 16, 2, {16 / size_of::<<$operator as $crate::operator::Operator>::Input>()}, 1, 1>
        }
        $crate::scan_entry! {
            /// Scans a small array; see `one_wave`.
            one_wave_small_ $name: $operator, one_wave::scan::<$operator, 8, 1, {16 / size_of::<<$operator as $crate::operator::Operator>::Input>()}, 1, 1>
        }
        $crate::scan_entry! {
            /// Scans an array of one block; see `one_block`.
            one_block_ $name: $operator, one_block::scan::<$operator, 32, 2, {16 / size_of::<<$operator as $crate::operator::Operator>::Input>()}, 1, 1>
        }
    )*};
}

/// One entry of [`scan_kernels!`](crate::scan_kernels).
#[doc(hidden)]
#[macro_export]
macro_rules! scan_entry {
    ($(#[$doc:meta])* $prefix:ident $name:ident: $operator:ty, $($algorithm:tt)*) => {
        $crate::pastey::paste! {
            $(#[$doc])*
            ///
            /// # Safety
            /// See the function of the same name.
            #[::cuda_std::kernel]
            #[cfg(any(not(target_os = "cuda"), target_feature = "sm_90"))]
            #[allow(clippy::too_many_arguments)]
            pub unsafe fn [<$prefix $name>](
                input: *const <$operator as $crate::operator::Operator>::Input,
                output: *mut <$operator as $crate::operator::Operator>::Output,
                n: u64,
                count: *const u64,
                initial: <$operator as $crate::operator::Operator>::Accumulator,
                flags: u32,
                scratch: *mut u64,
                words: u64,
            ) {
                // SAFETY: the kernel's own contract.
                unsafe {
                    let request = $crate::scan::Request::<$operator>::begin(
                        input, output, n, count, initial, flags, scratch, words,
                    );
                    $crate::scan::$($algorithm)*(request);
                }
            }
        }
    };
}

scan_kernels! {
    sum_u32: crate::operator::Sum<u32>;
    sum_f32: crate::operator::Sum<f32>;
    sum_f64: crate::operator::Sum<f64>;
}
