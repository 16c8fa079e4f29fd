//! The quarter circle in CUDA C++: the cubin that nvcc made of `peers/quarter_circle.cu`, with
//! the strips as a compile-time constant as in the published program.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use bytemuck::Pod;
use quadscan_kernels::integrate::trapezoid::MAX_EXACT_DYADIC_STRIPS;

use super::Expected;
use super::sums::{Sum, peer_difference};
use crate::measure::Bench;
use crate::oracle::Precision;
use crate::trapezoid::Grid;
use quadscan::device::{Buffer, Device, LaunchShape, Module};
use quadscan::{Error, Result};

/// The modules of cubins, each loaded once.
#[derive(Default)]
struct Cubins {
    loaded: HashMap<PathBuf, Module>,
}

impl Cubins {
    fn load(&mut self, device: &Device, cubin: &Path) -> Result<Module> {
        if let Some(module) = self.loaded.get(cubin) {
            return Ok(module.clone());
        }
        let bytes = std::fs::read(cubin).map_err(|source| Error::Unreadable {
            path: cubin.to_owned(),
            source,
        })?;
        let module = device.load_cubin(&bytes)?;
        self.loaded.insert(cubin.to_owned(), module.clone());
        Ok(module)
    }
}

/// The entries of a precision: the published form, and the one with the algorithm of our
/// `_dyadic` kernel, where the strips and the precision have one. None for sums that the page
/// does not have.
fn entries(precision: Precision, strips: u64) -> Vec<String> {
    let published = match precision {
        Precision::F64 => "quarter_circle_f64",
        Precision::F32 => "quarter_circle_f32",
        Precision::F32Pure => "quarter_circle_f32_pure",
        _ => return Vec::new(),
    };
    let is_dyadic = strips.is_power_of_two()
        && strips <= MAX_EXACT_DYADIC_STRIPS
        && precision != Precision::F32Pure;
    let dyadic = is_dyadic.then(|| format!("{published}_dyadic"));
    [published.to_owned()].into_iter().chain(dyadic).collect()
}

/// A kernel of the peer with its own partial sums.
pub(super) struct Loaded<T: Pod> {
    module: Module,
    entry: String,
    shape: LaunchShape,
    buffer: Buffer<T>,
}

impl<T: Pod> Loaded<T> {
    pub(super) fn launch(&self) -> Result<()> {
        // SAFETY: the peer's entries have one parameter, the address of
        // blocks * threads partial sums, and `buffer` holds as many.
        unsafe {
            self.module
                .launch_raw(&self.entry, self.shape, &[self.buffer.actual()])
        }
    }
}

/// Loads the peer's forms, the published one first, launches each once and
/// compares its result; `partials` is the published one's then. `None` where there is none, or
/// one of them is wrong: none of them is worth a time then.
pub(super) fn load<T: Sum>(
    bench: &mut Bench<'_>,
    precision: Precision,
    grid: Grid,
    partials: &mut [T],
) -> Result<Option<Vec<Loaded<T>>>> {
    let Some(cubin) = bench.sampling().peers.first().cloned() else {
        return Ok(None);
    };
    match forms(bench, &cubin, precision, grid, partials) {
        Ok(Ok(forms)) => return Ok(Some(forms).filter(|forms| !forms.is_empty())),
        Ok(Err(wrong)) => bench.without_peer(wrong),
        Err(error) if error.is_context_lost() => return Err(error),
        Err(error) => bench.without_peer(error),
    }
    Ok(None)
}

fn forms<T: Sum>(
    bench: &mut Bench<'_>,
    cubin: &Path,
    precision: Precision,
    grid: Grid,
    partials: &mut [T],
) -> Result<std::result::Result<Vec<Loaded<T>>, String>> {
    let device = bench.device().clone();
    let module = bench.kept::<Cubins>().load(&device, cubin)?;
    let mut loaded = Vec::new();
    for entry in entries(precision, grid.strips).into_iter().rev() {
        let form = Loaded {
            module: module.clone(),
            shape: LaunchShape::new(grid.blocks, grid.threads),
            buffer: device.alloc_zeroed::<T>(partials.len())?,
            entry,
        };
        form.launch()?;
        form.buffer.copy_to(partials)?;
        let expected = bench.kept::<Expected>().of(precision, grid);
        if let Some(wrong) = peer_difference(partials, expected, precision, grid.strips) {
            let entry = form.entry;
            return Ok(Err(format!("{entry} is wrong and not timed: {wrong}")));
        }
        loaded.insert(0, form);
    }
    Ok(Ok(loaded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_by_exact_addition_is_there_for_powers_of_two_that_it_is_exact_for() {
        assert_eq!(
            entries(Precision::F64, 1 << 20),
            ["quarter_circle_f64", "quarter_circle_f64_dyadic"]
        );
        assert_eq!(entries(Precision::F32, 1000), ["quarter_circle_f32"]);
        assert_eq!(
            entries(Precision::F32Pure, 1 << 20),
            ["quarter_circle_f32_pure"]
        );
        assert!(entries(Precision::F32Kahan, 1 << 20).is_empty());
    }
}
