//! A program as a tree, its PTX, and what is left of it without some of its parts.
//!
//! Every register has a value before the first node, so that the tree is a program without any
//! of its nodes too. In the text of a line `%mask` stands for the mask of the warp's lanes that
//! come there, and `FUNCTION` for the first part of a function's name.

use std::fmt::Write;
use std::ops::Range;

/// Registers that hold values, by their width: `%r` of 32 bits, `%d` of 64, `%h` of 16, `%p`.
pub const REGISTERS: [(&str, usize); 4] = [("r", 10), ("d", 6), ("h", 5), ("p", 4)];

/// Words of 8 bytes that a thread reads: one for each register of bits.
pub const INPUTS: usize = 21;

/// Words of 8 bytes that a thread writes: 8 that it works on, a word for each register of bits,
/// the predicates, and what became of its local and of its shared memory.
pub const OUTPUTS: usize = 8 + INPUTS + 3;

/// Words of 8 bytes that all threads update by atomics, each by an operation of its own.
pub const CELLS: usize = 8;

/// Functions that a program may call.
pub const FUNCTIONS: usize = 2;

/// The most threads of a block.
pub const THREADS: u32 = 128;

/// One part of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Instructions that stay together.
    Line(String),
    /// A branch.
    If {
        /// Instructions that set `%q0`.
        condition: String,
        /// Where it is true.
        then: Vec<Node>,
        /// Where it is false.
        otherwise: Vec<Node>,
    },
    /// A loop.
    Loop {
        /// A register: its two lowest bits are the number of turns.
        limit: String,
        /// What is repeated.
        body: Vec<Node>,
    },
}

/// The body of an entry, and the lines of the functions that it calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The entry's nodes.
    pub body: Vec<Node>,
    /// Those of each function, lines alone.
    pub functions: Vec<Vec<Node>>,
}

impl Program {
    /// How many nodes there are.
    pub fn count(&self) -> usize {
        count(&self.body)
            + self
                .functions
                .iter()
                .map(|lines| count(lines))
                .sum::<usize>()
    }

    /// The program without the nodes of these places in the order of the text, and what is in them.
    pub fn without(&self, places: &Range<usize>) -> Program {
        self.edited(&mut |place, node| match places.contains(&place) {
            true => Vec::new(),
            false => vec![node],
        })
    }

    /// The program with the contents of the branch or loop at this place instead of it.
    pub fn unwrapped(&self, at: usize) -> Program {
        self.edited(&mut |place, node| match node {
            Node::If {
                mut then,
                otherwise,
                ..
            } if place == at => {
                then.extend(otherwise);
                then
            }
            Node::Loop { body, .. } if place == at => body,
            node => vec![node],
        })
    }

    fn edited(&self, edit: &mut dyn FnMut(usize, Node) -> Vec<Node>) -> Program {
        let mut place = 0;
        Program {
            body: edited(&self.body, &mut place, edit),
            functions: self
                .functions
                .iter()
                .map(|lines| edited(lines, &mut place, edit))
                .collect(),
        }
    }

    /// The entry `name`, and its functions before it.
    pub fn text(&self, name: &str) -> String {
        let mut printer = Printer::default();
        printer.nodes(&self.body, 0);
        let body = printer.text;
        let mut text = String::new();
        for (index, lines) in self.functions.iter().enumerate() {
            if body.contains(&format!("FUNCTION{index},")) {
                text.push_str(&function(&format!("{name}_f{index}"), lines));
            }
        }
        let body = body.replace("FUNCTION", &format!("{name}_f"));
        text.push_str(&entry(name, &body));
        text
    }
}

fn count(nodes: &[Node]) -> usize {
    let inside = |node: &Node| match node {
        Node::Line(_) => 0,
        Node::If {
            then, otherwise, ..
        } => count(then) + count(otherwise),
        Node::Loop { body, .. } => count(body),
    };
    nodes.iter().map(|node| 1 + inside(node)).sum()
}

fn edited(
    nodes: &[Node],
    place: &mut usize,
    edit: &mut dyn FnMut(usize, Node) -> Vec<Node>,
) -> Vec<Node> {
    let mut new = Vec::new();
    for node in nodes {
        let own = *place;
        *place += 1;
        let node = match node {
            Node::Line(text) => Node::Line(text.clone()),
            Node::If {
                condition,
                then,
                otherwise,
            } => Node::If {
                condition: condition.clone(),
                then: edited(then, place, edit),
                otherwise: edited(otherwise, place, edit),
            },
            Node::Loop { limit, body } => Node::Loop {
                limit: limit.clone(),
                body: edited(body, place, edit),
            },
        };
        new.extend(edit(own, node));
    }
    new
}

