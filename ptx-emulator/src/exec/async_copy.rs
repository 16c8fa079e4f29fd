//! Copies that end later: `cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`,
//! `st.async`, `red.async`
//! (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy").
//!
//! What is wrong with an address or a size is a fault of the instruction; when
//! the copy is made is up to `machine::transfer`. A cluster is one block, so
//! `.shared::cluster` is the block's own shared memory.

mod bulk;
mod store;

use super::{Group, Value, atomic, predicate};
use crate::ast::{Number, Operand, Type};
use crate::error::FaultKind;
use crate::ir::{Address, Class, LANES, Op, Operands, Room, Source};
use crate::lower::decoder::{Decoded, Decoder, Reason};
use crate::machine::access::{addresses, shared_offsets, with_bytes};
use crate::machine::mbarrier;
use crate::machine::path::Path;
use crate::machine::transfer::{self, Copy, Family, Step, Transfer};
use crate::machine::warp::{Context, LaneFault, Lanes};
use crate::observe::{AccessKind, MemoryAccess, Observer, Order, Scope};

pub(crate) const GROUP: Group = Group {
    name: "async_copy",
    opcodes: &[
        (
            "cp",
            ".async .ca .cg .shared.global of 4, 8, 16 bytes, with src-size or ignore-src, .commit_group .wait_group .wait_all .mbarrier.arrive .noinc; .async.bulk between global and shared, .commit_group .wait_group .read .prefetch.L2; .reduce.async.bulk .add .min .max .inc .dec .and .or .xor of 32 and 64 bits; cache hints; no tensors",
        ),
        (
            "st",
            ".async .shared::cluster .mbarrier::complete_tx::bytes; .v2 .v4; of 32 and 64 bits",
        ),
        (
            "red",
            ".async .relaxed.cluster .shared::cluster .mbarrier::complete_tx::bytes; .add .min .max .inc .dec .and .or .xor of integers",
        ),
    ],
    decode,
};

/// An instruction of the group.
#[derive(Clone, Debug)]
pub(crate) enum Asynchronous {
    Copy {
        to: Address,
        from: Address,
        bytes: u32,
        limit: Limit,
    },
    Bulk(bulk::Bulk),
    Store(store::Store),
    Prefetch {
        from: Address,
        room: Room,
        size: Source,
    },
    Commit(Family),
    Wait {
        family: Family,
        left: u32,
        read_only: bool,
        /// The open group is waited for too.
        commits: bool,
    },
    Arrive {
        at: Address,
        room: Room,
        increments: bool,
    },
}

/// How many bytes of the source are read.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Limit {
    All,
    /// So many.
    Size(Source),
    /// None where the predicate is true.
    Ignored(Source),
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    if d.opcode() != "cp" {
        return Ok(Decoded {
            op: Op::Asynchronous(Box::new(Asynchronous::Store(store::decode(d)?))),
            operands: Operands::default(),
            class: Class::Memory,
        });
    }
    let reduces = d.take("reduce");
    if !d.take("async") {
        return Err(d.unknown_modifier());
    }
    let asynchronous = if d.take("bulk") {
        if reduces {
            Asynchronous::Bulk(bulk::decode(d, true)?)
        } else {
            decode_bulk(d)?
        }
    } else if reduces {
        return Err(d.unknown_modifier());
    } else {
        decode_lane(d)?
    };
    Ok(Decoded {
        op: Op::Asynchronous(Box::new(asynchronous)),
        operands: Operands::default(),
        class: Class::Memory,
    })
}

/// The constant in operand `index`.
fn constant(d: &Decoder<'_, '_>, index: usize) -> Result<u32, Reason> {
    match d.operand(index)? {
        Operand::Number(Number::Integer(value)) => {
            u32::try_from(*value).map_err(|_| format!("{value} is no number of groups or bytes"))
        }
        _ => Err("a constant is expected".into()),
    }
}

