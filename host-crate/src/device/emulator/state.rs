//! The state of an emulated device: memory, code, recordings, counts, and how it ended.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptx_emulator::{Gpu, LaunchError, Program};

use super::graph::{Recording, Work};
use super::{Observation, refusal};
use crate::Result;
use crate::device::{Counts, FunctionHandle, GraphHandle, ModuleHandle};

/// What an emulated device has, under its lock.
pub(super) struct State {
    /// Memory, and what runs in it: that of all devices of one [`family`](super::Emulator::family).
    pub(super) gpu: Arc<Mutex<Gpu>>,
    pub(super) observation: Box<dyn Observation>,
    pub(super) modules: HashMap<ModuleHandle, Arc<Program>>,
    pub(super) functions: HashMap<FunctionHandle, Function>,
    /// Work that is recorded and not done, while a graph is made.
    pub(super) recording: Option<Recording>,
    pub(super) graphs: HashMap<GraphHandle, Arc<Vec<Work>>>,
    /// Of modules, functions, events and graphs.
    pub(super) last_handle: u64,
    pub(super) counts: Counts,
    /// The kernel that ended the device, and how.
    pub(super) stopped: Option<(String, LaunchError)>,
}

/// A kernel that was looked up.
#[derive(Clone)]
pub(super) struct Function {
    pub(super) module: ModuleHandle,
    pub(super) program: Arc<Program>,
    pub(super) kernel: String,
}

impl State {
    pub(super) fn new(gpu: Arc<Mutex<Gpu>>, observation: Box<dyn Observation>) -> Self {
        Self {
            gpu,
            observation,
            modules: HashMap::new(),
            functions: HashMap::new(),
            recording: None,
            graphs: HashMap::new(),
            last_handle: 0,
            counts: Counts::default(),
            stopped: None,
        }
    }

    pub(super) fn gpu(&self) -> MutexGuard<'_, Gpu> {
        self.gpu.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn handle(&mut self) -> u64 {
        self.last_handle += 1;
        self.last_handle
    }

    pub(super) fn known(&self, function: FunctionHandle) -> Result<Function> {
        let function = self.functions.get(&function).cloned();
        function.ok_or_else(|| refusal::of("use a kernel", "its module was unloaded"))
    }
}
