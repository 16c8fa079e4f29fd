//! Digests by an ordinary crate.

use cuda_std::prelude::*;
use sha2::{Digest, Sha256};

/// The digest of a message a thread: message `i` ends before byte `ends[i]`, where the next one
/// begins.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn sha256(messages: &[u8], ends: &[u32], digests: *mut [u8; 32]) {
    let i = thread::index_1d() as usize;
    if i < ends.len() {
        let start = if i == 0 { 0 } else { ends[i - 1] as usize };
        let digest = Sha256::digest(&messages[start..ends[i] as usize]);
        unsafe { *digests.add(i) = digest.into() };
    }
}
