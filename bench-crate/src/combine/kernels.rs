//! The operations that there are kernels of, by type, and one launch of them.

use quadscan::device::Module;
use quadscan::reduce;
use quadscan::scan::{
    self, Identity, Max, Min, Operator, Options, Product, Reproducibility, ScanKernels,
    SegmentedScanKernels, Sum,
};
use quadscan_kernels::reduce::{ReduceKernels, sizes::BLOCKS_EVERYWHERE};

use super::operation::{Form, Operation};
use crate::columns::{Number, ROWS};

/// Combines elements on a device. By key, the offsets are those of segments, with the end behind
/// them.
pub(super) type Launch<T> = Box<dyn FnMut(&[T], &[u32]) -> quadscan::Result<Vec<T>> + Send>;

/// The axis of rows of so many elements along which they are scanned, so many at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    pub(super) axis: usize,
    pub(super) width: usize,
    pub(super) rows: usize,
}

/// An operation on a type, and where its kernels are.
pub(super) struct Kernels<T> {
    /// The modules that have them.
    pub(super) modules: Vec<String>,
    /// Makes a launch of it, of scans with each result's own element.
    pub(super) launch: fn(&Module, Option<Lines>) -> quadscan::Result<Launch<T>>,
    /// What stands before the first element.
    pub(super) nothing: T,
    /// Two neighbours, combined on the host.
    pub(super) combine: fn(T, T) -> T,
}

/// A type of numbers that there are kernels for.
pub(super) trait Element: Number {
    /// Those of an operation, where there are any.
    fn kernels(form: Form, operation: Operation) -> Option<Kernels<Self>>;
}

/// The operators that this module launches: on one type, whose neutral element there is.
trait Plain<T>: Send + Identity + Operator<Input = T, Accumulator = T, Output = T> {}
impl<T, O: Send + Identity + Operator<Input = T, Accumulator = T, Output = T>> Plain<T> for O {}

macro_rules! elements {
    ($($type:ident: $($form:ident [$($operation:ident)*])*;)*) => {$(
        impl Element for $type {
            fn kernels(form: Form, operation: Operation) -> Option<Kernels<Self>> {
                match (form, operation) {
                    $($((Form::$form, Operation::$operation) => {
                        Some(elements!(@ $form)(std::marker::PhantomData::<$operation<$type>>))
                    })*)*
                    _ => None,
                }
            }
        }
    )*};
    (@ Scan) => { scans };
    (@ ScanByKey) => { segmented_scans };
    (@ Reduce) => { reductions };
    (@ ReduceByKey) => { segmented_reductions };
}

// Those of `quadscan_kernels::instances!`: another does not compile.
elements! {
    u8: Scan[Sum];
    u16: Scan[Sum];
    u32: Scan[Sum Product] ScanByKey[Sum] Reduce[Sum] ReduceByKey[Sum];
    u64: Scan[Sum] ScanByKey[Sum] Reduce[Sum] ReduceByKey[Sum];
    i8: Scan[Sum];
    i16: Scan[Sum];
    i32: Scan[Sum Min Max Product] ScanByKey[Sum Min Max] Reduce[Sum Min Max]
        ReduceByKey[Sum Min Max];
    i64: Scan[Sum] ScanByKey[Sum] Reduce[Sum] ReduceByKey[Sum];
    f32: Scan[Sum Min Max Product] ScanByKey[Sum Min Max] Reduce[Sum Min Max]
        ReduceByKey[Sum Min Max];
    f64: Scan[Sum] ScanByKey[Sum] Reduce[Sum Min Max] ReduceByKey[Sum Min Max];
}

/// An operator, which only its type says.
type Of<O> = std::marker::PhantomData<O>;

/// The bits of floats are then the same on every device.
const OPTIONS: Options = Options {
    algorithm: None,
    reproducibility: Reproducibility::AcrossGpus,
    max_blocks: None,
};

