//! Whether a launcher and the code that was loaded mean the same parameters.
//!
//! The launcher comes from the kernels as the host compiled them, the manifest
//! from the same source as the builder did; an artifact read from a folder may
//! be of another version.

use cuda_builder::manifest;
use cuda_std::launch::{Actual, Kernel, Parameter, ParameterKind};

use crate::{Error, Result};

/// What a launcher says of its kernel: checks are compiled once, not once a kernel.
#[derive(Clone, Copy)]
pub(super) struct Launcher {
    /// The name of the entry.
    pub(super) name: &'static str,
    /// Its parameters, as the host compiled them.
    pub(super) parameters: &'static [Parameter],
}

impl Launcher {
    /// Of a kernel.
    pub(super) const fn of<K: Kernel>() -> Self {
        Self {
            name: K::NAME,
            parameters: K::PARAMETERS,
        }
    }
}

/// Compares names, types and bytes of the parameters.
///
/// # Errors
///
/// [`Error::SignatureMismatch`] with both lists.
pub(super) fn compare(
    launcher: Launcher,
    kernel: &manifest::Kernel,
    actuals: &[Actual<'_>],
) -> Result<()> {
    let mismatch = |expected, found| Error::SignatureMismatch {
        kernel: launcher.name.to_owned(),
        expected,
        found,
    };
    let expected = list(launcher.parameters.iter().map(|p| (p.name, p.ty)));
    let found = list(kernel.parameters.iter().map(|p| (&*p.name, &*p.ty)));
    if expected != found {
        return Err(mismatch(expected, found));
    }
    let given: Vec<u64> = sizes(actuals, launcher.parameters).collect();
    let taken = ptx_bytes(kernel);
    if given != taken {
        return Err(mismatch(
            format!("{expected}; bytes: {given:?}"),
            format!("{found}; bytes: {taken:?}"),
        ));
    }
    Ok(())
}

/// Bytes of each parameter of an entry, as its PTX says.
pub fn ptx_bytes(kernel: &manifest::Kernel) -> Vec<u64> {
    let parameters = kernel.compiled.iter().flat_map(|ptx| &ptx.parameters);
    parameters.map(|parameter| parameter.bytes).collect()
}

/// Slices are two parameters in PTX: address and length.
pub(super) fn is_slice(parameter: &Parameter) -> bool {
    matches!(
        parameter.kind,
        ParameterKind::Slice | ParameterKind::SliceMut
    )
}

/// Bytes of each parameter in PTX.
fn sizes(actuals: &[Actual<'_>], parameters: &[Parameter]) -> impl Iterator<Item = u64> {
    let pairs = actuals.iter().zip(parameters);
    pairs.flat_map(|(actual, parameter)| {
        let length = is_slice(parameter).then_some(size_of::<u64>() as u64);
        std::iter::once(actual.bytes.len() as u64).chain(length)
    })
}

fn list<'a>(parameters: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let parameters: Vec<_> = parameters
        .map(|(name, ty)| format!("{name}: {ty}"))
        .collect();
    parameters.join(", ")
}
