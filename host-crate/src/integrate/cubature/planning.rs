//! Nodes of the parts that plans leave whole, and cuts where there is no room for them.

use super::cuts::Places;
use super::region::Part;
use super::rounds::Rounds;

/// Times that nodes are planned, each time with shares by the points of the last,
const PASSES: u32 = 4;
/// but for this part of the goal;
const EVEN: f64 = 0.1;
/// and at most, where there is no room for the points.
const MOST_PASSES: u32 = 40;

impl Rounds<'_> {
    /// Cuts those of the planned parts that have more points than `many`, along their slowest axes: what
    /// is far from a peak is left as it is then.
    pub(super) fn cut_large(
        &self,
        whole: &[(usize, usize, &[f64])],
        many: u64,
        mut room: usize,
        parts: Vec<(Part, bool)>,
        parents: &mut [(usize, usize)],
        divisions: &mut Vec<(usize, Places)>,
    ) -> Vec<(Part, bool)> {
        let (mut cut, mut whole) = (Vec::with_capacity(2 * parts.len()), whole.iter().peekable());
        for (at, part) in parts.into_iter().enumerate() {
            let of = whole.next_if(|(of, ..)| *of == at);
            let of = of.filter(|_| part.0.points(0) > many && room > 0);
            let cuts = of.and_then(|&(_, index, plan)| {
                Some((index, self.regions[index].slowest_cut(plan)?))
            });
            let Some((index, cuts)) = cuts else {
                cut.push(part);
                continue;
            };
            self.regions[index].divided(&cuts, &mut cut);
            divisions.push((index, cuts));
            room -= 1;
            if let Ok(parent) = parents.binary_search_by_key(&index, |&(index, _)| index) {
                parents[parent].1 = 2;
            }
        }
        cut
    }

    /// Gives nodes to the parts that plans leave whole, so that all of them together err by no more
    /// than `goal`. The fewest points are those where a region errs in proportion to its points
    /// (Lagrange); a part of it is shared evenly. Returns how many points that takes, whether there is
    /// room for them or not.
    pub(super) fn plan(
        &self,
        whole: &[(usize, usize, &[f64])],
        goal: f64,
        least: f64,
        parts: &mut [(Part, bool)],
    ) -> f64 {
        let count = whole.len() as f64;
        let room = self.options.evaluations.saturating_sub(self.evaluations);
        let (mut goal, mut total, mut wanted, mut pass) = (goal, 0.0, 0.0, 0);
        // Where there is not room for so many points, the goal is missed.
        while pass < PASSES || total > room as f64 && pass < MOST_PASSES {
            if pass >= PASSES {
                goal *= 4.0;
            }
            let mut next = 0.0;
            for &(at, index, plan) in whole {
                let points = parts[at].0.points(0) as f64;
                let share = if pass == 0 {
                    1.0 / count
                } else {
                    EVEN / count + (1.0 - EVEN) * points / total
                };
                let region = &self.regions[index];
                let part = region.planned(plan, goal * share / self.dimensions as f64);
                next += part.points(0) as f64;
                parts[at].0 = part;
            }
            total = next;
            pass += 1;
            if pass == PASSES {
                wanted = total;
            }
        }
        for &(at, index, _) in whole {
            let region = &self.regions[index];
            if parts[at].0.nodes == region.part.nodes {
                parts[at].0 = region.grown(least, self.dimensions);
            }
        }
        wanted
    }
}
