//! `quadscan._quadscan`: what the Python package `quadscan` calls. It takes addresses, as ctypes
//! does, and the package sees to it that they are those of arrays.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `error`: the library's errors as exceptions. `context`: the thread's CUDA context.
//! - `boxes`: integrals of formulas over boxes.
//! - `operations`: scans and reductions by their names. `integrals`: integrals by theirs, and of formulas.
//!   `dlpack`: arrays as other packages know them.
//! - `device`: a device, and what is asked of it.

mod boxes;
mod context;
mod device;
mod dlpack;
mod error;
mod integrals;
mod operations;

use pyo3::prelude::*;

/// The native part of the package quadscan.
#[pymodule(name = "_quadscan")]
fn quadscan_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<error::Error>())?;
    module.add("STATUS", integrals::STATUS)?;
    module.add_class::<device::Device>()?;
    module.add_class::<dlpack::DeviceArray>()?;
    module.add_function(wrap_pyfunction!(device::cuda_devices, module)?)?;
    module.add_function(wrap_pyfunction!(dlpack::dlpack, module)?)?;
    module.add_function(wrap_pyfunction!(boxes::box_parameters, module)?)?;
    module.add_function(wrap_pyfunction!(integrals::described, module)?)?;
    module.add_function(wrap_pyfunction!(integrals::integrands, module)?)?;
    module.add_function(wrap_pyfunction!(integrals::sample_increments, module)?)?;
    module.add_function(wrap_pyfunction!(operations::operations, module)?)
}
