//! What grows while a module is lowered: code, constants, names of module scope.

use std::collections::{HashMap, HashSet};

use ptx_syntax::{Module, Position, Space, Span, Variable, debug};

use super::uses::Uses;
use super::{Function, LabelId, Origin, Placed, Relocation, Symbol, contract};
use crate::error::{LoadError, Refusal};
use crate::ir::{Instruction, Pool, Row, Source};

/// Everything that grows while a module is lowered.
#[derive(Default)]
pub(crate) struct Builder<'a> {
    pub(crate) text: &'a str,
    /// Which of the linked modules `text` is.
    pub(super) source: u32,
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
    pub(super) indexed_targets: usize,
    pub(crate) relocations: Vec<Relocation>,
    /// Index of the instruction behind each label.
    pub(super) labels: Vec<Option<u32>>,
    pub(super) locations: debug::Locations,
    pub(super) location: Option<debug::Id>,
    pub(crate) function: u32,
    /// The label of the one place where the current function returns.
    pub(crate) epilogue: LabelId,
    /// Refused instructions, when they are all wanted and not the first.
    /// And how many.
    pub(super) refused: Option<(Vec<Refusal>, usize)>,
    pub(super) contract: bool,
    /// Votes and shuffles may be without `.sync`.
    pub(crate) has_unsynced: bool,
    /// Of the current function, one for each instruction, when it is to be
    /// contracted.
    pub(super) steps: Option<Vec<contract::Step>>,
    /// What each instruction does with registers, when it is wanted.
    pub(super) uses: Option<Vec<Uses>>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(contract: bool) -> Self {
        Builder {
            contract,
            ..Builder::default()
        }
    }

    /// Goes on with a module, the `index`-th of those that are linked, and the names that it sees.
    pub(super) fn enter(
        &mut self,
        index: usize,
        module: &Module<'_>,
        text: &'a str,
        names: HashMap<String, Symbol>,
    ) {
        let number = |word: &&str| {
            let digits = word.strip_prefix("sm_")?;
            digits.trim_end_matches(['a', 'f']).parse::<u32>().ok()
        };
        let target = module.target.iter().find_map(number);
        self.has_unsynced = module.version < (6, 4) || target.is_some_and(|target| target < 70);
        self.source = index as u32;
        self.text = text;
        self.module = names;
        self.locations = debug::Locations::new(module);
        self.location = None;
        self.function = u32::MAX;
    }

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

    /// An error about a variable.
    pub(super) fn refuse_variable<T>(
        &self,
        variable: &Variable<'_>,
        reason: impl Into<String>,
    ) -> Result<T, LoadError> {
        self.refuse(variable.position(), variable.name, reason)
    }

    /// Notes that the current function names a symbol.
    pub(super) fn note_use(&mut self, symbol: Symbol) {
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

    pub(super) fn here(&self) -> u32 {
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
                .and_then(|location| self.locations.lines(location).next())
                .map(|line| line.to_string()),
            reason: reason.into(),
        })))
    }

    pub(super) fn emit(&mut self, span: Span, instruction: Instruction, step: contract::Step) {
        self.instructions.push(instruction);
        if let Some(steps) = &mut self.steps {
            steps.push(step);
        }
        self.origins.push(Origin {
            span,
            location: self.location,
            function: self.function,
        });
    }
}
