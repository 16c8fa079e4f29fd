//! Where a warp is among the tiles of its block.

/// A position that goes from tile to tile, and so from slot to slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The tile's slot.
    pub(crate) slot: u32,
    /// How often all slots were gone through, modulo 2: the phase of the slot's barrier.
    pub(crate) parity: u32,
    /// The first element, of the tile or of a warp's segment of it.
    pub(crate) first: u64,
}

impl Cursor {
    /// At the block's first tile.
    #[inline(always)]
    pub(crate) fn new(first: u64) -> Self {
        Self {
            slot: 0,
            parity: 0,
            first,
        }
    }

    /// Goes on to the block's next tile, `stride` elements further, in the next of `slots`.
    #[inline(always)]
    pub(crate) fn advance(&mut self, slots: usize, stride: u64) {
        self.slot += 1;
        if self.slot == slots as u32 {
            self.slot = 0;
            self.parity ^= 1;
        }
        self.first += stride;
    }
}

/// The last `N` values of something, one a round.
#[derive(Clone, Copy)]
pub(crate) struct Delayed<T, const N: usize>([T; N]);

impl<T: Copy, const N: usize> Delayed<T, N> {
    /// `N` times the same.
    #[inline(always)]
    pub(crate) fn new(value: T) -> Self {
        Self([value; N])
    }

    /// The value of `N` rounds ago.
    #[inline(always)]
    pub(crate) fn oldest(&self) -> T {
        self.0[0]
    }

    /// The value of the last round.
    #[inline(always)]
    pub(crate) fn newest(&self) -> T {
        self.0[N - 1]
    }

    /// Takes this round's value, and forgets the oldest one.
    #[inline(always)]
    pub(crate) fn push(&mut self, value: T) {
        for i in 1..N {
            self.0[i - 1] = self.0[i];
        }
        self.0[N - 1] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_goes_round_the_slots_and_its_parity_changes_with_every_turn() {
        let mut cursor = Cursor::new(10);
        let mut seen = [(0, 0, 0); 7];
        for at in &mut seen {
            *at = (cursor.slot, cursor.parity, cursor.first);
            cursor.advance(3, 100);
        }
        assert_eq!(seen.map(|at| at.0), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(seen.map(|at| at.1), [0, 0, 0, 1, 1, 1, 0]);
        assert_eq!(seen.map(|at| at.2), [10, 110, 210, 310, 410, 510, 610]);
    }

    #[test]
    fn a_delayed_value_comes_out_as_many_rounds_later() {
        let mut delayed = Delayed::<u32, 3>::new(0);
        for round in 1..=10 {
            delayed.push(round);
            assert_eq!(delayed.newest(), round);
            assert_eq!(delayed.oldest(), round.saturating_sub(2));
        }
    }
}
