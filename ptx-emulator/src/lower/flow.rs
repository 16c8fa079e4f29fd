//! Where divergent paths meet: immediate post-dominators of branches.
//!
//! Dominators of the reversed control-flow graph of basic blocks. Only the
//! exit that most blocks lead to counts as the end: lanes that leave by another
//! one meet nobody, and those that stay meet as if the others had never been
//! there.

use super::dominators::{self, NONE, reversed};
use crate::ir::{Instruction, NEVER, Op};

/// Ends that are looked at; a kernel has few, and a file may have many.
const ENDS: usize = 64;

/// Basic blocks; a call ends none.
pub(super) struct Graph {
    /// First instruction of each block, and the end.
    pub(super) starts: Vec<usize>,
    pub(super) successors: Vec<Vec<usize>>,
}

/// Targets of the instruction at `at`, relative to the function.
fn targets(code: &[Instruction], at: usize, first: u32) -> (Vec<usize>, bool) {
    let guarded = code[at].guard.0.is_some();
    let local = |target: u32| (target.wrapping_sub(first)) as usize;
    match &code[at].op {
        Op::Branch { target, .. } => (vec![local(*target)], guarded),
        Op::BranchIndexed { targets, .. } => (
            targets.iter().map(|&target| local(target)).collect(),
            guarded,
        ),
        Op::Exit | Op::Return | Op::Trap => (Vec::new(), guarded),
        _ => (Vec::new(), true),
    }
}

pub(super) fn build(code: &[Instruction], first: u32) -> Graph {
    let mut leader = vec![false; code.len() + 1];
    leader[0] = true;
    for at in 0..code.len() {
        let (jumps, falls) = targets(code, at, first);
        if !jumps.is_empty() || !falls {
            leader[at + 1] = true;
        }
        for target in jumps {
            if let Some(flag) = leader.get_mut(target) {
                *flag = true;
            }
        }
    }
    let starts: Vec<usize> = (0..code.len())
        .filter(|&at| leader[at])
        .chain([code.len()])
        .collect();
    let mut block_of = vec![0; code.len()];
    for (block, pair) in starts.windows(2).enumerate() {
        block_of[pair[0]..pair[1]].fill(block);
    }
    let successors = starts
        .windows(2)
        .map(|pair| {
            let last = pair[1] - 1;
            let (jumps, falls) = targets(code, last, first);
            let mut next: Vec<usize> = jumps
                .into_iter()
                .filter(|&t| t < code.len())
                .map(|t| block_of[t])
                .collect();
            if falls && last + 1 < code.len() {
                next.push(block_of[last + 1]);
            }
            next.sort_unstable();
            next.dedup();
            next
        })
        .collect();
    Graph { starts, successors }
}

/// How many blocks lead to `end`.
fn leading_to(predecessors: &[Vec<usize>], end: usize) -> usize {
    let mut seen = vec![false; predecessors.len()];
    let mut todo = vec![end];
    let mut found = 0;
    while let Some(block) = todo.pop() {
        if !std::mem::replace(&mut seen[block], true) {
            found += 1;
            todo.extend(&predecessors[block]);
        }
    }
    found
}

/// Sets the reconvergence point of every branch of one function, whose first
/// instruction has the index `first` in the program.
pub(crate) fn set_reconvergence(code: &mut [Instruction], first: u32) {
    if code.is_empty() {
        return;
    }
    let mut graph = build(code, first);
    let count = graph.successors.len();
    let mut reached = vec![false; count];
    let mut todo = vec![0];
    while let Some(block) = todo.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            todo.extend(&graph.successors[block]);
        }
    }
    // What is never run leads nowhere.
    for (next, _) in graph
        .successors
        .iter_mut()
        .zip(&reached)
        .filter(|(_, hit)| !**hit)
    {
        next.clear();
    }
    let predecessors = reversed(&graph.successors);
    let ends =
        |block: &usize| matches!(code[graph.starts[block + 1] - 1].op, Op::Exit | Op::Return);
    // Of the ends, the one that most blocks lead to; the last of those.
    let candidates = (0..count)
        .filter(|block| reached[*block] && ends(block))
        .take(ENDS);
    let Some(end) = candidates.max_by_key(|&block| leading_to(&predecessors, block)) else {
        return;
    };
    let dominators = dominators::immediate(&predecessors, end);
    for (block, &dominator) in dominators.iter().enumerate() {
        let last = graph.starts[block + 1] - 1;
        let meet = match dominator {
            NONE => NEVER,
            other => graph.starts[other] as u32 + first,
        };
        if let Op::Branch { reconverge, .. } | Op::BranchIndexed { reconverge, .. } =
            &mut code[last].op
        {
            *reconverge = meet;
        }
    }
}
