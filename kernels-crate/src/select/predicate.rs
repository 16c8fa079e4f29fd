//! What is selected: predicates, and how a launch hands over their parameters.

use bytemuck::{Pod, Zeroable};
use core::marker::PhantomData;

use crate::operator::Operator;
use crate::scan::words::{MAX_WORDS, to_words, words_of};

/// A predicate's parameter, as a launch hands it over.
pub type Parameter = [u64; 6];

/// What decides whether an element is selected.
///
/// ```
/// # mod kernels {
/// use quadscan_kernels::select::Predicate;
/// use quadscan_kernels::select_kernels;
///
/// /// The points in a circle around the origin, whose radius is the parameter.
/// #[derive(Clone, Copy, Debug)]
/// pub struct InCircle;
///
/// impl Predicate for InCircle {
///     type Item = [f32; 2];
///     type Parameter = f32;
///     fn selects([x, y]: [f32; 2], radius: f32) -> bool {
///         x * x + y * y <= radius * radius
///     }
/// }
///
/// select_kernels! {
///     in_circle: InCircle;
/// }
/// # }
/// ```
pub trait Predicate: Copy + 'static {
    /// An element: 1, 2, 3, 4, 6, 8, 12 or 16 bytes.
    type Item: Pod;
    /// What a launch hands over: at most 48 bytes, `()` for nothing.
    type Parameter: Pod;

    /// Whether the element is selected.
    fn selects(item: Self::Item, parameter: Self::Parameter) -> bool;

    /// Whether the element is equal to the one before it, so that it is not the first of a run. Their
    /// bytes are compared unless said otherwise.
    #[inline(always)]
    fn repeats(item: Self::Item, before: Self::Item, _parameter: Self::Parameter) -> bool {
        let (words, others) = (to_words(item), to_words(before));
        !any_bit::<Self::Item>(|w| words[w] ^ others[w])
    }

    /// The parameter of a launch that asks for the first elements of runs: zeros unless said
    /// otherwise.
    fn of_runs() -> Self::Parameter {
        Zeroable::zeroed()
    }
}

/// Whether some bit of a value's words is set. Indices are constants once the loop is unrolled, so that the words
/// stay in registers.
#[inline(always)]
fn any_bit<T>(word: impl Fn(usize) -> u32) -> bool {
    let mut all = 0;
    for w in 0..MAX_WORDS {
        if w < words_of::<T>() {
            all |= word(w);
        }
    }
    all != 0
}

/// A parameter's words.
pub fn to_parameter<T: Pod>(value: T) -> Parameter {
    const { assert!(size_of::<T>() <= size_of::<Parameter>()) };
    let mut words = [0; 6];
    bytemuck::bytes_of_mut(&mut words)[..size_of::<T>()]
        .copy_from_slice(bytemuck::bytes_of(&value));
    words
}

/// The parameter of these words.
#[inline(always)]
pub fn from_parameter<T: Pod>(words: Parameter) -> T {
    const {
        assert!(
            size_of::<T>() <= size_of::<Parameter>(),
            "a parameter has at most 48 bytes"
        )
    };
    // SAFETY: every pattern of bytes is a `Pod` value, and there are enough.
    unsafe { (&raw const words).cast::<T>().read_unaligned() }
}

/// How many elements of a predicate are selected: the operator whose prefixes are their places.
pub struct Counts<P>(PhantomData<P>);

impl<P> Clone for Counts<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Counts<P> {}

impl<P: Predicate> Operator for Counts<P> {
    type Input = P::Item;
    type Accumulator = u32;
    type Output = P::Item;

    /// Which elements count depends on the launch: they are counted elsewhere.
    #[inline(always)]
    fn transform(_: P::Item) -> u32 {
        0
    }

    #[inline(always)]
    fn combine(first: u32, second: u32) -> u32 {
        first.wrapping_add(second)
    }

    #[inline(always)]
    fn finish(_: u32) -> P::Item {
        Zeroable::zeroed()
    }
}

/// Values of several words of which some bit is set. Runs are of the same bits.
#[derive(Clone, Copy, Debug)]
pub struct AnyBit<T>(PhantomData<T>);

impl<T: Pod> Predicate for AnyBit<T> {
    type Item = T;
    type Parameter = ();

    #[inline(always)]
    fn selects(item: T, (): ()) -> bool {
        let words = to_words(item);
        any_bit::<T>(|w| words[w])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_comes_back() {
        let parameter = [1.5f64, -2.0];
        assert_eq!(
            from_parameter::<[f64; 2]>(to_parameter(parameter)),
            parameter
        );
        from_parameter::<()>(to_parameter(()));
    }

    #[test]
    fn values_of_which_some_bit_is_set_are_selected() {
        let selects = |value| AnyBit::<[u32; 4]>::selects(value, ());
        assert!(!selects([0; 4]) && selects([0, 0, 0, 1]) && selects([1 << 31, 0, 0, 0]));
        let repeats = |value, before| AnyBit::<[u32; 4]>::repeats(value, before, ());
        assert!(repeats([1, 2, 3, 4], [1, 2, 3, 4]) && !repeats([1, 2, 3, 4], [1, 2, 3, 5]));
    }
}
