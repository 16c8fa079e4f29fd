//! Parts of buffers: which there are, what is copied, and what a launch gets of them.

use cuda_std::launch::LaunchShape;
use quadscan::Result;
use quadscan::device::{Buffer, Device, DeviceChoice, View, ViewMut};

use crate::fake_cuda::{BOTH, FakeCuda, Settings, artifact};
use crate::{kernels, sentence};

const NUMBERS: [u32; 6] = [10, 11, 12, 13, 14, 15];

#[test]
fn a_slice_of_a_buffer_has_the_elements_of_the_same_slice_of_an_array() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let mut buffer = fake.open().upload(&NUMBERS)?;
    let start = buffer.address();
    for (from, to) in [(0, 6), (1, 6), (0, 5), (2, 4), (3, 3), (6, 6)] {
        let expected = &NUMBERS[from..to];
        let view = buffer.slice(from..to)?;
        assert_eq!(view.to_vec()?, expected);
        assert_eq!((view.len(), view.size()), (to - from, 4 * (to - from)));
        assert_eq!(view.address(), start + 4 * from as u64);
        assert_eq!(view.is_empty(), from == to);
        let view = buffer.slice_mut(from..to)?;
        assert_eq!(view.to_vec()?, expected);
        assert_eq!(
            (view.len(), view.address()),
            (to - from, start + 4 * from as u64)
        );
    }
    assert_eq!(buffer.slice(..)?.to_vec()?, NUMBERS);
    assert_eq!(buffer.slice(4..)?.to_vec()?, NUMBERS[4..]);
    assert_eq!(buffer.slice(..=2)?.to_vec()?, NUMBERS[..=2]);
    Ok(())
}

#[test]
fn a_slice_of_a_slice_counts_from_where_that_begins() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let mut buffer = fake.open().upload(&NUMBERS)?;
    let part = buffer.slice(1..5)?;
    assert_eq!(part.slice(1..3)?.to_vec()?, NUMBERS[1..5][1..3]);
    let (first, second) = part.split_at(1)?;
    assert_eq!(
        (first.to_vec()?, second.to_vec()?),
        (vec![11], vec![12, 13, 14])
    );
    let mut part = buffer.slice_mut(1..5)?;
    part.slice_mut(2..)?.copy_from(&[0, 1])?;
    assert_eq!(part.slice(1..3)?.to_vec()?, [12, 0]);
    assert_eq!(buffer.to_vec()?, [10, 11, 12, 0, 1, 15]);
    Ok(())
}

#[test]
fn ranges_beyond_the_elements_are_refused_with_what_is_allowed() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let mut buffer = fake.open().upload(&NUMBERS)?;
    let end = "the end of a slice is";
    assert_eq!(
        sentence(buffer.slice(2..7)),
        format!("{end} 7, allowed are 2 to 6 of 6 elements")
    );
    assert_eq!(
        sentence(buffer.slice_mut(..=6)),
        format!("{end} 7, allowed are 0 to 6 of 6 elements")
    );
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = buffer.slice(4..3);
    assert_eq!(
        sentence(reversed),
        format!("{end} 3, allowed are 4 to 6 of 6 elements")
    );
    assert_eq!(
        sentence(buffer.slice(7..)),
        "the start of a slice is 7, allowed are 0 to 6 of 6 elements"
    );
    // A part of 3 elements has no fourth, though its buffer has.
    assert_eq!(
        sentence(buffer.slice(..3)?.slice(..4)),
        format!("{end} 4, allowed are 0 to 3 of 3 elements")
    );
    let last = usize::MAX;
    assert!(buffer.slice(..=last).is_err() && buffer.slice(last..).is_err());
    assert_eq!(
        sentence(buffer.split_at_mut(7)),
        "the middle of a split is 7, allowed are 0 to 6 of 6 elements"
    );
    Ok(())
}

#[test]
fn what_is_written_through_a_part_leaves_the_other_elements_alone() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    let mut buffer = device.upload(&NUMBERS)?;
    buffer.slice_mut(1..3)?.copy_from(&[1, 2])?;
    assert_eq!(buffer.to_vec()?, [10, 1, 2, 13, 14, 15]);
    buffer.slice_mut(5..)?.fill_bytes(0xff)?;
    assert_eq!(buffer.to_vec()?, [10, 1, 2, 13, 14, u32::MAX]);
    let (source, mut target) = buffer.split_at_mut(3)?;
    target.slice_mut(..2)?.copy_from_view(source.slice(1..)?)?;
    assert_eq!(buffer.to_vec()?, [10, 1, 2, 1, 2, u32::MAX]);
    let other = device.upload(&[7, 8])?;
    buffer.slice_mut(..2)?.copy_from_view(&other)?;
    assert_eq!(buffer.to_vec()?, [7, 8, 2, 1, 2, u32::MAX]);
    buffer.slice_mut(3..3)?.fill_bytes(1)?;
    assert_eq!(buffer.to_vec()?, [7, 8, 2, 1, 2, u32::MAX]);
    Ok(())
}

