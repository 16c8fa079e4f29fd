//! `st.async` and `red.async`: values that come later, counted by an mbarrier.

use super::super::memory::{Element, element_row, registers};
use super::*;
use crate::ir::{Slot, Width};

#[derive(Clone, Debug)]
pub(crate) struct Store {
    to: Address,
    room: Room,
    signal: (Address, Room),
    values: Box<[Element]>,
    /// Bytes of one value.
    bytes: u32,
    reduction: Option<atomic::Rule>,
}

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<Store, Reason> {
    let reduces = d.opcode() == "red";
    if !d.take("async") {
        return Err(d.unknown_modifier());
    }
    let weak = if reduces {
        d.take("relaxed") && d.take("cluster")
    } else {
        d.take("weak");
        true
    };
    if !weak || !d.take("shared::cluster") || !d.take("mbarrier::complete_tx::bytes") {
        return Err(d.unknown_modifier());
    }
    let (ty, reduction, count) = if reduces {
        let words = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];
        let Some(word) = d.take_any(&words) else {
            return Err(d.unknown_modifier());
        };
        let ty = d.ty()?;
        let rule = atomic::reduction(word, ty).filter(|_| !ty.is_float());
        (ty, Some(rule.ok_or_else(|| d.unsupported_type(ty))?), 1)
    } else {
        let count = match d.take_any(&["v2", "v4"]) {
            Some("v2") => 2,
            Some(_) => 4,
            None => 1,
        };
        let ty = d.ty()?;
        if !matches!(ty.bytes(), 4 | 8) || matches!(ty, Type::F16x2 | Type::BF16x2) {
            return Err(d.unsupported_type(ty));
        }
        (ty, None, count)
    };
    if count * ty.bytes() > 16 {
        return Err("a vector of more than 16 bytes".into());
    }
    d.finish(3)?;
    let (to, room) = d.address(0, Room::Shared)?;
    let signal = d.address(2, Room::Shared)?;
    let values = registers(d.operand(1)?, count)?
        .iter()
        .map(|operand| {
            Ok(Element {
                width: Width::of(ty),
                slot: Slot::SINK,
                source: d.read(operand, ty, false)?,
            })
        })
        .collect::<Result<_, Reason>>()?;
    Ok(Store {
        to,
        room,
        signal,
        values,
        bytes: ty.bytes(),
        reduction,
    })
}

pub(super) fn run<O: Observer>(
    context: &mut Context<'_, O>,
    warp: &mut Lanes,
    path: &Path,
    store: &Store,
    lanes: u32,
) -> Result<(), LaneFault> {
    let to = addresses(context, warp, path, &store.to);
    let signals = addresses(context, warp, path, &store.signal.0);
    let signals = shared_offsets(store.signal.1, signals, lanes)?;
    let rows: Vec<_> = store
        .values
        .iter()
        .map(|value| element_row(context, warp, path, value))
        .collect();
    let total = store.bytes * rows.len() as u32;
    let operation = context.block.transfers.new_operation();
    for lane in (0..LANES).filter(|lane| lanes >> lane & 1 != 0) {
        let fault = |kind| (lane as u32, kind);
        let place = (store.room, to[lane]);
        let shared = &context.block.shared;
        with_bytes(context.launch, shared, place, total, total, |_, _| ()).map_err(fault)?;
        mbarrier::read(context.block, signals[lane]).map_err(fault)?;
        let staged = rows
            .iter()
            .flat_map(|row| {
                row.0[lane]
                    .to_le_bytes()
                    .into_iter()
                    .take(store.bytes as usize)
            })
            .collect();
        let copy = Copy {
            from: place,
            to: place,
            read: 0,
            bytes: total,
            reduction: store.reduction.map(|rule| (rule, store.bytes)),
            signal: Some(signals[lane]),
            staged: Some(staged),
        };
        context.block.transfers.push(Transfer {
            operation,
            pc: path.pc,
            warp: warp.index,
            lane: lane as u32,
            family: Family::Bulk,
            step: Step::Copy { copy, group: None },
        });
    }
    Ok(())
}
