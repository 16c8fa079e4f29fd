//! A warp: its registers, its paths, and the loop that runs instructions.

mod storage;
mod waiting;

pub(crate) use storage::Lanes;

use super::block::{BarrierState, BlockState};
use super::launch::Launch;
use super::memory::Cells;
use super::path::{Caller, Path, Paths, Polls, Wait};
use crate::error::{Fault, FaultKind, Waiter};
use crate::exec::{
    async_copy, atomic, barrier, control, mbarrier, memory, special, system, warp as collective,
};
use crate::ir::{FULL, Frame, Guard, Instruction, Op, Pool, Row};
use crate::observe::{Observer, Site};

/// Warp instructions after which another path of a divergent warp runs.
const PATH_TURN: u32 = 512;

#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) lanes: Lanes,
    pub(crate) paths: Paths,
}

/// What an instruction works with besides its warp.
pub(crate) struct Context<'a, O> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) block: &'a mut BlockState,
    pub(crate) observer: &'a mut O,
    /// Nanoseconds since the launch, as the kernel sees them.
    pub(crate) time: u64,
}

/// A fault before it knows its place: the lane, and what.
pub(crate) type LaneFault = (u32, FaultKind);

/// What a turn ended with.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// There is more to do.
    Ready,
    /// All paths wait.
    Blocked,
    /// All lanes have exited.
    Finished,
}

/// Why a path stopped running.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Stop {
    /// Its turn is over; it is listed last.
    Turn,
    /// It lets other warps run; it is listed last.
    Yielded,
    /// It waits, has met others, or has ended.
    Elsewhere,
}

/// What the path does after an instruction that the inner loop does not know.
pub(crate) enum Next {
    /// The next instruction, or another one.
    To(u32),
    /// As `To`, but another warp first.
    Yield(u32),
    /// Stays at this instruction and waits.
    Wait(Wait),
    /// No lanes are left on this path.
    Ended,
}

#[inline(always)]
fn active(guard: Guard, predicates: &[u32], mask: u32) -> u32 {
    match guard.0 {
        None => mask,
        Some(source) => {
            let bits = predicates[source.index()];
            mask & if source.flagged() { !bits } else { bits }
        }
    }
}

impl Warp {
    /// Runs at most `left` instructions, and takes those that it ran from it.
    pub(crate) fn run<O: Observer>(
        &mut self,
        context: &mut Context<'_, O>,
        left: &mut u32,
        choice: u64,
    ) -> Result<Turn, Box<Fault>> {
        let budget = *left;
        while *left > 0 {
            self.serve_waiters(context)?;
            let Some(index) = self.pick(context.block, choice) else {
                if self.paths.release_any() {
                    continue;
                }
                return Ok(if self.paths.live == 0 {
                    Turn::Finished
                } else {
                    Turn::Blocked
                });
            };
            let mut path = self.paths.list.remove(index);
            if self.resume(context, &mut path)? && path.pc == path.meet {
                self.paths.arrive(path);
                continue;
            }
            let alone = path.mask == self.paths.live;
            let turn = if alone { *left } else { (*left).min(PATH_TURN) };
            let mut rest = turn;
            let stop = self.run_path(context, path, &mut rest);
            *left -= turn - rest;
            let stop = stop?;
            if stop != Stop::Elsewhere && !alone {
                self.paths.had_turn();
            }
            if stop == Stop::Yielded {
                break;
            }
        }
        self.lanes.executed += u64::from(budget - *left);
        Ok(if self.paths.live == 0 {
            Turn::Finished
        } else {
            Turn::Ready
        })
    }

