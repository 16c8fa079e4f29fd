//! The syntax tree to code: names to slots, labels to indices, text to `Op`s.
//!
//! `scope` knows names, `decoder` is what instruction groups decode with,
//! `layout` places variables, `flow` and `dominators` find where divergent
//! paths meet, `contract` makes `fma` of products and sums, `instruction` asks the groups, `source` knows the lines of the
//! source.

mod contract;
pub(crate) mod decoder;
mod dominators;
pub(crate) mod flow;
mod instruction;
pub(crate) mod layout;
pub(crate) mod scope;
pub(crate) mod source;
pub(crate) mod target;

use std::collections::{HashMap, HashSet};

use crate::ast::{self, Position, Space, Statement};
use crate::error::{LoadError, Refusal};
use crate::ir::{Guard, Instruction, Op, Operands, Pool, Row, Source};
use crate::observe::Class;
use layout::Placed;
use scope::{Entity, Scopes};
use source::Sources;
use target::{InstructionSet, LoadOptions};

/// Rows and bytes that one call of a function needs.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) w32: u32,
    pub(crate) w64: u32,
    pub(crate) predicates: u32,
    /// Bytes of local memory a lane.
    pub(crate) local: u32,
}

/// A parameter: offset and size in bytes, in the parameter bank of an entry
/// or in the frame of a function.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Formal {
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) entry: bool,
    pub(crate) defined: bool,
    /// First instruction, and one past the last.
    pub(crate) code: (u32, u32),
    pub(crate) parameters: Vec<Formal>,
    pub(crate) returns: Vec<Formal>,
    pub(crate) sizes: Sizes,
    pub(crate) directives: Vec<(String, Vec<u32>)>,
    /// Shared variables that the body names.
    pub(crate) shared: Vec<u32>,
    /// Functions that it calls; `indirect` when it calls any other way.
    pub(crate) calls: Vec<u32>,
    pub(crate) indirect: bool,
}

/// Where an instruction comes from.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Origin {
    pub(crate) position: Position,
    /// Bytes of the text.
    pub(crate) text: (u32, u32),
    /// A position of `Sources`.
    pub(crate) location: Option<u32>,
    pub(crate) function: u32,
}

/// A row of the pool that holds an address, known when a kernel is launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub(crate) wide: bool,
    pub(crate) row: u32,
    pub(crate) symbol: Symbol,
    pub(crate) offset: i64,
    pub(crate) generic: bool,
}

/// A name of module scope.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Symbol {
    Variable(u32),
    Function(u32),
}

/// A whole program, ready to be placed in a GPU's memory and run.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) functions: Vec<Function>,
    pub(crate) variables: Vec<Placed>,
    pub(crate) pool: Pool,
    pub(crate) relocations: Vec<Relocation>,
    pub(crate) sources: Sources,
    pub(crate) text: String,
}

/// What a label stands for until all code is laid out.
pub(crate) type LabelId = u32;

/// Everything that grows while a module is lowered.
pub(crate) struct Builder<'a> {
    set: &'static InstructionSet,
    pub(crate) text: &'a str,
    pub(crate) module: HashMap<String, Symbol>,
    pub(crate) functions: Vec<Function>,
    pub(crate) variables: Vec<Placed>,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) pool: Pool,
    pool32: HashMap<u32, u32>,
    pool64: HashMap<u64, u32>,
    symbols: HashMap<(Symbol, i64, bool, bool), u32>,
    /// Which function names which symbol.
    used: HashSet<(u32, Symbol)>,
    /// Targets of all `brx` so far.
    indexed_targets: usize,
    pub(crate) relocations: Vec<Relocation>,
    /// Index of the instruction behind each label.
    labels: Vec<Option<u32>>,
    sources: Sources,
    location: Option<u32>,
    pub(crate) function: u32,
    /// The label of the one place where the current function returns.
    pub(crate) epilogue: LabelId,
    /// Refused instructions, when they are all wanted and not the first.
    /// And how many.
    refused: Option<(Vec<Refusal>, usize)>,
    contract: bool,
    /// Of the current function, one for each instruction, when it is to be
    /// contracted.
    steps: Option<Vec<contract::Step>>,
}

