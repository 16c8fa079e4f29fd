//! One record a measured cell: everything that is known about it, as one line of
//! JSON.
//!
//! A record is self-contained (device, driver, PTX hash, compiler, revision), so
//! that a row that is looked at a year later still says where it came from. What
//! does not live here: how a cell is measured (`measure`, `worker`), where records
//! are kept (`bench::store`), and how they are printed (`export`).

use serde::{Deserialize, Serialize};

use crate::measure::{Method, Timing};
use crate::oracle::Precision;
use crate::workload::integrals::{Batch, Integral};
use quadscan::device::{Counts, EMULATOR};

/// What names a cell within its table. A field that the table does not use is
/// absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The algorithm, by its published name (`naive`, `work_efficient`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// The step of the algorithm, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    /// How the integrand is evaluated and summed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// Strips of the interval 0..1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strips: Option<u64>,
    /// Blocks of the grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<u32>,
    /// Threads of a block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// How strips are laid out over threads: `contiguous`, `strided`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping: Option<String>,
    /// Where partial sums are kept: `registers`, `shared`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partials: Option<String>,
    /// Who adds the partial sums up: `host`, `second_launch`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// What is measured, in the table of the device's limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// What is done with a whole array: `inclusive_sum`, ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The type of its elements, and of the results where it is another: `u8_u32`.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// Elements of a segment, or with one key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<u64>,
    /// The entry of a kernel that is launched by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// What is integrated, or of which kind the integrals of a batch are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrand: Option<String>,
    /// By which rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// How near the integrals of a batch have to be, as it was typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<String>,
}

impl Key {
    /// The key's parts that are set, as `name=value` divided by blanks.
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        let mut push = |name: &str, value: Option<String>| {
            parts.extend(value.map(|value| format!("{name}={value}")));
        };
        push("kernel", self.kernel.clone());
        push("operation", self.operation.clone());
        push("integrand", self.integrand.clone());
        push("rule", self.rule.clone());
        push("type", self.element.clone());
        push("algorithm", self.algorithm.clone());
        push("step", self.step.map(|x| x.to_string()));
        push("n", self.n.map(|x| x.to_string()));
        push("precision", self.precision.map(|x| x.to_string()));
        push("strips", self.strips.map(|x| x.to_string()));
        push("blocks", self.blocks.map(|x| x.to_string()));
        push("threads", self.threads.map(|x| x.to_string()));
        push("mapping", self.mapping.clone());
        push("partials", self.partials.clone());
        push("finish", self.finish.clone());
        push("limit", self.limit.clone());
        push("segment", self.segment.map(|x| x.to_string()));
        push("tolerance", self.tolerance.clone());
        parts.join(" ")
    }
}

/// What a cell's computation gave. Absent where it was not computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Values {
    /// Pi by the page's formula: of the table's own device, in its precision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pi: Option<f64>,
    /// Pi without the page's slip in the last correction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pi_corrected: Option<f64>,
    /// Pi by the page's formula from the oracle on the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_pi: Option<f64>,
    /// The host's pi without the page's slip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_pi_corrected: Option<f64>,
    /// Pi from the device, in tables whose `pi` is the host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_pi: Option<f64>,
    /// Pi from the CUDA C++ kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvcc_pi: Option<f64>,
    /// Combines (an add and its store) in this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adds: Option<u32>,
    /// Threads with at least one combine in this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_threads: Option<u32>,
    /// Warps with at least one combine in this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_warps: Option<u32>,
    /// Wavefronts of shared memory that the loads of this step took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wavefronts: Option<u64>,
    /// Wavefronts that those loads would take without bank conflicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ideal_wavefronts: Option<u64>,
    /// Barriers of the whole block in the launch that the step is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub barriers: Option<u32>,
    /// Blocks of the launch that fills the device, a scan each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_blocks: Option<u32>,
    /// Blocks of the second kernel that runs beside ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub companion_blocks: Option<u32>,
    /// Threads of each of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub companion_threads: Option<u32>,
    /// The rule's own error by its asymptotic formula: pi from exact sums, less pi.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_error: Option<f64>,
    /// The error that a model of the sum's rounding predicts, the rule's included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted_error: Option<f64>,
    /// The same for the partial sums of the device's threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_predicted_error: Option<f64>,
    /// Whether repeated launches gave the same bits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<bool>,
    /// A measured limit of the device, in the unit that its row names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Registers of a thread of the kernel, as the driver compiled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registers: Option<u32>,
    /// Bytes that an operation on a whole array reads and writes at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Bytes that the copy beside it reads and writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_bytes: Option<u64>,
    /// The algorithm that was timed, where the key leaves it to the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// One integral, and how far it is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integral: Option<Integral>,
    /// How a batch of integrals ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrals: Option<Batch>,
}

