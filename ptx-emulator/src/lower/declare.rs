//! Declarations: names of functions, parameters, registers and variables to what they stand for.

use ptx_syntax::{Directive, Function as Declared, Space, Variable};

use super::scope::{Entity, LOCAL, ROWS, Scopes};
use super::{Builder, Formal, Function, Sizes, Symbol, layout};
use crate::error::LoadError;

/// Parameters of an entry, bytes (the limit since PTX 8.1).
const PARAMETERS: u32 = 32764;

/// Enters a function's name; a definition completes an earlier declaration.
pub(super) fn function(
    builder: &mut Builder<'_>,
    function: &Declared<'_>,
) -> Result<(), LoadError> {
    let defined = function.body.is_some();
    let index = match builder.module.get(function.name) {
        Some(&Symbol::Function(index))
            if !(defined && builder.functions[index as usize].defined) =>
        {
            if builder.functions[index as usize].entry != function.entry {
                return builder.refuse(
                    function.position(),
                    function.name,
                    "declared both as `.entry` and as `.func`",
                );
            }
            index
        }
        Some(_) => {
            return builder.refuse(
                function.position(),
                function.name,
                "this name exists already",
            );
        }
        None => {
            let index = builder.functions.len() as u32;
            builder
                .module
                .insert(function.name.to_owned(), Symbol::Function(index));
            builder.functions.push(Function {
                name: function.name.to_owned(),
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
    let mut formals = |variables: &[Variable<'_>]| -> Option<Vec<Formal>> {
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
    let (parameters, returns) = (formals(&function.parameters), formals(&function.returns));
    let limit = if function.entry { PARAMETERS } else { LOCAL };
    let (Some(parameters), Some(returns), true) = (parameters, returns, offset <= limit) else {
        let reason = format!("more than {limit} bytes of parameters");
        return builder.refuse(function.position(), function.name, reason);
    };
    let entry = &mut builder.functions[index as usize];
    if defined || !entry.defined {
        entry.parameters = parameters;
        entry.returns = returns;
        entry.directives = numbers(function);
        entry.sizes.local = offset;
        entry.defined |= defined;
    }
    Ok(())
}

/// `.maxntid 32, 4, 1` and the like.
fn numbers(function: &Declared<'_>) -> Vec<(String, Vec<u32>)> {
    let directives = function.directives.iter();
    let numbers = directives.filter_map(|directive| match directive {
        Directive::Numbers(name, values) => Some(((*name).to_owned(), values.clone())),
        _ => None,
    });
    numbers.collect()
}

/// Enters the names of the formals into the scope of the body.
pub(super) fn formals(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    function: &Declared<'_>,
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
            return builder.refuse_variable(variable, "parameters in registers are not supported");
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
        if variable.name != "_" && !scopes.declare(variable.name, entity) {
            return builder.refuse_variable(variable, "this name exists already");
        }
    }
    Ok(())
}

/// Enters a declaration of a body.
pub(super) fn local(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    variable: &Variable<'_>,
) -> Result<(), LoadError> {
    let fresh = match variable.space {
        Space::Register if variable.vector > 1 || variable.elements.is_some() => {
            let reason = "vector registers and arrays of registers are not supported";
            return builder.refuse_variable(variable, reason);
        }
        Space::Register => registers(builder, scopes, variable)?,
        Space::Local | Space::Parameter => match scopes.place(variable) {
            Some(Formal { offset, bytes }) => scopes.declare(
                variable.name,
                Entity::Frame {
                    offset,
                    bytes,
                    space: variable.space,
                },
            ),
            None => {
                let reason = format!("more than {LOCAL} bytes of local memory a thread");
                return builder.refuse_variable(variable, reason);
            }
        },
        Space::Shared | Space::Global | Space::Constant => {
            let symbol = layout::place_variable(builder, variable)?;
            layout::fill_initialiser(builder, symbol, variable)?;
            scopes.declare(variable.name, Entity::Static(symbol))
        }
    };
    if fresh {
        Ok(())
    } else {
        builder.refuse_variable(variable, "this name exists already")
    }
}

/// False when a name among them exists already.
fn registers(
    builder: &mut Builder<'_>,
    scopes: &mut Scopes,
    variable: &Variable<'_>,
) -> Result<bool, LoadError> {
    let ty = variable.ty;
    let Some(slot) = scopes.slots(ty, variable.range.unwrap_or(1)) else {
        return builder.refuse_variable(variable, format!("more than {ROWS} registers"));
    };
    Ok(match variable.range {
        Some(count) => scopes.declare_range(variable.name, slot, count, ty),
        None => scopes.declare(variable.name, Entity::Register { slot, ty }),
    })
}