impl Builder<'_> {
    pub(crate) fn immediate32(&mut self, bits: u32) -> Source {
        let pool = &mut self.pool.w32;
        let index = *self.pool32.entry(bits).or_insert_with(|| {
            pool.push(Row([bits; 32]));
            pool.len() as u32 - 1
        });
        Source::pool(index)
    }

    pub(crate) fn immediate64(&mut self, bits: u64) -> Source {
        let pool = &mut self.pool.w64;
        let index = *self.pool64.entry(bits).or_insert_with(|| {
            pool.push(Row([bits; 32]));
            pool.len() as u32 - 1
        });
        Source::pool(index)
    }

    /// A row that will hold the address of `symbol`.
    pub(crate) fn address_of(
        &mut self,
        symbol: Symbol,
        offset: i64,
        wide: bool,
        generic: bool,
    ) -> Source {
        self.note_use(symbol);
        if let Some(&row) = self.symbols.get(&(symbol, offset, wide, generic)) {
            return Source::pool(row);
        }
        let row = if wide {
            self.pool.w64.push(Row::default());
            self.pool.w64.len() as u32 - 1
        } else {
            self.pool.w32.push(Row::default());
            self.pool.w32.len() as u32 - 1
        };
        self.symbols.insert((symbol, offset, wide, generic), row);
        self.relocations.push(Relocation {
            wide,
            row,
            symbol,
            offset,
            generic,
        });
        Source::pool(row)
    }

    /// Notes that the current function names a symbol.
    fn note_use(&mut self, symbol: Symbol) {
        if !self.used.insert((self.function, symbol)) {
            return;
        }
        let function = &mut self.functions[self.function as usize];
        match symbol {
            Symbol::Variable(index) if self.variables[index as usize].space == Space::Shared => {
                function.shared.push(index);
            }
            Symbol::Function(index) => function.calls.push(index),
            Symbol::Variable(_) => {}
        }
    }

    pub(crate) fn new_label(&mut self) -> LabelId {
        self.labels.push(None);
        self.labels.len() as u32 - 1
    }

    fn here(&self) -> u32 {
        self.instructions.len() as u32
    }

    /// An error about a place in the text.
    pub(crate) fn refuse<T>(
        &self,
        position: Position,
        text: &str,
        reason: impl Into<String>,
    ) -> Result<T, LoadError> {
        Err(LoadError::Refused(Box::new(Refusal {
            position,
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            function: self
                .functions
                .get(self.function as usize)
                .map(|f| f.name.clone())
                .unwrap_or_default(),
            source_line: self
                .location
                .and_then(|location| self.sources.innermost(location)),
            reason: reason.into(),
        })))
    }

    fn emit(
        &mut self,
        position: Position,
        text: (usize, usize),
        instruction: Instruction,
        step: contract::Step,
    ) {
        self.instructions.push(instruction);
        if let Some(steps) = &mut self.steps {
            steps.push(step);
        }
        self.origins.push(Origin {
            position,
            text: (text.0 as u32, text.1 as u32),
            location: self.location,
            function: self.function,
        });
    }
}

/// Lowers a whole module.
///
/// # Errors
///
/// The first name or instruction that cannot be resolved or decoded.
pub(crate) fn lower(
    module: &ast::Module,
    text: &str,
    options: &LoadOptions,
    set: &'static InstructionSet,
) -> Result<Code, LoadError> {
    let mut builder = builder(module, text, set);
    builder.contract = options.contract;
    lower_module(&mut builder, module)?;
    Ok(Code {
        instructions: builder.instructions,
        origins: builder.origins,
        functions: builder.functions,
        variables: builder.variables,
        pool: builder.pool,
        relocations: builder.relocations,
        sources: builder.sources,
        text: text.to_owned(),
    })
}

/// What `lower` refuses, not only the first: every instruction, up to `most`
/// of them, or the name or declaration that nothing can go on behind.
pub(crate) fn refusals(
    module: &ast::Module,
    text: &str,
    most: usize,
    set: &'static InstructionSet,
) -> Vec<Refusal> {
    let mut builder = builder(module, text, set);
    builder.refused = Some((Vec::new(), most));
    let end = lower_module(&mut builder, module);
    let (mut refused, _) = builder.refused.unwrap_or_default();
    if let Err(LoadError::Refused(refusal)) = end {
        refused.push(*refusal);
    }
    refused.truncate(most);
    refused
}

