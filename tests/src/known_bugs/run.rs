//! Launches of the kernels of pairs: under the emulator's checks, and on a GPU.

use std::collections::BTreeSet;
use std::path::PathBuf;

use cuda_builder::{CudaBuilder, Lint, LintLevel, NvvmArch};
use quadscan::Result;
use quadscan::device::emulator::ptx_emulator::{
    Checks, Finding, Gpu, LaunchError, LaunchOptions, Report,
};
use quadscan::device::emulator::{Checking, Emulator, Launch, Observation, Settings, Verdict};
use quadscan::device::{Actual, Artifact, Buffer, Device, DeviceChoice, LaunchShape};

use super::pairs::Pair;
use super::source::{self, Source};
use crate::{kernels, suite};

/// Warp instructions of a launch: the longest right one takes a tenth of it.
const BUDGET: u64 = 1_000_000;

/// Which kernel of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sibling {
    /// The one with the bug.
    Broken,
    /// The one without it.
    Right,
}

impl Sibling {
    /// The kernel's entry.
    pub fn entry(self, pair: &Pair) -> String {
        let which = match self {
            Sibling::Broken => "broken",
            Sibling::Right => "right",
        };
        format!("{}_{which}", pair.name)
    }
}

/// The folder of the PTX, which is built where it has not been done.
///
/// # Errors
///
/// Those of [`kernels::built`].
pub fn folder() -> Result<PathBuf> {
    let builder = || {
        CudaBuilder::new(source::folder())
            .arch(NvvmArch::Compute90)
            // They have the bugs that lints look for.
            .lint(Lint::LocalArray, LintLevel::Allow)
            .lint(Lint::SharedGeneric, LintLevel::Allow)
            .setup_command("cargo xtask setup")
    };
    kernels::built("QUADSCAN_KNOWN_BUGS", builder)
}

/// The PTX.
///
/// # Errors
///
/// Those of [`folder`] and [`Artifact::read`].
pub fn artifact() -> Result<Artifact> {
    // SAFETY: no launcher is called with it; launches are by name.
    unsafe { Artifact::read(folder()?) }
}

/// What all checked launches of a kernel gave.
#[derive(Debug)]
pub struct Checked {
    /// What was found, each mistake once.
    pub findings: Vec<Finding>,
    /// Of launches whose result was wrong: loads that gave an old value, with weak memory.
    pub stale_reads: Vec<Finding>,
    /// Why a launch ended early, or in what its result was wrong.
    pub failure: Option<String>,
}

impl Checked {
    /// The finding that the pair expects: of its kind, at the lines that are marked.
    pub fn expected(&self, pair: &Pair, source: &Source) -> Option<&Finding> {
        let is_it = |one: &&Finding| one.kind == pair.kind && is_at(one, pair, source);
        self.findings.iter().find(is_it)
    }

    /// The read that gave an old value and made the result wrong, at the lines that are marked.
    pub fn stale_read(&self, pair: &Pair, source: &Source) -> Option<&Finding> {
        self.stale_reads.iter().find(|one| is_at(one, pair, source))
    }

    /// Nothing was found, and the result was right under every schedule.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.failure.is_none()
    }
}

/// Whether a finding is at the lines that are marked.
fn is_at(finding: &Finding, pair: &Pair, source: &Source) -> bool {
    lines(finding, pair).as_ref() == Some(&source.lines)
}

/// The lines of a finding in the pair's file; none where one of its two parties is elsewhere.
fn lines(finding: &Finding, pair: &Pair) -> Option<BTreeSet<usize>> {
    let parties = [Some(&finding.at), finding.other.as_ref()];
    let parties = parties.into_iter().flatten();
    parties
        .map(|place| {
            let (file, line) = place.source.as_deref()?.rsplit_once(':')?;
            let is_own = file.ends_with(&format!("/{}.rs", pair.name));
            is_own.then(|| line.parse().ok()).flatten()
        })
        .collect()
}

/// Checked launches that are made on several devices, all with the same parameters.
struct OnSeveral {
    devices: usize,
    checking: Checking,
}

