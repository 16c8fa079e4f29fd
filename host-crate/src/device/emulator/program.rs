//! Programs that were loaded last: PTX that another device of this process loads is not read again.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ptx_emulator::{LoadError, Program};

/// Bytes of PTX whose programs are kept: some of our modules.
const KEPT: usize = 4 << 20;

/// The texts and their programs, those that were loaded last at the end.
static LOADED: Mutex<VecDeque<(String, Program)>> = Mutex::new(VecDeque::new());

/// As [`Program::load`].
pub(super) fn load(ptx: &str) -> Result<Program, LoadError> {
    if let Some(program) = known(ptx) {
        return Ok(program);
    }
    let program = Program::load(ptx)?;
    if ptx.len() > KEPT || known(ptx).is_some() {
        return Ok(program);
    }
    let mut loaded = loaded();
    loaded.push_back((ptx.to_owned(), program.clone()));
    while loaded.iter().map(|(text, _)| text.len()).sum::<usize>() > KEPT {
        loaded.pop_front();
    }
    Ok(program)
}

fn loaded() -> MutexGuard<'static, VecDeque<(String, Program)>> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A program that is kept, which becomes the last one.
fn known(ptx: &str) -> Option<Program> {
    let mut loaded = loaded();
    let index = loaded.iter().position(|known| known.0 == ptx)?;
    let known = loaded.remove(index)?;
    let program = known.1.clone();
    loaded.push_back(known);
    Some(program)
}
