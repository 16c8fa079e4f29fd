//! The GPU's memory as it was: to run a launch again from the same state.

use std::collections::HashMap;

use super::{Gpu, Instance};
use crate::check::written::GlobalWritten;
use crate::error::MemoryError;
use crate::machine::heap::Heap;
use crate::machine::memory::Global;

/// All memory of a GPU at one time. Bytes that are zero take no room.
#[derive(Debug)]
pub struct Snapshot {
    global: Global,
    heap: Heap,
    written: GlobalWritten,
    instances: HashMap<u64, Instance>,
}

fn copy_of(heap: &Heap) -> Result<Heap, MemoryError> {
    let bytes = heap.used();
    heap.copied().ok_or(MemoryError::Host { bytes })
}

fn copied(instances: &HashMap<u64, Instance>) -> Result<HashMap<u64, Instance>, MemoryError> {
    let copy = |(&id, instance): (&u64, &Instance)| {
        let full = MemoryError::Host {
            bytes: instance.constants.len(),
        };
        let copy = Instance {
            places: instance.places.clone(),
            constants: instance.constants.copied().ok_or(full)?,
        };
        Ok((id, copy))
    };
    instances.iter().map(copy).collect()
}

impl Gpu {
    /// Keeps all memory: allocations, their bytes, what has been written.
    ///
    /// # Errors
    ///
    /// `MemoryError::Host` when the host has no room.
    pub fn snapshot(&self) -> Result<Snapshot, MemoryError> {
        Ok(Snapshot {
            global: self.global.copied()?,
            heap: copy_of(&self.heap)?,
            written: self.written.clone(),
            instances: copied(&self.instances)?,
        })
    }

    /// Makes all memory what it was. Allocations made since are gone, those
    /// freed since are back; new ones still get addresses of their own.
    ///
    /// # Errors
    ///
    /// `MemoryError::Host` when the host has no room; then nothing changes.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), MemoryError> {
        let mut global = snapshot.global.copied()?;
        let instances = copied(&snapshot.instances)?;
        global.continue_behind(&self.global);
        let heap = copy_of(&snapshot.heap)?;
        heap.continue_behind(&self.heap);
        (self.global, self.heap, self.instances) = (global, heap, instances);
        self.written = snapshot.written.clone();
        Ok(())
    }
}
