//! What is in the arrays of a workload and what comes out of them: small whole numbers,
//! of which every result of every length is exact in its type, so that a result is right
//! in every bit or wrong, in whatever order it was combined.
//!
//! The input repeats itself after a thousand elements; what many periods are together
//! follows from one of them, so that any result of any length is known at once. All of it
//! is in i64, from the definitions.

use std::ops::Range;

use half::{bf16, f16};

use super::operation::{Element, Form, Operation, Operator};

/// After so many elements the input repeats itself. No power of two: a tile that is left
/// out or taken twice shows.
pub const PERIOD: u64 = 1000;

/// An element: a number, or the two of an affine map.
type Value = (i64, i64);

/// A number below 2^16 that looks like chance: the multiplier is Knuth's for hashing
/// by the golden ratio (The Art of Computer Programming, volume 3, section 6.4).
fn scattered(i: u64) -> i64 {
    let product = (i as u32).wrapping_mul(2_654_435_769);
    i64::from(product >> 16)
}

/// Element i of an input.
fn value(operator: Operator, element: Element, i: u64) -> Value {
    let i = i % PERIOD;
    let number = scattered(i);
    match operator {
        // A period's sum is 0, and what lies between stays within the 8 bits of bf16.
        Operator::Sum if element.is_float() => (number % 4 - scattered(PERIOD - 1 - i) % 4, 0),
        Operator::Sum => (number % 8, 0),
        Operator::Product => (1 - 2 * (number % 2), 0),
        Operator::Min | Operator::Max => (number % 2001 - 1000, 0),
        Operator::Affine => (1 - 2 * (number % 2), number / 2 % 8),
    }
}

/// What selected numbers are greater than: about half of those of sums are.
pub const LIMIT: [i64; 2] = [3, 0];

/// Whether an element of a selection is selected.
fn is_selected(element: Element, (number, _): Value) -> bool {
    number > LIMIT[usize::from(element.is_float())]
}

/// How many of the first n elements of a selection are selected.
pub fn selected(element: Element, n: u64) -> u64 {
    let of = |count: u64| {
        let values = (0..count).map(|i| value(Operator::Sum, element, i));
        values.filter(|&value| is_selected(element, value)).count() as u64
    };
    n / PERIOD * of(PERIOD) + of(n % PERIOD)
}

/// Appends a value as the device holds it; of integers the low bits.
fn put(bytes: &mut Vec<u8>, element: Element, (number, second): Value) {
    match element {
        Element::U8 | Element::I8 | Element::U8ToU32 | Element::U8ToU64 => {
            bytes.push(number as u8);
        }
        Element::U16 | Element::I16 => bytes.extend((number as u16).to_le_bytes()),
        Element::F16 => bytes.extend(f16::from_f64(number as f64).to_le_bytes()),
        Element::Bf16 => bytes.extend(bf16::from_f64(number as f64).to_le_bytes()),
        Element::I32 | Element::U32 => bytes.extend((number as u32).to_le_bytes()),
        Element::F32 => bytes.extend((number as f32).to_le_bytes()),
        Element::I64 | Element::U64 => bytes.extend(number.to_le_bytes()),
        Element::F64 => bytes.extend((number as f64).to_le_bytes()),
        Element::F64x2 => {
            bytes.extend((number as f64).to_le_bytes());
            bytes.extend((second as f64).to_le_bytes());
        }
    }
}

/// A period of an operation's input, from element `first` on, which may be behind its end.
pub fn period(operation: Operation, first: u64) -> Vec<u8> {
    let mut period = Vec::new();
    for i in first..first + PERIOD {
        let value = value(operation.operator, operation.element, i);
        put(&mut period, operation.element, value);
    }
    period
}

/// A key for each of the elements of `window`: `run` of them have one, and keys differ
/// from their neighbours'. After 2 * `run` elements they repeat themselves.
pub fn keys(run: u64, window: Range<u64>) -> Vec<u32> {
    window.map(|i| (i / run % 2) as u32).collect()
}

