//! The modelled GPU as a program sees it: memory, modules, launches.

mod place;
mod residence;
mod shape;

use std::collections::HashMap;

use ptx_syntax::Space;

use crate::error::{LaunchError, MemoryError};
use crate::lower::SharedLayout;
use crate::machine::{
    Allocation, Cells, Global, GlobalWritten, Heap, Launch, LaunchOptions, MAX_DEVICES, Model,
    Printed, Written,
};
use crate::observe::{LaunchInfo, Observer};
use crate::program::Program;
use place::{parameter_bank, relocated};

pub use shape::Shape;

/// What a launch did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Instructions that warps ran, a divergent path counting as often as it
    /// ran.
    pub warp_instructions: u64,
    /// What `printf` wrote, in the order of the run: the newest MiB of it, as
    /// in CUDA's default buffer.
    pub printed: String,
    /// Calls of `printf` whose text had to make room for later ones.
    pub printed_lost: u64,
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
    pub(crate) global: Global,
    /// What has been written of `global`.
    pub(crate) written: GlobalWritten,
    heap: Heap,
    instances: HashMap<u64, Instance>,
}

/// A launch that can begin.
pub(crate) struct Prepared {
    /// The kernel's index among the functions.
    pub(crate) kernel: u32,
    pub(crate) layout: SharedLayout,
    /// Static and dynamic, bytes.
    shared_bytes: u32,
    /// Of each device.
    parameters: Vec<Cells>,
}

impl Gpu {
    /// A GPU with empty memory.
    pub fn new(model: Model) -> Self {
        Gpu {
            global: Global::new(model.memory),
            written: GlobalWritten::default(),
            heap: Heap::default(),
            model,
            instances: HashMap::new(),
        }
    }

    /// The limits that launches are held to.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Allocates `bytes` zeroed bytes; their device address, a multiple of
    /// 256. Addresses are never used twice. For `check`, nobody has written
    /// them: on a GPU they would not be zero.
    ///
    /// # Errors
    ///
    /// `MemoryError::Full`; `MemoryError::Host`.
    pub fn alloc(&mut self, bytes: usize) -> Result<u64, MemoryError> {
        let base = self.global.allocate(bytes as u64, 1, None)?;
        let fresh = Written::nothing(bytes as u64);
        self.written.allocated(base, bytes as u64, fresh);
        Ok(base)
    }

    /// As `alloc`; reports call the allocation by this name: `input[17]`.
    ///
    /// # Errors
    ///
    /// `MemoryError::Full`; `MemoryError::Host`.
    pub fn alloc_named(&mut self, bytes: usize, name: &str) -> Result<u64, MemoryError> {
        let address = self.alloc(bytes)?;
        self.name(address, name)?;
        Ok(address)
    }

    /// Names an allocation by its address.
    ///
    /// # Errors
    ///
    /// `MemoryError::NotAllocated`.
    pub fn name(&mut self, address: u64, name: &str) -> Result<(), MemoryError> {
        self.global.name(address, name)
    }

    /// Frees an allocation by its address.
    ///
    /// # Errors
    ///
    /// `MemoryError::NotAllocated`.
    pub fn free(&mut self, address: u64) -> Result<(), MemoryError> {
        self.global.free(address)?;
        self.written.freed(address);
        Ok(())
    }

    /// Copies bytes to device memory.
    ///
    /// # Errors
    ///
    /// `MemoryError::NotAllocated` when they do not lie in one allocation.
    pub fn copy_in(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let length = bytes.len() as u64;
        let allocation = self.allocation(address, length)?;
        allocation.cells.write(address - allocation.base, bytes);
        self.written.write(address, length);
        Ok(())
    }

    /// Copies bytes from device memory.
    ///
    /// # Errors
    ///
    /// `MemoryError::NotAllocated` when they do not lie in one allocation.
    pub fn copy_out(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        let allocation = self.allocation(address, bytes.len() as u64)?;
        allocation.cells.read(address - allocation.base, bytes);
        Ok(())
    }

    /// The allocation that holds these bytes.
    fn allocation(&self, address: u64, bytes: u64) -> Result<&Allocation, MemoryError> {
        let found = self.global.find(address, bytes);
        found.ok_or(MemoryError::NotAllocated { address, bytes })
    }

