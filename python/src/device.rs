//! A device, with the plans that were made on it, and what is asked of them.

use std::collections::HashMap;
use std::ffi::c_void;
use std::slice;
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use quadscan::device::{self, Artifact, Buffer, DeviceChoice, Module};
use quadscan::integrate::Real;

use crate::boxes::{BoxGoal, Boxed};
use crate::context::Kept;
use crate::dlpack::DeviceArray;
use crate::error::{Error, raised};
use crate::integrals::{Compute, Function, Goal};
use crate::operations::{self, By, Call, Job, Operation, Span};

/// How many CUDA devices there are; 0 without a driver.
#[pyfunction]
pub(crate) fn cuda_devices() -> u32 {
    let is_there = |n: &u32| DeviceChoice::Cuda(Some(*n)).compute_capability().is_ok();
    (0..).take_while(is_there).count() as u32
}

/// What is known by name.
static OPERATIONS: LazyLock<Vec<Operation>> = LazyLock::new(operations::all);

/// The library's PTX.
fn artifact() -> PyResult<Artifact> {
    static ARTIFACT: OnceLock<Artifact> = OnceLock::new();
    if let Some(artifact) = ARTIFACT.get() {
        return Ok(artifact.clone());
    }
    let artifact = read().map_err(raised)?;
    Ok(ARTIFACT.get_or_init(|| artifact).clone())
}

#[cfg(feature = "embed")]
fn read() -> quadscan::Result<Artifact> {
    Artifact::embedded()
}

/// That of a folder, for tests.
#[cfg(not(feature = "embed"))]
fn read() -> quadscan::Result<Artifact> {
    match std::env::var_os("QUADSCAN_ARTIFACT") {
        // SAFETY: `cargo xtask` names the folder that it builds of the same sources.
        Some(folder) => unsafe { Artifact::read(folder) },
        None => Artifact::embedded(),
    }
}

/// A plan, and the most elements of it.
type Planned = (usize, Job);

/// A device with a stream of its own; `quadscan.open` makes it.
#[pyclass(frozen, module = "quadscan")]
pub(crate) struct Device {
    device: device::Device,
    module: Module,
    /// By the place of their operations.
    plans: Mutex<HashMap<usize, Planned>>,
}

