//! Litmus tests of PTX's memory model: what the emulator does with weak memory is what the axioms
//! allow (`axioms`), and what they allow it does, but for what is named.
//!
//! The shapes and their names are those of Alglave, Maranget, Tautschnig, "Herding Cats", TOPLAS
//! 2014. Each is run with every order and scope in `STYLES`, in threads of one block and of
//! several; `docs/litmus.md` has the table.

mod axioms;
mod shapes;

use std::collections::BTreeSet;
use std::fmt::Write;

use ptx_emulator::{Checks, Gpu, LaunchOptions, Model, Program, Schedule, Shape};

use shapes::{R, Step, TESTS, Test, W, X, is_known_for};

/// Runs of each program, each with its own seed, and most runs of one whose outcome has not come.
const SEEDS: u64 = 24;
const MOST: u64 = 1000;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Scope {
    Cta,
    Gpu,
    Sys,
}

impl Scope {
    const ALL: [Scope; 3] = [Scope::Cta, Scope::Gpu, Scope::Sys];

    fn name(self) -> &'static str {
        match self {
            Scope::Cta => "cta",
            Scope::Gpu => "gpu",
            Scope::Sys => "sys",
        }
    }
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Load,
    Store,
    /// `atom.add` of 0, or `atom.exch`: a read and a write.
    Atomic,
    FenceAcqRel,
    FenceSc,
}

/// An instruction of a program.
#[derive(Copy, Clone, Debug)]
struct Event {
    /// `None` for what is there before.
    thread: Option<usize>,
    block: usize,
    kind: Kind,
    location: usize,
    /// What it writes; an atomic without a value writes what it reads.
    value: Option<u32>,
    /// `weak`, `volatile`, `relaxed`, `acquire`, `release` or `acq_rel`.
    order: &'static str,
    scope: Scope,
}

impl Event {
    /// What is at a location before.
    fn initial(location: usize) -> Self {
        Event {
            thread: None,
            block: 0,
            kind: Kind::Store,
            location,
            value: Some(0),
            order: "weak",
            scope: Scope::Sys,
        }
    }

    fn is_fence(&self) -> bool {
        matches!(self.kind, Kind::FenceAcqRel | Kind::FenceSc)
    }

    fn reads(&self) -> bool {
        matches!(self.kind, Kind::Load | Kind::Atomic)
    }

    fn writes(&self) -> bool {
        matches!(self.kind, Kind::Store | Kind::Atomic)
    }

    fn is_strong(&self) -> bool {
        self.is_fence() || self.order != "weak"
    }

    fn acquires(&self) -> bool {
        self.is_fence() || self.reads() && matches!(self.order, "acquire" | "acq_rel")
    }

    fn releases(&self) -> bool {
        !self.is_fence() && self.writes() && matches!(self.order, "release" | "acq_rel")
    }

    /// Of two threads.
    fn is_morally_strong(&self, other: &Event) -> bool {
        let includes = |event: &Event| event.scope != Scope::Cta || self.block == other.block;
        self.is_strong() && other.is_strong() && includes(self) && includes(other)
    }

    /// The instruction; `number` is that of its result.
    fn ptx(&self, number: usize) -> String {
        let Event { order, value, .. } = self;
        let scope = self.scope.name();
        let manner = match *order {
            "weak" | "volatile" => (*order).to_owned(),
            order => format!("{order}.{scope}"),
        };
        let at = match self.is_fence() {
            true => String::new(),
            false => format!("[%data+{}]", 4 * self.location),
        };
        match (self.kind, value) {
            (Kind::FenceSc, _) => format!("fence.sc.{scope};"),
            (Kind::FenceAcqRel, _) => format!("fence.acq_rel.{scope};"),
            (Kind::Load, _) => format!("ld.{manner}.global.u32 %r{number}, {at};"),
            (Kind::Store, value) => {
                let value = value.unwrap_or_default();
                format!("st.{manner}.global.u32 {at}, {value};")
            }
            (Kind::Atomic, Some(value)) => {
                format!("atom.{manner}.global.exch.b32 %none, {at}, {value};")
            }
            (Kind::Atomic, None) => format!("atom.{manner}.global.add.u32 %r{number}, {at}, 0;"),
        }
    }
}

/// Which instructions a shape is made of.
#[derive(Copy, Clone)]
struct Style {
    name: &'static str,
    load: &'static str,
    store: &'static str,
    /// Of X, where they are others.
    message: Option<&'static str>,
    fence: Option<Kind>,
    atomic: bool,
    scopes: &'static [Scope],
}

