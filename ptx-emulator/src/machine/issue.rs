//! An instruction that a path of a warp has come to: what `exec` works on.

use super::path::{Path, Paths};
use super::storage::Lanes;
use super::warp::{Context, LaneFault, Next};
use crate::error::FaultKind;
use crate::ir::{
    Frame, LANES, Operands, Row, Slot, Source, Value, lanes_of, predicate, write, write_predicate,
};
use crate::observe::Site;

/// An instruction, and the lanes that run it.
pub(crate) struct Issue<'i, 'l, O> {
    pub(crate) context: &'i mut Context<'l, O>,
    pub(crate) warp: &'i mut Lanes,
    pub(crate) paths: &'i mut Paths,
    pub(crate) path: &'i mut Path,
    pub(crate) operands: &'i Operands,
    /// Those of the path for which the guard is true.
    pub(crate) lanes: u32,
}

impl<O> Issue<'_, '_, O> {
    /// The rows of the path's call frame.
    #[inline(always)]
    pub(crate) fn frame(&mut self) -> Frame<'_> {
        let pool = &self.context.launch.pool;
        self.warp.registers.frame(self.path, pool)
    }

    /// A row of values.
    #[inline(always)]
    pub(crate) fn row<V: Value>(&mut self, source: Source) -> Row<V::Bits> {
        *V::row(&self.frame(), source)
    }

    /// A predicate.
    pub(crate) fn bits(&mut self, source: Source) -> u32 {
        predicate(&self.frame(), source)
    }

    /// Writes the lanes of `mask` of a row of 64 bits, or of 32.
    #[inline(always)]
    pub(crate) fn put(&mut self, wide: bool, slot: Slot, row: &Row<u64>, mask: u32) {
        let mut frame = self.frame();
        if wide {
            write(u64::row_mut(&mut frame, slot), row, mask);
        } else {
            let mut narrow = Row::<u32>::default();
            for (to, value) in narrow.0.iter_mut().zip(row.0) {
                *to = value as u32;
            }
            write(u32::row_mut(&mut frame, slot), &narrow, mask);
        }
    }

    /// Writes the lanes of `mask` of a predicate.
    pub(crate) fn put_bits(&mut self, slot: Slot, bits: u32, mask: u32) {
        write_predicate(&mut self.frame(), slot, bits, mask);
    }

    /// Makes a predicate of all lanes of `mask` true or false.
    pub(crate) fn set(&mut self, slot: Slot, value: bool, mask: u32) {
        self.put_bits(slot, if value { u32::MAX } else { 0 }, mask);
    }

    /// The instruction as observers see it.
    pub(crate) fn site(&self) -> Site {
        self.context.block.site(self.path.pc, self.warp.index)
    }

    /// The number of a lane's thread in the block.
    pub(crate) fn thread(&self, lane: usize) -> u32 {
        self.warp.index * LANES as u32 + lane as u32
    }

    /// The path goes on behind the instruction.
    pub(crate) fn next(&self) -> Next {
        Next::To(self.path.pc + 1)
    }

    /// A fault of all of them, shown by the first lane.
    pub(crate) fn fault(&self, kind: FaultKind) -> LaneFault {
        (self.lanes.trailing_zeros(), kind)
    }

    /// Does `f` for each lane, rising, until one cannot.
    pub(crate) fn each(
        &mut self,
        mut f: impl FnMut(&mut Self, usize) -> Result<(), FaultKind>,
    ) -> Result<(), LaneFault> {
        for lane in lanes_of(self.lanes) {
            f(self, lane).map_err(|kind| (lane as u32, kind))?;
        }
        Ok(())
    }

    /// A 32-bit value that all lanes have to agree on: the first one's; `None`
    /// when they do not.
    pub(crate) fn uniform(&mut self, source: Source) -> Option<u32> {
        let lanes = self.lanes;
        let frame = self.frame();
        let row = u32::row(&frame, source);
        let first = row.0[Paths::first_lane(lanes)];
        let same = source.flagged() || lanes_of(lanes).all(|lane| row.0[lane] == first);
        same.then_some(first)
    }
}
