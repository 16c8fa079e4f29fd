//! Vector clocks: what a thread knows to have happened before, in compressed
//! form (Fidge 1988, Mattern 1989).
//!
//! Time is a counter of a warp that ticks when one of its lanes publishes. A
//! row holds the known time of each lane of a warp; a block's barriers of all
//! threads count as intervals, so that one number stands for all its rows.
//! What is known of other blocks is a tree over their numbers whose parts are
//! shared: to learn what one knows already costs a comparison of pointers.

use std::sync::Arc;

use crate::ir::mask_of;

/// Children of a node of the tree, and blocks of a leaf.
const FAN: usize = 16;
const FAN_BITS: u32 = FAN.ilog2();

/// The known time of each lane of a warp; 0 is none.
pub(super) type Row = [u32; 32];

/// The lanes of the row that are known up to `time`.
fn reaching(row: &Row, time: u32) -> u32 {
    mask_of(|lane| row[lane] >= time)
}

/// Rows of the warps of one block, by rising warp.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows(Vec<(u32, Row)>);

impl Rows {
    fn find(&self, warp: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&warp, |&(warp, _)| warp)
    }

    /// Lanes of `warp` whose accesses at `time` are known.
    pub(super) fn before(&self, warp: u32, time: u32) -> u32 {
        match self.find(warp) {
            Ok(index) => reaching(&self.0[index].1, time),
            Err(_) => 0,
        }
    }

    /// Learns the lanes' accesses up to `time`.
    pub(super) fn learn(&mut self, warp: u32, lanes: u32, time: u32) {
        let index = self.find(warp).unwrap_or_else(|index| {
            self.0.insert(index, (warp, [0; 32]));
            index
        });
        for (lane, known) in self.0[index].1.iter_mut().enumerate() {
            if lanes >> lane & 1 != 0 {
                *known = time.max(*known);
            }
        }
    }

    pub(super) fn join(&mut self, other: &Rows) {
        for (warp, row) in &other.0 {
            match self.find(*warp) {
                Ok(index) => {
                    for (known, new) in self.0[index].1.iter_mut().zip(row) {
                        *known = (*new).max(*known);
                    }
                }
                Err(index) => self.0.insert(index, (*warp, *row)),
            }
        }
    }

    fn includes(&self, other: &Rows) -> bool {
        other.0.iter().all(|(warp, row)| match self.find(*warp) {
            Ok(index) => row.iter().zip(&self.0[index].1).all(|(a, b)| a <= b),
            Err(_) => false,
        })
    }

    /// Forgets the warps that `keep` does not name.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        self.0.retain(|&(warp, _)| keep(warp));
    }
}

/// What is known of one block: its accesses before the interval, and rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    pub(super) interval: u32,
    pub(super) rows: Option<Arc<Rows>>,
}

