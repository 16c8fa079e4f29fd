//! An access of a warp to memory: addresses of lanes to bytes, after the
//! checks that a GPU makes. The groups `memory` and `atomic` are built on it;
//! so is whatever else touches memory (`cp.async`, `mbarrier`).

use super::launch::Launch;
use super::memory::{
    CONSTANT_WINDOW, Cells, HEAP_FIRST, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW,
};
use super::path::{Path, Paths};
use super::warp::{Context, LaneFault, Lanes};
use crate::error::FaultKind;
use crate::exec::Value;
use crate::ir::{Address, Base, LANES, Room};
use crate::observe::{AccessKind, Memory, MemoryAccess, Observer, Order, Scope};

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
    pub(crate) pc: u32,
}

/// Makes the access in one space, for the lanes of the mask.
pub(crate) type Part<'f, O> = dyn FnMut(&mut Context<'_, O>, &mut Lanes, Room, &[u64; LANES], u32) -> Result<(), LaneFault>
    + 'f;

/// The address of each lane.
#[inline(always)]
pub(crate) fn addresses<O>(
    context: &Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    address: &Address,
) -> [u64; LANES] {
    let mut out = [0; LANES];
    let frame = warp.registers.frame(path, &context.launch.pool);
    match address.base {
        Base::W64(source) => {
            let row = u64::row(&frame, source);
            for (out, base) in out.iter_mut().zip(row.0) {
                *out = base.wrapping_add(address.offset as u64);
            }
        }
        Base::W32(source) => {
            let row = u32::row(&frame, source);
            for (out, base) in out.iter_mut().zip(row.0) {
                *out = u64::from(base.wrapping_add(address.offset as u32));
            }
        }
        Base::Frame => {
            out = [u64::from(path.bases.local).wrapping_add(address.offset as u64); LANES]
        }
    }
    out
}

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

pub(crate) fn memory_of(room: Room) -> Memory {
    match room {
        Room::Generic | Room::Global => Memory::Global,
        Room::Shared => Memory::Shared,
        Room::Local => Memory::Local,
        Room::Constant => Memory::Constant,
        Room::Parameter => Memory::Parameter,
    }
}

/// Byte `offset` of lane `lane` in the interleaved local memory.
#[inline(always)]
pub(crate) fn interleaved(offset: u64, lane: usize) -> u64 {
    offset / 8 * 256 + lane as u64 * 8 + offset % 8
}

/// Calls `f` for each active lane with the bytes that hold its address, after
/// the checks that a GPU makes. `bytes` is the whole access of a lane, which
/// must be aligned to it; `part` is what `f` touches at a time.
#[inline(always)]
pub(crate) fn each_lane<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    room: Room,
    addresses: &[u64; LANES],
    lanes: u32,
    bytes: u32,
    mut f: impl FnMut(usize, &Cells, u64),
) -> Result<(), LaneFault> {
    let launch = context.launch;
    let mut rest = lanes;
    match room {
        Room::Global => {
            let mut allocation = launch.global.get(warp.last_allocation);
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let address = addresses[lane];
                let inside = |base: u64, length: u64| {
                    address.wrapping_sub(base) <= length.wrapping_sub(u64::from(bytes))
                };
                let fits = allocation.is_some_and(|a| {
                    !a.freed && u64::from(bytes) <= a.length && inside(a.base, a.length)
                });
                if !fits && address >= HEAP_FIRST {
                    on_heap(launch, address, bytes, |cells, at| f(lane, cells, at))
                        .map_err(|kind| (lane as u32, kind))?;
                    continue;
                }
                if !fits {
                    let below = launch.global.below(address);
                    allocation = below.and_then(|index| launch.global.get(index));
                    let fits = allocation.is_some_and(|a| {
                        !a.freed && u64::from(bytes) <= a.length && inside(a.base, a.length)
                    });
                    if !fits {
                        return Err((lane as u32, launch.global.fault(address, bytes)));
                    }
                    warp.last_allocation = below.unwrap_or(0);
                }
                if address & u64::from(bytes - 1) != 0 {
                    return Err((
                        lane as u32,
                        FaultKind::Misaligned {
                            address,
                            bytes,
                            room: "global",
                        },
                    ));
                }
                if let Some(allocation) = allocation {
                    f(lane, &allocation.cells, address - allocation.base);
                }
            }
        }
        Room::Shared | Room::Constant | Room::Parameter => {
            let (cells, name) = match room {
                Room::Shared => (&context.block.shared, "shared"),
                Room::Constant => (launch.constants, "const"),
                _ => (&launch.parameters, "param"),
            };
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let address = addresses[lane];
                if !cells.holds(address, bytes) {
                    let near = format!("; the space has {} bytes", cells.len());
                    return Err((
                        lane as u32,
                        FaultKind::OutOfBounds {
                            address,
                            bytes,
                            room: name,
                            near,
                        },
                    ));
                }
                if address & u64::from(bytes - 1) != 0 {
                    return Err((
                        lane as u32,
                        FaultKind::Misaligned {
                            address,
                            bytes,
                            room: name,
                        },
                    ));
                }
                f(lane, cells, address);
            }
        }
        Room::Local => {
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let address = addresses[lane];
                let length = warp.local_bytes;
                if u64::from(bytes) > length || address > length - u64::from(bytes) {
                    let near = format!("; the thread has {length} bytes");
                    return Err((
                        lane as u32,
                        FaultKind::OutOfBounds {
                            address,
                            bytes,
                            room: "local",
                            near,
                        },
                    ));
                }
                if address & u64::from(bytes - 1) != 0 {
                    return Err((
                        lane as u32,
                        FaultKind::Misaligned {
                            address,
                            bytes,
                            room: "local",
                        },
                    ));
                }
                f(lane, &warp.local, interleaved(address, lane));
            }
        }
        Room::Generic => unreachable_generic(),
    }
    Ok(())
}

