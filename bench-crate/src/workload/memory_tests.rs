//! What is in the memory, and that a result that is not right is found, on the emulator.

use bytemuck::bytes_of;

use super::super::Workload;
use super::super::operation::Element;
use super::super::size::{ALIGNMENT, END, MOST_PARTS, PLACES};
use super::*;
use quadscan::device::DeviceChoice;

fn size(name: &str, element: Element, n: u64, segment: u64) -> Size {
    Size {
        workload: Workload::by_name(name).unwrap_or_else(|| panic!("{name}")),
        element,
        n,
        segment,
    }
}

fn device() -> Device {
    let emulator = DeviceChoice::Emulator { schedule: None };
    Device::open(emulator).unwrap_or_else(|e| panic!("{e}"))
}

/// Arrays of 2500 elements in parts that have `rotated` bytes together.
fn memory(device: &Device, name: &str, element: Element, rotated: u64) -> Memory {
    let size = size(name, element, 2500, 7);
    Memory::new(device, size, rotated).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn a_rotation_comes_back_after_more_than_was_asked_for() {
    let cache = 50 << 20;
    // 8 bytes an element, and 4 where the results are in the elements' place.
    let parts = |name, n| size(name, Element::I32, n, 1).parts(3 * cache);
    assert_eq!(parts("inclusive_sum", 1 << 14), 1200);
    assert_eq!(parts("in_place", 1 << 14), 2400);
    assert_eq!(parts("inclusive_sum", 1), MOST_PARTS);
    assert_eq!(parts("inclusive_sum", 1 << 30), 1);
    let device = device();
    let memory = memory(&device, "inclusive_sum", Element::I32, 45_000);
    let turn = Turn::default();
    let parts: Vec<u64> = (0..5).map(|_| memory.next(&turn)).collect();
    assert_eq!(parts, [0, 1, 2, 0, 1]);
}

#[test]
fn every_part_has_the_elements_one_behind_an_aligned_address_where_they_are_to_be() -> Result<()> {
    let device = device();
    for (name, element) in [
        ("inclusive_sum", Element::I32),
        ("unaligned_input", Element::I32),
        ("unaligned_output", Element::U8ToU64),
        ("unaligned_input", Element::Bf16),
    ] {
        let memory = memory(&device, name, element, 60_000);
        let operation = memory.size().workload.operation(element);
        let bytes = 2500 * element.input_bytes() as usize;
        let expected = &values::period(operation, 0).repeat(3)[..bytes];
        for part in 0..memory.parts {
            let call = memory.call(part);
            let shifts = (call.input % ALIGNMENT, call.output % ALIGNMENT);
            assert_eq!(shifts, memory.size().shifts());
            memory.with::<u8, u8>(part, |input, _, output| {
                assert_eq!(
                    (input.address(), output.address()),
                    (call.input, call.output)
                );
                assert_eq!(
                    input.to_vec()?,
                    expected,
                    "{name} of {element:?}, part {part}"
                );
                Ok(())
            })?;
        }
    }
    Ok(())
}

#[test]
fn keys_and_offsets_are_those_of_the_segments_in_every_part() -> Result<()> {
    let device = device();
    for (name, expected) in [
        ("by_key", values::keys(7, 0..2500)),
        ("segmented_reduce", values::offsets(2500, 7)),
    ] {
        let memory = memory(&device, name, Element::I32, 60_000);
        assert!(memory.parts > 1);
        for part in 0..memory.parts {
            memory.with::<u8, u8>(part, |_, keys_or_offsets, _| {
                assert_eq!(keys_or_offsets.to_vec()?, expected);
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// Writes what the results have to be, but for one of them.
fn write(memory: &Memory, spoilt: Option<usize>) -> Result<()> {
    let Size {
        workload,
        element,
        n,
        segment,
    } = *memory.size();
    let operation = workload.operation(element);
    let last = memory.size().sizes().output / element.output_bytes();
    let mut bytes = values::results(operation, n, segment, 0..last);
    if let Some(index) = spoilt {
        bytes[index * element.output_bytes() as usize] ^= 1;
    }
    if memory.is_in_place() {
        memory.with_elements::<u8>(0, |mut elements| elements.copy_from(&bytes))
    } else {
        // Behind selected elements is room for the others.
        memory.with::<u8, u8>(0, |_, _, mut output| {
            output.slice_mut(..bytes.len())?.copy_from(&bytes)
        })
    }
}

#[test]
fn right_results_are_right_and_one_wrong_byte_is_named_wherever_it_is() -> Result<()> {
    let device = device();
    for workload in Workload::ALL {
        for &element in workload.elements {
            let memory = memory(&device, workload.name, element, 0);
            write(&memory, None)?;
            assert_eq!(
                memory.difference()?,
                None,
                "{} of {element:?}",
                workload.name
            );
            let last = memory.size().sizes().output / element.output_bytes() - 1;
            write(&memory, Some(last as usize))?;
            let said = memory.difference()?.unwrap_or_default();
            let start = format!("result {last} has the bytes [");
            assert!(said.starts_with(&start), "{}: {said}", workload.name);
            memory.restore()?;
            assert!(memory.difference()?.is_some(), "nothing was written");
        }
    }
    Ok(())
}

#[test]
fn of_many_results_both_ends_and_places_between_are_compared() {
    let last = (1 << 30) + 3;
    let windows = size("inclusive_sum", Element::I32, last, 1).windows();
    assert_eq!((windows[0].clone(), windows[1].end), (0..END, last));
    assert_eq!(windows.len() as u64, 2 + PLACES.0);
    assert!(windows.iter().all(|window| window.end <= last));
    // Spread: every eighth of the array has some.
    for eighth in 0..8 {
        let part = last / 8 * eighth..last / 8 * (eighth + 1);
        assert!(
            windows[2..]
                .iter()
                .any(|window| part.contains(&window.start))
        );
    }
    let one = size("reduce", Element::I32, last, 1).windows();
    assert_eq!((one.len(), one[0].clone()), (1, 0..1));
}

#[test]
fn the_copy_moves_at_least_as_many_bytes_in_whole_warps() {
    for (n, name) in [
        (1, "inclusive_sum"),
        (1 << 10, "reduce"),
        ((1 << 28) + 3, "inclusive_sum"),
    ] {
        let size = size(name, Element::F64, n, 1);
        let (blocks, threads) = size.copy();
        assert_eq!(threads % 32, 0);
        let most = 2 * limit::COPIED_BY_A_THREAD as u64 * u64::from(threads);
        let (moved, copied) = (size.moved(), size.copy_moved());
        assert!((moved..moved + most).contains(&copied), "{moved} {copied}");
        assert_eq!(copied, u64::from(blocks) * most);
    }
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_allocated() {
    let device = device();
    let free = device
        .memory_info()
        .map(|info| info.free)
        .unwrap_or_default();
    let size = size("inclusive_sum", Element::F64, free, 1);
    let error = Memory::new(&device, size, 0).map(|_| ()).err();
    assert!(
        matches!(error, Some(Error::OutOfMemory { .. })),
        "{error:?}"
    );
}

#[test]
fn the_copy_leaves_the_input_what_it_was() -> Result<()> {
    let device = device();
    let module = device.load(&crate::modules::ours()?)?;
    let memory = memory(&device, "reduce", Element::I32, 0);
    memory.copy(&module, 0)?;
    let operation = memory.size().workload.operation(Element::I32);
    let expected = &values::period(operation, 0).repeat(3)[..10_000];
    memory.with::<u8, u32>(0, |input, _, output| {
        assert_eq!(input.to_vec()?, expected);
        // The first of the results is the first element now.
        assert_eq!(bytes_of(&output.to_vec()?[0]), &expected[..4]);
        Ok(())
    })
}
