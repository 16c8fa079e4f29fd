//! The times of a cell's kernels: ours and the peer's beside each other, and ours with
//! a cold cache.

use std::time::{Duration, Instant};

use super::protocol::{Job, Reading};
use crate::measure::{Rule, device as timing};
use quadscan::Result;
use quadscan::device::Device;

/// What is asked for, on which device, and what the cell's other times have taken.
pub(super) struct KernelTimes<'a> {
    pub(super) device: &'a Device,
    pub(super) job: &'a Job,
    pub(super) spent: Duration,
}

impl KernelTimes<'_> {
    /// Fills the kernels' times in. `theirs` are the peer's published form and the
    /// one with our algorithm, as far as they are there.
    pub(super) fn fill(
        &self,
        reading: &mut Reading,
        ours: timing::Launch<'_>,
        mut theirs: Vec<impl FnMut() -> Result<()>>,
    ) -> Result<()> {
        let begin = Instant::now();
        let rule = || Rule::new(self.job.repeat).after(self.spent + begin.elapsed());
        let mut launches: Vec<timing::Launch<'_>> = vec![&mut *ours];
        launches.extend(theirs.iter_mut().map(|launch| launch as timing::Launch<'_>));
        let measured = timing::kernels_and_methods(&rule(), self.device, &mut launches)?;
        let mut measured = measured.into_iter();
        if let Some(ours) = measured.next() {
            reading.kernel = Some(ours.timing);
            reading.kernel_method = Some(ours.method);
        }
        reading.nvcc_kernel = measured.next().map(|kernel| kernel.timing);
        reading.nvcc_dyadic_kernel = measured.next().map(|kernel| kernel.timing);
        if self.job.cold {
            self.cold(&rule(), reading, ours)?;
        }
        Ok(())
    }

    /// The time with a cold cache, or why there is none: the row is no worse for it.
    fn cold(&self, rule: &Rule, reading: &mut Reading, ours: timing::Launch<'_>) -> Result<()> {
        let missing = |reason: String| format!("kernel_cold_ms was not measured: {reason}");
        match timing::kernel_cold(rule, self.device, ours) {
            Ok(Some(cold)) => {
                reading.kernel_cold = Some(cold.kernel);
                reading.cold_events = Some(cold.events);
            }
            Ok(None) => reading.remarks.push(missing(
                "the device does not tell the size of its cache".into(),
            )),
            Err(error) if error.is_context_lost() => return Err(error),
            Err(error) => reading.remarks.push(missing(error.to_string())),
        }
        Ok(())
    }
}
