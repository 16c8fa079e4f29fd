//! Workloads on the emulator, which has no times: what is compared, and what is missing.

use super::*;
use crate::peers::operation::Element;
use quadscan::device::{Device, DeviceChoice};

fn module() -> Module {
    let emulator = DeviceChoice::Emulator { schedule: None };
    let loaded = Device::open(emulator)
        .and_then(|device| Ok((device, crate::modules::ours()?)))
        .and_then(|(device, artifact)| device.load(&artifact));
    loaded.unwrap_or_else(|e| panic!("{e}"))
}

fn job(operation: &str, element: Element, n: u64, algorithm: Option<&str>) -> Job {
    Job {
        id: 1,
        task: Task::Workload {
            operation: operation.to_owned(),
            element,
            n,
            segment: 7,
            algorithm: algorithm.map(str::to_owned),
        },
        repeat: None,
        peer: None,
        checked: false,
        untimed: false,
        cold: false,
    }
}

fn read(module: &Module, job: &Job) -> Reading {
    let mut libraries = Libraries::default();
    measure(module, &mut libraries, job).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_workload_of_ours_is_right_on_every_type() {
    let module = module();
    for workload in Workload::ALL {
        for &element in workload.elements {
            let reading = read(&module, &job(workload.name, element, 3001, None));
            assert_eq!(reading.wrong, None, "{} of {element:?}", workload.name);
            assert_eq!(reading.missing, None, "{} of {element:?}", workload.name);
            assert!(reading.bytes.is_some_and(|bytes| bytes > 0));
            assert!(reading.kernel.is_none() && reading.copy.is_none());
        }
    }
}

#[test]
fn an_algorithm_is_the_one_that_was_asked_for_or_says_why_it_is_not_there() {
    let module = module();
    let of = |n, algorithm| {
        let reading = read(&module, &job("inclusive_sum", Element::U32, n, algorithm));
        assert_eq!(reading.wrong, None);
        (reading.algorithm, reading.missing.is_some())
    };
    assert_eq!(of(100, None), (Some("one_block".into()), false));
    assert_eq!(
        of(100, Some("lookahead")),
        (Some("lookahead".into()), false)
    );
    assert_eq!(of(100_000, Some("one_block")), (None, true));
}

#[test]
fn what_is_chosen_is_what_scans_where_the_arrays_begin() {
    let module = module();
    let chosen = |workload: &str, element| {
        let size = Size {
            workload: Workload::by_name(workload).unwrap_or_else(|| panic!("{workload}")),
            element,
            n: 1 << 26,
            segment: 1,
        };
        let plan = ours::plan(&module, &size, None).unwrap_or_else(|e| panic!("{e}"));
        plan.and_then(|plan| plan.algorithm(&size))
    };
    for placed in [
        "inclusive_sum",
        "in_place",
        "unaligned_input",
        "unaligned_output",
    ] {
        assert_eq!(chosen(placed, Element::U32), Some("lookahead"));
    }
}

#[test]
fn more_elements_than_offsets_count_are_left_out_and_not_taken_for_wrong() {
    let module = module();
    for operation in ["segmented_scan", "segmented_reduce"] {
        let reading = read(&module, &job(operation, Element::F32, 1 << 32, None));
        let sentence =
            format!("the offsets of {operation} have 32 bits, and count up to 4294967295 elements");
        assert_eq!((reading.missing, reading.wrong), (Some(sentence), None));
    }
}

#[test]
fn what_the_process_does_not_know_is_an_error_that_names_it() {
    let module = module();
    let mut libraries = Libraries::default();
    let mut said = |job: &Job| {
        let measured = measure(&module, &mut libraries, job);
        measured.map(|_| ()).map_err(|error| error.to_string())
    };
    let sentence = |what: &str| Err(format!("{what} is unknown to the measuring process"));
    let of = |operation, algorithm| job(operation, Element::U32, 8, algorithm);
    assert_eq!(said(&of("median", None)), sentence("operation `median`"));
    assert_eq!(said(&of("in_place", Some("x"))), sentence("algorithm `x`"));
}
