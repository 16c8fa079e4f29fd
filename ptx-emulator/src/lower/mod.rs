//! The syntax tree to code: names to slots, labels to indices, text to `Op`s.
//!
//! `scope` knows names, `decoder` is what instruction groups decode with,
//! `layout` places variables, `flow` finds where divergent paths meet.

pub(crate) mod decoder;
pub(crate) mod flow;
pub(crate) mod layout;
pub(crate) mod scope;

use std::collections::HashMap;

use crate::ast::{self, Location, Position, Space, Statement};
use crate::error::{LoadError, Refusal};
use crate::exec;
use crate::ir::{Class, Guard, Instruction, Op, Operands, Pool, Row, Source, Target};
use decoder::Decoder;
use layout::Placed;
use scope::{Entity, Scopes};

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
    pub(crate) location: Option<Location>,
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
    pub(crate) files: HashMap<u32, String>,
    pub(crate) text: String,
}

impl Code {
    /// `file:line` of the innermost source location of an instruction.
    pub(crate) fn source(&self, pc: u32) -> Option<String> {
        let location = self.origins.get(pc as usize)?.location?;
        describe(&self.files, location)
    }

    /// The PTX text of an instruction, blanks squeezed.
    pub(crate) fn statement(&self, pc: u32) -> String {
        let Some(origin) = self.origins.get(pc as usize) else {
            return String::new();
        };
        let text = self
            .text
            .get(origin.text.0 as usize..origin.text.1 as usize)
            .unwrap_or("");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

fn describe(files: &HashMap<u32, String>, location: Location) -> Option<String> {
    let file = files.get(&location.file)?;
    (location.line > 0).then(|| format!("{file}:{}", location.line))
}

/// What a label stands for until all code is laid out.
pub(crate) type LabelId = u32;

/// Everything that grows while a module is lowered.
pub(crate) struct Builder<'a> {
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
    pub(crate) relocations: Vec<Relocation>,
    /// Index of the instruction behind each label.
    labels: Vec<Option<u32>>,
    files: HashMap<u32, String>,
    location: Option<Location>,
    pub(crate) function: u32,
    /// The label of the one place where the current function returns.
    pub(crate) epilogue: LabelId,
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
        // Each function on its own names what it needs, whoever named it first.
        let function = &mut self.functions[self.function as usize];
        match symbol {
            Symbol::Variable(index) if self.variables[index as usize].space == Space::Shared => {
                if !function.shared.contains(&index) {
                    function.shared.push(index);
                }
            }
            Symbol::Function(index) => function.calls.push(index),
            Symbol::Variable(_) => {}
        }
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
                .and_then(|location| describe(&self.files, location)),
            reason: reason.into(),
        })))
    }

    fn emit(&mut self, position: Position, text: (usize, usize), instruction: Instruction) {
        self.instructions.push(instruction);
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
pub(crate) fn lower(module: &ast::Module, text: &str) -> Result<Code, LoadError> {
    let mut builder = Builder {
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
        relocations: Vec::new(),
        labels: Vec::new(),
        files: module
            .files
            .iter()
            .map(|file| (file.index, file.path.clone()))
            .collect(),
        location: None,
        function: u32::MAX,
        epilogue: 0,
    };
    if module.address_size != 64 {
        return builder.refuse(
            Position { line: 1, column: 1 },
            ".address_size 32",
            "only 64-bit addresses are supported",
        );
    }
    // Names first, because bodies and initialisers may use later ones.
    for function in &module.functions {
        scope::declare_function(&mut builder, function)?;
    }
    for variable in &module.variables {
        layout::declare_variable(&mut builder, variable)?;
    }
    layout::fill_initialisers(&mut builder, &module.variables)?;
    for function in &module.functions {
        if let Some(body) = &function.body {
            lower_function(&mut builder, function, body)?;
        }
    }
    Ok(Code {
        instructions: builder.instructions,
        origins: builder.origins,
        functions: builder.functions,
        variables: builder.variables,
        pool: builder.pool,
        relocations: builder.relocations,
        files: builder.files,
        text: text.to_owned(),
    })
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
    lower_block(builder, &mut scopes, body)?;
    builder.labels[builder.epilogue as usize] = Some(builder.here());
    let last = if function.entry { Op::Exit } else { Op::Return };
    let instruction = Instruction {
        op: last,
        operands: Operands::default(),
        guard: Guard(None),
        class: Class::Control,
    };
    builder.emit(function.position, (0, 0), instruction);
    let end = builder.here();
    let sizes = scopes.sizes();
    let entry = &mut builder.functions[index as usize];
    entry.code = (first, end);
    entry.sizes = sizes;
    resolve_labels(builder, first);
    flow::set_reconvergence(&mut builder.instructions[first as usize..], first);
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
            Statement::Location(location) => builder.location = Some(*location),
            Statement::Instruction(instruction) => lower_instruction(builder, scopes, instruction)?,
            Statement::BranchTargets(..)
            | Statement::CallPrototype(..)
            | Statement::CallTargets(..) => {}
        }
    }
    scopes.leave();
    Ok(())
}

fn lower_instruction(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    instruction: &ast::Instruction,
) -> Result<(), LoadError> {
    let text = builder
        .text
        .get(instruction.text.0..instruction.text.1)
        .unwrap_or("")
        .to_owned();
    let guard = match &instruction.guard {
        None => Guard(None),
        Some(guard) => match scopes.find(&guard.register) {
            Some(Entity::Register {
                slot,
                ty: ast::Type::Predicate,
            }) => Guard(Some(Source::predicate(*slot, guard.negated))),
            _ => {
                return builder.refuse(
                    instruction.position,
                    &text,
                    format!("no predicate `{}`", guard.register),
                );
            }
        },
    };
    let mut refusal: Option<(usize, String)> = None;
    for group in exec::groups_of(&instruction.opcode) {
        let mut decoder = Decoder::new(builder, scopes, instruction);
        match (group.decode)(&mut decoder) {
            Ok(decoded) => {
                if let Op::Call(call) = &decoded.op {
                    let function = &mut builder.functions[builder.function as usize];
                    match call.target {
                        Target::Function(callee) => function.calls.push(callee),
                        Target::Indirect(_) => function.indirect = true,
                    }
                }
                builder.emit(
                    instruction.position,
                    instruction.text,
                    Instruction {
                        op: decoded.op,
                        operands: decoded.operands,
                        guard,
                        class: decoded.class,
                    },
                );
                return Ok(());
            }
            // The reason of the group that got furthest says most.
            Err(reason) => {
                let taken = decoder.taken();
                if refusal.as_ref().is_none_or(|(most, _)| taken > *most) {
                    refusal = Some((taken, reason));
                }
            }
        }
    }
    let reason = refusal.map_or_else(
        || format!("the instruction `{}` is not supported", instruction.opcode),
        |(_, reason)| reason,
    );
    builder.refuse(instruction.position, &text, reason)
}
