//! Memory shared by the threads of a block.
//!
//! What lives here: pointers of 32 bits ([`SharedPtr`]), [`shared_array!`](crate::shared_array) (a size known when the kernel is
//! compiled), [`dynamic_shared_mem`] (a size that the launch chooses) and the sizes of both. A
//! static of any type comes with [`address_space`](crate::address_space). What does not: the
//! barrier that must stand between one thread's write and another's read
//! ([`crate::thread::sync_threads`]).

use core::marker::PhantomData;

/// `shared_array![T; N]`: a `*mut T` to `N` elements shared by the block, not initialised.
/// `N` is a constant expression. PTX: a `.shared` array of its own for every place in the source
/// where this stands, however often it runs.
///
/// # Safety
///
/// To make the pointer is safe. To use it: write an element before it is read, put a barrier
/// between one thread's write and another's read, and stay below `N`.
///
/// ```
/// use cuda_std::{kernel, shared_array, thread};
///
/// /// Reverses the `n` elements at `data`; one block of `n` threads, at most 64.
/// #[kernel]
/// pub unsafe fn reverse(data: *mut i32, n: usize) {
///     let tile = shared_array![i32; 64];
///     let i = thread::thread_idx_x() as usize;
///     unsafe { *tile.add(i) = *data.add(i) };
///     thread::sync_threads();
///     unsafe { *data.add(i) = *tile.add(n - 1 - i) };
/// }
/// ```
#[macro_export]
macro_rules! shared_array {
    ($element:ty; $length:expr) => {{
        #[$crate::address_space(shared)]
        static mut SHARED: ::core::mem::MaybeUninit<[$element; $length]> =
            ::core::mem::MaybeUninit::uninit();
        (&raw mut SHARED).cast::<$element>()
    }};
}

#[cfg(target_os = "cuda")]
#[repr(C, align(128))]
struct Dynamic([u8; 0]);

// The builder turns this section's statics into one `.extern .shared` array.
#[cfg(target_os = "cuda")]
#[unsafe(link_section = ".shared.dynamic")]
static mut DYNAMIC: Dynamic = Dynamic([]);

/// The block's dynamic shared memory: as many bytes as the launch asked for, not initialised,
/// aligned to 128 bytes. Every call gives the same address.
///
/// PTX: `.extern .shared .align 128 .b8 name[]`.
#[inline(always)]
#[must_use]
pub fn dynamic_shared_mem<T>() -> *mut T {
    const {
        assert!(
            align_of::<T>() <= 128,
            "dynamic shared memory is aligned to 128 bytes"
        )
    };
    crate::device::gpu!(dynamic_shared_mem, () => { (&raw mut DYNAMIC).cast::<T>() })
}

/// A pointer into the block's shared memory: an address of 32 bits, which is what the
/// instructions for it take. Arithmetic with it is half of that with a `*mut T`.
#[derive(Debug)]
pub struct SharedPtr<T> {
    address: u32,
    to: PhantomData<*mut T>,
}

impl<T> Clone for SharedPtr<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedPtr<T> {}

impl<T> SharedPtr<T> {
    #[inline(always)]
    const fn at(address: u32) -> Self {
        Self {
            address,
            to: PhantomData,
        }
    }

    /// The beginning of the block's dynamic shared memory ([`dynamic_shared_mem`]).
    #[inline(always)]
    #[must_use]
    pub fn dynamic() -> Self {
        // SAFETY: that memory is shared.
        unsafe { Self::new(dynamic_shared_mem()) }
    }

    /// The pointer, of 32 bits.
    ///
    /// PTX: `cvta.to.shared.u64`.
    ///
    /// # Safety
    ///
    /// `ptr` points into shared memory.
    #[inline(always)]
    #[must_use]
    pub unsafe fn new(ptr: *mut T) -> Self {
        // SAFETY: the caller's.
        Self::at(unsafe { crate::ptr::shared_address(ptr) })
    }

    /// The address, bytes from the beginning of the block's shared memory.
    #[inline(always)]
    #[must_use]
    pub const fn address(self) -> u32 {
        self.address
    }

    /// The pointer `elements` further on. Like a pointer's `wrapping_add`, it may leave the
    /// memory; then it must not be used there.
    #[inline(always)]
    #[must_use]
    pub const fn wrapping_add(self, elements: u32) -> Self {
        Self::at(
            self.address
                .wrapping_add(elements.wrapping_mul(size_of::<T>() as u32)),
        )
    }

    /// The same address, of another type.
    #[inline(always)]
    #[must_use]
    pub const fn cast<U>(self) -> SharedPtr<U> {
        SharedPtr::at(self.address)
    }
}

impl SharedPtr<u32> {
    /// Adds to the word, wrapping, and returns what it was: for words that several threads of the
    /// block add to. Relaxed.
    ///
    /// PTX: `atom.relaxed.cta.shared.add.u32`.
    ///
    /// # Safety
    ///
    /// The address is a multiple of 4 and may be written; whatever else accesses the word at the
    /// same time is atomic too.
    #[inline(always)]
    pub unsafe fn fetch_add(self, value: u32) -> u32 {
        let address = self.address;
        crate::device::gpu!(fetch_add, (address, value) => {
            let before: u32;
            core::arch::asm!(
                "atom.relaxed.cta.shared.add.u32 {}, [{}], {};",
                out(reg32) before,
                in(reg32) address,
                in(reg32) value,
                options(nostack, preserves_flags),
            );
            before
        })
    }
}

impl<V: crate::mem::Vector> SharedPtr<V> {
    /// Reads the vector.
    ///
    /// PTX: `ld.shared.v4.b32` and the like.
    ///
    /// # Safety
    ///
    /// The address is a multiple of the vector's size and may be read.
    #[inline(always)]
    #[must_use]
    pub unsafe fn load(self) -> V {
        // SAFETY: the caller's.
        unsafe { V::load_shared(self.address) }
    }

    /// Writes the vector.
    ///
    /// PTX: `st.shared.v4.b32` and the like.
    ///
    /// # Safety
    ///
    /// The address is a multiple of the vector's size and may be written.
    #[inline(always)]
    pub unsafe fn store(self, value: V) {
        // SAFETY: the caller's.
        unsafe { V::store_shared(self.address, value) };
    }
}
