//! Loads and stores of one element by all lanes at once: their addresses are checked together, and
//! one by one (`Issue::each_lane`) where one of them is elsewhere or wrong.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::issue::Issue;
use super::memory::{Allocation, Cells};
use super::path::Paths;
use super::warp::LaneFault;
use crate::ir::{FULL, LANES, Room, Row, lanes_of};
use crate::observe::Observer;

impl Cells {
    /// Whether `bytes` bytes, a power of two, of all lanes are inside and aligned; their
    /// addresses count from `base`.
    #[inline(always)]
    fn hold(&self, base: u64, addresses: &[u64; LANES], lanes: u32, bytes: u32) -> bool {
        let Some(last) = self.length.checked_sub(u64::from(bytes)) else {
            return false;
        };
        // Top bits, which are set beyond the ends, and low bits of all offsets together.
        let (mut beyond, mut low) = (0u64, 0u64);
        let mut look = |address: u64| {
            let offset = address.wrapping_sub(base);
            beyond |= offset | last.wrapping_sub(offset);
            low |= offset;
        };
        if lanes == FULL {
            addresses.iter().for_each(|address| look(*address));
        } else {
            lanes_of(lanes).for_each(|lane| look(addresses[lane]));
        }
        beyond >> 63 == 0 && low & u64::from(bytes - 1) == 0
    }

    /// The first `bytes` (1, 2, 4 or 8) of each lane's `whole` bytes, when all are inside and
    /// aligned; otherwise false.
    #[inline(always)]
    fn gather(
        &self,
        (base, addresses): (u64, &[u64; LANES]),
        lanes: u32,
        (whole, bytes): (u32, u32),
        out: &mut [u64; LANES],
    ) -> bool {
        if bytes > whole || !self.hold(base, addresses, lanes, whole) {
            return false;
        }
        let first = self.words.as_ptr().cast::<u8>().cast_mut();
        macro_rules! each {
            ($atomic:ty) => {
                for lane in lanes_of(lanes) {
                    let pointer = first.wrapping_add((addresses[lane] - base) as usize);
                    // SAFETY: `hold` checked bounds and alignment of these lanes; else as in
                    // `load`.
                    let cell = unsafe { <$atomic>::from_ptr(pointer.cast()) };
                    out[lane] = u64::from(cell.load(Ordering::Acquire));
                }
            };
        }
        match bytes {
            1 => each!(AtomicU8),
            2 => each!(AtomicU16),
            4 => each!(AtomicU32),
            _ => each!(AtomicU64),
        }
        true
    }

    /// Stores the low `bytes` (1, 2, 4 or 8) of each lane's value as the first of its `whole`
    /// bytes, when all are inside and aligned; otherwise false, and nothing is stored.
    #[inline(always)]
    fn scatter(
        &self,
        (base, addresses): (u64, &[u64; LANES]),
        lanes: u32,
        (whole, bytes): (u32, u32),
        values: &[u64; LANES],
    ) -> bool {
        if bytes > whole || !self.hold(base, addresses, lanes, whole) {
            return false;
        }
        let first = self.words.as_ptr().cast::<u8>().cast_mut();
        macro_rules! each {
            ($atomic:ty, $ty:ty) => {
                for lane in lanes_of(lanes) {
                    let pointer = first.wrapping_add((addresses[lane] - base) as usize);
                    // SAFETY: as in `gather`.
                    let cell = unsafe { <$atomic>::from_ptr(pointer.cast()) };
                    cell.store(values[lane] as $ty, Ordering::Release);
                }
            };
        }
        match bytes {
            1 => each!(AtomicU8, u8),
            2 => each!(AtomicU16, u16),
            4 => each!(AtomicU32, u32),
            _ => each!(AtomicU64, u64),
        }
        true
    }
}

impl<O: Observer> Issue<'_, '_, O> {
    /// The bytes that most likely hold the addresses of all lanes, and the first one's address.
    #[inline(always)]
    fn likely(&mut self, room: Room, address: u64) -> Option<(&Cells, u64)> {
        let launch = self.context.launch;
        Some(match room {
            Room::Global | Room::Generic => {
                let global = &launch.global;
                let holds = |a: &&Allocation| address.wrapping_sub(a.base) < a.length;
                let mut known = global.get(self.warp.last_allocation).filter(holds);
                if known.is_none() {
                    self.warp.last_allocation = global.below(address)?;
                    known = global.get(self.warp.last_allocation);
                }
                // One that was freed has no bytes.
                known.map(|known| (&known.cells, known.base))?
            }
            Room::Shared => (&self.context.block.shared, 0),
            Room::Constant => (launch.constants, 0),
            Room::Parameter => (&launch.parameters[self.context.block.device], 0),
            Room::Local => return None,
        })
    }

    /// Loads the first `bytes` of each lane's `whole` bytes.
    #[inline(always)]
    pub(crate) fn load_row(
        &mut self,
        room: Room,
        addresses: &[u64; LANES],
        lanes: u32,
        (whole, bytes): (u32, u32),
        out: &mut Row<u64>,
    ) -> Result<(), LaneFault> {
        if let Some((cells, base)) = self.likely(room, addresses[Paths::first_lane(lanes)])
            && cells.gather((base, addresses), lanes, (whole, bytes), &mut out.0)
        {
            return Ok(());
        }
        self.each_lane(room, addresses, lanes, whole, |lane, cells, offset| {
            out.0[lane] = cells.load(offset, bytes, Ordering::Acquire);
        })
    }

    /// Stores the low `bytes` of each lane's value as the first of its `whole` bytes.
    #[inline(always)]
    pub(crate) fn store_row(
        &mut self,
        room: Room,
        addresses: &[u64; LANES],
        lanes: u32,
        (whole, bytes): (u32, u32),
        values: &Row<u64>,
    ) -> Result<(), LaneFault> {
        if let Some((cells, base)) = self.likely(room, addresses[Paths::first_lane(lanes)])
            && cells.scatter((base, addresses), lanes, (whole, bytes), &values.0)
        {
            return Ok(());
        }
        self.each_lane(room, addresses, lanes, whole, |lane, cells, offset| {
            cells.store(offset, bytes, values.0[lane], Ordering::Release);
        })
    }
}
