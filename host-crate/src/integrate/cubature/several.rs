//! Regions of integrals that are summed on several devices.

use std::borrow::Cow;
use std::ops::Range;
use std::{iter, mem, thread};

use quadscan_kernels::cubature::adapt::part::{Part, Region};
use quadscan_kernels::cubature::adapt::rounds::Ask;

use super::launches::OnDevice;
use super::rounds::{Evaluate, Next, question};
use super::{Cubature, CubatureOptions, Cubed, Parameters, batch};
use crate::{Error, Result};

/// Points from which on a device takes part in a round: some 30 us of work of an H100, more than
/// what starting it costs.
const POINTS: u64 = 1 << 21;

/// Members for which the devices decide, from which on a device takes part.
pub(super) const MEMBERS: u64 = 1 << 10;

/// Questions for plans, and looks, from which on a device takes part: 256 of eight dimensions take one H200
/// 0.15 ms, and two 0.3.
const QUESTIONS: u64 = 192;

impl Cubature {
    /// One plan of several for the same integrand, each on another device: the regions of every round
    /// are summed by all of them. Options are those of the first. An outcome has the bits that it
    /// has on one device.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for no plans, and for those of several integrands.
    pub fn together(plans: Vec<Self>) -> Result<Self> {
        let refused = |problem: &str| Err(Error::argument("plans", problem));
        let mut plans = plans.into_iter();
        let Some(mut first) = plans.next() else {
            return refused("are none, allowed are 1 and more");
        };
        for mut plan in plans {
            let others = mem::take(&mut plan.others);
            first.others.push(plan);
            first.others.extend(others);
        }
        let integrand = |of: &Self| {
            (
                of.kernels.rule(),
                of.module.key_of_part().map(str::to_owned),
            )
        };
        let is_other = |other: &Self| integrand(other) != integrand(&first);
        match first.others.iter().any(is_other) {
            true => refused("are of several integrands, allowed is one"),
            false => Ok(first),
        }
    }

    /// The integrals with each of these parameters over a box with finite limits, each lower one below the
    /// upper one; what sees the regions of each at its end.
    pub(super) fn on_all_devices(
        &mut self,
        limits: &[(f64, f64)],
        parameters: &[Parameters],
        see: &mut dyn FnMut(&[Region]),
    ) -> Result<Vec<Cubed>> {
        let (options, mut others) = (self.options, mem::take(&mut self.others));
        let plans = iter::once(&mut *self).chain(&mut others);
        let on = plans.map(|plan| OnDevice::new(plan, limits.len(), parameters));
        let on: Result<Vec<_>> = on.collect();
        let integrals = on.and_then(|on| {
            let mut on = OnDevices(on);
            let count = parameters.len() as u32;
            let mut all = on.decided(limits, &options, count)?;
            let left = |&number: &u32| all[number as usize].is_none();
            let left: Vec<u32> = (0..count).filter(left).collect();
            let outcomes = batch::integrate(limits, &options, &left, &mut on, see)?;
            for (number, outcome) in left.into_iter().zip(outcomes) {
                all[number as usize] = Some(outcome);
            }
            Ok(all.into_iter().flatten().collect())
        });
        self.others = others;
        integrals
    }
}

/// Integrals whose regions are summed on each of several devices.
struct OnDevices<'a>(Vec<OnDevice<'a>>);

