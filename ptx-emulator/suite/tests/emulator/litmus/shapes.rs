//! The shapes of litmus tests: what their threads do, and the outcome that each is known for.

/// What one instruction of a shape does.
#[derive(Copy, Clone)]
pub(super) enum Step {
    /// Writes a value.
    W(usize, u32),
    /// Reads.
    R(usize),
}

pub(super) use Step::{R, W};

pub(super) const X: usize = 0;
const Y: usize = 1;
const Z: usize = 2;

/// A shape: threads, and the outcome that it is known for, what each read gives and then what is
/// left in each location; `None` for any value.
pub(super) struct Test {
    pub(super) name: &'static str,
    pub(super) threads: &'static [&'static [Step]],
    pub(super) outcome: &'static [Option<u32>],
    /// The outcome in words.
    pub(super) words: &'static str,
}

const A: Option<u32> = None;
const O: Option<u32> = Some(0);
const I: Option<u32> = Some(1);
const II: Option<u32> = Some(2);

#[rustfmt::skip]
pub(super) const TESTS: &[Test] = &[
    Test { name: "MP", threads: &[&[W(X, 1), W(Y, 1)], &[R(Y), R(X)]],
        outcome: &[I, O, A, A], words: "the flag is seen, the message is not" },
    Test { name: "SB", threads: &[&[W(X, 1), R(Y)], &[W(Y, 1), R(X)]],
        outcome: &[O, O, A, A], words: "neither thread sees the other's store" },
    Test { name: "LB", threads: &[&[R(X), W(Y, 1)], &[R(Y), W(X, 1)]],
        outcome: &[I, I, A, A], words: "both loads see stores that come after them" },
    Test { name: "IRIW", threads: &[&[W(X, 1)], &[W(Y, 1)], &[R(X), R(Y)], &[R(Y), R(X)]],
        outcome: &[I, O, I, O, A, A], words: "two readers see two writes in different orders" },
    Test { name: "CoRR", threads: &[&[W(X, 1)], &[R(X), R(X)]],
        outcome: &[I, O, A], words: "a second read goes back" },
    Test { name: "CoWW", threads: &[&[W(X, 1), W(X, 2)]],
        outcome: &[I], words: "the earlier store of a thread stays" },
    Test { name: "CoRW", threads: &[&[R(X), W(X, 2)], &[W(X, 1)]],
        outcome: &[I, I], words: "a store comes before the one that its thread has read" },
    Test { name: "CoWR", threads: &[&[W(X, 1), R(X)], &[W(X, 2)]],
        outcome: &[O, A], words: "a thread does not see its own store" },
    Test { name: "2+2W", threads: &[&[W(X, 1), W(Y, 2)], &[W(Y, 1), W(X, 2)]],
        outcome: &[I, I], words: "the first store of each thread stays" },
    Test { name: "S", threads: &[&[W(X, 2), W(Y, 1)], &[R(Y), W(X, 1)]],
        outcome: &[I, II, A], words: "a store behind a read of the flag comes before the message" },
    Test { name: "R", threads: &[&[W(X, 1), W(Y, 1)], &[W(Y, 2), R(X)]],
        outcome: &[O, A, II], words: "the later store of the flag does not see the message" },
    Test { name: "WRC", threads: &[&[W(X, 1)], &[R(X), W(Y, 1)], &[R(Y), R(X)]],
        outcome: &[I, I, O, A, A], words: "a third thread sees the flag and not the message" },
    Test { name: "ISA2", threads: &[&[W(X, 1), W(Y, 1)], &[R(Y), W(Z, 1)], &[R(Z), R(X)]],
        outcome: &[I, I, O, A, A, A], words: "the message is lost over two flags" },
];

/// Whether an outcome is the one that a shape is known for.
pub(super) fn is_known_for(test: &Test, outcome: &[u32]) -> bool {
    let mut pairs = outcome.iter().zip(test.outcome);
    pairs.all(|(value, known)| known.is_none_or(|known| known == *value))
}
