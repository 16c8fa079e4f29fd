//! One suite of tests for every device.
//!
//! A [`Case`] tests something of the product and is given a device. Every
//! case becomes one test a device, named `device::case`. A machine that lacks
//! the device ignores its tests, with the reason; with the variable
//! [`REQUIRE`] it fails them. The output is that of the built-in harness, and
//! so are the arguments. The last test of the suite that is about our kernels is that all of
//! them were launched ([`launched`]).

use std::env;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use quadscan::device::emulator::Settings;
use quadscan::device::{Artifact, Device, DeviceChoice, EMULATOR, Module};
use quadscan::integrate::Entry;

use crate::kernels;
use crate::launched::{self, Launched, Progress};

/// Devices that must be there, by name and with commas: `cuda,emulator`. Their tests
/// fail where they would be ignored.
pub const REQUIRE: &str = "QUADSCAN_REQUIRE_DEVICE";

/// The devices that the suite runs on, by the name that `--device` takes.
pub const DEVICES: &[(&str, DeviceChoice)] = &[
    ("cuda", DeviceChoice::Cuda(None)),
    ("emulator", DeviceChoice::Emulator { schedule: None }),
];

/// What a case reports: a message when the product does not keep its word.
pub type Outcome = Result<(), Failed>;

/// Begins the message of a case that says nothing about a device.
const SKIPPED: &str = "not on this device: ";

/// The outcome of a case that says nothing about this device, and why: its test is
/// ignored.
///
/// # Errors
///
/// Always: that is how a case ends early.
pub fn skip(reason: &str) -> Outcome {
    Err(skipping(reason))
}

/// The failure of [`skip`].
pub fn skipping(reason: &str) -> Failed {
    format!("{SKIPPED}{reason}").into()
}

/// Why a case said nothing about a device, if that is how it ended.
pub fn skipped(outcome: &Outcome) -> Option<&str> {
    let message = outcome.as_ref().err()?.message()?;
    message.strip_prefix(SKIPPED)
}

/// How a checked launch is emulated under the schedule of this seed; without one, under the
/// schedule that is always the same. Every other seed explores weak memory too, so that what
/// either hides is found by the rest.
pub fn checked(schedule: Option<u64>) -> Settings {
    Settings {
        schedule,
        weak_memory: schedule.is_some_and(|seed| seed % 2 == 1),
        cores: 1,
        ..Settings::default()
    }
}

/// A test of the product, run on a device.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// What holds, as an identifier.
    pub name: &'static str,
    /// Panics or returns an error when it does not hold.
    pub run: fn(&Bench) -> Outcome,
}

/// Makes [`Case`]s of functions: `cases![integrate::a, scan::b]`.
#[macro_export]
macro_rules! cases {
    ($($module:ident :: $name:ident),* $(,)?) => {
        [$($crate::suite::Case {
            name: concat!(stringify!($module), "::", stringify!($name)),
            run: $module::$name,
        }),*]
    };
}

/// A device with kernels loaded.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Where buffers come from.
    pub device: Device,
    /// Where kernels are launched.
    pub module: Module,
    /// What they were loaded from: a device of a test's own loads it too.
    pub artifact: Artifact,
    /// What was launched on the emulated devices that this opened.
    pub launched: Launched,
}

impl Bench {
    /// Opens a device and loads the embedded kernels.
    ///
    /// # Errors
    ///
    /// [`quadscan::Error::NoDevice`] when there is none; any other error is a
    /// fault of the product.
    pub fn open(choice: DeviceChoice) -> quadscan::Result<Self> {
        let artifact = quadscan_bench::modules::ours()?;
        let DeviceChoice::Emulator { schedule } = choice else {
            return Bench::new(Device::open(choice)?, artifact);
        };
        let settings = Settings {
            schedule,
            ..Settings::default()
        };
        Self::on_emulator(settings, artifact, Launched::default())
    }

    fn on_emulator(
        settings: Settings,
        artifact: Artifact,
        launched: Launched,
    ) -> quadscan::Result<Self> {
        let bench = Bench::new(launched.device(settings), artifact)?;
        Ok(Bench { launched, ..bench })
    }

    /// Loads kernels onto a device.
    ///
    /// # Errors
    ///
    /// As [`Device::load`].
    pub fn new(device: Device, artifact: Artifact) -> quadscan::Result<Self> {
        let module = device.load(&artifact)?;
        Ok(Bench {
            device,
            module,
            artifact,
            launched: Launched::default(),
        })
    }