fn decode_bulk(d: &mut Decoder<'_, '_>) -> Result<Asynchronous, Reason> {
    let family = Family::Bulk;
    match d.peek() {
        Some("commit_group") => {
            d.take("commit_group");
            d.finish(0)?;
            Ok(Asynchronous::Commit(family))
        }
        Some("wait_group") => {
            d.take("wait_group");
            let read_only = d.take("read");
            d.finish(1)?;
            Ok(Asynchronous::Wait {
                family,
                left: constant(d, 0)?,
                read_only,
                commits: false,
            })
        }
        Some("prefetch") => {
            d.take("prefetch");
            if !d.take("L2") || !d.take("global") {
                return Err(d.unknown_modifier());
            }
            let policy = d.take("L2::cache_hint");
            d.finish(if policy { 3 } else { 2 })?;
            let (from, room) = d.address(0, Room::Global)?;
            Ok(Asynchronous::Prefetch {
                from,
                room,
                size: d.source(1, Type::U32)?,
            })
        }
        _ => Ok(Asynchronous::Bulk(bulk::decode(d, false)?)),
    }
}

fn decode_lane(d: &mut Decoder<'_, '_>) -> Result<Asynchronous, Reason> {
    let family = Family::Lane;
    let words = [
        "commit_group",
        "wait_group",
        "wait_all",
        "mbarrier",
        "ca",
        "cg",
    ];
    let Some(word) = d.take_any(&words) else {
        return Err(d.unknown_modifier());
    };
    match word {
        "commit_group" => {
            d.finish(0)?;
            Ok(Asynchronous::Commit(family))
        }
        "wait_group" => {
            d.finish(1)?;
            Ok(Asynchronous::Wait {
                family,
                left: constant(d, 0)?,
                read_only: false,
                commits: false,
            })
        }
        "wait_all" => {
            d.finish(0)?;
            Ok(Asynchronous::Wait {
                family,
                left: 0,
                read_only: false,
                commits: true,
            })
        }
        "mbarrier" => {
            if !d.take("arrive") {
                return Err(d.unknown_modifier());
            }
            let increments = !d.take("noinc");
            let room = match d.take_any(&["shared", "shared::cta"]) {
                Some(_) => Room::Shared,
                None => Room::Generic,
            };
            if !d.take("b64") {
                return Err(d.unknown_modifier());
            }
            d.finish(1)?;
            let (at, room) = d.address(0, room)?;
            Ok(Asynchronous::Arrive {
                at,
                room,
                increments,
            })
        }
        cache => {
            if d.take_any(&["shared", "shared::cta"]).is_none() || !d.take("global") {
                return Err(d.unknown_modifier());
            }
            let policy = d.take("L2::cache_hint");
            d.take_any(&["L2::64B", "L2::128B", "L2::256B"]);
            let count = d.instruction.operands.len();
            let limited = match count - usize::from(policy).min(count) {
                3 => false,
                4 => true,
                _ => return Err(format!("`cp.async` takes 3 to 5 operands, not {count}")),
            };
            d.finish(count)?;
            let bytes = constant(d, 2)?;
            let allowed: &[u32] = if cache == "ca" { &[4, 8, 16] } else { &[16] };
            if !allowed.contains(&bytes) {
                return Err(format!(
                    "`cp.async.{cache}` of {bytes} bytes; allowed are {allowed:?}"
                ));
            }
            let limit = if !limited {
                Limit::All
            } else if d.register_type(3) == Some(Type::Predicate)
                || matches!(d.operand(3)?, Operand::Not(_))
            {
                Limit::Ignored(d.predicate(3)?)
            } else {
                Limit::Size(d.source(3, Type::U32)?)
            };
            Ok(Asynchronous::Copy {
                to: d.address(0, Room::Shared)?.0,
                from: d.address(1, Room::Global)?.0,
                bytes,
                limit,
            })
        }
    }
}

