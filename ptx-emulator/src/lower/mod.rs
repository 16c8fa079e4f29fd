//! The syntax tree to code: names to slots, labels to indices, text to `Op`s.
//!
//! `scope` knows names, `decoder` is what instruction groups decode with,
//! `declare` enters declarations, `layout` places variables, `flow` and `dominators` find
//! where divergent paths meet, `contract` makes `fma` of products and sums, `instruction` asks
//! the groups. `builder` is what grows on the way, `code` what comes of it, `uses` what
//! instructions do with registers, which `registers` finds out.

mod builder;
mod code;
mod contract;
mod declare;
mod decoder;
mod dominators;
mod flow;
mod fused;
mod instruction;
pub(crate) mod layout;
mod registers;
mod scope;
mod target;
mod uses;

pub(crate) use builder::Builder;
pub(crate) use code::{
    Code, Formal, Function, Origin, Placed, Relocation, Sizes, SourceText, Symbol,
};
pub(crate) use decoder::{Decoded, Decoder, Reason};
pub(crate) use fused::{FTZ, Fused, NEGATE_PRODUCT, NEGATE_TERM, SATURATE};
pub(crate) use layout::SharedLayout;
pub(crate) use scope::{Entity, LOCAL};
pub use target::LoadOptions;
pub(crate) use target::{Group, InstructionSet};
pub(crate) use uses::{Flow, Term, Uses};

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use ptx_syntax::{
    Block, Function as Declared, Item, Kind, Linkage, Module, Position, Span, Variable,
};

use crate::error::{LoadError, Refusal};
use crate::ir::{Guard, Instruction, Op, Operands};
use crate::observe::Class;
use scope::Scopes;

/// What a label stands for until all code is laid out.
pub(crate) type LabelId = u32;

