//! What takes the place of a hole: a formula as PTX without a branch of its own, with the bodies
//! of the elementary functions that it calls.

use std::collections::HashMap;
use std::fmt::Write;

use quadscan_kernels::integrate::formula::FUNCTIONS;

use super::graph::{Graph, Id, Node, Variable};
use super::names::number;
use super::number::Number;
use super::operation::Operation;

/// What a formula is compiled with: the bodies of elementary functions, by their numbers. Each
/// takes its arguments from registers `a0` to `a2` and leaves its value in `r`.
pub(super) type Bodies = HashMap<u8, String>;

/// The elementary functions that a formula calls, those that only sums do among them.
pub(super) fn called(graph: &Graph, root: Id) -> Vec<u8> {
    let reached = graph.reached(root);
    let mut all: Vec<u8> = reached
        .into_iter()
        .filter_map(|id| match graph.node(id) {
            Node::Of(Operation::Call(number), _) => Some(number),
            _ => None,
        })
        .chain(term(graph, root).map(|(number, _)| number))
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// What a sum takes unrounded: the function that adds it, and the arguments.
fn term(graph: &Graph, root: Id) -> Option<(u8, Vec<Id>)> {
    let Node::Of(operation, [a, b, _]) = graph.node(root) else {
        return None;
    };
    match operation {
        Operation::Root => Some((number("add_root"), vec![a])),
        Operation::Reciprocal => Some((number("add_reciprocal"), vec![a])),
        Operation::Over => Some((number("add_quotient"), vec![a, b])),
        _ => None,
    }
}

/// What sums of the formula are multiplied by.
pub(super) fn scale<R: Number>(graph: &Graph, root: Id) -> R {
    match graph.node(root) {
        Node::Of(Operation::Root, _) => R::ROOT_SCALE,
        _ => R::from_f64(1.0),
    }
}

/// The formula, left in the register `into`; in kind `R`.
pub(super) fn value<R: Number>(graph: &Graph, root: Id, bodies: &Bodies, into: &str) -> String {
    let mut text = Text::<R>::new(graph, &[root], bodies);
    let value = text.operand(root);
    text.line(&format!("mov.{} {into}, {value};", R::PTX));
    text.scope()
}

/// The register `before` and the formula over its scale, left in the register `into`.
pub(super) fn sum<R: Number>(graph: &Graph, root: Id, bodies: &Bodies, into: &str) -> String {
    let Some((function, arguments)) = term(graph, root) else {
        let mut text = Text::<R>::new(graph, &[root], bodies);
        let value = text.operand(root);
        text.line(&format!("add.rn.{} {into}, before, {value};", R::PTX));
        return text.scope();
    };
    let mut text = Text::<R>::new(graph, &arguments, bodies);
    let mut given: Vec<String> = arguments.iter().map(|&id| text.operand(id)).collect();
    given.push("before".to_owned());
    text.call(function, &given, into);
    text.scope()
}

/// Lines of PTX that compute nodes.
struct Text<'a, R> {
    graph: &'a Graph,
    bodies: &'a Bodies,
    lines: String,
    most: Id,
    kind: std::marker::PhantomData<R>,
}

impl<'a, R: Number> Text<'a, R> {
    /// Of all that these nodes need.
    fn new(graph: &'a Graph, roots: &[Id], bodies: &'a Bodies) -> Self {
        let most = roots.iter().copied().max().unwrap_or_default();
        let mut text = Self {
            graph,
            bodies,
            lines: String::new(),
            most,
            kind: std::marker::PhantomData,
        };
        let mut needed: Vec<Id> = roots.iter().flat_map(|&root| graph.reached(root)).collect();
        needed.sort_unstable();
        needed.dedup();
        for id in needed {
            if let Node::Of(operation, ids) = graph.node(id) {
                text.operation(id, operation, ids);
            }
        }
        text
    }

