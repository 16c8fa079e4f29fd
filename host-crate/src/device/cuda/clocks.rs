//! A CUDA device's clocks, as NVIDIA's management library (NVML) tells them.
//!
//! The library comes with the driver and is loaded at run time, when the clocks are
//! first asked for: who asks for none does not wait for it. It is another library
//! than the driver, with another order of devices, so that the device is found by
//! its place on the PCI bus.

use std::sync::OnceLock;

use nvml_wrapper::Nvml;
use nvml_wrapper::bitmasks::device::ThrottleReasons;
use nvml_wrapper::enum_wrappers::device::{Clock, PerformancePolicy, TemperatureSensor};

use crate::device::ClockState;
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

/// Reads the clocks of one device.
pub(super) struct Meter {
    bus_id: String,
    /// The library, or why it cannot be used.
    library: OnceLock<std::result::Result<Nvml, String>>,
}

impl Meter {
    /// For the device at this place of the PCI bus.
    pub(super) fn new(bus_id: String) -> Self {
        Meter {
            bus_id,
            library: OnceLock::new(),
        }
    }

    fn device(&self) -> std::result::Result<nvml_wrapper::Device<'_>, String> {
        let library = self.library.get_or_init(|| {
            Nvml::init().map_err(|error| one_line(&format!("libnvidia-ml.so.1: {error}")))
        });
        let library = library.as_ref().map_err(String::clone)?;
        library
            .device_by_pci_bus_id(self.bus_id.as_str())
            .map_err(|error| one_line(&format!("libnvidia-ml.so.1, {}: {error}", self.bus_id)))
    }

    /// The multiprocessors' clock.
    pub(super) fn sm_mhz(&self) -> Option<u32> {
        self.device().ok()?.clock_info(Clock::SM).ok()
    }

    /// Everything; what the library does not tell of this device stays absent.
    pub(super) fn read(&self, name: &str) -> Result<ClockState> {
        let device = self.device().map_err(|reason| Error::NoClocks {
            device: name.to_owned(),
            reason,
        })?;
        let milliwatts = device.power_usage().ok();
        Ok(ClockState {
            sm_mhz: device.clock_info(Clock::SM).ok(),
            sm_most_mhz: device.max_clock_info(Clock::SM).ok(),
            memory_mhz: device.clock_info(Clock::Memory).ok(),
            temperature: device.temperature(TemperatureSensor::Gpu).ok(),
            watts: milliwatts.map(|power| f64::from(power) / 1000.0),
            held_by: device
                .current_throttle_reasons()
                .map(held_by)
                .unwrap_or_default(),
            held_ns: COUNTED
                .into_iter()
                .filter_map(|(policy, name)| {
                    let counted = device.violation_status(policy).ok()?;
                    Some((name, counted.violation_time))
                })
                .collect(),
        })
    }
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