impl Times {
    fn includes(&self, other: &Times) -> bool {
        other.interval <= self.interval
            && match (&self.rows, &other.rows) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(own), Some(other)) => Arc::ptr_eq(own, other) || own.includes(other),
            }
    }

    fn join(&mut self, other: &Times) {
        self.interval = self.interval.max(other.interval);
        match (&mut self.rows, &other.rows) {
            (_, None) => {}
            (own @ None, rows) => own.clone_from(rows),
            (Some(own), Some(other)) => {
                if !Arc::ptr_eq(own, other) && !own.includes(other) {
                    Arc::make_mut(own).join(other);
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
enum Node {
    Branch([Option<Arc<Node>>; FAN]),
    Leaf([Times; FAN]),
}

impl Node {
    /// An empty node `level` levels above the leaves.
    fn new(level: u32) -> Node {
        if level == 0 {
            Node::Leaf(Default::default())
        } else {
            Node::Branch(Default::default())
        }
    }
}

fn includes(own: &Option<Arc<Node>>, other: &Option<Arc<Node>>) -> bool {
    match (own, other) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(own), Some(other)) if Arc::ptr_eq(own, other) => true,
        (Some(own), Some(other)) => match (&**own, &**other) {
            (Node::Leaf(own), Node::Leaf(other)) => {
                own.iter().zip(other).all(|(a, b)| a.includes(b))
            }
            (Node::Branch(own), Node::Branch(other)) => {
                own.iter().zip(other).all(|(a, b)| includes(a, b))
            }
            _ => false,
        },
    }
}

fn join(own: &mut Option<Arc<Node>>, other: &Option<Arc<Node>>) {
    if includes(own, other) {
        return;
    }
    if includes(other, own) {
        own.clone_from(other);
        return;
    }
    let (Some(own), Some(other)) = (own, other) else {
        return;
    };
    match (Arc::make_mut(own), &**other) {
        (Node::Leaf(own), Node::Leaf(other)) => {
            for (own, other) in own.iter_mut().zip(other) {
                own.join(other);
            }
        }
        (Node::Branch(own), Node::Branch(other)) => {
            for (own, other) in own.iter_mut().zip(other) {
                join(own, other);
            }
        }
        _ => debug_assert!(false, "trees of one height have alike nodes"),
    }
}

/// What is known of all blocks, by their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    root: Option<Arc<Node>>,
    /// Levels above the leaves.
    height: u32,
}

impl Tree {
    pub(super) fn get(&self, block: u32) -> Option<&Times> {
        let mut node = self.root.as_deref()?;
        if u64::from(block) >> (FAN_BITS * (self.height + 1)) != 0 {
            return None;
        }
        let mut level = self.height;
        loop {
            let index = (block >> (FAN_BITS * level)) as usize % FAN;
            match node {
                Node::Leaf(times) => return Some(&times[index]),
                Node::Branch(children) => node = children[index].as_deref()?,
            }
            level -= 1;
        }
    }

    fn rise(&mut self, height: u32) {
        while self.height < height {
            if let Some(root) = self.root.take() {
                let mut children: [Option<Arc<Node>>; FAN] = Default::default();
                children[0] = Some(root);
                self.root = Some(Arc::new(Node::Branch(children)));
            }
            self.height += 1;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Learns of one block.
    pub(super) fn learn(&mut self, block: u32, times: &Times) {
        while u64::from(block) >> (FAN_BITS * (self.height + 1)) != 0 {
            self.rise(self.height + 1);
        }
        let mut level = self.height;
        let mut place = &mut self.root;
        loop {
            let node = place.get_or_insert_with(|| Arc::new(Node::new(level)));
            let index = (block >> (FAN_BITS * level)) as usize % FAN;
            match Arc::make_mut(node) {
                Node::Leaf(all) => return all[index].join(times),
                Node::Branch(children) => place = &mut children[index],
            }
            level -= 1;
        }
    }

    pub(super) fn includes(&self, other: &Tree) -> bool {
        if self.height >= other.height {
            let mut raised = other.clone();
            raised.rise(self.height);
            includes(&self.root, &raised.root)
        } else {
            let mut raised = self.clone();
            raised.rise(other.height);
            includes(&raised.root, &other.root)
        }
    }

    pub(super) fn join(&mut self, other: &Tree) {
        if self.height < other.height {
            self.rise(other.height);
            join(&mut self.root, &other.root);
        } else if self.height == other.height {
            join(&mut self.root, &other.root);
        } else {
            let mut raised = other.clone();
            raised.rise(self.height);
            join(&mut self.root, &raised.root);
        }
    }
}

/// What a thread knows, besides its own accesses and those of its block
/// before the present interval.
#[derive(Clone, Debug, Default)]
pub(super) struct VectorClock {
    /// Of its own block.
    pub(super) own: Rows,
    /// Of other blocks.
    pub(super) others: Tree,
}

impl VectorClock {
    pub(super) fn join(&mut self, other: &VectorClock) {
        self.own.join(&other.own);
        self.others.join(&other.others);
    }

    fn rows_of(tree: &Tree, block: u32) -> Option<&Rows> {
        tree.get(block)?.rows.as_deref()
    }

    /// Whether a thread of `block` has nothing to learn from what was published.
    pub(super) fn includes(&self, block: u32, published: &Tree) -> bool {
        self.others.includes(published)
            && Self::rows_of(published, block).is_none_or(|rows| self.own.includes(rows))
    }

    /// A thread of `block` learns what was published.
    pub(super) fn acquire(&mut self, block: u32, published: &Tree) {
        if let Some(rows) = Self::rows_of(published, block) {
            self.own.join(rows);
        }
        self.others.join(published);
    }

    /// What a lane publishes that knows this.
    pub(super) fn published(&self, by: Lane, interval: u32, time: u32) -> Tree {
        let mut rows = self.own.clone();
        rows.learn(by.warp, 1 << by.lane, time);
        let mut tree = self.others.clone();
        let times = Times {
            interval,
            rows: Some(Arc::new(rows)),
        };
        tree.learn(by.block, &times);
        tree
    }
}

/// A thread.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lane {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) lane: u32,
}

/// What the lanes of one access have in common.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) time: u32,
    pub(super) interval: u32,
    pub(super) pc: u32,
}
