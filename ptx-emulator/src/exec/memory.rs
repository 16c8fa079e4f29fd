//! Loads and stores: `ld`, `ldu`, `st`, `prefetch`, `prefetchu`, `discard`,
//! `applypriority`. Cache hints are taken and change nothing.

mod decode;

pub(crate) use decode::{GROUP, registers, room, scope, semantics};

use std::sync::atomic::Ordering;

use crate::ir::{Access, Element, LANES, Room, Row, Value, Width};
use crate::machine::{Issue, LaneFault, Polls, Request};
use crate::observe::{AccessKind, Observer, Order};

impl Access {
    fn request(&self, kind: AccessKind) -> Request {
        Request {
            room: self.room,
            kind,
            order: self.order,
            scope: self.scope,
            bytes: self.total(),
            element: self.element,
            values: true,
        }
    }

    /// Bytes of one lane.
    fn total(&self) -> u32 {
        self.bytes * self.elements.len() as u32
    }

    /// Where row `index` of the vector is, and the bytes to check there: the
    /// first one checks the whole vector.
    #[inline(always)]
    fn row(&self, index: usize, addresses: &[u64; LANES]) -> ([u64; LANES], u32) {
        if index == 0 {
            return (*addresses, self.total());
        }
        let shift = index as u64 * u64::from(self.bytes);
        let moved = addresses.map(|address| address.wrapping_add(shift));
        (moved, self.bytes)
    }

    /// Whether a loop around this load may wait for another lane.
    fn polls(&self) -> Polls {
        match (self.room, self.order) {
            (Room::Parameter | Room::Constant | Room::Local, _) => Polls::Nothing,
            (_, Order::Weak) => Polls::Weakly,
            _ => Polls::Strongly,
        }
    }

    fn host_order(&self, ordered: Ordering) -> Ordering {
        match self.order {
            Order::Weak => Ordering::Relaxed,
            _ => ordered,
        }
    }
}

pub(crate) fn load<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    access: &Access,
) -> Result<(), LaneFault> {
    at.path.polls = at.path.polls.max(access.polls());
    let addresses = at.addresses(&access.address);
    let request = access.request(AccessKind::Load);
    let order = access.host_order(Ordering::Acquire);
    at.by_room(&request, addresses, &mut |at, room, addresses, lanes| {
        for (index, element) in access.elements.iter().enumerate() {
            let mut out = Row::<u64>::default();
            let (moved, bytes) = access.row(index, addresses);
            at.each_lane(room, &moved, lanes, bytes, |lane, cells, offset| {
                out.0[lane] = cells.load(offset, access.bytes, order);
            })?;
            if at.explores(room) {
                let one = Request {
                    bytes: access.bytes,
                    ..request
                };
                at.loaded(&one, room, &moved, lanes, &mut out);
            }
            if access.signed {
                let up = 64 - access.bytes * 8;
                for value in &mut out.0 {
                    *value = ((*value << up) as i64 >> up) as u64;
                }
            }
            at.put(element.width == Width::W64, element.slot, &out, lanes);
        }
        Ok(())
    })
}

pub(crate) fn store<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    access: &Access,
) -> Result<(), LaneFault> {
    let addresses = at.addresses(&access.address);
    let request = access.request(AccessKind::Store);
    let order = access.host_order(Ordering::Release);
    at.by_room(&request, addresses, &mut |at, room, addresses, lanes| {
        for (index, element) in access.elements.iter().enumerate() {
            let values = element_row(at, element);
            let (moved, bytes) = access.row(index, addresses);
            let mut lanes = lanes;
            if at.explores(room) {
                let mut old = Row::<u64>::default();
                at.each_lane(room, &moved, lanes, bytes, |lane, cells, offset| {
                    old.0[lane] = cells.load(offset, access.bytes, Ordering::Relaxed);
                })?;
                let one = Request {
                    bytes: access.bytes,
                    ..request
                };
                lanes = at.stored(&one, room, &moved, lanes, (&old, &values));
            }
            at.each_lane(room, &moved, lanes, bytes, |lane, cells, offset| {
                cells.store(offset, access.bytes, values.0[lane], order);
            })?;
        }
        Ok(())
    })
}

/// The values of a row, as 64 bits.
pub(crate) fn element_row<O>(at: &mut Issue<'_, '_, O>, element: &Element) -> Row<u64> {
    let frame = at.frame();
    if element.width == Width::W64 {
        *u64::row(&frame, element.source)
    } else {
        Row(u32::row(&frame, element.source).0.map(u64::from))
    }
}
