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

#[derive(Default)]
struct Oracle {
    clocks: Vec<Clock>,
    /// By memory (0 global, else the block's shared): all accesses.
    past: HashMap<usize, Vec<Past>>,
    /// By memory and byte: the last write in `past`.
    last: HashMap<(usize, u64), usize>,
    fences: Vec<Vec<Link>>,
    pending: Vec<Vec<Link>>,
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
        let race = past.iter().any(|old| {
            let overlap =
                old.address < address + form.bytes && address < old.address + old.form.bytes;
            let conflict = writes || old.form.kind != AccessKind::Load;
            let ordered = old.thread == thread || clock[old.thread] >= old.clock;
            overlap && conflict && !ordered && !old.morally_strong(thread, address, form)
        });
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
        let (own, lane) = MEMBERS[thread % MEMBERS.len()];
        if block_of(thread) == block && own == warp && random.below(2) == 0 {
            chosen.push(thread);
            mask |= 1 << lane;
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

/// Runs `events` random events; how many accesses race.
fn compare(seed: u64, events: usize, leave: bool) -> usize {
    let forms = forms();
    let mut random = Random(seed * 2 + 1);
    let (mut oracle, mut races) = (Oracle::new(), Races::default());
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
    let mut alive: Vec<usize> = (0..THREADS).collect();
    let mut racing = 0;
    for event in 0..events {
        let block = random.below(BLOCKS);
        let warp = random.below(2) as u32;
        if random.below(8) == 0 {
            races.sweep();
        }
        let (threads, lanes) = some_lanes(&mut random, &alive, block, warp);
        if lanes == 0 {
            continue;
        }
        match random.below(24) {
            0..16 => {
                let pc = random.below(forms.len());
                let form = forms[pc];
                let shared = random.below(4) == 0;
                let base = random.below(3) as u64 * 8;
                let spread = random.below(2) == 0;
                let mut addresses = [0; 32];
                for &thread in &threads {
                    let (_, lane) = MEMBERS[thread % MEMBERS.len()];
                    let offset = if spread { random.below(8) as u64 } else { 0 };
                    addresses[lane as usize] = base + offset / form.bytes * form.bytes;
                }
                let before = found(&races);
                let (memory, room) = if shared {
                    (1 + block, Memory::Shared)
                } else {
                    (0, Memory::Global)
                };
                races.access(
                    site(pc, block, warp),
                    &MemoryAccess {
                        kind: form.kind,
                        memory: room,
                        addresses: &addresses,
                        lanes,
                        bytes: form.bytes as u32,
                        order: form.order,
                        scope: form.scope,
                    },
                );
                let mut race = false;
                for &thread in &threads {
                    let (_, lane) = MEMBERS[thread % MEMBERS.len()];
                    race |= oracle.access(thread, memory, addresses[lane as usize], form);
                }
                let seen = found(&races) != before;
                assert_eq!(
                    seen, race,
                    "seed {seed}, event {event}: {form:?} of {threads:?}"
                );
                racing += usize::from(race);
            }
            16..19 => {
                let order =
                    [Order::AcquireRelease, Order::Acquire, Order::Release][random.below(3)];
                let scope = [Scope::Block, Scope::Gpu][random.below(2)];
                races.fence(site(0, block, warp), lanes, order, scope);
                threads
                    .iter()
                    .for_each(|&thread| oracle.fence(thread, order, scope));
            }
            19 | 20 => {
                races.collective_completes(site(0, block, warp), lanes, true);
                oracle.meet(&threads, &threads);
            }
            21 => {
                // All of the block.
                let all: Vec<usize> = alive
                    .iter()
                    .copied()
                    .filter(|&t| block_of(t) == block)
                    .collect();
                for warp in 0..2 {
                    let own = |&&t: &&usize| MEMBERS[t % MEMBERS.len()].0 == warp;
                    let lanes = all
                        .iter()
                        .filter(own)
                        .map(|&t| 1 << MEMBERS[t % MEMBERS.len()].1)
                        .sum();
                    if lanes != 0 {
                        races.barrier(site(0, block, warp), &arrival(0, lanes, 0, true));
                    }
                }
                races.barrier_completes(block as u64, 0);
                oracle.meet(&all, &all);
            }
            22 => {
                // Some of one warp arrive, some of the other wait.
                let (others, mask) = some_lanes(&mut random, &alive, block, 1 - warp);
                races.barrier(site(0, block, warp), &arrival(1, lanes, 64, false));
                if mask != 0 {
                    races.barrier(site(0, block, 1 - warp), &arrival(1, mask, 64, true));
                }
                races.barrier_completes(block as u64, 1);
                let come: Vec<usize> = threads.iter().chain(&others).copied().collect();
                oracle.meet(&come, &others);
            }
            _ if leave && random.below(3) == 0 => {
                races.exit(site(0, block, warp), lanes);
                alive.retain(|thread| !threads.contains(thread));
            }
            _ => {}
        }
    }
    racing
}

#[test]
fn random_runs_agree_with_full_clocks() {
    let mut racing = 0;
    for seed in 1..=3000 {
        racing += compare(seed, 60, seed % 2 == 0);
    }
    assert!(racing > 10_000, "{racing} accesses raced");
}