/// The time of a peer: a library or a package that does the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerTime {
    /// As it heads its columns: `CUB 3.0.1`.
    pub name: String,
    /// What it is in full: `CUB 3.0.1, CCCL 3.0.1, nvcc 13.0.88`.
    pub version: String,
    /// Timed as ours is; of a package the median of its own process.
    pub timing: Timing,
    /// What a sample was taken of.
    pub method: String,
}

/// The times of a cell, in ms. Absent where nothing was measured: never zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timings {
    /// The page's span: copy in, kernel, copy out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<Timing>,
    /// The kernel alone, by the device's events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<Timing>,
    /// The kernel alone, each launch after the L2 cache was flushed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_cold: Option<Timing>,
    /// The kernel by as many blocks as fill the device, each with work of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<Timing>,
    /// Two events with nothing between them: what `kernel_cold` holds beside the
    /// kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cold_events: Option<Timing>,
    /// What a sample of `kernel` was taken of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_method: Option<Method>,
    /// The kernel while a second one runs on the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel_beside: Option<Timing>,
    /// That second kernel alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub companion: Option<Timing>,
    /// The second kernel while ours runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub companion_beside: Option<Timing>,
    /// The page's loop on one thread of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Timing>,
    /// The best that the host can do: all cores, SIMD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_best: Option<Timing>,
    /// The published form in CUDA C++, compiled by nvcc, timed as `kernel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvcc_kernel: Option<Timing>,
    /// Our algorithm in CUDA C++, compiled by nvcc, timed as `kernel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvcc_dyadic_kernel: Option<Timing>,
    /// A copy of as many bytes as the cell reads and writes, timed as `kernel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<Timing>,
    /// The peers, in the order in which they are printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub peers: Vec<PeerTime>,
}

impl Timings {
    /// The times that were measured, by the names of their columns.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &Timing)> {
        [
            ("gpu_ms", &self.gpu),
            ("kernel_ms", &self.kernel),
            ("kernel_cold_ms", &self.kernel_cold),
            ("batch_ms", &self.batch),
            ("kernel_beside_ms", &self.kernel_beside),
            ("companion_ms", &self.companion),
            ("companion_beside_ms", &self.companion_beside),
            ("host_ms", &self.host),
            ("host_best_ms", &self.host_best),
            ("nvcc_kernel_ms", &self.nvcc_kernel),
            ("nvcc_dyadic_kernel_ms", &self.nvcc_dyadic_kernel),
            ("copy_ms", &self.copy),
        ]
        .into_iter()
        .filter_map(|(name, timing)| Some((name, timing.as_ref()?)))
    }
}

/// How a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Measured, and the result is right.
    Ok,
    /// The result is wrong, or the cell could not be measured to its end.
    Failed,
    /// Not measured on the device, for the reason beside it.
    Skipped,
}

impl Status {
    /// `ok`, `failed` or `skipped`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::Skipped => "skipped",
        }
    }
}

/// The device that measured, and the PTX that ran on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// The device's name.
    pub name: String,
    /// `cuda` or `emulator`.
    pub kind: String,
    /// Such as `9.0`.
    pub compute_capability: String,
    /// The driver's own version, such as `580.159.04`, where it is known.
    pub driver: Option<String>,
    /// The driver's CUDA version, such as `13.0`.
    pub cuda_version: Option<String>,
    /// SHA-256 of the PTX that was loaded.
    pub ptx_sha256: String,
    /// Its architecture, such as `sm_90`.
    pub ptx_arch: String,
    /// The rustc that compiled it.
    pub rustc: String,
    /// The LLVM that generated it.
    pub llvm: String,
    /// What its multiprocessors hold; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiprocessors: Option<Multiprocessors>,
}

