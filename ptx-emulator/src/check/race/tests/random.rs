//! Random runs: the checker agrees with the oracle on every access.

use super::Races;
use super::oracle::{
    BLOCKS, Form, Oracle, SCOPES, THREADS, Verdict, block_of, device_of, forms, lane_of, warp_of,
};
use crate::observe::{BarrierArrival, LaunchInfo, Memory, MemoryAccess, Observer, Order, Site};

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
        device: device_of(block) as u8,
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
        releases: true,
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
        // Unoptimised, each takes as long as many steps.
        if self.random.below(32) == 0 {
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
                let scope = SCOPES[self.random.below(SCOPES.len())];
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
            _ if self.seed.is_multiple_of(2) && self.random.below(3) == 0 => {
                self.races.exit(at, party.lanes);
                self.alive.retain(|thread| !party.threads.contains(thread));
            }
            _ => {}
        }
    }

    /// An instruction, a memory and an address for each thread.
    fn pick(&mut self, party: &Party) -> (usize, usize, [u64; 32]) {
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
        let memory = if shared { 1 + party.block } else { 0 };
        (pc, memory, addresses)
    }

    fn access(&mut self, party: &Party) {
        let mut picked = self.pick(party);
        if self.flags {
            // Accesses that hang on an order tell most; races hide others.
            for _ in 0..8 {
                let (pc, memory, addresses) = &picked;
                let verdicts = party.threads.iter().map(|&thread| {
                    let address = addresses[lane_of(thread)];
                    self.oracle.look(thread, *memory, address, self.forms[*pc])
                });
                let worst = verdicts.max().unwrap_or(Verdict::Alone);
                let strong = self.forms[*pc].order != Order::Weak;
                match worst {
                    Verdict::Ordered | Verdict::Message | Verdict::Far => break,
                    Verdict::Alone if strong || self.random.below(4) == 0 => break,
                    Verdict::Race if self.random.below(64) == 0 => break,
                    _ => picked = self.pick(party),
                }
            }
        }
        let (pc, memory, addresses) = picked;
        let form = self.forms[pc];
        let room = if memory == 0 {
            Memory::Global
        } else {
            Memory::Shared
        };
        let access = MemoryAccess {
            kind: form.kind,
            memory: room,
            addresses: &addresses,
            lanes: party.lanes,
            bytes: form.bytes as u32,
            element: form.bytes as u32,
            order: form.order,
            scope: form.scope,
            values: true,
            rows: [0; 2],
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
    let (mut racing, mut ordered, mut messages, mut far) = (0, 0, 0, 0);
    for seed in 1..=3000 {
        let mut run = Run::new(seed);
        for _ in 0..120 {
            run.step();
        }
        racing += run.racing;
        ordered += run.oracle.ordered;
        messages += run.oracle.messages;
        far += run.oracle.far;
    }
    // Both verdicts come often, and so does order between blocks and between devices.
    let counts = (racing, ordered, messages, far);
    assert!(
        racing > 10_000 && ordered > 5_000 && messages > 300 && far > 500,
        "{counts:?}"
    );
}
