//! Where a record is from: the device, the PTX that ran on it, its clocks, the host and the
//! program.

use serde::{Deserialize, Serialize};

use quadscan::device::EMULATOR;

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
    /// What its SMs hold; absent in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sms: Option<SmLimits>,
}

/// The SMs of a device, and what each can hold at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmLimits {
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
    /// SMs, before it, MHz.
    pub sm_before_mhz: Option<u32>,
    /// SMs, after it, MHz.
    pub sm_after_mhz: Option<u32>,
    /// SMs at most, MHz.
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
