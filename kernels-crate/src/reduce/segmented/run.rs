//! What neighbouring elements tell those behind them: the carry from one piece of an array
//! to the next.
//!
//! A piece that no segment ends in is a *tail*: what it adds to the segment that is open.
//! A piece in which segments end is also a *head*, what it adds up to the first end, and
//! the segment that ends there; its tail is what lies behind the last end. What ends
//! between the two is the piece's own affair. Lanes, warps and blocks are put together in
//! the same way, in order: [`Run::append`].

use core::array::from_fn;
use core::ptr;
use cuda_std::warp;

use super::super::sizes::PIECE_WORDS;
use super::Request;
use crate::operator::Operator;
use crate::scan::lanes::{self, LANES, unspecified};

/// A value, where there is one.
#[derive(Clone, Copy)]
pub struct Maybe<A> {
    /// The value; nothing in particular where there is none.
    pub value: A,
    /// Whether there is one.
    pub is_there: bool,
}

impl<A: bytemuck::Pod> Maybe<A> {
    /// None.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            value: unspecified(),
            is_there: false,
        }
    }

    /// This one, then `other`.
    #[inline(always)]
    pub fn then<O: Operator<Accumulator = A>>(self, other: Self) -> Self {
        let mut value = pick(self.is_there, self.value, other.value);
        if self.is_there && other.is_there {
            value = O::combine(self.value, other.value);
        }
        Self {
            value,
            is_there: self.is_there || other.is_there,
        }
    }
}

/// One of two values, word by word, so that it stays in registers.
#[inline(always)]
fn pick<A: bytemuck::Pod>(is_first: bool, first: A, second: A) -> A {
    let (first, second) = (lanes::to_words(first), lanes::to_words(second));
    lanes::from_words(from_fn(|w| if is_first { first[w] } else { second[w] }))
}

/// A piece of an array, as those behind it see it.
#[derive(Clone, Copy)]
pub struct Piece<A> {
    /// What lies behind the last end; the whole piece where nothing ends.
    pub tail: Maybe<A>,
    /// Whether a segment ends in it.
    pub is_closed: bool,
    /// What lies before the first end, where there is one,
    pub head: A,
    /// and the segment that ends there.
    pub segment: u32,
}

impl<A: bytemuck::Pod> Piece<A> {
    /// No elements.
    #[inline(always)]
    pub fn empty() -> Self {
        Self {
            tail: Maybe::none(),
            is_closed: false,
            head: unspecified(),
            segment: 0,
        }
    }
}

/// Pieces that were put together: a piece itself, the same in all lanes of a warp.
pub struct Run<O: Operator> {
    /// The piece.
    pub piece: Piece<O::Accumulator>,
}

impl<O: Operator> Run<O> {
    /// Nothing yet.
    #[inline(always)]
    pub fn empty() -> Self {
        Self {
            piece: Piece::empty(),
        }
    }

    /// Appends `total`, in which nothing ends.
    #[inline(always)]
    pub fn append_open(&mut self, total: O::Accumulator) {
        self.piece.tail = self.piece.tail.then::<O>(Maybe {
            value: total,
            is_there: true,
        });
    }

    /// Appends a piece of every lane, in order, and delivers the segments that end in them
    /// but for the run's first.
    ///
    /// Association: what lies before a lane's piece is scanned by Hillis and Steele's
    /// steps up to the end before it, then put behind the run's tail, then before the
    /// piece's head.
    ///
    /// # Safety
    /// All lanes of the warp call it; the output is the request's.
    #[inline(always)]
    pub unsafe fn append(&mut self, request: &Request<O>, own: Piece<O::Accumulator>) {
        let lane = warp::lane_id();
        // SAFETY: the caller's.
        unsafe {
            let closed = warp::warp_vote_ballot(warp::FULL_MASK, own.is_closed);
            let through = scan::<O>(own.tail, own.is_closed);
            let before = up(through, 1);
            let is_first = closed & ((1 << lane) - 1) == 0;
            let own_before = Maybe {
                value: before.value,
                is_there: before.is_there && lane > 0,
            };
            let earlier = Maybe {
                value: self.piece.tail.value,
                is_there: self.piece.tail.is_there && is_first,
            };
            let carry = earlier.then::<O>(own_before);
            let head = carry.then::<O>(Maybe {
                value: own.head,
                is_there: own.is_closed,
            });
            if own.is_closed && (!is_first || self.piece.is_closed) {
                request.deliver(own.segment, head.value);
            }
            if closed != 0 && !self.piece.is_closed {
                let first = closed.trailing_zeros();
                self.piece.is_closed = true;
                self.piece.head = lanes::from_lane(head.value, first);
                self.piece.segment = lanes::from_lane(own.segment, first);
            }
            let tail = of_lane(through, LANES - 1);
            let earlier = Maybe {
                value: self.piece.tail.value,
                is_there: self.piece.tail.is_there && closed == 0,
            };
            self.piece.tail = earlier.then::<O>(tail);
        }
    }
}