/// The offsets of n elements in segments of `run`, the last of perhaps fewer.
pub fn offsets(n: u64, run: u64) -> Vec<u32> {
    (0..=n.div_ceil(run))
        .map(|i| (i * run).min(n) as u32)
        .collect()
}

/// Whether two results are one: the same bits, or zeros of a float with different signs.
/// (The neutral element of our sums is -0, which changes no element; CUB's is 0.)
pub fn are_same(element: Element, found: &[u8], expected: &[u8]) -> bool {
    let width = match element.result() {
        Element::F16 | Element::Bf16 => 2,
        Element::F32 => 4,
        Element::F64 | Element::F64x2 => 8,
        _ => return found == expected,
    };
    let is_zero = |float: &[u8]| {
        float
            .split_last()
            .is_some_and(|(last, rest)| last & 0x7F == 0 && rest.iter().all(|&byte| byte == 0))
    };
    let mut pairs = found.chunks(width).zip(expected.chunks(width));
    pairs.all(|(found, expected)| found == expected || is_zero(found) && is_zero(expected))
}

/// What is done with two values.
fn combine(operator: Operator, first: Value, second: Value) -> Value {
    match operator {
        Operator::Sum => (first.0 + second.0, 0),
        Operator::Product => (first.0 * second.0, 0),
        Operator::Min => (first.0.min(second.0), 0),
        Operator::Max => (first.0.max(second.0), 0),
        Operator::Affine => (second.0 * first.0, second.0 * first.1 + second.1),
    }
}

/// The first result of an exclusive scan, as bytes: the operator's identity.
fn put_identity(bytes: &mut Vec<u8>, operator: Operator, element: Element) {
    match (operator, element) {
        (Operator::Min, Element::F32) => bytes.extend(f32::INFINITY.to_le_bytes()),
        (Operator::Max, Element::F32) => bytes.extend(f32::NEG_INFINITY.to_le_bytes()),
        (Operator::Min, _) => put(bytes, element, (i32::MAX.into(), 0)),
        (Operator::Max, _) => put(bytes, element, (i32::MIN.into(), 0)),
        (Operator::Sum, _) => put(bytes, element, (0, 0)),
        (Operator::Product | Operator::Affine, _) => put(bytes, element, (1, 0)),
    }
}

/// An operation's input, with what is needed to know any of its results.
struct Input {
    operator: Operator,
    period: Vec<Value>,
}

impl Input {
    fn new(operator: Operator, element: Element) -> Self {
        let period = (0..PERIOD).map(|i| value(operator, element, i));
        Input {
            operator,
            period: period.collect(),
        }
    }

    fn at(&self, i: u64) -> Value {
        self.period[(i % PERIOD) as usize]
    }

    fn then(&self, first: Option<Value>, second: Option<Value>) -> Option<Value> {
        match (first, second) {
            (Some(first), Some(second)) => Some(combine(self.operator, first, second)),
            (one, other) => one.or(other),
        }
    }

    /// The elements of a range together, one after the other.
    fn in_turn(&self, range: Range<u64>) -> Option<Value> {
        let values = range.map(|i| self.at(i));
        values.reduce(|first, second| combine(self.operator, first, second))
    }

    /// `count` periods together, by squares.
    fn periods(&self, mut count: u64) -> Option<Value> {
        let (mut together, mut square) = (None, self.in_turn(0..PERIOD));
        while count > 0 {
            if count % 2 == 1 {
                together = self.then(together, square);
            }
            count /= 2;
            if count > 0 {
                square = self.then(square, square);
            }
        }
        together
    }

    /// The elements of a range together; `None` where it has none.
    fn together(&self, range: Range<u64>) -> Option<Value> {
        let (first, last) = (range.start.next_multiple_of(PERIOD), range.end / PERIOD);
        if first / PERIOD >= last {
            return self.in_turn(range);
        }
        let head = self.in_turn(range.start..first);
        let whole = self.periods(last - first / PERIOD);
        let tail = self.in_turn(last * PERIOD..range.end);
        self.then(self.then(head, whole), tail)
    }
}

