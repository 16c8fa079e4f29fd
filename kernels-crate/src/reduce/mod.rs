//! Device-wide reduction: all elements of an array combined to one, in their order, by
//! any associative operator.
//!
//! [`device`] and [`one_block`] are generic functions; [`reduce_kernels!`](crate::reduce_kernels)
//! makes the entries for an operator. What is common: [`vectors`] (how an array is read),
//! [`tile`] (how a warp combines it), [`share`] (who has which part).

pub mod device;
pub mod one_block;
pub mod share;
pub mod tile;
pub mod vectors;

use cuda_std::grid;

use crate::operator::Operator;

/// Bit of a reduction's `flags`: `initial` stands before the first element.
pub const HAS_INITIAL: u32 = 1 << 1;

/// What a reduction is asked for: its kernel's parameters.
pub struct Request<O: Operator> {
    /// The elements.
    pub input: *const O::Input,
    /// One result.
    pub output: *mut O::Output,
    /// How many elements.
    pub n: u64,
    /// What the result of no elements is; with [`HAS_INITIAL`] it also stands before the
    /// first one.
    pub initial: O::Accumulator,
    /// [`HAS_INITIAL`].
    pub flags: u32,
    /// Words that blocks tell each other their totals by, [`status`](crate::scan::status).
    pub scratch: *mut u64,
    /// How many of them.
    pub words: u64,
}

impl<O: Operator> Request<O> {
    /// The request of a launch, once the launches before it are done: `count`, where
    /// there is one, says how many elements there are, up to `n`.
    ///
    /// # Safety
    /// `count` is null, or points to a number in global memory.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "a launch has them")]
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

    /// Tiles of `R` rows of `E` elements a lane. There are fewer than 2^32: a tile has
    /// 512 bytes at least.
    #[inline(always)]
    fn tiles<const R: usize, const E: usize>(&self) -> u32 {
        self.n.div_ceil(tile::elements(R, E)) as u32
    }

    /// Writes the result: `total`, where there are elements.
    ///
    /// # Safety
    /// The output is the request's, and one thread calls it.
    #[inline(always)]
    unsafe fn deliver(&self, total: O::Accumulator, is_any: bool) {
        let result = if !is_any {
            self.initial
        } else if self.flags & HAS_INITIAL != 0 {
            O::combine(self.initial, total)
        } else {
            total
        };
        // SAFETY: the caller's.
        unsafe { *self.output = O::finish(result) };
    }
}

/// Makes the kernels of reductions: `name: Operator;` makes `reduce_name` and
/// `reduce_one_block_name`.
#[macro_export]
macro_rules! reduce_kernels {
    ($($name:ident: $operator:ty;)*) => {$(
        $crate::reduce_entry! {
            /// Reduces an array of any size; see `reduce::device`.
            reduce_ $name: $operator, device::reduce, 0, 8, 8
        }
        $crate::reduce_entry! {
            /// Reduces an array by one block; see `reduce::one_block`.
            reduce_one_block_ $name: $operator, one_block::reduce, 0, 2
        }
    )*};
}

/// One entry of [`reduce_kernels!`](crate::reduce_kernels): the constants are those of
/// the algorithm up to the rows of a tile.
#[doc(hidden)]
#[macro_export]
macro_rules! reduce_entry {
    ($(#[$doc:meta])* $prefix:ident $name:ident: $operator:ty, $algorithm:ident::reduce, $($constant:expr),*) => {
        $crate::pastey::paste! {
            $(#[$doc])*
            ///
            /// # Safety
            /// See the function `reduce` there.
            #[::cuda_std::kernel]
            #[allow(clippy::too_many_arguments, reason = "a launch has them")]
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
                    let request = $crate::reduce::Request::<$operator>::begin(
                        input, output, n, count, initial, flags, scratch, words,
                    );
                    $crate::reduce::$algorithm::reduce::<
                        $operator,
                        $({ $constant },)*
                        { $crate::reduce::vectors::vectors_of::<<$operator as $crate::operator::Operator>::Input>() },
                        { $crate::reduce::vectors::elements_of::<<$operator as $crate::operator::Operator>::Input>() },
                    >(request);
                }
            }
        }
    };
}

reduce_kernels! {
    sum_u32: crate::operator::Sum<u32>;
    sum_u64: crate::operator::Sum<u64>;
    sum_f32: crate::operator::Sum<f32>;
    sum_f64: crate::operator::Sum<f64>;
}
