//! Copies that end later: `cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`,
//! `st.async`, `red.async`
//! (PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy").
//!
//! What is wrong with an address or a size is a fault of the instruction; when
//! the copy is made is up to `machine::transfer`. A cluster is one block, so
//! `.shared::cluster` is the block's own shared memory.

mod bulk;
mod lane;
mod store;

use ptx_syntax::{Number, Operand, Type};

use super::{Group, atomic};
use crate::error::FaultKind;
use crate::ir::{Asynchronous, Family, LANES, Op, Rule};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{
    Issue, LaneFault, copying,
    transfer::{Step, Transfer},
    with_bytes,
};
use crate::observe::{Class, Observer};

pub(crate) const GROUP: Group = Group {
    name: "async_copy",
    forms: &[
        "cp: .async .ca .cg .shared.global of 4, 8, 16 bytes, with src-size or ignore-src, .commit_group .wait_group .wait_all .mbarrier.arrive .noinc; .async.bulk between global and shared, .commit_group .wait_group .read .prefetch.L2; .reduce.async.bulk .add .min .max .inc .dec .and .or .xor of 32 and 64 bits; cache hints; no tensors",
        "st: .async .shared::cluster .mbarrier::complete_tx::bytes; .v2 .v4; of 32 and 64 bits",
        "red: .async .relaxed.cluster .shared::cluster .mbarrier::complete_tx::bytes; .add .min .max .inc .dec .and .or .xor of integers",
    ],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let asynchronous = if d.opcode() != "cp" {
        Asynchronous::Store(store::decode(d)?)
    } else {
        let reduces = d.take("reduce");
        d.require("async")?;
        match (d.take("bulk"), reduces) {
            (true, true) => Asynchronous::Bulk(bulk::decode(d, true)?),
            (true, false) => bulk::decode_any(d)?,
            (false, true) => return Err(d.unknown_modifier()),
            (false, false) => lane::decode(d)?,
        }
    };
    let op = Op::Asynchronous(Box::new(asynchronous));
    Ok(Decoded::new(op, Class::Memory))
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

/// `.redOp.type`, and what it does.
fn reduction(d: &mut Decoder<'_, '_>) -> Result<(Type, Rule), Reason> {
    let word = d.one_of(&["add", "min", "max", "inc", "dec", "and", "or", "xor"])?;
    let ty = d.ty()?;
    let rule = atomic::reduction(word, ty);
    // Sums of `.s64` are those of `red.async` alone.
    let rule = rule.filter(|_| d.opcode() == "red" || (word, ty) != ("add", Type::S64));
    Ok((ty, rule.ok_or_else(|| d.unsupported_type(ty))?))
}

pub(crate) fn run<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    asynchronous: &Asynchronous,
) -> Result<(), LaneFault> {
    match asynchronous {
        Asynchronous::Copy {
            to,
            from,
            bytes,
            limit,
        } => lane::copy(at, (to, from), *bytes, *limit),
        Asynchronous::Bulk(copy) => bulk::run(at, copy),
        Asynchronous::Store(store) => store::run(at, store),
        Asynchronous::Prefetch { from, room, size } => {
            let from = at.addresses(from);
            let sizes = at.row::<u32>(*size);
            at.each(|at, lane| bulk::check(at, (*room, from[lane]), sizes.0[lane]))
        }
        Asynchronous::Commit(family) => commit(at, *family),
        Asynchronous::Wait {
            family,
            left,
            read_only,
            commits,
        } => {
            if *commits {
                commit(at, *family)?;
            }
            let waiters = (at.warp.index, at.lanes);
            copying::wait(at.context, waiters, *family, *left, *read_only)
                .map_err(|failure| (failure.lane, failure.told(at.context.launch)))
        }
        Asynchronous::Arrive {
            at: mbarrier,
            room,
            increments,
        } => lane::arrive(at, (mbarrier, *room), *increments),
    }
}

/// Closes the lanes' groups.
fn commit<O>(at: &mut Issue<'_, '_, O>, family: Family) -> Result<(), LaneFault> {
    at.each(|at, lane| {
        let thread = at.thread(lane);
        at.context.block.transfers.commit(family, thread);
        Ok(())
    })
}

/// Asks for a copy, or an arrival, of a lane.
fn ask<O>(at: &mut Issue<'_, '_, O>, operation: u64, lane: usize, family: Family, step: Step) {
    at.context.block.transfers.push(Transfer {
        operation,
        pc: at.path.pc,
        warp: at.warp.index,
        lane: lane as u32,
        family,
        step,
    });
}
