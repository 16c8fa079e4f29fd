//! Registers as rows: a value a lane, and where a row is.
//!
//! A register is a row of 32 values, one a lane; predicates are rows of bits.
//! An immediate is a row of the constant pool, so that a lane loop reads all
//! of its operands alike.

use ptx_syntax::Type;

use crate::observe::{Register, Registers};

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// All lanes.
pub(crate) const FULL: u32 = u32::MAX;

/// The lanes of a mask, rising.
#[inline(always)]
pub(crate) fn lanes_of(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// The lanes for which `holds` is true, as a mask.
#[inline(always)]
pub(crate) fn mask_of(holds: impl Fn(usize) -> bool) -> u32 {
    (0..LANES).fold(0, |mask, lane| mask | u32::from(holds(lane)) << lane)
}

/// One register of a warp, lane by lane.
#[derive(Copy, Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Row<T>(pub(crate) [T; LANES]);

impl<T: Copy + Default> Default for Row<T> {
    fn default() -> Self {
        Row([T::default(); LANES])
    }
}

/// The three register files.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Width {
    Predicate,
    /// 8, 16 and 32 bits.
    W32,
    W64,
}

impl Width {
    /// The file that a value of this type lives in; 128 bits are two slots
    /// of `W64`.
    pub(crate) fn of(ty: Type) -> Width {
        match ty.bytes() {
            _ if ty == Type::Predicate => Width::Predicate,
            8 | 16 => Width::W64,
            _ => Width::W32,
        }
    }
}

/// A row that is written. Slot 0 of each file takes what goes to `_`; predicate 1 is false.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) u32);

impl Slot {
    pub(crate) const SINK: Slot = Slot(0);
    /// A predicate that nothing writes.
    pub(crate) const FALSE: Slot = Slot(1);
}

const FLAG: u32 = 1 << 31;

/// A row that is read: a register, or (flagged) a row of the pool; for a
/// predicate the flag means `!p`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Source(u32);

impl Source {
    pub(crate) fn register(slot: Slot) -> Self {
        Source(slot.0)
    }
    pub(crate) fn pool(index: u32) -> Self {
        Source(index | FLAG)
    }
    pub(crate) fn predicate(slot: Slot, negated: bool) -> Self {
        Source(slot.0 | if negated { FLAG } else { 0 })
    }
    pub(crate) fn flagged(self) -> bool {
        self.0 & FLAG != 0
    }
    pub(crate) fn index(self) -> usize {
        (self.0 & !FLAG) as usize
    }
}

/// Up to four rows written and four read, and a number that the group gives a
/// meaning (a shift, a look-up table, a selector).
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Operands {
    pub(crate) d: [Slot; 4],
    pub(crate) s: [Source; 4],
    pub(crate) aux: u64,
}

/// The rows of one call frame of one warp, and the pool.
pub(crate) struct Frame<'a> {
    pub(crate) w32: &'a mut [Row<u32>],
    pub(crate) w64: &'a mut [Row<u64>],
    pub(crate) predicates: &'a mut [u32],
    pub(crate) pool: &'a Pool,
}

impl Registers for Frame<'_> {
    fn bits(&self, register: Register, lane: usize) -> u64 {
        let row = register.row as usize;
        match register.bits {
            1 => u64::from(self.predicates[row] >> lane & 1),
            64 => self.w64[row].0[lane],
            bits => u64::from(self.w32[row].0[lane]) & (u64::MAX >> (64 - bits)),
        }
    }
}

/// Immediates and addresses, a row each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    pub(crate) w32: Vec<Row<u32>>,
    pub(crate) w64: Vec<Row<u64>>,
}

/// A pure instruction: reads and writes rows in the lanes of the mask.
pub(crate) type LaneFn = fn(&mut Frame<'_>, &Operands, u32);

/// The value of one lane, and the row it lives in.
pub(crate) trait Value: Copy {
    type Bits: Bits;
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

/// The bits of a lane of a row.
pub(crate) trait Bits: Copy + Default {
    /// These bits where the lowest bit of `chosen` is set, else the `old` ones: arithmetic and
    /// no branch, so that a row of them is vectorised.
    fn or_old(self, old: Self, chosen: u32) -> Self;
}

macro_rules! bits {
    ($($ty:ident)*) => {
        $(impl Bits for $ty {
            #[inline(always)]
            fn or_old(self, old: Self, chosen: u32) -> Self {
                let kept = $ty::from(chosen & 1).wrapping_sub(1);
                self & !kept | old & kept
            }
        })*
    };
}

bits!(u32 u64);

/// Writes the lanes of `mask`.
#[inline(always)]
pub(crate) fn write<T: Bits>(row: &mut Row<T>, new: &Row<T>, mask: u32) {
    if mask == FULL {
        *row = *new;
    } else {
        for lane in 0..LANES {
            row.0[lane] = new.0[lane].or_old(row.0[lane], mask >> lane);
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
