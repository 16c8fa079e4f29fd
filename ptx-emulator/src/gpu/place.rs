//! A module's variables and a launch's parameters in memory.

use ptx_syntax::Space;

use super::{Gpu, Instance};
use crate::error::{LaunchError, MemoryError};
use crate::ir::{Pool, Row};
use crate::lower::{Code, Function, SharedLayout, Symbol};
use crate::machine::{CONSTANT_WINDOW, Cells, FUNCTIONS, SHARED_WINDOW, Written};
use crate::program::Program;

impl Gpu {
    /// Places a module's variables in memory, once a module.
    pub(super) fn place(&mut self, program: &Program) -> Result<(), MemoryError> {
        if self.instances.contains_key(&program.id) {
            return Ok(());
        }
        let code = &program.code;
        let mut places = Vec::with_capacity(code.variables.len());
        let mut bank = 0u64;
        for variable in &code.variables {
            places.push(match variable.space {
                Space::Global => {
                    let name = Some(variable.name.clone());
                    let base = self.global.allocate(variable.bytes, variable.align, name)?;
                    self.written.allocated(base, variable.bytes, Written::All);
                    base
                }
                Space::Constant => {
                    let offset = bank.next_multiple_of(u64::from(variable.align));
                    bank = offset + variable.bytes;
                    offset
                }
                _ => 0,
            });
        }
        let instance = Instance {
            places,
            constants: Cells::zeroed(bank),
        };
        for (variable, &place) in code.variables.iter().zip(&instance.places) {
            let mut bytes = variable.initial.clone();
            for &(at, symbol, offset, generic, width) in &variable.addresses {
                let address = address_of(code, &instance.places, None, symbol, generic)
                    .wrapping_add(offset as u64);
                let at = at as usize;
                bytes[at..at + width as usize]
                    .copy_from_slice(&address.to_le_bytes()[..width as usize]);
            }
            match variable.space {
                Space::Global => {
                    if let Some(allocation) = self.global.find(place, variable.bytes) {
                        allocation.cells.write(0, &bytes);
                    }
                }
                Space::Constant => instance.constants.write(place, &bytes),
                _ => {}
            }
        }
        self.instances.insert(program.id, instance);
        Ok(())
    }
}

fn address_of(
    code: &Code,
    places: &[u64],
    shared: Option<&SharedLayout>,
    symbol: Symbol,
    generic: bool,
) -> u64 {
    match symbol {
        Symbol::Function(index) => FUNCTIONS + u64::from(index) * 16,
        Symbol::Variable(index) => {
            let place = places[index as usize];
            match code.variables[index as usize].space {
                Space::Constant => place + if generic { CONSTANT_WINDOW } else { 0 },
                Space::Shared => {
                    let own = shared.and_then(|layout| {
                        layout
                            .places
                            .iter()
                            .find(|(variable, _)| *variable == index)
                    });
                    own.map_or(0, |&(_, offset)| u64::from(offset))
                        + if generic { SHARED_WINDOW } else { 0 }
                }
                _ => place,
            }
        }
    }
}

pub(super) fn relocated(code: &Code, instance: &Instance, layout: &SharedLayout) -> Pool {
    let mut pool = code.pool.clone();
    for relocation in &code.relocations {
        let address = address_of(
            code,
            &instance.places,
            Some(layout),
            relocation.symbol,
            relocation.generic,
        )
        .wrapping_add(relocation.offset as u64);
        if relocation.wide {
            pool.w64[relocation.row as usize] = Row([address; 32]);
        } else {
            pool.w32[relocation.row as usize] = Row([address as u32; 32]);
        }
    }
    pool
}

pub(super) fn parameter_bank(
    function: &Function,
    parameters: &[&[u8]],
) -> Result<Cells, LaunchError> {
    let wrong = |index, expected, found| LaunchError::Parameter {
        index,
        kernel: function.name.clone(),
        expected,
        found,
    };
    if parameters.len() != function.parameters.len() {
        return Err(wrong(
            parameters.len(),
            function.parameters.len(),
            parameters.len(),
        ));
    }
    let end = function
        .parameters
        .iter()
        .map(|formal| formal.offset + formal.bytes)
        .max()
        .unwrap_or(0);
    let bank = Cells::zeroed(u64::from(end));
    for (index, (formal, bytes)) in function.parameters.iter().zip(parameters).enumerate() {
        if bytes.len() != formal.bytes as usize {
            return Err(wrong(index, formal.bytes as usize, bytes.len()));
        }
        bank.write(u64::from(formal.offset), bytes);
    }
    Ok(bank)
}
