//! The blocks of a function, and where a register that leaves one is read.

use std::collections::{HashMap, HashSet};

use super::step::{Register, Step};
use crate::ir::{Instruction, Op};
use crate::lower::dominators::reversed;
use crate::lower::flow::Graph;

/// The blocks of a function, those joined that always run one after the other.
pub(super) struct Blocks<'a> {
    pub(super) steps: &'a [Step],
    /// Instructions of each, in order.
    pub(super) places: Vec<Vec<usize>>,
    successors: Vec<Vec<usize>>,
    /// What each does first to a register: true when it reads it.
    reads_first: HashMap<(usize, Register), bool>,
    /// How many operands name a register to read it.
    pub(super) reads: HashMap<Register, usize>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(code: &[Instruction], graph: &Graph, steps: &'a [Step]) -> Self {
        let count = graph.successors.len();
        let predecessors = reversed(&graph.successors);
        let follows = |block: usize| match graph.successors[block][..] {
            [next] if next != 0 && next != block && predecessors[next].len() == 1 => Some(next),
            _ => None,
        };
        let mut head = vec![true; count];
        for next in (0..count).filter_map(follows) {
            head[next] = false;
        }
        let mut places: Vec<Vec<usize>> = Vec::new();
        // Of each: the block of the graph that it ends with; none before a call's
        // other half, which is the next one.
        let mut ends = Vec::new();
        let mut begins = vec![0; count];
        for start in (0..count).filter(|&block| head[block]) {
            begins[start] = places.len();
            let mut inside = Vec::new();
            let mut last = start;
            for block in std::iter::successors(Some(start), |&block| follows(block)) {
                let (from, to) = (graph.starts[block], graph.starts[block + 1]);
                for (at, instruction) in (from..to).zip(&code[from..to]) {
                    inside.push(at);
                    if matches!(instruction.op, Op::Call(_)) {
                        places.push(std::mem::take(&mut inside));
                        ends.push(None);
                    }
                }
                last = block;
            }
            places.push(inside);
            ends.push(Some(last));
        }
        let successors = ends.iter().enumerate().map(|(index, end)| match end {
            Some(end) => graph.successors[*end]
                .iter()
                .map(|&next| begins[next])
                .collect(),
            None => vec![index + 1],
        });
        let successors = successors.collect();
        let mut reads_first = HashMap::new();
        let mut reads: HashMap<Register, usize> = HashMap::new();
        for (block, places) in places.iter().enumerate() {
            for step in places.iter().map(|&at| &steps[at]) {
                for &register in &step.reads {
                    reads_first.entry((block, register)).or_insert(true);
                    *reads.entry(register).or_default() += 1;
                }
                for &register in step.writes.iter().filter(|_| step.whole) {
                    reads_first.entry((block, register)).or_insert(false);
                }
            }
        }
        Blocks {
            steps,
            places,
            successors,
            reads_first,
            reads,
        }
    }

    /// Whether what a register holds at the end of a block is read.
    pub(super) fn is_live(&self, register: Register, block: usize, visits: &mut usize) -> bool {
        let mut seen = HashSet::new();
        let mut todo = self.successors[block].clone();
        while let Some(block) = todo.pop() {
            if !seen.insert(block) {
                continue;
            }
            match self.reads_first.get(&(block, register)) {
                Some(true) => return true,
                Some(false) => {}
                None => todo.extend(&self.successors[block]),
            }
            *visits = visits.saturating_sub(1);
            if *visits == 0 {
                return true;
            }
        }
        false
    }
}
