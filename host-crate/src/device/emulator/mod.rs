//! The emulator of PTX as a backend: the same PTX as on a GPU, run on the CPU.
//!
//! Launches are done when they return, and there is no time: events can be
//! recorded and waited for, but nothing lies between two of them. What there is
//! instead are [`Counts`]. A kernel that the emulator stops ends the device, as
//! it ends a CUDA context; another one can be opened beside it.
//!
//! How launches are watched is an [`Observation`]; what the modelled GPU allows
//! is in `model`, and what is refused gets its words in `refusal`.

mod checking;
mod counting;
mod graph;
mod launch;
mod model;
mod observation;
mod program;
mod refusal;
mod settings;
mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use checking::{Checking, Verdict, Verdicts};
pub use counting::{Counting, LastSteps};
pub use observation::{Launch, Observation, Unobserved};
pub use ptx_emulator;
pub use settings::Settings;

use ptx_emulator::{Gpu, MemoryError};

use self::graph::{Recording, Work};
use self::state::{Function, State};

use super::{
    Backend, Counts, DeviceProperties, EventHandle, FunctionAttributes, FunctionHandle,
    GraphHandle, HostMemory, Image, LaunchConfig, MemoryInfo, ModuleHandle,
};
use crate::{Error, Result};

/// Bytes that a fill or a copy within the device moves at once.
const CHUNK: usize = 1 << 16;

/// An emulated device.
pub struct Emulator {
    properties: DeviceProperties,
    settings: Settings,
    state: Mutex<State>,
}

impl Emulator {
    /// A device whose launches nobody watches.
    pub fn new(settings: Settings) -> Self {
        Self::observed(settings, Box::new(Unobserved))
    }

    /// A device whose launches `observation` makes and watches.
    pub fn observed(mut settings: Settings, observation: Box<dyn Observation>) -> Self {
        settings.model.memory = model::memory(settings.model.memory);
        let gpu = Arc::new(Mutex::new(Gpu::new(settings.model.clone())));
        Self::of_family(settings, gpu, 0, observation)
    }

    /// Devices of one machine, one for each observation: each has its own modules and work, and
    /// reaches the memory of the others, of which all together have the model's.
    pub fn family(
        mut settings: Settings,
        observations: impl IntoIterator<Item = Box<dyn Observation>>,
    ) -> Vec<Self> {
        settings.model.memory = model::memory(settings.model.memory);
        let gpu = Arc::new(Mutex::new(Gpu::new(settings.model.clone())));
        let numbered = (0..).zip(observations);
        let device = |(ordinal, observation)| {
            Self::of_family(settings.clone(), Arc::clone(&gpu), ordinal, observation)
        };
        numbered.map(device).collect()
    }

    fn of_family(
        settings: Settings,
        gpu: Arc<Mutex<Gpu>>,
        ordinal: u32,
        observation: Box<dyn Observation>,
    ) -> Self {
        Emulator {
            properties: DeviceProperties {
                ordinal,
                ..model::properties(&settings.model)
            },
            settings,
            state: Mutex::new(State::new(gpu, observation)),
        }
    }

    /// The state, whatever became of the device: for giving things back.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a device that no kernel has ended.
    fn enter(&self) -> Result<MutexGuard<'_, State>> {
        let state = self.state();
        match &state.stopped {
            Some((kernel, cause)) => Err(refusal::stopped(kernel, cause)),
            None => Ok(state),
        }
    }

    /// The state for something that a graph cannot hold.
    fn enter_to(&self, action: &'static str) -> Result<MutexGuard<'_, State>> {
        let mut state = self.enter()?;
        match &mut state.recording {
            Some(recording) => Err(recording.refuse(action)),
            None => Ok(state),
        }
    }

    /// What became of an allocation or a copy.
    fn of_memory<T>(&self, action: &str, done: std::result::Result<T, MemoryError>) -> Result<T> {
        done.map_err(|error| refusal::of_memory(action, error, &self.properties))
    }
}

