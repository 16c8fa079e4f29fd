//! The instructions, a file a group: how each is decoded, and what it does.
//!
//! To add a group: write `exec/<group>.rs` with a `GROUP`, and add it to
//! `GROUPS`. To add a pure instruction to a group, add its arm to the group's
//! decoder, as one closure over the values of a lane (`lanes!`). Several
//! groups may decode one opcode (`cvt`, `add`): they are asked in the order
//! of the table, and the first that takes the instruction has it.

pub(crate) mod approximate;
pub(crate) mod async_copy;
pub(crate) mod atomic;
pub(crate) mod barrier;
pub(crate) mod carry;
pub(crate) mod compare;
pub(crate) mod contracted;
pub(crate) mod control;
pub(crate) mod convert;
pub(crate) mod float32;
pub(crate) mod float64;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod logic;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod mixed;
pub(crate) mod packed;
pub(crate) mod softfloat;
pub(crate) mod special;
pub(crate) mod system;
pub(crate) mod warp;
pub(crate) mod wide;

use crate::ir::{FULL, Frame, LANES, Operands, Row, Slot, Source};
use crate::lower::decoder::{Decoded, Decoder, Reason};

/// Instructions that are decoded and run by one file.
pub(crate) struct Group {
    /// As in the coverage table.
    pub(crate) name: &'static str,
    /// Opcode, and the forms of it that are supported.
    pub(crate) opcodes: &'static [(&'static str, &'static str)],
    pub(crate) decode: fn(&mut Decoder<'_, '_>) -> Result<Decoded, Reason>,
}

/// All groups, and the source of the coverage table.
pub(crate) const GROUPS: &[&Group] = &[
    &integer::GROUP,
    &logic::GROUP,
    &compare::GROUP,
    &convert::GROUP,
    &float32::GROUP,
    &float64::GROUP,
    &half::GROUP,
    &approximate::GROUP,
    &carry::GROUP,
    &packed::GROUP,
    &mixed::GROUP,
    &wide::GROUP,
    &memory::GROUP,
    &atomic::GROUP,
    &control::GROUP,
    &barrier::GROUP,
    &warp::GROUP,
    &special::GROUP,
    &async_copy::GROUP,
    &mbarrier::GROUP,
    &system::GROUP,
];

/// The groups that decode an opcode.
pub(crate) fn groups_of(opcode: &str) -> impl Iterator<Item = &'static Group> {
    GROUPS
        .iter()
        .copied()
        .filter(move |group| group.opcodes.iter().any(|(name, _)| *name == opcode))
}

/// One row of the coverage table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The group, which is the name of its file.
    pub group: &'static str,
    /// The opcode.
    pub opcode: &'static str,
    /// The modifiers and types that are supported.
    pub forms: &'static str,
}

/// Every instruction that is decoded, from the very table that decodes.
pub fn coverage() -> impl Iterator<Item = Coverage> {
    GROUPS.iter().flat_map(|group| {
        group.opcodes.iter().map(|&(opcode, forms)| Coverage {
            group: group.name,
            opcode,
            forms,
        })
    })
}

/// The value of one lane, and the row it lives in.
pub(crate) trait Value: Copy {
    type Bits: Copy + Default;
    fn from_bits(bits: Self::Bits) -> Self;
    fn to_bits(self) -> Self::Bits;
    fn row<'f>(frame: &'f Frame<'_>, source: Source) -> &'f Row<Self::Bits>;
    fn row_mut<'f>(frame: &'f mut Frame<'_>, slot: Slot) -> &'f mut Row<Self::Bits>;
}

macro_rules! value {
    ($ty:ty, $bits:ty, $file:ident, |$b:ident| $from:expr, |$v:ident| $to:expr) => {
        impl Value for $ty {
            type Bits = $bits;
            #[inline(always)]
            fn from_bits($b: $bits) -> Self {
                $from
            }
            #[inline(always)]
            fn to_bits(self) -> $bits {
                let $v = self;
                $to
            }
            #[inline(always)]
            fn row<'f>(frame: &'f Frame<'_>, source: Source) -> &'f Row<$bits> {
                if source.flagged() {
                    &frame.pool.$file[source.index()]
                } else {
                    &frame.$file[source.index()]
                }
            }
            #[inline(always)]
            fn row_mut<'f>(frame: &'f mut Frame<'_>, slot: Slot) -> &'f mut Row<$bits> {
                &mut frame.$file[slot.0 as usize]
            }
        }
    };
}

value!(u32, u32, w32, |b| b, |v| v);
value!(i32, u32, w32, |b| b as i32, |v| v as u32);
value!(u16, u32, w32, |b| b as u16, |v| u32::from(v));
value!(i16, u32, w32, |b| b as i16, |v| u32::from(v as u16));
value!(f32, u32, w32, |b| f32::from_bits(b), |v| v.to_bits());
value!(u64, u64, w64, |b| b, |v| v);
value!(i64, u64, w64, |b| b as i64, |v| v as u64);
value!(f64, u64, w64, |b| f64::from_bits(b), |v| v.to_bits());

