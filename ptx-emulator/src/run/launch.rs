//! All blocks of a launch, on one host thread or several.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::worker::{Shared, Worker};
use crate::error::LaunchError;
use crate::machine::Launch;
use crate::observe::Observer;

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
        if cores == 1 {
            let mut worker = Worker::new(self, &shared, observer, each);
            let outcome = worker.run();
            return (worker.executed(), worker.observer, outcome);
        }
        let forks: Vec<O> = (0..cores).map(|_| observer.fork()).collect();
        let outcome = Mutex::new((observer, Ok(())));
        let work = |fork: O| {
            let mut worker = Worker::new(self, &shared, fork, each);
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
