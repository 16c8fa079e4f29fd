//! Pure instructions: a loop over the lanes, from what it does to the values of
//! one. `lanes!` makes one of a closure.

use super::row::{Frame, LANES, Operands, Row, Value, write};

/// A function of the values of a lane, from the rows `s` to the row `d[0]`.
macro_rules! map {
    ($name:ident: $($A:ident $a:ident $index:literal),*) => {
        #[inline(always)]
        pub(crate) fn $name<$($A: Value,)* D: Value>(
            frame: &mut Frame<'_>,
            operands: &Operands,
            mask: u32,
            f: impl Fn($($A,)* u64) -> D,
        ) {
            let mut out = Row::<D::Bits>::default();
            $(let $a = $A::row(frame, operands.s[$index]);)*
            for lane in 0..LANES {
                out.0[lane] = f($($A::from_bits($a.0[lane]),)* operands.aux).to_bits();
            }
            write(D::row_mut(frame, operands.d[0]), &out, mask);
        }
    };
}

map!(map1: A a 0);
map!(map2: A a 0, B b 1);
map!(map3: A a 0, B b 1, C c 2);

/// A comparison of two rows, as bits.
#[inline(always)]
pub(crate) fn test2<A: Value, B: Value>(
    frame: &Frame<'_>,
    operands: &Operands,
    f: impl Fn(A, B) -> bool,
) -> u32 {
    let a = A::row(frame, operands.s[0]);
    let b = B::row(frame, operands.s[1]);
    let mut bits = 0;
    for lane in 0..LANES {
        bits |= u32::from(f(A::from_bits(a.0[lane]), B::from_bits(b.0[lane]))) << lane;
    }
    bits
}

/// True when the loops compiled for AVX2 and FMA can be used.
#[cfg(target_arch = "x86_64")]
pub(crate) fn fast_lanes() -> bool {
    use std::sync::OnceLock;
    static FAST: OnceLock<bool> = OnceLock::new();
    *FAST.get_or_init(|| {
        std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("fma")
            && std::arch::is_x86_feature_detected!("bmi2")
            && std::arch::is_x86_feature_detected!("lzcnt")
            && std::arch::is_x86_feature_detected!("popcnt")
    })
}

/// A `LaneFn` from a body; compiled twice on x86-64, for the base and for
/// AVX2 with FMA, so that the loop is vectorised and `mul_add` is one
/// instruction. Which of the two is used is decided when the program is
/// loaded.
macro_rules! lane_fn {
    (|$frame:ident, $operands:ident, $mask:ident| $body:expr) => {{
        #[inline(always)]
        fn body($frame: &mut $crate::ir::Frame<'_>, $operands: &$crate::ir::Operands, $mask: u32) {
            $body
        }
        fn base(frame: &mut $crate::ir::Frame<'_>, operands: &$crate::ir::Operands, mask: u32) {
            body(frame, operands, mask)
        }
        #[cfg(target_arch = "x86_64")]
        {
            #[target_feature(enable = "avx2,fma,bmi2,lzcnt,popcnt")]
            fn wide(frame: &mut $crate::ir::Frame<'_>, operands: &$crate::ir::Operands, mask: u32) {
                body(frame, operands, mask)
            }
            fn fast(frame: &mut $crate::ir::Frame<'_>, operands: &$crate::ir::Operands, mask: u32) {
                // SAFETY: chosen below only where `fast_lanes` found these
                // features.
                unsafe { wide(frame, operands, mask) }
            }
            if $crate::ir::lanes::fast_lanes() {
                fast as $crate::ir::LaneFn
            } else {
                base as $crate::ir::LaneFn
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            base as $crate::ir::LaneFn
        }
    }};
}

/// A pure instruction from what it does to the values of one lane; the last
/// name, without a type, is `Operands::aux`.
macro_rules! lanes {
    (|$a:ident: $A:ty| -> $D:ty { $($body:tt)* }) => {
        $crate::ir::lanes::lanes!(|$a: $A; _aux| -> $D { $($body)* })
    };
    (|$a:ident: $A:ty; $aux:ident| -> $D:ty { $($body:tt)* }) => {
        $crate::ir::lanes::lane_fn!(|f, o, m| $crate::ir::lanes::map1::<$A, $D>(f, o, m, |$a, $aux| { $($body)* }))
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty| -> $D:ty { $($body:tt)* }) => {
        $crate::ir::lanes::lanes!(|$a: $A, $b: $B; _aux| -> $D { $($body)* })
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty; $aux:ident| -> $D:ty { $($body:tt)* }) => {
        $crate::ir::lanes::lane_fn!(|f, o, m| $crate::ir::lanes::map2::<$A, $B, $D>(f, o, m, |$a, $b, $aux| { $($body)* }))
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $D:ty { $($body:tt)* }) => {
        $crate::ir::lanes::lanes!(|$a: $A, $b: $B, $c: $C; _aux| -> $D { $($body)* })
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty; $aux:ident| -> $D:ty { $($body:tt)* }) => {
        $crate::ir::lanes::lane_fn!(|f, o, m| $crate::ir::lanes::map3::<$A, $B, $C, $D>(f, o, m, |$a, $b, $c, $aux| { $($body)* }))
    };
}

pub(crate) use lane_fn;
pub(crate) use lanes;
