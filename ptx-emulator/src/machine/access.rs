//! An access of a warp to memory: addresses of lanes to bytes, after the
//! checks that a GPU makes. The groups `memory` and `atomic` are built on it;
//! so is whatever else touches memory (`cp.async`, `mbarrier`).

use super::issue::Issue;
use super::launch::Launch;
use super::memory::{
    Allocation, CONSTANT_WINDOW, Cells, HEAP_FIRST, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW,
    WINDOW,
};
use super::path::{Bases, Paths};
use super::warp::LaneFault;
use crate::error::FaultKind;
use crate::ir::{Address, Base, LANES, Room, Value, lanes_of};
use crate::observe::{AccessKind, MemoryAccess, Observer, Order, Scope};

/// What an instruction asks of memory.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Request {
    pub(crate) room: Room,
    pub(crate) kind: AccessKind,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
    /// Of one lane, vector included.
    pub(crate) bytes: u32,
    /// Of one element.
    pub(crate) element: u32,
    /// Of `ld`, `st`, `atom` or `red`: observers may see its values.
    pub(crate) values: bool,
}

impl Request {
    /// As observers see it.
    #[inline(always)]
    pub(super) fn seen<'a>(
        &self,
        room: Room,
        addresses: &'a [u64; LANES],
        lanes: u32,
        bases: Bases,
    ) -> MemoryAccess<'a> {
        MemoryAccess {
            kind: self.kind,
            memory: room.memory(),
            addresses,
            lanes,
            bytes: self.bytes,
            element: self.element,
            order: self.order,
            scope: self.scope,
            values: self.values,
            rows: bases.rows(),
        }
    }
}

/// Makes the access in one space, for the lanes of the mask.
pub(crate) type Part<'f, 'i, 'l, O> =
    dyn FnMut(&mut Issue<'i, 'l, O>, Room, &[u64; LANES], u32) -> Result<(), LaneFault> + 'f;

/// The space and the offset in it of a generic address.
#[inline(always)]
pub(crate) fn generic(address: u64) -> (Room, u64) {
    if address < SHARED_WINDOW {
        return (Room::Global, address);
    }
    for (window, room) in [
        (SHARED_WINDOW, Room::Shared),
        (LOCAL_WINDOW, Room::Local),
        (CONSTANT_WINDOW, Room::Constant),
        (PARAMETER_WINDOW, Room::Parameter),
    ] {
        if address >= window && address - window < WINDOW {
            return (room, address - window);
        }
    }
    (Room::Global, address)
}

/// Byte `offset` of lane `lane` in the interleaved local memory.
#[inline(always)]
pub(crate) fn interleaved(offset: u64, lane: usize) -> u64 {
    offset / 8 * 256 + lane as u64 * 8 + offset % 8
}

/// An address is a multiple of `bytes`, a power of two.
#[inline(always)]
fn aligned(room: Room, address: u64, bytes: u32) -> Result<(), FaultKind> {
    if address & u64::from(bytes - 1) != 0 {
        let room = room.name();
        return Err(FaultKind::Misaligned {
            address,
            bytes,
            room,
        });
    }
    Ok(())
}

/// Bytes lie within a space of `length` bytes, and are aligned.
#[inline(always)]
fn within(room: Room, length: u64, address: u64, bytes: u32) -> Result<(), FaultKind> {
    if u64::from(bytes) > length || address > length - u64::from(bytes) {
        return Err(beyond(room, length, address, bytes));
    }
    aligned(room, address, bytes)
}

#[cold]
fn beyond(room: Room, length: u64, address: u64, bytes: u32) -> FaultKind {
    let whose = if room == Room::Local {
        "thread"
    } else {
        "space"
    };
    FaultKind::OutOfBounds {
        address,
        bytes,
        room: room.name(),
        near: format!("; the {whose} has {length} bytes"),
    }
}

/// Calls `f` with the bytes of global or shared memory that hold `bytes`
/// bytes, any number, at a multiple of `align`.
pub(crate) fn with_bytes<R>(
    launch: &Launch<'_>,
    shared: &Cells,
    (room, address): (Room, u64),
    bytes: u32,
    align: u32,
    f: impl FnOnce(&Cells, u64) -> R,
) -> Result<R, FaultKind> {
    aligned(room, address, align)?;
    if room == Room::Shared {
        if shared.holds(address, bytes) {
            return Ok(f(shared, address));
        }
        return Err(beyond(room, shared.len(), address, bytes));
    }
    if address >= HEAP_FIRST {
        let (cells, at) = launch.heap.find(address, bytes)?;
        return Ok(f(&cells, at));
    }
    match launch.global.find(address, u64::from(bytes)) {
        Some(allocation) => Ok(f(&allocation.cells, address - allocation.base)),
        None => Err(launch.global.fault(address, bytes)),
    }
}

/// Offsets in the block's shared memory of addresses that must lie there.
pub(crate) fn shared_offsets(
    room: Room,
    mut addresses: [u64; LANES],
    lanes: u32,
) -> Result<[u64; LANES], LaneFault> {
    if room == Room::Shared {
        return Ok(addresses);
    }
    for lane in lanes_of(lanes) {
        let address = &mut addresses[lane];
        let (own, offset) = generic(*address);
        if own != Room::Shared {
            let text = format!("{address:#x} is not an address of shared memory");
            return Err((lane as u32, FaultKind::Undefined(text)));
        }
        *address = offset;
    }
    Ok(addresses)
}