    /// Runs a path until its turn is over, it waits, or it ends.
    fn run_path<O: Observer>(
        &mut self,
        context: &mut Context<'_, O>,
        mut path: Path,
        left: &mut u32,
    ) -> Result<Stop, Box<Fault>> {
        let code = context.launch.instructions();
        loop {
            if *left == 0 {
                self.paths.list.push(path);
                return Ok(Stop::Turn);
            }
            self.run_straight(context, code, &mut path, left);
            if path.pc == path.meet {
                self.paths.arrive(path);
                return Ok(Stop::Elsewhere);
            }
            if *left == 0 {
                continue;
            }
            *left -= 1;
            let instruction = &code[path.pc as usize];
            let lanes = active(
                instruction.guard,
                &self.lanes.registers.predicates[path.bases.predicates as usize..],
                path.mask,
            );
            if O::INSTRUCTIONS {
                let site = self.site(context.block, path.pc);
                context
                    .observer
                    .instruction(site, instruction.class, lanes, path.mask);
            }
            match self.step(context, &mut path, instruction, lanes) {
                Ok(Next::To(pc)) => {
                    path.pc = pc;
                    if path.pc == path.meet {
                        self.paths.arrive(path);
                        return Ok(Stop::Elsewhere);
                    }
                }
                Ok(Next::Yield(pc)) => {
                    path.pc = pc;
                    if path.pc == path.meet {
                        self.paths.arrive(path);
                        return Ok(Stop::Elsewhere);
                    }
                    path.polls = Polls::Strongly;
                    self.paths.list.push(path);
                    return Ok(Stop::Yielded);
                }
                Ok(Next::Wait(wait)) => {
                    path.wait = Some(wait);
                    self.paths.list.push(path);
                    if let Wait::Collective { .. } = wait {
                        self.complete_collectives(context);
                    }
                    return Ok(Stop::Elsewhere);
                }
                Ok(Next::Ended) => {
                    self.complete_collectives(context);
                    return Ok(Stop::Elsewhere);
                }
                Err((lane, kind)) => return Err(self.fault(context, &path, lane, kind)),
            }
        }
    }

    /// The inner loop: pure instructions and branches that all lanes take
    /// alike. Stops at anything else, not yet run.
    fn run_straight<O: Observer>(
        &mut self,
        context: &mut Context<'_, O>,
        code: &[Instruction],
        path: &mut Path,
        left: &mut u32,
    ) {
        let warp = self.lanes.index;
        let mut frame = self.lanes.registers.frame(path, &context.launch.pool);
        let (mut pc, mask, meet) = (path.pc, path.mask, path.meet);
        let mut rest = *left;
        while rest > 0 {
            let instruction = &code[pc as usize];
            let lanes = active(instruction.guard, frame.predicates, mask);
            let next = match &instruction.op {
                Op::Lanes(run) => {
                    if lanes != 0 {
                        run(&mut frame, &instruction.operands, lanes);
                    }
                    pc + 1
                }
                Op::Branch { target, .. } if lanes == mask => *target,
                Op::Branch { .. } if lanes == 0 => pc + 1,
                Op::Nothing => pc + 1,
                _ => break,
            };
            if O::INSTRUCTIONS {
                let site = context.block.site(pc, warp);
                context
                    .observer
                    .instruction(site, instruction.class, lanes, mask);
            }
            rest -= 1;
            pc = next;
            if pc == meet {
                break;
            }
        }
        *left = rest;
        path.pc = pc;
    }

    pub(crate) fn site(&self, block: &BlockState, pc: u32) -> Site {
        block.site(pc, self.lanes.index)
    }