const PLAIN: Style = Style {
    name: "weak",
    load: "weak",
    store: "weak",
    message: None,
    fence: None,
    atomic: false,
    scopes: &[Scope::Gpu],
};

const RELAXED: Style = Style {
    name: "relaxed",
    load: "relaxed",
    store: "relaxed",
    scopes: &Scope::ALL,
    ..PLAIN
};

#[rustfmt::skip]
const STYLES: &[Style] = &[
    PLAIN,
    Style { name: "weak, fence.sc between", fence: Some(Kind::FenceSc), scopes: &Scope::ALL, ..PLAIN },
    Style { name: "volatile", load: "volatile", store: "volatile", ..PLAIN },
    RELAXED,
    Style { name: "release stores, relaxed loads", store: "release", ..RELAXED },
    Style { name: "relaxed stores, acquire loads", load: "acquire", ..RELAXED },
    Style { name: "release stores, acquire loads", store: "release", load: "acquire", ..RELAXED },
    Style { name: "weak x, else release and acquire", store: "release", load: "acquire", message: Some("weak"), ..RELAXED },
    Style { name: "relaxed, fence.acq_rel between", fence: Some(Kind::FenceAcqRel), ..RELAXED },
    Style { name: "relaxed, fence.sc between", fence: Some(Kind::FenceSc), ..RELAXED },
    Style { name: "relaxed atomics", atomic: true, ..RELAXED },
    Style { name: "acq_rel atomics", atomic: true, load: "acq_rel", store: "acq_rel", ..RELAXED },
];

/// A shape in a style.
struct Litmus {
    events: Vec<Event>,
    locations: usize,
    threads: usize,
    /// Whether its threads are in different blocks.
    apart: bool,
}

impl Litmus {
    fn new(test: &Test, style: &Style, scope: Scope, apart: bool) -> Self {
        let mut events = Vec::new();
        let mut locations = 0;
        for (thread, steps) in test.threads.iter().enumerate() {
            for (index, &step) in steps.iter().enumerate() {
                let (location, value) = match step {
                    W(location, value) => (location, Some(value)),
                    R(location) => (location, None),
                };
                locations = locations.max(location + 1);
                let loads = value.is_none();
                let order = if loads { style.load } else { style.store };
                let message = style.message.filter(|_| location == X);
                let event = Event {
                    thread: Some(thread),
                    block: if apart { thread } else { 0 },
                    kind: match (style.atomic, loads) {
                        (true, _) => Kind::Atomic,
                        (false, true) => Kind::Load,
                        (false, false) => Kind::Store,
                    },
                    location,
                    value,
                    order: message.unwrap_or(order),
                    scope,
                };
                if let (Some(kind), true) = (style.fence, index > 0) {
                    // A fence has no location.
                    let location = usize::MAX;
                    events.push(Event {
                        kind,
                        location,
                        value: None,
                        ..event
                    });
                }
                events.push(event);
            }
        }
        Litmus {
            events,
            locations,
            threads: test.threads.len(),
            apart,
        }
    }

    /// Whether the model has the value that an event reads in outcomes: an exchange's is not kept.
    fn is_kept(event: &Event) -> bool {
        event.reads() && event.value.is_none()
    }

