//! The rows and the local memory of a warp, and how they grow with calls.

use super::launch::Launch;
use super::memory::Cells;
use super::path::{Caller, Path};
use crate::error::FaultKind;
use crate::ir::{Frame, Guard, Pool, Row, Slot};
use crate::lower::{LOCAL, Sizes};

/// Bytes of local memory that a call takes besides the callee's variables, for
/// its return address: a recursion without variables ends too.
const RETURN: u64 = 16;

/// All rows of a warp, call frames one behind the other.
#[derive(Debug, Default)]
pub(crate) struct Registers {
    pub(crate) w32: Vec<Row<u32>>,
    pub(crate) w64: Vec<Row<u64>>,
    pub(crate) predicates: Vec<u32>,
}

impl Registers {
    #[inline(always)]
    pub(crate) fn frame<'f>(&'f mut self, path: &Path, pool: &'f Pool) -> Frame<'f> {
        Frame {
            w32: &mut self.w32[path.bases.w32 as usize..],
            w64: &mut self.w64[path.bases.w64 as usize..],
            predicates: &mut self.predicates[path.bases.predicates as usize..],
            pool,
        }
    }
}

/// Everything of a warp but its paths.
#[derive(Debug)]
pub(crate) struct Lanes {
    pub(crate) registers: Registers,
    /// Local memory of all lanes, interleaved by 8 bytes: byte `b` of lane
    /// `l` is at `b / 8 * 256 + l * 8 + b % 8`, so that it can grow.
    pub(crate) local: Cells,
    /// Bytes of local memory that a lane has; there may be room for more.
    pub(crate) local_bytes: u64,
    /// Warp of the block.
    pub(crate) index: u32,
    /// The allocation that was accessed last.
    pub(crate) last_allocation: usize,
    /// Instructions that this warp has run.
    pub(crate) executed: u64,
}

/// The lanes of `mask` for which the guard is true.
#[inline(always)]
pub(crate) fn active(guard: Guard, predicates: &[u32], mask: u32) -> u32 {
    match guard.0 {
        None => mask,
        Some(source) => {
            let bits = predicates[source.index()];
            mask & if source.flagged() { !bits } else { bits }
        }
    }
}

impl Lanes {
    /// Of warp `index` of a block, in the frame of the kernel.
    pub(super) fn new(sizes: Sizes, index: u32) -> Self {
        let registers = Registers {
            w32: vec![Row::default(); sizes.w32 as usize],
            w64: vec![Row::default(); sizes.w64 as usize],
            predicates: vec![0; sizes.predicates as usize],
        };
        let mut lanes = Lanes {
            registers,
            local: Cells::default(),
            local_bytes: 0,
            index,
            last_allocation: 0,
            executed: 0,
        };
        lanes.grow_local(u64::from(sizes.local));
        lanes
    }

    /// Makes them new for another block of the same launch.
    pub(super) fn reset(&mut self) {
        self.registers.w32.fill(Row::default());
        self.registers.w64.fill(Row::default());
        self.registers.predicates.fill(0);
        self.executed = 0;
    }

    /// Pushes a call frame of the path, and makes room for it.
    pub(crate) fn push_frame(
        &mut self,
        launch: &Launch<'_>,
        path: &mut Path,
        callee: u32,
    ) -> Result<(), FaultKind> {
        let functions = &launch.code.functions;
        let sizes = functions[path.function as usize].sizes;
        path.callers.push(Caller {
            pc: path.pc,
            bases: path.bases,
            function: path.function,
        });
        path.bases.w32 += sizes.w32;
        path.bases.w64 += sizes.w64;
        path.bases.predicates += sizes.predicates;
        path.bases.local += sizes.local;
        path.function = callee;
        let (bases, sizes) = (path.bases, functions[callee as usize].sizes);
        let rows = bases.w32 as usize + bases.w64 as usize;
        let local = u64::from(bases.local) + u64::from(sizes.local);
        let returns = RETURN * path.callers.len() as u64;
        if local + returns > u64::from(LOCAL) || rows > 1 << 20 {
            return Err(FaultKind::StackOverflow { limit: LOCAL });
        }
        let registers = &mut self.registers;
        grow(&mut registers.w32, bases.w32 + sizes.w32);
        grow(&mut registers.w64, bases.w64 + sizes.w64);
        grow(
            &mut registers.predicates,
            bases.predicates + sizes.predicates,
        );
        // Another function's frame may have been here.
        registers.predicates[(bases.predicates + Slot::FALSE.0) as usize] &= !path.mask;
        self.grow_local(local);
        Ok(())
    }

    /// A lane has at least `bytes` bytes. The room doubles, so that a recursion
    /// takes time in proportion to its depth.
    fn grow_local(&mut self, bytes: u64) {
        let bytes = bytes.next_multiple_of(8);
        self.local_bytes = self.local_bytes.max(bytes);
        let (need, have) = (bytes * 32, self.local.len());
        if need > have {
            let grown = Cells::zeroed(need.max((2 * have).min(u64::from(LOCAL) * 32)));
            let mut old = vec![0; self.local.len() as usize];
            self.local.read(0, &mut old);
            grown.write(0, &old);
            self.local = grown;
        }
    }

    /// Lanes of the path for which its instruction's guard is true.
    pub(crate) fn guarded(&mut self, launch: &Launch<'_>, path: &Path) -> u32 {
        let guard = launch.instructions()[path.pc as usize].guard;
        let frame = self.registers.frame(path, &launch.pool);
        active(guard, frame.predicates, path.mask)
    }
}

/// At least `need` entries.
fn grow<T: Copy + Default>(list: &mut Vec<T>, need: u32) {
    list.resize(list.len().max(need as usize), T::default());
}
