//! A peer that is timed: its launches on the arrays that ours has, and the check of its
//! result.

use super::library::Peer;
use crate::workload::memory::Memory;
use crate::workload::operation::Operation;
use quadscan::Result;
use quadscan::device::Buffer;

/// A peer with scratch memory of its own, whose result is right.
pub struct Contestant<'a> {
    peer: &'a Peer,
    operation: Operation,
    scratch: Buffer<u8>,
}

impl<'a> Contestant<'a> {
    /// Launches a peer once and compares its results with what they have to be. `None`
    /// when it has not the operation, or not of so many elements; the inner Err says which
    /// result is another one.
    ///
    /// # Errors
    ///
    /// Those of [`Peer::enqueue`] and of memory.
    pub fn new(
        peer: &'a Peer,
        memory: &Memory,
    ) -> Result<Option<std::result::Result<Self, String>>> {
        let (size, device) = (memory.size(), memory.device());
        let operation = size.workload.operation(size.element);
        // Offsets are of 32 bits.
        let is_counted = !operation.has_offsets() || u32::try_from(size.n).is_ok();
        if !peer.has(operation) || !is_counted {
            return Ok(None);
        }
        memory.restore()?;
        let bytes = peer.scratch_bytes(device, operation, size.n, size.segments())?;
        let contestant = Contestant {
            peer,
            operation,
            scratch: device.alloc(bytes)?,
        };
        contestant.launch(memory, 0)?;
        let wrong = memory.difference()?;
        Ok(Some(match wrong {
            None => Ok(contestant),
            Some(wrong) => Err(format!(
                "{operation} of {} is wrong: {wrong}",
                peer.interface.name()
            )),
        }))
    }

    /// The peer.
    pub fn peer(&self) -> &'a Peer {
        self.peer
    }

    /// Asks the device for the operation on a part of the memory.
    ///
    /// # Errors
    ///
    /// Those of [`Peer::enqueue`].
    pub fn launch(&self, memory: &Memory, part: u64) -> Result<()> {
        let scratch = (self.scratch.address(), self.scratch.len());
        // SAFETY: `Memory` has every part in the operation's sizes, its offsets ascend to
        // n, and the scratch is this contestant's own, as large as was asked for, whose
        // launches are one after the other. A device gives nothing back while one of its
        // graphs lives.
        unsafe {
            let (device, call) = (memory.device(), memory.call(part));
            self.peer.enqueue(device, self.operation, scratch, call)
        }
    }
}
