//! A kernel of the table `kernels`: launched once and compared, then timed.

use super::protocol::{Job, Reading};
use crate::device::Module;
use crate::error::{Error, Result};
use crate::kernels;
use crate::measure::{Rule, device as timing};

/// Checks the kernel of a name on `n` elements, and times it where there is a timer and
/// times are asked for.
pub(super) fn measure(module: &Module, job: &Job, name: &str, n: u64) -> Result<Reading> {
    let kernel = kernels::by_name(name).ok_or_else(|| Error::UnknownKernel {
        kernel: name.to_owned(),
    })?;
    let device = module.device();
    let mut prepared = (kernel.prepare)(module, n)?;
    prepared.launch()?;
    let wrong = prepared.difference()?;
    let mut reading = Reading {
        bytes: Some((kernel.bytes)(n)),
        wrong: wrong.map(|wrong| format!("{name}: {wrong}")),
        ..Reading::default()
    };
    if reading.wrong.is_some() || job.untimed || !device.properties().has_timer {
        return Ok(reading);
    }
    let mut launch = || prepared.launch();
    let rule = Rule::new(job.repeat);
    let measured = timing::kernels_and_methods(&rule, device, &mut [&mut launch])?.pop();
    reading.kernel_method = measured.as_ref().map(|kernel| kernel.method);
    reading.kernel = measured.map(|kernel| kernel.timing);
    Ok(reading)
}
