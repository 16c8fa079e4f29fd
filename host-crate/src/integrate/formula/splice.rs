//! Puts a formula into a kernel whose integrand is a hole.
//!
//! The result has the one kernel, what it names at module scope, and nothing else: the driver's
//! compiler and the emulator are given the same text.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use ptx_syntax::{Block, Function, Instruction, Item, Kind, Module, Operand, Space, Statement};
use quadscan_kernels::integrate::formula::FUNCTIONS;

use super::Formula;
use super::code::{self, Bodies};
use super::number::Number;
use crate::{Error, Result};

/// How the name of a function or of a hole begins.
const FUNCTION: &str = "__formula__";
const HOLE: &str = "formula_";

/// What fills the holes of a kernel in one kind of numbers.
#[derive(Debug)]
pub(super) struct Fillings {
    at: String,
    sum: String,
    /// The same, where the formula is short.
    row: Option<String>,
    scale: String,
    count: usize,
    dimensions: usize,
    uses_distances: bool,
}

/// The text of a module with the kernel `entry` of the PTX `template`, or with all where none is
/// named, for the formula, whose elementary functions the PTX `functions` has.
pub(super) fn module<R: Number>(
    template: &str,
    functions: &str,
    entry: Option<&str>,
    of: &Formula,
) -> Result<String> {
    let parsed = |text| {
        let tree = ptx_syntax::parse(text);
        tree.map_err(|error| damaged(entry.unwrap_or("a formula's kernels"), &error.to_string()))
    };
    let tree = parsed(template)?;
    let functions = (!std::ptr::eq(template, functions)).then(|| apart(&tree, functions));
    let others = functions.as_deref().map(parsed).transpose()?;
    let fillings = fillings::<R>(others.as_ref().unwrap_or(&tree), of)?;
    let mut kernels = String::new();
    let is_asked = |kernel: &&Function<'_>| entry.is_none_or(|entry| kernel.name == entry);
    for kernel in tree.entries().filter(is_asked) {
        let _ = writeln!(kernels, "{}", head(kernel));
        if let Some(block) = &kernel.body {
            write_block(&mut kernels, block, &mut |text, block| {
                fill(text, block, &fillings)
            });
        }
    }
    if let Some(entry) = entry.filter(|_| kernels.is_empty()) {
        return Err(Error::unknown_kernel(entry));
    }
    let mut names = BTreeSet::new();
    words(&kernels, &mut names);
    let trees: Vec<&Module<'_>> = [&tree].into_iter().chain(&others).collect();
    let callees = callees(&trees, &mut names);
    let (major, minor) = tree.version;
    let target = tree.target.join(", ");
    let mut text = format!(
        ".version {major}.{minor}\n.target {target}\n.address_size {}\n",
        tree.address_size
    );
    let mut written = BTreeMap::new();
    for item in trees.iter().flat_map(|tree| &tree.items) {
        let Item::Variables(variables) = item else {
            continue;
        };
        let mut known = variables.iter().map(|variable| variable.name);
        let Some(name) = known.find(|name| names.contains(name)) else {
            continue;
        };
        match written.insert(name, item) {
            None => {
                let _ = writeln!(text, "{item}");
            }
            // Both trees may have it; numbers at the ends of names are of one tree alone.
            Some(other) if other.to_string() == item.to_string() => {}
            Some(_) => return Err(damaged(name, "two modules have it, and it is not the same")),
        }
    }
    let _ = write!(text, "{callees}{kernels}");
    Ok(text)
}

/// The PTX of the elementary functions, in which no function has the name of one beside the kernels:
/// what is called the same need not have the same parameters, since the compiler leaves out those that
/// one module does not need.
fn apart<'t>(kernels: &Module<'_>, functions: &'t str) -> Cow<'t, str> {
    let mut text = Cow::Borrowed(functions);
    for function in kernels.functions().filter(|function| !function.entry) {
        if text.contains(function.name) {
            text = Cow::Owned(text.replace(function.name, &format!("other_{}", function.name)));
        }
    }
    text
}