fn builder<'a>(module: &ast::Module, text: &'a str, set: &'static InstructionSet) -> Builder<'a> {
    Builder {
        set,
        text,
        module: HashMap::new(),
        functions: Vec::new(),
        variables: Vec::new(),
        instructions: Vec::new(),
        origins: Vec::new(),
        pool: Pool::default(),
        pool32: HashMap::new(),
        pool64: HashMap::new(),
        symbols: HashMap::new(),
        used: HashSet::new(),
        indexed_targets: 0,
        relocations: Vec::new(),
        labels: Vec::new(),
        sources: Sources::new(
            module
                .files
                .iter()
                .map(|file| (file.index, file.path.clone()))
                .collect(),
            &module.calls,
        ),
        location: None,
        function: u32::MAX,
        epilogue: 0,
        refused: None,
        contract: false,
        steps: None,
    }
}

fn lower_module(builder: &mut Builder<'_>, module: &ast::Module) -> Result<(), LoadError> {
    if module.address_size != 64 {
        return builder.refuse(
            Position { line: 1, column: 1 },
            ".address_size 32",
            "only 64-bit addresses are supported",
        );
    }
    // Names first, because bodies and initialisers may use later ones.
    for function in &module.functions {
        scope::declare_function(builder, function)?;
    }
    for variable in &module.variables {
        layout::declare_variable(builder, variable)?;
    }
    layout::fill_initialisers(builder, &module.variables)?;
    for function in &module.functions {
        if let Some(body) = &function.body {
            lower_function(builder, function, body)?;
        }
    }
    Ok(())
}

fn lower_function(
    builder: &mut Builder<'_>,
    function: &ast::Function,
    body: &[Statement],
) -> Result<(), LoadError> {
    let Some(&Symbol::Function(index)) = builder.module.get(&function.name) else {
        return builder.refuse(
            function.position,
            &function.name,
            "a function that was not declared",
        );
    };
    builder.function = index;
    builder.location = None;
    builder.sources.begin_function();
    let first = builder.here();
    builder.epilogue = builder.new_label();
    // Slot 0 of each file is the sink.
    let mut scopes = Scopes::new(Sizes {
        w32: 1,
        w64: 1,
        predicates: 1,
        local: 0,
    });
    scope::declare_formals(builder, &mut scopes, function)?;
    builder.steps = (builder.contract && contract::has_products(body)).then(Vec::new);
    lower_block(builder, &mut scopes, body)?;
    builder.labels[builder.epilogue as usize] = Some(builder.here());
    let last = if function.entry { Op::Exit } else { Op::Return };
    let instruction = Instruction {
        op: last,
        operands: Operands::default(),
        guard: Guard(None),
        class: Class::Control,
    };
    let step = contract::Step::default();
    builder.emit(function.position, (0, 0), instruction, step);
    let end = builder.here();
    resolve_labels(builder, first);
    let mut sizes = scopes.sizes();
    let code = &mut builder.instructions[first as usize..];
    if let Some(steps) = &builder.steps {
        contract::contract(builder.set, code, first, steps, &mut sizes);
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
    block: &[Statement],
) -> Result<(), LoadError> {
    scopes.enter();
    for statement in block {
        let (position, name, entity) = match statement {
            Statement::Label(position, name) => {
                (*position, name, Entity::Label(builder.new_label()))
            }
            Statement::BranchTargets(position, name, targets) => {
                (*position, name, Entity::Targets(targets.clone()))
            }
            Statement::CallTargets(position, name, _) => (*position, name, Entity::Prototype),
            Statement::CallPrototype(position, name, _) => (*position, name, Entity::Prototype),
            _ => continue,
        };
        if !scopes.declare(name, entity) {
            return builder.refuse(position, name, "this label exists already in this scope");
        }
    }
    for statement in block {
        match statement {
            Statement::Block(inner) => lower_block(builder, scopes, inner)?,
            Statement::Declaration(variable) => scope::declare_local(builder, scopes, variable)?,
            Statement::Label(_, name) => {
                if let Some(Entity::Label(label)) = scopes.find(name) {
                    let here = builder.here();
                    builder.labels[*label as usize] = Some(here);
                }
            }
            Statement::Location(location) => {
                builder.location = Some(builder.sources.enter(location));
            }
            Statement::Instruction(instruction) => {
                let lowered = instruction::lower(builder, scopes, instruction);
                match (lowered, &mut builder.refused) {
                    (Err(LoadError::Refused(refusal)), Some((all, most))) if all.len() < *most => {
                        all.push(*refusal);
                    }
                    (lowered, _) => lowered?,
                }
            }
            Statement::BranchTargets(..)
            | Statement::CallPrototype(..)
            | Statement::CallTargets(..) => {}
        }
    }
    scopes.leave();
    Ok(())
}
