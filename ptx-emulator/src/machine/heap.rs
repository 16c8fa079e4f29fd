//! The device heap: what `malloc` gives and `free` takes back.
//!
//! It lives as long as the GPU, so one launch may free what another one
//! allocated. Addresses are never used twice: a freed one stays in the map,
//! without its bytes, and tells a use after free.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::{Cells, HEAP_FIRST, SHARED_WINDOW};
use crate::error::FaultKind;

/// Bytes that may be allocated at once: CUDA's default of
/// `cudaLimitMallocHeapSize`.
const LIMIT: u64 = 8 << 20;
/// Every allocation begins at a multiple of it, and bytes that belong to
/// nobody follow each.
const ALIGNMENT: u64 = 16;

#[derive(Debug)]
struct Piece {
    length: u64,
    /// `None` when it was freed.
    cells: Option<Arc<Cells>>,
}

#[derive(Debug, Default)]
struct Pieces {
    by_address: BTreeMap<u64, Piece>,
    used: u64,
    /// Distance of the next piece from the start of the heap.
    next: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Heap {
    pieces: Mutex<Pieces>,
}

impl Heap {
    fn lock(&self) -> MutexGuard<'_, Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The address of `bytes` zeroed bytes; 0 when they do not fit, and for 0
    /// bytes.
    pub(crate) fn allocate(&self, bytes: u64) -> u64 {
        let mut pieces = self.lock();
        if bytes == 0 || bytes > LIMIT {
            return 0;
        }
        let size = bytes.next_multiple_of(ALIGNMENT);
        let address = HEAP_FIRST + pieces.next;
        if size > LIMIT - pieces.used || address + size + ALIGNMENT > SHARED_WINDOW {
            return 0;
        }
        let Some(cells) = Cells::try_zeroed(bytes) else {
            return 0;
        };
        pieces.used += size;
        pieces.next += size + ALIGNMENT;
        let piece = Piece {
            length: bytes,
            cells: Some(Arc::new(cells)),
        };
        pieces.by_address.insert(address, piece);
        address
    }

    /// Frees what `allocate` gave; says why it cannot.
    pub(crate) fn free(&self, address: u64) -> Result<(), String> {
        let mut pieces = self.lock();
        let Some(piece) = pieces.by_address.get_mut(&address) else {
            return Err(format!(
                "free of {address:#x}, which is no address that malloc gave"
            ));
        };
        if piece.cells.take().is_none() {
            return Err(format!("free of {address:#x}, which was freed before"));
        }
        let size = piece.length.next_multiple_of(ALIGNMENT);
        pieces.used -= size;
        Ok(())
    }

    /// The bytes that hold `bytes` bytes at `address`, and the offset there.
    pub(crate) fn find(&self, address: u64, bytes: u32) -> Result<(Arc<Cells>, u64), FaultKind> {
        let pieces = self.lock();
        let Some((base, piece)) = pieces.by_address.range(..=address).next_back() else {
            return Err(FaultKind::OutOfBounds {
                address,
                bytes,
                room: "global",
                near: "; nothing is allocated on the device heap".into(),
            });
        };
        let past = address - base;
        match &piece.cells {
            Some(cells) if cells.holds(past, bytes) => Ok((Arc::clone(cells), past)),
            None if past < piece.length => Err(FaultKind::UseAfterFree { address, bytes }),
            _ => Err(FaultKind::OutOfBounds {
                address,
                bytes,
                room: "global",
                near: format!(
                    "; {past} bytes from the start of a malloc of {} bytes",
                    piece.length
                ),
            }),
        }
    }
}
