//! `vote.sync` and `match.sync`: what the lanes have in common.

use crate::device::gpu;

macro_rules! vote {
    ($($(#[$doc:meta])* $name:ident, $instruction:literal;)*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("PTX: `", $instruction, "`.")]
        ///
        /// # Safety
        ///
        /// See [`mask`](crate::warp).
        #[inline(always)]
        #[must_use]
        pub unsafe fn $name(mask: u32, predicate: bool) -> bool {
            gpu!($name, (mask, predicate) => {
                let vote: u32;
                core::arch::asm!(
                    "{{ .reg .pred p, q; setp.ne.u32 p, {predicate}, 0;",
                    concat!($instruction, " q, p, {mask};"),
                    "selp.u32 {vote}, 1, 0, q; }}",
                    predicate = in(reg32) u32::from(predicate),
                    mask = in(reg32) mask,
                    vote = out(reg32) vote,
                    options(nomem, nostack, preserves_flags),
                );
                vote != 0
            })
        }
    )*};
}

vote! {
    /// Whether `predicate` holds in every lane of `mask`.
    warp_vote_all, "vote.sync.all.pred";
    /// Whether `predicate` holds in some lane of `mask`.
    warp_vote_any, "vote.sync.any.pred";
}

/// The mask of the lanes of `mask` in which `predicate` holds.
///
/// PTX: `vote.sync.ballot.b32`.
///
/// # Safety
///
/// See [`mask`](crate::warp).
#[inline(always)]
#[must_use]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    gpu!(warp_vote_ballot, (mask, predicate) => {
        let ballot: u32;
        core::arch::asm!(
            "{{ .reg .pred p; setp.ne.u32 p, {predicate}, 0; vote.sync.ballot.b32 {ballot}, p, {mask}; }}",
            predicate = in(reg32) u32::from(predicate),
            mask = in(reg32) mask,
            ballot = out(reg32) ballot,
            options(nomem, nostack, preserves_flags),
        );
        ballot
    })
}

/// A value that lanes can compare: integers of 32 and 64 bits; `f32` and `f64` by their bits, so
/// that 0 and -0 differ and a NaN equals itself.
pub trait WarpMatchValue: Sized {
    /// See [`warp_match_any`].
    ///
    /// # Safety
    ///
    /// See [`mask`](crate::warp).
    unsafe fn match_any(mask: u32, value: Self) -> u32;
    /// See [`warp_match_all`].
    ///
    /// # Safety
    ///
    /// See [`mask`](crate::warp).
    unsafe fn match_all(mask: u32, value: Self) -> Option<u32>;
}

/// The mask of the lanes of `mask` that have the same `value` as this one.
///
/// PTX: `match.any.sync`, sm_70.
///
/// # Safety
///
/// See [`mask`](crate::warp).
#[inline(always)]
#[must_use]
pub unsafe fn warp_match_any<T: WarpMatchValue>(mask: u32, value: T) -> u32 {
    // SAFETY: the caller's.
    unsafe { T::match_any(mask, value) }
}

/// `Some(mask)` if all lanes of `mask` have the same `value`, else `None`.
///
/// PTX: `match.all.sync`, sm_70.
///
/// # Safety
///
/// See [`mask`](crate::warp).
#[inline(always)]
#[must_use]
pub unsafe fn warp_match_all<T: WarpMatchValue>(mask: u32, value: T) -> Option<u32> {
    // SAFETY: the caller's.
    unsafe { T::match_all(mask, value) }
}

macro_rules! match_value {
    ($($type:ty, $register:ident, $ptx:literal, |$x:ident| $bits:expr;)*) => {$(
        impl WarpMatchValue for $type {
            #[inline(always)]
            unsafe fn match_any(mask: u32, $x: Self) -> u32 {
                gpu!(warp_match_any, (mask, $x) => {
                    let same: u32;
                    core::arch::asm!(
                        concat!("match.any.sync.", $ptx, " {same}, {value}, {mask};"),
                        same = out(reg32) same,
                        value = in($register) $bits,
                        mask = in(reg32) mask,
                        options(nomem, nostack, preserves_flags),
                    );
                    same
                })
            }

            #[inline(always)]
            unsafe fn match_all(mask: u32, $x: Self) -> Option<u32> {
                gpu!(warp_match_all, (mask, $x) => {
                    let same: u32;
                    let all: u32;
                    core::arch::asm!(
                        "{{ .reg .pred p;",
                        concat!("match.all.sync.", $ptx, " {same}|p, {value}, {mask};"),
                        "selp.u32 {all}, 1, 0, p; }}",
                        same = out(reg32) same,
                        all = out(reg32) all,
                        value = in($register) $bits,
                        mask = in(reg32) mask,
                        options(nomem, nostack, preserves_flags),
                    );
                    (all != 0).then_some(same)
                })
            }
        }
    )*};
}

match_value! {
    u32, reg32, "b32", |x| x;
    i32, reg32, "b32", |x| x;
    f32, reg32, "b32", |x| x.to_bits();
    u64, reg64, "b64", |x| x;
    i64, reg64, "b64", |x| x;
    f64, reg64, "b64", |x| x.to_bits();
}
