//! All blocks of a launch, on one host thread or several.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::worker::{Room, Shared, Worker};
use crate::error::LaunchError;
use crate::machine::Launch;
use crate::observe::Observer;

/// Register rows and local memory of resident blocks, bytes, from which on further blocks wait.
/// Under a seed turns are short, and blocks for which none wait become resident sooner.
const REGISTER_MEMORY: u64 = 512 << 20;

impl Launch<'_> {
    /// Runs all blocks; returns the warp instructions, the observer, and how
    /// it ended.
    pub(crate) fn run<O: Observer>(&self, observer: O) -> (u64, O, Result<(), LaunchError>) {
        let (blocks, devices) = (self.blocks(), self.parameters.len() as u64);
        let resident = self
            .model
            .resident_blocks(self.threads(), self.shared_bytes)
            .min(blocks)
            .max(1);
        let (blocks, resident) = (blocks * devices, (resident * devices) as usize);
        let cores = if O::SERIAL {
            1
        } else {
            self.options.cores.max(1).min(resident)
        };
        let shared = Shared {
            next: AtomicU64::new(0),
            blocks,
            executed: AtomicU64::new(0),
            stop: AtomicU64::new(0),
        };
        let each = resident.div_ceil(cores);
        let warps = u64::from(self.threads().div_ceil(32));
        let block = warps * self.code.functions[self.kernel as usize].sizes.bytes();
        let few = (REGISTER_MEMORY / block.max(1)) as usize / cores;
        let room = Room {
            few: few.max(1),
            most: each,
        };
        if cores == 1 {
            let mut worker = Worker::new(self, &shared, observer, room);
            let outcome = worker.run();
            return (worker.executed(), worker.observer, outcome);
        }
        let forks: Vec<O> = (0..cores).map(|_| observer.fork()).collect();
        let outcome = Mutex::new((observer, Ok(())));
        let work = |fork: O| {
            let mut worker = Worker::new(self, &shared, fork, room);
            let result = worker.run();
            let unbooked = worker.unbooked;
            shared.executed.fetch_add(unbooked, Ordering::Relaxed);
            if result.is_err() {
                shared.stop.store(1, Ordering::Relaxed);
            }
            let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
            outcome.0.merge(worker.observer);
            if outcome.1.is_ok() {
                outcome.1 = result;
            }
        };
        let work = &work;
        std::thread::scope(|scope| {
            for fork in forks {
                scope.spawn(move || work(fork));
            }
        });
        let outcome = outcome.into_inner();
        let (observer, outcome) = outcome.unwrap_or_else(PoisonError::into_inner);
        (shared.executed.load(Ordering::Relaxed), observer, outcome)
    }
}

#[cfg(test)]
mod tests {
    use crate::observe::Observer;
    use crate::{Gpu, LaunchOptions, Model, Program, Shape};

    /// How many blocks are resident, and were at most.
    #[derive(Default)]
    struct Most(usize, usize);

    impl Observer for Most {
        const SERIAL: bool = true;

        fn fork(&self) -> Self {
            Self::default()
        }

        fn merge(&mut self, _: Self) {}

        fn block_begins(&mut self, _: [u32; 3], _: u64) {
            self.0 += 1;
            self.1 = self.1.max(self.0);
        }

        fn block_ends(&mut self, _: [u32; 3], _: u64) {
            self.0 -= 1;
        }
    }

    /// A warp has 12.8 MB of local memory. It waits for as many blocks as are told, or goes around for three turns
    /// where that is none.
    const KERNEL: &str = ".version 8.0 .target sm_75 .address_size 64
        .visible .entry k(.param .u64 counter, .param .u32 blocks) {
            .local .align 8 .b8 large[400000];
            .reg .b32 %r<4>; .reg .b64 %rd<3>; .reg .pred %p<3>;
            mov.u64 %rd2, large;
            ld.param.u64 %rd1, [counter];
            ld.param.u32 %r1, [blocks];
            atom.global.add.u32 %r2, [%rd1], 1;
            mov.u32 %r3, 0;
        wait:
            add.u32 %r3, %r3, 1;
            ld.volatile.global.u32 %r2, [%rd1];
            setp.lt.u32 %p1, %r2, %r1;
            @%p1 bra wait;
            setp.lt.u32 %p2, %r3, 6000;
            setp.eq.and.u32 %p2, %r1, 0, %p2;
            @%p2 bra wait;
            ret;
        }";

    #[test]
    fn blocks_wait_for_memory_but_not_where_others_wait_for_them()
    -> Result<(), Box<dyn std::error::Error>> {
        let program = Program::load(KERNEL)?;
        let mut gpu = Gpu::new(Model::h200());
        let counter = gpu.alloc(4)?;
        let shape = Shape {
            grid: [60, 1, 1],
            block: [1, 1, 1],
            shared_bytes: 0,
        };
        let mut most = |blocks: u32| -> Result<usize, Box<dyn std::error::Error>> {
            gpu.copy_in(counter, &[0; 4])?;
            let parameters = [&counter.to_le_bytes()[..], &blocks.to_le_bytes()];
            let options = LaunchOptions::default();
            let run =
                gpu.launch_observed(&program, "k", shape, &parameters, &options, Most::default())?;
            Ok(run.finished()?.1.1)
        };
        assert_eq!([most(0)?, most(60)?], [41, 60]);
        Ok(())
    }
}
