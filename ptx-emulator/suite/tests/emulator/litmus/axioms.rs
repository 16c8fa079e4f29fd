//! What PTX's memory model allows of a small program: every candidate execution, by the axioms of
//! the PTX ISA, "Memory Consistency Model". Nothing here knows how the emulator does it.
//!
//! A candidate says which write each read reads from, the coherence order of each location, and
//! the order of `fence.sc`. Programs have one proxy, words of one size, and no dependencies.

use std::collections::BTreeSet;

use super::{Event, Kind};

/// Pairs of events: a row of bits an event.
#[derive(Clone)]
struct Relation(Vec<u32>);

impl Relation {
    fn new(count: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let row = |a| (0..count).fold(0, |row, b| row | u32::from(holds(a, b)) << b);
        Relation((0..count).map(row).collect())
    }

    fn has(&self, a: usize, b: usize) -> bool {
        self.0[a] >> b & 1 != 0
    }

    /// With what is related through others.
    fn closed(mut self) -> Self {
        for middle in 0..self.0.len() {
            let reached = self.0[middle];
            for row in &mut self.0 {
                if *row >> middle & 1 != 0 {
                    *row |= reached;
                }
            }
        }
        self
    }

    /// Pairs of both.
    fn and(&self, other: &Relation) -> Self {
        let rows = self.0.iter().zip(&other.0);
        Relation(rows.map(|(a, b)| a & b).collect())
    }

    /// Pairs of either.
    fn or(&self, other: &Relation) -> Self {
        let rows = self.0.iter().zip(&other.0);
        Relation(rows.map(|(a, b)| a | b).collect())
    }

    /// A pair of this one, and then one of `other`.
    fn then(&self, other: &Relation) -> Self {
        let through = |&row: &u32| {
            let middles = (0..other.0.len()).filter(|middle| row >> middle & 1 != 0);
            middles.fold(0, |reached, middle| reached | other.0[middle])
        };
        Relation(self.0.iter().map(through).collect())
    }

    fn is_irreflexive(&self) -> bool {
        (0..self.0.len()).all(|event| !self.has(event, event))
    }
}

/// One choice of each list, in all ways.
fn products(lists: &[Vec<usize>]) -> Vec<Vec<usize>> {
    lists.iter().fold(vec![Vec::new()], |all, list| {
        let longer = |one: Vec<usize>| {
            list.iter().map(move |&choice| {
                let mut one = one.clone();
                one.push(choice);
                one
            })
        };
        all.into_iter().flat_map(longer).collect()
    })
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let with_first = |index: usize| {
        let mut rest = items.to_vec();
        let first = rest.remove(index);
        permutations(&rest).into_iter().map(move |mut rest| {
            rest.insert(0, first);
            rest
        })
    };
    (0..items.len()).flat_map(with_first).collect()
}

