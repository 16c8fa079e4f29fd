//! Our launches of a workload: through the plans that an application has, so that what is
//! timed is what it gets. The only file that names operators.

use quadscan_kernels::operator::{Compose, Identity, Max, Min, Operator, Product, Sum};
use quadscan_kernels::reduce::ReduceKernels;

use super::memory::{Memory, Size};
use super::{Family, Placement};
use crate::peers::operation::{self, Element, Form};
use cuda_std::{bf16, f16};
use quadscan::Result;
use quadscan::device::Module;
use quadscan::reduce;
use quadscan::scan::{self, Algorithm, Options, ScanKernels, SegmentedScanKernels};

/// A plan for a workload, ready to be launched.
pub(crate) trait Launch {
    /// Asks the device for the workload on a part of the memory.
    fn launch(&mut self, memory: &Memory, part: u64) -> Result<()>;

    /// The algorithm that does it where the arrays begin, if there is a choice.
    fn algorithm(&self, size: &Size) -> Option<&'static str>;
}

/// A plan of the algorithm, or of the one that it chooses. `None` where we have none for
/// the workload on this type.
///
/// # Errors
///
/// Those of the plans: an algorithm that is not there for the operator, the device or so
/// many elements.
pub(crate) fn plan(
    module: &Module,
    size: &Size,
    algorithm: Option<Algorithm>,
) -> Result<Option<Box<dyn Launch>>> {
    let options = Options {
        algorithm,
        ..Options::default()
    };
    let planning = Planning {
        module,
        size,
        options,
    };
    of(size, &planning).transpose()
}

/// The modules of our PTX that a plan of it needs.
pub(crate) fn modules(size: &Size, algorithm: Option<Algorithm>) -> Vec<String> {
    of(size, &Naming { algorithm }).unwrap_or_default()
}

/// What is done for the operator of a workload.
trait Work {
    type Outcome;

    fn scan<O: ScanKernels + Identity>(&self) -> Self::Outcome;
    fn in_place<O: ScanKernels + Operator<Input = T, Output = T>, T: bytemuck::Pod>(
        &self,
    ) -> Self::Outcome;
    fn segmented<O: SegmentedScanKernels>(&self) -> Self::Outcome;
    fn reduction<O: ReduceKernels + Identity>(&self) -> Self::Outcome;
}

/// The operator of a workload on a type, in the place of `$operator` in `$work`: for
/// every combination that the PTX has and a workload asks for.
macro_rules! with_operator {
    ($size:expr, $operator:ident => $work:expr; $($of:ident $element:ident: $type:ty;)*) => {
        match ($size.workload.operator, $size.element) {
            $((operation::Operator::$of, Element::$element) => {
                type $operator = $type;
                Some($work)
            })*
            _ => None,
        }
    };
}

/// Does it for the workload's operator, where we have kernels of it.
fn of<W: Work>(size: &Size, work: &W) -> Option<W::Outcome> {
    let form = size.workload.form;
    match (size.workload.family, size.workload.placement) {
        (Family::Scan, Placement::InPlace) => {
            with_operator! { size, O => work.in_place::<O, <O as Operator>::Input>();
            Sum U8: Sum<u8>; Sum U16: Sum<u16>; Sum U32: Sum<u32>; Sum U64: Sum<u64>;
            Sum I8: Sum<i8>; Sum I16: Sum<i16>; Sum I32: Sum<i32>; Sum I64: Sum<i64>;
            Sum F16: Sum<f16>; Sum Bf16: Sum<bf16>; Sum F32: Sum<f32>; Sum F64: Sum<f64>;
            }
        }
        (Family::Scan, _) if matches!(form, Form::InclusiveByKey | Form::SegmentedInclusive) => {
            with_operator! { size, O => work.segmented::<O>();
            Sum I32: Sum<i32>;
            Sum F32: Sum<f32>;
            Sum F64: Sum<f64>;
            }
        }
        (Family::Scan, _) => with_operator! { size, O => work.scan::<O>();
            Sum U8: Sum<u8>; Sum U16: Sum<u16>; Sum U32: Sum<u32>; Sum U64: Sum<u64>;
            Sum I8: Sum<i8>; Sum I16: Sum<i16>; Sum I32: Sum<i32>; Sum I64: Sum<i64>;
            Sum F16: Sum<f16>; Sum Bf16: Sum<bf16>; Sum F32: Sum<f32>; Sum F64: Sum<f64>;
            Sum U8ToU32: Sum<u8, u32>;
            Sum U8ToU64: Sum<u8, u64>;
            Min I32: Min<i32>;
            Min F32: Min<f32>;
            Max I32: Max<i32>;
            Max F32: Max<f32>;
            Product I32: Product<i32>;
            Product F32: Product<f32>;
            Affine F64x2: Compose;
        },
        (Family::Reduce, _) => with_operator! { size, O => work.reduction::<O>();
            Sum I32: Sum<i32>;
            Sum F32: Sum<f32>;
            Sum I64: Sum<i64>;
            Sum F64: Sum<f64>;
            Min I32: Min<i32>;
            Min F32: Min<f32>;
            Max I32: Max<i32>;
            Max F32: Max<f32>;
        },
    }
}

