//! What lies before a tile, combined from the aggregates that blocks publish.

use core::marker::PhantomData;
use cuda_std::warp;

use super::dealt::Dealing;
use crate::operator::Operator;
use crate::scan::FOLLOWS;
use crate::scan::partial::Partial;
use crate::scan::request::Request;
use crate::scan::scratch::{BEFORE, GROUP};
use crate::scan::status::Look;

type Three<T> = (T, T, T);

/// A look at the tiles before one that are not yet in its block's [`Prefixes`].
pub(super) struct Window<O: Operator> {
    tile: u64,
    groups: Three<Look<O::Accumulator>>,
}

impl<O: Operator> Window<O> {
    /// At no tile.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self {
            tile: 0,
            groups: (Look::none(), Look::none(), Look::none()),
        }
    }
}

/// The exclusive prefixes of a block's tiles, in their order: whole groups of
/// [`GROUP`] tiles, one after the other, and what is left.
pub(super) struct Prefixes<O: Operator, D> {
    request: Request<O>,
    tag: u32,
    /// Whole groups so far,
    groups: u64,
    /// and their combination, behind the initial value.
    prefix: Partial<O::Accumulator>,
    /// Who has the tiles.
    dealing: PhantomData<D>,
}

impl<O: Operator, D: Dealing> Prefixes<O, D> {
    /// Before any tile, of the launch with this tag.
    ///
    /// # Safety
    /// The scratch memory is this launch's.
    #[inline(always)]
    pub(super) unsafe fn new(request: &Request<O>, tag: u32) -> Self {
        let mut prefix = request.initial();
        if D::IS_OF_SYSTEM {
            prefix.exists &= request.flags & FOLLOWS == 0;
        } else if request.goes_on() {
            // SAFETY: the caller's; the host has written the words before.
            prefix = Partial::some(unsafe { *request.scratch.add(BEFORE).cast() });
        }
        Self {
            request: *request,
            tag,
            groups: 0,
            prefix,
            dealing: PhantomData,
        }
    }

    /// Looks at the tiles before `tile`. Nothing waits for what is read before
    /// [`Prefixes::find`].
    ///
    /// The groups that are new are read together, two whole ones and a part: on a grid
    /// of up to 2 [`GROUP`] blocks there are no more.
    ///
    /// # Safety
    /// As for [`status::gather`].
    #[inline(always)]
    pub(super) unsafe fn look(&mut self, tile: u64) -> Window<O> {
        let scratch = self.request.scratch;
        // SAFETY: the caller's.
        unsafe {
            while self.groups + 2 < tile / GROUP {
                self.append(D::gather::<O>(scratch, self.groups, GROUP as u32, self.tag));
            }
            let tiles = (tile - self.groups * GROUP) as u32;
            let look = |i: u32| {
                let count = tiles.saturating_sub(i * GROUP as u32).min(GROUP as u32);
                // A group of which nothing is needed may be beyond the scratch memory.
                let group = self.groups + u64::from(if count > 0 { i } else { 0 });
                D::look(scratch, group, count)
            };
            Window {
                tile,
                groups: (look(0), look(1), look(2)),
            }
        }
    }

    /// The exclusive prefix of the window's tile, as soon as all aggregates before it are
    /// published: until then it is looked at again.
    ///
    /// # Safety
    /// As for [`status::gather`].
    #[inline(always)]
    pub(super) unsafe fn find(&mut self, window: Window<O>) -> Partial<O::Accumulator> {
        let mut window = window;
        // SAFETY: the caller's.
        unsafe {
            loop {
                let (first, second, third) = &window.groups;
                let are_there =
                    first.is_there(self.tag) & second.is_there(self.tag) & third.is_there(self.tag);
                if warp::warp_vote_all(warp::FULL_MASK, are_there) {
                    break;
                }
                window = self.look(window.tile);
            }
            let (mut last, second, third) = window.groups;
            let mut rest = (window.tile - self.groups * GROUP) as u32;
            if rest >= GROUP as u32 {
                self.append(last.combined::<O>());
                rest -= GROUP as u32;
                last = second;
                if rest >= GROUP as u32 {
                    self.append(last.combined::<O>());
                    rest -= GROUP as u32;
                    last = third;
                }
            }
            if rest == 0 {
                self.prefix
            } else {
                Partial::some(self.prefix.then::<O>(last.combined::<O>()))
            }
        }
    }

    /// Appends a whole group.
    #[inline(always)]
    fn append(&mut self, group: O::Accumulator) {
        self.prefix = Partial::some(self.prefix.then::<O>(group));
        self.groups += 1;
    }
}
