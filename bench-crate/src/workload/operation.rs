//! Operations on whole arrays by the names that `peers/scan` gives them, such as
//! `inclusive_sum_i32`, with the bytes that each one reads and writes.
//!
//! The names are the whole interface to that library: a test holds them against its source.

use std::fmt;

/// Which elements a result has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// A scan whose result i has element i in it.
    Inclusive,
    /// A scan whose result i has the elements before i.
    Exclusive,
    /// An inclusive scan that starts anew where the key changes.
    InclusiveByKey,
    /// An inclusive scan of each segment.
    SegmentedInclusive,
    /// One result.
    Reduce,
    /// One result a segment.
    SegmentedReduce,
    /// Elements greater than a number, in their order.
    Select,
}

/// What is done with two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Their sum; of integers it wraps.
    Sum,
    /// Their product; of integers it wraps.
    Product,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// The map that applies the first and then the second, each x -> a * x + b, held
    /// as {a, b}: {a2 * a1, a2 * b1 + b2}. It is not commutative.
    Affine,
}

/// Types of elements: what each is, its name at the end of an operation's, its bytes, and the type
/// of its results.
macro_rules! elements {
    ($($(#[$what:meta])* $element:ident $name:literal $bytes:literal $result:ident;)*) => {
        /// The type of an element.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Element {
            $($(#[$what])* $element,)*
        }

        impl Element {
            /// All of them.
            pub const ALL: [Element; [$($name),*].len()] = [$(Element::$element),*];

            /// As it ends the name of an operation.
            pub fn name(self) -> &'static str {
                match self {
                    $(Element::$element => $name,)*
                }
            }

            /// Bytes of an element of the input.
            pub fn input_bytes(self) -> u64 {
                match self {
                    $(Element::$element => $bytes,)*
                }
            }

            /// The type of the results, which may be another one than the elements'.
            pub fn result(self) -> Self {
                match self {
                    $(Element::$element => Element::$result,)*
                }
            }
        }
    };
}

elements! {
    /// 8 bits, unsigned.
    U8 "u8" 1 U8;
    /// 8 bits, signed.
    I8 "i8" 1 I8;
    /// u8 whose sums are u32.
    U8ToU32 "u8_u32" 1 U32;
    /// u8 whose sums are u64.
    U8ToU64 "u8_u64" 1 U64;
    /// 16 bits, unsigned.
    U16 "u16" 2 U16;
    /// 16 bits, signed.
    I16 "i16" 2 I16;
    /// IEEE 754 half precision.
    F16 "f16" 2 F16;
    /// The upper half of an f32.
    Bf16 "bf16" 2 Bf16;
    /// 32 bits, signed.
    I32 "i32" 4 I32;
    /// 32 bits, unsigned.
    U32 "u32" 4 U32;
    /// Single precision.
    F32 "f32" 4 F32;
    /// 64 bits, signed.
    I64 "i64" 8 I64;
    /// 64 bits, unsigned.
    U64 "u64" 8 U64;
    /// Double precision.
    F64 "f64" 8 F64;
    /// Two f64: 16 bytes.
    F64x2 "f64x2" 16 F64x2;
}

use Element::{Bf16, F16, F32, F64, F64x2, I8, I16, I32, I64, U8, U8ToU32, U8ToU64, U16, U32, U64};

/// The types of sums, in the order of rows: first those whose results are of the same type.
pub(super) const NUMBERS: &[Element] = &[
    U8, I8, U16, I16, F16, Bf16, I32, U32, F32, I64, U64, F64, U8ToU32, U8ToU64,
];

/// The types that elements are selected of.
pub(super) const SELECTED: &[Element] = &[U8, U16, I32, F32, I64, F64];

impl Element {
    /// Bytes of a result.
    pub fn output_bytes(self) -> u64 {
        self.result().input_bytes()
    }

    /// The type of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Whether results are rounded.
    pub fn is_float(self) -> bool {
        matches!(self, F16 | Bf16 | F32 | F64 | F64x2)
    }
}

/// An operation on arrays of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Which elements a result has.
    pub form: Form,
    /// What is done with two.
    pub operator: Operator,
    /// The type.
    pub element: Element,
}

impl Operation {
    /// The operation of a form by an operator on elements of a type.
    pub const fn new(form: Form, operator: Operator, element: Element) -> Self {
        Operation {
            form,
            operator,
            element,
        }
    }

    /// Whether it takes a key an element.
    pub fn has_keys(self) -> bool {
        self.form == Form::InclusiveByKey
    }

    /// Whether it takes the offsets of segments.
    pub fn has_offsets(self) -> bool {
        matches!(self.form, Form::SegmentedInclusive | Form::SegmentedReduce)
    }

    /// The bytes of its arrays, for n elements in `segments` segments. A selection has room for
    /// all elements, and for their number.
    pub fn sizes(self, n: u64, segments: u64) -> Sizes {
        let results = match self.form {
            Form::Reduce => 1,
            Form::SegmentedReduce => segments,
            _ => n,
        };
        let keys_or_offsets = match self {
            _ if self.has_keys() => n,
            _ if self.has_offsets() => segments + 1,
            _ if self.form == Form::Select => 2,
            _ => 0,
        };
        Sizes {
            input: n * self.element.input_bytes(),
            keys_or_offsets: keys_or_offsets * 4,
            output: results * self.element.output_bytes(),
        }
    }
}

impl fmt::Display for Operation {
    /// The name, such as `inclusive_sum_by_key_f32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operator = format!("{:?}", self.operator).to_lowercase();
        match self.form {
            Form::Inclusive => write!(f, "inclusive_{operator}"),
            Form::Exclusive => write!(f, "exclusive_{operator}"),
            Form::InclusiveByKey => write!(f, "inclusive_{operator}_by_key"),
            Form::SegmentedInclusive => write!(f, "segmented_inclusive_{operator}"),
            Form::Reduce => write!(f, "reduce_{operator}"),
            Form::SegmentedReduce => write!(f, "segmented_reduce_{operator}"),
            Form::Select => write!(f, "select"),
        }?;
        write!(f, "_{}", self.element.name())
    }
}

