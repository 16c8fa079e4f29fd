//! Many integrals over one box, in the same launches. What a member does depends on its own sums alone: its
//! outcome has the bits that it has by itself.

use std::collections::VecDeque;
use std::thread;

use quadscan_kernels::cubature::region::{LINE, PLAN, SUMS};

use super::region::{Part, Region};
use super::rounds::{Ask, Evaluate, Rounds};
use super::threads::cores;
use super::{CubatureOptions, Cubed};
use crate::Result;

/// Regions of the members of a round, about; a member with more is in a round by itself.
const TOGETHER: usize = 1 << 13;
/// Numbers for which a thread is worth it.
const SHARE: usize = 1 << 14;

/// Integrates so many members, whose numbers are those of their parts, and shows the regions of each at its
/// end.
pub(super) fn integrate(
    limits: &[(f64, f64)],
    options: &CubatureOptions,
    count: u32,
    on: &mut impl Evaluate,
    see: &mut dyn FnMut(&[Region]),
) -> Result<Vec<Cubed>> {
    let mut outcomes: Vec<Option<Cubed>> = vec![None; count as usize];
    let (mut members, mut next): (VecDeque<(u32, Rounds<'_>)>, u32) = (VecDeque::new(), 0);
    // Its pages are there in the next round.
    let mut sums = Vec::new();
    let (plans, lines) = (PLAN * limits.len(), LINE * limits.len());
    loop {
        let (mut regions, mut turn) = (0, 0);
        while regions < TOGETHER {
            if turn == members.len() {
                if next == count {
                    break;
                }
                members.push_back((next, Rounds::new(limits, options, next)));
                next += 1;
            }
            regions += members[turn].1.regions.len().max(1);
            turn += 1;
        }
        if turn == 0 {
            break;
        }
        let now = &mut members.make_contiguous()[..turn];
        let asked: Vec<Ask> = now
            .iter()
            .flat_map(|(_, of)| of.asked.iter().copied())
            .collect();
        let found = on.plans(&asked)?;
        each(now, &found, |of| of.asked.len() * plans, Rounds::divide);
        let parts: Vec<Part> = now
            .iter()
            .flat_map(|(_, of)| of.parts.iter().map(|&(part, _)| part))
            .collect();
        sums.clear();
        on.sums(&parts, &mut sums)?;
        each(now, &sums, |of| of.parts.len() * SUMS, Rounds::take);
        let looks: Vec<(Part, u32)> = now
            .iter()
            .flat_map(|(_, of)| of.looks.iter().copied())
            .collect();
        let found = on.looks(&looks)?;
        each(now, &found, |of| of.looks.len() * lines, Rounds::see);
        members.retain(|(number, of)| {
            let Some(outcome) = of.outcome() else {
                return true;
            };
            outcomes[*number as usize] = Some(outcome);
            see(&of.regions);
            false
        });
    }
    Ok(outcomes.into_iter().flatten().collect())
}

/// Gives each member its share of the numbers, on as many threads as that is worth.
fn each<'a>(
    mut members: &mut [(u32, Rounds<'a>)],
    mut numbers: &[f64],
    share: impl Fn(&Rounds<'a>) -> usize,
    step: fn(&mut Rounds<'a>, &[f64]),
) {
    let run = move |members: &mut [(u32, Rounds<'a>)], shares: Vec<&[f64]>| {
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
    integrate(limits, options, 1, on, &mut |_| ()).expect("the host does not fail")[0]
}
