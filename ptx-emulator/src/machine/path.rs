//! Paths of a warp: lanes that share a program counter, and where they meet
//! again.
//!
//! At a divergent branch a path becomes two, which meet at the branch's
//! immediate post-dominator (a join). Waiting there is the emulator's choice
//! and not PTX's, so it must not stop anybody: paths of a warp take turns, and
//! when a path polls memory, or when none can run, the lanes that wait for it
//! at a join are let go. So a lane may spin on another lane of its warp.

use crate::ir::{LANES, NEVER};

/// Nobody.
pub(crate) const NONE: u32 = u32::MAX;

/// First rows and bytes of a call frame.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bases {
    pub(crate) w32: u32,
    pub(crate) w64: u32,
    pub(crate) predicates: u32,
    pub(crate) local: u32,
}

impl Bases {
    /// The first rows, of 32 and of 64 bits.
    pub(crate) fn rows(self) -> [u32; 2] {
        [self.w32, self.w64]
    }
}

/// What a return goes back to.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) pc: u32,
    pub(crate) bases: Bases,
    pub(crate) function: u32,
}

/// Why a path does not run.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// For the barrier of the block to leave this phase.
    Barrier { id: u32, phase: u64 },
    /// For the barrier of the cluster to leave this phase.
    Cluster { phase: u64 },
    /// For the mbarrier at this offset to leave the phase of this parity;
    /// `expired` when nothing else could move.
    Mbarrier {
        offset: u64,
        parity: bool,
        expired: bool,
    },
    /// For the other lanes of the mask to come to the same collective;
    /// `lanes` have come on this path.
    Collective { members: u32, lanes: u32 },
}

#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) pc: u32,
    pub(crate) mask: u32,
    pub(crate) join: u32,
    /// The join's pc while the path is in the frame of the join.
    pub(crate) meet: u32,
    pub(crate) callers: Vec<Caller>,
    pub(crate) bases: Bases,
    pub(crate) function: u32,
    pub(crate) wait: Option<Wait>,
    /// Whether it has read memory, and so may wait for another lane.
    pub(crate) polls: Polls,
    /// Full turns that it had since lanes wait for it.
    pub(crate) turns: u32,
}

impl Path {
    /// Lanes that meet nobody, in the frame of a kernel.
    pub(crate) fn new(pc: u32, mask: u32, function: u32) -> Self {
        Path {
            pc,
            mask,
            join: NONE,
            meet: NEVER,
            callers: Vec::new(),
            bases: Bases::default(),
            function,
            wait: None,
            polls: Polls::Nothing,
            turns: 0,
        }
    }
}

/// What a path has read from memory that others write.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Polls {
    #[default]
    Nothing,
    /// Weak loads, which seldom wait for anybody.
    Weakly,
    /// Atomics, volatile and ordered loads, or it sleeps.
    Strongly,
}

