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

/// What an instruction makes of registers, which are all that it reads and writes; on the host the
/// value of an expression: `instruction!("mul.rn.f32", reg32 f32, (reg32 x, reg32 y), x * y)`.
/// Without that, on the device alone.
macro_rules! instruction {
    ($ptx:expr, $out:ident $type:ty, ($($in:ident $operand:expr),+), $host:expr) => {{
        #[cfg(target_os = "cuda")]
        {
            $crate::device::instruction!($ptx, $out $type, ($($in $operand),+))
        }
        #[cfg(not(target_os = "cuda"))]
        {
            $host
        }
    }};
    ($ptx:expr, $out:ident $type:ty, ($($in:ident $operand:expr),+)) => {{
        let value: $type;
        // SAFETY: a pure function of its registers.
        #[allow(unused_unsafe)]
        unsafe {
            core::arch::asm!(
                concat!($ptx, " {}", $($crate::device::instruction!(@ $in),)+ ";"),
                out($out) value,
                $(in($in) $operand,)+
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        value
    }};
    (@ $in:ident) => { ", {}" };
}
pub(crate) use instruction;

/// A panic ends the whole launch with `trap`: there is nobody on the device to unwind to. What
/// was printed before it still reaches the host.
#[cfg(target_os = "cuda")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: ends the kernel.
    unsafe { core::arch::nvptx::trap() }
}

/// `malloc` and `free` of the device: a heap in global memory, 8 MB unless the host asks for
/// more, shared by all threads. It is the allocator of every crate of kernels.
#[derive(Clone, Copy, Debug)]
pub struct CUDAAllocator;

#[cfg(target_os = "cuda")]
mod heap {
    use core::alloc::{GlobalAlloc, Layout};

    use super::CUDAAllocator;

    /// What `malloc` guarantees.
    const MALLOC_ALIGN: usize = 16;

    // SAFETY: blocks come from `malloc`, which hands each out once, and are over-aligned by hand
    // where a layout asks for more than it guarantees.
    unsafe impl GlobalAlloc for CUDAAllocator {
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
    static HEAP: CUDAAllocator = CUDAAllocator;
}
