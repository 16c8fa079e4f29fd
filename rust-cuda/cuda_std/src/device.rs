//! How this crate reaches the device: the panic handler, the allocator, and the macro that gives
//! an intrinsic a host form. The PTX instructions themselves are with the functions that they
//! implement.

/// The body of a function that exists on the GPU only: `device` there, a panic with the
/// function's name on the host.
macro_rules! gpu {
    ($name:ident, ($($argument:ident),*) => $body:block) => {{
        #[cfg(target_os = "cuda")]
        {
            #[allow(unused_unsafe)]
            // SAFETY: stated by the function around this, whose body this is.
            unsafe { $body }
        }
        #[cfg(not(target_os = "cuda"))]
        {
            $(let _ = $argument;)*
            panic!(concat!("`", stringify!($name), "` runs on the GPU only: call it from a kernel"))
        }
    }};
}
pub(crate) use gpu;

/// A panic ends the whole launch with `trap`: there is nobody on the device to unwind to. What
/// was printed before it still reaches the host.
#[cfg(target_os = "cuda")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: ends the kernel.
    unsafe { core::arch::nvptx::trap() }
}

#[cfg(target_os = "cuda")]
mod heap {
    use core::alloc::{GlobalAlloc, Layout};

    /// `malloc` and `free` of the device: a heap in global memory, 8 MB unless the host asks for
    /// more, shared by all threads.
    struct DeviceHeap;

    /// What `malloc` guarantees.
    const MALLOC_ALIGN: usize = 16;

    // SAFETY: blocks come from `malloc`, which hands each out once, and are over-aligned by hand
    // where a layout asks for more than it guarantees.
    unsafe impl GlobalAlloc for DeviceHeap {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            if layout.align() <= MALLOC_ALIGN {
                // SAFETY: any size is allowed.
                return unsafe { core::arch::nvptx::malloc(layout.size()).cast() };
            }
            // The word before the block says where `malloc`'s block begins.
            let Some(size) = layout.size().checked_add(layout.align()) else {
                return core::ptr::null_mut();
            };
            // SAFETY: any size is allowed; the block is at least MALLOC_ALIGN into `raw`, since
            // both are multiples of it, and ends within it.
            unsafe {
                let raw: *mut u8 = core::arch::nvptx::malloc(size).cast();
                if raw.is_null() {
                    return raw;
                }
                let block = raw.add(layout.align() - raw.addr() % layout.align());
                block.cast::<*mut u8>().sub(1).write(raw);
                block
            }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            // SAFETY: `block` comes from `alloc` with this layout.
            unsafe {
                let raw = if layout.align() <= MALLOC_ALIGN {
                    block
                } else {
                    block.cast::<*mut u8>().sub(1).read()
                };
                core::arch::nvptx::free(raw.cast());
            }
        }
    }

    #[global_allocator]
    static HEAP: DeviceHeap = DeviceHeap;
}
