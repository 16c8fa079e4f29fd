//! One instruction that touches memory, other lanes or the control flow: who
//! runs it.

use crate::error::FaultKind;
use crate::exec::{
    async_copy, atomic, barrier, control, mbarrier, memory, special, system, warp as collective,
};
use crate::ir::{Instruction, Op};
use crate::machine::{Context, Issue, LaneFault, Next, Path, Polls, Warp};
use crate::observe::Observer;

impl Warp {
    /// An instruction for the lanes for which its guard is true.
    #[inline(always)]
    pub(super) fn issue<'i, 'l, O>(
        &'i mut self,
        context: &'i mut Context<'l, O>,
        path: &'i mut Path,
        instruction: &'i Instruction,
        lanes: u32,
    ) -> Issue<'i, 'l, O> {
        Issue {
            context,
            warp: &mut self.lanes,
            paths: &mut self.paths,
            path,
            operands: &instruction.operands,
            lanes,
        }
    }

    pub(super) fn step<O: Observer>(
        &mut self,
        context: &mut Context<'_, O>,
        path: &mut Path,
        instruction: &Instruction,
        lanes: u32,
    ) -> Result<Next, LaneFault> {
        if matches!(instruction.op, Op::Exit) {
            return Ok(self.exit(context, path, lanes));
        }
        let mut at = self.issue(context, path, instruction, lanes);
        match &instruction.op {
            Op::Branch { target, reconverge } => {
                return Ok(control::branch(&mut at, *target, *reconverge));
            }
            Op::BranchIndexed {
                index,
                targets,
                reconverge,
            } => return control::branch_indexed(&mut at, *index, targets, *reconverge),
            _ if lanes == 0 => {}
            Op::Lanes(run) => run(&mut at.frame(), &instruction.operands, lanes),
            Op::Special(special) => special::run(&mut at, *special),
            Op::FrameAddress { wide, generic } => special::frame_address(&mut at, *wide, *generic),
            Op::Load(access) => memory::load(&mut at, access)?,
            Op::Store(access) => memory::store(&mut at, access)?,
            Op::Atomic(atomic) => atomic::run(&mut at, atomic)?,
            Op::Fence(order, scope) => {
                std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
                if O::MEMORY {
                    let site = at.site();
                    at.context.observer.fence(site, lanes, *order, *scope);
                }
            }
            Op::Call(call) => return control::call(&mut at, call),
            Op::Return => return control::ret(&mut at),
            Op::Trap => return Err(at.fault(FaultKind::Trap)),
            Op::Barrier(barrier) => return barrier::arrive(&mut at, barrier),
            Op::Asynchronous(asynchronous) => async_copy::run(&mut at, asynchronous)?,
            Op::Mbarrier(mbarrier) => {
                at.path.polls = Polls::Strongly;
                return mbarrier::run(&mut at, mbarrier);
            }
            Op::System(system) => return system::run(&mut at, system),
            Op::Collective(kind) => return collective::arrive(&mut at, *kind),
            Op::Yield => return Ok(Next::Yield(at.path.pc + 1)),
            Op::Mark => {
                if O::CONTROL {
                    let site = at.site();
                    at.context.observer.mark(site, lanes);
                }
            }
            Op::Exit | Op::Nothing => {}
        }
        Ok(at.next())
    }
}
