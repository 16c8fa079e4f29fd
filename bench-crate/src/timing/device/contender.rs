//! A kernel while it is timed: how it is launched, and its samples.

use super::warm_up::{first_look, warm_up};
use super::{Launch, Measured};
use crate::timing::{Method, Timing};
use quadscan::Result;
use quadscan::device::{Device, Event, Graph};

/// A kernel at least this long is timed by single launches; shorter ones together,
/// because an event's time has a resolution of about half a microsecond.
const LONG_MS: f64 = 1.0;

/// The length of a sample of a short kernel.
const SAMPLE_MS: f64 = 2.0;

/// The most launches of a sample.
const MOST_LAUNCHES: u32 = 2000;

/// The launches of a first look at a short kernel.
const FIRST_LOOK: u32 = 20;

/// How a sample launches.
enum Way {
    Calls(u32),
    Graph(Graph, u32),
}

pub(super) struct Contender<'a, 'b> {
    launch: &'b mut Launch<'a>,
    way: Way,
    samples: Vec<f64>,
}

impl<'a, 'b> Contender<'a, 'b> {
    /// A kernel whose way of launching is chosen, on a device that is warm.
    pub(super) fn warmed_up(
        device: &Device,
        launch: &'b mut Launch<'a>,
        start: &Event,
        end: &Event,
    ) -> Result<Self> {
        let mut contender = Contender {
            launch,
            way: Way::Calls(1),
            samples: Vec::new(),
        };
        let rough = first_look(|| contender.once(start, end))?;
        if rough < LONG_MS {
            contender.way = Way::Calls(FIRST_LOOK);
            let ms = contender.once(start, end)?;
            contender.way = contender.together(device, launches(ms))?;
        }
        warm_up(device, rough, || contender.once(start, end))?;
        Ok(contender)
    }

    /// `count` launches as a graph; as calls where the device has no graphs, and
    /// where the work cannot be recorded because it waits or copies to the host.
    fn together(&mut self, device: &Device, count: u32) -> Result<Way> {
        if count == 1 || !device.has_graphs() {
            return Ok(Way::Calls(count));
        }
        let recorded = device.capture(|| (0..count).try_for_each(|_| (self.launch)()));
        match recorded {
            Ok(graph) => Ok(Way::Graph(graph, count)),
            Err(error) if error.is_context_lost() => Err(error),
            Err(_) => Ok(Way::Calls(count)),
        }
    }

    /// The time of one launch, ms.
    fn once(&mut self, start: &Event, end: &Event) -> Result<f64> {
        start.record()?;
        let count = match &self.way {
            Way::Calls(count) => (0..*count)
                .try_for_each(|_| (self.launch)())
                .map(|()| *count)?,
            Way::Graph(graph, count) => graph.launch().map(|()| *count)?,
        };
        end.record()?;
        Ok(Event::elapsed_ms(start, end)? / f64::from(count))
    }

    /// Takes a sample.
    pub(super) fn sample(&mut self, start: &Event, end: &Event) -> Result<()> {
        let ms = self.once(start, end)?;
        self.samples.push(ms);
        Ok(())
    }

    pub(super) fn samples(&self) -> &[f64] {
        &self.samples
    }

    /// What was measured; `None` without a sample.
    pub(super) fn into_measured(self) -> Option<Measured> {
        let method = match self.way {
            Way::Calls(1) => Method::Single,
            Way::Calls(count) => Method::Batch(count),
            Way::Graph(_, count) => Method::Graph(count),
        };
        let timing = Timing::from_samples(self.samples)?;
        Some(Measured { timing, method })
    }
}

/// How many launches of `ms` each make a sample.
fn launches(ms: f64) -> u32 {
    let most = f64::from(MOST_LAUNCHES);
    // At least 1: `ms` may be longer than the first look was.
    (SAMPLE_MS / ms).clamp(1.0, most) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_of_short_launches_is_two_milliseconds_long_and_never_empty() {
        assert_eq!(launches(0.004), 500);
        assert_eq!(launches(0.3), 6);
        assert_eq!(launches(5.0), 1);
        assert_eq!(launches(0.0), MOST_LAUNCHES);
    }
}
