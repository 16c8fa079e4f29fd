//! The inputs of the peers and what comes out of them: small whole numbers, whose
//! results every type of an operation holds exactly, so that a peer that is called
//! with a wrong type or a wrong argument is found out.
//!
//! The results are computed one after the other in i64, from the definitions.

use half::{bf16, f16};

use super::operation::{Element, Form, Operation, Operator};

/// After so many elements the input repeats itself.
const PERIOD: u64 = 1000;

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
    let number = scattered(i % PERIOD);
    match operator {
        // bf16 has 8 significant bits: a period's sum stays below 256.
        Operator::Sum if element == Element::Bf16 => (i64::from(number % 5 == 0), 0),
        // f16 has 11.
        Operator::Sum if element == Element::F16 => (i64::from(number % 2 == 0), 0),
        Operator::Sum => (number % 8, 0),
        Operator::Product => (1 - 2 * (number % 2), 0),
        Operator::Min | Operator::Max => (number % 2001 - 1000, 0),
        Operator::Affine => (1 - 2 * (number % 2), number / 2 % 8),
    }
}

/// Appends a value as the device holds it; of integers the low bits.
fn put(bytes: &mut Vec<u8>, element: Element, (number, second): Value) {
    match element {
        Element::U8 | Element::I8 | Element::U8ToU32 => bytes.push(number as u8),
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

/// The type of the results.
fn result_type(element: Element) -> Element {
    match element {
        Element::U8ToU32 => Element::U32,
        other => other,
    }
}

/// The first `bytes` bytes of an operation's input.
pub fn input(operation: Operation, bytes: usize) -> Vec<u8> {
    let mut period = Vec::new();
    match operation {
        Operation::Copy => (0..PERIOD).for_each(|i| {
            period.extend((scattered(i) as u128 * 0x1_0000_0001_0000_0001).to_le_bytes());
        }),
        Operation::Of(_, operator, element) => {
            (0..PERIOD).for_each(|i| put(&mut period, element, value(operator, element, i)));
        }
    }
    let mut input = period.repeat(bytes / period.len() + 1);
    input.truncate(bytes);
    input
}

/// The keys of n elements, or the offsets of their segments: `run` elements have one
/// key or are one segment, the last ones perhaps fewer. Empty where the operation takes neither.
pub fn keys_or_offsets(operation: Operation, n: u64, run: u64) -> Vec<u32> {
    if operation.has_keys() {
        return (0..n).map(|i| (i / run) as u32).collect();
    }
    if operation.has_offsets() {
        return (0..=n.div_ceil(run))
            .map(|i| (i * run).min(n) as u32)
            .collect();
    }
    Vec::new()
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

/// The results of an operation on n elements of its [`input`], at most a period of
/// them, with the [`keys_or_offsets`] of `run`.
pub fn results(operation: Operation, n: u64, run: u64) -> Vec<u8> {
    let Operation::Of(form, operator, element) = operation else {
        return input(operation, 16 * n as usize);
    };
    let is_divided = operation.has_keys() || operation.has_offsets();
    let run = if is_divided { run } else { n };
    let to = result_type(element);
    let mut bytes = Vec::new();
    let mut so_far = (0, 0);
    for i in 0..n {
        let value = value(operator, element, i);
        let (is_first, is_last) = (i % run == 0, (i + 1) % run == 0 || i + 1 == n);
        if form == Form::Exclusive {
            match i {
                0 => put_identity(&mut bytes, operator, to),
                _ => put(&mut bytes, to, so_far),
            }
        }
        so_far = if is_first {
            value
        } else {
            combine(operator, so_far, value)
        };
        match form {
            Form::Inclusive | Form::InclusiveByKey | Form::SegmentedInclusive => {
                put(&mut bytes, to, so_far);
            }
            Form::Reduce | Form::SegmentedReduce if is_last => put(&mut bytes, to, so_far),
            _ => {}
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
    fn the_arrays_have_the_sizes_of_the_operation() {
        for operation in Operation::all() {
            for (n, run) in [(1, 7), (1000, 7), (1000, 1)] {
                let sizes = operation.sizes(n, n.div_ceil(run));
                let what = format!("{operation} of {n} in {run}");
                assert_eq!(
                    results(operation, n, run).len() as u64,
                    sizes.output,
                    "{what}"
                );
                let keys = keys_or_offsets(operation, n, run);
                assert_eq!(4 * keys.len() as u64, sizes.keys_or_offsets, "{what}");
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_input() {
        let operation = Operation::Of(Form::Inclusive, Operator::Sum, Element::F32);
        let input = f32s(&input(operation, 4000));
        let results = f32s(&results(operation, 1000, 1));
        for i in 0..1000 {
            assert_eq!(results[i], input[..=i].iter().sum::<f32>());
        }
        assert!(input.iter().any(|&x| x != input[0]));
    }

    #[test]
    fn sums_of_segments_start_anew_and_have_one_result_each() {
        let of = |form| Operation::Of(form, Operator::Sum, Element::F32);
        let input = f32s(&input(of(Form::Reduce), 40));
        let segments = [&input[..4], &input[4..8], &input[8..]];
        let sums = segments.map(|segment| segment.iter().sum::<f32>());
        assert_eq!(f32s(&results(of(Form::SegmentedReduce), 10, 4)), sums);
        let scan = f32s(&results(of(Form::SegmentedInclusive), 10, 4));
        assert_eq!((scan[3], scan[4], scan[9]), (sums[0], input[4], sums[2]));
        assert_eq!(
            keys_or_offsets(of(Form::SegmentedReduce), 10, 4),
            [0, 4, 8, 10]
        );
        assert_eq!(
            keys_or_offsets(of(Form::InclusiveByKey), 10, 4),
            [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
        );
    }

    #[test]
    fn narrow_floats_hold_every_sum() {
        // Integers up to 2^8 are exact in bf16, up to 2^11 in f16.
        for (element, most) in [(Element::Bf16, 256), (Element::F16, 2048)] {
            let sum: i64 = (0..PERIOD)
                .map(|i| value(Operator::Sum, element, i).0)
                .sum();
            assert!((100..=most).contains(&sum), "{element:?}: {sum}");
        }
    }

    #[test]
    fn maps_are_applied_in_the_order_of_the_input() {
        // x + 1 after -x is 1 - x; -x after x + 1 is -x - 1.
        let (negate, increment) = ((-1, 0), (1, 1));
        assert_eq!(combine(Operator::Affine, negate, increment), (-1, 1));
        assert_eq!(combine(Operator::Affine, increment, negate), (-1, -1));
    }

    #[test]
    fn an_exclusive_scan_starts_with_the_identity() {
        let first = |operator, element| {
            let bytes = results(Operation::Of(Form::Exclusive, operator, element), 2, 1);
            f32s(&bytes[..4])[0]
        };
        assert_eq!(first(Operator::Min, Element::F32), f32::INFINITY);
        assert_eq!(first(Operator::Product, Element::F32), 1.0);
    }
}
