//! The file that `--out` names: there whole or not at all. What it is called decides how it
//! is written.

use std::fs::{self, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::refused;
use crate::error::{Error, Result};

/// How a file of items or results is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// As the CSV on standard output.
    Csv,
    /// An array of NumPy's.
    Npy,
}

impl Form {
    /// By the ending of a file's name.
    pub(super) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "csv" => Some(Form::Csv),
            "npy" => Some(Form::Npy),
            _ => None,
        }
    }
}

/// How a file of this name is written. Err for other names.
pub(super) fn form(path: &Path) -> Result<Form> {
    let neither = "is neither CSV nor .npy, allowed are FILE.csv and FILE.npy";
    Form::of(path).ok_or_else(|| refused("--out", format!("{} {neither}", path.display())))
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    let allowed = "allowed is a file in an existing folder";
    refused(
        "--out",
        format!("{} cannot be written: {error}, {allowed}", path.display()),
    )
}

/// A file in the same folder that has not got its name yet; without it nothing stays.
fn draft(path: &Path) -> Result<NamedTempFile> {
    if path.is_dir() {
        return Err(unwritable(path, &io::ErrorKind::IsADirectory.into()));
    }
    // A device or a pipe would be replaced, and not written to.
    if path.exists() && !path.is_file() {
        let problem = "is not a file, allowed is one, or the name of a new one";
        return Err(refused("--out", format!("{} {problem}", path.display())));
    }
    // What the system says, without the draft's name.
    let unwritable = |error: io::Error| unwritable(path, &error.kind().into());
    let draft = tempfile::Builder::new()
        .prefix(".quadscan-")
        // As open as the umask lets files be.
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder(path))
        .map_err(unwritable)?;
    // One that is replaced stays as open as it was.
    if let Ok(existing) = fs::metadata(path) {
        let permissions = existing.permissions();
        draft
            .as_file()
            .set_permissions(permissions)
            .map_err(unwritable)?;
    }
    Ok(draft)
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Makes sure that the file can be written, before there is anything to write, and that it is
/// not the one that the items are read from. How it is written.
pub(super) fn check(path: &Path, items: Option<&Path>) -> Result<Form> {
    let form = form(path)?;
    let real = behind_links(path);
    if items.is_some_and(|items| behind_links(items) == real) {
        let problem = "is the file of --batch, allowed is another one";
        return Err(refused("--out", format!("{} {problem}", path.display())));
    }
    draft(&real).map(|_| form)
}

/// Writes the file by `write`, whole or not at all.
pub(super) fn write(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<()> {
    let path = behind_links(path);
    let mut draft = draft(&path)?;
    let mut writer = BufWriter::new(draft.as_file_mut());
    let written = write(&mut writer).and_then(|()| writer.flush());
    drop(writer);
    let kept = written.and_then(|()| match draft.persist(&path) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.error),
    });
    kept.map_err(|error| unwritable(&path, &error))
}

/// It is the file that is written, and no link to it, whether the file is there or not.
fn behind_links(path: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(path) {
        return real;
    }
    let mut path = path.to_owned();
    // As many as Linux follows.
    for _ in 0..40 {
        let Ok(next) = fs::read_link(&path) else {
            break;
        };
        path = folder(&path).join(next);
    }
    path
}
