//! Memory shared by the threads of a block.
//!
//! What lives here: [`shared_array!`](crate::shared_array) (a size known when the kernel is
//! compiled), [`dynamic_shared_mem`] (a size that the launch chooses) and the sizes of both. A
//! static of any type comes with [`address_space`](crate::address_space). What does not: the
//! barrier that must stand between one thread's write and another's read
//! ([`crate::thread::sync_threads`]).

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
