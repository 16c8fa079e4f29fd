//! What paths of a warp wait for, and what lets them go on: barriers,
//! mbarriers, collectives, exits.

use crate::error::{Fault, Waiter};
use crate::exec::{barrier, mbarrier, system, warp as collective};
use crate::machine::{
    BARRIERS, BarrierState, BlockState, CLUSTER_BARRIER, Context, Launch, Next, Path, Schedule,
    Wait, Warp, copying, mbarrier as object,
};
use crate::observe::Observer;

/// What an mbarrier still needs, for a deadlock's report.
fn at_mbarrier(block: &BlockState, offset: u64) -> String {
    match object::read(block, offset) {
        Ok(state) => format!(
            "waits at the mbarrier at byte {offset} of shared memory, which misses {} of {} arrivals and {} bytes",
            state.pending, state.expected, state.transactions
        ),
        Err(kind) => format!("waits at an mbarrier: {kind}"),
    }
}

impl Warp {
    /// Makes the copies that mbarriers need which paths wait at: the latest
    /// moment. With a seed they are made at random.
    pub(super) fn serve_waiters<O: Observer>(
        &mut self,
        context: &mut Context<'_, O>,
    ) -> Result<(), Box<Fault>> {
        if context.block.transfers.is_empty()
            || context.launch.options.schedule != Schedule::Deterministic
        {
            return Ok(());
        }
        for path in &self.paths.list {
            if let Some(Wait::Mbarrier { offset, parity, .. }) = path.wait
                && !object::passed(context.block, offset, parity)
                && let Err(failure) = copying::serve(context, offset)
            {
                let fault = (path.mask.trailing_zeros(), failure.told(context.launch));
                return Err(self.fault(context, path, fault));
            }
        }
        Ok(())
    }

    /// A path goes on behind what it waited for; true when its instruction is
    /// done with.
    pub(super) fn resume<O: Observer>(
        &mut self,
        context: &mut Context<'_, O>,
        path: &mut Path,
    ) -> Result<bool, Box<Fault>> {
        let Some(wait) = path.wait.take() else {
            return Ok(false);
        };
        let instruction = &context.launch.instructions()[path.pc as usize];
        let lanes = self.lanes.guarded(context.launch, path);
        let mut at = self.issue(context, path, instruction, lanes);
        let finished = match wait {
            Wait::Barrier { id, phase } => barrier::finish(&mut at, id, phase),
            Wait::Mbarrier { .. } => mbarrier::finish(&mut at),
            Wait::Cluster { .. } => system::finish_cluster_wait(&mut at),
            Wait::Collective { .. } => return Ok(false),
        };
        finished.map_err(|fault| self.fault(context, path, fault))?;
        path.pc += 1;
        Ok(true)
    }

    /// Nothing of the block can move: `try_wait`s end without success.
    pub(super) fn expire(&mut self) {
        for path in &mut self.paths.list {
            if let Some(Wait::Mbarrier { expired, .. }) = &mut path.wait {
                *expired = true;
            }
        }
    }

    /// The path that runs next: the one that has waited longest, or, with a
    /// choice, whose lowest bit only says that there is one, any that can run.
    pub(super) fn pick(&self, block: &BlockState, choice: u64) -> Option<usize> {
        let ready = |path: &Path| match path.wait {
            None => true,
            Some(Wait::Barrier { id, phase }) => block
                .barriers
                .get(id as usize)
                .is_none_or(|barrier: &BarrierState| barrier.phase != phase),
            Some(Wait::Cluster { phase }) => block.cluster.phase != phase,
            Some(Wait::Mbarrier {
                offset,
                parity,
                expired,
            }) => expired || object::passed(block, offset, parity),
            Some(Wait::Collective { .. }) => false,
        };
        let list = &self.paths.list;
        let start = if choice == 0 || list.is_empty() {
            0
        } else {
            ((choice >> 1) % list.len() as u64) as usize
        };
        (start..list.len())
            .chain(0..start)
            .find(|&index| ready(&list[index]))
    }

    pub(super) fn exit<O: Observer>(
        &mut self,
        context: &mut Context<'_, O>,
        path: &mut Path,
        lanes: u32,
    ) -> Next {
        let Context {
            block, observer, ..
        } = context;
        if O::CONTROL && lanes != 0 {
            observer.exit(block.site(path.pc, self.lanes.index), lanes);
        }
        path.mask &= !lanes;
        self.paths.retire(lanes, path);
        let before: [u64; BARRIERS] = std::array::from_fn(|id| block.barriers[id].phase);
        let cluster = block.cluster.phase;
        block.exit(self.lanes.index, lanes);
        if O::CONTROL {
            if block.cluster.phase != cluster {
                observer.barrier_completes(block.linear, CLUSTER_BARRIER);
            }
            for (id, phase) in before.iter().enumerate() {
                if block.barriers[id].phase != *phase {
                    observer.barrier_completes(block.linear, id as u32);
                }
            }
        }
        if path.mask == 0 {
            Next::Ended
        } else {
            Next::To(path.pc + 1)
        }
    }

    /// Runs every collective for which all lanes have come.
    pub(super) fn complete_collectives<O: Observer>(&mut self, context: &mut Context<'_, O>) {
        while collective::complete_one(context, self) {
            let met = |path: &mut Path| path.wait.is_none() && path.pc == path.meet;
            let met: Vec<Path> = self.paths.list.extract_if(.., met).collect();
            for path in met {
                self.paths.arrive(path);
            }
        }
    }

    /// Where the paths are, for a deadlock's report.
    pub(super) fn waiters(&self, launch: &Launch<'_>, block: &BlockState) -> Vec<Waiter> {
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
            Some(Wait::Mbarrier { offset, .. }) => at_mbarrier(block, offset),
            Some(Wait::Collective { members, .. }) => {
                format!("waits for the lanes {members:#010x} of a warp collective")
            }
        };
        self.paths
            .list
            .iter()
            .map(|path| Waiter {
                device: launch.device(block.device),
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
