//! Immediate dominators of a graph, in almost linear time on any graph.
//!
//! Lengauer and Tarjan, "A fast algorithm for finding dominators in a
//! flowgraph" (1979), with path compression and without balancing:
//! O(edges * log(nodes)). Iterative dominance is shorter, and quadratic on
//! graphs that a file may hold.

/// No node.
pub(crate) const NONE: usize = usize::MAX;

/// The same graph with its edges turned round.
pub(crate) fn reversed(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (node, next) in successors.iter().enumerate() {
        for &to in next {
            predecessors[to].push(node);
        }
    }
    predecessors
}

/// A depth-first search: what follows is in its numbers.
struct Search {
    /// Node of each number.
    nodes: Vec<usize>,
    /// Number of each node; `NONE` for what is not reached.
    numbers: Vec<usize>,
    /// Number of each number's parent in the tree; of the root, itself.
    parents: Vec<usize>,
}

fn search(successors: &[Vec<usize>], root: usize) -> Search {
    let mut search = Search {
        nodes: vec![root],
        numbers: vec![NONE; successors.len()],
        parents: vec![0],
    };
    search.numbers[root] = 0;
    let mut stack = vec![(root, 0)];
    while let Some((node, index)) = stack.last_mut() {
        let from = search.numbers[*node];
        let Some(&to) = successors[*node].get(*index) else {
            stack.pop();
            continue;
        };
        *index += 1;
        if search.numbers[to] == NONE {
            search.numbers[to] = search.nodes.len();
            search.nodes.push(to);
            search.parents.push(from);
            stack.push((to, 0));
        }
    }
    search
}

/// The forest that grows while numbers are linked to their parents.
struct Forest {
    ancestors: Vec<usize>,
    /// Of the linked path above each number, the one with the least semi.
    best: Vec<usize>,
    path: Vec<usize>,
}

impl Forest {
    /// The number with the least semidominator between `at` and the root of
    /// its tree, the root left out.
    fn evaluate(&mut self, at: usize, semi: &[usize]) -> usize {
        if self.ancestors[at] == NONE {
            return at;
        }
        // From `at` up to the child of the root, then compressed from above.
        let mut node = at;
        while self.ancestors[self.ancestors[node]] != NONE {
            self.path.push(node);
            node = self.ancestors[node];
        }
        while let Some(below) = self.path.pop() {
            let above = self.ancestors[below];
            if semi[self.best[above]] < semi[self.best[below]] {
                self.best[below] = self.best[above];
            }
            self.ancestors[below] = self.ancestors[above];
        }
        self.best[at]
    }
}

/// The immediate dominator of each node on the paths from `root`; `NONE` for
/// the root and for what it does not reach.
pub(crate) fn immediate(successors: &[Vec<usize>], root: usize) -> Vec<usize> {
    let Search {
        nodes,
        numbers,
        parents,
    } = search(successors, root);
    let predecessors = reversed(successors);
    let count = nodes.len();
    let mut semi: Vec<usize> = (0..count).collect();
    let mut dominators = vec![0; count];
    let mut buckets = vec![Vec::new(); count];
    let mut forest = Forest {
        ancestors: vec![NONE; count],
        best: (0..count).collect(),
        path: Vec::new(),
    };
    for number in (1..count).rev() {
        for &from in &predecessors[nodes[number]] {
            if numbers[from] != NONE {
                let least = forest.evaluate(numbers[from], &semi);
                semi[number] = semi[number].min(semi[least]);
            }
        }
        buckets[semi[number]].push(number);
        let parent = parents[number];
        forest.ancestors[number] = parent;
        for waiting in std::mem::take(&mut buckets[parent]) {
            let least = forest.evaluate(waiting, &semi);
            dominators[waiting] = if semi[least] < semi[waiting] {
                least
            } else {
                parent
            };
        }
    }
    for number in 1..count {
        if dominators[number] != semi[number] {
            dominators[number] = dominators[dominators[number]];
        }
    }
    let mut found = vec![NONE; successors.len()];
    for number in 1..count {
        found[nodes[number]] = nodes[dominators[number]];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes that `root` reaches without `without`.
    fn reach(successors: &[Vec<usize>], root: usize, without: usize) -> Vec<bool> {
        let mut seen = vec![false; successors.len()];
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            if node != without && !std::mem::replace(&mut seen[node], true) {
                todo.extend(&successors[node]);
            }
        }
        seen
    }

    /// By the definition: `d` dominates `n` when `n` is not reached without
    /// it; the immediate one is dominated by all the others.
    fn by_definition(successors: &[Vec<usize>], root: usize) -> Vec<usize> {
        let count = successors.len();
        let all = reach(successors, root, NONE);
        let without: Vec<Vec<bool>> = (0..count).map(|d| reach(successors, root, d)).collect();
        let dominates = |d: usize, n: usize| d != n && all[n] && !without[d][n];
        (0..count)
            .map(|n| {
                let strict: Vec<usize> =
                    (0..count).filter(|&d| all[d] && dominates(d, n)).collect();
                let nearest = strict.iter().find(|&&d| {
                    strict
                        .iter()
                        .all(|&other| other == d || dominates(other, d))
                });
                nearest.copied().unwrap_or(NONE)
            })
            .collect()
    }

    #[test]
    fn the_figure_of_the_paper() {
        // Lengauer and Tarjan 1979, figure 1; R A B C D E F G H I J K L.
        let edges = [
            "ABC", "D", "ADE", "FG", "L", "H", "I", "IJ", "EK", "K", "I", "IR", "H",
        ];
        let names = "RABCDEFGHIJKL";
        let number = |name: char| names.find(name).unwrap();
        let graph: Vec<Vec<usize>> = edges
            .iter()
            .map(|to| to.chars().map(number).collect())
            .collect();
        // Figure 2, the dominator tree.
        let expected: Vec<usize> = "-RRRRRCCRRGRD"
            .chars()
            .map(|name| if name == '-' { NONE } else { number(name) })
            .collect();
        assert_eq!(immediate(&graph, 0), expected);
    }

    #[test]
    fn random_graphs_agree_with_the_definition() {
        let mut state = 7u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize % below
        };
        for _ in 0..2000 {
            let count = 1 + random(12);
            let graph: Vec<Vec<usize>> = (0..count)
                .map(|_| (0..random(4)).map(|_| random(count)).collect())
                .collect();
            assert_eq!(immediate(&graph, 0), by_definition(&graph, 0), "{graph:?}");
        }
    }
}
