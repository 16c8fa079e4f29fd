//! `a * b + c`, rounded once: an instruction wherever there is one. `libm` has it behind a pointer to a
//! function, which on a host is most of the time that a power takes.

#[cfg(all(not(target_os = "cuda"), target_arch = "x86_64"))]
use core::{
    arch::{asm, x86_64},
    sync::atomic::{AtomicU8, Ordering},
};

/// What the host's processor has: not known yet, no instruction, or one.
#[cfg(all(not(target_os = "cuda"), target_arch = "x86_64"))]
static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
#[cfg(all(not(target_os = "cuda"), target_arch = "x86_64"))]
const UNKNOWN: u8 = 0;
#[cfg(all(not(target_os = "cuda"), target_arch = "x86_64"))]
const NONE: u8 = 1;
#[cfg(all(not(target_os = "cuda"), target_arch = "x86_64"))]
const ONE: u8 = 2;

/// Whether the processor has the instruction, and the system keeps its registers (Intel 64 and IA-32
/// Architectures Software Developer's Manual, volume 1, section 14.5.3).
#[cfg(all(not(target_os = "cuda"), target_arch = "x86_64"))]
#[inline(always)]
fn is_there() -> bool {
    match KNOWN.load(Ordering::Relaxed) {
        UNKNOWN => find(),
        known => known == ONE,
    }
}

#[cfg(all(not(target_os = "cuda"), target_arch = "x86_64"))]
#[cold]
#[inline(never)]
fn find() -> bool {
    const FMA: u32 = 1 << 12;
    const XSAVE: u32 = 1 << 27;
    const AVX: u32 = 1 << 28;
    let all = FMA | XSAVE | AVX;
    // SAFETY: every processor of 64 bits has the leaf 1; `xgetbv` is there where `XSAVE` is.
    #[allow(unused_unsafe, reason = "it is safe in newer compilers")]
    let is_there = unsafe {
        let has = x86_64::__cpuid(1).ecx & all == all;
        has && state() & 6 == 6
    };
    KNOWN.store(if is_there { ONE } else { NONE }, Ordering::Relaxed);
    is_there
}

/// The registers that the system keeps, a bit each.
///
/// # Safety
/// The processor has `XSAVE`, and the system uses it.
#[cfg(all(not(target_os = "cuda"), target_arch = "x86_64"))]
unsafe fn state() -> u32 {
    let low: u32;
    // SAFETY: the caller's; it reads a register.
    unsafe {
        asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") _, options(nomem, nostack, preserves_flags));
    }
    low
}

macro_rules! fused {
    ($($float:ident, $name:ident, $device:ident, $instruction:literal;)*) => {$(
        #[inline]
        pub(super) fn $name(a: $float, b: $float, c: $float) -> $float {
            #[cfg(target_os = "cuda")]
            return core::intrinsics::$device(a, b, c);
            #[cfg(all(not(target_os = "cuda"), target_arch = "x86_64"))]
            if is_there() {
                let mut fused = a;
                // SAFETY: the processor has the instruction, which changes a register.
                unsafe {
                    asm!(
                        $instruction,
                        inout(xmm_reg) fused,
                        in(xmm_reg) b,
                        in(xmm_reg) c,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                return fused;
            }
            #[cfg(not(target_os = "cuda"))]
            libm::$name(a, b, c)
        }
    )*};
}

fused! {
    f64, fma, fmaf64, "vfmadd213sd {0}, {1}, {2}";
    f32, fmaf, fmaf32, "vfmadd213ss {0}, {1}, {2}";
}