/// A function's lines before its body.
fn head(function: &Function<'_>) -> String {
    let head = Function {
        body: None,
        ..function.clone()
    };
    let head = head.to_string();
    let head = head.trim_end_matches(|c: char| c == ';' || c.is_whitespace());
    head.to_owned()
}

/// The text of the device functions that these names call, directly or not, in the order of the
/// trees. What they name joins the names.
fn callees<'t>(trees: &[&Module<'t>], names: &mut BTreeSet<&'t str>) -> String {
    let functions = || {
        let all = trees.iter().flat_map(|tree| tree.functions());
        all.filter(|function| !function.entry)
    };
    let mut known = 0;
    while known < names.len() {
        known = names.len();
        for function in functions() {
            if names.contains(function.name) {
                names.extend(function.instructions().flat_map(Instruction::names));
            }
        }
    }
    let (mut text, mut written) = (String::new(), BTreeSet::new());
    for function in functions() {
        // What is declared before it is defined is there twice.
        let this = (function.name, function.body.is_some());
        if !names.contains(function.name) || !written.insert(this) {
            continue;
        }
        text.push_str(&head(function));
        match &function.body {
            Some(block) => write_block(&mut text, block, &mut |_, _| false),
            None => text.push_str(";\n"),
        }
    }
    text
}

/// How many instructions of each kind compute a formula; moves between registers are none.
pub(super) fn instructions<R: Number>(
    template: &str,
    of: &Formula,
) -> Result<BTreeMap<String, usize>> {
    let tree =
        ptx_syntax::parse(template).map_err(|error| damaged("the PTX", &error.to_string()))?;
    let value = fillings::<R>(&tree, of)?.at;
    let text = format!(".version 8.0\n.target sm_75\n.address_size 64\n.func formula()\n{value}");
    let tree = ptx_syntax::parse(&text).map_err(|error| damaged("formula", &error.to_string()))?;
    let mut counts = BTreeMap::new();
    let all = tree.functions().flat_map(Function::instructions);
    for instruction in all.filter(|instruction| instruction.opcode != "mov") {
        *counts.entry(instruction.name()).or_default() += 1;
    }
    Ok(counts)
}

/// The words that a text names.
fn words<'t>(text: &'t str, names: &mut BTreeSet<&'t str>) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    names.extend(text.split(|c| !is_part(c)));
}

fn fillings<R: Number>(tree: &Module<'_>, of: &Formula) -> Result<Fillings> {
    let (graph, root) = (&of.graph, of.root);
    let mut bodies = Bodies::new();
    for number in code::called(graph, root) {
        let (name, _) = FUNCTIONS[usize::from(number)];
        let ending = format!("{FUNCTION}{}__{name}", R::PTX);
        let function = tree
            .functions()
            .find(|function| function.name.ends_with(&ending));
        let function = function.ok_or_else(|| damaged(&ending, "it is not there"))?;
        bodies.insert(number, body(function)?);
    }
    let sum = |hole: &str| code::sum::<R>(graph, root, &bodies, hole);
    Ok(Fillings {
        at: code::value::<R>(graph, root, &bodies, "formula_at"),
        sum: sum("formula_sum"),
        row: of.is_short().then(|| sum("formula_row")),
        scale: code::scale::<R>(graph, root).literal(),
        count: of.parameters.len(),
        dimensions: of.variables.len(),
        uses_distances: of.uses_distances(),
    })
}