impl OnDevices<'_> {
    /// What came of each of so many integrals for which the devices decide; of others nothing.
    fn decided(
        &mut self,
        limits: &[(f64, f64)],
        options: &CubatureOptions,
        count: u32,
    ) -> Result<Vec<Option<Cubed>>> {
        if !self.0[0].plan.is_decided(limits.len(), count) {
            return Ok(vec![None; count as usize]);
        }
        let (question, members) = (question(limits, options), (0..count).collect::<Vec<_>>());
        let least = self.0[0].plan.members_of_a_device;
        let ranges = ranges(&vec![1; members.len()], self.0.len(), least);
        self.all(&members, ranges, |device, members| {
            device.decided(&question, members)
        })
    }

    /// What `ask` gives for neighbouring things of which each device has a range, in order.
    fn all<T: Sync, A: Clone + Send>(
        &mut self,
        things: &[T],
        ranges: Vec<Range<usize>>,
        ask: impl Fn(&mut OnDevice<'_>, &[T]) -> Result<Vec<A>> + Sync,
    ) -> Result<Vec<A>> {
        if ranges.len() == 1 {
            return ask(&mut self.0[0], things);
        }
        let answers: Vec<Result<Vec<A>>> = thread::scope(|scope| {
            let asked = self.0.iter_mut().zip(ranges).map(|(device, range)| {
                let (ask, own) = (&ask, &things[range]);
                scope.spawn(move || ask(device, own))
            });
            let asked: Vec<_> = asked.collect();
            let ended = asked.into_iter().map(|thread| thread.join());
            ended
                .map(|answer| answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
        let answers: Vec<Vec<A>> = answers.into_iter().collect::<Result<_>>()?;
        Ok(answers.concat())
    }
}

/// Neighbouring things of these weights for each of up to `most` devices, of which no more take part than
/// have the weight `least`.
fn ranges(weights: &[u64], most: usize, least: u64) -> Vec<Range<usize>> {
    let all: u64 = weights.iter().sum();
    let devices = (all / least).clamp(1, most as u64);
    let (mut ranges, mut end, mut so_far) = (Vec::new(), 0, 0);
    for device in 1..=devices {
        let first = end;
        while end < weights.len() && (device == devices || so_far < all / devices * device) {
            so_far += weights[end];
            end += 1;
        }
        ranges.push(first..end);
    }
    ranges
}

impl Evaluate for OnDevices<'_> {
    fn sums(&mut self, parts: &[Part], next: Next) -> Result<Cow<'_, [f64]>> {
        let points: Vec<u64> = parts.iter().map(|part| part.points(0)).collect();
        let ranges = ranges(&points, self.0.len(), POINTS);
        if ranges.len() == 1 {
            return self.0[0].sums(parts, next);
        }
        let sums = |device: &mut OnDevice<'_>, parts: &[Part]| {
            Ok(device.sums(parts, Next::Unknown)?.into_owned())
        };
        Ok(Cow::Owned(self.all(parts, ranges, sums)?))
    }

    fn plans(&mut self, asked: &[Ask]) -> Result<Vec<f64>> {
        let ranges = ranges(&vec![1; asked.len()], self.0.len(), QUESTIONS);
        self.all(asked, ranges, |device, asked| device.plans(asked))
    }

    fn looks(&mut self, asked: &[(Part, u32)]) -> Result<Vec<f64>> {
        let looks: Vec<u64> = asked.iter().map(|&(_, looks)| u64::from(looks)).collect();
        let ranges = ranges(&looks, self.0.len(), QUESTIONS);
        self.all(asked, ranges, |device, asked| device.looks(asked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_neighbours_of_about_the_same_weight_and_as_many_as_are_worth_it() {
        let weights: Vec<u64> = (0..100).map(|i| 1 + i % 7).collect();
        let all: u64 = weights.iter().sum();
        for most in 1..9 {
            let ranges = ranges(&weights, most, 10);
            assert_eq!(ranges.len(), most);
            assert_eq!((ranges[0].start, ranges[most - 1].end), (0, 100));
            for (first, then) in ranges.iter().zip(&ranges[1..]) {
                assert_eq!(first.end, then.start);
            }
            for range in ranges {
                let own: u64 = weights[range].iter().sum();
                assert!(own.abs_diff(all / most as u64) <= 14, "{own} of {all}");
            }
        }
        assert_eq!(ranges(&weights, 8, all / 2), [0..50, 50..100]);
        assert_eq!(ranges(&[], 8, 10).len(), 1);
    }
}
