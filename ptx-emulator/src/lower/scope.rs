//! Names: scopes of a body, registers to slots, parameters to offsets.

use std::collections::HashMap;

use super::{Builder, Formal, Function, LabelId, Sizes, Symbol, layout};
use crate::ast::{self, Space, Type, Variable};
use crate::error::LoadError;
use crate::ir::{Slot, Width};

/// Rows of one function at most; a warp holds 256 bytes for each.
const ROWS: u32 = 1 << 18;
/// Local memory of a thread, bytes (the hardware's limit).
pub(crate) const LOCAL: u32 = 512 << 10;
/// Parameters of an entry, bytes (the limit since PTX 8.1).
const PARAMETERS: u32 = 32764;

/// What a name of a body stands for.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Register {
        slot: Slot,
        ty: Type,
    },
    /// In the parameter bank of the entry.
    Parameter(Formal),
    /// In the call frame: `.local`, `.param` of a function or of a call.
    Frame {
        offset: u32,
        bytes: u32,
        space: Space,
    },
    /// A variable that lives as long as the program.
    Static(Symbol),
    Label(LabelId),
    Targets(Vec<String>),
    Prototype,
}

/// The scopes of one body, innermost last.
pub(crate) struct Scopes {
    stack: Vec<HashMap<String, Entity>>,
    sizes: Sizes,
    carry: Option<Slot>,
}

impl Scopes {
    pub(crate) fn new(sizes: Sizes) -> Self {
        Scopes {
            stack: vec![HashMap::new()],
            sizes,
            carry: None,
        }
    }

    pub(crate) fn enter(&mut self) {
        self.stack.push(HashMap::new());
    }

