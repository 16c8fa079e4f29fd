//! The file that `--out` names: there whole or not at all. What it is called decides how it
//! is written.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::Form;
use crate::error::{Error, Result};
use crate::files;
use crate::table::list::refused;

/// How a file of this name is written.
///
/// # Errors
///
/// [`Error::Argument`] for other names.
pub fn form(path: &Path) -> Result<Form> {
    Form::of(path, " and FILE.npy").map_err(|problem| refused("--out", problem))
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    let allowed = "allowed is a file in an existing folder";
    refused(
        "--out",
        format!("{} cannot be written: {error}, {allowed}", path.display()),
    )
}

/// A file in the same folder that has not got its name yet; without it nothing stays.
pub(super) struct Draft {
    file: NamedTempFile,
    /// The name that it will have.
    path: PathBuf,
}

impl Draft {
    /// For the file of this name, or the one that a link of this name leads to.
    pub(super) fn new(path: &Path) -> Result<Self> {
        let path = behind_links(path);
        let file = draft(&path)?;
        Ok(Self { file, path })
    }

    /// What writes to it.
    pub(super) fn writer(&self) -> io::Result<BufWriter<File>> {
        self.file.as_file().try_clone().map(BufWriter::new)
    }

    /// Gives it its name.
    pub(super) fn keep(self) -> Result<()> {
        let kept = self.file.persist(&self.path);
        let failed = kept.map(drop).map_err(|error| error.error);
        failed.map_err(|error| unwritable(&self.path, &error))
    }

    /// Why it cannot be written.
    pub(super) fn unwritable(&self, error: &io::Error) -> Error {
        unwritable(&self.path, error)
    }
}

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
    files::remember_draft(draft.path());
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
/// not the `source`, which an argument names.
///
/// # Errors
///
/// [`Error::Argument`].
pub fn check(path: &Path, argument: &str, source: Option<&Path>) -> Result<()> {
    form(path)?;
    let real = behind_links(path);
    if source.is_some_and(|source| behind_links(source) == real) {
        let problem = format!("is the file of {argument}, allowed is another one");
        return Err(refused("--out", format!("{} {problem}", path.display())));
    }
    draft(&real).map(drop)
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
