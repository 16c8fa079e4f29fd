//! What paths of a warp wait for, and what lets them go on: barriers,
//! mbarriers, collectives, exits.

use super::super::block::{BARRIERS, CLUSTER_BARRIER};
use super::super::launch::Schedule;
use super::super::mbarrier as object;
use super::super::transfer;
use super::*;

/// What an mbarrier still needs, for a deadlock's report.
pub(super) fn at_mbarrier(block: &BlockState, offset: u64) -> String {
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
                && let Err(failure) = transfer::serve(context, offset)
            {
                let lane = path.mask.trailing_zeros();
                let kind = failure.told(context.launch);
                return Err(self.fault(context, path, lane, kind));
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
        match path.wait.take() {
            Some(Wait::Barrier { id, phase }) => {
                barrier::finish(context, &mut self.lanes, path, id, phase);
            }
            Some(Wait::Mbarrier { .. }) => {
                mbarrier::finish(context, &mut self.lanes, path)
                    .map_err(|(lane, kind)| self.fault(context, path, lane, kind))?;
            }
            Some(Wait::Cluster { .. }) => {
                let lanes = self.lanes.guarded(context.launch, path);
                system::finish_cluster_wait(context, &self.lanes, path.pc, lanes);
            }
            _ => return Ok(false),
        }
        path.pc += 1;
        Ok(true)
    }

    /// Nothing of the block can move: `try_wait`s end without success. True
    /// when there was one.
    pub(crate) fn expire(&mut self) -> bool {
        let mut any = false;
        for path in &mut self.paths.list {
            if let Some(Wait::Mbarrier { expired, .. }) = &mut path.wait {
                *expired = true;
                any = true;
            }
        }
        any
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
        if O::CONTROL && lanes != 0 {
            let site = self.site(context.block, path.pc);
            context.observer.exit(site, lanes);
        }
        path.mask &= !lanes;
        self.paths.retire(lanes, path);
        let before: [u64; BARRIERS] = std::array::from_fn(|id| context.block.barriers[id].phase);
        let cluster = context.block.cluster.phase;
        context.block.exit(self.lanes.index, lanes);
        if O::CONTROL {
            if context.block.cluster.phase != cluster {
                let block = context.block.linear;
                context.observer.barrier_completes(block, CLUSTER_BARRIER);
            }
            for (id, phase) in before.iter().enumerate() {
                if context.block.barriers[id].phase != *phase {
                    context
                        .observer
                        .barrier_completes(context.block.linear, id as u32);
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
        while let Some(members) = collective::complete_one(context, self) {
            let met: Vec<Path> = {
                let list = &mut self.paths.list;
                let mut met = Vec::new();
                let mut index = 0;
                while index < list.len() {
                    let path = &list[index];
                    if path.wait.is_none() && path.pc == path.meet {
                        met.push(list.remove(index));
                    } else {
                        index += 1;
                    }
                }
                met
            };
            debug_assert!(members != 0);
            for path in met {
                self.paths.arrive(path);
            }
        }
    }
}
