//! Opening devices, and their memory.

use quadscan::device::{Buffer, Device, DeviceChoice};
use quadscan::{Error, Result};

use crate::fake_cuda::{FakeCuda, Settings};
use crate::sentence;

#[test]
fn a_device_tells_what_the_driver_tells() {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    let properties = device.properties();
    assert_eq!(properties.name, "Fake GPU");
    assert_eq!(properties.kind, "cuda");
    assert_eq!(properties.compute_capability, (9, 0));
    assert_eq!(properties.driver_version, Some((13, 0)));
    assert_eq!(properties.sm_count, 132);
    assert_eq!(properties.max_block, [1024, 1024, 64]);
    assert_eq!(properties.max_shared_per_block_optin, 232_448);
    let memory = device.memory_info().expect("it tells");
    assert_eq!((memory.free, memory.total), (1 << 29, 1 << 30));
}

#[test]
fn closing_a_device_gives_back_its_stream_and_every_context_reference() {
    let fake = FakeCuda::new(Settings::default());
    drop(fake.open());
    assert_eq!(
        fake.log(&["retain", "release", "stream", "destroy"]),
        [
            "retain",
            "retain",
            "release",
            "stream flags=0",
            "destroy stream",
            "release"
        ]
    );
}

#[test]
fn a_number_beyond_the_last_device_is_refused_with_the_range() {
    let _fake = FakeCuda::new(Settings {
        devices: 2,
        ..Settings::default()
    });
    let error = Device::open(DeviceChoice::Cuda(Some(2)));
    assert_eq!(
        sentence(error),
        "no device: cuda:2 is not there, allowed are cuda:0 to cuda:1"
    );
}

#[test]
fn the_best_device_is_the_gpu_where_there_is_one() -> Result<()> {
    let _fake = FakeCuda::new(Settings::default());
    let (best, reason) = Device::open_best()?;
    assert_eq!((best.properties().kind, reason), ("cuda", None));
    assert!(best.properties().has_timer);
    assert_eq!(best.take_counts(), None, "a GPU does not count");
    let auto = Device::open(DeviceChoice::Auto)?;
    assert_eq!(auto.properties().name, "Fake GPU");
    Ok(())
}

#[test]
fn a_driver_without_a_gpu_is_no_device() {
    for settings in [
        Settings {
            devices: 0,
            ..Settings::default()
        },
        Settings {
            init: 100,
            ..Settings::default()
        },
    ] {
        let _fake = FakeCuda::new(settings);
        let error = Device::open(DeviceChoice::Cuda(None));
        assert_eq!(sentence(error), "no device: the NVIDIA driver finds no GPU");
    }
}

#[test]
fn a_driver_that_does_not_start_is_no_device_with_its_code() {
    let _fake = FakeCuda::new(Settings {
        init: 803,
        ..Settings::default()
    });
    let error = Device::open(DeviceChoice::Cuda(None)).expect_err("it does not start");
    assert!(!error.is_context_lost());
    assert_eq!(
        error.to_string(),
        "no device: the NVIDIA driver does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): \
         system has unsupported display driver / cuda driver combination"
    );
}

#[test]
fn a_code_that_cust_does_not_know_is_kept() {
    let _fake = FakeCuda::new(Settings {
        retain: 46,
        ..Settings::default()
    });
    assert_eq!(
        sentence(Device::open(DeviceChoice::Cuda(None))),
        "no device: the GPU cannot be used now: CUDA_ERROR_DEVICE_UNAVAILABLE (46): \
         CUDA-capable device(s) is/are busy or unavailable"
    );
}

#[test]
fn buffers_hold_what_was_put_in_and_are_freed_when_dropped() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    let mut a = device.upload(&[1u32, 2, 3])?;
    let mut b: Buffer<u32> = device.alloc_zeroed(3)?;
    assert_eq!(fake.live_allocations(), 2);
    assert_eq!(b.to_vec()?, [0, 0, 0]);
    b.copy_from_buffer(&a)?;
    assert_eq!(b.to_vec()?, [1, 2, 3]);
    a.fill_bytes(0xff)?;
    assert_eq!(a.to_vec()?, [u32::MAX; 3]);
    assert_eq!((a.len(), a.size()), (3, 12));
    drop((a, b));
    assert_eq!(fake.live_allocations(), 0);
    Ok(())
}

#[test]
fn a_buffer_of_nothing_takes_no_memory() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let mut empty = fake.open().upload::<f64>(&[])?;
    empty.fill_bytes(1)?;
    assert!(empty.is_empty() && empty.to_vec()?.is_empty());
    assert_eq!(fake.live_allocations(), 0);
    assert_ne!(empty.address(), 0);
    Ok(())
}

#[test]
fn copies_of_another_length_are_refused() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let mut buffer = fake.open().upload(&[1u8, 2, 3])?;
    assert_eq!(
        sentence(buffer.copy_from(&[1, 2])),
        "source has 2 elements, allowed are 3"
    );
    assert_eq!(
        sentence(buffer.copy_to(&mut [0; 4])),
        "target has 4 elements, allowed are 3"
    );
    Ok(())
}

#[test]
fn more_than_the_device_has_is_out_of_memory() {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    assert_eq!(
        sentence(device.alloc::<u8>(1 << 30)),
        "1073741824 bytes do not fit on Fake GPU, 536870912 bytes are free"
    );
    assert!(matches!(
        device.alloc::<u64>(usize::MAX),
        Err(Error::TooManyElements { .. })
    ));
}
