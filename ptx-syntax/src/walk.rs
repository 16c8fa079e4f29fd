//! Ways through a tree: functions, statements in order whatever scope they are in, names.

use std::collections::BTreeSet;

use crate::tree::{
    Block, File, Function, Instruction, Item, Kind, Module, Operand, Statement, Variable,
};
use crate::types::Space;

impl<'t> Module<'t> {
    /// Entries and device functions, declarations included, in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = &Function<'t>> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            _ => None,
        })
    }

    /// Entries with a body, in the order of the text.
    pub fn entries(&self) -> impl Iterator<Item = &Function<'t>> {
        let functions = self.functions();
        functions.filter(|function| function.entry && function.body.is_some())
    }

    /// Variables at module scope, in the order of the text.
    pub fn variables(&self) -> impl Iterator<Item = &Variable<'t>> {
        let declared = self.items.iter().filter_map(|item| match item {
            Item::Variables(variables) => Some(variables),
            _ => None,
        });
        declared.flatten()
    }

    /// `.file` entries.
    pub fn files(&self) -> impl Iterator<Item = &File<'t>> {
        self.items.iter().filter_map(|item| match item {
            Item::File(file) => Some(file),
            _ => None,
        })
    }

    /// A function with all that it calls, directly or not.
    pub fn reached<'m>(&'m self, function: &'m Function<'t>) -> Reached<'m, 't> {
        let mut functions = vec![function];
        let mut names = BTreeSet::new();
        let mut at = 0;
        while let Some(caller) = functions.get(at) {
            names.extend(caller.instructions().flat_map(Instruction::names));
            for callee in self.functions() {
                let is_new = || functions.iter().all(|known| known.name != callee.name);
                let is_callee = !callee.entry && callee.body.is_some();
                if is_callee && names.contains(callee.name) && is_new() {
                    functions.push(callee);
                }
            }
            at += 1;
        }
        Reached {
            module: self,
            functions,
            names,
        }
    }
}

/// A function with all that it calls.
#[derive(Clone, Debug)]
pub struct Reached<'m, 't> {
    module: &'m Module<'t>,
    /// Itself, and then the others, each once.
    pub functions: Vec<&'m Function<'t>>,
    /// All names among operands in their bodies.
    pub names: BTreeSet<&'t str>,
}

impl<'m, 't> Reached<'m, 't> {
    /// The shared variables that they name or declare, those of module scope first.
    pub fn shared(&self) -> impl Iterator<Item = &'m Variable<'t>> {
        let named = self.module.variables();
        let named = named.filter(|variable| self.names.contains(variable.name));
        let own = self.functions.iter().flat_map(|one| one.variables());
        named
            .chain(own)
            .filter(|variable| variable.space == Space::Shared)
    }

    /// Bytes of shared memory that a block has for these variables, without what the launch
    /// adds.
    pub fn shared_bytes(&self) -> u64 {
        let fixed = self.shared().filter(|variable| !variable.is_of_launch());
        fixed.fold(0, |bytes: u64, variable| {
            let align = u64::from(variable.alignment().max(1));
            bytes.next_multiple_of(align) + variable.bytes()
        })
    }
}

impl<'t> Function<'t> {
    /// Its statements in the order of the text, those of inner scopes in place of the scope.
    pub fn statements(&self) -> impl Iterator<Item = &Statement<'t>> {
        let body = self.body.iter();
        let mut open: Vec<_> = body.map(|body| body.statements.iter()).collect();
        std::iter::from_fn(move || {
            loop {
                let Some(statement) = open.last_mut()?.next() else {
                    open.pop();
                    continue;
                };
                match &statement.kind {
                    Kind::Block(Block { statements, .. }) => open.push(statements.iter()),
                    _ => return Some(statement),
                }
            }
        })
    }

    /// Its instructions in the order of the text.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction<'t>> {
        self.statements().filter_map(Statement::instruction)
    }

    /// The variables that its body declares.
    pub fn variables(&self) -> impl Iterator<Item = &Variable<'t>> {
        self.statements().flat_map(Statement::variables)
    }
}

impl<'t> Statement<'t> {
    /// The instruction that it is.
    pub fn instruction(&self) -> Option<&Instruction<'t>> {
        match &self.kind {
            Kind::Instruction(instruction) => Some(instruction),
            _ => None,
        }
    }

    /// The variables that it declares.
    pub fn variables(&self) -> &[Variable<'t>] {
        match &self.kind {
            Kind::Variables(variables) => variables,
            _ => &[],
        }
    }
}

impl<'t> Instruction<'t> {
    /// Opcode and modifiers: `ld.shared.u32`.
    pub fn name(&self) -> String {
        let mut name = self.opcode.to_owned();
        for modifier in &self.modifiers {
            name.push('.');
            name.push_str(modifier);
        }
        name
    }

    /// Whether opcode and first modifiers are these: `ld.shared` holds for `ld.shared.u32`.
    pub fn is(&self, name: &str) -> bool {
        let mut words = name.split('.');
        let mut own = self.modifiers.iter();
        words.next() == Some(self.opcode) && words.all(|word| own.next() == Some(&word))
    }

    /// Whether it has a modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// The names among its operands, in order; its guard is none.
    pub fn names(&self) -> Vec<&'t str> {
        let mut names = Vec::new();
        let operands = self.operands.iter();
        operands.for_each(|operand| operand.push_names(&mut names));
        names
    }
}

impl<'t> Operand<'t> {
    /// The names in it, in order.
    pub fn names(&self) -> Vec<&'t str> {
        let mut names = Vec::new();
        self.push_names(&mut names);
        names
    }

    fn push_names(&self, names: &mut Vec<&'t str>) {
        match self {
            Operand::Name(name)
            | Operand::NameOffset(name, _)
            | Operand::Element(name, _)
            | Operand::Not(name) => names.push(name),
            Operand::Pair(first, second) => {
                first.push_names(names);
                second.push_names(names);
            }
            Operand::Address { base, rest, .. } => {
                names.extend(base);
                rest.iter().for_each(|operand| operand.push_names(names));
            }
            Operand::Vector(inner) | Operand::List(inner) => {
                inner.iter().for_each(|operand| operand.push_names(names));
            }
            Operand::Number(_) | Operand::Sink => {}
        }
    }
}