#[pymethods]
impl Device {
    /// Opens a device: `cuda`, `cuda:N` or `emulator`.
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        let choice: DeviceChoice = name.parse().map_err(raised)?;
        let (artifact, _kept) = (artifact()?, Kept::new());
        py.detach(|| {
            let device = device::Device::open(choice)?;
            let module = device.load(&artifact)?;
            Ok(Self {
                device,
                module,
                plans: Mutex::default(),
            })
        })
        .map_err(raised)
    }

    /// The name that opens it: `cuda:0` or `emulator`.
    #[getter]
    fn name(&self) -> String {
        let properties = self.device.properties();
        match self.is_cuda() {
            true => format!("cuda:{}", properties.ordinal),
            false => properties.kind.to_owned(),
        }
    }

    /// What it is, such as `NVIDIA H200`.
    #[getter]
    fn model(&self) -> &str {
        &self.device.properties().name
    }

    /// Whether it is a GPU.
    #[getter]
    fn is_cuda(&self) -> bool {
        self.device.properties().kind != device::EMULATOR
    }

    fn __repr__(&self) -> String {
        format!("<quadscan.Device {}: {}>", self.name(), self.model())
    }

    /// The address of its stream, which `__dlpack__` of arrays takes.
    #[getter]
    fn stream(&self) -> PyResult<u64> {
        let _kept = Kept::new();
        let stream = self.device.with_cuda_stream(|stream| Ok(stream as u64));
        stream.map_err(raised)
    }

    /// Makes its work from now on wait for that of another stream so far.
    fn follow(&self, stream: usize) -> PyResult<()> {
        let _kept = Kept::new();
        // SAFETY: the package's: a stream that an array named.
        unsafe { self.device.follow(stream as *mut c_void) }.map_err(raised)
    }

    /// Makes another stream's work from now on wait for that of this device so far.
    fn lead(&self, stream: usize) -> PyResult<()> {
        let _kept = Kept::new();
        // SAFETY: as above.
        unsafe { self.device.lead(stream as *mut c_void) }.map_err(raised)
    }

    /// Waits until all of its work is done.
    fn synchronize(&self, py: Python<'_>) -> PyResult<()> {
        let _kept = Kept::new();
        py.detach(|| self.device.synchronize()).map_err(raised)
    }

    /// Memory for an array of this shape.
    fn empty(&self, shape: Vec<i64>, element: String, size: usize) -> PyResult<DeviceArray> {
        let _kept = Kept::new();
        DeviceArray::new(&self.device, shape, element, size)
    }

    /// Scans or reduces elements at addresses, those of the host where `on_host`: `keys` and
    /// `offsets` are the bytes of one, address and count, `along` the length and the stride of lines.
    #[pyo3(signature = (family, operator, types, input, output, *, keys=None, offsets=None, along=None, exclusive=false, on_host=true))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn run(
        &self,
        py: Python<'_>,
        family: &str,
        operator: &str,
        types: (String, String),
        input: Span,
        output: Span,
        keys: Option<(usize, Span)>,
        offsets: Option<(usize, Span)>,
        along: Option<(usize, usize)>,
        exclusive: bool,
        on_host: bool,
    ) -> PyResult<()> {
        let is_it = |of: &Operation| {
            (of.family, &of.operator[..], of.input.0, of.output.0)
                == (family, operator, &types.0[..], &types.1[..])
        };
        let found = OPERATIONS.iter().position(is_it);
        let place = found.ok_or_else(|| PyTypeError::new_err("there is no such operation"))?;
        let keys = keys.map(|(bytes, span)| (By::Keys(bytes), span));
        let offsets = offsets.map(|(bytes, span)| (By::Offsets(bytes), span));
        let call = Call {
            device: &self.device,
            input,
            output,
            by: keys.or(offsets),
            along,
            exclusive,
        };
        let _kept = Kept::new();
        py.detach(|| match on_host {
            true => self.run_copied(place, call),
            false => self.run_there(place, &call),
        })
        .map_err(raised)
    }

    /// Integrates a function between limits of the host, `wide` in `f64` and else in `f32`, with
    /// parameters one item's after another's, and writes values, errors, statuses and
    /// evaluations. Of the function it is this output, changed as `change` says: `pole` for a formula's
    /// principal value, whose pole is the last parameter, `sin` or `cos` for a Fourier integral, whose
    /// omega and phase are the last ones, `rounding` for a bound on its rounding.
    #[pyo3(signature = (function, goal, wide, limits, parameters, n, results, output=0, change=None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn integrate(
        &self,
        py: Python<'_>,
        function: &str,
        goal: Goal,
        wide: bool,
        limits: (u64, u64),
        parameters: Span,
        n: usize,
        results: (u64, u64, u64, u64),
        output: usize,
        change: Option<&str>,
    ) -> PyResult<()> {
        let (of, _kept) = (Function::new(function, output, change)?, Kept::new());
        if parameters.1 != n * of.parameters().len() {
            return Err(Error::new_err(
                "parameters are not as many as the integrand's",
            ));
        }
        match (&of, wide) {
            (Function::WithWave(formula, wave), true) => {
                let compute = goal.fourier(&self.module, formula, *wave)?;
                self.outcomes(py, compute, limits, parameters, n, results)
            }
            (_, true) => {
                let compute = goal.plan::<f64>(&self.module, &of, |entry| entry.f64)?;
                self.outcomes(py, compute, limits, parameters, n, results)
            }
            (_, false) => {
                let compute = goal.plan::<f32>(&self.module, &of, |entry| entry.f32)?;
                self.outcomes(py, compute, limits, parameters, n, results)
            }
        }
    }

    /// Integrates a formula over a box, once for each row of parameters, in `f64`, and writes
    /// values, errors, statuses and evaluations, which have 64 bits.
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn integrate_over(
        &self,
        py: Python<'_>,
        formula: &str,
        over: Vec<(String, f64, f64)>,
        goal: BoxGoal,
        parameters: Span,
        n: usize,
        results: (u64, u64, u64, u64),
    ) -> PyResult<()> {
        // Dropped behind the plan.
        let _kept = Kept::new();
        let mut of = Boxed::new(&self.module, formula, over, &goal)?;
        let each = of.parameters;
        if parameters.1 != n * each {
            return Err(Error::new_err(
                "parameters are not as many as the formula's",
            ));
        }
        let most = if self.is_cuda() { BOXES } else { 1 };
        for first in (0..n).step_by(most) {
            py.check_signals()?;
            let count = most.min(n - first);
            let found = py.detach(|| {
                // SAFETY: the package's: an array of so many elements, which it holds.
                let all = unsafe { numbers::<f64>(parameters.0, parameters.1) };
                of.integrate(count, &all[first * each..])
            });
            for (i, found) in found.map_err(raised)?.iter().enumerate() {
                let i = first + i;
                // SAFETY: as above; nobody else uses the results.
                unsafe {
                    *(results.0 as *mut f64).add(i) = found.value;
                    *(results.1 as *mut f64).add(i) = found.error;
                    *(results.2 as *mut u32).add(i) = found.status;
                    *(results.3 as *mut u64).add(i) = found.evaluations;
                }
            }
        }
        Ok(())
    }
}

