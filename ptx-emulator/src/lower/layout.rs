//! Variables of module scope: their place, their initial bytes, and the
//! shared memory of a kernel.

use std::collections::BTreeSet;

use ptx_syntax::{Initial, Linkage, Module, Space, Variable};

use super::{Builder, Function, Placed, Symbol};
use crate::error::LoadError;

/// Enters a variable's name and place at module scope.
pub(crate) fn declare_variable(
    builder: &mut Builder<'_>,
    variable: &Variable<'_>,
) -> Result<(), LoadError> {
    if let Some(&Symbol::Variable(index)) = builder.module.get(variable.name) {
        // `.extern` first and the definition later, or the other way round.
        let known = &mut builder.variables[index as usize];
        let bytes = [known.bytes, variable.bytes()];
        if known.space == variable.space && (bytes[0] == bytes[1] || bytes.contains(&0)) {
            known.bytes = known.bytes.max(variable.bytes());
            known.align = known.align.max(variable.alignment());
            return Ok(());
        }
    }
    if builder.module.contains_key(variable.name) {
        return builder.refuse_variable(variable, "this name exists already");
    }
    let symbol = place_variable(builder, variable)?;
    builder.module.insert(variable.name.to_owned(), symbol);
    Ok(())
}

/// Adds a variable to the program without a name.
pub(crate) fn place_variable(
    builder: &mut Builder<'_>,
    variable: &Variable<'_>,
) -> Result<Symbol, LoadError> {
    if variable.space == Space::Local {
        return builder.refuse_variable(variable, "local memory at module scope is not supported");
    }
    if variable.space == Space::Constant && variable.bytes() > 64 << 10 {
        return builder.refuse_variable(variable, "more than 65536 bytes of constant memory");
    }
    let index = builder.variables.len() as u32;
    builder.variables.push(Placed {
        name: variable.name.to_owned(),
        space: variable.space,
        bytes: variable.bytes(),
        unit: variable.ty.bytes() * variable.vector,
        align: variable.alignment().max(1),
        dynamic: variable.is_of_launch() && variable.linkage == Some(Linkage::Extern),
        initial: Vec::new(),
        addresses: Vec::new(),
    });
    Ok(Symbol::Variable(index))
}

/// Fills the initial bytes of all variables of module scope.
pub(crate) fn fill_initialisers(
    builder: &mut Builder<'_>,
    module: &Module<'_>,
) -> Result<(), LoadError> {
    for variable in module.variables() {
        if let Some(&symbol) = builder.module.get(variable.name) {
            fill_initialiser(builder, symbol, variable)?;
        }
    }
    Ok(())
}

/// Fills the initial bytes of one variable.
pub(crate) fn fill_initialiser(
    builder: &mut Builder<'_>,
    symbol: Symbol,
    variable: &Variable<'_>,
) -> Result<(), LoadError> {
    let Symbol::Variable(index) = symbol else {
        return Ok(());
    };
    let width = variable.ty.bytes();
    let mut bytes = Vec::new();
    let mut addresses = Vec::new();
    for value in &variable.initial {
        match value {
            Initial::Number(number) => match number.bits(variable.ty) {
                Some(bits) => {
                    bytes.extend_from_slice(&u128::from(bits).to_le_bytes()[..width as usize])
                }
                None => {
                    return builder.refuse_variable(variable, "an initial value of another type");
                }
            },
            Initial::Address {
                name,
                offset,
                generic,
                mask,
            } => {
                if mask.is_some() {
                    let reason = "parts of addresses as initial values are not supported";
                    return builder.refuse_variable(variable, reason);
                }
                let Some(&target) = builder.module.get(*name) else {
                    return builder.refuse_variable(variable, format!("no variable `{name}`"));
                };
                if width < 4 {
                    return builder.refuse_variable(variable, "an address needs .u32 or .u64");
                }
                addresses.push((bytes.len() as u64, target, *offset, *generic, width));
                bytes.resize(bytes.len() + width as usize, 0);
            }
        }
    }
    if !bytes.is_empty() {
        let placed = &mut builder.variables[index as usize];
        placed.initial = bytes;
        placed.addresses = addresses;
    }
    Ok(())
}

/// Where a kernel's shared variables lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedLayout {
    /// Variable, offset.
    pub(crate) places: Vec<(u32, u32)>,
    /// Bytes of the static ones; dynamic shared memory begins here.
    pub(crate) fixed: u32,
}

/// Lays out the shared variables that `entry` and all that it calls name.
/// `None` when they do not fit in 32 bits.
pub(crate) fn shared(
    functions: &[Function],
    variables: &[Placed],
    entry: u32,
) -> Option<SharedLayout> {
    let mut reached = BTreeSet::new();
    let mut todo = vec![entry];
    let mut indirect = false;
    let mut named = Vec::new();
    while let Some(index) = todo.pop() {
        let Some(function) = functions.get(index as usize) else {
            continue;
        };
        if !reached.insert(index) {
            continue;
        }
        named.extend(&function.shared);
        todo.extend(&function.calls);
        if function.indirect && !std::mem::replace(&mut indirect, true) {
            todo.extend(
                (0..functions.len() as u32).filter(|&other| !functions[other as usize].entry),
            );
        }
    }
    named.sort_unstable();
    named.dedup();
    let mut layout = SharedLayout::default();
    let mut dynamic_align = 16;
    for &index in &named {
        let variable = &variables[index as usize];
        if variable.dynamic {
            dynamic_align = dynamic_align.max(variable.align);
            continue;
        }
        let offset = layout.fixed.checked_next_multiple_of(variable.align)?;
        layout.fixed = offset.checked_add(u32::try_from(variable.bytes).ok()?)?;
        layout.places.push((index, offset));
    }
    if named.iter().any(|&index| variables[index as usize].dynamic) {
        layout.fixed = layout.fixed.checked_next_multiple_of(dynamic_align)?;
        for &index in named
            .iter()
            .filter(|&&index| variables[index as usize].dynamic)
        {
            layout.places.push((index, layout.fixed));
        }
    }
    Some(layout)
}
