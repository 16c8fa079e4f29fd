//! Arrays in files: NumPy's `.npy` in C order, `.txt`, numbers in decimal or as bits between blanks,
//! and `.bin`, the bytes as they are. Bytes are little-endian, as on the GPU.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::element::Element;
use crate::npy::{self, Descr, Header};

/// Elements and their shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) bytes: Vec<u8>,
    pub(crate) shape: Vec<u64>,
}

/// How a file holds an array, by the end of its name.
enum Format {
    Npy,
    Text,
    Raw,
}

impl Format {
    fn of(file: &Path) -> Self {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("npy") => Format::Npy,
            Some("txt") => Format::Text,
            _ => Format::Raw,
        }
    }
}

/// Reads all elements of a file.
///
/// # Errors
///
/// One sentence, when it cannot be read or holds something else.
pub(crate) fn read(file: &Path, element: Element) -> Result<Array, String> {
    let bytes =
        fs::read(file).map_err(|error| format!("`{}` cannot be read: {error}", file.display()))?;
    let array = match Format::of(file) {
        Format::Npy => from_npy(&bytes, element),
        Format::Text => from_text(&bytes, element),
        Format::Raw => from_raw(bytes, element),
    };
    array.map_err(|why| format!("`{}` {why}", file.display()))
}

fn from_text(bytes: &[u8], element: Element) -> Result<Array, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not text".to_owned())?;
    let mut values = Vec::new();
    for (word, number) in text.split_whitespace().zip(1..) {
        let bytes = element.encode(word);
        let bytes =
            bytes.map_err(|allowed| format!("has `{word}` as number {number}; {allowed}"))?;
        values.extend(bytes);
    }
    if values.is_empty() {
        return Err("has no numbers".to_owned());
    }
    let shape = vec![(values.len() / element.bytes) as u64];
    Ok(Array {
        bytes: values,
        shape,
    })
}

/// A line a row: an element, or those that differ in the last index alone.
fn to_text(array: &Array, element: Element) -> String {
    let columns = match array.shape.as_slice() {
        [_, .., columns] => *columns as usize,
        _ => 1,
    };
    let rows = array.bytes.chunks(columns.max(1) * element.bytes);
    let line = |row: &[u8]| {
        let values = row.chunks(element.bytes).map(|value| element.decode(value));
        values.collect::<Vec<_>>().join(" ") + "\n"
    };
    rows.map(line).collect()
}

fn from_raw(bytes: Vec<u8>, element: Element) -> Result<Array, String> {
    if bytes.is_empty() || !bytes.len().is_multiple_of(element.bytes) {
        return Err(format!(
            "has {} bytes; {} needs a multiple of {}, and not 0",
            bytes.len(),
            element.name,
            element.bytes
        ));
    }
    let shape = vec![(bytes.len() / element.bytes) as u64];
    Ok(Array { bytes, shape })
}

fn from_npy(mut bytes: &[u8], element: Element) -> Result<Array, String> {
    let Some(Header {
        descr: Descr::Plain(dtype),
        is_fortran,
        shape,
    }) = npy::read(&mut bytes)
    else {
        return Err("is not a .npy file of a plain array".to_owned());
    };
    let fits = dtype.trim_start_matches(['<', '>', '|', '=']) == &element.dtype()[1..];
    let little = !dtype.starts_with('>') || element.bytes == 1;
    if !fits || !little {
        return Err(format!(
            "holds {dtype:.20}; {} needs {}",
            element.name,
            element.dtype()
        ));
    }
    if is_fortran && shape.iter().filter(|&&n| n > 1).count() > 1 {
        return Err("is in Fortran order; C order is needed".into());
    }
    let expected = shape
        .iter()
        .try_fold(element.bytes as u64, |all, &n| all.checked_mul(n));
    if expected != Some(bytes.len() as u64) || bytes.is_empty() {
        return Err(format!(
            "has {} bytes of elements, which is not what its shape {shape:?} needs, or none",
            bytes.len()
        ));
    }
    Ok(Array {
        bytes: bytes.to_vec(),
        shape,
    })
}

/// A file that is written and has not got its name yet.
pub(crate) struct Written {
    file: NamedTempFile,
}

fn folder(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Symbolic links that are followed, one after the other.
const LINKS: usize = 40;

fn unwritable(file: &Path, why: impl std::fmt::Display) -> String {
    format!("`{}` cannot be written: {why}", file.display())
}

/// The file that `file` names, behind all links, with a full path; it need
/// not be there, and its folder must.
///
/// # Errors
///
/// One sentence.
pub(crate) fn target(file: &Path) -> Result<PathBuf, String> {
    let mut target = file.to_path_buf();
    for _ in 0..LINKS {
        let Some(name) = target.file_name() else {
            return Err(unwritable(file, "it is a folder"));
        };
        let parent = folder(&target);
        let whole = fs::canonicalize(parent).map_err(|error| {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "does not exist".to_owned(),
                kind => format!("cannot be used: {kind}"),
            };
            unwritable(file, format!("the folder `{}` {why}", parent.display()))
        })?;
        target = whole.join(name);
        match fs::read_link(&target) {
            // Of a link the folder that it lies in is the start.
            Ok(next) => target = whole.join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(unwritable(
        file,
        format!("it leads through more than {LINKS} links"),
    ))
}

/// Makes sure that `file` can be written later, at its `target`: the folder
/// takes files.
///
/// # Errors
///
/// One sentence.
pub(crate) fn reserve(file: &Path, target: &Path) -> Result<Written, String> {
    if target.is_dir() {
        return Err(unwritable(file, "it is a folder"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ptx-emulator-");
    // Temporary files are their owner's alone; results are as open as the
    // umask lets them be.
    #[cfg(unix)]
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    builder.permissions(mode);
    match builder.tempfile_in(folder(target)) {
        Ok(made) => Ok(Written { file: made }),
        Err(error) => {
            let parent = folder(target).display();
            let why = format!("the folder `{parent}` takes no file: {}", error.kind());
            Err(unwritable(file, why))
        }
    }
}

impl Written {
    /// Writes the array, not yet under its name.
    ///
    /// # Errors
    ///
    /// One sentence.
    pub(crate) fn fill(
        &mut self,
        file: &Path,
        array: &Array,
        element: Element,
    ) -> Result<(), String> {
        let mut write = || {
            match Format::of(file) {
                Format::Npy => {
                    let header = npy::written(&Descr::Plain(element.dtype()), &array.shape);
                    self.file.write_all(&header)?;
                    self.file.write_all(&array.bytes)?;
                }
                Format::Text => self.file.write_all(to_text(array, element).as_bytes())?,
                Format::Raw => self.file.write_all(&array.bytes)?,
            }
            self.file.as_file().sync_all()
        };
        write().map_err(|error| unwritable(file, error))
    }

    /// Gives it its name.
    ///
    /// # Errors
    ///
    /// One sentence.
    pub(crate) fn keep(self, file: &Path) -> Result<(), String> {
        match self.file.persist(file) {
            Ok(_) => Ok(()),
            Err(error) => Err(unwritable(file, error.error)),
        }
    }
}
