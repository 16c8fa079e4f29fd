use core::sync::atomic::Ordering;
use cuda_std::atomic::{
    AtomicF32, AtomicF64, AtomicU32, AtomicU64, BlockAtomicF32, BlockAtomicF64, BlockAtomicI32,
    SystemAtomicF32, SystemAtomicI64, intrinsics, mid,
};
use cuda_std::kernel;

#[kernel]
pub unsafe fn atomic_floats(a: *mut f32, b: *mut f64) {
    let device = AtomicF32::from_ptr(a);
    device.fetch_add(1.0, Ordering::Relaxed);
    device.store(device.load(Ordering::Acquire) + 1.0, Ordering::Release);
    device.fetch_and(3.14, Ordering::Relaxed);
    device.fetch_max(2.0, Ordering::AcqRel);
    BlockAtomicF32::from_ptr(a).fetch_add(0.5, Ordering::AcqRel);
    SystemAtomicF32::from_ptr(a).fetch_add(1.0, Ordering::SeqCst);
    AtomicF64::from_ptr(b).fetch_add(1.0, Ordering::Relaxed);
    BlockAtomicF64::from_ptr(b).fetch_sub(0.5, Ordering::Relaxed);
    AtomicF64::from_ptr(b).swap(0.5, Ordering::Acquire);
}

#[kernel]
pub unsafe fn atomic_integers(a: *mut u32, b: *mut u64, c: *mut i32, d: *mut i64) {
    let a = AtomicU32::from_ptr(a);
    a.fetch_add(1, Ordering::Relaxed);
    a.fetch_sub(1, Ordering::Release);
    a.fetch_min(3, Ordering::AcqRel);
    let _ = a.compare_exchange(1, 2, Ordering::Release, Ordering::Acquire);
    a.store(4, Ordering::SeqCst);
    let b = AtomicU64::from_ptr(b);
    b.fetch_xor(b.load(Ordering::SeqCst), Ordering::SeqCst);
    b.swap(5, Ordering::Acquire);
    BlockAtomicI32::from_ptr(c).fetch_max(-3, Ordering::Relaxed);
    SystemAtomicI64::from_ptr(d).fetch_or(1, Ordering::Release);
}

#[kernel]
pub unsafe fn atomics_with_an_order(a: *mut u32, b: *mut f64) {
    mid::device_thread_fence(Ordering::SeqCst);
    mid::block_thread_fence(Ordering::Release);
    let seen = mid::atomic_load_32_device(a, Ordering::Acquire);
    mid::atomic_store_32_system(a, Ordering::Release, seen);
    mid::atomic_fetch_add_f64_device(b, Ordering::Relaxed, 0.5);
    mid::atomic_fetch_max_u32_block(a, Ordering::AcqRel, 7);
    mid::atomic_compare_and_swap_u32_device(a, 1, 2, Ordering::Release);
    mid::atomic_inc_bounded_relaxed_u32_device(a, 9);
}

#[kernel]
pub unsafe fn atomic_intrinsics(a: *mut u32, b: *mut f32) {
    intrinsics::atomic_fetch_inc_relaxed_u32_device(a, 7);
    intrinsics::atomic_fetch_dec_acqrel_u32_block(a, 7);
    intrinsics::atomic_fetch_cas_acquire_u32_system(a, 1, 2);
    intrinsics::atomic_fetch_exch_release_f32_device(b, 1.0);
    intrinsics::atomic_fetch_add_volatile_f32_device(b, 1.0);
    let seen = intrinsics::atomic_load_volatile_32_device(a);
    intrinsics::atomic_store_release_32_block(a, seen);
    intrinsics::membar_device();
    intrinsics::fence_acqrel_block();
}