    /// The device address and size in bytes of a module's `.global`
    /// variable; `None` when the program has none of this name.
    ///
    /// # Errors
    ///
    /// `MemoryError::Full` or `Host` when the module's variables do not fit.
    pub fn variable(
        &mut self,
        program: &Program,
        name: &str,
    ) -> Result<Option<(u64, u64)>, MemoryError> {
        self.place(program)?;
        let places = &self.instances[&program.id].places;
        let mut variables = program.code.variables.iter().zip(places);
        let found = variables.find(|(v, _)| v.name == name && v.space == Space::Global);
        Ok(found.map(|(variable, &place)| (place, variable.bytes)))
    }

    /// Runs a kernel to its end. `parameters` are the bytes of the kernel's
    /// parameters, in order; `shared_bytes` is dynamic shared memory.
    ///
    /// # Errors
    ///
    /// A shape or a parameter that does not fit, a fault, a deadlock or a
    /// livelock. Memory keeps what was written until then. As no checker
    /// watches what is written, all of it counts as written from then on.
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
        self.launch_with(program, kernel, shape, parameters, &options)
    }

    /// As `launch`, with options.
    ///
    /// # Errors
    ///
    /// As `launch`.
    // Not generic, as `check` and `count`: it is this crate's optimised code, also of a program
    // that is not optimised.
    pub fn launch_with(
        &mut self,
        program: &Program,
        kernel: &str,
        shape: Shape,
        parameters: &[&[u8]],
        options: &LaunchOptions,
    ) -> Result<Report, LaunchError> {
        self.launch_observed(program, kernel, shape, parameters, options, ())?
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
        observer: O,
    ) -> Result<Observed<O>, LaunchError> {
        if options.weak_memory && !O::VALUES {
            return Err(LaunchError::WeakMemory);
        }
        let prepared = self.prepare(program, kernel, shape, parameters, options)?;
        self.written.everything();
        Ok(self.run(program, prepared, shape, options, observer))
    }

    /// Checks a launch's arguments and places the module.
    pub(crate) fn prepare(
        &mut self,
        program: &Program,
        kernel: &str,
        shape: Shape,
        parameters: &[&[u8]],
        options: &LaunchOptions,
    ) -> Result<Prepared, LaunchError> {
        let Some(index) = program.entry(kernel) else {
            let known: Vec<&str> = program.kernels().collect();
            return Err(LaunchError::NoKernel {
                name: kernel.into(),
                known: known.join(", "),
            });
        };
        let layout = program
            .layout(index)
            .ok_or_else(|| LaunchError::shape("more than 4 GiB of static shared memory"))?;
        let total_shared = u64::from(layout.fixed) + u64::from(shape.shared_bytes);
        let function = &program.code.functions[index];
        shape.check(&self.model, function, total_shared)?;
        if options.peers.len() >= MAX_DEVICES {
            let text = format!(
                "{} devices, allowed are {MAX_DEVICES}",
                options.peers.len() + 1
            );
            return Err(LaunchError::shape(text));
        }
        let mut banks = vec![parameter_bank(function, parameters)?];
        for peer in &options.peers {
            let parameters: Vec<&[u8]> = peer.iter().map(Vec::as_slice).collect();
            banks.push(parameter_bank(function, &parameters)?);
        }
        self.place(program)?;
        Ok(Prepared {
            kernel: index as u32,
            layout,
            shared_bytes: total_shared as u32,
            parameters: banks,
        })
    }

    /// Runs a launch to its end, however that is.
    pub(crate) fn run<O: Observer>(
        &self,
        program: &Program,
        prepared: Prepared,
        shape: Shape,
        options: &LaunchOptions,
        mut observer: O,
    ) -> Observed<O> {
        let code = &program.code;
        let instance = &self.instances[&program.id];
        let launch = Launch {
            code,
            pool: relocated(code, instance, &prepared.layout),
            kernel: prepared.kernel,
            parameters: prepared.parameters,
            constants: &instance.constants,
            global: &self.global,
            heap: &self.heap,
            printed: Printed::default(),
            model: &self.model,
            grid: shape.grid,
            block: shape.block,
            shared_bytes: prepared.shared_bytes,
            dynamic_shared_bytes: shape.shared_bytes,
            options: options.clone(),
        };
        observer.launch(&LaunchInfo {
            kernel: code.functions[prepared.kernel as usize].name.clone(),
            grid: shape.grid,
            block: shape.block,
            shared_bytes: prepared.shared_bytes,
        });
        let (warp_instructions, observer, outcome) = launch.run(observer);
        let (printed, printed_lost) = launch.printed.take();
        Observed {
            report: Report {
                warp_instructions,
                printed,
                printed_lost,
            },
            observer,
            outcome,
        }
    }
}
