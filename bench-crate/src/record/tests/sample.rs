//! Records for tests, which no run measured.

use super::*;

/// A row of a table that ended well, of a host and no device, with nothing in it.
pub(crate) fn record(table: &str, cell: Cell) -> Record {
    let host = HostInfo {
        cpu: "test".into(),
        cores: None,
        version: "0".into(),
        git_revision: "0".into(),
    };
    Record {
        timestamp: "2026-01-01T00:00:00Z".into(),
        ..Record::new("test", table, &cell, &host)
    }
}

/// A device of a kind: `cuda` or `emulator`.
pub(crate) fn device(kind: &str) -> DeviceInfo {
    DeviceInfo {
        name: "test".into(),
        kind: kind.into(),
        compute_capability: "9.0".into(),
        driver: None,
        cuda_version: None,
        ptx_sha256: "0".into(),
        ptx_arch: "sm_90".into(),
        rustc: "1".into(),
        llvm: "1".into(),
        sms: None,
    }
}

impl Record {
    /// The same with a metric.
    pub(crate) fn having(mut self, name: &str, metric: impl Into<Metric>) -> Self {
        self.metrics.put(name, Some(metric));
        self
    }

    /// The same with a time of one sample, ms.
    pub(crate) fn taking(mut self, name: &str, ms: f64) -> Self {
        self.metrics.put(name, Timing::from_samples(vec![ms]));
        self
    }
}
