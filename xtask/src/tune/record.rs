//! What `quadscan tune` measured, as far as the choice needs it.

use serde::Deserialize;

use super::candidates::Algorithm;

/// A sweep.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Record {
    /// The device's name.
    pub(crate) device: String,
    /// Its compute capability, major and minor.
    pub(crate) compute_capability: (u32, u32),
    /// When it began, UTC: `2026-11-22T06:00:00Z`.
    pub(crate) date: String,
    /// What was timed.
    pub(crate) candidates: Vec<Measured>,
}

/// A candidate and its times.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Measured {
    pub(crate) entry: String,
    pub(crate) algorithm: Algorithm,
    pub(crate) element: usize,
    pub(crate) result: usize,
    pub(crate) warps: usize,
    pub(crate) rows: usize,
    pub(crate) delay: usize,
    pub(crate) ahead: usize,
    pub(crate) times: Vec<Time>,
}

/// A candidate at a number of elements.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Time {
    /// Elements.
    pub(crate) n: u64,
    /// Microseconds; none from a device without a timer.
    pub(crate) median_us: Option<f64>,
    /// What was wrong with the results.
    pub(crate) wrong: Option<String>,
}

impl Measured {
    /// The time of `n` elements, microseconds.
    pub(crate) fn at(&self, n: u64) -> Option<f64> {
        let found = self.times.iter().find(|time| time.n == n);
        found.and_then(|time| time.median_us)
    }
}

impl Record {
    /// As it is kept, with the second in which it began:
    /// `tune-scan-2026-11-22-060000-nvidia-h200.json`.
    pub(crate) fn file_name(&self) -> String {
        let (day, time) = self.date.split_once('T').unwrap_or((&self.date, ""));
        let time: String = time.chars().filter(char::is_ascii_digit).collect();
        let name = format!("{day}-{time}-{}", self.device.to_lowercase());
        let plain = name.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = plain.filter(|word| !word.is_empty()).collect();
        format!("tune-scan-{}.json", words.join("-"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_records_name_has_its_second_and_its_device_and_no_blank() {
        let record = |date: &str| Record {
            device: "NVIDIA H100 80GB HBM3".to_owned(),
            compute_capability: (9, 0),
            date: date.to_owned(),
            candidates: Vec::new(),
        };
        let expected = "tune-scan-2026-11-22-060007-nvidia-h100-80gb-hbm3.json";
        assert_eq!(record("2026-11-22T06:00:07Z").file_name(), expected);
    }
}
