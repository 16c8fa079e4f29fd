//! A CUDA device's clocks, from NVIDIA's management library (NVML).
//!
//! The library comes with the driver. It is loaded at run time, when the clocks are first
//! needed. It numbers devices in another order than the driver, so the device is found by its
//! PCI bus address.

use std::sync::OnceLock;

use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, PerformancePolicy, TemperatureSensor};

use quadscan::device::Device;

use crate::{Error, Result};

/// What holds a clock down at a moment. What is left out of NVML's list does not
/// slow a measurement down without somebody's wish: an idle device, and clocks that
/// were set.
const REASONS: [(ThrottleReasons, &str); 6] = [
    (ThrottleReasons::SW_POWER_CAP, POWER),
    (ThrottleReasons::SW_THERMAL_SLOWDOWN, HEAT),
    (ThrottleReasons::HW_THERMAL_SLOWDOWN, HEAT),
    (ThrottleReasons::HW_POWER_BRAKE_SLOWDOWN, "power brake"),
    (ThrottleReasons::HW_SLOWDOWN, "hardware slowdown"),
    (ThrottleReasons::SYNC_BOOST, "sync boost"),
];

/// What NVML counts the time of.
const COUNTED: [(PerformancePolicy, &str); 5] = [
    (PerformancePolicy::Power, POWER),
    (PerformancePolicy::Thermal, HEAT),
    (PerformancePolicy::SyncBoost, "sync boost"),
    (PerformancePolicy::BoardLimit, "board limit"),
    (PerformancePolicy::Reliability, "reliability limit"),
];

const POWER: &str = "power limit";
const HEAT: &str = "heat";

/// A device's clocks and what bears on them, at one moment. Absent is what the
/// driver does not tell.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ClockState {
    /// Clock of the SMs, MHz.
    pub sm_mhz: Option<u32>,
    /// The same at most, MHz.
    pub sm_most_mhz: Option<u32>,
    /// Clock of the memory, MHz.
    pub memory_mhz: Option<u32>,
    /// Degrees Celsius.
    pub temperature: Option<u32>,
    /// Power drawn, watts.
    pub watts: Option<f64>,
    /// What holds the clock down at this moment. An idle device and a clock that
    /// somebody has set are not among them.
    pub held_by: Vec<&'static str>,
    /// For how long each of these held it down since the driver was started, ns.
    pub held_ns: Vec<(&'static str, u64)>,
}

/// The library, or why it cannot be used.
static LIBRARY: OnceLock<std::result::Result<Nvml, String>> = OnceLock::new();

/// The device as the library knows it, or why it does not.
fn known(device: &Device) -> std::result::Result<nvml_wrapper::Device<'static>, String> {
    let bus_id = device.pci_bus_id().ok_or("nobody tells them")?;
    let load = || Nvml::init().map_err(|error| one_line(&format!("libnvidia-ml.so.1: {error}")));
    let library = LIBRARY.get_or_init(load).as_ref().map_err(String::clone)?;
    let found = library.device_by_pci_bus_id(bus_id);
    found.map_err(|error| one_line(&format!("libnvidia-ml.so.1, {bus_id}: {error}")))
}

/// The clock of the SMs alone, MHz, where somebody tells it: the quickest to read.
pub(crate) fn sm_mhz(device: &Device) -> Option<u32> {
    known(device).ok()?.clock_info(Clock::SM).ok()
}

/// All of it; what the library does not tell of this device stays absent.
///
/// # Errors
///
/// [`Error::NoClocks`] with the reason why nobody tells them.
pub(crate) fn read(device: &Device) -> Result<ClockState> {
    let known = known(device).map_err(|reason| Error::NoClocks {
        device: device.properties().name.clone(),
        reason,
    })?;
    let milliwatts = known.power_usage().ok();
    Ok(ClockState {
        sm_mhz: known.clock_info(Clock::SM).ok(),
        sm_most_mhz: known.max_clock_info(Clock::SM).ok(),
        memory_mhz: known.clock_info(Clock::Memory).ok(),
        temperature: known.temperature(TemperatureSensor::Gpu).ok(),
        watts: milliwatts.map(|power| f64::from(power) / 1000.0),
        held_by: known
            .current_throttle_reasons()
            .map(held_by)
            .unwrap_or_default(),
        held_ns: COUNTED
            .into_iter()
            .filter_map(|(policy, name)| {
                let counted = known.violation_status(policy).ok()?;
                Some((name, counted.violation_time))
            })
            .collect(),
    })
}

/// The reasons' names, each once.
fn held_by(reasons: ThrottleReasons) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (reason, name) in REASONS {
        if reasons.contains(reason) && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_device_and_clocks_that_somebody_set_hold_nothing_down() {
        let wanted = ThrottleReasons::GPU_IDLE
            | ThrottleReasons::APPLICATIONS_CLOCKS_SETTING
            | ThrottleReasons::DISPLAY_CLOCK_SETTING;
        assert_eq!(held_by(wanted), [""; 0]);
        assert_eq!(held_by(ThrottleReasons::NONE), [""; 0]);
        let hot = ThrottleReasons::HW_THERMAL_SLOWDOWN | ThrottleReasons::SW_THERMAL_SLOWDOWN;
        assert_eq!(
            held_by(wanted | hot | ThrottleReasons::SW_POWER_CAP),
            ["power limit", "heat"]
        );
    }
}
