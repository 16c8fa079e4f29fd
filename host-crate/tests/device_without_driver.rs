//! What the device layer says on a machine without a driver.

use quadscan::Error;
use quadscan::device::{Device, DeviceChoice};

#[test]
fn opening_a_device_says_in_one_sentence_why_there_is_none() {
    // SAFETY: the only test of this program, before any thread reads the environment.
    unsafe { std::env::set_var(libcuda_lazy::LIBRARY_VARIABLE, "/nonexistent/libcuda.so.1") };
    for choice in [
        DeviceChoice::Auto,
        DeviceChoice::Cuda(None),
        DeviceChoice::Cuda(Some(3)),
    ] {
        let error = Device::open(choice).expect_err("there is no driver");
        assert!(matches!(error, Error::NoDevice { .. }));
        assert_eq!(error.exit_code(), 2);
        assert!(!error.is_context_lost());
        assert_eq!(
            error.to_string(),
            "no device: the NVIDIA driver library /nonexistent/libcuda.so.1 could not be loaded \
             (/nonexistent/libcuda.so.1: cannot open shared object file: No such file or directory)"
        );
    }
}