pub(crate) fn run<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    asynchronous: &Asynchronous,
    lanes: u32,
) -> Result<(), LaneFault> {
    let each = (0..LANES).filter(|lane| lanes >> lane & 1 != 0);
    match asynchronous {
        Asynchronous::Copy {
            to,
            from,
            bytes,
            limit,
        } => lane_copies(context, warp, path, (to, from), *bytes, *limit, lanes),
        Asynchronous::Bulk(bulk) => bulk::run(context, warp, path, bulk, lanes),
        Asynchronous::Store(store) => store::run(context, warp, path, store, lanes),
        Asynchronous::Prefetch { from, room, size } => {
            let from = addresses(context, warp, path, from);
            let sizes = *u32::row(&warp.registers.frame(path, &context.launch.pool), *size);
            for lane in each {
                bulk::check(context, (*room, from[lane]), sizes.0[lane])
                    .map_err(|kind| (lane as u32, kind))?;
            }
            Ok(())
        }
        Asynchronous::Commit(family) => {
            let first = warp.index * LANES as u32;
            for lane in each {
                context.block.transfers.commit(*family, first + lane as u32);
            }
            Ok(())
        }
        Asynchronous::Wait {
            family,
            left,
            read_only,
            commits,
        } => {
            if *commits {
                let first = warp.index * LANES as u32;
                for lane in each {
                    context.block.transfers.commit(*family, first + lane as u32);
                }
            }
            let waiters = (warp.index, lanes);
            transfer::wait(context, waiters, *family, *left, *read_only)
                .map_err(|failure| (failure.lane, failure.told(context.launch)))
        }
        Asynchronous::Arrive {
            at,
            room,
            increments,
        } => arrive(context, warp, path, (at, *room), *increments, lanes),
    }
}

fn lane_copies<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    (to, from): (&Address, &Address),
    bytes: u32,
    limit: Limit,
    lanes: u32,
) -> Result<(), LaneFault> {
    let to = addresses(context, warp, path, to);
    let from = addresses(context, warp, path, from);
    let frame = warp.registers.frame(path, &context.launch.pool);
    let read: [u32; LANES] = match limit {
        Limit::All => [bytes; LANES],
        Limit::Size(source) => u32::row(&frame, source).0,
        Limit::Ignored(source) => {
            let ignored = predicate(&frame, source);
            std::array::from_fn(|lane| if ignored >> lane & 1 != 0 { 0 } else { bytes })
        }
    };
    let operation = context.block.transfers.new_operation();
    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
        let fault = |kind| (lane as u32, kind);
        if read[lane] > bytes {
            let text = format!("cp.async with src-size {} of {bytes} bytes", read[lane]);
            return Err(fault(FaultKind::Undefined(text)));
        }
        let copy = Copy {
            from: (Room::Global, from[lane]),
            to: (Room::Shared, to[lane]),
            read: read[lane],
            bytes,
            reduction: None,
            signal: None,
            staged: None,
        };
        let (launch, shared) = (context.launch, &context.block.shared);
        with_bytes(launch, shared, copy.to, bytes, bytes, |_, _| ()).map_err(fault)?;
        if copy.read > 0 {
            with_bytes(launch, shared, copy.from, copy.read, bytes, |_, _| ()).map_err(fault)?;
        }
        let transfers = &mut context.block.transfers;
        let group = transfers.group(Family::Lane, warp.index * LANES as u32 + lane as u32);
        transfers.push(Transfer {
            operation,
            pc: path.pc,
            warp: warp.index,
            lane: lane as u32,
            family: Family::Lane,
            step: Step::Copy {
                copy,
                group: Some(group),
            },
        });
    }
    Ok(())
}

/// `cp.async.mbarrier.arrive`: the mbarrier waits for the lane's copies.
fn arrive<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    (at, room): (&Address, Room),
    increments: bool,
    lanes: u32,
) -> Result<(), LaneFault> {
    let offsets = shared_offsets(room, addresses(context, warp, path, at), lanes)?;
    if increments && O::MEMORY {
        let site = context.block.site(path.pc, warp.index);
        let access = MemoryAccess {
            kind: AccessKind::Atomic,
            memory: crate::observe::Memory::Shared,
            addresses: &offsets,
            lanes,
            bytes: mbarrier::BYTES,
            element: mbarrier::BYTES,
            order: Order::Relaxed,
            scope: Scope::Block,
        };
        context.observer.access(site, &access);
    }
    let operation = context.block.transfers.new_operation();
    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
        let fault = |kind| (lane as u32, kind);
        let mbarrier = offsets[lane];
        if increments {
            mbarrier::update(context.block, mbarrier, |state| state.expect_arrival())
                .map_err(fault)?;
        } else {
            mbarrier::read(context.block, mbarrier).map_err(fault)?;
        }
        context.block.transfers.push(Transfer {
            operation,
            pc: path.pc,
            warp: warp.index,
            lane: lane as u32,
            family: Family::Lane,
            step: Step::Arrive { mbarrier },
        });
    }
    Ok(())
}