/// What lies between the last end and the end of the lane's piece.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
unsafe fn scan<O: Operator>(tail: Maybe<O::Accumulator>, is_closed: bool) -> Maybe<O::Accumulator> {
    let lane = warp::lane_id();
    let (mut through, mut is_closed) = (tail, is_closed);
    for step in 0..LANES.ilog2() {
        let delta = 1 << step;
        // SAFETY: the caller's.
        let (before, was_closed) = unsafe {
            let was_closed = warp::shuffle_up(warp::FULL_MASK, u32::from(is_closed), delta);
            (up(through, delta), was_closed != 0)
        };
        if lane >= delta && !is_closed {
            through = before.then::<O>(through);
            is_closed = was_closed;
        }
    }
    through
}

/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
unsafe fn up<A: bytemuck::Pod>(of: Maybe<A>, delta: u32) -> Maybe<A> {
    // SAFETY: the caller's.
    unsafe {
        Maybe {
            value: lanes::shuffle_up(of.value, delta),
            is_there: warp::shuffle_up(warp::FULL_MASK, u32::from(of.is_there), delta) != 0,
        }
    }
}

/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
unsafe fn of_lane<A: bytemuck::Pod>(of: Maybe<A>, lane: u32) -> Maybe<A> {
    // SAFETY: the caller's.
    unsafe {
        Maybe {
            value: lanes::from_lane(of.value, lane),
            is_there: lanes::from_lane(u32::from(of.is_there), lane) != 0,
        }
    }
}

/// A piece as it is kept in memory.
#[repr(C, align(16))]
pub struct Stored {
    tail: [u64; 2],
    head: [u64; 2],
    segment: u32,
    /// Bit 0: there is a tail; bit 1: it is closed.
    flags: u32,
    rest: u64,
}

const _: () = assert!(size_of::<Stored>() == 8 * PIECE_WORDS);

impl Stored {
    /// Keeps a piece.
    ///
    /// # Safety
    /// `at` may be written by this thread, and by no other.
    #[inline(always)]
    pub unsafe fn put<A: bytemuck::Pod>(at: *mut Self, piece: Piece<A>) {
        // SAFETY: the caller's; a value has at most 16 bytes.
        unsafe {
            (&raw mut (*at).tail).cast::<A>().write(piece.tail.value);
            (&raw mut (*at).head).cast::<A>().write(piece.head);
            (*at).segment = piece.segment;
            (*at).flags = u32::from(piece.tail.is_there) | u32::from(piece.is_closed) << 1;
        }
    }

    /// The piece that was kept.
    ///
    /// # Safety
    /// One was, and nobody writes there.
    #[inline(always)]
    pub unsafe fn get<A: bytemuck::Pod>(at: *const Self) -> Piece<A> {
        // SAFETY: the caller's.
        unsafe {
            let flags = (*at).flags;
            Piece {
                tail: Maybe {
                    value: ptr::read((&raw const (*at).tail).cast()),
                    is_there: flags & 1 != 0,
                },
                is_closed: flags & 2 != 0,
                head: ptr::read((&raw const (*at).head).cast()),
                segment: (*at).segment,
            }
        }
    }
}
