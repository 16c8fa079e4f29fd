//! Bulk copies between global and shared memory, and the barriers that say when one has arrived.
//!
//! What lives here: copies of many bytes by one thread, which the copy engine makes while the
//! threads go on (`cp.async.bulk`), and [`Barrier`], an object in shared memory that counts
//! arrivals of threads and of bytes (`mbarrier`). What does not: loads and stores by each thread
//! ([`crate::mem`]) and the barrier of the whole block ([`crate::thread::sync_threads`]).
//!
//! Addresses and sizes of bulk copies are multiples of 16. All of it needs sm_90: a kernel that
//! calls it stands under `#[cfg(any(not(target_os = "cuda"), target_feature = "sm_90"))]`.
//!
//! ```
//! use cuda_std::bulk::{self, Barrier};
//! use cuda_std::shared::SharedPtr;
//! use cuda_std::{kernel, shared_array, thread};
//!
//! /// Doubles 256 elements in shared memory; one block of 256 threads.
//! #[kernel]
//! #[cfg(any(not(target_os = "cuda"), target_feature = "sm_90"))]
//! pub unsafe fn double(input: *const f32, output: *mut f32) {
//!     let tile = shared_array![u128; 64].cast::<f32>();
//!     let i = thread::thread_idx_x() as usize;
//!     unsafe {
//!         let barrier = SharedPtr::new(shared_array![Barrier; 1]);
//!         let bytes = SharedPtr::new(tile.cast::<u8>());
//!         if i == 0 {
//!             Barrier::init(barrier, 1);
//!             bulk::fence_barriers();
//!             Barrier::arrive_expecting(barrier, 1024);
//!             bulk::to_shared(bytes, input.cast(), 1024, barrier);
//!         }
//!         thread::sync_threads();
//!         Barrier::wait(barrier, 0);
//!         *tile.add(i) *= 2.0;
//!         bulk::fence();
//!         thread::sync_threads();
//!         if i == 0 {
//!             bulk::to_global(output.cast(), bytes, 1024);
//!             bulk::commit();
//!             bulk::wait::<0>();
//!         }
//!     }
//! }
//! ```

use crate::device::gpu;
use crate::shared::SharedPtr;

/// A barrier in shared memory that counts arrivals of threads and of bytes.
///
/// It goes through phases, 0, 1, 2, ...: a phase is over when as many threads have arrived as
/// [`Barrier::init`] said and all bytes that they expect have come. What is waited for is the end
/// of a phase, by the parity of its number.
#[derive(Debug)]
#[repr(C, align(8))]
pub struct Barrier(u64);

impl Barrier {
    /// Makes the 8 bytes at `barrier` a barrier in phase 0, for which `count` threads have to
    /// arrive. Others see it after [`fence_barriers`] and a barrier of the block.
    ///
    /// PTX: `mbarrier.init.shared::cta.b64`, sm_90.
    ///
    /// # Safety
    ///
    /// `barrier` may be written, is a multiple of 8, and no barrier is there.
    #[inline(always)]
    pub unsafe fn init(barrier: SharedPtr<Self>, count: u32) {
        gpu!(init, (barrier, count) => {
            core::arch::asm!(
                "mbarrier.init.shared::cta.b64 [{}], {};",
                in(reg32) barrier.address(),
                in(reg32) count,
                options(nostack, preserves_flags),
            )
        });
    }

    /// Arrives, for this thread.
    ///
    /// PTX: `mbarrier.arrive.shared::cta.b64`, sm_90.
    ///
    /// # Safety
    ///
    /// `barrier` is a barrier, and this phase still waits for an arrival: one too many ends the
    /// phase after it as well.
    #[inline(always)]
    pub unsafe fn arrive(barrier: SharedPtr<Self>) {
        gpu!(arrive, (barrier) => {
            core::arch::asm!(
                "mbarrier.arrive.shared::cta.b64 _, [{}];",
                in(reg32) barrier.address(),
                options(nostack, preserves_flags),
            )
        });
    }

    /// Arrives, for this thread, and has the phase wait for `bytes` more bytes.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.shared::cta.b64`, sm_90.
    ///
    /// # Safety
    ///
    /// As for [`Barrier::arrive`]; copies of `bytes` bytes in all are asked for that signal this
    /// barrier. A phase holds less than 2^20 bytes.
    #[inline(always)]
    pub unsafe fn arrive_expecting(barrier: SharedPtr<Self>, bytes: u32) {
        gpu!(arrive_expecting, (barrier, bytes) => {
            core::arch::asm!(
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [{}], {};",
                in(reg32) barrier.address(),
                in(reg32) bytes,
                options(nostack, preserves_flags),
            )
        });
    }

