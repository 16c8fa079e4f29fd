//! A kernel's time with a cold cache: before each launch more bytes are written
//! than the second-level cache holds, so that nothing of the kernel's data is left
//! in it. The idea is nvbench's.

use std::time::Instant;

use super::warm_up::{first_look, warm_up};
use super::{Launch, Timing, rule_of};
use crate::timing::Rule;
use quadscan::Result;
use quadscan::device::{Buffer, Device, Event};

/// Bytes that are written, in units of the cache's size.
const FLUSH: usize = 2;

/// Fewest samples: each is a single launch, whose time is known to half a
/// microsecond or so.
const FEWEST: usize = 11;

/// A kernel's time with a cold cache.
#[derive(Clone, Debug, PartialEq)]
pub struct Cold {
    /// Single launches, from one event to the next. The events' own time is in it.
    pub kernel: Timing,
    /// The same without a launch between the events: their own time.
    pub events: Timing,
}

/// Times single launches, each after the second-level cache was flushed. The flush
/// is work of the device, so that the launch waits for it in the queue and not the
/// device for the launch. `None` where the device does not tell the size of its
/// cache.
pub fn kernel_cold(rule: &Rule, device: &Device, launch: Launch<'_>) -> Result<Option<Cold>> {
    let Some(cache) = device.properties().l2_cache.filter(|&bytes| bytes > 0) else {
        return Ok(None);
    };
    let mut flush = Flush {
        buffer: device.alloc::<u8>(FLUSH * cache as usize)?,
        value: 0,
        events: (device.event()?, device.event()?),
    };
    let rough = first_look(|| flush.then(&mut *launch))?;
    warm_up(device, rough, || flush.then(&mut *launch))?;
    let rule = rule.with_at_least(FEWEST);
    let begin = Instant::now();
    let (mut samples, mut empty) = (Vec::new(), Vec::new());
    while !rule_of(&rule, &samples).is_met(&samples, begin.elapsed()) {
        empty.push(flush.then(|| Ok(()))?);
        samples.push(flush.then(&mut *launch)?);
    }
    Ok(Timing::from_samples(samples)
        .zip(Timing::from_samples(empty))
        .map(|(kernel, events)| Cold { kernel, events }))
}

struct Flush {
    buffer: Buffer<u8>,
    value: u8,
    events: (Event, Event),
}

impl Flush {
    /// Flushes the cache, and gives the time of `work` after that, ms.
    fn then(&mut self, work: impl FnOnce() -> Result<()>) -> Result<f64> {
        self.value = self.value.wrapping_add(1);
        self.buffer.fill_bytes(self.value)?;
        let (start, end) = &self.events;
        start.record()?;
        work()?;
        end.record()?;
        Event::elapsed_ms(start, end)
    }
}
