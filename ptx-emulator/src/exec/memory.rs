//! Loads and stores: `ld`, `ldu`, `st`, `prefetch`, `prefetchu`, `discard`,
//! `applypriority`. Cache hints are taken and change nothing.

mod decode;

pub(crate) use decode::{GROUP, registers, room, scope, semantics};

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

    /// Whether a loop around this load may wait for another lane.
    fn polls(&self) -> Polls {
        match (self.room, self.order) {
            (Room::Parameter | Room::Constant | Room::Local, _) => Polls::Nothing,
            (_, Order::Weak) => Polls::Weakly,
            _ => Polls::Strongly,
        }
    }

    /// The rows of the vector, each with the addresses of its lanes, and the bytes to check
    /// there: the first one checks the whole vector.
    #[inline(always)]
    fn each_row(
        &self,
        addresses: &[u64; LANES],
        mut f: impl FnMut(&Element, &[u64; LANES], u32) -> Result<(), LaneFault>,
    ) -> Result<(), LaneFault> {
        let Some((first, rest)) = self.elements.split_first() else {
            return Ok(());
        };
        f(first, addresses, self.total())?;
        let mut moved = *addresses;
        for element in rest {
            for address in &mut moved {
                *address = address.wrapping_add(u64::from(self.bytes));
            }
            f(element, &moved, self.bytes)?;
        }
        Ok(())
    }
}

pub(crate) fn load<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    access: &Access,
) -> Result<(), LaneFault> {
    at.path.polls = at.path.polls.max(access.polls());
    let addresses = at.addresses(&access.address);
    let request = access.request(AccessKind::Load);
    at.by_room(&request, addresses, &mut |at, room, addresses, lanes| {
        access.each_row(addresses, |element, addresses, whole| {
            let mut out = Row::<u64>::default();
            at.load_row(room, addresses, lanes, (whole, access.bytes), &mut out)?;
            if at.explores(room) {
                let one = Request {
                    bytes: access.bytes,
                    ..request
                };
                at.loaded(&one, room, addresses, lanes, &mut out);
            }
            if access.signed {
                let up = 64 - access.bytes * 8;
                for value in &mut out.0 {
                    *value = ((*value << up) as i64 >> up) as u64;
                }
            }
            at.put(element.width == Width::W64, element.slot, &out, lanes);
            Ok(())
        })
    })
}

pub(crate) fn store<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    access: &Access,
) -> Result<(), LaneFault> {
    let addresses = at.addresses(&access.address);
    let request = access.request(AccessKind::Store);
    at.by_room(&request, addresses, &mut |at, room, addresses, lanes| {
        access.each_row(addresses, |element, addresses, whole| {
            let values = element_row(at, element);
            let size = (whole, access.bytes);
            let mut lanes = lanes;
            if at.explores(room) {
                let mut old = Row::<u64>::default();
                at.load_row(room, addresses, lanes, size, &mut old)?;
                let one = Request {
                    bytes: access.bytes,
                    ..request
                };
                lanes = at.stored(&one, room, addresses, lanes, (&old, &values));
            }
            at.store_row(room, addresses, lanes, size, &values)
        })
    })
}

/// The values of a row, as 64 bits.
pub(crate) fn element_row<O>(at: &mut Issue<'_, '_, O>, element: &Element) -> Row<u64> {
    let frame = at.frame();
    if element.width == Width::W64 {
        return *u64::row(&frame, element.source);
    }
    let mut wide = Row::<u64>::default();
    for (to, value) in wide.0.iter_mut().zip(&u32::row(&frame, element.source).0) {
        *to = u64::from(*value);
    }
    wide
}
