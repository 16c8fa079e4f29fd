//! The modelled GPU as a program sees it: memory, modules, launches.

mod residence;

use std::collections::HashMap;

use super::launch::{Launch, LaunchOptions};
use super::memory::{CONSTANT_WINDOW, Cells, FUNCTIONS, Global, SHARED_WINDOW};
use super::model::Model;
use crate::Program;
use crate::ast::Space;
use crate::error::{LaunchError, MemoryError};
use crate::ir::{Pool, Row};
use crate::lower::layout::SharedLayout;
use crate::lower::{Code, Symbol};
use crate::observe::{LaunchInfo, Observer};

/// Register rows that all resident warps may have together, bytes.
const REGISTER_MEMORY: u64 = 4 << 30;

/// What a launch did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Instructions that warps ran, a divergent path counting as often as it
    /// ran.
    pub warp_instructions: u64,
}

/// A launch that has begun, seen by an observer.
#[derive(Clone, Debug)]
pub struct Observed<O> {
    /// What it did.
    pub report: Report,
    /// The observer, with what it saw.
    pub observer: O,
    /// A fault, a deadlock or a livelock, when it did not end well.
    pub outcome: Result<(), LaunchError>,
}

impl<O> Observed<O> {
    /// The report and the observer of a launch that ended well.
    ///
    /// # Errors
    ///
    /// The `outcome` of one that did not.
    pub fn finished(self) -> Result<(Report, O), LaunchError> {
        self.outcome.map(|()| (self.report, self.observer))
    }
}

/// A module's variables in this GPU's memory.
#[derive(Debug)]
struct Instance {
    /// Address, or offset in the constant bank, of each variable.
    places: Vec<u64>,
    constants: Cells,
}

/// A modelled GPU.
#[derive(Debug)]
pub struct Gpu {
    model: Model,
    global: Global,
    instances: HashMap<u64, Instance>,
}

impl Gpu {
    /// A GPU with empty memory.
    pub fn new(model: Model) -> Self {
        Gpu {
            global: Global::new(model.memory),
            model,
            instances: HashMap::new(),
        }
    }

    /// The limits that launches are held to.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Allocates `bytes` zeroed bytes; their device address, a multiple of
    /// 256. Addresses are never used twice.
    ///
    /// # Errors
    ///
    /// `MemoryError::Full`.
    pub fn alloc(&mut self, bytes: usize) -> Result<u64, MemoryError> {
        self.global.allocate(bytes as u64, 1, None)
    }

