//! Lines of registers alone: the forms of [`crate::probes::table`] on registers picked anew, and
//! those that need more than one instruction or operands of their own.

use std::collections::BTreeMap;

use ptx_syntax::Type;

use super::program::REGISTERS;
use crate::probes::operands::{Domain, Random};
use crate::probes::{Form, Place, table};

/// The forms of one instruction each, by their opcodes.
pub(super) struct Forms(Vec<Vec<Form>>);

impl Forms {
    pub(super) fn new() -> Self {
        let mut by_opcode = BTreeMap::<String, Vec<Form>>::new();
        for form in table::forms().into_iter().filter(is_plain) {
            let opcode = form.name.split('.').next().unwrap_or_default();
            by_opcode.entry(opcode.to_owned()).or_default().push(form);
        }
        Forms(by_opcode.into_values().collect())
    }
}

/// What ptxas 13 makes something else of than the ISA says, near some other instructions
/// (`docs/ptx-coverage.md`); so does it of `set` to a float.
const OTHERWISE: [&str; 5] = ["cnot", "abs.s32", "abs.s64", "abs.f16x2", "abs.bf16x2"];

/// Whether the form is one instruction of registers, with bits that an assembler may not change:
/// it may fuse sums and products of floats that say no rounding.
fn is_plain(form: &Form) -> bool {
    let Form { name, body, .. } = form;
    let is_whole = body.starts_with(&format!("{name} %")) && body.matches(';').count() == 1;
    let opcode = name.split('.').next().unwrap_or_default();
    let is_fused = matches!(opcode, "add" | "sub" | "mul")
        && ["f32", "f64", "f16", "f16x2"]
            .iter()
            .any(|ty| name.ends_with(ty))
        && ![".rn", ".rz", ".rm", ".rp"]
            .iter()
            .any(|mode| name.contains(mode));
    let is_otherwise = OTHERWISE.iter().any(|start| name.starts_with(start))
        || opcode == "set" && float_result(name);
    let is_of_warp = ["shfl", "vote", "match", "redux", "elect", "mov"].contains(&opcode);
    is_whole && !is_fused && !is_otherwise && !is_of_warp && !body.contains("0x")
}

/// The bits of the one NaN that takes the place of others in f64.
const NAN: &str = "0x7ff8000000000000";

/// Writes lines from random numbers.
pub(super) struct Writer<'w> {
    pub(super) random: &'w mut Random,
    pub(super) forms: &'w Forms,
}