/// Bytes of an operation's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The input.
    pub input: u64,
    /// A u32 a key or an offset.
    pub keys_or_offsets: u64,
    /// The results.
    pub output: u64,
}

impl Sizes {
    /// What has to be read and written at least: each array once.
    pub fn moved(self) -> u64 {
        self.input + self.keys_or_offsets + self.output
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What the library of the peers has, but for a copy.
    const TABLE: &[(Form, Operator, &[Element])] = &[
        (Form::Inclusive, Operator::Sum, NUMBERS),
        (Form::Exclusive, Operator::Sum, NUMBERS),
        (Form::Inclusive, Operator::Min, &[I32, F32]),
        (Form::Inclusive, Operator::Max, &[I32, F32]),
        (Form::Inclusive, Operator::Product, &[I32, F32]),
        (Form::Inclusive, Operator::Affine, &[F64x2]),
        (Form::Exclusive, Operator::Min, &[I32, F32]),
        (Form::Exclusive, Operator::Max, &[I32, F32]),
        (Form::Exclusive, Operator::Product, &[I32, F32]),
        (Form::Exclusive, Operator::Affine, &[F64x2]),
        (Form::InclusiveByKey, Operator::Sum, &[I32, F32]),
        (Form::Reduce, Operator::Sum, &[I32, F32, I64, F64]),
        (Form::Reduce, Operator::Min, &[I32, F32]),
        (Form::Reduce, Operator::Max, &[I32, F32]),
        (Form::SegmentedReduce, Operator::Sum, &[I32, F32, F64]),
        (Form::SegmentedInclusive, Operator::Sum, &[I32, F32, F64]),
        (Form::Select, Operator::Sum, SELECTED),
    ];

    impl Operation {
        /// All that the library may have. The segmented scan needs CUB 3.5 or so.
        pub(crate) fn all() -> impl Iterator<Item = Operation> {
            TABLE.iter().flat_map(|&(form, operator, elements)| {
                let of = move |&element: &Element| Operation::new(form, operator, element);
                elements.iter().map(of)
            })
        }
    }

    /// The names in the tables of the library's source.
    fn names_of_the_source() -> BTreeSet<String> {
        let sources = [
            include_str!("../../../peers/scan/sums.cu"),
            include_str!("../../../peers/scan/operators.cu"),
            include_str!("../../../peers/scan/reductions.cu"),
            include_str!("../../../peers/scan/selections.cu"),
        ];
        let entry = |line: &str| {
            let name = line.trim().strip_prefix("{\"")?;
            name.split('"').next().map(str::to_owned)
        };
        sources
            .into_iter()
            .flat_map(str::lines)
            .filter_map(entry)
            .collect()
    }

    #[test]
    fn every_operation_is_in_the_source_and_the_source_has_no_other() {
        let mut ours: BTreeSet<String> = Operation::all().map(|all| all.to_string()).collect();
        assert_eq!(ours.len(), Operation::all().count(), "none twice");
        ours.insert("copy".to_owned());
        assert_eq!(ours, names_of_the_source());
    }

    #[test]
    fn the_sizes_are_those_of_the_arrays() {
        let of = |form, element| Operation::new(form, Operator::Sum, element);
        let moved = |operation: Operation, n, segments| operation.sizes(n, segments).moved();
        assert_eq!(moved(of(Form::Inclusive, I32), 1024, 0), 8192);
        assert_eq!(moved(of(Form::Inclusive, U8ToU32), 1000, 0), 5000);
        assert_eq!(moved(of(Form::InclusiveByKey, F32), 1000, 0), 12_000);
        assert_eq!(moved(of(Form::Reduce, F64), 1000, 0), 8008);
        assert_eq!(moved(of(Form::SegmentedReduce, F64), 1000, 10), 8124);
        assert_eq!(moved(of(Form::SegmentedInclusive, I32), 1000, 10), 8044);
    }
}
