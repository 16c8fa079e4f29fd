//! `check KERNEL --trace`: the way of one thread through the source, in the first launch of the
//! kernel that has such a thread.
//!
//! Lines are those of the kernel's own crate, with the values of the variables and registers that
//! they wrote (`steps`).

use std::fmt::Write;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use quadscan::device::emulator::ptx_emulator::{Checks, Gpu, LaunchError};
use quadscan::device::emulator::ptx_emulator::{Report, Shape};
use quadscan::device::emulator::{Emulator, Launch, Observation, Settings, Unobserved};
use quadscan::device::{Artifact, Device};

use super::steps::Steps;
use super::variables::Variables;
use crate::suite::{Bench, Case};

/// Lines of a long way that are shown at its beginning, and as many at its end.
const SHOWN: usize = 200;

/// Instructions that are kept of a way.
const KEPT: usize = 1 << 20;

/// An index of a block or a thread: `X[,Y[,Z]]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Index(pub(super) [u32; 3]);

impl FromStr for Index {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut index = [0; 3];
        let numbers: Vec<&str> = text.split(',').collect();
        if numbers.len() > index.len() {
            return Err("it has three numbers at most: X[,Y[,Z]]".into());
        }
        for (place, number) in index.iter_mut().zip(numbers) {
            *place = number
                .parse()
                .map_err(|error| format!("`{number}`: {error}"))?;
        }
        Ok(Index(index))
    }
}

/// Whose way is followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    pub(super) block: Index,
    pub(super) thread: Index,
}

impl Thread {
    fn is_in(&self, shape: Shape) -> bool {
        let inside = |index: Index, size: [u32; 3]| index.0.iter().zip(size).all(|(i, n)| *i < n);
        inside(self.block, shape.grid) && inside(self.thread, shape.block)
    }

    fn linear(&self, shape: Shape) -> u32 {
        let ([x, y, z], [width, height, _]) = (self.thread.0, shape.block);
        x + width * (y + height * z)
    }
}

/// Follows the thread in the first launch that has it, and leaves the others unwatched.
struct Tracing {
    kernels: Vec<String>,
    thread: Thread,
    variables: Option<Arc<Variables>>,
    told: Arc<Mutex<Option<String>>>,
}

impl Observation for Tracing {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_asked = self.kernels.iter().any(|name| name == launch.kernel);
        if told.is_some() || !is_asked || !self.thread.is_in(launch.shape) {
            return Unobserved.run(gpu, launch);
        }
        let (block, linear) = (self.thread.block.0, self.thread.linear(launch.shape));
        let steps = Steps::first(launch.program, block, linear, KEPT);
        let variables = self.variables.as_deref();
        let steps = steps.naming(variables.and_then(|all| all.of_kernel(launch.kernel)));
        let (checked, steps) = gpu.check_observed(
            launch.program,
            launch.kernel,
            launch.shape,
            launch.parameters,
            &launch.options,
            Checks::none(),
            steps,
        )?;
        let thread = self.thread.thread.0;
        let mut text = format!(
            "{}: block {block:?} of {:?}, thread {thread:?} of {:?}: {} instructions\n",
            launch.kernel,
            launch.shape.grid,
            launch.shape.block,
            steps.len()
        );
        text += &way(&steps.lines());
        if let Err(error) = &checked.outcome {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "the launch ended there: {error}");
        }
        *told = Some(text);
        checked.outcome.map(|()| checked.report)
    }
}

/// The lines of a way, without those in the middle of a long one.
fn way(lines: &[String]) -> String {
    let text = |lines: &[String]| {
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    if lines.len() <= 2 * SHOWN {
        return text(lines);
    }
    let (first, last) = (&lines[..SHOWN], &lines[lines.len() - SHOWN..]);
    let left = lines.len() - 2 * SHOWN;
    format!("{}  ... {left} more lines ...\n{}", text(first), text(last))
}

/// The way of a thread in the first launch of one of these kernels by one of these tests.
///
/// # Errors
///
/// No test makes such a launch.
pub(super) fn trace(
    cases: &[Case],
    tests: &[usize],
    kernels: &[&str],
    thread: Thread,
    artifact: &Artifact,
    variables: Option<Variables>,
) -> Result<String, String> {
    let variables = variables.map(Arc::new);
    let told = Arc::new(Mutex::new(None));
    // How a test ends is no matter of its trace.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    for &test in tests {
        let tracing = Tracing {
            kernels: kernels.iter().map(|&name| name.to_owned()).collect(),
            thread,
            variables: variables.clone(),
            told: told.clone(),
        };
        let settings = Settings {
            cores: 1,
            ..Settings::default()
        };
        let device =
            Device::from_backend(Box::new(Emulator::observed(settings, Box::new(tracing))));
        let _ = catch_unwind(AssertUnwindSafe(|| {
            (cases[test].run)(&Bench::new(device, artifact.clone())?)
        }));
        if told.lock().is_ok_and(|told| told.is_some()) {
            break;
        }
    }
    panic::set_hook(hook);
    let told = told.lock().unwrap_or_else(PoisonError::into_inner).take();
    told.ok_or_else(|| {
        let (Index(block), Index(thread)) = (thread.block, thread.thread);
        format!("no test launches it with a block {block:?} and a thread {thread:?}")
    })
}