impl Observation for OnSeveral {
    fn run(
        &mut self,
        gpu: &mut Gpu,
        launch: &Launch<'_>,
    ) -> std::result::Result<Report, LaunchError> {
        let same: Vec<Vec<u8>> = launch
            .parameters
            .iter()
            .map(|bytes| bytes.to_vec())
            .collect();
        let options = LaunchOptions {
            peers: vec![same; self.devices - 1],
            ..launch.options.clone()
        };
        let launch = Launch {
            options,
            ..launch.clone()
        };
        self.checking.run(gpu, &launch)
    }
}

/// Runs a kernel under all checks, once a schedule: first the one that is always the same.
///
/// # Errors
///
/// What a device refuses before the launch.
pub fn check(
    artifact: &Artifact,
    pair: &Pair,
    sibling: Sibling,
    schedules: u64,
) -> Result<Checked> {
    let entry = sibling.entry(pair);
    let mut all = Checked {
        findings: Vec::new(),
        stale_reads: Vec::new(),
        failure: None,
    };
    let module = artifact.manifest().modules.last();
    for schedule in std::iter::once(None).chain((1..schedules).map(Some)) {
        let kernels = module.into_iter().flat_map(|module| module.kernels());
        let checking = Checking::new(Checks::all(), kernels, None);
        let verdicts = checking.verdicts();
        let settings = Settings {
            budget: BUDGET,
            ..suite::checked(schedule)
        };
        let observation = OnSeveral {
            devices: pair.devices,
            checking,
        };
        let device = Emulator::observed(settings, Box::new(observation));
        let device = Device::from_backend(Box::new(device));
        let (is_wrong, failure) = match launch(&device, artifact, pair, &entry) {
            Ok(result) if result == (pair.result)() => (false, None),
            Ok(_) => (true, Some("its result is wrong".to_owned())),
            Err(error) => (false, Some(error.to_string())),
        };
        all.failure = all.failure.or(failure);
        let Some(Verdict { checked, .. }) = verdicts.take().remove(&entry) else {
            continue;
        };
        add(&mut all.findings, checked.findings);
        if is_wrong {
            add(&mut all.stale_reads, checked.stale_reads);
        }
    }
    Ok(all)
}

/// Adds findings to those that are known.
fn add(known: &mut Vec<Finding>, found: Vec<Finding>) {
    for finding in found {
        if !known.iter().any(|one| one.same_as(&finding)) {
            known.push(finding);
        }
    }
}

/// Launches a kernel and waits for it; what it leaves in the last array.
///
/// # Errors
///
/// What the device says.
pub fn launch(device: &Device, artifact: &Artifact, pair: &Pair, entry: &str) -> Result<Vec<u32>> {
    let module = device.load(artifact)?;
    let words = pair.arguments.iter().map(|words| words.to_vec());
    let buffers: Vec<Buffer<u32>> = words
        .map(|words| device.upload(&words))
        .collect::<Result<_>>()?;
    let addresses: Vec<[u8; 8]> = buffers
        .iter()
        .map(|buffer| buffer.address().to_ne_bytes())
        .collect();
    let actuals: Vec<Actual<'_>> = addresses
        .iter()
        .map(|bytes| Actual {
            bytes,
            elements: None,
        })
        .collect();
    let (blocks, threads) = pair.shape;
    // SAFETY: the arrays are those of the kernel; what is not sound of a broken one is its bug,
    // and takes no more than a device that is not used again.
    unsafe { module.launch_raw(entry, LaunchShape::new(blocks, threads), &actuals)? };
    let result = buffers.last().map(Buffer::to_vec);
    result.unwrap_or_else(|| Ok(Vec::new()))
}

/// Launches a kernel on a GPU, where `compute-sanitizer` may watch.
///
/// # Errors
///
/// [`quadscan::Error::NoDevice`] without a GPU; otherwise what came of the launch.
pub fn launch_on_gpu(pair: &Pair, sibling: Sibling) -> Result<Vec<u32>> {
    let device = Device::open(DeviceChoice::Cuda(None))?;
    launch(&device, &artifact()?, pair, &sibling.entry(pair))
}
