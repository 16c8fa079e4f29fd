//! The device's times: the page's span by the host's clock, and kernels alone by
//! the device's events.
//!
//! A kernel is timed by itself where it is long, and as part of many launches where
//! it is short: recorded in a graph where the device has graphs, launched one after
//! the other where not. [`Method`] says which it was.

mod cold;
mod contender;
mod warm_up;

#[cfg(test)]
#[path = "tests/fake.rs"]
mod fake;
#[cfg(test)]
mod tests;

use std::time::Instant;

use bytemuck::Pod;

use super::{Method, Rule, Timing, milliseconds, sample};
use quadscan::Result;
use quadscan::device::{Buffer, Device};

pub use cold::{Cold, kernel_cold};
use contender::Contender;

/// From this length on, three samples are the fewest instead of five.
const VERY_LONG_MS: f64 = 100.0;

/// The page's span: copy `partials` in, launch, copy out into `partials`. The
/// device is idle before and after; the buffer is allocated already.
pub fn span<T: Pod>(
    rule: &Rule,
    device: &Device,
    buffer: &mut Buffer<T>,
    partials: &mut [T],
    mut launch: impl FnMut(&mut Buffer<T>) -> Result<()>,
) -> Result<Option<Timing>> {
    let mut copy_and_launch = || {
        buffer.copy_from(partials)?;
        launch(buffer)?;
        buffer.copy_to(partials)
    };
    whole(rule, device, &mut copy_and_launch)
}

/// From an idle device until all of `work` is done, by the host's clock.
pub fn whole(rule: &Rule, device: &Device, work: Launch<'_>) -> Result<Option<Timing>> {
    let mut once = || {
        device.synchronize()?;
        let start = Instant::now();
        work()?;
        device.synchronize()?;
        Ok(milliseconds(start.elapsed()))
    };
    let rough = warm_up::first_look(&mut once)?;
    warm_up::warm_up(device, rough, &mut once)?;
    sample(rule, once)
}

/// A kernel that is launched again and again: it asks the device for the same work
/// each time, and does not wait for it.
pub type Launch<'a> = &'a mut dyn FnMut() -> Result<()>;

/// A kernel's time, and how it was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// One launch.
    pub timing: Timing,
    /// What a sample was taken of.
    pub method: Method,
}

/// Times kernels beside each other: every round takes a sample of each, so that
/// a drift of the device's clock is in all of them. One [`Timing`] each, in order.
pub fn kernels(rule: &Rule, device: &Device, launches: &mut [Launch<'_>]) -> Result<Vec<Timing>> {
    let measured = kernels_and_methods(rule, device, launches)?;
    Ok(measured.into_iter().map(|kernel| kernel.timing).collect())
}

/// As [`kernels`], with how each was measured.
pub fn kernels_and_methods(
    rule: &Rule,
    device: &Device,
    launches: &mut [Launch<'_>],
) -> Result<Vec<Measured>> {
    let (start, end) = (device.event()?, device.event()?);
    let mut contenders = Vec::with_capacity(launches.len());
    for launch in launches {
        contenders.push(Contender::warmed_up(device, launch, &start, &end)?);
    }
    let begin = Instant::now();
    loop {
        for contender in &mut contenders {
            contender.sample(&start, &end)?;
        }
        let enough = |contender: &Contender<'_, '_>| {
            let samples = contender.samples();
            rule_of(rule, samples).is_met(samples, begin.elapsed())
        };
        if contenders.iter().all(enough) {
            break;
        }
    }
    Ok(contenders
        .into_iter()
        .filter_map(Contender::into_measured)
        .collect())
}

/// The rule for a kernel: fewer samples of a very long one.
fn rule_of(rule: &Rule, samples: &[f64]) -> Rule {
    let is_very_long = samples.first().is_some_and(|&ms| ms > VERY_LONG_MS);
    let has_more = rule.min_samples > 3 && rule.max_samples > rule.min_samples;
    Rule {
        min_samples: if is_very_long && has_more {
            3
        } else {
            rule.min_samples
        },
        ..*rule
    }
}
