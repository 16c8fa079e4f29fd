//! `check KERNEL --trace`: the way of one thread through the source, in the first launch of the
//! kernel that has such a thread.
//!
//! Lines are those of the kernel's own crate, one for all instructions in a row that come of it.
//! Values of variables are not shown: our PTX has line tables and no other debug information.

use std::fmt::Write;
use std::fs;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use quadscan::device::emulator::ptx_emulator::observe::{Observer, Site};
use quadscan::device::emulator::ptx_emulator::{Checks, Class, Gpu, LaunchError, Program};
use quadscan::device::emulator::ptx_emulator::{Report, Shape};
use quadscan::device::emulator::{Emulator, Launch, Observation, Settings, Unobserved};
use quadscan::device::{Artifact, Device};

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

/// The instructions of one thread.
struct Steps {
    block: [u32; 3],
    warp: u32,
    lane: u32,
    pcs: Vec<u32>,
}

impl Observer for Steps {
    const INSTRUCTIONS: bool = true;
    const SERIAL: bool = true;

    fn fork(&self) -> Self {
        Steps {
            pcs: Vec::new(),
            ..*self
        }
    }

    fn merge(&mut self, other: Self) {
        self.pcs.extend(other.pcs);
    }

    fn instruction(&mut self, at: Site, _class: Class, active: u32, _path: u32) {
        let is_own = (at.block, at.warp) == (self.block, self.warp) && active >> self.lane & 1 != 0;
        if is_own && self.pcs.len() < KEPT {
            self.pcs.push(at.pc);
        }
    }
}

/// Follows the thread in the first launch that has it, and leaves the others unwatched.
struct Tracing {
    kernels: Vec<String>,
    thread: Thread,
    told: Arc<Mutex<Option<String>>>,
}

impl Observation for Tracing {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let is_asked = self.kernels.iter().any(|name| name == launch.kernel);
        if told.is_some() || !is_asked || !self.thread.is_in(launch.shape) {
            return Unobserved.run(gpu, launch);
        }
        let linear = self.thread.linear(launch.shape);
        let steps = Steps {
            block: self.thread.block.0,
            warp: linear / 32,
            lane: linear % 32,
            pcs: Vec::new(),
        };
        let (checked, steps) = gpu.check_observed(
            launch.program,
            launch.kernel,
            launch.shape,
            launch.parameters,
            &launch.options,
            Checks::none(),
            steps,
        )?;
        let (block, thread) = (self.thread.block.0, self.thread.thread.0);
        let mut text = format!(
            "{}: block {block:?} of {:?}, thread {thread:?} of {:?}: {} instructions\n",
            launch.kernel,
            launch.shape.grid,
            launch.shape.block,
            steps.pcs.len()
        );
        text += &way(launch.program, &steps.pcs);
        if let Err(error) = &checked.outcome {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "the launch ended there: {error}");
        }
        *told = Some(text);
        checked.outcome.map(|()| checked.report)
    }
}

/// The lines of a way, each with its text.
fn way(program: &Program, pcs: &[u32]) -> String {
    let mut places: Vec<String> = pcs
        .iter()
        .filter_map(|&pc| program.authors_line(pc))
        .collect();
    places.dedup();
    let lines: Vec<String> = places.iter().map(|place| line(place)).collect();
    if lines.len() <= 2 * SHOWN {
        return lines.concat();
    }
    let (first, last) = (&lines[..SHOWN], &lines[lines.len() - SHOWN..]);
    let left = lines.len() - 2 * SHOWN;
    format!(
        "{}  ... {left} more lines ...\n{}",
        first.concat(),
        last.concat()
    )
}

/// A place, and what stands there.
pub(super) fn line(place: &str) -> String {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let text = place.rsplit_once(':').and_then(|(file, number)| {
        let text = fs::read_to_string(root.join(file)).ok()?;
        let number: usize = number.parse().ok()?;
        text.lines().nth(number.checked_sub(1)?).map(str::to_owned)
    });
    let text = text.unwrap_or_default();
    format!("  {}  {}\n", place.trim_start_matches("./"), text.trim())
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
) -> Result<String, String> {
    let told = Arc::new(Mutex::new(None));
    // How a test ends is no matter of its trace.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    for &test in tests {
        let tracing = Tracing {
            kernels: kernels.iter().map(|&name| name.to_owned()).collect(),
            thread,
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