impl<'i, 'l, O: Observer> Issue<'i, 'l, O> {
    /// The address of each lane.
    #[inline(always)]
    pub(crate) fn addresses(&mut self, address: &Address) -> [u64; LANES] {
        let mut out = [0; LANES];
        match address.base {
            Base::W64(source) => {
                let frame = self.frame();
                for (out, base) in out.iter_mut().zip(&u64::row(&frame, source).0) {
                    *out = base.wrapping_add(address.offset as u64);
                }
            }
            Base::W32(source) => {
                let frame = self.frame();
                for (out, base) in out.iter_mut().zip(&u32::row(&frame, source).0) {
                    *out = u64::from(base.wrapping_add(address.offset as u32));
                }
            }
            Base::Frame => {
                let base = u64::from(self.path.bases.local);
                out = [base.wrapping_add(address.offset as u64); LANES];
            }
        }
        out
    }

    /// Calls `f` for each of these lanes with the bytes that hold its address,
    /// after the checks that a GPU makes. `bytes` is the whole access of a
    /// lane, which must be aligned to it; `f` may touch a part of them.
    #[inline(always)]
    pub(crate) fn each_lane(
        &mut self,
        room: Room,
        addresses: &[u64; LANES],
        lanes: u32,
        bytes: u32,
        mut f: impl FnMut(usize, &Cells, u64),
    ) -> Result<(), LaneFault> {
        let launch = self.context.launch;
        let cells = match room {
            // A generic access has been divided by space: `by_room`.
            Room::Global | Room::Generic => return self.each_global(addresses, lanes, bytes, f),
            Room::Local => {
                let length = self.warp.local_bytes;
                for lane in lanes_of(lanes) {
                    let address = addresses[lane];
                    within(room, length, address, bytes).map_err(|kind| (lane as u32, kind))?;
                    f(lane, &self.warp.local, interleaved(address, lane));
                }
                return Ok(());
            }
            Room::Shared => &self.context.block.shared,
            Room::Constant => launch.constants,
            Room::Parameter => &launch.parameters[self.context.block.device],
        };
        for lane in lanes_of(lanes) {
            let address = addresses[lane];
            within(room, cells.len(), address, bytes).map_err(|kind| (lane as u32, kind))?;
            f(lane, cells, address);
        }
        Ok(())
    }

    #[inline(always)]
    fn each_global(
        &mut self,
        addresses: &[u64; LANES],
        lanes: u32,
        bytes: u32,
        mut f: impl FnMut(usize, &Cells, u64),
    ) -> Result<(), LaneFault> {
        let launch = self.context.launch;
        let mut allocation = launch.global.get(self.warp.last_allocation);
        for lane in lanes_of(lanes) {
            let address = addresses[lane];
            let fault = |kind| (lane as u32, kind);
            let holds = |a: &&Allocation| {
                let inside = a.length.wrapping_sub(u64::from(bytes));
                !a.freed && u64::from(bytes) <= a.length && address.wrapping_sub(a.base) <= inside
            };
            let known = allocation.filter(holds);
            if known.is_none() && address >= HEAP_FIRST {
                let (cells, at) = launch.heap.find(address, bytes).map_err(fault)?;
                aligned(Room::Global, address, bytes).map_err(fault)?;
                f(lane, &cells, at);
                continue;
            }
            let found = match known {
                Some(found) => found,
                None => {
                    let below = launch.global.below(address);
                    let found = below.and_then(|index| launch.global.get(index));
                    let found = found.filter(holds);
                    let found = found.ok_or_else(|| fault(launch.global.fault(address, bytes)))?;
                    self.warp.last_allocation = below.unwrap_or(0);
                    allocation = Some(found);
                    found
                }
            };
            aligned(Room::Global, address, bytes).map_err(fault)?;
            f(lane, &found.cells, address - found.base);
        }
        Ok(())
    }

    /// Divides the lanes of an access by the space that their addresses are in,
    /// tells the observer, and runs `f` on each part.
    #[inline(always)]
    pub(crate) fn by_room(
        &mut self,
        request: &Request,
        mut addresses: [u64; LANES],
        f: &mut Part<'_, 'i, 'l, O>,
    ) -> Result<(), LaneFault> {
        if request.room != Room::Generic {
            return self.part(request, request.room, &addresses, self.lanes, f);
        }
        let mut rest = self.lanes;
        while rest != 0 {
            let (room, _) = generic(addresses[Paths::first_lane(rest)]);
            let mut same = 0u32;
            for lane in lanes_of(rest) {
                let (own, offset) = generic(addresses[lane]);
                if own == room {
                    same |= 1 << lane;
                    addresses[lane] = offset;
                }
            }
            self.part(request, room, &addresses, same, f)?;
            rest &= !same;
        }
        Ok(())
    }

    #[inline(always)]
    fn part(
        &mut self,
        request: &Request,
        room: Room,
        addresses: &[u64; LANES],
        lanes: u32,
        f: &mut Part<'_, 'i, 'l, O>,
    ) -> Result<(), LaneFault> {
        if request.kind != AccessKind::Load && matches!(room, Room::Constant | Room::Parameter) {
            let room = room.name();
            return Err((lanes.trailing_zeros(), FaultKind::ReadOnly { room }));
        }
        self.show(request, room, addresses, lanes);
        f(self, room, addresses, lanes)
    }

    /// Shows an access to the observer.
    #[inline(always)]
    pub(crate) fn show(
        &mut self,
        request: &Request,
        room: Room,
        addresses: &[u64; LANES],
        lanes: u32,
    ) {
        if !O::MEMORY {
            return;
        }
        let access = request.seen(room, addresses, lanes, self.path.bases);
        self.context.observer.access(self.site(), &access);
    }
}
