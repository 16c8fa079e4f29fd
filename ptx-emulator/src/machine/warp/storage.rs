//! The rows and the local memory of a warp, and how they grow with calls.

use super::*;
use crate::lower::scope::LOCAL;

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

impl Warp {
    /// Pushes a call frame.
    pub(crate) fn push_frame<O: Observer>(
        &mut self,
        context: &mut Context<'_, O>,
        path: &mut Path,
        callee: u32,
    ) -> Result<(), FaultKind> {
        let sizes = context.launch.code.functions[path.function as usize].sizes;
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
        self.reserve(context.launch, path, callee)?;
        self.paths.set_meet(path);
        Ok(())
    }

    /// Makes room for the frame of `function`.
    fn reserve(
        &mut self,
        launch: &Launch<'_>,
        path: &Path,
        function: u32,
    ) -> Result<(), FaultKind> {
        let sizes = launch.code.functions[function as usize].sizes;
        let rows = path.bases.w32 as usize + path.bases.w64 as usize;
        let local = path.bases.local as u64 + u64::from(sizes.local);
        let returns = RETURN * path.callers.len() as u64;
        if local + returns > u64::from(LOCAL) || rows > 1 << 20 {
            return Err(FaultKind::StackOverflow { limit: LOCAL });
        }
        let registers = &mut self.lanes.registers;
        let grow = |have: usize, need: u32| have.max(need as usize);
        registers.w32.resize(
            grow(registers.w32.len(), path.bases.w32 + sizes.w32),
            Row::default(),
        );
        registers.w64.resize(
            grow(registers.w64.len(), path.bases.w64 + sizes.w64),
            Row::default(),
        );
        registers.predicates.resize(
            grow(
                registers.predicates.len(),
                path.bases.predicates + sizes.predicates,
            ),
            0,
        );
        self.lanes.grow_local(local);
        Ok(())
    }

    pub(crate) fn new(launch: &Launch<'_>, index: u32, mask: u32) -> Self {
        let function = &launch.code.functions[launch.kernel as usize];
        let sizes = function.sizes;
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
        Warp {
            lanes,
            paths: Paths::new(function.code.0, mask, launch.kernel),
        }
    }

    /// Makes the warp new for another block of the same launch.
    pub(crate) fn reset(&mut self, launch: &Launch<'_>, mask: u32) {
        let function = &launch.code.functions[launch.kernel as usize];
        self.lanes.registers.w32.fill(Row::default());
        self.lanes.registers.w64.fill(Row::default());
        self.lanes.registers.predicates.fill(0);
        self.lanes.executed = 0;
        self.paths = Paths::new(function.code.0, mask, launch.kernel);
    }
}

impl Lanes {
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

    /// A 32-bit value that all active lanes have to agree on: the first
    /// one's; `None` when they do not.
    pub(crate) fn uniform(
        &mut self,
        path: &Path,
        pool: &Pool,
        source: crate::ir::Source,
        lanes: u32,
    ) -> Option<u32> {
        use crate::exec::Value;
        let frame = self.registers.frame(path, pool);
        let row = u32::row(&frame, source);
        let first = row.0[Paths::first_lane(lanes)];
        (0..32)
            .all(|lane| lanes >> lane & 1 == 0 || row.0[lane] == first)
            .then_some(first)
    }
}