    /// The kernels of `test_kernels` on this device.
    ///
    /// # Errors
    ///
    /// Those of [`kernels::artifact`] and [`Device::load`].
    pub fn test_kernels(&self) -> Result<Module, Failed> {
        Ok(self.device.load(&kernels::artifact()?)?)
    }

    /// As [`kernels::integrands`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn integrands(&self) -> quadscan::Result<Vec<(Module, &'static Entry)>> {
        kernels::integrands(&self.module)
    }

    /// The same kernels on an emulated device of their own.
    ///
    /// # Errors
    ///
    /// As [`Device::load`].
    pub fn emulated(&self, settings: Settings) -> quadscan::Result<Self> {
        Self::on_emulator(settings, self.artifact.clone(), self.launched.clone())
    }
}

/// How the tests of one device can go.
#[derive(Clone, Debug)]
pub enum Ground {
    /// They run.
    Ready(Bench),
    /// They are ignored, for this reason.
    Absent(String),
    /// They fail, for this reason.
    Broken(String),
}

impl Ground {
    /// Opens the device; no device is [`Ground::Broken`] if it is `required`.
    pub fn prepare(choice: DeviceChoice, required: bool) -> Self {
        Self::of(Bench::open(choice), required)
    }

    /// What came of opening a device; no device is [`Ground::Broken`] if it is `required`.
    fn of(opened: quadscan::Result<Bench>, required: bool) -> Self {
        match opened {
            Ok(bench) => Ground::Ready(bench),
            Err(error @ quadscan::Error::NoDevice { .. }) if !required => {
                Ground::Absent(error.to_string())
            }
            Err(error) => Ground::Broken(error.to_string()),
        }
    }
}

/// One trial a case, for the device called `device`; `progress` knows when each has ended.
pub fn trials(device: &str, ground: &Ground, cases: &[Case], progress: &Progress) -> Vec<Trial> {
    cases
        .iter()
        .map(|&Case { name, run }| {
            let (ground, running) = (ground.clone(), progress.begin());
            Trial::ignorable_test(format!("{device}::{name}"), move || {
                let _running = running;
                match ground {
                    Ground::Ready(bench) => completion(run(&bench)),
                    Ground::Absent(reason) => Ok(Completion::ignored_with(reason)),
                    Ground::Broken(reason) => Err(reason.into()),
                }
            })
        })
        .collect()
}

fn completion(outcome: Outcome) -> Result<Completion, Failed> {
    match skipped(&outcome) {
        Some(reason) => Ok(Completion::ignored_with(reason)),
        None => outcome.map(|()| Completion::Completed),
    }
}

/// Runs `cases`, the conformance tests of all of our kernels, on every device, as the command line
/// asks; the exit code of a test program.
pub fn main(cases: &[Case]) -> ExitCode {
    run(DEVICES, cases, Bench::open, true)
}

/// Runs `cases` on these devices; otherwise as [`main`].
pub fn main_on(devices: &[(&str, DeviceChoice)], cases: &[Case]) -> ExitCode {
    main_with(devices, cases, Bench::open)
}

/// Runs `cases` on these devices, each opened by `open`, which loads the kernels that they
/// are about; otherwise as [`main`].
pub fn main_with(
    devices: &[(&str, DeviceChoice)],
    cases: &[Case],
    open: impl Fn(DeviceChoice) -> quadscan::Result<Bench>,
) -> ExitCode {
    run(devices, cases, open, false)
}

fn run(
    devices: &[(&str, DeviceChoice)],
    cases: &[Case],
    open: impl Fn(DeviceChoice) -> quadscan::Result<Bench>,
    is_about_all_kernels: bool,
) -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Cases share the device, and a fault of one is easier to find in order.
    arguments.test_threads.get_or_insert(1);
    let required = env::var(REQUIRE).unwrap_or_default();
    if let Some(unknown) = unknown_device(&required) {
        eprintln!(
            "error: {REQUIRE} names `{unknown}`, allowed are {}",
            names()
        );
        return ExitCode::from(2);
    }
    let mut all = Vec::new();
    for &(name, choice) in devices {
        let required = required.split(',').any(|required| required == name);
        let (ground, progress) = (Ground::of(open(choice), required), Progress::default());
        let trials = trials(name, &ground, cases, &progress);
        let is_partial = trials
            .iter()
            .any(|trial| !is_asked(&arguments, trial.name()));
        all.extend(trials);
        if is_about_all_kernels {
            all.extend(proof(name, &ground, &progress, is_partial));
        }
    }
    libtest_mimic::run(&arguments, all).exit_code()
}

