//! Files that are written when their contents change, and the names of contents.

use std::path::Path;
use std::{fs, io};

use crate::CudaBuilderError;

/// Writes a file unless it holds that text already, so that its date says
/// when its contents changed; renamed into place, so that nobody reads half of it.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<(), CudaBuilderError> {
    let bytes = text.as_ref();
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    fs::write(&new, bytes)
        .and_then(|()| fs::rename(&new, path))
        .map_err(|source| CudaBuilderError::io("write", path, source))
}

/// Copies a file unless the copy is there already.
pub(crate) fn copy_if_changed(from: &Path, to: &Path) -> io::Result<()> {
    let bytes = fs::read(from)?;
    if fs::read(to).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, bytes)
}

pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
