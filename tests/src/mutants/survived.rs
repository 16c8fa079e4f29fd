//! Mutants without a fault of the kinds that are checked, and why each has none.
//!
//! A mutant is known by what it takes away and by the text of its line, not by
//! the line's number. The list is exact: `tests/tests/mutants.rs` fails when a
//! mutant is not reported and not listed, and when a listed one is not needed.

use super::change::{Change, Mutant};
use super::run::Fate;

/// What becomes of a mutant that has no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The results are right.
    Harmless,
    /// A result is wrong, and all accesses are as they may be.
    Wrong,
    /// Another check of the kernel stops it before an access goes wrong.
    Stopped,
}

impl Verdict {
    /// That of a mutant that was not reported.
    pub fn of(fate: &Fate) -> Option<Verdict> {
        match fate {
            Fate::Unharmed => Some(Verdict::Harmless),
            Fate::Wrong => Some(Verdict::Wrong),
            Fate::Stopped(_) => Some(Verdict::Stopped),
            Fate::Caught(_) | Fate::Misplaced(_) => None,
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Verdict::Harmless => "harmless",
            Verdict::Wrong => "wrong result",
            Verdict::Stopped => "stopped",
        })
    }
}

/// Mutants of one line that have no fault.
#[derive(Clone, Copy, Debug)]
pub struct Survivor {
    /// What is taken away.
    pub change: Change,
    /// As [`Mutant::detail`].
    pub detail: &'static str,
    /// The text of the line.
    pub text: &'static str,
    /// In the names of the kernels.
    pub kernels: &'static str,
    /// Whether each of those kernels has such mutants that are caught as well:
    /// two lines have this text, or the compiler made several branches of it.
    pub one_of_several: bool,
    /// What becomes of them.
    pub verdict: Verdict,
    /// Why.
    pub reason: &'static str,
}

impl Survivor {
    /// Whether this is the mutant of `kernel` whose line has `text`.
    pub fn is(&self, kernel: &str, mutant: &Mutant, text: &str) -> bool {
        (self.change, self.detail) == (mutant.change, mutant.detail)
            && kernel.contains(self.kernels)
            && text.trim() == self.text
    }
}