#[test]
fn copies_of_another_length_or_device_are_refused() -> Result<()> {
    let fake = FakeCuda::new(Settings {
        devices: 2,
        ..Settings::default()
    });
    let mut buffer = fake.open().upload(&NUMBERS)?;
    let mut part = buffer.slice_mut(1..3)?;
    assert_eq!(
        sentence(part.copy_from(&[1])),
        "source has 1 elements, allowed are 2"
    );
    assert_eq!(
        sentence(part.copy_to(&mut [0; 6])),
        "target has 6 elements, allowed are 2"
    );
    let foreign = Device::open(DeviceChoice::Cuda(Some(1)))?.upload(&[1, 2, 3])?;
    assert_eq!(
        sentence(part.copy_from_view(&foreign)),
        "source has 3 elements, allowed are 2"
    );
    let refused = sentence(part.copy_from_view(foreign.slice(1..)?));
    assert!(
        refused.starts_with("argument `source` of kernel `copy` is a buffer of another device"),
        "{refused}"
    );
    assert_eq!(buffer.to_vec()?, NUMBERS);
    Ok(())
}

#[test]
fn a_launch_gets_the_address_and_the_length_of_a_part() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    let module = device.load(&artifact(BOTH))?;
    let input = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    let mut out = device.alloc_zeroed::<f32>(4)?;
    let shape = LaunchShape::new(1, 1);
    let part = input.slice(1..3)?;
    module.launch(kernels::scale, shape, (part, out.slice_mut(1..)?, 2.0))?;
    assert_eq!(out.to_vec()?, [0.0, 4.0, 6.0, 0.0]);
    let mut target = out.slice_mut(..2)?;
    module.launch(kernels::scale, shape, (&part, &mut target, 3.0))?;
    assert_eq!(out.to_vec()?, [6.0, 9.0, 6.0, 0.0]);
    let (from, mut to) = out.split_at_mut(2)?;
    module.launch(kernels::scale, shape, (&from, &mut to, 1.0))?;
    assert_eq!(out.to_vec()?, [6.0, 9.0, 6.0, 9.0]);
    // The contract counts the part's elements, not its buffer's.
    let refused = module.launch(kernels::scale, shape, (&input, out.slice_mut(1..)?, 2.0));
    let refused = sentence(refused);
    assert!(refused.contains("`out.len() >= input.len()"), "{refused}");
    Ok(())
}

#[test]
fn a_part_of_another_devices_buffer_is_refused_by_the_arguments_name() -> Result<()> {
    let fake = FakeCuda::new(Settings {
        devices: 2,
        ..Settings::default()
    });
    let device = fake.open();
    let module = device.load(&artifact(BOTH))?;
    let other = Device::open(DeviceChoice::Cuda(Some(1)))?;
    let input = device.upload(&[1.0f32])?;
    let mut foreign = other.alloc_zeroed::<f32>(2)?;
    let part = foreign.slice_mut(1..)?;
    let refused = module.launch(kernels::scale, LaunchShape::new(1, 1), (&input, part, 1.0));
    let refused = sentence(refused);
    assert!(
        refused.starts_with("argument `out` of kernel `scale` is a buffer of another device"),
        "{refused}"
    );
    Ok(())
}

/// As a library's function would be written.
fn copy<'a, 'b>(
    source: impl Into<View<'a, u32>>,
    target: impl Into<ViewMut<'b, u32>>,
) -> Result<()> {
    target.into().copy_from_view(source)
}

#[test]
fn functions_take_buffers_and_parts_alike() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    let mut source = device.upload(&NUMBERS)?;
    let mut target: Buffer<u32> = device.alloc_zeroed(6)?;
    copy(&source, &mut target)?;
    assert_eq!(target.to_vec()?, NUMBERS);
    target.fill_bytes(0)?;
    copy(source.slice(4..)?, target.slice_mut(1..3)?)?;
    assert_eq!(target.to_vec()?, [0, 14, 15, 0, 0, 0]);
    let mut part = target.slice_mut(3..)?;
    let view = source.slice(..3)?;
    let lent = &view;
    copy(lent, &mut part)?;
    copy(view, part.as_view_mut())?;
    assert_eq!(part.as_view().to_vec()?, [10, 11, 12]);
    let exclusive = source.slice_mut(3..)?;
    copy(&exclusive, &mut part)?;
    copy(exclusive, part)?;
    assert_eq!(target.to_vec()?, [0, 14, 15, 13, 14, 15]);
    copy(&mut source, target.as_view_mut())?;
    assert_eq!(target.to_vec()?, NUMBERS);
    Ok(())
}
