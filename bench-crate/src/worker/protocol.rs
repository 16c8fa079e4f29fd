//! What the run says to the measuring process and what comes back: one JSON value
//! a line, jobs on its standard input, answers on its standard output, which holds
//! nothing else (`serve::claim_standard_output`).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use crate::block_scan::Algorithm;
use crate::limit::Limit;
use crate::mapping::{Finish, Way};
use crate::measure::{Method, Timing};
use crate::oracle::Precision;
use crate::peers::operation::Element;
use crate::record::{Clocks, DeviceInfo, PeerTime};
use crate::workload::integrals::{Batch, Integral};
use quadscan::device::Counts;

/// The kernels of the table `faults`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Diagnostic {
    /// Ends at once.
    Healthy,
    /// Writes to an invalid address.
    Fault,
    /// Spins for two minutes.
    Hang,
}

impl Diagnostic {
    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Diagnostic::Healthy => "healthy",
            Diagnostic::Fault => "fault",
            Diagnostic::Hang => "hang",
        }
    }
}

/// What has to be done on the device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Measure and check the trapezoid kernel.
    QuarterCircle {
        /// Which of the kernels.
        precision: Precision,
        /// Strips; `blocks * threads` divides them.
        strips: u64,
        /// Blocks of the grid.
        blocks: u32,
        /// Threads of a block.
        threads: u32,
    },
    /// Count the work of one step of a scan.
    Activity {
        /// Which of the scans.
        algorithm: Algorithm,
        /// Elements.
        n: u32,
        /// The step, from 1.
        step: u32,
    },
    /// Measure what the device can do at most.
    Limit {
        /// Of what.
        limit: Limit,
    },
    /// Time a scan and a second kernel on another stream, alone and at once.
    Concurrent {
        /// Which of the scans.
        algorithm: Algorithm,
        /// Elements.
        n: u32,
    },
    /// Sum the quarter circle by one of the ways of the table `mapping`.
    Mapping {
        /// The way.
        way: Way,
        /// Strips; `blocks * threads` divides them.
        strips: u64,
        /// Blocks of the grid.
        blocks: u32,
        /// Threads of a block.
        threads: u32,
    },
    /// Check and measure an operation on a whole array.
    Workload {
        /// Its name, as in [`Workload::ALL`](crate::workload::Workload::ALL).
        operation: String,
        /// The type.
        element: Element,
        /// Elements.
        n: u64,
        /// Of which so many are a segment or have one key, where there are any.
        segment: u64,
        /// The algorithm's name; without one, what the plan chooses.
        algorithm: Option<String>,
    },
    /// Check and measure one integral by a composite rule.
    Integral {
        /// The integrand's name, as in [`Single::ALL`](crate::workload::integrals::single::Single::ALL).
        integrand: String,
        /// The rule's name.
        rule: String,
        /// f64 or f32.
        element: Element,
        /// Strips.
        strips: u64,
    },
    /// Check and measure a batch of integrals.
    Integrals {
        /// The kind's name, as in [`Kind::ALL`](crate::workload::integrals::kinds::Kind::ALL).
        kind: String,
        /// The rule's name.
        rule: String,
        /// f64 or f32.
        element: Element,
        /// Items.
        items: u64,
        /// Relative, or absolute where the kind says so.
        tolerance: f64,
    },
    /// Check and measure a kernel that is launched by itself.
    Kernel {
        /// Its name, as in [`kernels::ALL`](crate::kernels::ALL).
        kernel: String,
        /// Elements.
        n: u64,
    },
    /// Misbehave.
    Diagnostic {
        /// How.
        kind: Diagnostic,
    },
}

impl Task {
    /// Whether its additions have an order, and its sum the same bits in every process.
    pub fn has_an_order(&self) -> bool {
        !matches!(
            self,
            Task::Mapping {
                way: Way {
                    finish: Finish::Atomics,
                    ..
                },
                ..
            }
        )
    }
}

/// What is timed beside ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Peer {
    /// A kernel, of the quarter circle.
    Kernel(PeerKernel),
    /// Libraries of `peers/scan`, of workloads, or of `peers/integrate`, of integrals.
    Libraries(Vec<PathBuf>),
}

/// The kernel from CUDA C++, compiled by nvcc.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerKernel {
    /// The cubin.
    pub cubin: PathBuf,
    /// The published form's entry; one parameter, the address of the partial sums.
    pub entry: String,
    /// The entry with the algorithm of our `_dyadic` kernel, where the strips and
    /// the precision have one.
    pub dyadic_entry: Option<String>,
}

/// One cell for the measuring process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Comes back with the answer.
    pub id: u64,
    /// What to do.
    pub task: Task,
    /// Exactly this many samples, instead of as many as the noise asks for.
    pub repeat: Option<u32>,
    /// The peer to time beside it.
    pub peer: Option<Peer>,
    /// Another process has compared the result with the host's, and this one's sum
    /// is compared with that one's.
    #[serde(default)]
    pub checked: bool,
    /// The answer is asked for, and no time.
    #[serde(default)]
    pub untimed: bool,
    /// Time the kernel with a cold cache too.
    #[serde(default)]
    pub cold: bool,
}

