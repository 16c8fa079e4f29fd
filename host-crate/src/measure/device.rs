//! The device's times: the page's span by the host's clock, and kernels alone by
//! the device's events.

use std::time::{Duration, Instant};

use bytemuck::Pod;

use super::{Rule, Timing, milliseconds, sample};
use crate::device::{Buffer, Device, Event};
use crate::error::Result;

/// A kernel at least this long is timed by single launches; shorter ones in
/// batches, because an event's time has a resolution of about half a microsecond.
const LONG_MS: f64 = 1.0;

/// The length of a batch of short kernels.
const BATCH_MS: f64 = 2.0;

/// The most launches of a batch.
const LARGEST_BATCH: usize = 500;

/// Time spent on launches before anything is measured, so that the device's clock
/// has risen; long kernels warm it up by themselves.
const WARM_UP: Duration = Duration::from_millis(20);

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
    let mut once = || {
        device.synchronize()?;
        let start = Instant::now();
        buffer.copy_from(partials)?;
        launch(buffer)?;
        buffer.copy_to(partials)?;
        device.synchronize()?;
        Ok(milliseconds(start.elapsed()))
    };
    // The first one pays for what the driver sets up lazily.
    once()?;
    sample(rule, once)
}

/// A kernel that is launched again and again.
pub type Launch<'a> = &'a mut dyn FnMut() -> Result<()>;

struct Contender<'a, 'b> {
    launch: &'b mut Launch<'a>,
    batch: usize,
    samples: Vec<f64>,
}

impl Contender<'_, '_> {
    fn once(&mut self, start: &Event, end: &Event) -> Result<f64> {
        start.record()?;
        for _ in 0..self.batch {
            (self.launch)()?;
        }
        end.record()?;
        Ok(Event::elapsed_ms(start, end)? / self.batch as f64)
    }

    fn warm_up(&mut self, start: &Event, end: &Event) -> Result<()> {
        let begin = Instant::now();
        let mut ms = self.once(start, end)?;
        while ms < LONG_MS && begin.elapsed() < WARM_UP {
            ms = ms.min(self.once(start, end)?);
        }
        if ms < LONG_MS {
            self.batch = ((BATCH_MS / ms.max(1e-3)) as usize).clamp(1, LARGEST_BATCH);
        }
        Ok(())
    }
}

/// Times kernels beside each other: every round takes a sample of each, so that
/// a drift of the device's clock is in all of them. One [`Timing`] each, in order.
pub fn kernels(rule: &Rule, device: &Device, launches: &mut [Launch<'_>]) -> Result<Vec<Timing>> {
    let (start, end) = (device.event()?, device.event()?);
    let mut contenders: Vec<Contender<'_, '_>> = launches
        .iter_mut()
        .map(|launch| Contender {
            launch,
            batch: 1,
            samples: Vec::new(),
        })
        .collect();
    for contender in &mut contenders {
        contender.warm_up(&start, &end)?;
    }
    let begin = Instant::now();
    loop {
        for contender in &mut contenders {
            let ms = contender.once(&start, &end)?;
            contender.samples.push(ms);
        }
        let enough = contenders.iter().all(|contender| {
            let samples = &contender.samples;
            let rule = match samples.first() {
                Some(&ms)
                    if ms > VERY_LONG_MS
                        && rule.min_samples > 3
                        && rule.max_samples > rule.min_samples =>
                {
                    Rule {
                        min_samples: 3,
                        ..*rule
                    }
                }
                _ => *rule,
            };
            rule.is_met(samples, begin.elapsed())
        });
        if enough {
            break;
        }
    }
    Ok(contenders
        .into_iter()
        .filter_map(|contender| Timing::from_samples(contender.samples))
        .collect())
}
