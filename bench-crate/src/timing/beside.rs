//! Two kernels at once, on two streams of one device: what each takes alone, and
//! what each takes while the other runs.
//!
//! The short kernel is launched again and again until the long one ends. That both ran at the
//! same time is not assumed but measured: the events of both streams are on one clock, and only
//! launches between two events within the long kernel's time count. The caller supplies the
//! kernels.

use std::time::Instant;

use super::{Method, Rule, Timing};
use quadscan::Result;
use quadscan::device::{Device, Event, Graph};

/// Launches of the short kernel between two marks: one graph, where there are graphs.
const SLICE: u32 = 16;

/// The most slices of a round.
const MOST_SLICES: usize = 200;

/// The fewest, so that some lie within the long kernel's time.
const FEWEST_SLICES: usize = 8;

/// The short kernel is launched for this much of the long one's time, so that it is
/// not the first to end.
const EXCESS: f64 = 1.3;

/// The part of the long kernel's time that the short one has to run in; a round with
/// less, since the host was late or the one waited for the other, does not count.
const SMALLEST_OVERLAP: f64 = 0.75;

/// Rounds without overlap, beyond those with it, after which no more are made.
const MOST_MISSED: usize = 3;

/// A kernel with the stream that it is launched on.
pub struct Party<'a> {
    /// The device, as the stream's owner.
    pub device: &'a Device,
    /// Starts one launch on it.
    pub launch: &'a mut dyn FnMut() -> Result<()>,
}

/// Two kernels alone and together, ms a launch.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// The short kernel alone, launched as often.
    pub kernel: Option<Timing>,
    /// How the short one was launched.
    pub method: Method,
    /// The short kernel while the long one runs; `None` when they did not overlap.
    pub kernel_beside: Option<Timing>,
    /// The long kernel alone.
    pub companion: Option<Timing>,
    /// The long kernel while the short one runs; `None` when they did not overlap.
    pub companion_beside: Option<Timing>,
    /// The part of the long kernel's time in which the short one ran: the least of
    /// the rounds that count; where none does, the most that was seen.
    pub overlap: f64,
}

/// Launches of the short kernel that were seen within the long one's time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Within {
    /// A launch, ms.
    ms: f64,
    /// The part of the long kernel's time that they took.
    overlap: f64,
}

/// What of the slices between `marks` lies within `start` to `end`; all in ms on one
/// clock, the marks in order. `None` when no slice does.
fn within(marks: &[f64], start: f64, end: f64) -> Option<Within> {
    let first = marks.iter().position(|&mark| mark >= start)?;
    let last = marks.iter().rposition(|&mark| mark <= end)?;
    if last <= first {
        return None;
    }
    let spent = marks[last] - marks[first];
    Some(Within {
        ms: spent / ((last - first) as f64 * f64::from(SLICE)),
        overlap: spent / (end - start),
    })
}

struct Pair<'s, 'l> {
    short: Party<'s>,
    long: Party<'l>,
    /// A slice of the short kernel, recorded.
    slice: Option<Graph>,
    /// Around the slices of the short kernel.
    marks: Vec<Event>,
    /// On the long kernel's stream: before everything, its start, its end.
    origin: Event,
    start: Event,
    end: Event,
}

impl<'s, 'l> Pair<'s, 'l> {
    fn new(short: Party<'s>, long: Party<'l>) -> Result<Self> {
        Ok(Pair {
            slice: None,
            marks: Vec::new(),
            origin: long.device.event()?,
            start: long.device.event()?,
            end: long.device.event()?,
            short,
            long,
        })
    }

    fn set_slices(&mut self, slices: usize) -> Result<()> {
        let mark = |_| self.short.device.event();
        self.marks = (0..=slices).map(mark).collect::<Result<_>>()?;
        Ok(())
    }

    fn start_long(&mut self) -> Result<()> {
        self.start.record()?;
        (self.long.launch)()?;
        self.end.record()
    }

    fn start_short(&mut self) -> Result<()> {
        for (index, mark) in self.marks.iter().enumerate() {
            match &self.slice {
                _ if index == 0 => {}
                Some(slice) => slice.launch()?,
                None => (0..SLICE).try_for_each(|_| (self.short.launch)())?,
            }
            mark.record()?;
        }
        Ok(())
    }

