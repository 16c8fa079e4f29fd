//! Random runs, against a checker that keeps everything: a full clock a
//! thread, every access, and for each byte who wrote it last.

use std::collections::HashMap;

use super::Races;
use crate::observe::{
    AccessKind, BarrierArrival, LaunchInfo, Memory, MemoryAccess, Observer, Order, Scope, Site,
};

/// Threads of a block that take part, by warp and lane.
const MEMBERS: [(u32, u32); 6] = [(0, 0), (0, 1), (0, 2), (0, 31), (1, 0), (1, 1)];
const BLOCKS: usize = 3;
const THREADS: usize = BLOCKS * MEMBERS.len();

type Clock = [u32; THREADS];

fn join(clock: &mut Clock, other: &Clock) {
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

fn wide(scope: Scope) -> bool {
    matches!(scope, Scope::Gpu | Scope::System)
}

/// An instruction: its number is its pc.
#[derive(Copy, Clone, Debug)]
struct Form {
    kind: AccessKind,
    order: Order,
    scope: Scope,
    bytes: u64,
}

fn forms() -> Vec<Form> {
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
    for scope in [Scope::Block, Scope::Gpu] {
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
    wide: bool,
    clock: Clock,
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
        let near = block_of(self.thread) == block_of(thread);
        strong && whole && (near || wide(self.form.scope) && wide(form.scope))
    }
}

fn block_of(thread: usize) -> usize {
    thread / MEMBERS.len()
}

fn warp_of(thread: usize) -> u32 {
    MEMBERS[thread % MEMBERS.len()].0
}

fn lane_of(thread: usize) -> usize {
    MEMBERS[thread % MEMBERS.len()].1 as usize
}

#[derive(Default)]
struct Oracle {
    clocks: Vec<Clock>,
    /// By memory (0 global, else the block's shared): all accesses.
    past: HashMap<usize, Vec<Past>>,
    /// By memory and byte: the last write in `past`.
    last: HashMap<(usize, u64), usize>,
    fences: Vec<Vec<Link>>,
    pending: Vec<Vec<Link>>,
    /// Accesses that only order keeps from racing, and those among them with
    /// one of another block.
    ordered: usize,
    messages: usize,
}

impl Oracle {
    fn new() -> Oracle {
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

    /// Makes an access; whether it races.
    fn access(&mut self, thread: usize, memory: usize, address: u64, form: Form) -> bool {
        self.step(thread);
        let clock = self.clocks[thread];
        let writes = form.kind != AccessKind::Load;
        let past = self.past.entry(memory).or_default();
        let (mut race, mut ordered, mut message) = (false, false, false);
        for old in past.iter() {
            let overlap =
                old.address < address + form.bytes && address < old.address + old.form.bytes;
            let conflict = writes || old.form.kind != AccessKind::Load;
            if overlap
                && conflict
                && old.thread != thread
                && !old.morally_strong(thread, address, form)
            {
                let before = clock[old.thread] >= old.clock;
                race |= !before;
                ordered |= before;
                message |= before && block_of(old.thread) != block_of(thread);
            }
        }
        self.ordered += usize::from(!race && ordered);
        self.messages += usize::from(!race && message);
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
                        let near = block_of(link.thread) == block_of(thread);
                        if near || link.wide && wide(form.scope) {
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
                    wide: wide(form.scope),
                    clock,
                });
            }
            for fence in &self.fences[thread] {
                let mut link = fence.clone();
                link.wide &= wide(form.scope);
                links.push(link);
            }
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
        race
    }

    fn fence(&mut self, thread: usize, order: Order, scope: Scope) {
        self.step(thread);
        if order != Order::Release {
            let pending = std::mem::take(&mut self.pending[thread]);
            let taken =
                |link: &Link| block_of(link.thread) == block_of(thread) || link.wide && wide(scope);
            for link in pending {
                if taken(&link) {
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
                wide: wide(scope),
                clock,
            });
        }
    }

    /// Those who wait learn what those who come know.
    fn meet(&mut self, come: &[usize], wait: &[usize]) {
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

/// xorshift64*
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

fn site(pc: usize, block: usize, warp: u32) -> Site {
    Site {
        pc: pc as u32,
        block: [block as u32, 0, 0],
        block_linear: block as u64,
        warp,
    }
}

/// The threads of a warp of a block in `alive`, each with probability 1/2.
fn some_lanes(random: &mut Random, alive: &[usize], block: usize, warp: u32) -> (Vec<usize>, u32) {
    let mut chosen = Vec::new();
    let mut mask = 0;
    for &thread in alive {
        if block_of(thread) == block && warp_of(thread) == warp && random.below(2) == 0 {
            chosen.push(thread);
            mask |= 1 << lane_of(thread);
        }
    }
    (chosen, mask)
}

fn found(races: &Races) -> u64 {
    races.findings().iter().map(|finding| finding.count).sum()
}

fn arrival(id: u32, lanes: u32, expected: u32, waits: bool) -> BarrierArrival {
    BarrierArrival {
        id,
        lanes,
        live: lanes,
        expected,
        waits,
        aligned: false,
    }
}

/// A random run, seen by both.
struct Run {
    seed: u64,
    random: Random,
    forms: Vec<Form>,
    oracle: Oracle,
    races: Races,
    alive: Vec<usize>,
    /// Strong accesses of 4 bytes have words of their own.
    flags: bool,
    /// Accesses that race.
    racing: usize,
}

/// Lanes of a warp of a block that do something together.
struct Party {
    block: usize,
    warp: u32,
    threads: Vec<usize>,
    lanes: u32,
}

impl Run {
    fn new(seed: u64) -> Run {
        let mut races = Races::default();
        races.launch(&LaunchInfo {
            kernel: "test".into(),
            grid: [BLOCKS as u32, 1, 1],
            block: [34, 1, 1],
            shared_bytes: 64,
        });
        for block in 0..BLOCKS {
            races.block_begins([block as u32, 0, 0], block as u64);
            races.exit(site(0, block, 0), 0x7fff_fff8);
        }
        let flags = seed % 4 < 2;
        let mut forms = forms();
        if flags {
            forms.retain(|form| form.order == Order::Weak || form.bytes == 4);
        }
        Run {
            seed,
            random: Random(seed * 2 + 1),
            forms,
            oracle: Oracle::new(),
            races,
            alive: (0..THREADS).collect(),
            flags,
            racing: 0,
        }
    }

    fn party(&mut self, block: usize, warp: u32) -> Party {
        let (threads, lanes) = some_lanes(&mut self.random, &self.alive, block, warp);
        Party {
            block,
            warp,
            threads,
            lanes,
        }
    }

    fn step(&mut self) {
        if self.random.below(8) == 0 {
            self.races.sweep();
        }
        let (block, warp) = (self.random.below(BLOCKS), self.random.below(2) as u32);
        let party = self.party(block, warp);
        if party.lanes == 0 {
            return;
        }
        let at = site(0, block, warp);
        match self.random.below(24) {
            0..16 => self.access(&party),
            16..19 => {
                let orders = [Order::AcquireRelease, Order::Acquire, Order::Release];
                let order = orders[self.random.below(3)];
                let scope = [Scope::Block, Scope::Gpu][self.random.below(2)];
                self.races.fence(at, party.lanes, order, scope);
                for &thread in &party.threads {
                    self.oracle.fence(thread, order, scope);
                }
            }
            19 | 20 => {
                self.races.collective_completes(at, party.lanes, true);
                self.oracle.meet(&party.threads, &party.threads);
            }
            21 => self.block_barrier(block),
            22 => self.half_barrier(&party),
            _ if self.seed % 2 == 0 && self.random.below(3) == 0 => {
                self.races.exit(at, party.lanes);
                self.alive.retain(|thread| !party.threads.contains(thread));
            }
            _ => {}
        }
    }

    fn access(&mut self, party: &Party) {
        let pc = self.random.below(self.forms.len());
        let form = self.forms[pc];
        let shared = self.random.below(4) == 0;
        // Weak accesses and strong ones meet, or do not.
        let base = 8 * match (self.flags, form.order) {
            (false, _) => self.random.below(3),
            (true, Order::Weak) => 1 + self.random.below(6),
            (true, _) => 0,
        };
        let spread = self.random.below(2) == 0;
        let mut addresses = [0; 32];
        for &thread in &party.threads {
            let offset = if spread {
                self.random.below(8) as u64
            } else {
                0
            };
            addresses[lane_of(thread)] = base as u64 + offset / form.bytes * form.bytes;
        }
        let (memory, room) = if shared {
            (1 + party.block, Memory::Shared)
        } else {
            (0, Memory::Global)
        };
        let access = MemoryAccess {
            kind: form.kind,
            memory: room,
            addresses: &addresses,
            lanes: party.lanes,
            bytes: form.bytes as u32,
            order: form.order,
            scope: form.scope,
        };
        let before = found(&self.races);
        self.races
            .access(site(pc, party.block, party.warp), &access);
        let seen = found(&self.races) != before;
        let mut race = false;
        for &thread in &party.threads {
            race |= self
                .oracle
                .access(thread, memory, addresses[lane_of(thread)], form);
        }
        let seed = self.seed;
        assert_eq!(seen, race, "seed {seed}: {form:?} of {:?}", party.threads);
        self.racing += usize::from(race);
    }

    /// All threads of a block meet.
    fn block_barrier(&mut self, block: usize) {
        let mut all = self.alive.clone();
        all.retain(|&thread| block_of(thread) == block);
        for warp in 0..2 {
            let own = all.iter().filter(|&&thread| warp_of(thread) == warp);
            let lanes = own.map(|&thread| 1 << lane_of(thread)).sum();
            if lanes != 0 {
                let arrival = arrival(0, lanes, 0, true);
                self.races.barrier(site(0, block, warp), &arrival);
            }
        }
        self.races.barrier_completes(block as u64, 0);
        self.oracle.meet(&all, &all);
    }

    /// Some of one warp arrive, some of the other wait.
    fn half_barrier(&mut self, party: &Party) {
        let others = self.party(party.block, 1 - party.warp);
        let at = |party: &Party| site(0, party.block, party.warp);
        self.races
            .barrier(at(party), &arrival(1, party.lanes, 64, false));
        if others.lanes != 0 {
            self.races
                .barrier(at(&others), &arrival(1, others.lanes, 64, true));
        }
        self.races.barrier_completes(party.block as u64, 1);
        let come: Vec<usize> = party
            .threads
            .iter()
            .chain(&others.threads)
            .copied()
            .collect();
        self.oracle.meet(&come, &others.threads);
    }
}

#[test]
fn random_runs_agree_with_full_clocks() {
    let (mut racing, mut ordered, mut messages) = (0, 0, 0);
    for seed in 1..=4000 {
        let mut run = Run::new(seed);
        for _ in 0..80 {
            run.step();
        }
        racing += run.racing;
        ordered += run.oracle.ordered;
        messages += run.oracle.messages;
    }
    // Both verdicts come often, and so does order between blocks.
    let counts = (racing, ordered, messages);
    assert!(
        racing > 10_000 && ordered > 10_000 && messages > 1_000,
        "{counts:?}"
    );
}