/// The body of an elementary function, between registers.
fn body(function: &Function<'_>) -> Result<String> {
    let mut text = String::new();
    let Some(block) = &function.body else {
        return Err(damaged(function.name, "it has no body"));
    };
    // A call's arguments are of its own scope.
    let own = |space| !matches!(space, Space::Register | Space::Parameter);
    if function.variables().any(|variable| own(variable.space)) {
        return Err(damaged(function.name, "it is more than registers hold"));
    }
    let parameter = |name: &str| {
        let parameters = function.parameters.iter();
        parameters
            .clone()
            .position(|parameter| parameter.name == name)
    };
    let moved = |text: &mut String, statement: &Statement<'_>| {
        let Kind::Instruction(instruction) = &statement.kind else {
            return false;
        };
        let ty = instruction.modifiers.last().copied().unwrap_or_default();
        let line = match (instruction.opcode, &instruction.operands[..]) {
            (
                "ld",
                [
                    Operand::Name(into),
                    Operand::Address {
                        base: Some(name), ..
                    },
                ],
            ) => {
                let Some(k) = parameter(name) else {
                    return false;
                };
                format!("mov.{ty} {into}, a{k};")
            }
            (
                "st",
                [
                    Operand::Address {
                        base: Some(name), ..
                    },
                    value,
                ],
            ) if function.returns.iter().any(|result| result.name == *name) => {
                format!("mov.{ty} r, {value};")
            }
            ("ret", _) => {
                let guard = instruction.guard.as_ref().map(|guard| format!("{guard} "));
                format!("{}bra $formula_end;", guard.unwrap_or_default())
            }
            _ => return false,
        };
        let _ = writeln!(text, "{line}");
        true
    };
    write_block(&mut text, block, &mut { moved });
    // The label stands in the function's own scope.
    let open = text.trim_end().trim_end_matches('}');
    Ok(format!("{open}$formula_end:\n}}"))
}

/// What a hole becomes, if the block is one.
fn fill(text: &mut String, statement: &Statement<'_>, with: &Fillings) -> bool {
    let Kind::Block(block) = &statement.kind else {
        return false;
    };
    let is_there = |statement: &&Statement<'_>| !matches!(statement.kind, Kind::Location(_));
    let first = block
        .statements
        .iter()
        .find(is_there)
        .map(Statement::variables);
    let Some([variable]) = first else {
        return false;
    };
    let hole = variable.name;
    if !hole.starts_with(HOLE) {
        return false;
    }
    let number = |value: u64| format!("mov.u32 {hole}, {value};\n");
    let filling = match hole {
        "formula_at" => Some(with.at.clone()),
        "formula_sum" => Some(with.sum.clone()),
        "formula_row" => with.row.clone(),
        "formula_scale" => None,
        "formula_count" => Some(number(with.count as u64)),
        "formula_dimensions" => Some(number(with.dimensions as u64)),
        "formula_is_short" => Some(number(with.row.is_some().into())),
        "formula_uses_distances" => Some(number(with.uses_distances.into())),
        _ => return false,
    };
    text.push_str("{\n");
    for statement in &block.statements {
        let makes = |instruction: &Instruction<'_>| matches!(instruction.operands.first(), Some(Operand::Name(name)) if *name == hole);
        match (statement.instruction(), &filling) {
            (_, _) if matches!(statement.kind, Kind::Location(_)) => {}
            (Some(instruction), Some(filling)) if makes(instruction) => text.push_str(filling),
            (Some(instruction), None) if makes(instruction) && hole == "formula_scale" => {
                let ty = instruction.modifiers.last().copied().unwrap_or_default();
                let _ = writeln!(text, "mov.{ty} {hole}, {};", with.scale);
            }
            _ => {
                let _ = writeln!(text, "{statement}");
            }
        }
    }
    text.push_str("}\n");
    true
}

/// A block without debug locations; `other` writes what is not to be as it is.
fn write_block(
    text: &mut String,
    block: &Block<'_>,
    other: &mut dyn FnMut(&mut String, &Statement<'_>) -> bool,
) {
    text.push_str("{\n");
    for statement in &block.statements {
        if other(text, statement) {
            continue;
        }
        match &statement.kind {
            Kind::Location(_) => {}
            // Other labels are those of debug locations.
            Kind::Label(name) if !name.starts_with("$L_") => {}
            Kind::Block(inner) => write_block(text, inner, other),
            _ => {
                let _ = writeln!(text, "{statement}");
            }
        }
    }
    text.push_str("}\n");
}

fn damaged(what: &str, reason: &str) -> Error {
    Error::CorruptArtifact {
        file: what.to_owned(),
        reason: reason.to_owned(),
    }
}
