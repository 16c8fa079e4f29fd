//! Weak memory: the values of loads and stores that an observer sees and may change. Which
//! values PTX's memory model allows is the observer's to know (`check::race::weak`).

use super::access::Request;
use super::issue::Issue;
use crate::ir::{LANES, Room, Row};
use crate::observe::Observer;

impl<O: Observer> Issue<'_, '_, O> {
    /// Whether accesses in this space may see older values.
    #[inline(always)]
    pub(crate) fn explores(&self, room: Room) -> bool {
        O::VALUES
            && self.context.launch.options.weak_memory
            && matches!(room, Room::Global | Room::Shared)
    }

    /// Loads of one element by lanes have these values, or older ones.
    pub(crate) fn loaded(
        &mut self,
        request: &Request,
        room: Room,
        addresses: &[u64; LANES],
        lanes: u32,
        values: &mut Row<u64>,
    ) {
        let access = request.seen(room, addresses, lanes, self.path.bases);
        let site = self.site();
        self.context.observer.loaded(site, &access, &mut values.0);
    }

    /// Stores of one element by lanes, from the old to the new values; those lanes whose
    /// stores get to memory.
    pub(crate) fn stored(
        &mut self,
        request: &Request,
        room: Room,
        addresses: &[u64; LANES],
        lanes: u32,
        (old, new): (&Row<u64>, &Row<u64>),
    ) -> u32 {
        let access = request.seen(room, addresses, lanes, self.path.bases);
        let site = self.site();
        let mut hidden = 0;
        let observer = &mut self.context.observer;
        observer.stored(site, &access, &old.0, &new.0, &mut hidden);
        lanes & !hidden
    }
}
