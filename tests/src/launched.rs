//! Which kernels a suite launched on emulated devices, and the proof that it was all of them.
//!
//! No list of tests and kernels is written by hand: every emulated device of a suite notes what is
//! launched there, which costs nothing, and the suite's last test compares that with the manifest.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use libtest_mimic::{Completion, Trial};
use quadscan::device::emulator::ptx_emulator::{Gpu, LaunchError, Report};
use quadscan::device::emulator::{Emulator, Launch, Observation, Settings, Unobserved};
use quadscan::device::{Artifact, Device};

/// The last test's name.
const PROOF: &str = "every_entry_of_every_module_was_launched";

/// The entries that were launched; clones share them.
#[derive(Clone, Debug, Default)]
pub struct Launched(Arc<Mutex<BTreeSet<String>>>);

impl Launched {
    /// An emulated device whose launches are noted here.
    pub fn device(&self, settings: Settings) -> Device {
        let emulator = Emulator::observed(settings, Box::new(self.clone()));
        Device::from_backend(Box::new(emulator))
    }

    fn entries(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entries of an artifact, of all architectures, that were not launched.
    fn lacks(&self, artifact: &Artifact) -> BTreeSet<String> {
        let modules = artifact.manifest().modules.iter();
        let kernels = modules.flat_map(|module| module.kernels());
        let all: BTreeSet<String> = kernels.map(|kernel| kernel.entry.clone()).collect();
        all.difference(&self.entries()).cloned().collect()
    }
}

impl Observation for Launched {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        let mut entries = self.entries();
        if !entries.contains(launch.kernel) {
            entries.insert(launch.kernel.to_owned());
        }
        drop(entries);
        Unobserved.run(gpu, launch)
    }
}

/// How many tests have not ended; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<(Mutex<usize>, Condvar)>);

/// A test that has not ended: one that is left out has when this is dropped.
#[derive(Debug)]
pub struct Running(Progress);

impl Progress {
    fn left(&self) -> MutexGuard<'_, usize> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One more test, which ends when the result is dropped.
    pub fn begin(&self) -> Running {
        *self.left() += 1;
        Running(self.clone())
    }

    /// Waits until all have ended.
    fn wait(&self) {
        let mut left = self.left();
        while *left > 0 {
            left = self.0.1.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        *self.0.left() -= 1;
        self.0.0.1.notify_all();
    }
}

/// The test that all kernels of an artifact were launched by the tests of the device of this
/// name, which ends after them; ignored where some of them are left out, as it says.
pub fn proof(
    device: &str,
    (launched, artifact): (Launched, Artifact),
    progress: &Progress,
    is_partial: bool,
) -> Trial {
    let progress = progress.clone();
    let run = move || {
        if is_partial {
            let reason = "the command line leaves tests out, and it is about all of them";
            return Ok(Completion::ignored_with(reason));
        }
        progress.wait();
        let lacks = launched.lacks(&artifact);
        if lacks.is_empty() {
            return Ok(Completion::Completed);
        }
        let names: Vec<String> = lacks.into_iter().collect();
        let count = names.len();
        Err(format!(
            "{count} kernels are launched by no conformance test: {}",
            names.join(", ")
        )
        .into())
    };
    Trial::ignorable_test(format!("{device}::{PROOF}"), run)
}

#[cfg(test)]
mod tests {
    use libtest_mimic::{Arguments, Conclusion};
    use quadscan::device::{DeviceChoice, LaunchShape};
    use quadscan_kernels::diagnostics::hang;

    use super::*;
    use crate::suite::{Bench, Case, Ground, proof, trials};

    const EMULATED: DeviceChoice = DeviceChoice::Emulator { schedule: None };

    /// A suite of one test, which launches one kernel, and the proof.
    fn conclusion(bench: &Bench, is_partial: bool, threads: usize) -> Conclusion {
        const CASES: &[Case] = &[Case {
            name: "diagnostics::hang_is_launched",
            run: |bench| {
                let mut spent = bench.device.alloc_zeroed::<u64>(1)?;
                let shape = LaunchShape::new(1, 1);
                Ok(bench.module.launch(hang, shape, (1_000_000, &mut spent))?)
            },
        }];
        let (ground, progress) = (Ground::Ready(bench.clone()), Progress::default());
        let mut all = trials("emulator", &ground, CASES, &progress);
        all.extend(proof("emulator", &ground, &progress, is_partial));
        let log = tempfile::NamedTempFile::new().expect("a temporary file");
        let arguments = Arguments {
            logfile: Some(log.path().to_string_lossy().into_owned()),
            test_threads: Some(threads),
            ..Arguments::default()
        };
        libtest_mimic::run(&arguments, all)
    }

    /// All but one are noted by hand.
    fn all_but(kernel: &str) -> Bench {
        let bench = Bench::open(EMULATED).expect("it is on every machine");
        let mut others = bench.launched.lacks(&bench.artifact);
        assert!(others.remove(kernel) && others.len() > 100);
        bench.launched.entries().append(&mut others);
        bench
    }

    #[test]
    fn a_suite_that_launches_every_entry_passes_and_one_that_lacks_one_fails() {
        for threads in [1, 2] {
            let right = conclusion(&all_but("hang"), false, threads);
            assert_eq!((right.num_passed, right.num_failed), (2, 0));
            let wrong = conclusion(&all_but("fault"), false, threads);
            assert_eq!((wrong.num_passed, wrong.num_failed), (1, 1));
        }
        let bench = all_but("fault");
        let lacks = bench.launched.lacks(&bench.artifact);
        assert_eq!(lacks, BTreeSet::from(["fault".to_owned()]));
    }

    #[test]
    fn a_part_of_a_suite_proves_nothing_and_says_so() {
        let part = conclusion(&all_but("fault"), true, 1);
        assert_eq!(
            (part.num_passed, part.num_failed, part.num_ignored),
            (1, 0, 1)
        );
    }

    #[test]
    fn launches_on_devices_of_a_tests_own_count_too() {
        let bench = Bench::open(EMULATED).expect("it is on every machine");
        let other = bench.emulated(Settings::default()).expect("one more");
        assert_eq!(conclusion(&other, false, 1).num_failed, 1);
        assert!(bench.launched.entries().contains("hang"));
    }
}