/// Writes nodes; each branch and loop has labels of its own.
#[derive(Default)]
struct Printer {
    text: String,
    labels: usize,
}

impl Printer {
    /// At depth n, `%m<n>` is the mask of the lanes that are here.
    fn nodes(&mut self, nodes: &[Node], depth: usize) {
        for node in nodes {
            match node {
                Node::Line(text) => {
                    let text = text.replace("%mask", &format!("%m{depth}"));
                    self.text.push_str(&text);
                    self.text.push('\n');
                }
                Node::If {
                    condition,
                    then,
                    otherwise,
                } => self.branch(condition, [then, otherwise], depth),
                Node::Loop { limit, body } => self.turns(limit, body, depth),
            }
        }
    }

    fn branch(&mut self, condition: &str, [then, otherwise]: [&[Node]; 2], depth: usize) {
        let (label, inner) = (self.labels, depth + 1);
        self.labels += 1;
        let _ = write!(
            self.text,
            "{condition}\nvote.sync.ballot.b32 %m{inner}, %q0, %m{depth};\n@!%q0 bra ELSE{label};\n"
        );
        self.nodes(then, inner);
        let _ = write!(
            self.text,
            "bra END{label};\nELSE{label}:\n\
             not.b32 %m{inner}, %m{inner};\nand.b32 %m{inner}, %m{inner}, %m{depth};\n"
        );
        self.nodes(otherwise, inner);
        let _ = writeln!(self.text, "END{label}:\nbar.warp.sync %m{depth};");
    }

    fn turns(&mut self, limit: &str, body: &[Node], depth: usize) {
        let (label, inner) = (self.labels, depth + 1);
        self.labels += 1;
        let _ = write!(
            self.text,
            "mov.u32 %c{depth}, 0;\nand.b32 %n{depth}, {limit}, 3;\nmov.b32 %m{inner}, %m{depth};\n\
             LOOP{label}:\nsetp.lt.u32 %q0, %c{depth}, %n{depth};\n\
             vote.sync.ballot.b32 %m{inner}, %q0, %m{inner};\n@!%q0 bra END{label};\n"
        );
        self.nodes(body, inner);
        let _ = write!(
            self.text,
            "add.u32 %c{depth}, %c{depth}, 1;\nbra LOOP{label};\n\
             END{label}:\nbar.warp.sync %m{depth};\n"
        );
    }
}

/// The registers of a body: those with values, and `%t`, `%u`, `%g`, `%q` that no line leaves one
/// in for another.
fn registers() -> String {
    let mut text = String::new();
    for ((name, count), ty) in REGISTERS.into_iter().zip(["b32", "b64", "b16", "pred"]) {
        let _ = writeln!(text, ".reg .{ty} %{name}<{count}>;");
    }
    text + ".reg .b32 %t<8>; .reg .b64 %u<4>; .reg .b16 %g<4>; .reg .pred %q<2>;\n.reg .f32 %f<1>; .reg .f64 %e<1>;\n"
}

/// Every register of values, 0 to [`INPUTS`], with the type that it is stored by.
fn of_bits() -> impl Iterator<Item = (usize, String, u32)> {
    let widths = REGISTERS.into_iter().zip([32, 64, 16]);
    let all = widths.flat_map(|((name, count), bits)| {
        (0..count).map(move |index| (format!("%{name}{index}"), bits))
    });
    all.enumerate()
        .map(|(place, (name, bits))| (place, name, bits))
}

/// A function of a word and a double word whose registers begin as these and what differs from
/// them by a number.
fn function(name: &str, lines: &[Node]) -> String {
    let mut text = format!(
        ".func (.param .b32 {name}_to) {name}(.param .b32 {name}_a, .param .b64 {name}_b) {{\n{}\
         ld.param.b32 %t0, [{name}_a];\nld.param.b64 %u0, [{name}_b];\n",
        registers()
    );
    for (place, register, bits) in of_bits() {
        let _ = match bits {
            32 => writeln!(text, "xor.b32 {register}, %t0, {place};"),
            64 => writeln!(text, "xor.b64 {register}, %u0, {place};"),
            _ => writeln!(
                text,
                "add.u32 %t1, %t0, {place}; cvt.u16.u32 {register}, %t1;"
            ),
        };
    }
    for index in 0..REGISTERS[3].1 {
        let _ = writeln!(text, "setp.gt.s32 %p{index}, %t0, {index};");
    }
    let mut printer = Printer::default();
    printer.nodes(lines, 0);
    let _ = write!(
        text,
        "{}st.param.b32 [{name}_to], %r0;\nret;\n}}\n",
        printer.text
    );
    text
}