    fn ptx(&self) -> String {
        let place = if self.apart { "%ctaid.x" } else { "%warp" };
        let mut body = String::new();
        for thread in 0..self.threads {
            let _ = writeln!(
                body,
                "setp.eq.u32 %p1, %self, {thread};\n@%p1 bra T{thread};"
            );
        }
        body += "ret;\n";
        let mut number = 0;
        for thread in 0..self.threads {
            let _ = writeln!(body, "T{thread}:");
            let own = self
                .events
                .iter()
                .filter(|event| event.thread == Some(thread));
            let first = number;
            for (index, event) in own.enumerate() {
                let bit = 8 * thread + index;
                let _ = writeln!(body, "and.b32 %none, %pauses, {};", 1u32 << bit);
                body += "setp.ne.u32 %p1, %none, 0;\n@%p1 nanosleep.u32 1;\n";
                let _ = writeln!(body, "{}", event.ptx(number));
                number += usize::from(Self::is_kept(event));
            }
            for result in first..number {
                let place = 256 + 4 * result;
                let _ = writeln!(body, "st.global.u32 [%data+{place}], %r{result};");
            }
            body += "ret;\n";
        }
        format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n\
             .visible .entry test(.param .u64 data, .param .u32 order, .param .u32 pauses) {{\n\
             .reg .b32 %r<8>; .reg .b32 %self, %lane, %warp, %none, %order, %pauses; .reg .b64 %data; .reg .pred %p<3>;\n\
             ld.param.u64 %data, [data];\nld.param.u32 %order, [order];\n\
             ld.param.u32 %pauses, [pauses];\n\
             mov.u32 %self, %tid.x;\nand.b32 %lane, %self, 31;\nshr.u32 %warp, %self, 5;\n\
             setp.ne.u32 %p2, %lane, 0;\n@%p2 ret;\nmov.u32 %self, {place};\n\
             shl.b32 %self, %self, 2;\nshr.u32 %self, %order, %self;\nand.b32 %self, %self, 15;\n\
             {body}}}\n"
        )
    }

    /// The outcomes that the model allows.
    fn allowed(&self) -> BTreeSet<Vec<u32>> {
        let all = axioms::allowed(&self.events, self.locations);
        let reads: Vec<bool> = self
            .events
            .iter()
            .filter(|event| event.reads())
            .map(Self::is_kept)
            .collect();
        let kept = |outcome: Vec<u32>| {
            let mut keep = reads.iter().copied().chain(std::iter::repeat(true));
            outcome
                .into_iter()
                .filter(|_| keep.next() == Some(true))
                .collect()
        };
        all.into_iter().map(kept).collect()
    }

    /// The outcomes of the emulator, over the seeds, and over more until `is_awaited` has come.
    fn produced(&self, is_awaited: impl Fn(&[u32]) -> bool) -> BTreeSet<Vec<u32>> {
        let ptx = self.ptx();
        let program = Program::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let mut gpu = Gpu::new(Model::h200());
        let data = gpu.alloc(512).unwrap();
        let mut outcomes = BTreeSet::new();
        for seed in 0..MOST {
            if seed >= SEEDS && outcomes.iter().any(|one: &Vec<u32>| is_awaited(one)) {
                break;
            }
            outcomes.insert(self.run(&mut gpu, &program, data, seed));
        }
        outcomes
    }

    /// One run; the seed also says in which order threads begin, and where they pause.
    fn run(&self, gpu: &mut Gpu, program: &Program, data: u64, seed: u64) -> Vec<u32> {
        let threads = self.threads as u32;
        let shape = Shape {
            grid: [if self.apart { threads } else { 1 }, 1, 1],
            block: [if self.apart { 1 } else { 32 * threads }, 1, 1],
            shared_bytes: 0,
        };
        let options = LaunchOptions {
            schedule: Schedule::Seed(seed),
            weak_memory: true,
            ..LaunchOptions::default()
        };
        let checks = Checks {
            races: true,
            ..Checks::none()
        };
        let mut random = splitmix(seed);
        let mut left: Vec<u32> = (0..threads).collect();
        let mut order = 0;
        for place in 0..threads {
            let one = left.remove(random as usize % left.len());
            order |= one << (4 * place);
            random = splitmix(random);
        }
        let pauses = (random & random >> 32) as u32;
        gpu.copy_in(data, &[0; 512]).unwrap();
        let parameters: [&[u8]; 3] = [
            &data.to_le_bytes(),
            &order.to_le_bytes(),
            &pauses.to_le_bytes(),
        ];
        let checked = gpu.check(program, "test", shape, &parameters, &options, checks);
        checked.unwrap().outcome.unwrap();
        let mut bytes = [0; 512];
        gpu.copy_out(data, &mut bytes).unwrap();
        let words = bytes.as_chunks::<4>().0.iter();
        let words: Vec<u32> = words.map(|&word| u32::from_le_bytes(word)).collect();
        let reads = self
            .events
            .iter()
            .filter(|event| Self::is_kept(event))
            .count();
        [&words[64..64 + reads], &words[..self.locations]].concat()
    }
}

fn splitmix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// What the emulator does not explore: loads before earlier instructions, and atomics that do not
/// read the newest value.
fn is_unexplored(test: &Test, style: &Style) -> bool {
    test.name == "LB" || style.atomic
}

