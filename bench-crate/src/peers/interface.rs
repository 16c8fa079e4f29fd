//! What all libraries of peers have, whatever they do: a version, names, and words for codes.

use std::ffi::{CStr, CString, c_char, c_int};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::record::Peer;
use quadscan::{Error, Result};

type Text = unsafe extern "C" fn() -> *const c_char;
type TextOfCode = unsafe extern "C" fn(c_int) -> *const c_char;

/// A library, and what it says of itself.
pub struct Interface {
    /// Never closed: the CUDA runtime in it has handlers of its own, and its kernels may be in graphs.
    library: ManuallyDrop<Library>,
    path: PathBuf,
    version: String,
    names: Vec<String>,
    error: TextOfCode,
}

impl Interface {
    /// Opens a library. Err in one sentence.
    ///
    /// # Safety
    ///
    /// The file is one that [`Build`](super::compiler::Build) made of a folder of `peers`.
    pub(super) unsafe fn open(path: &Path) -> std::result::Result<Self, String> {
        // SAFETY: the caller's: constructors and functions are those of our source, and the
        // types those of its functions.
        unsafe {
            let library = Library::new(path).map_err(|e| failed(path, &e))?;
            let library = ManuallyDrop::new(library);
            let version: Text = function(&library, c"quadscan_peer_version", path)?;
            let names: Text = function(&library, c"quadscan_peer_names", path)?;
            let error = function(&library, c"quadscan_peer_error", path)?;
            let names = text(names());
            Ok(Interface {
                version: text(version()),
                names: names.split_whitespace().map(str::to_owned).collect(),
                error,
                library,
                path: path.to_owned(),
            })
        }
    }

    /// A function of the library. Err in one sentence.
    ///
    /// # Safety
    ///
    /// `F` is the function's type.
    pub(super) unsafe fn function<F: Copy>(&self, name: &CStr) -> std::result::Result<F, String> {
        // SAFETY: the caller's; the library is never closed.
        unsafe { function(&self.library, name, &self.path) }
    }

    /// As it heads a column: `nvcc 13.0.88`.
    pub fn name(&self) -> &str {
        self.version.split(',').next().unwrap_or_default()
    }

    /// Who it is in a contest. The version is such as `nvcc 13.0.88, -O3`.
    pub fn peer(&self) -> Peer {
        Peer {
            name: self.name().to_owned(),
            version: self.version.clone(),
        }
    }

    /// Whether it has something of this name.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Err for a code other than 0, of a function that was asked for `what`.
    pub(super) fn check(&self, what: &str, code: c_int) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        Err(Error::Peer {
            what: what.to_owned(),
            code,
            // SAFETY: the library's function takes any code and gives a C string.
            text: text(unsafe { (self.error)(code) }),
        })
    }
}

fn failed(path: &Path, error: &libloading::Error) -> String {
    format!("{} cannot be loaded: {error}", path.display())
}

/// A function of a library. Err in one sentence.
///
/// # Safety
///
/// `F` is the function's type, and it is called while the library is open.
unsafe fn function<F: Copy>(
    library: &Library,
    name: &CStr,
    path: &Path,
) -> std::result::Result<F, String> {
    // SAFETY: the caller's.
    let found = unsafe { library.get::<F>(name) };
    found.map(|symbol| *symbol).map_err(|e| failed(path, &e))
}

/// A name as C has it. Names have no zero byte.
pub(super) fn c_name(name: &str) -> CString {
    CString::new(name).unwrap_or_default()
}

/// A text of the library, which is never closed; empty where there is none.
fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the library's texts are C strings that live as long as it, which is for good.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_string_lossy().into_owned()
}