/// Items of a launch: enough for every SM, and on the emulator a second's work.
const ITEMS: [usize; 2] = [1 << 10, 1 << 22];
/// Integrals over a box of a call, where they are not emulated.
const BOXES: usize = 1 << 14;

impl Device {
    /// Asks the plan of an operation, made or made larger where it has to be.
    fn run_there(&self, place: usize, call: &Call<'_>) -> quadscan::Result<()> {
        let n = call.input.1;
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.get(&place).is_none_or(|(capacity, _)| *capacity < n) {
            let capacity = n.max(1).checked_next_power_of_two().unwrap_or(n);
            let job = (OPERATIONS[place].make)(&self.module, capacity)?;
            plans.insert(place, (capacity, job));
        }
        match plans.get_mut(&place) {
            Some((_, job)) => job(call),
            None => Ok(()),
        }
    }

    /// The same of elements of the host, copied there and back.
    fn run_copied(&self, place: usize, mut call: Call<'_>) -> quadscan::Result<()> {
        let (operation, output) = (&OPERATIONS[place], call.output);
        let copied = |Span(address, len): Span, size: usize| {
            let bytes = match len * size {
                0 => &[],
                // SAFETY: the package's: so many elements of an array that it holds.
                bytes => unsafe { slice::from_raw_parts(address as *const u8, bytes) },
            };
            self.device.upload(bytes)
        };
        let input = copied(call.input, operation.input.1)?;
        call.input.0 = input.address();
        let by: Option<Buffer<u8>> = match &mut call.by {
            Some((By::Keys(size) | By::Offsets(size), span)) => {
                let by = copied(*span, *size)?;
                span.0 = by.address();
                Some(by)
            }
            None => None,
        };
        let results = self.device.alloc::<u8>(output.1 * operation.output.1)?;
        call.output.0 = results.address();
        self.run_there(place, &call)?;
        drop(by);
        if results.is_empty() {
            return Ok(());
        }
        // SAFETY: as above, of an array that nobody else uses.
        results.copy_to(unsafe { slice::from_raw_parts_mut(output.0 as *mut u8, results.len()) })
    }

    #[allow(clippy::too_many_arguments, reason = "as in Python")]
    fn outcomes<R: Real + Send + Sync>(
        &self,
        py: Python<'_>,
        mut compute: Compute<'_, R>,
        limits: (u64, u64),
        parameters: Span,
        n: usize,
        results: (u64, u64, u64, u64),
    ) -> PyResult<()> {
        let each = parameters.1.checked_div(n).unwrap_or(0);
        let most = ITEMS[usize::from(self.is_cuda())];
        for start in (0..n).step_by(most) {
            py.check_signals()?;
            let items = start..n.min(start + most);
            let of_items = start * each..items.end * each;
            let outcomes = py.detach(|| {
                // SAFETY: the package's: arrays of so many elements, which it holds.
                let (from, to, parameters) = unsafe {
                    let from = numbers::<R>(limits.0, n);
                    (
                        from,
                        numbers::<R>(limits.1, n),
                        numbers::<R>(parameters.0, parameters.1),
                    )
                };
                compute(
                    &from[items.clone()],
                    &to[items.clone()],
                    &parameters[of_items],
                )
            });
            for (i, outcome) in items.zip(outcomes.map_err(raised)?) {
                // SAFETY: as above; nobody else uses the results.
                unsafe {
                    *(results.0 as *mut R).add(i) = outcome.value;
                    *(results.1 as *mut R).add(i) = outcome.error;
                    *(results.2 as *mut u32).add(i) = outcome.status;
                    *(results.3 as *mut u32).add(i) = outcome.evaluations;
                }
            }
        }
        Ok(())
    }
}

/// Numbers of the host.
///
/// # Safety
///
/// There are so many, which stay as they are.
unsafe fn numbers<'a, R>(address: u64, n: usize) -> &'a [R] {
    match n {
        0 => &[],
        // SAFETY: the caller's.
        _ => unsafe { slice::from_raw_parts(address as *const R, n) },
    }
}
