//! Scans and reductions by the names of their operators and elements: the list that the library's
//! PTX has, as plans that take addresses.

use std::any::type_name;

use cuda_std::{bf16, f16};
use pyo3::prelude::*;
use quadscan::Result;
use quadscan::device::{Device, Module, View, ViewMut};
use quadscan::reduce;
use quadscan::scan::{
    AxisPlan, Compose, Identity, Max, Min, Offsets, Operator, Plan, Product, ScanKernels,
    SegmentedPlan, SegmentedScanKernels, Sum,
};
use quadscan_kernels::instances;
use quadscan_kernels::reduce::ReduceKernels;

/// An address, and how many elements are there.
#[derive(Clone, Copy, FromPyObject)]
pub(crate) struct Span(pub(crate) u64, pub(crate) usize);

/// What divides elements into segments, with the bytes of each of its own.
#[derive(Clone, Copy)]
pub(crate) enum By {
    /// Neighbours with equal keys.
    Keys(usize),
    /// Where segments begin.
    Offsets(usize),
}

/// What is asked of a plan: all memory is the device's.
pub(crate) struct Call<'a> {
    pub(crate) device: &'a Device,
    pub(crate) input: Span,
    pub(crate) output: Span,
    pub(crate) by: Option<(By, Span)>,
    /// Of lines along an axis, how many elements each has, and how far they lie apart.
    pub(crate) along: Option<(usize, usize)>,
    pub(crate) exclusive: bool,
}

impl<'a> Call<'a> {
    fn input<T: bytemuck::Pod>(&self, Span(address, len): Span) -> Result<View<'a, T>> {
        // SAFETY: the package's: elements of arrays that it holds meanwhile, on this device or
        // copied there, written on streams that the device follows. One that is input and
        // output is so from its first element on.
        unsafe { View::from_raw(self.device, address, len) }
    }

    fn output<T: bytemuck::Pod>(&self) -> Result<ViewMut<'a, T>> {
        // SAFETY: as above, and nothing else is asked of the output.
        unsafe { ViewMut::from_raw(self.device, self.output.0, self.output.1) }
    }

    fn offsets(&self) -> Result<Offsets<'a>> {
        match self.by {
            Some((By::Offsets(4), span)) => Ok(self.input::<u32>(span)?.into()),
            Some((_, span)) => Ok(self.input::<u64>(span)?.into()),
            None => Ok(self.input::<u64>(Span(0, 0))?.into()),
        }
    }
}

