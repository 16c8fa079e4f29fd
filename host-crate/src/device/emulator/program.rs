//! Programs that were loaded last: PTX that another device of this process loads is not read again.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use ptx_emulator::{LoadError, Program};

/// Bytes of PTX whose programs are kept: some of our modules.
const KEPT: usize = 4 << 20;

/// The texts and their programs, the newest last.
static LOADED: Mutex<VecDeque<(String, Program)>> = Mutex::new(VecDeque::new());

/// As [`Program::load`].
pub(super) fn load(ptx: &str) -> Result<Program, LoadError> {
    let loaded = || LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = loaded()
        .iter()
        .find(|known| known.0 == ptx)
        .map(|known| known.1.clone());
    if let Some(program) = known {
        return Ok(program);
    }
    let program = Program::load(ptx)?;
    let mut loaded = loaded();
    loaded.push_back((ptx.to_owned(), program.clone()));
    while loaded.iter().map(|(text, _)| text.len()).sum::<usize>() > KEPT {
        loaded.pop_front();
    }
    Ok(program)
}