/// The multiprocessors of a device, and what each can hold at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Multiprocessors {
    /// How many.
    pub count: u32,
    /// Threads resident on one.
    pub max_threads: u32,
    /// Blocks resident on one.
    pub max_blocks: u32,
    /// 32-bit registers of one.
    pub registers: u32,
}

/// The device's clocks around a measurement, where the driver's management
/// library tells them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clocks {
    /// Multiprocessors, before it, MHz.
    pub sm_before_mhz: Option<u32>,
    /// Multiprocessors, after it, MHz.
    pub sm_after_mhz: Option<u32>,
    /// Multiprocessors at most, MHz.
    pub sm_most_mhz: Option<u32>,
    /// Memory, MHz.
    pub memory_mhz: Option<u32>,
    /// Degrees Celsius.
    pub temperature: Option<u32>,
    /// Watts.
    pub watts: Option<f64>,
    /// Why the clock was held down, when it was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throttled: Vec<String>,
}

impl DeviceInfo {
    /// Whether it has results and counts, and no times.
    pub fn is_emulated(&self) -> bool {
        self.kind == EMULATOR
    }
}

/// The program and the machine that it runs on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostInfo {
    /// The processor's name.
    pub cpu: String,
    /// Cores that the best of the host uses; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<usize>,
    /// This crate's version.
    pub version: String,
    /// The revision that this program was built from, `unknown` outside of a
    /// checkout.
    pub git_revision: String,
}

impl HostInfo {
    /// Of this process.
    pub fn current() -> Self {
        HostInfo {
            cpu: cpu_name(),
            cores: Some(crate::fastest::cores()),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            git_revision: option_env!("QUADSCAN_GIT_REVISION")
                .unwrap_or("unknown")
                .to_owned(),
        }
    }
}

/// The processor's model name as the kernel reports it, else the architecture.
fn cpu_name() -> String {
    std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| model_name(&text))
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn model_name(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo
        .lines()
        .find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// One cell of one table, measured once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The run that measured it; the rows of one run belong together.
    pub run: String,
    /// The table.
    pub table: String,
    /// The cell.
    pub key: Key,
    /// How it ended.
    pub status: Status,
    /// Why, when it did not end well; one sentence.
    pub reason: Option<String>,
    /// Results.
    pub values: Values,
    /// Times, with every sample.
    pub timings: Timings,
    /// What our kernels did in one launch, where the device counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// The device's clocks meanwhile, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// What has to be known about the measurement, a sentence each: outliers, a
    /// throttled clock. What stands before a colon is the same for all of a kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The device, when one was used.
    pub device: Option<DeviceInfo>,
    /// The host.
    pub host: HostInfo,
    /// When it was measured: RFC 3339, UTC.
    pub timestamp: String,
}

/// The time now: RFC 3339, UTC, in seconds.
pub fn timestamp() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named_by_its_model() {
        let text = "processor\t: 0\nvendor_id\t: X\nmodel name\t: Some CPU @ 2.00GHz\n";
        assert_eq!(model_name(text).as_deref(), Some("Some CPU @ 2.00GHz"));
        assert_eq!(model_name("processor\t: 0\n"), None);
    }

    #[test]
    fn a_key_describes_the_parts_that_it_has() {
        let key = Key {
            strips: Some(16),
            blocks: Some(2),
            threads: Some(8),
            ..Key::default()
        };
        assert_eq!(key.describe(), "strips=16 blocks=2 threads=8");
    }

    #[test]
    fn counts_of_earlier_versions_are_read_and_what_they_lack_stays_absent() {
        let counts = Counts {
            warp_instructions: 7,
            ..Counts::default()
        };
        let text = r#"{"warp_instructions":7}"#;
        assert_eq!(serde_json::from_str::<Counts>(text).ok(), Some(counts));
        assert_eq!(serde_json::to_string(&counts).ok().as_deref(), Some(text));
    }

    #[test]
    fn a_timestamp_is_rfc_3339_in_utc() {
        let stamp = timestamp();
        assert_eq!(stamp.len(), "2026-01-01T00:00:00Z".len(), "{stamp}");
        assert!(
            stamp.ends_with('Z') && stamp.as_bytes()[10] == b'T',
            "{stamp}"
        );
    }
}
