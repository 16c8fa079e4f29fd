//! Launches under the emulator's checks.
//!
//! A buffer is named after the kernel's parameter that points to it, so that a
//! report says `input[17]` and not an address.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cuda_builder::manifest;
use ptx_emulator::check::{Checked, Checks};
use ptx_emulator::{Gpu, LaunchError, Report};

use super::{Launch, Observation};

/// What the checks said of each kernel, and which kernels were launched; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    verdicts: Arc<Mutex<BTreeMap<String, Verdict>>>,
    launched: Arc<Mutex<BTreeSet<String>>>,
}

/// What the checks said of the launches of one kernel.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Launches under checks.
    pub launches: u64,
    /// All of them together: what they ran, and each mistake once.
    pub checked: Checked,
}

impl Verdicts {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Verdict>> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn launched(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.launched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, checked: Checked) {
        let mut verdicts = self.lock();
        match verdicts.get_mut(&checked.kernel) {
            Some(verdict) => {
                verdict.launches += 1;
                verdict.checked.merge(checked);
            }
            None => {
                let kernel = checked.kernel.clone();
                let launches = 1;
                verdicts.insert(kernel, Verdict { launches, checked });
            }
        }
    }

    /// The verdicts so far, by the kernel's entry; none are left behind.
    pub fn take(&self) -> BTreeMap<String, Verdict> {
        std::mem::take(&mut self.lock())
    }

    /// The entries that were launched so far, those without checks too; none are left behind.
    pub fn take_launched(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.launched())
    }
}

/// Runs launches under checks, and keeps what they say.
#[derive(Debug)]
pub struct Checking {
    checks: Checks,
    only: Option<Vec<String>>,
    /// Names of the parameters of each kernel, one for each that the PTX has.
    names: HashMap<String, Vec<String>>,
    verdicts: Verdicts,
}

impl Checking {
    /// Checks launches of the kernels `only`, or of all; `kernels` are those of
    /// the artifact's manifest. Launches of other kernels run unwatched.
    pub fn new<'k>(
        checks: Checks,
        kernels: impl IntoIterator<Item = &'k manifest::Kernel>,
        only: Option<&[&str]>,
    ) -> Self {
        Checking {
            checks,
            only: only.map(|only| only.iter().map(|&name| name.to_owned()).collect()),
            names: kernels
                .into_iter()
                .map(|kernel| (kernel.entry.clone(), names(kernel)))
                .collect(),
            verdicts: Verdicts::default(),
        }
    }

    /// Where the verdicts will be.
    pub fn verdicts(&self) -> Verdicts {
        self.verdicts.clone()
    }

    /// Gives the buffers that a launch works on the names of its parameters.
    fn name(&self, gpu: &mut Gpu, launch: &Launch<'_>) {
        let Some(names) = self.names.get(launch.kernel) else {
            return;
        };
        for (name, bytes) in names.iter().zip(launch.parameters) {
            if let Ok(bytes) = <[u8; 8]>::try_from(*bytes) {
                // Whatever is no address of a buffer stays without a name.
                let _ = gpu.name(u64::from_le_bytes(bytes), name);
            }
        }
    }
}

/// The length of a slice is a parameter of its own in PTX.
fn names(kernel: &manifest::Kernel) -> Vec<String> {
    let mut names = Vec::new();
    for parameter in &kernel.parameters {
        let name = &parameter.name;
        names.push(name.clone());
        names.extend((1..parameter.kind.ptx_parameters()).map(|_| format!("{name}.len()")));
    }
    names
}

impl Observation for Checking {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        if !self.verdicts.launched().contains(launch.kernel) {
            self.verdicts.launched().insert(launch.kernel.to_owned());
        }
        if self
            .only
            .as_ref()
            .is_some_and(|only| only.iter().all(|name| name != launch.kernel))
        {
            let mut launch = launch.clone();
            launch.options.weak_memory = false;
            return super::Unobserved.run(gpu, &launch);
        }
        self.name(gpu, launch);
        let (shape, options) = (launch.shape, &launch.options);
        let checked = gpu.check(
            launch.program,
            launch.kernel,
            shape,
            launch.parameters,
            options,
            self.checks,
        )?;
        let ended = checked.outcome.clone().map(|()| checked.report.clone());
        self.verdicts.add(checked);
        ended
    }
}
