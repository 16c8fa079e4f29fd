//! How many threads decisions are dealt to.

use std::num::NonZero;
use std::sync::LazyLock;
use std::thread;

/// How many threads work at a time.
pub(super) fn cores() -> usize {
    static CORES: LazyLock<usize> =
        LazyLock::new(|| thread::available_parallelism().map_or(1, NonZero::get));
    *CORES
}
