//! What the macros' expansions name. Not for use by hand, and free to change.

use core::marker::PhantomData;

/// Whether a type can be a kernel's parameter by value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a kernel's parameter",
    label = "not `Copy`, so the launch cannot pass its bytes",
    note = "pass a `Copy` value, a raw pointer or a slice `&[T]`; for a struct of your own, write `#[derive(Clone, Copy)] #[repr(C)]` above it"
)]
pub trait KernelParameter {}
#[diagnostic::do_not_recommend]
impl<T: Copy> KernelParameter for T {}

/// Whether a type can be the element of a kernel's slice.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the element of a kernel's slice",
    label = "not a sized type",
    note = "pass `&[T]` of a sized element type"
)]
pub trait KernelElement {}
#[diagnostic::do_not_recommend]
impl<T> KernelElement for T {}

/// A compile error unless `T` may be passed by value.
pub const fn require_copy<T: KernelParameter>() {}

/// A compile error unless `[T]` may be passed.
pub const fn require_element<T: KernelElement>() {}

/// Tells a slice by its type: the inherent constant wins where it applies.
pub struct Probe<T: ?Sized>(PhantomData<T>);

impl<T> Probe<&[T]> {
    /// A shared slice.
    pub const IS_SLICE: bool = true;
}

impl<T> Probe<&mut [T]> {
    /// An exclusive slice.
    pub const IS_SLICE: bool = true;
}

/// The answer of [`Probe`] for everything else.
pub trait NotASlice {
    /// Not a slice.
    const IS_SLICE: bool = false;
}

impl<T: ?Sized> NotASlice for Probe<T> {}

/// The contents of the section `.cuda_std.kernel`: eight little-endian words, then `json`.
pub const fn metadata<const N: usize>(words: [u32; 8], json: &str) -> [u8; N] {
    assert!(N == 32 + json.len());
    let mut bytes = [0; N];
    let mut i = 0;
    while i < 32 {
        bytes[i] = words[i / 4].to_le_bytes()[i % 4];
        i += 1;
    }
    while i < N {
        bytes[i] = json.as_bytes()[i - 32];
        i += 1;
    }
    bytes
}

/// `text` as an array.
pub const fn bytes<const N: usize>(text: &str) -> [u8; N] {
    assert!(N == text.len());
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = text.as_bytes()[i];
        i += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::metadata;

    #[test]
    fn metadata_is_eight_little_endian_words_and_json() {
        let bytes: [u8; 34] = metadata([1, 256, 2, 0, 0, 0, 0, 0], "{}");
        assert_eq!(bytes[..12], [1, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 0]);
        assert_eq!(&bytes[32..], b"{}");
    }
}
