//! A library that is not the driver, in the driver's place.

use libcuda_lazy::LoadError;

#[test]
fn a_library_without_the_drivers_functions_is_refused() {
    // SAFETY: the only test of this program, before any thread reads the environment.
    unsafe { std::env::set_var(libcuda_lazy::LIBRARY_VARIABLE, "libc.so.6") };
    let error = libcuda_lazy::status().expect_err("libc is no driver");
    assert!(matches!(error, LoadError::NotADriver { .. }));
    assert_eq!(
        error.to_string(),
        "libc.so.6 is not a usable CUDA driver library (it has no function cuInit)"
    );
}
