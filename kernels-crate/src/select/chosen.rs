//! Which of a lane's items are chosen, and where they go.

use bytemuck::Pod;
use cuda_std::{misc, warp};

use super::predicate::Predicate;
use super::request::Request;
use crate::scan::items::Items;
use crate::scan::lanes;

/// The most items of a lane.
const MOST: usize = 128;

/// A bit an item of a lane: whether it is chosen.
#[derive(Clone, Copy)]
pub struct Chosen([u32; MOST / 32]);

impl Chosen {
    /// None.
    #[inline(always)]
    pub const fn none() -> Self {
        Self([0; MOST / 32])
    }

    /// The first `count` ones.
    #[inline(always)]
    pub fn first(count: u32) -> Self {
        let mut all = Self::none();
        for w in 0..MOST / 32 {
            let bits = count.saturating_sub(32 * w as u32);
            all.0[w] = if bits >= 32 {
                u32::MAX
            } else {
                (1 << bits) - 1
            };
        }
        all
    }

    /// Those of both.
    #[inline(always)]
    pub fn and(mut self, other: Self) -> Self {
        for w in 0..MOST / 32 {
            self.0[w] &= other.0[w];
        }
        self
    }

    /// The other ones.
    #[inline(always)]
    pub fn others(self) -> Self {
        Self(self.0.map(|bits| !bits))
    }

    #[inline(always)]
    fn put(&mut self, i: usize, is: bool) {
        self.0[i / 32] |= u32::from(is) << (i % 32);
    }

    /// The same, as bits in as many registers as `N` items need.
    #[inline(always)]
    fn in_registers<const N: usize>(mut self) -> Self {
        for w in 0..N.div_ceil(32) {
            self.0[w] = in_register(self.0[w]);
        }
        self
    }

    /// How many.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        let [a, b, c, d] = self.0.map(u32::count_ones);
        a + b + c + d
    }

    /// The first `count` of `N` items whose flags are not 0; the first one's is at `flags`.
    ///
    /// # Safety
    /// As many flags are there.
    #[inline(always)]
    pub unsafe fn by_flags<const N: usize>(flags: *const u8, count: u32) -> Self {
        let mut chosen = Self::none();
        // SAFETY: the caller's.
        unsafe {
            if N.is_multiple_of(4) && count == N as u32 && flags.addr().is_multiple_of(4) {
                for w in 0..N / 4 {
                    let word = *flags.cast::<u32>().wrapping_add(w);
                    for i in 0..4 {
                        chosen.put(4 * w + i, word >> (8 * i) & 0xff != 0);
                    }
                }
            } else {
                for i in 0..N {
                    if (i as u32) < count {
                        chosen.put(i, *flags.wrapping_add(i) != 0);
                    }
                }
            }
        }
        chosen.in_registers::<N>()
    }

    /// Those of the lane's first `count` items of `N` that the request asks for; flags are no
    /// matter here. The lane's first one is element `first`, and before the warp's first one is
    /// `before`.
    ///
    /// # Safety
    /// All lanes of the warp call it; a lane with items is behind lanes that have all.
    #[inline(always)]
    pub unsafe fn by_items<P: Predicate, const V: usize, const N: usize>(
        request: &Request<P>,
        items: &Items<P::Item, V>,
        first: u64,
        count: u32,
        before: P::Item,
    ) -> Self {
        const { assert!(N <= MOST, "a lane has at most 128 items") };
        let mut chosen = Self::none();
        if request.is_unique() {
            // SAFETY: the caller's.
            let mut earlier = unsafe { lanes::shuffle_up(items.get(N - 1), 1) };
            if warp::lane_id() == 0 {
                earlier = before;
            }
            for i in 0..N {
                let item = items.get(i);
                chosen.put(i, !P::repeats(item, earlier, request.parameter));
                earlier = item;
            }
            if request.is_first(first) {
                chosen.put(0, true);
            }
        } else {
            for i in 0..N {
                chosen.put(i, P::selects(items.get(i), request.parameter));
            }
        }
        chosen.in_registers::<N>().and(Self::first(count))
    }

    /// Puts those of `N` items to places of `to`: the first one to `place`, each one behind it
    /// `step` further on.
    ///
    /// # Safety
    /// They fit there.
    #[inline(always)]
    pub unsafe fn put_items<T: Pod, const V: usize, const N: usize>(
        &self,
        items: &Items<T, V>,
        to: *mut T,
        place: u32,
        step: u32,
    ) {
        let mut place = place;
        for i in 0..N {
            let bit = self.0[i / 32] >> (i % 32) & 1;
            // Whether the place moves on is asked, and not the bit: seven bits of one register that
            // are asked for in a row ptxas puts into all predicates at once (R2P), and then it fails
            // where another one lives (12.9, 13.0).
            let next = in_register(place.wrapping_add(bit * step));
            if next != place {
                // SAFETY: the caller's.
                unsafe { *to.wrapping_add(place as usize) = items.get(i) };
            }
            place = next;
        }
    }
}

/// See [`misc::in_register`]; the host knows what it knows.
#[inline(always)]
fn in_register(bits: u32) -> u32 {
    match cfg!(target_os = "cuda") {
        true => misc::in_register(bits),
        false => bits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Chosen {
        fn is(&self, i: usize) -> bool {
            self.0[i / 32] >> (i % 32) & 1 != 0
        }
    }

    #[test]
    fn the_first_ones_are_as_many_as_asked_for() {
        for count in 0..=MOST as u32 {
            let first = Chosen::first(count);
            assert_eq!(first.count(), count);
            assert!((0..MOST).all(|i| first.is(i) == (i < count as usize)));
            assert_eq!(first.others().count(), MOST as u32 - count);
            assert_eq!(first.and(Chosen::first(40)).count(), count.min(40));
        }
    }

    #[test]
    fn flags_choose_that_are_not_0() {
        let flags: [u8; 12] = [0, 1, 255, 0, 0, 128, 2, 0, 1, 1, 1, 0];
        let words = flags.as_ptr().align_offset(4);
        for begin in 0..4 {
            for count in 0..=8 {
                // SAFETY: as many flags are there.
                let chosen = unsafe { Chosen::by_flags::<8>(flags[begin..].as_ptr(), count) };
                for i in 0..8 {
                    let is = i < count as usize && flags[begin + i] != 0;
                    assert_eq!(chosen.is(i), is, "{begin}, {count}, {words}");
                }
            }
        }
    }
}
