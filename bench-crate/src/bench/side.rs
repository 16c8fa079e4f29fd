//! The origin of a run's rows: device, driver, PTX, program and day, for comparison with
//! another run.

use crate::grouping::distinct;
use crate::record::Record;

/// One of the two runs. Each part is there once for every value that its rows have,
/// and that is one, but for records that were put together by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Side {
    /// Names of devices; none where no device was used.
    pub(super) devices: Vec<String>,
    /// Versions of their drivers.
    pub(super) drivers: Vec<String>,
    /// Architecture and the first digits of the hash.
    pub(super) ptx: Vec<String>,
    /// First digits of the program's revision.
    pub(super) revisions: Vec<String>,
    /// Days, UTC.
    pub(super) days: Vec<String>,
    /// The median clock of the SMs, MHz.
    pub(super) sm_mhz: Option<u32>,
}

/// Digits of a hash that people compare.
const DIGITS: usize = 12;

fn short(hash: &str) -> String {
    hash.chars().take(DIGITS).collect()
}

impl Side {
    /// Of these rows.
    pub(super) fn of(records: &[Record]) -> Self {
        let devices = || records.iter().filter_map(|record| record.device.as_ref());
        let clocks = records.iter().filter_map(|record| record.clocks.as_ref());
        let mut mhz: Vec<u32> = clocks.filter_map(|clocks| clocks.sm_after_mhz).collect();
        mhz.sort_unstable();
        Side {
            devices: distinct(devices().map(|info| info.name.clone())),
            drivers: distinct(devices().filter_map(|info| info.driver.clone())),
            ptx: distinct(
                devices().map(|info| format!("{} {}", info.ptx_arch, short(&info.ptx_sha256))),
            ),
            revisions: distinct(records.iter().map(|r| short(&r.host.git_revision))),
            days: distinct(
                records
                    .iter()
                    .map(|r| r.timestamp.chars().take(10).collect()),
            ),
            sm_mhz: mhz.get(mhz.len() / 2).copied(),
        }
    }

    /// Its parts with their names, those that it has.
    pub(super) fn parts(&self) -> Vec<(&'static str, String)> {
        let clock = self.sm_mhz.map(|mhz| format!("{mhz} MHz"));
        [
            ("device", &self.devices),
            ("driver", &self.drivers),
            ("PTX", &self.ptx),
            ("revision", &self.revisions),
            ("measured", &self.days),
            ("SM clock", &clock.into_iter().collect()),
        ]
        .into_iter()
        .filter(|(_, values)| !values.is_empty())
        .map(|(name, values)| (name, values.join(", ")))
        .collect()
    }

    /// On one line.
    pub(super) fn describe(&self) -> String {
        let parts = self.parts().into_iter().map(|(name, value)| match name {
            "device" | "measured" => value,
            _ => format!("{name} {value}"),
        });
        parts.collect::<Vec<_>>().join("; ")
    }
}