impl Writer<'_> {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.random.below(end as u64) as usize
    }

    pub(super) fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        self.random.pick(all)
    }

    /// A register of values: `r`, `d`, `h` or `p`.
    pub(super) fn register(&mut self, kind: &str) -> String {
        let count = REGISTERS.iter().find(|(name, _)| *name == kind);
        let index = self.below(count.map_or(1, |(_, count)| *count));
        format!("%{kind}{index}")
    }

    /// Several of them that differ.
    pub(super) fn registers<const N: usize>(&mut self, kind: &str) -> [String; N] {
        let first = self.below(4);
        std::array::from_fn(|index| format!("%{kind}{}", first + index))
    }

    /// A line of registers alone.
    pub(super) fn line(&mut self) -> String {
        match self.below(100) {
            0..62 => self.form(),
            62..70 => self.selection(),
            70..76 => self.logic(),
            76..83 => self.carries(),
            83..89 => self.packing(),
            89..94 => self.video(),
            _ => self.packed(),
        }
    }

    /// Now and then only where a predicate holds.
    fn guarded(&mut self, instruction: String) -> String {
        match self.below(16) {
            0 => format!("@{} {instruction}", self.register("p")),
            1 => format!("@!{} {instruction}", self.register("p")),
            _ => instruction,
        }
    }

    fn form(&mut self) -> String {
        let forms = self.forms;
        let of_opcode = &forms.0[self.below(forms.0.len())];
        let form = &of_opcode[self.below(of_opcode.len())];
        let to = self.register(match form.place {
            Place::Predicate => "p",
            Place::W16 => "h",
            Place::W32 => "r",
            Place::W64 => "d",
        });
        let count = form.operands.len();
        let mut sources = Vec::new();
        for (index, &domain) in form.operands.iter().enumerate() {
            // An assembler computes the reciprocal of a number with other bits than a GPU.
            let may_be_number = index > 0 && index + 1 == count && !form.name.starts_with("div.");
            let number = match may_be_number && self.below(8) == 0 {
                true => self.number(domain),
                false => None,
            };
            sources.push(number.unwrap_or_else(|| self.register(kind(domain))));
        }
        // An assembler makes x of the least of x and x, whatever NaN it is.
        if form.name.starts_with('m') && sources.len() == 2 && sources[0] == sources[1] {
            return self.form();
        }
        let line = self.instruction(form, &to, &sources.join(", "));
        // Of two NaNs an f64 is the one that the assembler puts where it counts.
        match count > 1 && form.place == Place::W64 && form.operands[0] == Domain::F64 {
            true => {
                format!("{line} testp.notanumber.f64 %q1, {to}; selp.b64 {to}, {NAN}, {to}, %q1;")
            }
            false => line,
        }
    }

    /// A form with its registers. A result of f32 or f64 gets to a register of bits by way of one
    /// of its type, as compilers write it: without it, ptxas 13 converts the number to an integer
    /// where an integer instruction reads the register. It also passes over the guard of `testp`,
    /// keeps a NaN in a guarded `abs`, and has other upper bits in a guarded result of 16 bits.
    fn instruction(&mut self, form: &Form, to: &str, sources: &str) -> String {
        let name = &form.name;
        let typed = match (float_result(name), form.place) {
            (true, Place::W32) => ("%f0", "b32"),
            (true, Place::W64) => ("%e0", "b64"),
            _ if ["testp", "abs", "neg"]
                .iter()
                .any(|opcode| name.starts_with(opcode))
                || form.place == Place::W16 =>
            {
                return format!("{name} {to}, {sources};");
            }
            _ => return self.guarded(format!("{name} {to}, {sources};")),
        };
        let (result, bits) = typed;
        if self.below(8) > 0 || name.starts_with("abs") || name.starts_with("neg") {
            return format!("{name} {result}, {sources}; mov.{bits} {to}, {result};");
        }
        let guard = self.register("p");
        format!(
            "mov.{bits} {result}, {to}; @{guard} {name} {result}, {sources}; mov.{bits} {to}, {result};"
        )
    }

    /// A number in the place of a register.
    fn number(&mut self, domain: Domain) -> Option<String> {
        let small = self.below(100);
        Some(match domain {
            Domain::I32 | Domain::I64 => format!("{}", small as i64 - 8),
            Domain::I16 | Domain::Shift => format!("{small}"),
            Domain::F32 => format!("0f{:08X}", Domain::F32.random(self.random)),
            _ => return None,
        })
    }

    fn selection(&mut self) -> String {
        let [p, q, source] = [0; 3].map(|_| self.register("p"));
        let (ty, kind) = self.random.pick(&[
            ("s32", "r"),
            ("u32", "r"),
            ("f32", "r"),
            ("s64", "d"),
            ("u16", "h"),
            ("f64", "d"),
        ]);
        let [to, a, b] = [0; 3].map(|_| self.register(kind));
        let word = self.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
        let (join, not) = (self.pick(&["and", "or", "xor"]), self.pick(&["", "!"]));
        match self.below(5) {
            0 if p != q => format!("setp.{word}.{join}.{ty} {p}|{q}, {a}, {b}, {not}{source};"),
            0 | 1 => format!("setp.{word}.{join}.{ty} {p}, {a}, {b}, {not}{source};"),
            2 => format!("{join}.pred {p}, {q}, {source};"),
            3 => {
                let to = self.register("r");
                format!("set.{word}.{join}.u32.{ty} {to}, {a}, {b}, {not}{source};")
            }
            _ => format!(
                "selp.{} {to}, {a}, {b}, {source};",
                ty.replace(['f', 's', 'u'], "b")
            ),
        }
    }

    fn logic(&mut self) -> String {
        let table = self.below(256);
        let [to, a, b, c] = [0; 4].map(|_| self.register("r"));
        let [wide, x, y] = [0; 3].map(|_| self.register("d"));
        let line = match self.below(4) {
            0 => format!("bfi.b32 {to}, {a}, {b}, {c}, {};", self.below(40)),
            1 => format!("bfi.b64 {wide}, {x}, {y}, {c}, {};", self.below(70)),
            _ => format!("lop3.b32 {to}, {a}, {b}, {c}, {table};"),
        };
        self.guarded(line)
    }

    /// A carry that is written, and instructions that read it, or read and write it.
    fn carries(&mut self) -> String {
        let (ty, kind) =
            self.random
                .pick(&[("u32", "r"), ("s32", "r"), ("u64", "d"), ("s64", "d")]);
        let mut text = String::new();
        let turns = 2 + self.below(3);
        for turn in 0..turns {
            let reads = if turn == 0 { "" } else { "c" };
            let writes = if turn + 1 == turns { "" } else { ".cc" };
            let opcode = self.pick(&["add", "sub", "mad", "add"]);
            let (part, third) = match opcode {
                "mad" => (
                    self.pick(&[".lo", ".hi"]),
                    format!(", {}", self.register(kind)),
                ),
                _ => ("", String::new()),
            };
            let [to, a, b] = [0; 3].map(|_| self.register(kind));
            text.push_str(&format!(
                "{opcode}{reads}{part}{writes}.{ty} {to}, {a}, {b}{third}; "
            ));
        }
        text
    }

    fn packing(&mut self) -> String {
        let (word, double) = (self.register("r"), self.register("d"));
        let [low, high] = self.registers("r");
        let [first, second] = self.registers("h");
        match self.below(5) {
            0 => format!("mov.b64 {double}, {{{low}, {high}}};"),
            1 => format!("mov.b64 {{{low}, {high}}}, {double};"),
            2 => format!("mov.b32 {word}, {{{first}, {second}}};"),
            3 => format!("mov.b32 {{{first}, {second}}}, {word};"),
            _ => {
                let ty = self.pick(&["u16", "s16", "u8", "s8"]);
                let more = match ty.ends_with('8') {
                    true => (".b32", format!(", {}", self.register("r"))),
                    false => ("", String::new()),
                };
                format!(
                    "cvt.pack.sat.{ty}.s32{} {word}, {low}, {high}{};",
                    more.0, more.1
                )
            }
        }
    }

    /// What does not saturate, has no part as its result and no third operand: of the others
    /// ptxas 13 makes something else than the ISA says.
    fn video(&mut self) -> String {
        let opcode = self.pick(&[
            "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset",
        ]);
        let [mut to, a, mut b] = [0; 3].map(|_| self.pick(&[".u32", ".s32"]));
        let mut mode = "";
        match opcode {
            "vshl" | "vshr" => (b, mode) = (".u32", self.pick(&[".clamp", ".wrap"])),
            "vset" => (to, mode) = ("", self.pick(&[".eq", ".ne", ".lt", ".le", ".gt", ".ge"])),
            _ => {}
        }
        let [d, x, y] = [0; 3].map(|_| self.register("r"));
        let parts = ["", "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"];
        let [p, q] = [0; 2].map(|_| self.pick(&parts));
        format!("{opcode}{to}{a}{b}{mode} {d}, {x}{p}, {y}{q};")
    }

    fn packed(&mut self) -> String {
        let [to, a, b] = [0; 3].map(|_| self.register("r"));
        let opcode = self.pick(&[
            "add.u16x2",
            "add.s16x2",
            "min.u16x2",
            "max.u16x2",
            "min.s16x2",
            "max.s16x2",
            "min.relu.s16x2",
            "max.relu.s16x2",
            "min.relu.s32",
            "max.relu.s32",
        ]);
        self.guarded(format!("{opcode} {to}, {a}, {b};"))
    }
}

/// Whether the result of an instruction is an f32 or an f64: its first type says so.
fn float_result(name: &str) -> bool {
    let is_type = |word: &&str| Type::parse(word).is_some() || *word == "tf32";
    matches!(name.split('.').skip(1).find(is_type), Some("f32" | "f64"))
}

/// The kind of register that holds such an operand.
fn kind(domain: Domain) -> &'static str {
    match domain {
        Domain::F64 | Domain::I64 => "d",
        Domain::F16 | Domain::BF16 | Domain::I16 => "h",
        _ => "r",
    }
}