/// Writes the lanes of `mask`.
#[inline(always)]
pub(crate) fn write<T: Copy>(row: &mut Row<T>, new: &Row<T>, mask: u32) {
    if mask == FULL {
        *row = *new;
    } else {
        for lane in 0..LANES {
            if mask >> lane & 1 != 0 {
                row.0[lane] = new.0[lane];
            }
        }
    }
}

/// The bits of a predicate, negated when the source says so.
#[inline(always)]
pub(crate) fn predicate(frame: &Frame<'_>, source: Source) -> u32 {
    let bits = frame.predicates[source.index()];
    if source.flagged() { !bits } else { bits }
}

/// Writes the lanes of `mask` of a predicate.
#[inline(always)]
pub(crate) fn write_predicate(frame: &mut Frame<'_>, slot: Slot, bits: u32, mask: u32) {
    let row = &mut frame.predicates[slot.0 as usize];
    *row = *row & !mask | bits & mask;
}

#[inline(always)]
pub(crate) fn map1<A: Value, D: Value>(
    frame: &mut Frame<'_>,
    operands: &Operands,
    mask: u32,
    f: impl Fn(A, u64) -> D,
) {
    let mut out = Row::<D::Bits>::default();
    let a = A::row(frame, operands.s[0]);
    for lane in 0..LANES {
        out.0[lane] = f(A::from_bits(a.0[lane]), operands.aux).to_bits();
    }
    write(D::row_mut(frame, operands.d[0]), &out, mask);
}

#[inline(always)]
pub(crate) fn map2<A: Value, B: Value, D: Value>(
    frame: &mut Frame<'_>,
    operands: &Operands,
    mask: u32,
    f: impl Fn(A, B, u64) -> D,
) {
    let mut out = Row::<D::Bits>::default();
    let a = A::row(frame, operands.s[0]);
    let b = B::row(frame, operands.s[1]);
    for lane in 0..LANES {
        out.0[lane] = f(
            A::from_bits(a.0[lane]),
            B::from_bits(b.0[lane]),
            operands.aux,
        )
        .to_bits();
    }
    write(D::row_mut(frame, operands.d[0]), &out, mask);
}

#[inline(always)]
pub(crate) fn map3<A: Value, B: Value, C: Value, D: Value>(
    frame: &mut Frame<'_>,
    operands: &Operands,
    mask: u32,
    f: impl Fn(A, B, C, u64) -> D,
) {
    let mut out = Row::<D::Bits>::default();
    let a = A::row(frame, operands.s[0]);
    let b = B::row(frame, operands.s[1]);
    let c = C::row(frame, operands.s[2]);
    for lane in 0..LANES {
        out.0[lane] = f(
            A::from_bits(a.0[lane]),
            B::from_bits(b.0[lane]),
            C::from_bits(c.0[lane]),
            operands.aux,
        )
        .to_bits();
    }
    write(D::row_mut(frame, operands.d[0]), &out, mask);
}

/// A comparison of two rows, as bits.
#[inline(always)]
pub(crate) fn test2<A: Value, B: Value>(
    frame: &Frame<'_>,
    operands: &Operands,
    f: impl Fn(A, B) -> bool,
) -> u32 {
    let a = A::row(frame, operands.s[0]);
    let b = B::row(frame, operands.s[1]);
    let hits: [u32; LANES] = std::array::from_fn(|lane| {
        u32::from(f(A::from_bits(a.0[lane]), B::from_bits(b.0[lane]))) << lane
    });
    hits.iter().fold(0, |bits, hit| bits | hit)
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
            if $crate::exec::fast_lanes() {
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
        $crate::exec::lanes!(|$a: $A; _aux| -> $D { $($body)* })
    };
    (|$a:ident: $A:ty; $aux:ident| -> $D:ty { $($body:tt)* }) => {
        $crate::exec::lane_fn!(|f, o, m| $crate::exec::map1::<$A, $D>(f, o, m, |$a, $aux| { $($body)* }))
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty| -> $D:ty { $($body:tt)* }) => {
        $crate::exec::lanes!(|$a: $A, $b: $B; _aux| -> $D { $($body)* })
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty; $aux:ident| -> $D:ty { $($body:tt)* }) => {
        $crate::exec::lane_fn!(|f, o, m| $crate::exec::map2::<$A, $B, $D>(f, o, m, |$a, $b, $aux| { $($body)* }))
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty| -> $D:ty { $($body:tt)* }) => {
        $crate::exec::lanes!(|$a: $A, $b: $B, $c: $C; _aux| -> $D { $($body)* })
    };
    (|$a:ident: $A:ty, $b:ident: $B:ty, $c:ident: $C:ty; $aux:ident| -> $D:ty { $($body:tt)* }) => {
        $crate::exec::lane_fn!(|f, o, m| $crate::exec::map3::<$A, $B, $C, $D>(f, o, m, |$a, $b, $c, $aux| { $($body)* }))
    };
}

pub(crate) use lane_fn;
pub(crate) use lanes;