/// Calls `f` with the bytes of the device heap that hold an address.
fn on_heap(
    launch: &Launch<'_>,
    address: u64,
    bytes: u32,
    f: impl FnOnce(&Cells, u64),
) -> Result<(), FaultKind> {
    let (cells, at) = launch.heap.find(address, bytes)?;
    if address & u64::from(bytes - 1) != 0 {
        return Err(FaultKind::Misaligned {
            address,
            bytes,
            room: "global",
        });
    }
    f(&cells, at);
    Ok(())
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
    let name = if room == Room::Shared {
        "shared"
    } else {
        "global"
    };
    if !address.is_multiple_of(u64::from(align)) {
        return Err(FaultKind::Misaligned {
            address,
            bytes: align,
            room: name,
        });
    }
    if room == Room::Shared {
        if shared.holds(address, bytes) {
            return Ok(f(shared, address));
        }
        return Err(FaultKind::OutOfBounds {
            address,
            bytes,
            room: name,
            near: format!("; the space has {} bytes", shared.len()),
        });
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
    for (lane, address) in addresses.iter_mut().enumerate() {
        if lanes >> lane & 1 != 0 {
            let (own, offset) = generic(*address);
            if own != Room::Shared {
                let text = format!("{address:#x} is not an address of shared memory");
                return Err((lane as u32, FaultKind::Undefined(text)));
            }
            *address = offset;
        }
    }
    Ok(addresses)
}

/// Generic addresses are sorted into spaces by `by_room` before `each_lane`.
fn unreachable_generic() {
    debug_assert!(false, "a generic access that was not divided by space");
}

/// Divides the lanes of an access by the space that their addresses are in,
/// tells the observer, and runs `f` on each part.
#[inline(always)]
pub(crate) fn by_room<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    request: &Request,
    mut addresses: [u64; LANES],
    lanes: u32,
    f: &mut Part<'_, O>,
) -> Result<(), LaneFault> {
    let Request {
        room,
        kind,
        order,
        scope,
        bytes,
        element,
        pc,
    } = *request;
    let mut part = |context: &mut Context<'_, O>,
                    warp: &mut Lanes,
                    room: Room,
                    addresses: &[u64; LANES],
                    lanes: u32| {
        if kind != AccessKind::Load && matches!(room, Room::Constant | Room::Parameter) {
            let room = if room == Room::Constant {
                "const"
            } else {
                "param"
            };
            return Err((lanes.trailing_zeros(), FaultKind::ReadOnly { room }));
        }
        if O::MEMORY {
            let site = context.block.site(pc, warp.index);
            let access = MemoryAccess {
                kind,
                memory: memory_of(room),
                addresses,
                lanes,
                bytes,
                element,
                order,
                scope,
            };
            context.observer.access(site, &access);
        }
        f(context, warp, room, addresses, lanes)
    };
    if room != Room::Generic {
        return part(context, warp, room, &addresses, lanes);
    }
    let mut rest = lanes;
    while rest != 0 {
        let (room, _) = generic(addresses[Paths::first_lane(rest)]);
        let mut same = 0u32;
        for (lane, address) in addresses.iter_mut().enumerate() {
            if rest >> lane & 1 != 0 {
                let (own, offset) = generic(*address);
                if own == room {
                    same |= 1 << lane;
                    *address = offset;
                }
            }
        }
        part(context, warp, room, &addresses, same)?;
        rest &= !same;
    }
    Ok(())
}
