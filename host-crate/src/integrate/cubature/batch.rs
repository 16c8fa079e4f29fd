//! Many integrals over one box, in the same launches. What a member does depends on its own sums alone: its
//! outcome has the bits that it has by itself.

use std::collections::VecDeque;
use std::thread;

use quadscan_kernels::cubature::adapt::part::{Part, Region};
use quadscan_kernels::cubature::adapt::rounds::Ask;
use quadscan_kernels::cubature::region::{LINE, PLAN, SUMS};

use super::rounds::{Evaluate, Next, Rounds, begin, outcome, question, take};
use super::threads::cores;
use super::{CubatureOptions, Cubed};
use crate::Result;

/// Regions of the members of a round, about; a member with more is in a round by itself.
const TOGETHER: usize = 1 << 13;
/// Numbers for which a thread is worth it.
const SHARE: usize = 1 << 14;

/// Integrates the members of these numbers, which are those of their parts, and shows the regions of each at
/// its end. Outcomes are in the order of the numbers.
pub(super) fn integrate(
    limits: &[(f64, f64)],
    options: &CubatureOptions,
    numbers: &[u32],
    on: &mut impl Evaluate,
    see: &mut dyn FnMut(&[Region]),
) -> Result<Vec<Cubed>> {
    let question = question(limits, options);
    let mut outcomes: Vec<Option<Cubed>> = vec![None; numbers.len()];
    let (mut members, mut next): (VecDeque<(usize, Rounds<'_>)>, usize) = (VecDeque::new(), 0);
    let (plans, lines) = (PLAN * limits.len(), LINE * limits.len());
    loop {
        let (mut regions, mut turn) = (0, 0);
        while regions < TOGETHER {
            if turn == members.len() {
                let Some(&number) = numbers.get(next) else {
                    break;
                };
                members.push_back((next, begin(&question, limits, number)));
                next += 1;
            }
            regions += members[turn].1.regions.len().max(1);
            turn += 1;
        }
        if turn == 0 {
            break;
        }
        let now = &mut members.make_contiguous()[..turn];
        let asked: Vec<Ask> = now.iter().flat_map(|(_, of)| of.asked()).collect();
        let found = on.plans(&asked)?;
        each(now, &found, |of| of.asked().count() * plans, Rounds::divide);
        let parts: Vec<Part> = now
            .iter()
            .flat_map(|(_, of)| of.parts.iter().copied())
            .collect();
        let next = match &*now {
            [(_, of)] => Next::of(of),
            _ => Next::Unknown,
        };
        let sums = on.sums(&parts, next)?;
        each(now, &sums, |of| of.parts.len() * SUMS, take);
        let looks: Vec<(Part, u32)> = now.iter().flat_map(|(_, of)| of.unseen()).collect();
        let found = on.looks(&looks)?;
        each(now, &found, |of| of.unseen().count() * lines, Rounds::see);
        members.retain(|(at, of)| {
            let Some(outcome) = outcome(of) else {
                return true;
            };
            outcomes[*at] = Some(outcome);
            see(&of.regions);
            false
        });
    }
    Ok(outcomes.into_iter().flatten().collect())
}

/// Gives each member its share of the numbers, on as many threads as that is worth.
fn each<'a>(
    mut members: &mut [(usize, Rounds<'a>)],
    mut numbers: &[f64],
    share: impl Fn(&Rounds<'a>) -> usize,
    step: fn(&mut Rounds<'a>, &[f64]),
) {
    let run = move |members: &mut [(usize, Rounds<'a>)], shares: Vec<&[f64]>| {
        for ((_, of), share) in members.iter_mut().zip(shares) {
            step(of, share);
        }
    };
    let most = (numbers.len() / cores()).max(SHARE);
    thread::scope(|scope| {
        while !members.is_empty() {
            let (mut shares, mut all) = (Vec::new(), 0);
            for (_, of) in members.iter() {
                let (own, others) = numbers.split_at(share(of));
                (numbers, all) = (others, all + own.len());
                shares.push(own);
                if all > most {
                    break;
                }
            }
            let (now, others) = std::mem::take(&mut members).split_at_mut(shares.len());
            members = others;
            if members.is_empty() {
                run(now, shares);
            } else {
                scope.spawn(move || run(now, shares));
            }
        }
    });
}

/// The same of one member.
#[cfg(test)]
pub(super) fn integrate_one(
    limits: &[(f64, f64)],
    options: &CubatureOptions,
    on: &mut impl Evaluate,
) -> Cubed {
    integrate(limits, options, &[0], on, &mut |_| ()).expect("the host does not fail")[0]
}
