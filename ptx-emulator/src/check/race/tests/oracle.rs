//! A checker that keeps everything: a full clock a thread, every access, and
//! for each byte who wrote it last. Slow, and plain enough to be believed.

use std::collections::HashMap;

use crate::observe::{AccessKind, Order, Scope};

/// Threads of a block that take part, by warp and lane.
pub(super) const MEMBERS: [(u32, u32); 6] = [(0, 0), (0, 1), (0, 2), (0, 31), (1, 0), (1, 1)];
pub(super) const BLOCKS: usize = 3;
/// Blocks of the first device; the last one is alone on its own.
const FIRST: usize = 2;
pub(super) const THREADS: usize = BLOCKS * MEMBERS.len();

type Clock = [u32; THREADS];

fn join(clock: &mut Clock, other: &Clock) {
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

/// Scopes as often as they are picked: messages go far by wide ones alone.
pub(super) const SCOPES: [Scope; 5] = {
    use Scope::{Block, Gpu, System};
    [Block, Gpu, Gpu, System, System]
};

/// Whether a scope of a thread includes another thread.
fn includes(scope: Scope, thread: usize, other: usize) -> bool {
    let (one, two) = (block_of(thread), block_of(other));
    match scope {
        Scope::System => true,
        Scope::Gpu => device_of(one) == device_of(two),
        _ => one == two,
    }
}

/// An instruction: its number is its pc.
#[derive(Copy, Clone, Debug)]
pub(super) struct Form {
    pub(super) kind: AccessKind,
    pub(super) order: Order,
    pub(super) scope: Scope,
    pub(super) bytes: u64,
}

pub(super) fn forms() -> Vec<Form> {
    let mut all = Vec::new();
    let mut add = |kind, order, scope, bytes| {
        all.push(Form {
            kind,
            order,
            scope,
            bytes,
        });
    };
    use AccessKind::{Atomic, Load, Store};
    for bytes in [1, 2, 4, 8] {
        add(Load, Order::Weak, Scope::None, bytes);
        add(Store, Order::Weak, Scope::None, bytes);
    }
    for scope in SCOPES {
        for bytes in [1, 4, 8] {
            add(Load, Order::Relaxed, scope, bytes);
            add(Load, Order::Acquire, scope, bytes);
            add(Store, Order::Relaxed, scope, bytes);
            add(Store, Order::Release, scope, bytes);
        }
        for bytes in [4, 8] {
            add(Atomic, Order::Relaxed, scope, bytes);
            add(Atomic, Order::Acquire, scope, bytes);
            add(Atomic, Order::Release, scope, bytes);
            add(Atomic, Order::AcquireRelease, scope, bytes);
        }
    }
    all
}

/// What a release pattern publishes.
#[derive(Clone, Debug)]
struct Link {
    thread: usize,
    scope: Scope,
    clock: Clock,
}

impl Link {
    /// Whether a thread may take it in by an acquire of a scope.
    fn reaches(&self, thread: usize, scope: Scope) -> bool {
        includes(self.scope, self.thread, thread) && includes(scope, thread, self.thread)
    }
}

#[derive(Clone, Debug)]
struct Past {
    thread: usize,
    clock: u32,
    address: u64,
    form: Form,
    links: Vec<Link>,
    /// No other thread's write is part of it.
    alone: bool,
}

impl Past {
    fn morally_strong(&self, thread: usize, address: u64, form: Form) -> bool {
        let strong = self.form.order != Order::Weak && form.order != Order::Weak;
        let whole = self.address == address && self.form.bytes == form.bytes;
        let (one, two) = (self.form.scope, form.scope);
        let mutual = includes(one, self.thread, thread) && includes(two, thread, self.thread);
        strong && whole && mutual
    }
}

pub(super) fn block_of(thread: usize) -> usize {
    thread / MEMBERS.len()
}

pub(super) fn device_of(block: usize) -> usize {
    usize::from(block >= FIRST)
}

pub(super) fn warp_of(thread: usize) -> u32 {
    MEMBERS[thread % MEMBERS.len()].0
}

pub(super) fn lane_of(thread: usize) -> usize {
    MEMBERS[thread % MEMBERS.len()].1 as usize
}

/// What an access is to those before it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// In no conflict.
    Alone,
    /// In conflict, and after all of them.
    Ordered,
    /// As `Ordered`, one of them by another block.
    Message,
    /// As `Ordered`, one of them by another device.
    Far,
    Race,
}

#[derive(Default)]
pub(super) struct Oracle {
    clocks: Vec<Clock>,
    /// By memory (0 global, else the block's shared): all accesses.
    past: HashMap<usize, Vec<Past>>,
    /// By memory and byte: the last write in `past`.
    last: HashMap<(usize, u64), usize>,
    fences: Vec<Vec<Link>>,
    pending: Vec<Vec<Link>>,
    /// Accesses of that verdict.
    pub(super) ordered: usize,
    pub(super) messages: usize,
    pub(super) far: usize,
}