/// The test that all kernels were launched on an emulated device; other devices have none.
pub(crate) fn proof(
    name: &str,
    ground: &Ground,
    progress: &Progress,
    is_partial: bool,
) -> Option<Trial> {
    let Ground::Ready(bench) = ground else {
        return None;
    };
    let known = (bench.launched.clone(), bench.artifact.clone());
    (bench.device.properties().kind == EMULATOR)
        .then(|| launched::proof(name, known, progress, is_partial))
}

/// Whether the command line asks for the test of this name.
fn is_asked(arguments: &Arguments, name: &str) -> bool {
    let is = |word: &String| match arguments.exact {
        true => name == word,
        false => name.contains(word.as_str()),
    };
    arguments.filter.as_ref().is_none_or(is) && !arguments.skip.iter().any(is)
}

fn unknown_device(required: &str) -> Option<&str> {
    required
        .split(',')
        .filter(|name| !name.is_empty())
        .find(|name| !DEVICES.iter().any(|(known, _)| known == name))
}

fn names() -> String {
    let names: Vec<_> = DEVICES.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &[Case] = &[Case {
        name: "module::holds",
        run: |_| Ok(()),
    }];

    fn conclusion(ground: &Ground) -> libtest_mimic::Conclusion {
        conclusion_of(ground, CASES)
    }

    fn conclusion_of(ground: &Ground, cases: &[Case]) -> libtest_mimic::Conclusion {
        // Into a file: on stdout it would pass for this program's own result.
        let log = tempfile::NamedTempFile::new().expect("a temporary file");
        let arguments = Arguments {
            logfile: Some(log.path().to_string_lossy().into_owned()),
            ..Arguments::default()
        };
        libtest_mimic::run(
            &arguments,
            trials("cuda", ground, cases, &Progress::default()),
        )
    }

    #[test]
    fn a_device_that_is_absent_is_a_skip_and_not_a_pass() {
        let conclusion = conclusion(&Ground::Absent("no device: none".into()));
        assert_eq!((conclusion.num_passed, conclusion.num_ignored), (0, 1));
    }

    #[test]
    fn a_case_that_says_nothing_about_a_device_is_a_skip_and_not_a_pass() {
        const CASES: &[Case] = &[
            Case {
                name: "module::skips",
                run: |_| skip("it is too small"),
            },
            Case {
                name: "module::fails",
                run: |_| Err("it is wrong".into()),
            },
        ];
        let emulator = DeviceChoice::Emulator { schedule: None };
        let conclusion = conclusion_of(&Ground::prepare(emulator, true), CASES);
        let count = (conclusion.num_ignored, conclusion.num_failed);
        assert_eq!(count, (1, 1));
    }

    #[test]
    fn a_device_that_is_broken_or_required_and_absent_fails() {
        let conclusion = conclusion(&Ground::Broken("no device: none".into()));
        assert_eq!((conclusion.num_passed, conclusion.num_failed), (0, 1));
    }

    #[test]
    fn tests_are_named_after_the_device_and_the_case() {
        let trials = trials(
            "cuda",
            &Ground::Absent(String::new()),
            CASES,
            &Progress::default(),
        );
        assert_eq!(trials[0].name(), "cuda::module::holds");
    }

    #[test]
    fn the_emulator_is_on_every_machine() {
        let emulators = DEVICES.iter().filter(|(name, _)| *name == "emulator");
        let grounds: Vec<Ground> = emulators
            .map(|&(_, choice)| Ground::prepare(choice, false))
            .collect();
        assert!(matches!(grounds[..], [Ground::Ready(_)]), "{grounds:?}");
    }

    #[test]
    fn a_command_line_asks_for_parts_of_names_or_for_whole_ones() {
        let asked = |line: &str, name| {
            let arguments = Arguments::from_iter(["test"].into_iter().chain(line.split(' ')));
            is_asked(&arguments, name)
        };
        assert!(asked("emulator::", "emulator::scan::a"));
        assert!(!asked("cuda::", "emulator::scan::a"));
        assert!(!asked("--exact emulator::", "emulator::scan::a"));
        assert!(asked("--skip reduce", "emulator::scan::a"));
        assert!(!asked("--skip scan", "emulator::scan::a"));
    }

    #[test]
    fn a_device_that_nobody_knows_cannot_be_required() {
        assert_eq!(unknown_device("cuda,tpu"), Some("tpu"));
        assert_eq!(unknown_device("cuda,emulator"), None);
        assert_eq!(unknown_device(""), None);
    }
}
