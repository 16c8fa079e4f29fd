//! The loop that runs the instructions of one warp, path by path.

use crate::error::Fault;
use crate::ir::{Instruction, Op};
use crate::machine::{Context, Next, Path, Polls, Wait, Warp, active};
use crate::observe::Observer;

/// Warp instructions after which another path of a divergent warp runs.
const PATH_TURN: u32 = 512;

/// What a turn ended with.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Turn {
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

impl Warp {
    /// Runs at most `left` instructions, and takes those that it ran from it.
    pub(super) fn run<O: Observer>(
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
                return Ok(self.turn(Turn::Blocked));
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
        Ok(self.turn(Turn::Ready))
    }

    /// How a turn ended, unless all lanes have exited.
    fn turn(&self, otherwise: Turn) -> Turn {
        match self.paths.live {
            0 => Turn::Finished,
            _ => otherwise,
        }
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
                let site = context.block.site(path.pc, self.lanes.index);
                let class = instruction.class;
                context.observer.instruction(site, class, lanes, path.mask);
            }
            if O::REGISTERS && context.observer.follows() {
                let site = context.block.site(path.pc, self.lanes.index);
                let frame = self.lanes.registers.frame(&path, &context.launch.pool);
                let rows = path.bases.rows();
                context.observer.registers(site, lanes, rows, &frame);
            }
            let next = self.step(context, &mut path, instruction, lanes);
            let yields = matches!(next, Ok(Next::Yield(_)));
            match next {
                Ok(Next::To(pc) | Next::Yield(pc)) => {
                    path.pc = pc;
                    if path.pc == path.meet {
                        self.paths.arrive(path);
                        return Ok(Stop::Elsewhere);
                    }
                    if yields {
                        path.polls = Polls::Strongly;
                        self.paths.list.push(path);
                        return Ok(Stop::Yielded);
                    }
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
                Err(fault) => return Err(self.fault(context, &path, fault)),
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
            if O::REGISTERS
                && runs_straight(&instruction.op, lanes, mask)
                && context.observer.follows()
            {
                let site = context.block.site(pc, warp);
                let rows = path.bases.rows();
                context.observer.registers(site, lanes, rows, &frame);
            }
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
                let class = instruction.class;
                context.observer.instruction(site, class, lanes, mask);
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
}

/// Whether the inner loop runs an instruction.
fn runs_straight(op: &Op, lanes: u32, mask: u32) -> bool {
    match op {
        Op::Lanes(_) | Op::Nothing => true,
        Op::Branch { .. } => lanes == mask || lanes == 0,
        _ => false,
    }
}
