//! What the device layer says and takes on a machine without a driver.

use quadscan::Error;
use quadscan::device::{Device, DeviceChoice};

/// The sentence after `no device: `.
const REASON: &str = "the NVIDIA driver library /nonexistent/libcuda.so.1 could not be loaded \
    (/nonexistent/libcuda.so.1: cannot open shared object file: No such file or directory)";

#[test]
fn a_cuda_device_is_refused_in_one_sentence_and_the_best_one_is_the_emulator() {
    // SAFETY: the only test of this program, before any thread reads the environment.
    unsafe { std::env::set_var(libcuda_lazy::LIBRARY_VARIABLE, "/nonexistent/libcuda.so.1") };
    for choice in [DeviceChoice::Cuda(None), DeviceChoice::Cuda(Some(3))] {
        let error = Device::open(choice).expect_err("there is no driver");
        assert!(matches!(error, Error::NoDevice { .. }));
        assert!(!error.is_context_lost());
        assert_eq!(
            error.to_string(),
            "no device: the NVIDIA driver library /nonexistent/libcuda.so.1 could not be loaded \
             (/nonexistent/libcuda.so.1: cannot open shared object file: No such file or directory)"
        );
    }
    let (best, reason) = Device::open_best().expect("the emulator is everywhere");
    assert_eq!(best.properties().kind, "emulator");
    assert_eq!(reason.as_deref(), Some(REASON));
    let auto = Device::open(DeviceChoice::Auto).expect("the emulator is everywhere");
    assert_eq!(auto.properties().name, "H200 (emulated)");
}
