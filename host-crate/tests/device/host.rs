//! Memory of the host that the driver keeps in place.

use quadscan::device::{Device, DeviceChoice};
use quadscan::{Error, Result};

use crate::fake_cuda::{FakeCuda, Settings};
use crate::sentence;

fn is_shared_by_threads<T: Send + Sync>(_: &T) {}

#[test]
fn host_memory_is_a_slice_of_zeros_that_copies_take() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    let mut numbers = device.alloc_host::<u32>(5)?;
    is_shared_by_threads(&numbers);
    assert_eq!(*numbers, [0; 5]);
    assert_eq!(numbers.as_ptr() as usize % 4096, 0);
    numbers.copy_from_slice(&[1, 2, 3, 4, 5]);
    let mut buffer = device.upload(&numbers)?;
    numbers.fill(0);
    buffer.slice(1..3)?.copy_to(&mut numbers[..2])?;
    assert_eq!(*numbers, [2, 3, 0, 0, 0]);
    buffer.copy_from(&numbers)?;
    assert_eq!(buffer.to_vec()?, [2, 3, 0, 0, 0]);
    drop(numbers);
    assert_eq!(fake.log(&["host"]), ["host alloc 20", "host free"]);
    Ok(())
}

#[test]
fn host_memory_of_nothing_is_none() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let nothing = fake.open().alloc_host::<f64>(0)?;
    assert!(nothing.is_empty());
    drop(nothing);
    assert!(fake.log(&["host"]).is_empty());
    Ok(())
}

#[test]
fn more_host_memory_than_there_is_is_refused() {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    assert_eq!(
        sentence(device.alloc_host::<u8>(1 << 40)),
        "the host cannot page-lock 1099511627776 bytes"
    );
    assert!(matches!(
        device.alloc_host::<u64>(usize::MAX),
        Err(Error::TooManyElements { .. })
    ));
}

#[test]
fn host_memory_that_is_dropped_while_work_is_recorded_spoils_no_recording() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    let numbers = device.alloc_host::<u32>(4)?;
    let graph = device.capture(|| {
        drop(numbers);
        Ok(())
    })?;
    assert!(fake.log(&["host free"]).is_empty());
    drop(graph);
    assert_eq!(fake.log(&["host free"]).len(), 1);
    Ok(())
}

#[test]
fn host_memory_cannot_be_had_while_work_is_recorded() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    for device in [
        fake.open(),
        Device::open(DeviceChoice::Emulator { schedule: None })?,
    ] {
        let refused = device.capture(|| device.alloc_host::<u32>(4).map(drop));
        assert!(refused.is_err());
        assert_eq!(*device.alloc_host::<u32>(4)?, [0; 4]);
    }
    Ok(())
}
