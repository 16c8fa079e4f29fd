//! What the tables `scan`, `reduce` and `select` time: operations on whole arrays, by the names
//! that their rows have. A new operation is one entry of [`Workload::ALL`].
//!
//! - `ours`: our launches of a workload, through the plans that an application has; the
//!   only file that names operators. An operation without a launch there is the peers'
//!   alone.
//! - `memory`, `size`: the arrays on the device, parts of more memory than the cache holds.
//! - `values`: what is in the arrays, and what every result has to be.
//! - `operation`: what the peers call an operation.
//!
//! `integrals` has what the tables `integral` and `integrals` time, and `boxes` that of `cubature` and `monte-carlo`. How all of them are timed is
//! `worker`'s.

pub mod boxes;
pub mod integrals;
pub mod memory;
pub mod operation;
pub(crate) mod ours;
mod size;
pub mod values;

use operation::Element::{self, F32, F64, F64x2, I32, I64};
use operation::{Form, NUMBERS, Operation, Operator, SELECTED};

/// The table that a workload has its rows in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// As many results as elements.
    Scan,
    /// One result, or one a segment.
    Reduce,
    /// Some of the elements.
    Select,
}

/// Where the arrays begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Two arrays, each aligned as allocations are.
    Apart,
    /// Results in the place of their elements.
    InPlace,
    /// The input one element behind an aligned address.
    UnalignedInput,
    /// The output one element behind an aligned address.
    UnalignedOutput,
}

/// An operation on a whole array, with the types that it is timed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// As it is typed and printed.
    pub name: &'static str,
    /// The table.
    pub family: Family,
    /// Which elements a result has.
    pub form: Form,
    /// What is done with two.
    pub operator: Operator,
    /// Where the arrays begin.
    pub placement: Placement,
    /// The types.
    pub elements: &'static [Element],
}

/// Those of sums whose results are of the same type.
const SAME: &[Element] = NUMBERS.split_at(12).0;

const fn scan(
    name: &'static str,
    form: Form,
    operator: Operator,
    elements: &'static [Element],
) -> Workload {
    Workload {
        name,
        family: Family::Scan,
        form,
        operator,
        placement: Placement::Apart,
        elements,
    }
}

const fn reduction(
    name: &'static str,
    form: Form,
    operator: Operator,
    elements: &'static [Element],
) -> Workload {
    Workload {
        family: Family::Reduce,
        ..scan(name, form, operator, elements)
    }
}

const fn placed(
    name: &'static str,
    placement: Placement,
    elements: &'static [Element],
) -> Workload {
    Workload {
        placement,
        ..scan(name, Form::Inclusive, Operator::Sum, elements)
    }
}

const fn selection(
    name: &'static str,
    placement: Placement,
    elements: &'static [Element],
) -> Workload {
    Workload {
        family: Family::Select,
        placement,
        ..scan(name, Form::Select, Operator::Sum, elements)
    }
}

impl Workload {
    /// All of them, in the order of their rows; the first of a table is what it times
    /// when nothing is said.
    pub const ALL: &'static [Workload] = &[
        scan("inclusive_sum", Form::Inclusive, Operator::Sum, NUMBERS),
        scan("exclusive_sum", Form::Exclusive, Operator::Sum, NUMBERS),
        placed("in_place", Placement::InPlace, SAME),
        scan("min", Form::Inclusive, Operator::Min, &[I32, F32]),
        scan("max", Form::Inclusive, Operator::Max, &[I32, F32]),
        scan("product", Form::Inclusive, Operator::Product, &[I32, F32]),
        scan("affine", Form::Inclusive, Operator::Affine, &[F64x2]),
        placed("unaligned_input", Placement::UnalignedInput, NUMBERS),
        placed("unaligned_output", Placement::UnalignedOutput, NUMBERS),
        scan("by_key", Form::InclusiveByKey, Operator::Sum, &[I32, F32]),
        scan(
            "segmented_scan",
            Form::SegmentedInclusive,
            Operator::Sum,
            &[I32, F32, F64],
        ),
        reduction("reduce", Form::Reduce, Operator::Sum, &[I32, F32, I64, F64]),
        reduction("reduce_min", Form::Reduce, Operator::Min, &[I32, F32]),
        reduction("reduce_max", Form::Reduce, Operator::Max, &[I32, F32]),
        reduction(
            "segmented_reduce",
            Form::SegmentedReduce,
            Operator::Sum,
            &[I32, F32, F64],
        ),
        selection("select", Placement::Apart, SELECTED),
        selection("select_unaligned", Placement::UnalignedInput, SELECTED),
    ];

    /// Those of a table.
    pub fn of(family: Family) -> impl Iterator<Item = &'static Workload> {
        Self::ALL.iter().filter(move |one| one.family == family)
    }

    /// The workload of a name.
    pub fn by_name(name: &str) -> Option<&'static Workload> {
        Self::ALL.iter().find(|workload| workload.name == name)
    }

    /// What the peers call it on elements of a type.
    pub fn operation(&self, element: Element) -> Operation {
        Operation::new(self.form, self.operator, element)
    }

    /// Whether it takes the length of a segment.
    pub fn has_segments(&self) -> bool {
        use Form::{InclusiveByKey, SegmentedInclusive, SegmentedReduce};
        matches!(
            self.form,
            InclusiveByKey | SegmentedInclusive | SegmentedReduce
        )
    }

    /// Whether CuPy and PyTorch have it.
    pub fn is_of_packages(&self) -> bool {
        matches!(self.form, Form::Inclusive | Form::Reduce)
            && self.operator == Operator::Sum
            && self.placement == Placement::Apart
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_is_one_workloads_and_every_type_has_a_peer() {
        let names: BTreeSet<&str> = Workload::ALL.iter().map(|one| one.name).collect();
        assert_eq!(names.len(), Workload::ALL.len());
        let theirs: Vec<Operation> = Operation::all().collect();
        for workload in Workload::ALL {
            assert_eq!(Workload::by_name(workload.name), Some(workload));
            for &element in workload.elements {
                let operation = workload.operation(element);
                assert!(theirs.contains(&operation), "{operation}");
            }
        }
    }

    #[test]
    fn what_is_done_in_place_has_results_of_its_elements_type() {
        for workload in Workload::ALL {
            let of_another = |element: &&Element| element.result() != **element;
            if workload.placement == Placement::InPlace {
                assert_eq!(workload.elements.iter().find(of_another), None);
            }
        }
    }
}