/// The results with the numbers of `window` of an operation on n elements, as bytes;
/// `run` elements have one key or are one segment, where it has any.
pub fn results(operation: Operation, n: u64, run: u64, window: Range<u64>) -> Vec<u8> {
    let Operation {
        form,
        operator,
        element,
    } = operation;
    let (input, to) = (Input::new(operator, element), element.result());
    let mut bytes = Vec::new();
    let mut write = |together: Option<Value>| match together {
        Some(value) => put(&mut bytes, to, value),
        None => put_identity(&mut bytes, operator, to),
    };
    match form {
        Form::Reduce => window.for_each(|_| write(input.together(0..n))),
        Form::SegmentedReduce => {
            window.for_each(|i| write(input.together((i * run).min(n)..((i + 1) * run).min(n))))
        }
        Form::Select => {
            let selected = input
                .period
                .iter()
                .filter(|&&value| is_selected(element, value));
            let selected: Vec<Value> = selected.copied().collect();
            window.for_each(|i| write(Some(selected[(i % selected.len() as u64) as usize])));
        }
        _ => {
            let is_divided = operation.has_keys() || operation.has_offsets();
            let run = if is_divided { run } else { u64::MAX };
            let start = window.start - window.start % run;
            let mut so_far = input.together(start..window.start);
            for i in window {
                if i % run == 0 {
                    so_far = None;
                }
                if form == Form::Exclusive {
                    write(so_far);
                }
                so_far = input.then(so_far, Some(input.at(i)));
                if form != Form::Exclusive {
                    write(so_far);
                }
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(bytes: &[u8]) -> Vec<f32> {
        let fours = bytes.chunks_exact(4);
        fours.map(bytemuck::pod_read_unaligned).collect()
    }

    #[test]
    fn there_are_as_many_results_as_the_operation_has() {
        for operation in Operation::all() {
            for (n, run) in [(1_u64, 7), (1000, 7), (1000, 1)] {
                let segments = n.div_ceil(run);
                let sizes = operation.sizes(n, segments);
                let count = match operation.form {
                    Form::Reduce => 1,
                    Form::SegmentedReduce => segments,
                    _ => n,
                };
                let bytes = results(operation, n, run, 0..count).len() as u64;
                assert_eq!(bytes, sizes.output, "{operation} of {n} in {run}");
            }
        }
    }

    #[test]
    fn selected_elements_are_those_greater_than_the_limit_in_their_order() {
        let operation = Operation::new(Form::Select, Operator::Sum, Element::F32);
        let input = f32s(&period(operation, 0));
        let expected: Vec<f32> = input.into_iter().filter(|&x| x > 0.0).collect();
        let all = selected(Element::F32, PERIOD);
        assert_eq!(f32s(&results(operation, 1000, 1, 0..all)), expected);
        let more = selected(Element::F32, 3 * PERIOD + 7);
        assert_eq!(more, 3 * all + selected(Element::F32, 7));
    }

    #[test]
    fn sums_are_those_of_the_input() {
        let operation = Operation::new(Form::Inclusive, Operator::Sum, Element::F32);
        let input = f32s(&period(operation, 0));
        let results = f32s(&results(operation, 1000, 1, 0..1000));
        for i in 0..1000 {
            assert_eq!(results[i], input[..=i].iter().sum::<f32>());
        }
        assert!(input.iter().any(|&x| x != input[0]));
    }

    #[test]
    fn sums_of_segments_start_anew_and_have_one_result_each() {
        let of = |form| Operation::new(form, Operator::Sum, Element::F32);
        let input = f32s(&period(of(Form::Reduce), 0)[..40]);
        let segments = [&input[..4], &input[4..8], &input[8..]];
        let sums = segments.map(|segment| segment.iter().sum::<f32>());
        assert_eq!(f32s(&results(of(Form::SegmentedReduce), 10, 4, 0..3)), sums);
        let scan = f32s(&results(of(Form::SegmentedInclusive), 10, 4, 0..10));
        assert_eq!((scan[3], scan[4], scan[9]), (sums[0], input[4], sums[2]));
        assert_eq!(offsets(10, 4), [0, 4, 8, 10]);
        assert_eq!(keys(4, 0..10), [0, 0, 0, 0, 1, 1, 1, 1, 0, 0]);
    }

    /// Every form on every type, far into an array: as when all of it is gone through.
    #[test]
    fn results_far_into_an_array_are_those_of_all_that_is_before_them() {
        let n = 5 * PERIOD + 321;
        for operation in Operation::all() {
            for run in [1, 7, 1500] {
                let last = match operation.form {
                    Form::Reduce => 1,
                    Form::SegmentedReduce => n.div_ceil(run),
                    _ => n,
                };
                let all = results(operation, n, run, 0..last);
                let bytes = all.len() / last as usize;
                for first in [last / 3, last - 1] {
                    let window = results(operation, n, run, first..last);
                    assert_eq!(
                        window,
                        all[first as usize * bytes..],
                        "{operation} in {run}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_many_periods_are_together_is_what_going_through_them_gives() {
        for operator in [
            Operator::Sum,
            Operator::Product,
            Operator::Min,
            Operator::Affine,
        ] {
            let input = Input::new(operator, Element::F64x2);
            let range = 700..13 * PERIOD + 5;
            assert_eq!(input.together(range.clone()), input.in_turn(range));
        }
        assert_eq!(Input::new(Operator::Sum, Element::I32).together(5..5), None);
    }

    #[test]
    fn every_sum_of_neighbours_is_exact_in_the_narrowest_float() {
        // Integers up to 2^8 are exact in bf16; a sum of neighbours is the difference of
        // two running sums, and those repeat themselves.
        let input = Input::new(Operator::Sum, Element::Bf16);
        let running = (1..=PERIOD).filter_map(|end| input.in_turn(0..end));
        let running: Vec<i64> = running.map(|sum| sum.0).collect();
        let (most, least) = (running.iter().max(), running.iter().min());
        let range = most
            .zip(least)
            .map(|(most, least)| most.max(&0) - least.min(&0));
        assert!(
            range.is_some_and(|range| (20..=256).contains(&range)),
            "{range:?}"
        );
        assert_eq!(running.last(), Some(&0));
    }

    #[test]
    fn maps_are_applied_in_the_order_of_the_input() {
        // x + 1 after -x is 1 - x; -x after x + 1 is -x - 1.
        let (negate, increment) = ((-1, 0), (1, 1));
        assert_eq!(combine(Operator::Affine, negate, increment), (-1, 1));
        assert_eq!(combine(Operator::Affine, increment, negate), (-1, -1));
    }

    #[test]
    fn zeros_of_floats_are_one_whatever_their_signs_and_nothing_else_is() {
        let same = |a: f32, b: f32| are_same(Element::F32, &a.to_le_bytes(), &b.to_le_bytes());
        assert!(same(0.0, -0.0) && same(1.5, 1.5));
        assert!(!same(1.5, -1.5) && !same(0.0, f32::MIN_POSITIVE));
        assert!(!are_same(Element::I32, &[0, 0, 0, 0x80], &[0; 4]));
        let pair = |a: f64, b: f64| [a.to_le_bytes(), b.to_le_bytes()].concat();
        assert!(are_same(Element::F64x2, &pair(-0.0, 1.0), &pair(0.0, 1.0)));
        assert!(!are_same(Element::F64x2, &pair(0.0, 1.0), &pair(0.0, 2.0)));
    }

    #[test]
    fn an_exclusive_scan_starts_with_the_identity() {
        let first = |operator, element| {
            let of = Operation::new(Form::Exclusive, operator, element);
            f32s(&results(of, 2, 1, 0..1))[0]
        };
        assert_eq!(first(Operator::Min, Element::F32), f32::INFINITY);
        assert_eq!(first(Operator::Product, Element::F32), 1.0);
    }
}