struct Planning<'a> {
    module: &'a Module,
    size: &'a Size,
    options: Options,
}

impl Planning<'_> {
    fn scans<O: ScanKernels>(&self) -> Result<scan::Plan<O>> {
        scan::Plan::with(self.module, self.size.n, self.options)
    }
}

impl Work for Planning<'_> {
    type Outcome = Result<Box<dyn Launch>>;

    fn scan<O: ScanKernels + Identity>(&self) -> Self::Outcome {
        Ok(Box::new(Apart(self.scans::<O>()?)))
    }

    fn in_place<O: ScanKernels + Operator<Input = T, Output = T>, T: bytemuck::Pod>(
        &self,
    ) -> Self::Outcome {
        Ok(Box::new(InPlace(self.scans::<O>()?)))
    }

    fn segmented<O: SegmentedScanKernels>(&self) -> Self::Outcome {
        let plan = scan::SegmentedPlan::<O>::with(self.module, self.size.n, self.options)?;
        Ok(Box::new(plan))
    }

    fn reduction<O: ReduceKernels + Identity>(&self) -> Self::Outcome {
        Ok(match self.size.workload.form {
            Form::SegmentedReduce => Box::new(reduce::SegmentedPlan::<O>::new(self.module)?),
            _ => Box::new(reduce::Plan::<O>::new(self.module, self.size.n as usize)?),
        })
    }
}

struct Naming {
    algorithm: Option<Algorithm>,
}

impl Work for Naming {
    type Outcome = Vec<String>;

    fn scan<O: ScanKernels + Identity>(&self) -> Self::Outcome {
        let named = O::KERNELS.iter().map(|kernel| kernel.operator.to_owned());
        let asked = self.algorithm.filter(|algorithm| !algorithm.is_chosen());
        let textbook = asked.map(|_| "textbook".to_owned());
        named.take(1).chain(textbook).collect()
    }

    fn in_place<O: ScanKernels + Operator<Input = T, Output = T>, T: bytemuck::Pod>(
        &self,
    ) -> Self::Outcome {
        let named = O::KERNELS.iter().map(|kernel| kernel.operator.to_owned());
        named.take(1).collect()
    }

    fn segmented<O: SegmentedScanKernels>(&self) -> Self::Outcome {
        let kernels = O::SEGMENTED.iter().take(1);
        let named = kernels.map(|kernel| format!("segmented_{}", kernel.operator));
        named.chain(["segment_flags".to_owned()]).collect()
    }

    fn reduction<O: ReduceKernels + Identity>(&self) -> Self::Outcome {
        vec![O::DEVICE.entry.to_owned()]
    }
}

/// The algorithm of a plan's scans of such arrays.
fn algorithm<O: ScanKernels>(plan: &scan::Plan<O>, size: &Size) -> Option<&'static str> {
    plan.algorithm_for(size.n).map(Algorithm::name)
}

/// A scan from one array to another.
struct Apart<O: ScanKernels>(scan::Plan<O>);

impl<O: ScanKernels + Identity> Launch for Apart<O> {
    fn launch(&mut self, memory: &Memory, part: u64) -> Result<()> {
        memory.with(part, |input, _, output| match memory.size().workload.form {
            Form::Exclusive => self.0.exclusive(input, output),
            _ => self.0.inclusive(input, output),
        })
    }

    fn algorithm(&self, size: &Size) -> Option<&'static str> {
        algorithm(&self.0, size)
    }
}

/// A scan in its own place.
struct InPlace<O: ScanKernels>(scan::Plan<O>);

impl<T: bytemuck::Pod, O> Launch for InPlace<O>
where
    O: ScanKernels + Operator<Input = T, Output = T>,
{
    fn launch(&mut self, memory: &Memory, part: u64) -> Result<()> {
        memory.with_elements(part, |elements| self.0.inclusive_in_place(elements))
    }

    fn algorithm(&self, size: &Size) -> Option<&'static str> {
        algorithm(&self.0, size)
    }
}

impl<O: SegmentedScanKernels> Launch for scan::SegmentedPlan<O> {
    fn launch(&mut self, memory: &Memory, part: u64) -> Result<()> {
        let form = memory.size().workload.form;
        memory.with(part, |input, beginnings, output| {
            let mut segments = match form {
                Form::InclusiveByKey => self.by_key(beginnings),
                _ => self.by_offsets(beginnings),
            };
            segments.inclusive(input, output)
        })
    }

    fn algorithm(&self, size: &Size) -> Option<&'static str> {
        self.algorithm_for(size.n).map(Algorithm::name)
    }
}

impl<O: ReduceKernels + Identity> Launch for reduce::Plan<O> {
    fn launch(&mut self, memory: &Memory, part: u64) -> Result<()> {
        memory.with(part, |input, _, output| self.reduce(input, output))
    }

    fn algorithm(&self, _: &Size) -> Option<&'static str> {
        None
    }
}

impl<O: ReduceKernels + Identity> Launch for reduce::SegmentedPlan<O> {
    fn launch(&mut self, memory: &Memory, part: u64) -> Result<()> {
        memory.with(part, |input, offsets, output| {
            self.reduce(input, offsets, output)
        })
    }

    fn algorithm(&self, _: &Size) -> Option<&'static str> {
        None
    }
}
