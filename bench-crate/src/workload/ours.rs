//! Our launches of a workload: through the plans that an application has, so that what is
//! timed is what it gets. The only file that names operators.

use quadscan_kernels::operator::{Compose, Identity, Max, Min, Operator, Product, Sum};
use quadscan_kernels::reduce::ReduceKernels;

use super::Placement;
use super::memory::{Memory, Size};
use super::operation::{self, Element, Form};
use super::values;
use cuda_std::{bf16, f16};
use quadscan::Result;
use quadscan::device::{Buffer, Module};
use quadscan::reduce;
use quadscan::scan::{self, Algorithm, Options, ScanKernels, SegmentedScanKernels};
use quadscan::select::{self, Comparable, Compare, Condition, SelectKernels};

/// A plan for a workload, ready to be launched.
pub(crate) trait Launch {
    /// Asks the device for the workload on a part of the memory.
    fn launch(&mut self, memory: &Memory, part: u64) -> Result<()>;

    /// The algorithm that does it where the arrays begin, if there is a choice.
    fn algorithm(&self, size: &Size) -> Option<&'static str>;
}

/// What we have for a workload on a type.
struct Ours {
    /// The modules of our PTX that its kernels are in.
    modules: Vec<String>,
    /// Whether the textbook algorithms are among its kernels.
    has_textbook: bool,
    plan: fn(&Module, &Size, Options) -> Result<Box<dyn Launch>>,
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
    let plan = ours(size).map(|ours| (ours.plan)(module, size, options));
    plan.transpose()
}

/// The modules of our PTX that a plan of it needs.
pub(crate) fn modules(size: &Size, algorithm: Option<Algorithm>) -> Vec<String> {
    let Some(ours) = ours(size) else {
        return Vec::new();
    };
    let is_textbook = algorithm.is_some_and(|algorithm| !algorithm.is_chosen());
    let textbook = (is_textbook && ours.has_textbook).then(|| "textbook".to_owned());
    ours.modules.into_iter().chain(textbook).collect()
}

/// The function for the operator of a workload on a type, for every combination that the PTX has
/// and a workload asks for.
macro_rules! by_operator {
    ($size:expr, $function:ident; $($of:ident $element:ident: $type:ty;)*) => {
        match ($size.workload.operator, $size.element) {
            $((operation::Operator::$of, Element::$element) => Some($function::<$type>()),)*
            _ => None,
        }
    };
}

/// What we have for the workload's operator, where we have kernels of it.
fn ours(size: &Size) -> Option<Ours> {
    match (size.workload.form, size.workload.placement) {
        (Form::InclusiveByKey | Form::SegmentedInclusive, _) => by_operator! { size, segmented;
            Sum I32: Sum<i32>; Sum F32: Sum<f32>; Sum F64: Sum<f64>;
        },
        (Form::SegmentedReduce, _) => by_operator! { size, segmented_reduction;
            Sum I32: Sum<i32>; Sum F32: Sum<f32>; Sum F64: Sum<f64>;
        },
        (Form::Reduce, _) => by_operator! { size, reduction;
            Sum I32: Sum<i32>; Sum F32: Sum<f32>; Sum I64: Sum<i64>; Sum F64: Sum<f64>;
            Min I32: Min<i32>; Min F32: Min<f32>; Max I32: Max<i32>; Max F32: Max<f32>;
        },
        (Form::Select, _) => by_operator! { size, selection;
            Sum U8: u8; Sum U16: u16; Sum I32: i32; Sum F32: f32; Sum I64: i64; Sum F64: f64;
        },
        (_, Placement::InPlace) => by_operator! { size, in_place;
            Sum U8: Sum<u8>; Sum U16: Sum<u16>; Sum U32: Sum<u32>; Sum U64: Sum<u64>;
            Sum I8: Sum<i8>; Sum I16: Sum<i16>; Sum I32: Sum<i32>; Sum I64: Sum<i64>;
            Sum F16: Sum<f16>; Sum Bf16: Sum<bf16>; Sum F32: Sum<f32>; Sum F64: Sum<f64>;
        },
        _ => by_operator! { size, scan;
            Sum U8: Sum<u8>; Sum U16: Sum<u16>; Sum U32: Sum<u32>; Sum U64: Sum<u64>;
            Sum I8: Sum<i8>; Sum I16: Sum<i16>; Sum I32: Sum<i32>; Sum I64: Sum<i64>;
            Sum F16: Sum<f16>; Sum Bf16: Sum<bf16>; Sum F32: Sum<f32>; Sum F64: Sum<f64>;
            Sum U8ToU32: Sum<u8, u32>; Sum U8ToU64: Sum<u8, u64>;
            Min I32: Min<i32>; Min F32: Min<f32>; Max I32: Max<i32>; Max F32: Max<f32>;
            Product I32: Product<i32>; Product F32: Product<f32>; Affine F64x2: Compose;
        },
    }
}

