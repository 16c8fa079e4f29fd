//! The items of one lane: neighbouring elements in its registers, as they lie in memory.
//!
//! They stay packed, four bytes a register, and are taken out one at a time: as many
//! registers for bytes as for words. Indices are constants once loops are unrolled.

use bytemuck::Pod;
use core::array::from_fn;
use core::marker::PhantomData;
use cuda_std::shared::SharedPtr;
use cuda_std::warp;

use super::lanes::{self, LANES, MAX_WORDS, Words, words_of};
use super::partial::Partial;
use super::request::Request;
use super::segment_flags::bits::SegmentFlags;
use crate::operator::Operator;

/// 16 bytes.
pub type Vector = [u32; 4];

/// Elements in `V` vectors, one after the other.
#[derive(Clone, Copy)]
pub struct Items<T, const V: usize> {
    vectors: [Vector; V],
    of: PhantomData<T>,
}

impl<T: Pod, const V: usize> Items<T, V> {
    /// The elements in these vectors.
    #[inline(always)]
    pub fn new(vectors: [Vector; V]) -> Self {
        Self {
            vectors,
            of: PhantomData,
        }
    }

    /// No elements yet.
    #[inline(always)]
    pub fn none() -> Self {
        Self::new([[0; 4]; V])
    }

    /// The vectors.
    #[inline(always)]
    pub fn vectors(&self) -> [Vector; V] {
        self.vectors
    }

    /// Word `i`, or nothing in particular behind the last.
    #[inline(always)]
    fn word(&self, i: usize) -> u32 {
        if i < 4 * V {
            self.vectors[i / 4][i % 4]
        } else {
            0
        }
    }

