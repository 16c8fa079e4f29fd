//! Parameters as the kernel declares them (formal) and as a launch passes them (actual).

use core::marker::PhantomData;

/// How a parameter is declared.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// `&[T]`: two PTX parameters, address and length in elements (`.u64` each).
    Slice,
    /// `&mut [T]`: two PTX parameters, address and length in elements (`.u64` each).
    SliceMut,
    /// `*const T`: an address.
    Pointer,
    /// `*mut T`: an address.
    PointerMut,
    /// `&T`: an address.
    Reference,
    /// `&mut T`: an address.
    ReferenceMut,
    /// A `Copy` value: its bytes.
    Value,
}

/// A parameter of a kernel, as declared.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// The parameter's name.
    pub name: &'static str,
    /// The type as its author wrote it.
    pub ty: &'static str,
    /// What the type is to a launch.
    pub kind: ParameterKind,
}

macro_rules! formal {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        pub struct $name<T: ?Sized>(PhantomData<T>);
    )*};
}

formal! {
    /// A formal parameter `&[T]`.
    Slice
    /// A formal parameter `&mut [T]`.
    SliceMut
    /// A formal parameter `*const T`.
    Pointer
    /// A formal parameter `*mut T`.
    PointerMut
    /// A formal parameter `&T`.
    Reference
    /// A formal parameter `&mut T`.
    ReferenceMut
    /// A formal parameter `T`.
    Value
}

/// An argument of a launch, its type erased by the host crate, which checked it.
#[derive(Copy, Clone, Debug)]
pub struct Actual<'a> {
    /// The value, or the 8-byte device address of a buffer.
    pub bytes: &'a [u8],
    /// How many elements a buffer has; none for a value.
    pub elements: Option<usize>,
}

impl Actual<'_> {
    /// The value, as its parameter's type.
    ///
    /// # Safety
    ///
    /// The bytes are those of a `T`.
    ///
    /// # Panics
    ///
    /// When there are more or fewer bytes than `T` has.
    #[must_use]
    pub unsafe fn value<T: Copy>(&self) -> T {
        assert_eq!(
            self.bytes.len(),
            size_of::<T>(),
            "an argument's size is not its parameter's"
        );
        // SAFETY: the caller's, and the length was checked; no alignment is needed.
        unsafe { self.bytes.as_ptr().cast::<T>().read_unaligned() }
    }

    /// The buffer's length and address; 0 elements for a value.
    #[must_use]
    pub const fn extent(&self) -> Extent {
        let address = match self.bytes.first_chunk() {
            Some(bytes) => u64::from_ne_bytes(*bytes),
            None => 0,
        };
        match self.elements {
            Some(elements) => Extent { elements, address },
            None => Extent {
                elements: 0,
                address: 0,
            },
        }
    }
}

/// What a launch contract sees of a buffer or a part of one: how long it is, and whether it is
/// aligned.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    elements: usize,
    address: u64,
}

impl Extent {
    /// Elements.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.elements
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.elements == 0
    }

    /// Whether the address is a multiple of `bytes`. A part of a buffer is aligned to its elements
    /// alone: a kernel that accesses several of them at once asks for more, or begins where it is
    /// aligned.
    #[must_use]
    pub const fn is_aligned_to(&self, bytes: u64) -> bool {
        self.address.is_multiple_of(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Actual;

    #[test]
    fn an_extent_tells_length_and_alignment_of_memory_and_nothing_of_a_value() {
        let address = 4104_u64.to_ne_bytes();
        let extent = Actual {
            bytes: &address,
            elements: Some(3),
        }
        .extent();
        assert_eq!((extent.len(), extent.is_empty()), (3, false));
        assert!(extent.is_aligned_to(8));
        assert!(!extent.is_aligned_to(16));
        for bytes in [&address[..], &address[..2]] {
            let value = Actual {
                bytes,
                elements: None,
            };
            assert!(value.extent().is_empty());
        }
    }
}