    /// Whether the phase of this parity, the current one or the one before it, is over. May wait
    /// for a while before it says no. What was copied in that phase may be read after a yes.
    ///
    /// PTX: `mbarrier.try_wait.parity.shared::cta.b64`, sm_90.
    ///
    /// # Safety
    ///
    /// `barrier` is a barrier.
    #[inline(always)]
    #[must_use]
    pub unsafe fn try_wait(barrier: SharedPtr<Self>, parity: u32) -> bool {
        gpu!(try_wait, (barrier, parity) => {
            let over: u32;
            core::arch::asm!(
                "{{ .reg .pred over; mbarrier.try_wait.parity.shared::cta.b64 over, [{}], {};",
                "selp.u32 {}, 1, 0, over; }}",
                in(reg32) barrier.address(),
                in(reg32) parity,
                out(reg32) over,
                options(nostack, preserves_flags),
            );
            over != 0
        })
    }

    /// Waits until the phase of this parity is over.
    ///
    /// # Safety
    ///
    /// As for [`Barrier::try_wait`].
    #[inline(always)]
    pub unsafe fn wait(barrier: SharedPtr<Self>, parity: u32) {
        // SAFETY: the caller's.
        while !unsafe { Self::try_wait(barrier, parity) } {}
    }
}

/// Copies `bytes` bytes from global to shared memory; `barrier`'s current phase counts them when
/// they have arrived.
///
/// PTX: `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes`, sm_90.
///
/// # Safety
///
/// Both pointers and `bytes` are multiples of 16; the bytes at `from` lie in global memory and do
/// not change until they have arrived, those at `to` lie in the block's shared memory and nobody
/// touches them until then; threads expect the bytes on `barrier` ([`Barrier::arrive_expecting`]).
#[inline(always)]
pub unsafe fn to_shared(
    to: SharedPtr<u8>,
    from: *const u8,
    bytes: u32,
    barrier: SharedPtr<Barrier>,
) {
    gpu!(to_shared, (to, from, bytes, barrier) => {
        core::arch::asm!(
            "{{ .reg .b64 from; cvta.to.global.u64 from, {from};",
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [from], {bytes}, [{barrier}]; }}",
            to = in(reg32) to.address(),
            from = in(reg64) from,
            bytes = in(reg32) bytes,
            barrier = in(reg32) barrier.address(),
            options(nostack, preserves_flags),
        )
    });
}

/// Copies `bytes` bytes from shared to global memory, as part of this thread's next group.
///
/// PTX: `cp.async.bulk.global.shared::cta.bulk_group`, sm_90.
///
/// # Safety
///
/// Both pointers and `bytes` are multiples of 16; the bytes at `from` lie in the block's shared
/// memory, were made visible to the copy engine ([`fence`]) and do not change until the group was
/// waited for; those at `to` lie in global memory and nobody touches them until then.
#[inline(always)]
pub unsafe fn to_global(to: *mut u8, from: SharedPtr<u8>, bytes: u32) {
    gpu!(to_global, (to, from, bytes) => {
        core::arch::asm!(
            "{{ .reg .b64 to; cvta.to.global.u64 to, {to};",
            "cp.async.bulk.global.shared::cta.bulk_group [to], [{from}], {bytes}; }}",
            to = in(reg64) to,
            from = in(reg32) from.address(),
            bytes = in(reg32) bytes,
            options(nostack, preserves_flags),
        )
    });
}

/// Makes a group of this thread's bulk copies to global memory since the last one.
///
/// PTX: `cp.async.bulk.commit_group`, sm_90.
#[inline(always)]
pub fn commit() {
    gpu!(commit, () => {
        core::arch::asm!("cp.async.bulk.commit_group;", options(nostack, preserves_flags))
    });
}

macro_rules! wait {
    ($(#[$doc:meta])* $name:ident, $suffix:literal) => {
        $(#[$doc])*
        ///
        #[doc = concat!("PTX: `cp.async.bulk.wait_group", $suffix, "`, sm_90.")]
        #[inline(always)]
        pub fn $name<const PENDING: u32>() {
            gpu!($name, () => {
                core::arch::asm!(
                    concat!("cp.async.bulk.wait_group", $suffix, " {};"),
                    const PENDING,
                    options(nostack, preserves_flags),
                )
            });
        }
    };
}

wait! {
    /// Waits until all of this thread's groups but the last `PENDING` are done.
    wait, ""
}

wait! {
    /// Waits until the shared memory of all of this thread's groups but the last `PENDING` has
    /// been read, so that it may be written again.
    wait_read, ".read"
}

/// Orders this thread's reads and writes of shared memory before it with bulk copies after it:
/// between a store and the copy that takes it away, and between a read and the copy that
/// overwrites it.
///
/// PTX: `fence.proxy.async.shared::cta`, sm_90.
#[inline(always)]
pub fn fence() {
    gpu!(fence, () => {
        core::arch::asm!("fence.proxy.async.shared::cta;", options(nostack, preserves_flags))
    });
}

/// Makes barriers that this thread made ([`Barrier::init`]) known to the copy engine.
///
/// PTX: `fence.mbarrier_init.release.cluster`, sm_90.
#[inline(always)]
pub fn fence_barriers() {
    gpu!(fence_barriers, () => {
        core::arch::asm!("fence.mbarrier_init.release.cluster;", options(nostack, preserves_flags))
    });
}
