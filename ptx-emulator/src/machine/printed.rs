//! What kernels print: the newest output that fits the device's buffer.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Bytes that are kept: CUDA's default of `cudaLimitPrintfFifoSize`.
const LIMIT: usize = 1 << 20;

#[derive(Debug, Default)]
struct Texts {
    texts: VecDeque<String>,
    bytes: usize,
    lost: u64,
}

/// A buffer that all cores of a launch print to.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    texts: Mutex<Texts>,
}

impl Printed {
    /// Adds the text of one call; the oldest calls make room for it.
    pub(crate) fn push(&self, text: String) {
        let mut own = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        own.bytes += text.len();
        own.texts.push_back(text);
        while own.bytes > LIMIT
            && let Some(oldest) = own.texts.pop_front()
        {
            own.bytes -= oldest.len();
            own.lost += 1;
        }
    }

    /// All text that is left, and how many calls lost theirs.
    pub(crate) fn take(self) -> (String, u64) {
        let own = self
            .texts
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        (own.texts.into_iter().collect(), own.lost)
    }
}