impl Backend for Emulator {
    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(MemoryInfo {
            free: self.enter()?.gpu().free_memory(),
            total: self.properties.total_memory,
        })
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        let allocated = self.enter_to("allocate")?.gpu().alloc(bytes);
        self.of_memory("allocate", allocated)
    }

    unsafe fn free(&self, address: u64) -> Result<()> {
        self.of_memory("free", self.state().gpu().free(address))
    }

    fn alloc_host(&self, bytes: usize) -> Result<HostMemory> {
        drop(self.enter_to("allocate")?);
        HostMemory::ordinary(bytes)
    }

    unsafe fn write(&self, address: u64, source: &[u8]) -> Result<()> {
        let action = "copy to the device";
        self.of_memory(
            action,
            self.enter_to(action)?.gpu().copy_in(address, source),
        )
    }

    unsafe fn read(&self, address: u64, target: &mut [u8]) -> Result<()> {
        let action = "copy from the device";
        self.of_memory(
            action,
            self.enter_to(action)?.gpu().copy_out(address, target),
        )
    }

    unsafe fn fill(&self, address: u64, value: u8, bytes: usize) -> Result<()> {
        let mut state = self.enter()?;
        if let Some(recording) = &mut state.recording {
            recording.push(Work::Fill {
                address,
                value,
                bytes,
            });
            return Ok(());
        }
        let chunk = vec![value; bytes.min(CHUNK)];
        for (offset, length) in chunks(bytes) {
            let filled = state.gpu().copy_in(address + offset, &chunk[..length]);
            self.of_memory("fill", filled)?;
        }
        Ok(())
    }

    unsafe fn copy(&self, source: u64, target: u64, bytes: usize) -> Result<()> {
        let mut state = self.enter()?;
        if let Some(recording) = &mut state.recording {
            recording.push(Work::Copy {
                source,
                target,
                bytes,
            });
            return Ok(());
        }
        let mut chunk = vec![0; bytes.min(CHUNK)];
        for (offset, length) in chunks(bytes) {
            let part = &mut chunk[..length];
            let mut gpu = state.gpu();
            let copied = gpu.copy_out(source + offset, part);
            let copied = copied.and_then(|()| gpu.copy_in(target + offset, part));
            self.of_memory("copy", copied)?;
        }
        Ok(())
    }

    fn load(&self, image: Image<'_>) -> Result<ModuleHandle> {
        let mut state = self.enter()?;
        let program = match image {
            Image::Ptx(text) => program::load(text).map_err(|error| refusal::of_load(&error))?,
            Image::Cubin(_) => return Err(refusal::of_machine_code()),
        };
        let handle = ModuleHandle(state.handle());
        state.modules.insert(handle, Arc::new(program));
        Ok(handle)
    }

    unsafe fn unload(&self, module: ModuleHandle) -> Result<()> {
        let mut state = self.state();
        state.functions.retain(|_, known| known.module != module);
        if let Some(program) = state.modules.remove(&module) {
            state.gpu().unload(&program);
        }
        Ok(())
    }

    fn function(&self, module: ModuleHandle, entry: &str) -> Result<FunctionHandle> {
        let mut state = self.enter()?;
        let program = state.modules.get(&module).cloned();
        let program = program.filter(|program| program.parameters(entry).is_some());
        let program = program.ok_or_else(|| Error::unknown_kernel(entry))?;
        let attributes = program.attributes(entry);
        let too_large = attributes.and_then(|a| refusal::of_size(entry, &a, &self.properties));
        if let Some(refused) = too_large {
            return Err(refused);
        }
        let handle = FunctionHandle(state.handle());
        let function = Function {
            module,
            program,
            kernel: entry.to_owned(),
        };
        state.functions.insert(handle, function);
        Ok(handle)
    }

    fn attributes(&self, function: FunctionHandle) -> Result<FunctionAttributes> {
        let Function {
            program, kernel, ..
        } = self.enter()?.known(function)?;
        match program.attributes(&kernel) {
            Some(attributes) => Ok(model::attributes(&self.settings.model, &attributes)),
            None => Err(Error::UnknownKernel { kernel }),
        }
    }

    /// Every kernel may have what the model has.
    fn allow_dynamic_shared(&self, _function: FunctionHandle, _bytes: u32) -> Result<()> {
        self.enter().map(|_| ())
    }

    /// As many as the emulator gives turns to.
    fn resident_blocks(&self, function: FunctionHandle, threads: u32, shared: u32) -> Result<u32> {
        let declared = self.attributes(function)?.static_shared_bytes;
        let shared = declared.saturating_add(shared);
        let blocks = self.settings.model.resident_blocks(threads, shared);
        Ok(u32::try_from(blocks).unwrap_or(u32::MAX))
    }

    unsafe fn launch(
        &self,
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[&[u8]],
    ) -> Result<()> {
        self.run(function, config, parameters, &[])
    }

    fn family(&self) -> Option<usize> {
        Some(Arc::as_ptr(&self.state().gpu).addr())
    }

    unsafe fn launch_among(
        &self,
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[&[u8]],
        peers: &[Vec<&[u8]>],
    ) -> Result<()> {
        self.run(function, config, parameters, peers)
    }

    /// Launches are done when they return.
    fn synchronize(&self) -> Result<()> {
        self.enter_to("wait").map(|_| ())
    }

    fn create_event(&self) -> Result<EventHandle> {
        Ok(EventHandle(self.enter()?.handle()))
    }

    unsafe fn destroy_event(&self, _event: EventHandle) -> Result<()> {
        Ok(())
    }

    fn record_event(&self, _event: EventHandle) -> Result<()> {
        self.enter().map(|_| ())
    }

    fn synchronize_event(&self, _event: EventHandle) -> Result<()> {
        self.enter_to("wait").map(|_| ())
    }

    fn elapsed_ms(&self, _start: EventHandle, _end: EventHandle) -> Result<f64> {
        Err(Error::NoTimer {
            device: self.properties.name.clone(),
        })
    }

    fn has_graphs(&self) -> bool {
        true
    }

    fn begin_capture(&self) -> Result<()> {
        let mut state = self.enter_to("begin another graph")?;
        state.recording = Some(Recording::default());
        Ok(())
    }

    fn end_capture(&self) -> Result<GraphHandle> {
        let mut state = self.enter()?;
        let recording = state.recording.take();
        let recording = recording.ok_or_else(|| refusal::of("make a graph", "none was begun"))?;
        let work = recording.end()?;
        let handle = GraphHandle(state.handle());
        state.graphs.insert(handle, Arc::new(work));
        Ok(handle)
    }

    unsafe fn launch_graph(&self, graph: GraphHandle) -> Result<()> {
        let known = self.enter()?.graphs.get(&graph).cloned();
        let work = known.ok_or_else(|| refusal::of("launch a graph", "it was given back"))?;
        for part in work.iter() {
            // SAFETY: the caller's.
            unsafe { part.ask(self)? };
        }
        Ok(())
    }

    unsafe fn destroy_graph(&self, graph: GraphHandle) -> Result<()> {
        self.state().graphs.remove(&graph);
        Ok(())
    }

    fn take_counts(&self) -> Option<Counts> {
        let mut state = self.state();
        let mut counts = std::mem::take(&mut state.counts);
        counts += state.observation.take_counts();
        Some(counts)
    }
}

/// Offsets and lengths of the parts of so many bytes.
fn chunks(bytes: usize) -> impl Iterator<Item = (u64, usize)> {
    let starts = (0..bytes).step_by(CHUNK);
    starts.map(move |start| (start as u64, CHUNK.min(bytes - start)))
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod together_tests;