/// Lowers modules, linked: the names with a linkage are of all of them.
///
/// # Errors
///
/// The first name or instruction that cannot be resolved or decoded, and in which module.
pub(crate) fn lower(
    modules: &[(Module<'_>, &str)],
    options: &LoadOptions,
    set: &InstructionSet,
) -> Result<Code, (usize, LoadError)> {
    let mut builder = Builder::new(options.contract);
    let sources = fill(&mut builder, modules, set)?;
    Ok(Code {
        instructions: builder.instructions,
        origins: builder.origins,
        functions: builder.functions,
        variables: builder.variables,
        pool: builder.pool,
        relocations: builder.relocations,
        sources,
        uses: OnceLock::new(),
    })
}

/// What each instruction of modules that can be lowered does with registers.
pub(crate) fn uses(modules: &[(Module<'_>, &str)], set: &InstructionSet) -> Vec<Uses> {
    let mut builder = Builder::new(false);
    builder.uses = Some(Vec::new());
    // They were lowered before, to code.
    let _ = fill(&mut builder, modules, set);
    builder.uses.unwrap_or_default()
}

/// Lowers modules; their texts.
fn fill<'a>(
    builder: &mut Builder<'a>,
    modules: &[(Module<'_>, &'a str)],
    set: &InstructionSet,
) -> Result<Vec<SourceText>, (usize, LoadError)> {
    let mut linked: HashMap<String, Symbol> = HashMap::new();
    let mut defined = HashSet::new();
    let mut names = Vec::new();
    for (index, (module, text)) in modules.iter().enumerate() {
        // A module sees of the others what it declares with a linkage itself.
        let known = |name: &str| Some((name.to_owned(), *linked.get(name)?));
        let seen = linked_names(module).filter_map(known).collect();
        builder.enter(index, module, text, seen);
        let declared = declare_names(builder, module)
            .and_then(|()| define_once(builder, module, &mut defined));
        declared.map_err(|error| (index, error))?;
        let own = linked_names(module);
        linked.extend(own.filter_map(|name| Some((name.to_owned(), *builder.module.get(name)?))));
        names.push(std::mem::take(&mut builder.module));
    }
    let mut sources = Vec::new();
    for ((index, (module, text)), names) in modules.iter().enumerate().zip(names) {
        builder.enter(index, module, text, names);
        define(builder, module, set).map_err(|error| (index, error))?;
        sources.push(SourceText {
            text: (*text).to_owned(),
            locations: std::mem::take(&mut builder.locations),
        });
    }
    Ok(sources)
}

/// The names of module scope that other modules see.
fn linked_names<'m>(module: &'m Module<'_>) -> impl Iterator<Item = &'m str> {
    let functions = module.functions().map(|of| (of.linkage, of.name));
    let variables = module.variables().map(|of| (of.linkage, of.name));
    let all = functions.chain(variables);
    all.filter_map(|(linkage, name)| linkage.map(|_| name))
}

/// Refuses a variable that is `.visible` here and in a module before.
fn define_once<'m>(
    builder: &Builder<'_>,
    module: &Module<'m>,
    defined: &mut HashSet<&'m str>,
) -> Result<(), LoadError> {
    let visible = |of: &&Variable<'_>| of.linkage == Some(Linkage::Visible);
    match module
        .variables()
        .filter(visible)
        .find(|of| !defined.insert(of.name))
    {
        Some(twice) => builder.refuse_variable(twice, "this name exists already"),
        None => Ok(()),
    }
}

/// What `lower` refuses, not only the first: every instruction, up to `most`
/// of them, or the name or declaration that nothing can go on behind.
pub(crate) fn refusals(
    module: &Module<'_>,
    text: &str,
    most: usize,
    set: &InstructionSet,
) -> Vec<Refusal> {
    let mut builder = Builder::new(false);
    builder.enter(0, module, text, HashMap::new());
    builder.refused = Some((Vec::new(), most));
    let end = declare_names(&mut builder, module).and_then(|()| define(&mut builder, module, set));
    let (mut refused, _) = builder.refused.unwrap_or_default();
    if let Err(LoadError::Refused(refusal)) = end {
        refused.push(*refusal);
    }
    refused.truncate(most);
    refused
}

/// Names first, because bodies and initialisers may use later ones.
fn declare_names(builder: &mut Builder<'_>, module: &Module<'_>) -> Result<(), LoadError> {
    if module.address_size != 64 {
        return builder.refuse(
            Position { line: 1, column: 1 },
            ".address_size 32",
            "only 64-bit addresses are supported",
        );
    }
    for item in &module.items {
        if let Item::Alias { span, .. } = item {
            return builder.refuse(
                span.position,
                span.of(builder.text),
                "`.alias` is not supported",
            );
        }
    }
    for function in module.functions() {
        declare::function(builder, function)?;
    }
    for variable in module.variables() {
        layout::declare_variable(builder, variable)?;
    }
    Ok(())
}

fn define(
    builder: &mut Builder<'_>,
    module: &Module<'_>,
    set: &InstructionSet,
) -> Result<(), LoadError> {
    layout::fill_initialisers(builder, module)?;
    for function in module.functions() {
        if let Some(body) = &function.body {
            lower_function(builder, function, body, set)?;
        }
    }
    Ok(())
}

fn lower_function(
    builder: &mut Builder<'_>,
    function: &Declared<'_>,
    body: &Block<'_>,
    set: &InstructionSet,
) -> Result<(), LoadError> {
    let Some(&Symbol::Function(index)) = builder.module.get(function.name) else {
        return builder.refuse(
            function.position(),
            function.name,
            "a function that was not declared",
        );
    };
    // A `.weak` one that another module's definition stands for has no code.
    if builder.functions[index as usize].source != builder.source {
        return Ok(());
    }
    builder.function = index;
    builder.location = None;
    builder.locations.begin_function();
    let first = builder.here();
    builder.epilogue = builder.new_label();
    let mut scopes = Scopes::new(builder.functions[index as usize].sizes);
    declare::formals(builder, &mut scopes, function)?;
    builder.steps = (builder.contract && contract::has_products(body)).then(Vec::new);
    lower_block(builder, &mut scopes, body, set)?;
    builder.labels[builder.epilogue as usize] = Some(builder.here());
    let last = if function.entry { Op::Exit } else { Op::Return };
    let instruction = Instruction {
        op: last,
        operands: Operands::default(),
        guard: Guard(None),
        class: Class::Control,
    };
    let step = contract::Step::returning(&builder.functions[index as usize].returns);
    let span = Span {
        position: function.position(),
        ..Span::default()
    };
    builder.emit(span, instruction, step);
    if let Some(all) = &mut builder.uses {
        all.push(Uses::default());
    }
    let end = builder.here();
    resolve_labels(builder, first);
    let mut sizes = scopes.sizes();
    let code = &mut builder.instructions[first as usize..];
    if let Some(steps) = &builder.steps {
        contract::contract(&set.fused, code, first, steps, &mut sizes);
    }
    flow::set_reconvergence(code, first);
    let entry = &mut builder.functions[index as usize];
    entry.code = (first, end);
    entry.sizes = sizes;
    Ok(())
}

/// Branch targets are label numbers until here.
fn resolve_labels(builder: &mut Builder<'_>, first: u32) {
    let labels = &builder.labels;
    // Every label that a decoder hands out has a place: `lower_block` sets
    // those of its scope, the epilogue is set above.
    let place = |label: u32| labels[label as usize].unwrap_or(NEVER_PLACED);
    for instruction in &mut builder.instructions[first as usize..] {
        match &mut instruction.op {
            Op::Branch { target, .. } => *target = place(*target),
            Op::BranchIndexed { targets, .. } => {
                for target in targets.iter_mut() {
                    *target = place(*target);
                }
            }
            _ => {}
        }
    }
}

const NEVER_PLACED: u32 = u32::MAX;

fn lower_block(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    block: &Block<'_>,
    set: &InstructionSet,
) -> Result<(), LoadError> {
    scopes.enter();
    for statement in &block.statements {
        let (name, entity) = match &statement.kind {
            Kind::Label(name) => (name, Entity::Label(builder.new_label())),
            Kind::BranchTargets(name, targets) => {
                let targets = targets.iter().map(|&target| target.to_owned());
                (name, Entity::Targets(targets.collect()))
            }
            Kind::CallTargets(name, _) | Kind::CallPrototype(name, _) => (name, Entity::Prototype),
            _ => continue,
        };
        if !scopes.declare(name, entity) {
            let reason = "this label exists already in this scope";
            return builder.refuse(statement.span.position, name, reason);
        }
    }
    for statement in &block.statements {
        match &statement.kind {
            Kind::Block(inner) => lower_block(builder, scopes, inner, set)?,
            Kind::Variables(variables) => {
                for variable in variables {
                    declare::local(builder, scopes, variable)?;
                }
            }
            Kind::Label(name) => {
                if let Some(Entity::Label(label)) = scopes.find(name) {
                    let here = builder.here();
                    builder.labels[*label as usize] = Some(here);
                }
            }
            Kind::Location(location) => {
                builder.location = Some(builder.locations.enter(location));
            }
            Kind::Instruction(instruction) => {
                let lowered = instruction::lower(builder, scopes, instruction, set);
                match (lowered, &mut builder.refused) {
                    (Err(LoadError::Refused(refusal)), Some((all, most))) if all.len() < *most => {
                        all.push(*refusal);
                    }
                    (lowered, _) => lowered?,
                }
            }
            Kind::Pragma(_)
            | Kind::BranchTargets(..)
            | Kind::CallPrototype(..)
            | Kind::CallTargets(..) => {}
        }
    }
    scopes.leave();
    Ok(())
}
