//! Finding and loading the driver library, once a process.

use std::env;
use std::ffi::{OsStr, OsString, c_int, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;

use libloading::Library;

/// The environment variable that names another library to load instead of the
/// system's driver, by file name or path. For tests and unusual installations.
pub const LIBRARY_VARIABLE: &str = "LIBCUDA_LAZY_LIBRARY";

/// Where the driver library may be: on the loader's own path first, then where
/// WSL and NixOS keep it.
const CANDIDATES: [&str; 3] = [
    "libcuda.so.1",
    "/usr/lib/wsl/lib/libcuda.so.1",
    "/run/opengl-driver/lib/libcuda.so.1",
];

/// The driver library that was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverInfo {
    /// The name or path under which the library was loaded.
    pub library: String,
    /// The newest CUDA version that the driver supports, as (major, minor).
    pub cuda: (u32, u32),
}

/// Why the driver, or a function of it, is not available.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// No driver library could be loaded.
    #[error("the NVIDIA driver library {library} could not be loaded ({reason})")]
    NotFound {
        /// The library that was asked for.
        library: String,
        /// What the system's loader said.
        reason: String,
    },
    /// The library was loaded, but is no usable CUDA driver.
    #[error("{library} is not a usable CUDA driver library ({reason})")]
    NotADriver {
        /// The library that was loaded.
        library: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The driver library has no such function.
    #[error("the driver library {library} has no function {symbol}; a newer NVIDIA driver may")]
    MissingSymbol {
        /// The library that was loaded.
        library: String,
        /// The function that it lacks.
        symbol: String,
    },
}

struct Loaded {
    library: Library,
    name: String,
}

impl Loaded {
    fn symbol(&self, name: &str) -> Result<NonNull<c_void>, LoadError> {
        // SAFETY: the symbol is only read as an address here; whoever calls it
        // answers for its type.
        let found = unsafe { self.library.get::<*mut c_void>(name) };
        found
            .ok()
            .and_then(|symbol| NonNull::new(*symbol))
            .ok_or_else(|| LoadError::MissingSymbol {
                library: self.name.clone(),
                symbol: name.to_owned(),
            })
    }
}

fn loaded() -> Result<&'static Loaded, LoadError> {
    static LOADED: OnceLock<Result<Loaded, LoadError>> = OnceLock::new();
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Loaded, LoadError> {
    if let Some(name) = env::var_os(LIBRARY_VARIABLE).filter(|name| !name.is_empty()) {
        return open(&name);
    }
    let mut first = None;
    for candidate in CANDIDATES {
        match open(OsStr::new(candidate)) {
            Ok(library) => return Ok(library),
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or_else(|| LoadError::NotFound {
        library: CANDIDATES[0].to_owned(),
        reason: "no name to look for".to_owned(),
    }))
}

fn open(name: &OsStr) -> Result<Loaded, LoadError> {
    let text = OsString::from(name).to_string_lossy().into_owned();
    // SAFETY: loading a library runs its initialisers; the driver's, and those
    // of a library that the user names, are trusted to be sound.
    match unsafe { Library::new(name) } {
        Ok(library) => Ok(Loaded {
            library,
            name: text,
        }),
        Err(error) => Err(LoadError::NotFound {
            library: text,
            reason: reason(&error),
        }),
    }
}

/// The loader's own words, where libloading wraps them.
fn reason(error: &libloading::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

pub(crate) fn symbol(name: &str) -> Result<NonNull<c_void>, LoadError> {
    loaded()?.symbol(name)
}

pub(crate) fn status() -> Result<DriverInfo, LoadError> {
    let loaded = loaded()?;
    let unusable = |reason: String| LoadError::NotADriver {
        library: loaded.name.clone(),
        reason,
    };
    for name in ["cuInit", "cuDriverGetVersion"] {
        if loaded.symbol(name).is_err() {
            return Err(unusable(format!("it has no function {name}")));
        }
    }
    let address = loaded.symbol("cuDriverGetVersion")?;
    let mut version: c_int = 0;
    // SAFETY: the driver's documented signature, and valid before cuInit.
    let code = unsafe {
        let get: unsafe extern "C" fn(*mut c_int) -> c_int = std::mem::transmute(address);
        get(&mut version)
    };
    if code != 0 {
        return Err(unusable(format!("cuDriverGetVersion answered {code}")));
    }
    let version = u32::try_from(version)
        .map_err(|_| unusable(format!("cuDriverGetVersion gave {version}")))?;
    Ok(DriverInfo {
        library: loaded.name.clone(),
        cuda: (version / 1000, version % 1000 / 10),
    })
}