/// What the device said about a cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The partial sums added in order, in their own precision.
    pub total: Option<f64>,
    /// The peer's.
    pub nvcc_total: Option<f64>,
    /// Threads with a combine in the step.
    pub active_threads: Option<u32>,
    /// Warps of the step.
    pub active_warps: Option<u32>,
    /// Combines of the step.
    #[serde(default)]
    pub adds: Option<u32>,
    /// Barriers of the launch.
    #[serde(default)]
    pub barriers: Option<u32>,
    /// Wavefronts of shared memory that the loads of the step took.
    #[serde(default)]
    pub wavefronts: Option<u64>,
    /// Wavefronts that they would take without bank conflicts.
    #[serde(default)]
    pub ideal_wavefronts: Option<u64>,
    /// Operations, steps, bytes or launches of which a limit is: what the time is of.
    #[serde(default)]
    pub work: Option<f64>,
    /// Whether repeated launches gave the same bits.
    #[serde(default)]
    pub repeats: Option<bool>,
    /// What our kernels did in one launch, where the device counts.
    #[serde(default)]
    pub counts: Option<Counts>,
    /// The page's span.
    pub gpu: Option<Timing>,
    /// The kernel alone.
    pub kernel: Option<Timing>,
    /// The kernel by as many blocks as fill the device.
    #[serde(default)]
    pub batch: Option<Timing>,
    /// How many those are.
    #[serde(default)]
    pub batch_blocks: Option<u32>,
    /// The kernel while a second one runs.
    #[serde(default)]
    pub kernel_beside: Option<Timing>,
    /// The second kernel alone.
    #[serde(default)]
    pub companion: Option<Timing>,
    /// The second kernel while ours runs.
    #[serde(default)]
    pub companion_beside: Option<Timing>,
    /// Blocks of the second kernel, and threads of each.
    #[serde(default)]
    pub companion_shape: Option<(u32, u32)>,
    /// What a sample of it was taken of.
    #[serde(default)]
    pub kernel_method: Option<Method>,
    /// The kernel alone, each launch after the cache was flushed.
    #[serde(default)]
    pub kernel_cold: Option<Timing>,
    /// Two events with nothing between them.
    #[serde(default)]
    pub cold_events: Option<Timing>,
    /// The device's clocks around the job, where they are known.
    #[serde(default)]
    pub clocks: Option<Clocks>,
    /// What has to be known about how it was measured, a sentence each.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The peer's kernel alone, in the published form.
    pub nvcc_kernel: Option<Timing>,
    /// The peer's kernel alone, with our algorithm.
    pub nvcc_dyadic_kernel: Option<Timing>,
    /// Bytes that a workload reads and writes at least.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// A copy of as many bytes, or a few more.
    #[serde(default)]
    pub copy: Option<Timing>,
    /// Bytes that it reads and writes.
    #[serde(default)]
    pub copy_bytes: Option<u64>,
    /// The algorithm that was timed, where it is known.
    #[serde(default)]
    pub algorithm: Option<String>,
    /// One integral.
    #[serde(default)]
    pub integral: Option<Integral>,
    /// A batch of them.
    #[serde(default)]
    pub integrals: Option<Batch>,
    /// The times of peers from libraries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<PeerTime>,
    /// Why ours was not launched, when it is not there.
    #[serde(default)]
    pub missing: Option<String>,
    /// Why the result is wrong, when it is.
    pub wrong: Option<String>,
    /// Why the peer was not timed, when it was to be: it is not there, or its
    /// result is wrong.
    pub peer_problem: Option<String>,
}

impl Reading {
    /// The times that several measuring processes take together.
    pub fn pooled_timings(&mut self) -> [&mut Option<Timing>; 2] {
        [&mut self.gpu, &mut self.kernel]
    }
}

/// The device that a measuring process holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Greeting {
    /// What it is.
    #[serde(flatten)]
    pub device: DeviceInfo,
    /// Why it is no GPU, when the best device was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_gpu: Option<String>,
    /// Why its clocks are not known, on a device that has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_clocks: Option<String>,
}

/// One line from the measuring process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The first line: it holds a device and has loaded the PTX.
    Ready(Box<Greeting>),
    /// The first line: there is no such device.
    NoDevice {
        /// Why.
        reason: String,
    },
    /// The first line: there is a device, but the request cannot be carried out
    /// on it (a corrupt PTX file, a driver too old).
    Refused {
        /// Why.
        reason: String,
    },
    /// A job was done.
    Done {
        /// The job's.
        id: u64,
        /// What it gave.
        reading: Box<Reading>,
    },
    /// A job failed.
    Failed {
        /// The job's.
        id: u64,
        /// Why.
        reason: String,
        /// True when the device's context is beyond use: the process ends.
        lost: bool,
    },
}
