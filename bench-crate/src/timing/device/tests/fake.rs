//! A device whose only work is time: launches take what they are told to, and its
//! clocks are written down beforehand.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadscan::device::emulator::Emulator;
use quadscan::device::{
    Backend, Device, DeviceProperties, EventHandle, FunctionAttributes, FunctionHandle,
    GraphHandle, Image, LaunchConfig, MemoryInfo, ModuleHandle,
};
use quadscan::{Error, Result};

/// What happened on the device, and how long it takes.
#[derive(Default)]
pub(super) struct State {
    now: f64,
    events: Vec<f64>,
    recording: Option<Vec<f64>>,
    graphs: Vec<Vec<f64>>,
    pub(super) launches: usize,
    pub(super) graph_launches: usize,
    pub(super) fills: Vec<(u8, usize)>,
    pub(super) allocated: Vec<usize>,
}

/// The device's state, from outside of it.
#[derive(Clone, Default)]
pub(super) struct Clockwork(Arc<Mutex<State>>);

impl Clockwork {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work of `ms`, as a launch would ask for it.
    pub(super) fn work(&self, ms: f64) -> Result<()> {
        let mut state = self.state();
        match &mut state.recording {
            Some(recording) => recording.push(ms),
            None => {
                state.launches += 1;
                state.now += ms;
            }
        }
        Ok(())
    }

    /// A device on which every event takes `event_ms`.
    pub(super) fn device(&self, has_graphs: bool, l2_cache: Option<u32>, event_ms: f64) -> Device {
        let mut properties = Emulator::new(Default::default()).properties().clone();
        properties.l2_cache = l2_cache;
        properties.has_timer = true;
        Device::from_backend(Box::new(Timepiece {
            properties,
            clockwork: self.clone(),
            has_graphs,
            event_ms,
        }))
    }
}

struct Timepiece {
    properties: DeviceProperties,
    clockwork: Clockwork,
    has_graphs: bool,
    event_ms: f64,
}

impl Backend for Timepiece {
    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Ok(MemoryInfo { free: 0, total: 0 })
    }

    fn alloc(&self, bytes: usize) -> Result<u64> {
        self.clockwork.state().allocated.push(bytes);
        Ok(256)
    }

    unsafe fn free(&self, _address: u64) -> Result<()> {
        Ok(())
    }

    unsafe fn write(&self, _address: u64, _source: &[u8]) -> Result<()> {
        Ok(())
    }

    unsafe fn read(&self, _address: u64, _target: &mut [u8]) -> Result<()> {
        Ok(())
    }

    unsafe fn fill(&self, _address: u64, value: u8, bytes: usize) -> Result<()> {
        let mut state = self.clockwork.state();
        state.fills.push((value, bytes));
        state.now += 1.0;
        Ok(())
    }

    unsafe fn copy(&self, _source: u64, _target: u64, _bytes: usize) -> Result<()> {
        Ok(())
    }

    fn load(&self, _image: Image<'_>) -> Result<ModuleHandle> {
        Ok(ModuleHandle(1))
    }

    unsafe fn unload(&self, _module: ModuleHandle) -> Result<()> {
        Ok(())
    }

    fn function(&self, _module: ModuleHandle, entry: &str) -> Result<FunctionHandle> {
        Err(Error::UnknownKernel {
            kernel: entry.to_owned(),
        })
    }

    fn attributes(&self, _function: FunctionHandle) -> Result<FunctionAttributes> {
        panic!("it has no kernels")
    }

    fn allow_dynamic_shared(&self, _function: FunctionHandle, _bytes: u32) -> Result<()> {
        Ok(())
    }

    fn resident_blocks(&self, _: FunctionHandle, _: u32, _: u32) -> Result<u32> {
        panic!("it has no kernels")
    }

    unsafe fn launch(
        &self,
        _function: FunctionHandle,
        _config: &LaunchConfig,
        _parameters: &[&[u8]],
    ) -> Result<()> {
        panic!("it has no kernels")
    }

    fn synchronize(&self) -> Result<()> {
        match self.clockwork.state().recording {
            None => Ok(()),
            Some(_) => Err(Error::Driver {
                call: "cuStreamSynchronize",
                code: 900,
                name: "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED".into(),
                text: "not while work is recorded".into(),
            }),
        }
    }

    fn create_event(&self) -> Result<EventHandle> {
        let mut state = self.clockwork.state();
        state.events.push(f64::NAN);
        Ok(EventHandle(state.events.len() as u64 - 1))
    }

    unsafe fn destroy_event(&self, _event: EventHandle) -> Result<()> {
        Ok(())
    }

    fn record_event(&self, event: EventHandle) -> Result<()> {
        let mut state = self.clockwork.state();
        state.events[event.0 as usize] = state.now;
        state.now += self.event_ms;
        Ok(())
    }

    fn synchronize_event(&self, _event: EventHandle) -> Result<()> {
        Ok(())
    }

    fn elapsed_ms(&self, start: EventHandle, end: EventHandle) -> Result<f64> {
        let state = self.clockwork.state();
        Ok(state.events[end.0 as usize] - state.events[start.0 as usize])
    }

    fn has_graphs(&self) -> bool {
        self.has_graphs
    }

    fn begin_capture(&self) -> Result<()> {
        self.clockwork.state().recording = Some(Vec::new());
        Ok(())
    }

    fn end_capture(&self) -> Result<GraphHandle> {
        let mut state = self.clockwork.state();
        let recording = state.recording.take().unwrap_or_default();
        state.graphs.push(recording);
        Ok(GraphHandle(state.graphs.len() as u64 - 1))
    }

    unsafe fn launch_graph(&self, graph: GraphHandle) -> Result<()> {
        let mut state = self.clockwork.state();
        state.graph_launches += 1;
        let ms: f64 = state.graphs[graph.0 as usize].iter().sum();
        state.now += ms;
        Ok(())
    }

    unsafe fn destroy_graph(&self, _graph: GraphHandle) -> Result<()> {
        Ok(())
    }
}
