//! What the host computes operations with that a device has an instruction for: `libm`, but for `a * b + c`,
//! rounded once. `libm` has that behind a pointer to a function, which was most of the time that a power took.

#[cfg(target_arch = "x86_64")]
pub(super) use self::fused::{fma, fmaf};
pub(super) use libm::*;

#[cfg(target_arch = "x86_64")]
mod fused {
    use core::arch::{asm, x86_64};
    use core::sync::atomic::{AtomicU8, Ordering};

    /// What the host's processor has: not known yet, no instruction, or one.
    static KNOWN: AtomicU8 = AtomicU8::new(UNKNOWN);
    const UNKNOWN: u8 = 0;
    const NONE: u8 = 1;
    const ONE: u8 = 2;

    /// Whether the processor has the instruction, and the system keeps its registers (Intel 64 and IA-32
    /// Architectures Software Developer's Manual, volume 1, section 14.5.3).
    #[inline(always)]
    fn is_there() -> bool {
        match KNOWN.load(Ordering::Relaxed) {
            UNKNOWN => find(),
            known => known == ONE,
        }
    }

    #[cold]
    #[inline(never)]
    fn find() -> bool {
        const FMA: u32 = 1 << 12;
        const OSXSAVE: u32 = 1 << 27;
        const AVX: u32 = 1 << 28;
        let all = FMA | OSXSAVE | AVX;
        let has_all = x86_64::__cpuid(1).ecx & all == all;
        // SAFETY: the system says that it uses `xsave`, of which the instruction is.
        let is_there = has_all && unsafe { state() } & 6 == 6;
        KNOWN.store(if is_there { ONE } else { NONE }, Ordering::Relaxed);
        is_there
    }

    /// The registers that the system keeps, a bit each.
    ///
    /// # Safety
    /// The processor has `xsave`, and the system uses it.
    unsafe fn state() -> u32 {
        let low: u32;
        // SAFETY: the caller's; it reads a register.
        unsafe {
            asm!("xgetbv", in("ecx") 0, out("eax") low, out("edx") _, options(nomem, nostack, preserves_flags));
        }
        low
    }

    macro_rules! fused {
        ($($float:ident, $name:ident, $instruction:literal;)*) => {$(
            #[inline]
            pub(in super::super) fn $name(a: $float, b: $float, c: $float) -> $float {
                if is_there() {
                    let mut fused = a;
                    // SAFETY: the processor has the instruction, which changes a register and the
                    // flags of exceptions.
                    unsafe {
                        asm!(
                            $instruction,
                            inout(xmm_reg) fused,
                            in(xmm_reg) b,
                            in(xmm_reg) c,
                            options(pure, nomem, nostack)
                        );
                    }
                    return fused;
                }
                libm::$name(a, b, c)
            }
        )*};
    }

    fused! {
        f64, fma, "vfmadd213sd {0}, {1}, {2}";
        f32, fmaf, "vfmadd213ss {0}, {1}, {2}";
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    /// Expected: `libm`'s, which rounds once by itself where there is no instruction.
    #[test]
    fn a_fused_operation_has_the_bits_of_libm() {
        let mut bits = 1_u64;
        let mut next = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            f64::from_bits(bits.rotate_right(29))
        };
        for _ in 0..10_000 {
            let (a, b, c) = (next(), next(), next());
            for c in [c, -a * b, 0.0] {
                let (own, other) = (super::fma(a, b, c), libm::fma(a, b, c));
                let is_same = own.to_bits() == other.to_bits() || own.is_nan() && other.is_nan();
                assert!(is_same, "{a:e} {b:e} {c:e}: {own:e}, {other:e}");
                let (a, b, c) = (a as f32, b as f32, c as f32);
                let (own, other) = (super::fmaf(a, b, c), libm::fmaf(a, b, c));
                let is_same = own.to_bits() == other.to_bits() || own.is_nan() && other.is_nan();
                assert!(is_same, "{a:e} {b:e} {c:e}: {own:e}, {other:e}");
            }
        }
    }
}