impl Oracle {
    pub(super) fn new() -> Oracle {
        Oracle {
            clocks: vec![[0; THREADS]; THREADS],
            fences: vec![Vec::new(); THREADS],
            pending: vec![Vec::new(); THREADS],
            ..Oracle::default()
        }
    }

    fn step(&mut self, thread: usize) {
        self.clocks[thread][thread] += 1;
    }

    /// What an access would be now.
    pub(super) fn look(&self, thread: usize, memory: usize, address: u64, form: Form) -> Verdict {
        let known = |old: &Past| self.clocks[thread][old.thread] >= old.clock;
        let writes = form.kind != AccessKind::Load;
        let mut verdict = Verdict::Alone;
        for old in self.past.get(&memory).into_iter().flatten() {
            let overlap =
                old.address < address + form.bytes && address < old.address + old.form.bytes;
            let conflict = writes || old.form.kind != AccessKind::Load;
            let safe = old.thread == thread || old.morally_strong(thread, address, form);
            if !overlap || !conflict || safe {
                continue;
            }
            if !known(old) {
                return Verdict::Race;
            }
            let (theirs, own) = (block_of(old.thread), block_of(thread));
            verdict = verdict.max(match theirs == own {
                true => Verdict::Ordered,
                false if device_of(theirs) == device_of(own) => Verdict::Message,
                false => Verdict::Far,
            });
        }
        verdict
    }

    /// Makes an access; whether it races.
    pub(super) fn access(
        &mut self,
        thread: usize,
        memory: usize,
        address: u64,
        form: Form,
    ) -> bool {
        self.step(thread);
        let clock = self.clocks[thread];
        let writes = form.kind != AccessKind::Load;
        let verdict = self.look(thread, memory, address, form);
        self.ordered += usize::from(verdict == Verdict::Ordered);
        self.messages += usize::from(verdict == Verdict::Message);
        self.far += usize::from(verdict == Verdict::Far);
        let past = self.past.entry(memory).or_default();
        // Whose writes it observes, or carries on.
        let mut writers: Vec<usize> = (address..address + form.bytes)
            .filter_map(|byte| self.last.get(&(memory, byte)).copied())
            .collect();
        writers.dedup();
        writers.retain(|&index| past[index].morally_strong(thread, address, form));
        let (mut links, mut alone) = (Vec::new(), true);
        for &index in &writers {
            let old = &past[index];
            let own = old.alone && old.thread == thread;
            if form.kind == AccessKind::Atomic || writes && own {
                links.extend(old.links.iter().cloned());
                alone &= own;
            }
            if form.kind != AccessKind::Store {
                self.pending[thread].extend(old.links.iter().cloned());
                if matches!(form.order, Order::Acquire | Order::AcquireRelease) {
                    for link in &old.links {
                        if link.reaches(thread, form.scope) {
                            join(&mut self.clocks[thread], &link.clock);
                        }
                    }
                }
            }
        }
        if writes && form.order != Order::Weak {
            let clock = self.clocks[thread];
            if matches!(form.order, Order::Release | Order::AcquireRelease) {
                links.push(Link {
                    thread,
                    scope: form.scope,
                    clock,
                });
            }
            links.extend(self.fences[thread].iter().cloned());
        }
        let past = self.past.entry(memory).or_default();
        past.push(Past {
            thread,
            clock: clock[thread],
            address,
            form,
            links,
            alone,
        });
        if writes {
            for byte in address..address + form.bytes {
                self.last.insert((memory, byte), past.len() - 1);
            }
        }
        verdict == Verdict::Race
    }

    pub(super) fn fence(&mut self, thread: usize, order: Order, scope: Scope) {
        self.step(thread);
        if order != Order::Release {
            let pending = std::mem::take(&mut self.pending[thread]);
            for link in pending {
                if link.reaches(thread, scope) {
                    join(&mut self.clocks[thread], &link.clock);
                } else {
                    self.pending[thread].push(link);
                }
            }
        }
        if order != Order::Acquire {
            let clock = self.clocks[thread];
            self.fences[thread].push(Link {
                thread,
                scope,
                clock,
            });
        }
    }

    /// Those who wait learn what those who come know.
    pub(super) fn meet(&mut self, come: &[usize], wait: &[usize]) {
        let mut sum = [0; THREADS];
        for &thread in come {
            self.step(thread);
            join(&mut sum, &self.clocks[thread]);
        }
        for &thread in wait {
            join(&mut self.clocks[thread], &sum);
        }
    }
}