/// The values that reads give, in the order of the events, and then those that are left in each
/// location: of every execution that the axioms allow.
pub(super) fn allowed(events: &[Event], locations: usize) -> BTreeSet<Vec<u32>> {
    // Events 0.. are the initial writes.
    let initial = (0..locations).map(Event::initial);
    let events: Vec<Event> = initial.chain(events.iter().copied()).collect();
    let indices = |holds: &dyn Fn(&Event) -> bool| -> Vec<usize> {
        (0..events.len())
            .filter(|&index| holds(&events[index]))
            .collect()
    };
    let reads = indices(&|event| event.reads());
    let fences = indices(&|event| event.kind == Kind::FenceSc);
    let sources: Vec<Vec<usize>> = reads
        .iter()
        .map(|&read| {
            let writes =
                indices(&|event| event.writes() && event.location == events[read].location);
            writes.into_iter().filter(|&write| write != read).collect()
        })
        .collect();
    let orders: Vec<Vec<Vec<usize>>> = (0..locations)
        .map(|location| {
            let later = |event: &Event| {
                event.writes() && event.location == location && event.thread.is_some()
            };
            let mut orders = permutations(&indices(&later));
            orders
                .iter_mut()
                .for_each(|order| order.insert(0, location));
            orders
        })
        .collect();
    let choices: Vec<Vec<usize>> = orders.iter().map(|all| (0..all.len()).collect()).collect();
    let model = Model::new(&events);
    let mut outcomes = BTreeSet::new();
    for from in products(&sources) {
        let Some(values) = values(&events, &reads, &from) else {
            continue;
        };
        let mut source = vec![None; events.len()];
        for (&read, &write) in reads.iter().zip(&from) {
            source[read] = Some(write);
        }
        for chosen in products(&choices) {
            let coherence: Vec<&Vec<usize>> = chosen
                .iter()
                .zip(&orders)
                .map(|(&one, all)| &all[one])
                .collect();
            let last = coherence.iter().map(|order| values[order[order.len() - 1]]);
            let outcome: Vec<u32> = from
                .iter()
                .map(|&write| values[write])
                .chain(last)
                .collect();
            if outcomes.contains(&outcome) {
                continue;
            }
            let mut place = vec![0; events.len()];
            for order in coherence {
                order
                    .iter()
                    .enumerate()
                    .for_each(|(at, &write)| place[write] = at);
            }
            let mut fences = permutations(&fences).into_iter();
            if fences.any(|order| model.holds(&source, &place, &order)) {
                outcomes.insert(outcome);
            }
        }
    }
    outcomes
}

/// The value of each event that writes; `None` where an atomic would read from itself in a circle.
fn values(events: &[Event], reads: &[usize], from: &[usize]) -> Option<Vec<u32>> {
    let mut values: Vec<Option<u32>> = events.iter().map(|event| event.value).collect();
    for _ in 0..events.len() {
        for (&read, &write) in reads.iter().zip(from) {
            if events[read].writes() && values[read].is_none() {
                // `atom.add` of 0.
                values[read] = values[write];
            }
        }
    }
    let writes = |index: &usize| events[*index].writes();
    let all = (0..events.len())
        .filter(writes)
        .all(|index| values[index].is_some());
    all.then(|| values.into_iter().map(Option::unwrap_or_default).collect())
}

/// A release pattern and an acquire pattern that may synchronise.
struct Patterns {
    /// The first event of the one, and the last event of the other.
    ends: (usize, usize),
    /// The strong writes that end the one.
    writes: Vec<usize>,
    /// The strong reads that begin the other, as bits.
    reads: u32,
}

/// A program, and what is the same in all of its executions.
struct Model<'a> {
    events: &'a [Event],
    program: Relation,
    /// Morally strong.
    strong: Relation,
    /// Writes and reads, of the same location.
    overlap: Relation,
    patterns: Vec<Patterns>,
}