/// `name(inputs, outputs, cells, flags)`: thread i of the grid reads the `INPUTS` words at
/// `inputs + 8 INPUTS i` and writes as many as `OUTPUTS` from `outputs + 8 OUTPUTS i` on.
fn entry(name: &str, body: &str) -> String {
    let mut text = format!(
        ".visible .entry {name}(.param .u64 {name}_in, .param .u64 {name}_out, .param .u64 {name}_cells,\n\
         .param .u32 {name}_flags) {{\n{}\
         .reg .b32 %m<6>, %c<6>, %n<6>, %thread, %block, %threads, %flags, %own;\n\
         .reg .b64 %in, %out, %cells;\n\
         .shared .align 16 .b8 room[{}]; .shared .align 16 .b8 sums[16]; .local .align 16 .b8 stack[64];\n\
         mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x; mov.u32 %threads, %ntid.x;\n\
         ld.param.u32 %flags, [{name}_flags];\n\
         ld.param.u64 %in, [{name}_in]; cvta.to.global.u64 %in, %in;\n\
         ld.param.u64 %out, [{name}_out]; cvta.to.global.u64 %out, %out;\n\
         ld.param.u64 %cells, [{name}_cells]; cvta.to.global.u64 %cells, %cells;\n\
         mad.lo.u32 %t0, %block, %threads, %thread;\n\
         mad.wide.u32 %in, %t0, {}, %in; mad.wide.u32 %out, %t0, {}, %out;\n\
         and.b32 %t0, %thread, 0xffffffe0; sub.u32 %t0, %threads, %t0; bmsk.clamp.b32 %m0, 0, %t0;\n\
         mov.u32 %own, room; mad.lo.u32 %own, %thread, 16, %own;\n",
        registers(),
        16 * THREADS,
        8 * INPUTS,
        8 * OUTPUTS,
    );
    for (place, register, bits) in of_bits() {
        let _ = writeln!(text, "ld.global.b{bits} {register}, [%in+{}];", 8 * place);
    }
    for index in 0..REGISTERS[3].1 {
        let _ = writeln!(text, "setp.gt.s32 %p{index}, %r{index}, 1;");
    }
    text.push_str("st.shared.v2.b64 [%own], {%d0, %d1};\n");
    for place in (0..64).step_by(8) {
        let register = place / 8 % 6;
        let _ = writeln!(
            text,
            "st.global.b64 [%out+{place}], %d{register}; st.local.b64 [stack+{place}], %d{register};"
        );
    }
    text.push_str(body);
    text.push_str(&stores());
    text.push_str("ret;\n}\n");
    text
}

/// Writes all that a thread has.
fn stores() -> String {
    let mut text = String::new();
    for (place, register, bits) in of_bits() {
        let at = 8 * (8 + place);
        let _ = match bits {
            64 => writeln!(text, "st.global.b64 [%out+{at}], {register};"),
            _ => writeln!(
                text,
                "cvt.u64.u{bits} %u0, {register}; st.global.b64 [%out+{at}], %u0;"
            ),
        };
    }
    text.push_str("mov.b64 %u0, 0;\n");
    for index in 0..REGISTERS[3].1 {
        let _ = writeln!(
            text,
            "selp.b64 %u1, {}, 0, %p{index}; or.b64 %u0, %u0, %u1;",
            1 << index
        );
    }
    let at = 8 * (8 + INPUTS);
    let _ = writeln!(text, "st.global.b64 [%out+{at}], %u0;\nmov.b64 %u0, 1;");
    for place in (0..64).step_by(8) {
        let _ = writeln!(
            text,
            "ld.local.b64 %u1, [stack+{place}]; mad.lo.u64 %u0, %u0, 0x9e3779b9, %u1;"
        );
    }
    let _ = writeln!(
        text,
        "st.global.b64 [%out+{}], %u0;\nld.shared.v2.b64 {{%u0, %u1}}, [%own];\n\
         mad.lo.u64 %u0, %u0, 0x9e3779b9, %u1; st.global.b64 [%out+{}], %u0;",
        at + 8,
        at + 16
    );
    text
}
