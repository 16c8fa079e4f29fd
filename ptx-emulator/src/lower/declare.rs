//! Declarations: names of functions, parameters, registers and variables to what they stand for.

use ptx_syntax::{Directive, Function as Declared, Linkage, Space, Type, Variable};

use super::scope::{Entity, LOCAL, ROWS, Scopes};
use super::{Builder, Formal, Function, Sizes, Symbol, layout};
use crate::error::LoadError;
use crate::ir::{Slot, Width};

/// Parameters of an entry, bytes (the limit since PTX 8.1).
const PARAMETERS: u32 = 32764;

/// Enters a function's name; a definition completes an earlier declaration.
pub(super) fn function(
    builder: &mut Builder<'_>,
    function: &Declared<'_>,
) -> Result<(), LoadError> {
    let defined = function.body.is_some();
    let weak = function.linkage == Some(Linkage::Weak);
    let index = match builder.module.get(function.name) {
        Some(&Symbol::Function(index)) if is_weak_twice(builder, index, defined && weak) => {
            return Ok(());
        }
        Some(&Symbol::Function(index)) if !(defined && is_defined(builder, index)) => {
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
                weak: false,
                source: builder.source,
                code: (0, 0),
                parameters: Vec::new(),
                returns: Vec::new(),
                sizes: Sizes::least(),
                directives: Vec::new(),
                shared: Vec::new(),
                calls: Vec::new(),
                indirect: false,
            });
            index
        }
    };
    // Formals are placed here and not with the body: callers may come first.
    let mut sizes = Sizes::least();
    let mut formals = |variables: &[Variable<'_>]| -> Option<Vec<Formal>> {
        let formals = variables
            .iter()
            .map(|variable| formal(&mut sizes, variable));
        formals.collect()
    };
    let (parameters, returns) = (formals(&function.parameters), formals(&function.returns));
    let limit = if function.entry { PARAMETERS } else { LOCAL };
    let (Some(parameters), Some(returns), true) = (parameters, returns, sizes.local <= limit)
    else {
        let reason = format!("more than {limit} bytes of parameters");
        return builder.refuse(function.position(), function.name, reason);
    };
    let entry = &mut builder.functions[index as usize];
    if function.entry {
        // Its parameters are in a bank of their own.
        sizes.local = 0;
    }
    if defined || !entry.defined {
        entry.parameters = parameters;
        entry.returns = returns;
        entry.directives = numbers(function);
        entry.sizes = sizes;
        entry.defined |= defined;
        entry.weak = defined && weak;
        entry.source = builder.source;
    }
    Ok(())
}

/// Whether a function has a definition that no other one may stand beside.
fn is_defined(builder: &Builder<'_>, index: u32) -> bool {
    let known = &builder.functions[index as usize];
    known.defined && !(known.weak && known.source != builder.source)
}

/// Whether this definition is `.weak`, and another module's counts.
fn is_weak_twice(builder: &Builder<'_>, index: u32, weak: bool) -> bool {
    let known = &builder.functions[index as usize];
    weak && known.defined && known.source != builder.source
}

/// The place of a parameter behind those before it.
fn formal(sizes: &mut Sizes, variable: &Variable<'_>) -> Option<Formal> {
    let (bytes, ty) = (u32::try_from(variable.bytes()).ok()?, variable.ty);
    let mut formal = Formal {
        offset: 0,
        bytes,
        ty,
        register: None,
    };
    if variable.space == Space::Register {
        let file = match Width::of(ty) {
            Width::W64 => &mut sizes.w64,
            _ => &mut sizes.w32,
        };
        formal.register = Some(Slot(*file));
        *file += 1;
        return Some(formal);
    }
    let align = variable.alignment().max(1);
    formal.offset = sizes.local.checked_next_multiple_of(align)?;
    sizes.local = formal.offset.checked_add(bytes)?;
    Some(formal)
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
    let all = function
        .parameters
        .iter()
        .zip(parameters)
        .chain(function.returns.iter().zip(returns));
    for (variable, formal) in all {
        let plain = variable.vector == 1 && variable.elements.is_none();
        if variable.space == Space::Register && !(plain && matches!(formal.bytes, 4 | 8)) {
            let reason = "parameters in registers have 32 or 64 bits";
            return builder.refuse_variable(variable, reason);
        }
        let entity = if let Some(slot) = formal.register {
            let ty = variable.ty;
            Entity::Register { slot, ty }
        } else if function.entry {
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
        Space::Register if variable.elements.is_some() => {
            return builder.refuse_variable(variable, "registers have no arrays");
        }
        Space::Register if variable.vector > 1 && variable.ty == Type::Predicate => {
            return builder.refuse_variable(variable, "there are no vectors of predicates");
        }
        Space::Register => registers(builder, scopes, variable)?,
        Space::Local | Space::Parameter => match scopes.place(variable) {
            Some((offset, bytes)) => scopes.declare(
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
    let (ty, parts) = (variable.ty, variable.vector);
    let count = variable.range.unwrap_or(1).checked_mul(parts);
    let Some(slot) = count.and_then(|count| scopes.slots(ty, count)) else {
        return builder.refuse_variable(variable, format!("more than {ROWS} registers"));
    };
    Ok(match variable.range {
        Some(count) => scopes.declare_range(variable.name, slot, count, (ty, parts)),
        None => scopes.declare(variable.name, Entity::registers(slot, ty, parts)),
    })
}