impl Polls {
    /// Turns after which lanes that wait for such a path are let go.
    fn patience(self) -> u32 {
        match self {
            Polls::Nothing => u32::MAX,
            Polls::Weakly => 256,
            Polls::Strongly => 2,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Join {
    pub(crate) pc: u32,
    /// Call depth.
    depth: usize,
    /// Lanes that will come, unless they exit.
    expected: u32,
    arrived: u32,
    outer: u32,
    used: bool,
    /// One of the paths that have arrived, for its call frame.
    parked: Option<Path>,
}

impl Join {
    /// The lanes that have arrived, behind it; `one` of their paths has the frame.
    fn left(&self, one: Path) -> Path {
        Path {
            mask: self.arrived,
            pc: self.pc,
            join: self.outer,
            wait: None,
            ..one
        }
    }
}

/// All paths of a warp.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    pub(crate) list: Vec<Path>,
    joins: Vec<Join>,
    /// Lanes that have not exited.
    pub(crate) live: u32,
}

impl Paths {
    pub(crate) fn new(pc: u32, mask: u32, function: u32) -> Self {
        Paths {
            list: vec![Path::new(pc, mask, function)],
            joins: Vec::with_capacity(4),
            live: mask,
        }
    }

    fn new_join(&mut self, join: Join) -> u32 {
        match self.joins.iter().position(|join| !join.used) {
            Some(index) => {
                self.joins[index] = join;
                index as u32
            }
            None => {
                self.joins.push(join);
                self.joins.len() as u32 - 1
            }
        }
    }

    /// Sets `meet` from the join and the call depth.
    pub(crate) fn set_meet(&self, path: &mut Path) {
        path.meet = match self.joins.get(path.join as usize) {
            Some(join) if join.depth == path.callers.len() => join.pc,
            _ => NEVER,
        };
    }

    /// Splits `path`: the lanes of `away` go to `target`, the others to
    /// `next`; both meet at `reconverge`. `path` becomes the part that runs
    /// on, the other part is listed; `away_first` says which is which.
    pub(crate) fn split(
        &mut self,
        path: &mut Path,
        away: u32,
        target: u32,
        next: u32,
        reconverge: u32,
        away_first: bool,
    ) {
        if reconverge != NEVER && reconverge != path.meet {
            path.join = self.new_join(Join {
                pc: reconverge,
                depth: path.callers.len(),
                expected: path.mask,
                arrived: 0,
                outer: path.join,
                used: true,
                parked: None,
            });
            path.meet = reconverge;
        }
        let mut other = path.clone();
        (other.mask, other.pc) = (away, target);
        (path.mask, path.pc) = (path.mask & !away, next);
        if away_first {
            std::mem::swap(path, &mut other);
        }
        // The other part may stand at the meeting point already.
        if other.pc == other.meet {
            self.arrive(other);
        } else {
            self.list.push(other);
        }
    }

    /// A path has come to its join: it ends, and when it is the last one,
    /// all lanes go on together.
    pub(crate) fn arrive(&mut self, path: Path) {
        let index = path.join as usize;
        self.joins[index].arrived |= path.mask;
        self.complete(index, path);
    }

    fn complete(&mut self, index: usize, last: Path) {
        let join = &mut self.joins[index];
        if join.arrived != join.expected {
            // Whoever arrives has the same frame.
            join.parked = Some(last);
            return;
        }
        (join.used, join.parked) = (false, None);
        let path = join.left(last);
        self.go_on(path);
    }

    /// A path runs, or waits at its own join.
    fn go_on(&mut self, mut path: Path) {
        self.set_meet(&mut path);
        if path.pc == path.meet {
            self.arrive(path);
        } else {
            self.list.push(path);
        }
    }

    /// Lanes exit: nobody waits for them any more. `path` is the path that
    /// they leave, with its mask already reduced.
    pub(crate) fn retire(&mut self, lanes: u32, path: &Path) {
        self.live &= !lanes;
        let mut index = path.join;
        while let Some(join) = self.joins.get_mut(index as usize) {
            let outer = join.outer;
            join.expected &= !lanes;
            if join.expected == 0 {
                (join.used, join.parked) = (false, None);
            } else if join.arrived == join.expected
                && let Some(last) = join.parked.take()
            {
                self.complete(index as usize, last);
            }
            index = outer;
        }
    }

    /// The path listed last has had a full turn, or sleeps. True when lanes
    /// that waited for it were let go.
    pub(crate) fn had_turn(&mut self) -> bool {
        let Some(path) = self.list.last_mut() else {
            return false;
        };
        path.turns = path.turns.saturating_add(1);
        if path.turns < path.polls.patience() {
            return false;
        }
        path.turns = 0;
        let join = path.join;
        self.release(join)
    }

    /// No path can run: lets go whoever waits at a join. False when nobody
    /// does.
    pub(crate) fn release_any(&mut self) -> bool {
        let joins: Vec<u32> = self.list.iter().map(|path| path.join).collect();
        joins.into_iter().any(|join| self.release(join))
    }

    /// The innermost join from `index` outwards where lanes wait: they go on.
    fn release(&mut self, mut index: u32) -> bool {
        while let Some(join) = self.joins.get_mut(index as usize) {
            if let Some(parked) = join.parked.take() {
                let path = join.left(parked);
                join.expected &= !join.arrived;
                join.arrived = 0;
                self.go_on(path);
                return true;
            }
            index = join.outer;
        }
        false
    }

    /// Lanes of a row, for messages.
    pub(crate) fn first_lane(mask: u32) -> usize {
        (mask.trailing_zeros() as usize).min(LANES - 1)
    }
}