    /// Element `i`.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        let first = i * size_of::<T>();
        let mut words: Words = [0; MAX_WORDS];
        for w in 0..MAX_WORDS {
            if w < words_of::<T>() {
                let at = first / 4 + w;
                words[w] = joined(self.word(at), self.word(at + 1), first as u32 % 4);
            }
        }
        lanes::from_words(words)
    }

    #[inline(always)]
    fn add_bits(&mut self, word: usize, bits: u32) {
        if word < 4 * V {
            self.vectors[word / 4][word % 4] |= bits;
        }
    }

    /// Makes `element` element `i`, which was not there before.
    #[inline(always)]
    pub fn put(&mut self, i: usize, element: T) {
        let first = i * size_of::<T>();
        let words = lanes::to_words(element);
        for w in 0..MAX_WORDS {
            if w < words_of::<T>() {
                let moved = u64::from(words[w]) << (first % 4 * 8);
                self.add_bits(first / 4 + w, moved as u32);
                self.add_bits(first / 4 + w + 1, (moved >> 32) as u32);
            }
        }
    }

    /// Reads them from shared memory.
    ///
    /// # Safety
    /// `at` points to them, and is a multiple of 16.
    #[inline(always)]
    pub unsafe fn read(at: SharedPtr<u8>) -> Self {
        // SAFETY: the caller's.
        Self::new(from_fn(|v| unsafe { place(at, v).load() }))
    }

    /// Writes them to shared memory, of which each lane of the warp has the part behind that
    /// of the lane below.
    ///
    /// Eight lanes at a time write to all banks, a vector each, if these are different ones
    /// modulo 8. Where `V` is even, they begin with different ones of every few vectors.
    ///
    /// # Safety
    /// As for [`Items::read`], and nobody else accesses them.
    #[inline(always)]
    pub unsafe fn write(self, at: SharedPtr<u8>) {
        let few = const { 1 << (V | 8).trailing_zeros() };
        let begin = warp::lane_id() / (8 / few as u32) % few as u32;
        let vectors = self.rotated(few, begin);
        for v in 0..V {
            let in_few = (v as u32 + begin) % few as u32;
            let at = place(at, v / few * few).wrapping_add(in_few);
            // SAFETY: the caller's.
            unsafe { at.store(vectors[v]) };
        }
    }

    /// Of every `few` vectors, a power of two, up to 8, that divides `V`, first those from
    /// `begin` on.
    #[inline(always)]
    fn rotated(&self, few: usize, begin: u32) -> [Vector; V] {
        let mut vectors = self.vectors;
        for bit in 0..3 {
            if 1 << bit < few {
                let is_set = mask(begin, bit);
                let before = vectors;
                for v in 0..V {
                    let from = v / few * few + (v + (1 << bit)) % few;
                    for w in 0..4 {
                        vectors[v][w] = one_of(before[v][w], before[from][w], is_set);
                    }
                }
            }
        }
        vectors
    }

    /// Reads those that begin `shift` bytes, 0 to 15, behind `at`: of one vector more,
    /// moved in registers, so that the lanes read from different banks all the same.
    ///
    /// # Safety
    /// As for [`Items::read`]; the vector behind the last may be read.
    #[inline(always)]
    pub unsafe fn read_shifted(at: SharedPtr<u8>, shift: u32) -> Self {
        // SAFETY: the caller's.
        let (there, behind) = unsafe { (Self::read(at), place(at, V).load()) };
        let word = |i: usize| {
            if i < 4 * V {
                there.vectors[i / 4][i % 4]
            } else if i < 4 * V + 4 {
                behind[i - 4 * V]
            } else {
                0
            }
        };
        let (eight, four) = (mask(shift, 3), mask(shift, 2));
        let by_8 = |i: usize| one_of(word(i), word(i + 2), eight);
        let by_4 = |i: usize| one_of(by_8(i), by_8(i + 1), four);
        Self::new(from_fn(|v| {
            from_fn(|w| {
                let i = 4 * v + w;
                if size_of::<T>().is_multiple_of(4) {
                    by_4(i)
                } else {
                    joined(by_4(i), by_4(i + 1), shift & 3)
                }
            })
        }))
    }

    /// Writes them so that they begin `shift` bytes, 0 to 15, behind `at`: as whole
    /// vectors, of which the first has its beginning from the lane below. That of lane 0
    /// is unspecified, and what the last lane has left goes to one vector more.
    ///
    /// # Safety
    /// As for [`Items::write`]; all lanes of the warp call it, with the same `shift`, each
    /// for the place behind the lane below; the vector behind the last lane's may be
    /// written.
    #[inline(always)]
    pub unsafe fn write_shifted(self, at: SharedPtr<u8>, shift: u32) {
        // SAFETY: all lanes are here, the caller's.
        let below: Vector = unsafe { lanes::shuffle_up(self.last(), 1) };
        for v in 0..V + 1 {
            if v < V || warp::lane_id() == LANES - 1 {
                // SAFETY: the caller's.
                unsafe { place(at, v).store(self.behind(below, shift, v)) };
            }
        }
    }

    /// The last vector.
    #[inline(always)]
    pub fn last(&self) -> Vector {
        self.vectors[V - 1]
    }

    /// Vector `v`, 0 to `V`, of these where they begin `shift` bytes, 0 to 15, behind a vector:
    /// the first one has its beginning from the end of `below`, and the last one its end from
    /// nowhere.
    #[inline(always)]
    pub fn behind(&self, below: Vector, shift: u32, v: usize) -> Vector {
        // Word i, counted from `below`.
        let word = |i: usize| {
            if i < 4 {
                below[i]
            } else if i < 4 * V + 4 {
                self.vectors[i / 4 - 1][i % 4]
            } else {
                0
            }
        };
        let (eight, four) = (mask(shift, 3), mask(shift, 2));
        let by_8 = |i: usize| one_of(word(i), word(i - 2), eight);
        let by_4 = |i: usize| one_of(by_8(i), by_8(i - 1), four);
        let moved = |i: usize| {
            if size_of::<T>().is_multiple_of(4) || shift & 3 == 0 {
                by_4(i)
            } else {
                joined(by_4(i - 1), by_4(i), 4 - (shift & 3))
            }
        };
        from_fn(|w| moved(4 + 4 * v + w))
    }
}

/// All bits, if bit `bit` of `number` is set.
#[inline(always)]
fn mask(number: u32, bit: u32) -> u32 {
    0u32.wrapping_sub(number >> bit & 1)
}

/// `a`, or where the mask is set `b`. Said with a branch, it would become a choice of the
/// index, and the array would leave its registers.
#[inline(always)]
fn one_of(a: u32, b: u32, mask: u32) -> u32 {
    a ^ ((a ^ b) & mask)
}

/// Vector `v` behind `at`.
#[inline(always)]
fn place(at: SharedPtr<u8>, v: usize) -> SharedPtr<Vector> {
    at.cast::<Vector>().wrapping_add(v as u32)
}

/// The four bytes that begin `bytes`, 0 to 3, into `low`.
#[inline(always)]
fn joined(low: u32, high: u32, bytes: u32) -> u32 {
    let both = u64::from(high) << 32 | u64::from(low);
    (both >> (bytes * 8)) as u32
}

