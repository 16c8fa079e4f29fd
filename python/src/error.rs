//! The library's errors as Python's exceptions.

use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    quadscan,
    Error,
    PyRuntimeError,
    "What the device or its driver could not do; an argument that is wrong is a ValueError."
);

/// An error of the library, as it is raised.
pub(crate) fn raised(error: quadscan::Error) -> PyErr {
    use quadscan::Error::*;
    let said = error.to_string();
    match error {
        Argument { .. } | OutOfRange { .. } | UnknownDevice { .. } => PyValueError::new_err(said),
        OutOfMemory { .. } | TooManyElements { .. } => PyMemoryError::new_err(said),
        _ => Error::new_err(said),
    }
}