const fn of(
    (change, detail): (Change, &'static str),
    text: &'static str,
    kernels: &'static str,
    verdict: Verdict,
    reason: &'static str,
) -> Survivor {
    let one_of_several = false;
    Survivor {
        change,
        detail,
        text,
        kernels,
        one_of_several,
        verdict,
        reason,
    }
}

const fn one_of_several(survivor: Survivor) -> Survivor {
    Survivor {
        one_of_several: true,
        ..survivor
    }
}

use Verdict::{Harmless, Stopped, Wrong};

const NEVER: (Change, &str) = (Change::Guard, "never");

const ALWAYS: (Change, &str) = (Change::Guard, "always");

/// Kernels without mutants. The pairwise kernel's branches are the digits of its
/// counter: they decide which sums are added and no place in memory, and its mutants
/// alone take longer than those of all other kernels.
pub const LEFT_OUT: &[&str] = &["trapezoid_f32_pure_pairwise"];

/// All of them.
pub const SURVIVORS: &[Survivor] = &[
    one_of_several(of(
        NEVER,
        "for i in 0..count {",
        "f32_pure_kahan",
        Harmless,
        "not a check of bounds: it tests for a count of 0, which no launch has",
    )),
    one_of_several(of(
        NEVER,
        "for i in 0..count {",
        "f32_pure_double_float",
        Harmless,
        "not a check of bounds: it tests for a count of 0, which no launch has",
    )),
    one_of_several(of(
        NEVER,
        "for i in 0..count {",
        "f32_pure_double_float",
        Wrong,
        "not a check of bounds: the compiler takes the terms in pairs, and the branch decides \
         which strips are summed, not where anything is in memory",
    )),
    of(
        ALWAYS,
        "for i in 0..count {",
        "f32_pure_double_float",
        Wrong,
        "not a check of bounds: the compiler takes the terms in pairs, and the branch decides \
         which strips are summed, not where anything is in memory",
    ),
    of(
        ALWAYS,
        "for _ in 0..count / 4 {",
        "mapped",
        Wrong,
        "not a check of bounds: the compiler takes groups of four in pairs, after an odd one, and \
         the branch decides which strips are summed, not where anything is in memory",
    ),
    one_of_several(of(
        NEVER,
        "for _ in 0..count / 4 {",
        "mapped",
        Wrong,
        "not a check of bounds: the compiler takes groups of four in pairs, after an odd one, and \
         the branch decides which strips are summed, not where anything is in memory",
    )),
    of(
        ALWAYS,
        "while width > 1 {",
        "same_launch",
        Harmless,
        "it matters for a block of one thread alone: there is one more round, all threads reach \
         its barrier, and `thread + half < width` lets none of them add",
    ),
    of(
        NEVER,
        "while width > 1 {",
        "same_launch",
        Harmless,
        "it matters for a block of one thread alone: there is one more round, all threads reach \
         its barrier, and `thread + half < width` lets none of them add",
    ),
    of(
        ALWAYS,
        "while width > 1 {",
        "sum_partials",
        Harmless,
        "it matters for a block of one thread alone: there is one more round, all threads reach \
         its barrier, and `thread + half < width` lets none of them add",
    ),
    of(
        NEVER,
        "for i in strided(thread, leaves, threads) {",
        "blelloch",
        Harmless,
        "a thread beyond the leaves writes a zero at its own index: a block has at most 1024 \
         threads, the array has 2048 elements, and no step reads beyond the leaves",
    ),
    of(
        NEVER,
        "while size > 0 && pairs > 0 {",
        "blelloch",
        Harmless,
        "there are no pairs only if there is one leaf: there is one more pass, all threads reach \
         its barrier, and `thread < 0` lets none of them combine",
    ),
    of(
        (Change::Condition, "first of or"),
        "while size > 0 && pairs > 0 {",
        "blelloch",
        Harmless,
        "before the loop `size` is a power of two, at least 1",
    ),
    of(
        (Change::Condition, "second of or"),
        "while size > 0 && pairs > 0 {",
        "blelloch",
        Harmless,
        "without pairs there is one leaf: there is one more pass, all threads reach its barrier, \
         and `thread < 0` lets none of them combine",
    ),
    of(
        (Change::Condition, "second of and"),
        "while size > 0 && pairs > 0 {",
        "blelloch",
        Harmless,
        "in the loop `pairs` only doubles, from 1 to half of the leaves; `size > 0` ends the loop",
    ),
    of(
        NEVER,
        "while pairs > 1 {",
        "blelloch",
        Wrong,
        "it matters for two leaves alone: thread 0 adds them, and no pairs are left for the \
         down-sweep; all accesses are within the tree and between barriers",
    ),
    of(
        NEVER,
        "for step in 0..steps(n) {",
        "hillis_steele",
        Harmless,
        "without steps there is at most one element: one more step copies it, and a barrier \
         follows",
    ),
    of(
        NEVER,
        "for first in strided(0, n, threads) {",
        "hillis_steele",
        Harmless,
        "`take_while` remembers that it has ended, and the loop does not call it again",
    ),
    of(
        NEVER,
        "if combines {",
        "hillis_steele",
        Wrong,
        "the other branch of the `if` copies an element in place of a sum, and reads and writes \
         the same addresses as the sum",
    ),
    of(
        (Change::Guard, "always"),
        "input[i - 1]",
        "hillis_steele_exclusive",
        Harmless,
        "it is the index check of the slice, and `i > 0` and `i < n` were tested before",
    ),
    one_of_several(of(
        NEVER,
        "for i in strided(thread, n, threads) {",
        "hillis_steele_exclusive",
        Stopped,
        "the index check of `input[i - 1]` finds it",
    )),
    of(
        (Change::LoopEnd, "never"),
        "for i in strided(thread, n, threads) {",
        "hillis_steele_exclusive",
        Stopped,
        "the index check of `input[i - 1]` finds it",
    ),
    of(
        NEVER,
        "} else if i > 0 {",
        "hillis_steele_exclusive",
        Stopped,
        "the index check of `input[i - 1]` finds it",
    ),
    of(
        NEVER,
        "if active > 0 && warp::lane_id() == 0 {",
        "_counted",
        Wrong,
        "every lane adds to the counters, atomically and within their array",
    ),
    of(
        (Change::Condition, "first of or"),
        "if active > 0 && warp::lane_id() == 0 {",
        "_counted",
        Wrong,
        "every lane of a warp that combines adds to the counters, atomically and within their \
         array",
    ),
    of(
        (Change::Condition, "second of or"),
        "if active > 0 && warp::lane_id() == 0 {",
        "_counted",
        Wrong,
        "a warp that does not combine is counted, atomically and within the array of counters",
    ),
    one_of_several(of(
        NEVER,
        "while left > 0 {",
        "dyadic",
        Harmless,
        "not a check of bounds: at most three strips are left here, and the compiler tests for \
         none, for multiples of eight and for eight; whichever test is missing, the others decide \
         the same",
    )),
    one_of_several(of(
        (Change::LoopEnd, "always"),
        "while left > 0 {",
        "trapezoid",
        Harmless,
        "not a check of bounds: at most three strips are left here, so the compiler's loop for \
         four or eight of them never runs",
    )),
];