/// A plan, ready to be asked.
pub(crate) type Job = Box<dyn FnMut(&Call<'_>) -> Result<()> + Send>;

/// What a plan is made of, for up to so many elements.
type Make = fn(&Module, usize) -> Result<Job>;

/// A scan or a reduction that the library's PTX has.
pub(crate) struct Operation {
    /// `scan`, `scan_segments`, `reduce` or `reduce_segments`.
    pub(crate) family: &'static str,
    /// The operator's name: `sum`.
    pub(crate) operator: String,
    /// What it reads, such as `u8`, and the bytes of one,
    pub(crate) input: (&'static str, usize),
    /// and what it writes.
    pub(crate) output: (&'static str, usize),
    pub(crate) make: Make,
}

impl Operation {
    fn new<O: Operator>(family: &'static str, make: Make) -> Self {
        let operator = type_name::<O>().split('<').next().unwrap_or_default();
        Self {
            family,
            operator: last(operator).to_lowercase(),
            input: (last(type_name::<O::Input>()), size_of::<O::Input>()),
            output: (last(type_name::<O::Output>()), size_of::<O::Output>()),
            make,
        }
    }
}

/// The last name of a path.
fn last(path: &'static str) -> &'static str {
    path.rsplit("::").next().unwrap_or(path)
}

/// All that there are.
pub(crate) fn all() -> Vec<Operation> {
    macro_rules! scans {
        ($($name:ident: $operator:ty;)*) => { [$(Operation::new::<$operator>("scan", scan::<$operator>)),*] };
        ($($operator:ty = $_:ty;)*) => { scans! { $(_name: $operator;)* } };
    }
    macro_rules! segments {
        ($($name:ident: $operator:ty;)*) => { [$(Operation::new::<$operator>("scan_segments", scan_segments::<$operator>)),*] };
        ($($operator:ty = $_:ty;)*) => { segments! { $(_name: $operator;)* } };
    }
    macro_rules! reductions {
        ($($name:ident: $operator:ty;)*) => { [$(
            Operation::new::<$operator>("reduce", reduce::<$operator>),
            Operation::new::<$operator>("reduce_segments", reduce_segments::<$operator>),
        )*] };
        ($($operator:ty = $_:ty;)*) => { reductions! { $(_name: $operator;)* } };
    }
    let mut all = Vec::new();
    all.extend(instances! { scan scans });
    all.extend(instances! { signed scan scans });
    all.extend(instances! { segmented segments });
    all.extend(instances! { signed segmented segments });
    all.extend(instances! { reduce reductions });
    all.extend(instances! { signed reduce reductions });
    all
}

/// The operations as (family, operator, type of elements, type of results).
#[pyfunction]
pub(crate) fn operations() -> Vec<(&'static str, String, &'static str, &'static str)> {
    let named = |of: Operation| (of.family, of.operator, of.input.0, of.output.0);
    all().into_iter().map(named).collect()
}

fn scan<O: ScanKernels + Identity + Send>(module: &Module, capacity: usize) -> Result<Job> {
    let mut plan = Plan::<O>::new(module, capacity as u64)?;
    // That of the last shape.
    let (module, mut lines) = (module.clone(), None);
    Ok(Box::new(move |call| {
        let (input, output) = (call.input(call.input)?, call.output()?);
        let Some((length, stride)) = call.along else {
            return match call.exclusive {
                true => plan.exclusive(input, output),
                false => plan.inclusive(input, output),
            };
        };
        let slices = call.input.1.checked_div(length * stride).unwrap_or(0);
        let shape = [slices, length, stride];
        let lines = match &mut lines {
            Some((of, lines)) if *of == shape => lines,
            lines => {
                &mut lines
                    .insert((shape, AxisPlan::<O>::new(&module, &shape, 1)?))
                    .1
            }
        };
        match call.exclusive {
            true => lines.exclusive(input, output),
            false => lines.inclusive(input, output),
        }
    }))
}

fn scan_segments<O: SegmentedScanKernels + Identity + Send>(
    module: &Module,
    capacity: usize,
) -> Result<Job> {
    let mut plan = SegmentedPlan::<O>::new(module, capacity as u64)?;
    Ok(Box::new(move |call| {
        let (input, output) = (call.input(call.input)?, call.output()?);
        let mut segments = match call.by {
            Some((By::Keys(1), keys)) => plan.by_key(call.input::<u8>(keys)?),
            Some((By::Keys(2), keys)) => plan.by_key(call.input::<u16>(keys)?),
            Some((By::Keys(4), keys)) => plan.by_key(call.input::<u32>(keys)?),
            Some((By::Keys(8), keys)) => plan.by_key(call.input::<u64>(keys)?),
            Some((By::Keys(_), keys)) => plan.by_key(call.input::<u128>(keys)?),
            _ => plan.by_offsets(call.offsets()?),
        };
        match call.exclusive {
            true => segments.exclusive(input, output),
            false => segments.inclusive(input, output),
        }
    }))
}

fn reduce<O: ReduceKernels + Identity + Send>(module: &Module, capacity: usize) -> Result<Job> {
    let mut plan = reduce::Plan::<O>::new(module, capacity)?;
    Ok(Box::new(move |call| {
        plan.reduce(call.input(call.input)?, call.output()?)
    }))
}

fn reduce_segments<O: ReduceKernels + Identity + Send>(module: &Module, _: usize) -> Result<Job> {
    let mut plan = reduce::SegmentedPlan::<O>::new(module)?;
    Ok(Box::new(move |call| match call.along {
        Some((length, _)) => plan.reduce_by_length(length, call.input(call.input)?, call.output()?),
        None => plan.reduce(call.input(call.input)?, call.offsets()?, call.output()?),
    }))
}