    pub(crate) fn leave(&mut self) {
        self.stack.pop();
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Entity> {
        self.stack.iter().rev().find_map(|scope| scope.get(name))
    }

    /// False when the name exists in this very scope.
    pub(crate) fn declare(&mut self, name: &str, entity: Entity) -> bool {
        match self.stack.last_mut() {
            Some(scope) => scope.insert(name.to_owned(), entity).is_none(),
            None => false,
        }
    }

    pub(crate) fn sizes(&self) -> Sizes {
        Sizes {
            local: self.sizes.local.next_multiple_of(16),
            ..self.sizes
        }
    }

    fn slot(&mut self, ty: Type) -> Option<Slot> {
        let (file, rows) = match Width::of(ty) {
            Width::Predicate => (&mut self.sizes.predicates, 1),
            Width::W32 => (&mut self.sizes.w32, 1),
            Width::W64 => (&mut self.sizes.w64, if ty == Type::B128 { 2 } else { 1 }),
        };
        let slot = Slot(*file);
        *file += rows;
        (*file <= ROWS).then_some(slot)
    }

    /// The predicate that holds the carries of this body's lanes; `None` when
    /// there is no room for another predicate.
    pub(crate) fn carry(&mut self) -> Option<Slot> {
        if self.carry.is_none() {
            self.carry = self.slot(Type::Predicate);
        }
        self.carry
    }

    fn place(&mut self, variable: &Variable) -> Option<Formal> {
        let bytes = u32::try_from(variable.bytes())
            .ok()
            .filter(|&bytes| bytes <= LOCAL)?;
        let offset = self
            .sizes
            .local
            .checked_next_multiple_of(variable.alignment().max(1))?;
        self.sizes.local = offset.checked_add(bytes).filter(|&end| end <= LOCAL)?;
        Some(Formal { offset, bytes })
    }
}

/// Enters a function's name; a definition completes an earlier declaration.
pub(crate) fn declare_function(
    builder: &mut Builder<'_>,
    function: &ast::Function,
) -> Result<(), LoadError> {
    let defined = function.body.is_some();
    let index = match builder.module.get(&function.name) {
        Some(&Symbol::Function(index))
            if !(defined && builder.functions[index as usize].defined) =>
        {
            index
        }
        Some(_) => {
            return builder.refuse(
                function.position,
                &function.name,
                "this name exists already",
            );
        }
        None => {
            let index = builder.functions.len() as u32;
            builder
                .module
                .insert(function.name.clone(), Symbol::Function(index));
            builder.functions.push(Function {
                name: function.name.clone(),
                entry: function.entry,
                defined: false,
                code: (0, 0),
                parameters: Vec::new(),
                returns: Vec::new(),
                sizes: Sizes::default(),
                directives: Vec::new(),
                shared: Vec::new(),
                calls: Vec::new(),
                indirect: false,
            });
            index
        }
    };
    // Formals are placed here and not with the body: callers may come first.
    let mut offset = 0u32;
    let mut formals = |variables: &[Variable]| -> Option<Vec<Formal>> {
        variables
            .iter()
            .map(|variable| {
                let bytes = u32::try_from(variable.bytes()).ok()?;
                let start = offset.checked_next_multiple_of(variable.alignment().max(1))?;
                offset = start.checked_add(bytes)?;
                Some(Formal {
                    offset: start,
                    bytes,
                })
            })
            .collect()
    };
    let placed = (formals(&function.parameters), formals(&function.returns));
    let limit = if function.entry { PARAMETERS } else { LOCAL };
    let (Some(parameters), Some(returns)) = placed else {
        return builder.refuse(
            function.position,
            &function.name,
            format!("more than {limit} bytes of parameters"),
        );
    };
    if offset > limit {
        return builder.refuse(
            function.position,
            &function.name,
            format!("more than {limit} bytes of parameters"),
        );
    }
    let entry = &mut builder.functions[index as usize];
    if defined || !entry.defined {
        entry.parameters = parameters;
        entry.returns = returns;
        entry.directives.clone_from(&function.directives);
        entry.sizes.local = offset;
        entry.defined |= defined;
    }
    Ok(())
}

/// Enters the names of the formals into the scope of the body.
pub(crate) fn declare_formals(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    function: &ast::Function,
) -> Result<(), LoadError> {
    let placed = &builder.functions[builder.function as usize];
    let (parameters, returns) = (placed.parameters.clone(), placed.returns.clone());
    if !function.entry {
        scopes.sizes.local = placed.sizes.local;
    }
    let all = function
        .parameters
        .iter()
        .zip(parameters)
        .chain(function.returns.iter().zip(returns));
    for (variable, formal) in all {
        if variable.space == Space::Register {
            return builder.refuse(
                variable.position,
                &variable.name,
                "parameters in registers are not supported",
            );
        }
        let entity = if function.entry {
            Entity::Parameter(formal)
        } else {
            Entity::Frame {
                offset: formal.offset,
                bytes: formal.bytes,
                space: Space::Parameter,
            }
        };
        if variable.name != "_" && !scopes.declare(&variable.name, entity) {
            return builder.refuse(
                variable.position,
                &variable.name,
                "this name exists already",
            );
        }
    }
    Ok(())
}

/// Enters a declaration of a body.
pub(crate) fn declare_local(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    variable: &Variable,
) -> Result<(), LoadError> {
    let fresh = match variable.space {
        Space::Register => {
            if variable.vector > 1 || variable.elements.is_some() {
                return builder.refuse(
                    variable.position,
                    &variable.name,
                    "vector registers and arrays of registers are not supported",
                );
            }
            return declare_registers(builder, scopes, variable);
        }
        Space::Local | Space::Parameter => match scopes.place(variable) {
            Some(Formal { offset, bytes }) => scopes.declare(
                &variable.name,
                Entity::Frame {
                    offset,
                    bytes,
                    space: variable.space,
                },
            ),
            None => {
                let reason = format!("more than {LOCAL} bytes of local memory a thread");
                return builder.refuse(variable.position, &variable.name, reason);
            }
        },
        Space::Shared | Space::Global | Space::Constant => {
            let symbol = layout::place_variable(builder, variable)?;
            layout::fill_initialiser(builder, symbol, variable)?;
            scopes.declare(&variable.name, Entity::Static(symbol))
        }
    };
    if fresh {
        Ok(())
    } else {
        builder.refuse(
            variable.position,
            &variable.name,
            "this name exists already",
        )
    }
}

fn declare_registers(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    variable: &Variable,
) -> Result<(), LoadError> {
    let ty = variable.ty;
    let names: Box<dyn Iterator<Item = String>> = match variable.range {
        Some(count) => Box::new((0..count).map(|index| format!("{}{index}", variable.name))),
        None => Box::new(std::iter::once(variable.name.clone())),
    };
    for name in names {
        let Some(slot) = scopes.slot(ty) else {
            return builder.refuse(
                variable.position,
                &variable.name,
                format!("more than {ROWS} registers"),
            );
        };
        if !scopes.declare(&name, Entity::Register { slot, ty }) {
            return builder.refuse(variable.position, &name, "this name exists already");
        }
    }
    Ok(())
}