    /// Records a slice, where the device has graphs and the work can be recorded.
    fn record_slice(&mut self) -> Result<()> {
        if !self.short.device.has_graphs() {
            return Ok(());
        }
        let launch = &mut self.short.launch;
        match self
            .short
            .device
            .capture(|| (0..SLICE).try_for_each(|_| launch()))
        {
            Err(error) if error.is_context_lost() => return Err(error),
            recorded => self.slice = recorded.ok(),
        }
        Ok(())
    }

    fn wait(&self) -> Result<()> {
        self.short.device.synchronize()?;
        self.long.device.synchronize()
    }

    fn long_alone(&mut self) -> Result<f64> {
        self.wait()?;
        self.start_long()?;
        Event::elapsed_ms(&self.start, &self.end)
    }

    fn short_alone(&mut self) -> Result<f64> {
        self.wait()?;
        self.start_short()?;
        let launches = (self.marks.len() - 1) as f64 * f64::from(SLICE);
        match (self.marks.first(), self.marks.last()) {
            (Some(first), Some(last)) => Ok(Event::elapsed_ms(first, last)? / launches),
            _ => Ok(0.0),
        }
    }

    /// The long kernel's time, and what of the short one was within it.
    fn together(&mut self) -> Result<(f64, Option<Within>)> {
        self.wait()?;
        self.origin.record()?;
        self.start_long()?;
        self.start_short()?;
        self.wait()?;
        let since = |event: &Event| Event::elapsed_ms(&self.origin, event);
        let (start, end) = (since(&self.start)?, since(&self.end)?);
        let marks = self.marks.iter().map(since).collect::<Result<Vec<f64>>>()?;
        Ok((end - start, within(&marks, start, end)))
    }

    /// Runs each a few times, and decides how many slices outlast the long kernel.
    fn warm_up(&mut self) -> Result<()> {
        self.set_slices(FEWEST_SLICES)?;
        self.short_alone()?;
        self.record_slice()?;
        self.short_alone()?;
        self.long_alone()?;
        let (short, long) = (self.short_alone()?, self.long_alone()?);
        let wanted = EXCESS * long / (short * f64::from(SLICE)).max(1e-6);
        self.set_slices((wanted.ceil() as usize).clamp(FEWEST_SLICES, MOST_SLICES))
    }
}

/// Times `short` and `long`, each alone and both at once, in every round, so that a
/// drift of the device's clock is in all of them.
///
/// # Errors
///
/// [`quadscan::Error::ForeignEvent`] when the streams are not of one device; the
/// driver's.
pub fn kernels(rule: &Rule, short: Party<'_>, long: Party<'_>) -> Result<Beside> {
    let mut pair = Pair::new(short, long)?;
    pair.warm_up()?;
    let begin = Instant::now();
    // Short alone, long alone, short beside, long beside.
    let mut samples: [Vec<f64>; 4] = Default::default();
    let (mut overlap, mut missed) = (0.0_f64, 0);
    while samples
        .iter()
        .any(|samples| !rule.is_met(samples, begin.elapsed()))
    {
        samples[0].push(pair.short_alone()?);
        samples[1].push(pair.long_alone()?);
        let (long_beside, seen) = pair.together()?;
        let most = seen.map_or(0.0, |seen| seen.overlap);
        match seen.filter(|seen| seen.overlap >= SMALLEST_OVERLAP) {
            Some(seen) => {
                let is_first = samples[2].is_empty();
                overlap = if is_first { most } else { overlap.min(most) };
                samples[2].push(seen.ms);
                samples[3].push(long_beside);
            }
            None => {
                missed += 1;
                if samples[2].is_empty() {
                    overlap = overlap.max(most);
                }
            }
        }
        if missed > MOST_MISSED + samples[2].len() {
            break;
        }
    }
    let [kernel, companion, kernel_beside, companion_beside] = samples.map(Timing::from_samples);
    Ok(Beside {
        kernel,
        method: match pair.slice {
            Some(_) => Method::Graph(SLICE),
            None => Method::Batch(SLICE),
        },
        kernel_beside,
        companion,
        companion_beside,
        overlap,
    })
}

#[cfg(test)]
#[path = "beside_tests.rs"]
mod tests;
