//! Lines that reach memory or the other threads.
//!
//! None of them has a race: a thread writes what is its own, or between two barriers what others
//! read behind the second; what several threads update without order they update by one
//! operation, whose order does not matter, and do not read.

use super::instructions::Writer;

/// Who comes to a line together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    /// All threads of the block.
    Block { has_whole_warps: bool },
    /// The lanes of `%mask`.
    Lanes,
}

impl Writer<'_> {
    /// A line of any kind that may stand where these come together.
    pub(super) fn any_line(&mut self, together: Together) -> String {
        match (self.below(100), together) {
            (0..14, _) => self.own_memory(),
            (14..18, _) => self.generic(),
            (18..24, _) => self.own_atomic(),
            (24..29, _) => self.cell(),
            (29..37, _) => self.warp(),
            (
                37..42,
                Together::Block {
                    has_whole_warps: true,
                },
            ) => self.shuffle(),
            (42..47, Together::Block { .. }) => self.exchange(),
            (47..49, Together::Block { .. }) => self.sum(),
            (49..51, Together::Block { .. }) => self.barrier(),
            (51..55, _) => self.call(),
            _ => self.line(),
        }
    }

    /// A load or a store of a place of its own: global, shared or local.
    fn own_memory(&mut self) -> String {
        let (space, base, size) = self.random.pick(&[
            ("global", "%out", 64),
            ("shared", "%own", 16),
            ("local", "stack", 64),
        ]);
        let (ty, kind) = self.random.pick(&[
            ("u8", "r"),
            ("s8", "r"),
            ("b16", "h"),
            ("s16", "r"),
            ("b32", "r"),
            ("u32", "d"),
            ("s32", "d"),
            ("b64", "d"),
        ]);
        let bytes = ty[1..].parse::<usize>().unwrap_or(8) / 8;
        let is_narrower = matches!((ty, kind), ("u8" | "s8" | "s16", _) | ("u32" | "s32", "d"));
        let count = match is_narrower || kind == "h" {
            true => 1,
            false => self.random.pick(&[1, 1, 2, if bytes == 8 { 2 } else { 4 }]),
        };
        let place = self.below(size / (bytes * count)) * bytes * count;
        let (vector, registers) = match count {
            1 => (String::new(), self.register(kind)),
            2 => (
                ".v2".into(),
                format!("{{{}}}", self.registers::<2>(kind).join(", ")),
            ),
            _ => (
                ".v4".into(),
                format!("{{{}}}", self.registers::<4>(kind).join(", ")),
            ),
        };
        // Somewhere that a register says.
        let mut address = String::new();
        let mut at = format!("[{base}+{place}]");
        if space == "local" && self.below(3) == 0 {
            let (word, mask) = (self.register("r"), 64 - bytes * count);
            address =
                format!("and.b32 %t0, {word}, {mask}; mov.u32 %t1, stack; add.u32 %t1, %t1, %t0; ");
            at = "[%t1]".into();
        }
        match self.below(2) {
            0 => format!("{address}ld.{space}{vector}.{ty} {registers}, {at};"),
            _ if is_narrower => {
                let (scratch, bits) = if kind == "d" {
                    ("%u2", 64)
                } else {
                    ("%t2", 32)
                };
                let copy = format!("xor.b{bits} {scratch}, {registers}, 85;");
                format!("{address}{copy} st.{space}.{ty} {at}, {scratch};")
            }
            _ => format!("{address}st.{space}{vector}.{ty} {at}, {registers};"),
        }
    }

    /// The same by generic addresses.
    fn generic(&mut self) -> String {
        let (address, size) = self.random.pick(&[
            ("cvt.u64.u32 %u0, %own; cvta.shared.u64 %u0, %u0;", 16),
            ("mov.u64 %u0, stack; cvta.local.u64 %u0, %u0;", 64),
            ("cvta.global.u64 %u0, %out;", 64),
        ]);
        let (ty, kind) = self
            .random
            .pick(&[("b32", "r"), ("b64", "d"), ("b16", "h")]);
        let bytes = ty[1..].parse::<usize>().unwrap_or(8) / 8;
        let place = self.below(size / bytes) * bytes;
        let register = self.register(kind);
        match self.below(2) {
            0 => format!("{address} ld.{ty} {register}, [%u0+{place}];"),
            _ => format!("{address} st.{ty} [%u0+{place}], {register};"),
        }
    }

    /// An atomic on a place of its own.
    fn own_atomic(&mut self) -> String {
        let (word, ty) = self.random.pick(&[
            ("add", "u32"),
            ("add", "u64"),
            ("add", "f32"),
            ("add.noftz", "f16x2"),
            ("add.noftz", "bf16x2"),
            ("min", "s32"),
            ("max", "u64"),
            ("min", "s64"),
            ("and", "b32"),
            ("xor", "b64"),
            ("inc", "u32"),
            ("dec", "u32"),
            ("exch", "b32"),
            ("exch", "b64"),
            ("cas", "b32"),
            ("cas", "b64"),
        ]);
        let kind = if ty.ends_with("64") { "d" } else { "r" };
        let [to, a, b] = [0; 3].map(|_| self.register(kind));
        let third = if word == "cas" {
            format!(", {b}")
        } else {
            String::new()
        };
        // In shared memory, ptxas 13 makes something else of sums of halves.
        let (space, base) = match word {
            "add.noftz" => ("global", "%out"),
            _ => self.random.pick(&[("global", "%out"), ("shared", "%own")]),
        };
        let place = 8 * self.below(2);
        match word {
            "exch" | "cas" => {
                format!("atom.{space}.{word}.{ty} {to}, [{base}+{place}], {a}{third};")
            }
            _ if ty == "f32" => {
                format!("atom.{space}.{word}.{ty} %f0, [{base}+{place}], {a}; mov.b32 {to}, %f0;")
            }
            _ if self.below(3) == 0 => format!("red.{space}.{word}.{ty} [{base}+{place}], {a};"),
            _ => format!("atom.{space}.{word}.{ty} {to}, [{base}+{place}], {a};"),
        }
    }

    /// An update of a word that every thread may update.
    fn cell(&mut self) -> String {
        const OPERATIONS: [(&str, &str); super::program::CELLS] = [
            ("add.u32", "r"),
            ("min.s32", "r"),
            ("max.u32", "r"),
            ("and.b32", "r"),
            ("or.b32", "r"),
            ("xor.b32", "r"),
            ("add.u64", "d"),
            ("max.s64", "d"),
        ];
        let index = self.below(OPERATIONS.len());
        let (operation, kind) = OPERATIONS[index];
        let scratch = if kind == "d" { "%u3" } else { "%t7" };
        let (place, source) = (8 * index, self.register(kind));
        match self.below(2) {
            0 => format!("red.global.{operation} [%cells+{place}], {source};"),
            _ => format!(
                "atom.relaxed.gpu.global.{operation} {scratch}, [%cells+{place}], {source};"
            ),
        }
    }

    /// A collective of the lanes that are here.
    fn warp(&mut self) -> String {
        let [to, a] = [0; 2].map(|_| self.register("r"));
        let (wide, p, q) = (self.register("d"), self.register("p"), self.register("p"));
        match self.below(8) {
            0 => format!(
                "vote.sync.{}.pred {p}, {q}, %mask;",
                self.pick(&["all", "any", "uni"])
            ),
            1 => format!("vote.sync.ballot.b32 {to}, {q}, %mask;"),
            2 => format!("match.any.sync.b32 {to}, {a}, %mask;"),
            3 => format!("and.b64 %u0, {wide}, 3; match.any.sync.b64 {to}, %u0, %mask;"),
            4 => format!("and.b32 %t0, {a}, 1; match.all.sync.b32 {to}|{p}, %t0, %mask;"),
            5 => format!("elect.sync {to}|{p}, %mask;"),
            6 => format!(
                "brev.b32 %t0, %mask; clz.b32 %t0, %t0; shfl.sync.idx.b32 {to}, {a}, %t0, 31, %mask;"
            ),
            _ => {
                let operation = self.pick(&[
                    "add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32", "and.b32",
                    "or.b32", "xor.b32",
                ]);
                format!("redux.sync.{operation} {to}, {a}, %mask;")
            }
        }
    }

    /// Any shuffle, of whole warps.
    fn shuffle(&mut self) -> String {
        let mode = self.pick(&["up", "down", "bfly", "idx"]);
        let [to, a] = [0; 2].map(|_| self.register("r"));
        let p = self.register("p");
        let lane = match self.below(2) {
            0 => self.below(40).to_string(),
            _ => self.register("r"),
        };
        let segment = match self.below(3) {
            0 => self.register("r"),
            1 => "0x1f".into(),
            _ => self
                .pick(&["0", "0x181f", "0x1c1f", "0x1807", "0x0010"])
                .to_owned(),
        };
        match self.below(2) {
            0 => format!("shfl.sync.{mode}.b32 {to}|{p}, {a}, {lane}, {segment}, %mask;"),
            _ => format!("shfl.sync.{mode}.b32 {to}, {a}, {lane}, {segment}, %mask;"),
        }
    }

    /// Each thread reads what another one has in shared memory.
    fn exchange(&mut self) -> String {
        let (a, to) = (self.register("d"), self.register("d"));
        let barrier = self.pick(&["bar.sync 0;", "barrier.sync 0;", "barrier.sync.aligned 1;"]);
        let by = 1 + self.below(100);
        format!(
            "{barrier} st.shared.b64 [%own+8], {a}; {barrier}\n\
             add.u32 %t0, %thread, {by}; rem.u32 %t0, %t0, %threads;\n\
             mov.u32 %t1, room; mad.lo.u32 %t1, %t0, 16, %t1; ld.shared.b64 {to}, [%t1+8]; {barrier}"
        )
    }

    /// A sum, a minimum and so on of all threads, in shared memory.
    fn sum(&mut self) -> String {
        let (operation, kind) = self.random.pick(&[
            ("add.u32", "r"),
            ("min.s32", "r"),
            ("max.u32", "r"),
            ("xor.b32", "r"),
            ("or.b32", "r"),
            ("add.u64", "d"),
            ("min.u64", "d"),
        ]);
        let (a, to) = (self.register(kind), self.register(kind));
        let width = if kind == "d" { "b64" } else { "b32" };
        format!(
            "bar.sync 0; setp.eq.u32 %q1, %thread, 0; @%q1 st.shared.{width} [sums], {a}; bar.sync 0;\n\
             red.shared.{operation} [sums], {a}; bar.sync 0; ld.shared.{width} {to}, [sums]; bar.sync 0;"
        )
    }

    /// A reduction of predicates by a barrier.
    fn barrier(&mut self) -> String {
        let (p, q, to) = (self.register("p"), self.register("p"), self.register("r"));
        match self.below(3) {
            0 => format!("bar.red.popc.u32 {to}, 0, {q};"),
            1 => format!("bar.red.and.pred {p}, 0, {q};"),
            _ => format!("barrier.red.or.pred {p}, 2, {q};"),
        }
    }

    fn call(&mut self) -> String {
        let index = self.below(super::program::FUNCTIONS);
        let (to, a, b) = (self.register("r"), self.register("r"), self.register("d"));
        format!(
            "{{ .param .b32 to; .param .b32 a; .param .b64 b;\n\
             st.param.b32 [a], {a}; st.param.b64 [b], {b};\n\
             call (to), FUNCTION{index}, (a, b);\nld.param.b32 {to}, [to]; }}"
        )
    }
}