/// What stands before the first element: of a sum 0, and not -0, which is the neutral element.
fn nothing<T: Element, O: Plain<T>>() -> T {
    let zero = T::zeroed();
    if O::IDENTITY == zero {
        zero
    } else {
        O::IDENTITY
    }
}

fn scans<T: Element, O: Plain<T> + ScanKernels>(_: Of<O>) -> Kernels<T> {
    let kernels = O::KERNELS.iter().take(1);
    Kernels {
        modules: kernels.map(|kernel| kernel.operator.to_owned()).collect(),
        nothing: nothing::<T, O>(),
        launch: |module, lines| {
            let device = module.device().clone();
            if let Some(Lines { axis, width, rows }) = lines {
                let module = module.clone();
                let plan = move |rows| scan::AxisPlan::<O>::new(&module, &[rows, width], axis);
                let (mut of_rows, mut lines) = (rows, plan(rows)?);
                return Ok(Box::new(move |elements, _| {
                    let mut data = device.upload(elements)?;
                    let rows = elements.len() / width;
                    // As most blocks have, but for the last one.
                    if rows != of_rows {
                        (of_rows, lines) = (rows, plan(rows)?);
                    }
                    lines.inclusive_in_place(&mut data)?;
                    data.to_vec()
                }));
            }
            let mut plan = scan::Plan::<O>::with(module, ROWS as u64, OPTIONS)?;
            Ok(Box::new(move |elements, _| {
                let mut data = device.upload(elements)?;
                plan.inclusive_in_place(&mut data)?;
                data.to_vec()
            }))
        },
        combine: O::combine,
    }
}

fn segmented_scans<T: Element, O: Plain<T> + SegmentedScanKernels>(_: Of<O>) -> Kernels<T> {
    let kernels = O::SEGMENTED.iter().take(1);
    let modules = kernels.map(|kernel| format!("segmented_{}", kernel.operator));
    Kernels {
        modules: modules.chain(["segment_flags".to_owned()]).collect(),
        nothing: nothing::<T, O>(),
        launch: |module, _| {
            let device = module.device().clone();
            let mut plan = scan::SegmentedPlan::<O>::with(module, ROWS as u64, OPTIONS)?;
            Ok(Box::new(move |elements, offsets| {
                let (mut data, offsets) = (device.upload(elements)?, device.upload(offsets)?);
                plan.by_offsets(&offsets).inclusive_in_place(&mut data)?;
                data.to_vec()
            }))
        },
        combine: O::combine,
    }
}

fn reductions<T: Element, O: Plain<T> + ReduceKernels>(_: Of<O>) -> Kernels<T> {
    Kernels {
        modules: vec![O::DEVICE.entry.to_owned()],
        nothing: nothing::<T, O>(),
        launch: |module, _| {
            let device = module.device().clone();
            let plan = reduce::Plan::<O>::new(module, ROWS)?;
            let mut plan = plan.same_on_every_device()?;
            Ok(Box::new(move |elements, _| {
                let (data, mut result) = (device.upload(elements)?, device.alloc(1)?);
                plan.reduce(&data, &mut result)?;
                result.to_vec()
            }))
        },
        combine: O::combine,
    }
}

fn segmented_reductions<T: Element, O: Plain<T> + ReduceKernels>(_: Of<O>) -> Kernels<T> {
    Kernels {
        launch: |module, _| {
            let device = module.device().clone();
            let mut plan = reduce::SegmentedPlan::<O>::with_blocks(module, BLOCKS_EVERYWHERE)?;
            Ok(Box::new(move |elements, offsets| {
                let segments = offsets.len().saturating_sub(1);
                let (data, mut results) = (device.upload(elements)?, device.alloc(segments)?);
                plan.reduce(&data, &device.upload(offsets)?, &mut results)?;
                results.to_vec()
            }))
        },
        ..reductions::<T, O>(std::marker::PhantomData)
    }
}