    fn line(&mut self, line: &str) {
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    /// All lines, in a scope of their own.
    fn scope(self) -> String {
        let count = self.most + 1;
        let (lines, ty) = (self.lines, R::PTX);
        format!("{{\n.reg .{ty} v<{count}>;\n.reg .pred q<{count}>;\n{lines}}}\n")
    }

    fn is_comparison(&self, id: Id) -> bool {
        use Operation::{AtMost, Equal, Less, Unequal};
        matches!(
            self.graph.node(id),
            Node::Of(Less | AtMost | Equal | Unequal, _)
        )
    }

    fn operand(&self, id: Id) -> String {
        match self.graph.node(id) {
            Node::Constant(constant) => R::of(constant).literal(),
            Node::Variable(Variable::X) => "x".to_owned(),
            Node::Variable(Variable::FromLower) => "from_lower".to_owned(),
            Node::Variable(Variable::ToUpper) => "to_upper".to_owned(),
            Node::Variable(Variable::Axis(k)) => format!("x{k}"),
            Node::Parameter(index) => format!("p{index}"),
            Node::Of(..) => format!("v{id}"),
        }
    }

    fn operation(&mut self, id: Id, operation: Operation, ids: [Id; 3]) {
        let [a, b, c] = ids.map(|id| self.operand(id));
        let (ty, into) = (R::PTX, format!("v{id}"));
        let compared = |by: &str| {
            let [one, zero] = [1.0, 0.0].map(|value| R::from_f64(value).literal());
            format!("setp.{by}.{ty} q{id}, {a}, {b};\nselp.{ty} {into}, {one}, {zero}, q{id};")
        };
        let rounded = |how: &str| format!("cvt.{how}.{ty}.{ty} {into}, {a};");
        let line = match operation {
            Operation::Negate => format!("neg.{ty} {into}, {a};"),
            Operation::Add => format!("add.rn.{ty} {into}, {a}, {b};"),
            Operation::Subtract => format!("sub.rn.{ty} {into}, {a}, {b};"),
            Operation::Multiply => format!("mul.rn.{ty} {into}, {a}, {b};"),
            Operation::Divide if self.graph.is(ids[0], 1.0) => format!("rcp.rn.{ty} {into}, {b};"),
            Operation::Divide | Operation::Over => format!("div.rn.{ty} {into}, {a}, {b};"),
            Operation::Reciprocal => format!("rcp.rn.{ty} {into}, {a};"),
            Operation::Fused => format!("fma.rn.{ty} {into}, {a}, {b}, {c};"),
            Operation::Magnitude => format!("abs.{ty} {into}, {a};"),
            Operation::SquareRoot | Operation::Root => format!("sqrt.rn.{ty} {into}, {a};"),
            Operation::Floor => rounded("rmi"),
            Operation::Ceiling => rounded("rpi"),
            Operation::Truncate => rounded("rzi"),
            Operation::ToEven => rounded("rni"),
            // The sign comes first.
            Operation::CopySign => format!("copysign.{ty} {into}, {b}, {a};"),
            Operation::Least => format!("min.{ty} {into}, {a}, {b};"),
            Operation::Greatest => format!("max.{ty} {into}, {a}, {b};"),
            Operation::Less => compared("lt"),
            Operation::AtMost => compared("le"),
            Operation::Equal => compared("eq"),
            Operation::Unequal => compared("neu"),
            Operation::Choose if self.is_comparison(ids[0]) => {
                format!("selp.{ty} {into}, {b}, {c}, q{};", ids[0])
            }
            Operation::Choose => {
                let zero = R::ZERO.literal();
                format!("setp.neu.{ty} q{id}, {a}, {zero};\nselp.{ty} {into}, {b}, {c}, q{id};")
            }
            Operation::Call(number) => {
                let (_, count) = FUNCTIONS[usize::from(number)];
                return self.call(number, &[a, b, c][..count], &into);
            }
        };
        self.line(&line);
    }

    fn call(&mut self, number: u8, arguments: &[String], into: &str) {
        let (ty, body) = (R::PTX, &self.bodies[&number]);
        let mut scope = format!("{{\n.reg .{ty} a0, a1, a2, r;\n");
        for (k, argument) in arguments.iter().enumerate() {
            let _ = writeln!(scope, "mov.{ty} a{k}, {argument};");
        }
        let _ = writeln!(scope, "{body}\nmov.{ty} {into}, r;\n}}");
        self.lines.push_str(&scope);
    }
}