/// The module with the scans of an operator.
fn module_of<O: ScanKernels>() -> Vec<String> {
    let kernels = O::KERNELS.iter().take(1);
    kernels.map(|kernel| kernel.operator.to_owned()).collect()
}

fn scan<O: ScanKernels + Identity>() -> Ours {
    Ours {
        modules: module_of::<O>(),
        has_textbook: true,
        plan: |module, size, options| {
            Ok(Box::new(Apart(scan::Plan::<O>::with(
                module, size.n, options,
            )?)))
        },
    }
}

fn in_place<O: ScanKernels + Operator<Output = <O as Operator>::Input>>() -> Ours {
    Ours {
        modules: module_of::<O>(),
        has_textbook: false,
        plan: |module, size, options| {
            Ok(Box::new(InPlace(scan::Plan::<O>::with(
                module, size.n, options,
            )?)))
        },
    }
}

fn segmented<O: SegmentedScanKernels>() -> Ours {
    let kernels = O::SEGMENTED.iter().take(1);
    let modules = kernels.map(|kernel| format!("segmented_{}", kernel.operator));
    Ours {
        modules: modules.chain(["segment_flags".to_owned()]).collect(),
        has_textbook: false,
        plan: |module, size, options| {
            Ok(Box::new(scan::SegmentedPlan::<O>::with(
                module, size.n, options,
            )?))
        },
    }
}

fn reduction<O: ReduceKernels + Identity>() -> Ours {
    Ours {
        modules: vec![O::DEVICE.entry.to_owned()],
        has_textbook: false,
        plan: |module, size, _| Ok(Box::new(reduce::Plan::<O>::new(module, size.n as usize)?)),
    }
}

fn segmented_reduction<O: ReduceKernels + Identity>() -> Ours {
    Ours {
        plan: |module, _, _| Ok(Box::new(reduce::SegmentedPlan::<O>::new(module)?)),
        ..reduction::<O>()
    }
}

fn selection<T: Comparable + Limit>() -> Ours
where
    Compare<T>: SelectKernels<Item = T, Parameter = Condition<T>>,
{
    Ours {
        modules: vec![Compare::<T>::KERNELS[0].entry.replacen("one_wave_", "", 1)],
        has_textbook: false,
        plan: |module, size, _| {
            Ok(Box::new(Selection {
                plan: select::Plan::<Compare<T>>::new(module, size.n as usize)?,
                count: module.device().alloc(1)?,
            }))
        },
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

impl<O: ScanKernels + Operator<Output = <O as Operator>::Input>> Launch for InPlace<O> {
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

/// A selection of the elements greater than a number.
struct Selection<T: Comparable>
where
    Compare<T>: SelectKernels<Item = T, Parameter = Condition<T>>,
{
    plan: select::Plan<Compare<T>>,
    count: Buffer<u64>,
}

impl<T: Comparable + Limit> Launch for Selection<T>
where
    Compare<T>: SelectKernels<Item = T, Parameter = Condition<T>>,
{
    fn launch(&mut self, memory: &Memory, part: u64) -> Result<()> {
        memory.with(part, |input, _, output| {
            self.plan
                .select(Condition::greater(T::LIMIT), input, output, &mut self.count)
        })
    }

    fn algorithm(&self, _: &Size) -> Option<&'static str> {
        None
    }
}

/// What selected numbers of the type are greater than.
trait Limit {
    const LIMIT: Self;
}

macro_rules! limits {
    ($($type:ty: $limit:expr;)*) => {$(
        impl Limit for $type {
            const LIMIT: Self = values::LIMIT[$limit] as $type;
        }
    )*};
}

limits! {
    u8: 0;
    u16: 0;
    i32: 0;
    i64: 0;
    f32: 1;
    f64: 1;
}