    /// An instruction that touches memory, other lanes or the control flow.
    fn step<O: Observer>(
        &mut self,
        context: &mut Context<'_, O>,
        path: &mut Path,
        instruction: &Instruction,
        lanes: u32,
    ) -> Result<Next, LaneFault> {
        let next = Next::To(path.pc + 1);
        let operands = &instruction.operands;
        match &instruction.op {
            Op::Branch { target, reconverge } => {
                if O::CONTROL {
                    let site = self.site(context.block, path.pc);
                    context.observer.branch(site, lanes, path.mask);
                }
                let away_first = context.launch.away_first(self.lanes.executed, path.pc);
                let fall = path.pc + 1;
                self.paths
                    .split(path, lanes, *target, fall, *reconverge, away_first);
                return Ok(Next::To(path.pc));
            }
            Op::BranchIndexed {
                index,
                targets,
                reconverge,
            } => {
                return control::branch_indexed(
                    context,
                    self,
                    path,
                    *index,
                    targets,
                    *reconverge,
                    lanes,
                );
            }
            Op::Exit => return Ok(self.exit(context, path, lanes)),
            _ if lanes == 0 => return Ok(next),
            Op::Lanes(run) => {
                let mut frame = self.lanes.registers.frame(path, &context.launch.pool);
                run(&mut frame, operands, lanes);
            }
            Op::Special(special) => {
                special::run(context, &mut self.lanes, path, *special, operands, lanes)
            }
            Op::FrameAddress { wide, generic } => {
                special::frame_address(
                    context,
                    &mut self.lanes,
                    path,
                    (*wide, *generic),
                    operands,
                    lanes,
                );
            }
            Op::Load(access) => {
                path.polls = path.polls.max(access.polls());
                memory::load(context, &mut self.lanes, path, access, lanes)?;
            }
            Op::Store(access) => memory::store(context, &mut self.lanes, path, access, lanes)?,
            Op::Atomic(atomic) => {
                path.polls = Polls::Strongly;
                atomic::run(context, &mut self.lanes, path, atomic, operands, lanes)?;
            }
            Op::Fence(order, scope) => {
                std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
                if O::MEMORY {
                    let site = self.site(context.block, path.pc);
                    context.observer.fence(site, lanes, *order, *scope);
                }
            }
            Op::Call(call) => {
                return control::call(context, self, path, call, lanes);
            }
            Op::Return => return control::ret(context, self, path),
            Op::Trap => return Err((lanes.trailing_zeros(), FaultKind::Trap)),
            Op::Barrier(barrier) => {
                return barrier::arrive(context, self, path, barrier, lanes);
            }
            Op::Asynchronous(asynchronous) => {
                async_copy::run(context, &mut self.lanes, path, asynchronous, lanes)?;
            }
            Op::Mbarrier(mbarrier) => {
                path.polls = Polls::Strongly;
                let warp = &mut self.lanes;
                return mbarrier::run(context, warp, path, mbarrier, operands, lanes);
            }
            Op::System(system) => {
                return system::run(context, self, path, system, operands, lanes);
            }
            Op::Collective(kind) => {
                return collective::arrive(context, self, path, kind, operands, lanes);
            }
            Op::Yield => return Ok(Next::Yield(path.pc + 1)),
            Op::Mark => {
                if O::CONTROL {
                    let site = self.site(context.block, path.pc);
                    context.observer.mark(site, lanes);
                }
            }
            Op::Nothing => {}
        }
        Ok(next)
    }

    pub(crate) fn fault<O: Observer>(
        &self,
        context: &Context<'_, O>,
        path: &Path,
        lane: u32,
        kind: FaultKind,
    ) -> Box<Fault> {
        let code = context.launch.code;
        Box::new(Fault {
            kind,
            kernel: code.functions[context.launch.kernel as usize].name.clone(),
            pc: path.pc,
            line: code.line(path.pc),
            text: code.statement(path.pc),
            source_line: code.authors_line(path.pc),
            block: context.block.index,
            thread: context.launch.thread(self.lanes.index * 32 + lane),
        })
    }

    /// Where the paths are, for a deadlock's report.
    pub(crate) fn waiters(&self, launch: &Launch<'_>, block: &BlockState) -> Vec<Waiter> {
        let describe = |path: &Path| match path.wait {
            None => "runs".to_owned(),
            Some(Wait::Barrier { id, .. }) => {
                let barrier = &block.barriers[id as usize];
                let expected = if barrier.expected == 0 {
                    block.live
                } else {
                    barrier.expected
                };
                format!(
                    "waits at barrier {id}, where {} of {expected} threads are",
                    barrier.arrived
                )
            }
            Some(Wait::Cluster { .. }) => format!(
                "waits at the barrier of the cluster, where {} of {} threads are",
                block.cluster.arrived, block.live
            ),
            Some(Wait::Mbarrier { offset, .. }) => waiting::at_mbarrier(block, offset),
            Some(Wait::Collective { members, .. }) => {
                format!("waits for the lanes {members:#010x} of a warp collective")
            }
        };
        self.paths
            .list
            .iter()
            .map(|path| Waiter {
                block: block.index,
                warp: self.lanes.index,
                lanes: path.mask,
                reason: describe(path),
                collective: match path.wait {
                    Some(Wait::Collective { members, .. }) => Some(members),
                    _ => None,
                },
                pc: path.pc,
                line: launch.code.line(path.pc),
                source_line: launch.code.authors_line(path.pc),
            })
            .collect()
    }
}

/// Lanes of the warp `index` of a block of `threads`.
pub(crate) fn full_mask(threads: u32, index: u32) -> u32 {
    let left = threads - index * 32;
    if left >= 32 { FULL } else { (1 << left) - 1 }
}