impl<'a> Model<'a> {
    fn new(events: &'a [Event]) -> Self {
        let count = events.len();
        let program = Relation::new(count, |a, b| {
            let (first, second) = (&events[a], &events[b]);
            first.thread.is_some() && first.thread == second.thread && a < b
        });
        let strong = Relation::new(count, |a, b| {
            program.has(a, b) || program.has(b, a) || events[a].is_morally_strong(&events[b])
        });
        let overlap = Relation::new(count, |a, b| {
            !events[a].is_fence() && events[a].location == events[b].location
        });
        let mut patterns = Vec::new();
        for ends @ (a, b) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))) {
            if events[a].thread != events[b].thread && strong.has(a, b) {
                let reads = acquires(events, &program, b);
                patterns.push(Patterns {
                    ends,
                    writes: releases(events, &program, a),
                    reads: reads.into_iter().fold(0, |reads, read| reads | 1 << read),
                });
            }
        }
        Model {
            events,
            program,
            strong,
            overlap,
            patterns,
        }
    }

    /// Whether all axioms hold of an execution: of each read the write that it reads from, of each
    /// write its place in coherence order, and the order of `fence.sc`.
    fn holds(&self, source: &[Option<usize>], place: &[usize], fences: &[usize]) -> bool {
        let Model {
            events,
            program,
            strong,
            overlap,
            ..
        } = self;
        let count = events.len();
        let reads_from = Relation::new(count, |a, b| source[b] == Some(a));
        let coherence = Relation::new(count, |a, b| {
            let both = events[a].writes() && events[b].writes();
            both && overlap.has(a, b) && place[a] < place[b]
        });
        let from_read = Relation::new(count, |read, write| {
            read != write && source[read].is_some_and(|from| coherence.has(from, write))
        });
        let communication = reads_from.or(&coherence).or(&from_read);
        // SC per location.
        let of_location = program.and(overlap).or(&communication.and(strong));
        if !of_location.closed().is_irreflexive() {
            return false;
        }
        // Atomicity.
        let atomics = (0..count).filter(|&event| events[event].reads() && events[event].writes());
        let is_split = |atomic: usize| {
            let between = |write| {
                from_read.has(atomic, write)
                    && coherence.has(write, atomic)
                    && strong.has(write, atomic)
            };
            (0..count).any(between)
        };
        if atomics.into_iter().any(is_split) {
            return false;
        }
        let rank = |event| fences.iter().position(|&one| one == event);
        let fences = Relation::new(count, |a, b| {
            strong.has(a, b) && rank(a).zip(rank(b)).is_some_and(|(a, b)| a < b)
        });
        let cause = self.causality(&reads_from.and(strong), &fences);
        // Coherence, Fence-SC, causality.
        let contradicts = |relation: &Relation| !relation.then(&cause).is_irreflexive();
        let written = (0..count)
            .flat_map(|a| (0..count).map(move |b| (a, b)))
            .all(|(a, b)| {
                let both = events[a].writes() && events[b].writes() && overlap.has(a, b);
                !both || !cause.has(a, b) || coherence.has(a, b)
            });
        written
            && cause.is_irreflexive()
            && !contradicts(&fences)
            && !contradicts(&reads_from)
            && !contradicts(&from_read)
    }

    /// Causality order, of morally strong reads from and the order of fences.
    fn causality(&self, observed: &Relation, fences: &Relation) -> Relation {
        let events = self.events;
        // Through atomics, which are one event of both kinds here.
        let observation = observed.clone().closed();
        let initial = |a: usize, b: usize| events[a].thread.is_none() && events[b].thread.is_some();
        let mut base = Relation::new(events.len(), initial)
            .or(&self.program)
            .or(fences);
        for Patterns {
            ends,
            writes,
            reads,
        } in &self.patterns
        {
            if writes
                .iter()
                .any(|&write| observation.0[write] & reads != 0)
            {
                base.0[ends.0] |= 1 << ends.1;
            }
        }
        let base = base.closed();
        base.or(&observation.then(&base))
    }
}

/// The strong writes that a release pattern ends with which begins with this event.
fn releases(events: &[Event], program: &Relation, first: usize) -> Vec<usize> {
    let event = &events[first];
    let later = |write: &usize| {
        let other = &events[*write];
        let same = other.location == event.location && event.releases();
        program.has(first, *write)
            && other.writes()
            && other.is_strong()
            && (same || event.is_fence())
    };
    let mut writes: Vec<usize> = (0..events.len()).filter(later).collect();
    if event.releases() {
        writes.push(first);
    }
    writes
}

/// The strong reads that an acquire pattern begins with which ends with this event.
fn acquires(events: &[Event], program: &Relation, last: usize) -> Vec<usize> {
    let event = &events[last];
    let earlier = |read: &usize| {
        let other = &events[*read];
        let same = other.location == event.location && event.acquires();
        program.has(*read, last) && other.reads() && other.is_strong() && (same || event.is_fence())
    };
    let mut reads: Vec<usize> = (0..events.len()).filter(earlier).collect();
    if event.acquires() {
        reads.push(last);
    }
    reads
}
