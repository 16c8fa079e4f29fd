//! The tree of what is known of all blocks, against a plain map; the list of
//! findings.

use std::collections::HashMap;
use std::sync::Arc;

use crate::check::race::findings::Findings;
use crate::check::race::vector_clock::{Rows, Times, Tree};
use crate::check::raw::{FindingKind, RawFinding, RawPlace};

/// By block: the interval, and by warp and lane the time.
type Plain = HashMap<u32, (u32, HashMap<(u32, u32), u32>)>;

const BLOCKS: [u32; 10] = [0, 1, 15, 16, 255, 256, 4095, 70_000, 1 << 28, u32::MAX - 1];

fn join(own: &mut Plain, other: &Plain) {
    for (&block, (interval, times)) in other {
        let own = own.entry(block).or_default();
        own.0 = own.0.max(*interval);
        for (&lane, &time) in times {
            let known = own.1.entry(lane).or_default();
            *known = time.max(*known);
        }
    }
}

fn includes(own: &Plain, other: &Plain) -> bool {
    let mut sum = own.clone();
    join(&mut sum, other);
    sum.iter().all(|(block, (interval, times))| {
        let (known, lanes) = own.get(block).cloned().unwrap_or_default();
        known >= *interval
            && times
                .iter()
                .all(|(lane, time)| lanes.get(lane).copied().unwrap_or(0) >= *time)
    })
}

fn same(tree: &Tree, plain: &Plain) {
    for block in BLOCKS {
        let (interval, lanes) = plain.get(&block).cloned().unwrap_or_default();
        let times = tree.get(block).cloned().unwrap_or_default();
        assert_eq!(times.interval, interval, "block {block}");
        for warp in 0..3 {
            for time in 1..6 {
                let known = times
                    .rows
                    .as_ref()
                    .map_or(0, |rows| rows.before(warp, time));
                let expected = (0..32).fold(0, |mask, lane| {
                    let reached = lanes.get(&(warp, lane)).copied().unwrap_or(0) >= time;
                    mask | u32::from(reached) << lane
                });
                assert_eq!(known, expected, "block {block}, warp {warp}, time {time}");
            }
        }
    }
}

#[test]
fn trees_are_maps_that_share() {
    // xorshift64*
    let mut state = 7u64;
    let mut below = |n: u64| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        ((state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % n) as usize
    };
    let mut all: Vec<(Tree, Plain)> = vec![Default::default(); 6];
    let mut included = 0;
    for _ in 0..3000 {
        let (a, b) = (below(6), below(6));
        match below(8) {
            0..4 => {
                // The higher blocks seldom, so that heights differ.
                let block = BLOCKS[below(BLOCKS.len() as u64).min(below(BLOCKS.len() as u64))];
                let (warp, lane, time) = (below(3) as u32, below(32) as u32, 1 + below(5) as u32);
                let interval = below(4) as u32;
                let mut rows = Rows::default();
                rows.learn(warp, 1 << lane, time);
                let rows = Some(Arc::new(rows));
                all[a].0.learn(block, &Times { interval, rows });
                let new = (interval, HashMap::from([((warp, lane), time)]));
                join(&mut all[a].1, &HashMap::from([(block, new)]));
            }
            4 => all[a] = Default::default(),
            5 => all[a] = all[b].clone(),
            _ => {
                let (tree, plain) = all[b].clone();
                let expected = includes(&all[a].1, &plain);
                assert_eq!(all[a].0.includes(&tree), expected);
                included += usize::from(expected);
                all[a].0.join(&tree);
                join(&mut all[a].1, &plain);
                assert!(all[a].0.includes(&tree));
            }
        }
        same(&all[a].0, &all[a].1);
    }
    assert!(included > 50, "{included}");
}

fn finding(pc: u32, other: u32) -> RawFinding {
    let place = |pc, verb| RawPlace {
        pc,
        block: 0,
        thread: 0,
        verb,
    };
    RawFinding {
        kind: FindingKind::Race,
        message: "write after read".into(),
        at: place(pc, "writes"),
        other: Some(place(other, "reads")),
        memory: None,
        count: 0,
    }
}

#[test]
fn a_pair_of_instructions_is_one_finding() {
    let mut findings = Findings::default();
    findings.add((3, 8), 1, 2, || finding(8, 3));
    // Another byte of the same access, then another access, the other way round.
    findings.add((3, 8), 1, 2, || finding(8, 3));
    findings.add((8, 3), 2, 1, || finding(3, 8));
    let list = findings.list();
    assert_eq!((list.len(), list[0].count, list[0].at.pc), (1, 3, 8));
    let mut more = Findings::default();
    more.add((3, 3), 1, 5, || finding(3, 3));
    more.add((8, 3), 2, 4, || finding(3, 8));
    findings.merge(more);
    let counts: Vec<_> = findings.list().iter().map(|f| (f.at.pc, f.count)).collect();
    assert_eq!(counts, [(8, 7), (3, 5)]);
}

#[test]
fn findings_are_bounded() {
    let mut findings = Findings::default();
    for pc in 0..1500 {
        findings.add((pc, pc), u64::from(pc), 1, || finding(pc, pc));
    }
    assert_eq!(findings.list().len(), 1000);
}