    /// Frees an allocation by its address.
    ///
    /// # Errors
    ///
    /// `MemoryError::NotAllocated`.
    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        self.global.free(address)
    }

    /// Copies bytes to device memory.
    ///
    /// # Errors
    ///
    /// `MemoryError::NotAllocated` when they do not lie in one allocation.
    pub fn copy_in(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let length = bytes.len() as u64;
        let Some(allocation) = self.global.find(address, length) else {
            return Err(MemoryError::NotAllocated {
                address,
                bytes: length,
            });
        };
        allocation.cells.write(address - allocation.base, bytes);
        Ok(())
    }

    /// Copies bytes from device memory.
    ///
    /// # Errors
    ///
    /// `MemoryError::NotAllocated` when they do not lie in one allocation.
    pub fn copy_out(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        let length = bytes.len() as u64;
        let Some(allocation) = self.global.find(address, length) else {
            return Err(MemoryError::NotAllocated {
                address,
                bytes: length,
            });
        };
        allocation.cells.read(address - allocation.base, bytes);
        Ok(())
    }

    /// The device address and size in bytes of a module's `.global`
    /// variable; `None` when the program has none of this name.
    ///
    /// # Errors
    ///
    /// `MemoryError::Full` when the module's variables do not fit.
    pub fn variable(
        &mut self,
        program: &Program,
        name: &str,
    ) -> Result<Option<(u64, u64)>, MemoryError> {
        self.place(program)?;
        let code = &program.code;
        let found = code
            .variables
            .iter()
            .position(|v| v.name == name && v.space == Space::Global);
        Ok(found.map(|index| {
            (
                self.instances[&program.id].places[index],
                code.variables[index].bytes,
            )
        }))
    }

    /// Runs a kernel to its end. `parameters` are the bytes of the kernel's
    /// parameters, in order; `shared_bytes` is dynamic shared memory.
    ///
    /// # Errors
    ///
    /// A shape or a parameter that does not fit, a fault, a deadlock or a
    /// livelock. Memory keeps what was written until then.
    pub fn launch(
        &mut self,
        program: &Program,
        kernel: &str,
        grid: [u32; 3],
        block: [u32; 3],
        shared_bytes: u32,
        parameters: &[&[u8]],
    ) -> Result<Report, LaunchError> {
        let options = LaunchOptions::default();
        let shape = Shape {
            grid,
            block,
            shared_bytes,
        };
        self.launch_observed(program, kernel, shape, parameters, &options, ())?
            .finished()
            .map(|(report, ())| report)
    }

    /// As `launch`, with options, and seen by an observer.
    ///
    /// # Errors
    ///
    /// A shape or a parameter that does not fit. What goes wrong later is the
    /// `outcome`, so that what the observer saw is kept.
    pub fn launch_observed<O: Observer>(
        &mut self,
        program: &Program,
        kernel: &str,
        shape: Shape,
        parameters: &[&[u8]],
        options: &LaunchOptions,
        mut observer: O,
    ) -> Result<Observed<O>, LaunchError> {
        let code = &program.code;
        let Some(index) = code
            .functions
            .iter()
            .position(|f| f.entry && f.defined && f.name == kernel)
        else {
            let known: Vec<&str> = program.kernels().collect();
            return Err(LaunchError::NoKernel {
                name: kernel.into(),
                known: known.join(", "),
            });
        };
        let Shape {
            grid,
            block,
            shared_bytes,
        } = shape;
        let layout =
            crate::lower::layout::shared(&code.functions, &code.variables, index as u32)
                .ok_or_else(|| LaunchError::shape("more than 4 GiB of static shared memory"))?;
        let total_shared = u64::from(layout.fixed) + u64::from(shared_bytes);
        self.check_shape(code, index, grid, block, total_shared)?;
        let bank = parameter_bank(code, index, parameters)?;
        self.place(program)?;
        let instance = &self.instances[&program.id];
        let launch = Launch {
            code,
            pool: relocated(code, instance, &layout),
            kernel: index as u32,
            parameters: bank,
            constants: &instance.constants,
            global: &self.global,
            model: &self.model,
            grid,
            block,
            shared_bytes: total_shared as u32,
            dynamic_shared_bytes: shared_bytes,
            options: options.clone(),
        };
        observer.launch(&LaunchInfo {
            kernel: kernel.to_owned(),
            grid,
            block,
            shared_bytes: total_shared as u32,
        });
        let (warp_instructions, observer, outcome) = launch.run(observer);
        Ok(Observed {
            report: Report { warp_instructions },
            observer,
            outcome,
        })
    }

    fn check_shape(
        &self,
        code: &Code,
        kernel: usize,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u64,
    ) -> Result<(), LaunchError> {
        let model = &self.model;
        for (what, shape, limit) in [("grid", grid, model.grid), ("block", block, model.block)] {
            for (axis, (&n, &most)) in ["x", "y", "z"].iter().zip(shape.iter().zip(&limit)) {
                if n == 0 || n > most {
                    return Err(LaunchError::shape(format!(
                        "{what}.{axis} is {n}; allowed are 1 to {most}"
                    )));
                }
            }
        }
        let threads = block.iter().map(|&n| u64::from(n)).product::<u64>();
        if threads > u64::from(model.threads_per_block) {
            let most = model.threads_per_block;
            return Err(LaunchError::shape(format!(
                "a block of {threads} threads; allowed are 1 to {most}"
            )));
        }
        if shared > u64::from(model.shared_per_block) {
            let most = model.shared_per_block;
            return Err(LaunchError::shape(format!(
                "{shared} bytes of shared memory; allowed are 0 to {most}"
            )));
        }
        let function = &code.functions[kernel];
        for (directive, values) in &function.directives {
            let bound = values
                .iter()
                .fold(1, |all: u64, &n| all.saturating_mul(u64::from(n)));
            if directive == "maxntid" && threads > bound {
                return Err(LaunchError::shape(format!(
                    "a block of {threads} threads; the kernel allows {bound}"
                )));
            }
            let required: [u32; 3] =
                std::array::from_fn(|axis| values.get(axis).copied().unwrap_or(1));
            if directive == "reqntid" && required != block {
                return Err(LaunchError::shape(format!(
                    "a block of {block:?}; the kernel requires {required:?}"
                )));
            }
        }
        let sizes = function.sizes;
        let warp =
            u64::from(sizes.w32) * 128 + u64::from(sizes.w64) * 256 + u64::from(sizes.local) * 32;
        let one = warp * threads.div_ceil(32);
        let resident = model
            .resident_blocks(threads as u32, shared as u32)
            .min(grid.iter().map(|&n| u64::from(n)).product());
        if one > REGISTER_MEMORY / resident.clamp(1, 2) {
            return Err(LaunchError::shape(format!(
                "one block needs {one} bytes for registers and local memory"
            )));
        }
        Ok(())
    }

    /// Places a module's variables in memory, once a module.
    fn place(&mut self, program: &Program) -> Result<(), MemoryError> {
        if self.instances.contains_key(&program.id) {
            return Ok(());
        }
        let code = &program.code;
        let mut places = Vec::with_capacity(code.variables.len());
        let mut bank = 0u64;
        for variable in &code.variables {
            places.push(match variable.space {
                Space::Global => self.global.allocate(
                    variable.bytes,
                    variable.align,
                    Some(variable.name.clone()),
                )?,
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

/// The shape of a launch.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks, each way.
    pub grid: [u32; 3],
    /// Threads of a block, each way.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
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

fn relocated(code: &Code, instance: &Instance, layout: &SharedLayout) -> Pool {
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

fn parameter_bank(code: &Code, kernel: usize, parameters: &[&[u8]]) -> Result<Cells, LaunchError> {
    let function = &code.functions[kernel];
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