/// The first `count` of `N` items combined, one after the other; nothing in particular
/// when there is none.
#[inline(always)]
pub fn total<O: Operator, const V: usize, const N: usize>(
    items: &Items<O::Input, V>,
    segment_flags: &SegmentFlags,
    count: usize,
) -> O::Accumulator {
    if count == N
        && let Some(total) = O::total_of(&items.vectors)
    {
        return total;
    }
    let mut total = lanes::unspecified();
    for i in 0..N {
        if i < count {
            let own = O::transform(items.get(i));
            total = match i {
                0 => own,
                _ => O::follow(total, own, segment_flags.is_set(i)),
            };
        }
    }
    O::enter(total, segment_flags.is_any(count.min(N)))
}

/// The scan of the first `count` of `N` items behind `prefix`; an exclusive one of one segment
/// always has one.
#[inline(always)]
pub fn scan<O: Operator, const V: usize, const R: usize, const N: usize>(
    request: &Request<O>,
    items: &Items<O::Input, V>,
    segment_flags: &SegmentFlags,
    count: usize,
    prefix: Partial<O::Accumulator>,
) -> Items<O::Output, R> {
    let known = prefix.exists.then_some(prefix.value);
    if V == R
        && count == N
        && let Some(results) = O::scan_of(&items.vectors, known, request.is_exclusive())
    {
        return Items::new(from_fn(|v| results[v.min(V - 1)]));
    }
    // What segments begin with costs as much as the scan itself, where there is nothing.
    if O::IS_SEGMENTED && request.is_plain() {
        combined::<O, V, R, N>(items, segment_flags, count, prefix, |_, running, _| {
            O::finish(running)
        })
    } else {
        combined::<O, V, R, N>(
            items,
            segment_flags,
            count,
            prefix,
            |earlier, running, is_first| {
                let result = match request.is_exclusive() {
                    true => earlier,
                    false => running,
                };
                request.result(result, is_first)
            },
        )
    }
}

/// [`total`] of every lane of a segment of `count` elements, scanned. Whether one is whole is asked
/// once, so that the code for whole ones asks for no element.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub unsafe fn reduce_segment<O: Operator, const V: usize, const N: usize>(
    items: &Items<O::Input, V>,
    segment_flags: &SegmentFlags,
    count: u32,
) -> O::Accumulator {
    // SAFETY: the caller's.
    unsafe {
        if count == N as u32 * LANES {
            lanes::scan::<O>(total::<O, V, N>(items, segment_flags, N), LANES)
        } else {
            let own = total::<O, V, N>(items, segment_flags, of_lane::<N>(count));
            lanes::scan::<O>(own, count.div_ceil(N as u32))
        }
    }
}

/// [`scan`] of every lane of such a segment.
#[inline(always)]
pub fn scan_segment<O: Operator, const V: usize, const R: usize, const N: usize>(
    request: &Request<O>,
    items: &Items<O::Input, V>,
    segment_flags: &SegmentFlags,
    count: u32,
    prefix: Partial<O::Accumulator>,
) -> Items<O::Output, R> {
    if count == N as u32 * LANES {
        scan::<O, V, R, N>(request, items, segment_flags, N, prefix)
    } else {
        let own = of_lane::<N>(count);
        scan::<O, V, R, N>(request, items, segment_flags, own, prefix)
    }
}

/// How many of the `count` elements of a segment lie at and behind the lane's first item.
#[inline(always)]
fn of_lane<const N: usize>(count: u32) -> usize {
    count.saturating_sub(warp::lane_id() * N as u32) as usize
}

/// The results that `result` makes of what is combined before an item and behind it, and of
/// whether a segment begins with it.
#[inline(always)]
fn combined<O: Operator, const V: usize, const R: usize, const N: usize>(
    items: &Items<O::Input, V>,
    segment_flags: &SegmentFlags,
    count: usize,
    prefix: Partial<O::Accumulator>,
    result: impl Fn(O::Accumulator, O::Accumulator, bool) -> O::Output,
) -> Items<O::Output, R> {
    let mut results = Items::none();
    let mut running = prefix.value;
    for i in 0..N {
        let earlier = running;
        if i < count {
            let own = O::transform(items.get(i));
            running = if i == 0 && !prefix.exists {
                own
            } else {
                O::follow(running, own, segment_flags.is_set(i))
            };
            results.put(i, result(earlier, running, segment_flags.is_set(i)));
        }
    }
    results
}
