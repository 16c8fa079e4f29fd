//! Files that are written whole or not at all, and what is no file although it has a name.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Drafts with names of their own, which stay where a program ends in the middle.
static DRAFTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Has [`remove_drafts`] remove a draft, where it is there then.
pub(crate) fn remember_draft(draft: &Path) {
    if let Ok(mut drafts) = DRAFTS.lock() {
        drafts.push(draft.to_owned());
    }
}

/// Removes the drafts that have not got their names yet. For the end of a program.
pub(crate) fn remove_drafts() {
    for draft in DRAFTS.lock().iter().flat_map(|drafts| drafts.iter()) {
        // Most have got it.
        let _ = fs::remove_file(draft);
    }
}

/// Err where a pipe or a device has the name of a file: reading it may wait for ever, and what
/// replaces it would be no pipe.
///
/// # Errors
///
/// One that says so.
pub(crate) fn expect_file(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            Err(io::Error::other("it is a pipe or a device, and not a file"))
        }
        _ => Ok(()),
    }
}

/// What is known of a file or folder; nothing where it is not there.
///
/// # Errors
///
/// The system's, such as for what no file can be called.
pub(crate) fn reach(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Writes a whole file or leaves what was there: it appears when it is complete, and no draft of
/// it stays.
///
/// # Errors
///
/// The system's; that of [`expect_file`].
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    expect_file(path)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let draft = path.with_file_name(name);
    // One that a killed program has left, whatever it is.
    let _ = fs::remove_file(&draft);
    let written = File::create_new(&draft)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_replaced_stays_and_leaves_no_draft() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.json");
        assert!(replace(&path, b"1").is_ok() && replace(&path, b"2").is_ok());
        assert_eq!(fs::read(&path).ok().as_deref(), Some(&b"2"[..]));
        let taken = folder.path().join("taken");
        assert!(fs::create_dir_all(taken.join("full")).is_ok());
        assert!(replace(&taken, b"3").is_err());
        assert!(expect_file(Path::new("/dev/null")).is_err());
        assert!(replace(Path::new("/dev/null"), b"4").is_err());
        let names = fs::read_dir(folder.path()).map(Iterator::count);
        assert_eq!(names.ok(), Some(2), "the file and the folder");
    }
}
