//! `st.async` and `red.async`: values that come later, counted by an mbarrier.

use super::super::memory::{element_row, registers};
use super::*;
use crate::ir::{AsyncStore, Element, Room, Slot, Width};
use crate::machine::{mbarrier, shared_offsets, transfer::Copy};

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<AsyncStore, Reason> {
    let reduces = d.opcode() == "red";
    d.require("async")?;
    if reduces {
        d.require("relaxed")?;
        d.require("cluster")?;
    } else {
        d.take("weak");
    }
    d.require("shared::cluster")?;
    d.require("mbarrier::complete_tx::bytes")?;
    let (ty, rule, count) = if reduces {
        let (ty, rule) = reduction(d)?;
        if ty.is_float() {
            return Err(d.unsupported_type(ty));
        }
        (ty, Some(rule), 1)
    } else {
        let count = d.vector(&["v2", "v4"]);
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
    let to = d.address(0, Room::Shared)?;
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
    Ok(AsyncStore {
        to,
        signal,
        values,
        bytes: ty.bytes(),
        reduction: rule,
    })
}

pub(super) fn run<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    store: &AsyncStore,
) -> Result<(), LaneFault> {
    let to = at.addresses(&store.to.0);
    let signals = at.addresses(&store.signal.0);
    let signals = shared_offsets(store.signal.1, signals, at.lanes)?;
    let values = store.values.iter();
    let rows: Vec<_> = values.map(|value| element_row(at, value)).collect();
    let total = store.bytes * rows.len() as u32;
    let operation = at.context.block.transfers.new_operation();
    at.each(|at, lane| {
        let place = (store.to.1, to[lane]);
        let (launch, shared) = (at.context.launch, &at.context.block.shared);
        with_bytes(launch, shared, place, total, total, |_, _| ())?;
        mbarrier::read(at.context.block, signals[lane])?;
        let bytes = rows.iter().flat_map(|row| {
            let bytes = row.0[lane].to_le_bytes();
            bytes.into_iter().take(store.bytes as usize)
        });
        let copy = Copy {
            from: place,
            to: place,
            read: 0,
            bytes: total,
            reduction: store.reduction.map(|rule| (rule, store.bytes)),
            signal: Some(signals[lane]),
            staged: Some(bytes.collect()),
        };
        let step = Step::Copy { copy, group: None };
        ask(at, operation, lane, Family::Bulk, step);
        Ok(())
    })
}