/// What the model says of a shape's outcome, and whether the emulator has it.
fn verdict(test: &Test, style: &Style, litmus: &Litmus) -> &'static str {
    let allowed = litmus.allowed();
    let is_known = |outcome: &[u32]| is_known_for(test, outcome);
    let is_allowed = allowed.iter().any(|outcome| is_known(outcome));
    let is_left_out = is_unexplored(test, style);
    let produced = litmus.produced(|outcome| !is_allowed || is_left_out || is_known(outcome));
    let forbidden: Vec<_> = produced.difference(&allowed).collect();
    let (name, ptx) = (test.name, litmus.ptx());
    assert!(
        forbidden.is_empty(),
        "{name}: the model forbids {forbidden:?}\n{ptx}"
    );
    let is_produced = produced.iter().any(|outcome| is_known(outcome));
    match (is_allowed, is_produced) {
        (false, _) => "forbidden",
        (true, true) => "allowed",
        (true, false) if is_left_out => "allowed, not produced",
        (true, false) => panic!("{name}: allowed, and not produced in {MOST} runs\n{ptx}"),
    }
}

const HEAD: &str = "\
# Litmus tests of PTX's memory model

What the emulator does with weak memory ([memory orders](memory-orders.md#weak-memory-on-the-emulator))
is held against the axioms of the PTX ISA, \"Memory Consistency Model\". Each shape is run in each style,
with each scope, in threads of one block (*one*) and of several (*several*), under many seeds. No run has an
outcome that the axioms forbid. The tables say of the outcome that a shape is known for:

- **forbidden**: the axioms forbid it.
- **allowed**: they allow it, and the emulator produces it.
- **allowed, not produced**: they allow it, and the emulator does not explore it: load buffering (LB),
  and atomics that do not read the newest value.

`x`, `y` and `z` are words of 32 bits, which hold 0 before. The scope `.sys` is as `.gpu` everywhere. This
page is made by `UPDATE_LITMUS=1 cargo test -p ptx-emulator-tests --test emulator litmus`.
";

/// The page, of what every program gave.
fn page() -> String {
    let mut text = HEAD.to_owned();
    for test in TESTS {
        let threads: Vec<String> = test.threads.iter().map(|steps| in_words(steps)).collect();
        let _ = write!(
            text,
            "\n## {}\n\n`{}`: {}.\n\n| style | `.cta`, one | `.cta`, several | `.gpu`, one | `.gpu`, several |\n\
             | --- | --- | --- | --- | --- |\n",
            test.name,
            threads.join(" ‖ "),
            test.words
        );
        for style in STYLES {
            let _ = write!(text, "| {} |", style.name);
            for scope in [Scope::Cta, Scope::Gpu] {
                for apart in [false, true] {
                    if !style.scopes.contains(&scope) {
                        text += " |";
                        continue;
                    }
                    let litmus = Litmus::new(test, style, scope, apart);
                    let _ = write!(text, " {} |", verdict(test, style, &litmus));
                }
            }
            text += "\n";
        }
    }
    text
}

fn in_words(steps: &[Step]) -> String {
    let words = steps.iter().map(|step| match *step {
        W(location, value) => format!("{} = {value}", ["x", "y", "z"][location]),
        R(location) => format!("read {}", ["x", "y", "z"][location]),
    });
    words.collect::<Vec<_>>().join("; ")
}

#[test]
fn weak_memory_is_what_the_axioms_allow_and_the_page_says_it() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/litmus.md");
    let page = page();
    if std::env::var_os("UPDATE_LITMUS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let there = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        there == page,
        "docs/litmus.md is out of date: write it anew with UPDATE_LITMUS=1"
    );
}

/// The canary: orders that are not asked for are missed, and the axioms say so.
#[test]
fn a_program_without_its_orders_has_outcomes_that_the_axioms_forbid_with_them() {
    let style = |name: &str| STYLES.iter().find(|style| style.name == name).unwrap();
    let (relaxed, ordered) = (style("relaxed"), style("release stores, acquire loads"));
    for test in TESTS
        .iter()
        .filter(|test| ["MP", "WRC", "ISA2", "S"].contains(&test.name))
    {
        let [relaxed, ordered] =
            [relaxed, ordered].map(|style| Litmus::new(test, style, Scope::Gpu, true));
        let is_known = |outcome: &[u32]| is_known_for(test, outcome);
        let produced = relaxed.produced(is_known);
        let allowed = ordered.allowed();
        let mut forbidden = produced.difference(&allowed);
        assert!(forbidden.any(|outcome| is_known(outcome)), "{}", test.name);
    }
}
