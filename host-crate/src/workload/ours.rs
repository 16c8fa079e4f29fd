//! Our launches of a workload: through the plans that an application has, so that what is
//! timed is what it gets. The only file that names operators.

use quadscan_kernels::operator::{Compose, Identity, Max, Min, Operator, Product, Sum};
use quadscan_kernels::reduce::ReduceKernels;

use super::memory::{Memory, Size};
use super::{Family, Placement};
use crate::device::Module;
use crate::error::Result;
use crate::peers::operation::{self, Element, Form};
use crate::reduce;
use crate::scan::{self, Algorithm, Options, ScanKernels, SegmentedScanKernels};
use cuda_std::{bf16, f16};

/// A plan for a workload, ready to be launched.
pub(crate) trait Launch {
    /// Asks the device for the workload on a part of the memory.
    fn launch(&mut self, memory: &Memory, part: u64) -> Result<()>;

    /// The algorithm that does it where the arrays begin, if there is a choice.
    fn algorithm(&self, size: &Size) -> Option<&'static str>;
}

type Plan = Result<Option<Box<dyn Launch>>>;

/// A plan of the algorithm, or of the one that it chooses. `None` where we have none for
/// the workload on this type.
///
/// # Errors
///
/// Those of the plans: an algorithm that is not there for the operator, the device or so
/// many elements.
pub(crate) fn plan(module: &Module, size: &Size, algorithm: Option<Algorithm>) -> Plan {
    let of = Of {
        module,
        size,
        options: Options {
            algorithm,
            ..Options::default()
        },
    };
    match (size.workload.family, size.workload.placement) {
        (Family::Scan, Placement::InPlace) => of.in_place(),
        (Family::Scan, _) => of.scan(),
        (Family::Reduce, _) => of.reduction(),
    }
}

/// The operator of a workload on a type, in the place of `$operator` in `$plan`: for
/// every combination that the PTX has and a workload asks for.
macro_rules! with_operator {
    ($size:expr, $operator:ident => $plan:expr; $($of:ident $element:ident: $type:ty;)*) => {
        match ($size.workload.operator, $size.element) {
            $((operation::Operator::$of, Element::$element) => {
                type $operator = $type;
                $plan
            })*
            _ => Ok(None),
        }
    };
}

struct Of<'a> {
    module: &'a Module,
    size: &'a Size,
    options: Options,
}

impl Of<'_> {
    fn scan(&self) -> Plan {
        if matches!(
            self.size.workload.form,
            Form::InclusiveByKey | Form::SegmentedInclusive
        ) {
            return self.segmented();
        }
        with_operator! { self.size, O => self.scan_by::<O>();
            Sum U8: Sum<u8>;
            Sum I8: Sum<i8>;
            Sum U16: Sum<u16>;
            Sum I16: Sum<i16>;
            Sum F16: Sum<f16>;
            Sum Bf16: Sum<bf16>;
            Sum I32: Sum<i32>;
            Sum U32: Sum<u32>;
            Sum F32: Sum<f32>;
            Sum I64: Sum<i64>;
            Sum U64: Sum<u64>;
            Sum F64: Sum<f64>;
            Sum U8ToU32: Sum<u8, u32>;
            Sum U8ToU64: Sum<u8, u64>;
            Min I32: Min<i32>;
            Min F32: Min<f32>;
            Max I32: Max<i32>;
            Max F32: Max<f32>;
            Product I32: Product<i32>;
            Product F32: Product<f32>;
            Affine F64x2: Compose;
        }
    }

    fn segmented(&self) -> Plan {
        with_operator! { self.size, O => self.segmented_by::<O>();
            Sum I32: Sum<i32>;
            Sum F32: Sum<f32>;
            Sum F64: Sum<f64>;
        }
    }

    fn in_place(&self) -> Plan {
        with_operator! { self.size, O => self.in_place_by::<O, <O as Operator>::Input>();
            Sum U8: Sum<u8>;
            Sum I8: Sum<i8>;
            Sum U16: Sum<u16>;
            Sum I16: Sum<i16>;
            Sum F16: Sum<f16>;
            Sum Bf16: Sum<bf16>;
            Sum I32: Sum<i32>;
            Sum U32: Sum<u32>;
            Sum F32: Sum<f32>;
            Sum I64: Sum<i64>;
            Sum U64: Sum<u64>;
            Sum F64: Sum<f64>;
        }
    }

    fn reduction(&self) -> Plan {
        with_operator! { self.size, O => self.reduction_by::<O>();
            Sum I32: Sum<i32>;
            Sum F32: Sum<f32>;
            Sum I64: Sum<i64>;
            Sum F64: Sum<f64>;
            Min I32: Min<i32>;
            Min F32: Min<f32>;
            Max I32: Max<i32>;
            Max F32: Max<f32>;
        }
    }

    fn scan_by<O: ScanKernels + Identity>(&self) -> Plan {
        Ok(Some(Box::new(Apart(self.scans::<O>()?))))
    }

    fn in_place_by<O, T>(&self) -> Plan
    where
        T: bytemuck::Pod,
        O: ScanKernels + Identity + Operator<Input = T, Output = T>,
    {
        Ok(Some(Box::new(InPlace(self.scans::<O>()?))))
    }

    fn scans<O: ScanKernels>(&self) -> Result<scan::Plan<O>> {
        scan::Plan::with(self.module, self.size.n, self.options)
    }

    fn segmented_by<O: SegmentedScanKernels>(&self) -> Plan {
        let plan = scan::SegmentedPlan::<O>::with(self.module, self.size.n, self.options)?;
        Ok(Some(Box::new(plan)))
    }

    fn reduction_by<O: ReduceKernels + Identity>(&self) -> Plan {
        Ok(Some(match self.size.workload.form {
            Form::SegmentedReduce => Box::new(reduce::SegmentedPlan::<O>::new(self.module)?),
            _ => Box::new(reduce::Plan::<O>::new(self.module, self.size.n as usize)?),
        }))
    }
}

/// The algorithm of a plan's scans of such arrays.
fn algorithm<O: ScanKernels>(plan: &scan::Plan<O>, size: &Size) -> Option<&'static str> {
    plan.algorithm_at(size.n, size.alignment())
        .map(Algorithm::name)
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
