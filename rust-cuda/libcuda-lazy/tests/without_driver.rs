//! What calls answer on a machine without a driver.

use std::ffi::{CStr, c_char};
use std::ptr;
use std::sync::Once;

use libcuda_lazy::LoadError;

unsafe extern "C" {
    fn cuInit(flags: u32) -> i32;
    fn cuDriverGetVersion(version: *mut i32) -> i32;
    fn cuGetErrorString(error: i32, text: *mut *const c_char) -> i32;
}

const ABSENT: &str = "/nonexistent/libcuda.so.1";

fn no_driver() {
    static SET: Once = Once::new();
    SET.call_once(|| {
        // SAFETY: every test of this program waits here before it reads the
        // environment.
        unsafe { std::env::set_var(libcuda_lazy::LIBRARY_VARIABLE, ABSENT) };
    });
}

#[test]
fn every_call_answers_not_initialized_and_changes_nothing() {
    no_driver();
    let mut version = -1;
    for _ in 0..2 {
        // SAFETY: the driver's signatures.
        unsafe {
            assert_eq!(cuInit(0), 3);
            assert_eq!(cuDriverGetVersion(&mut version), 3);
        }
    }
    assert_eq!(version, -1);
    assert!(libcuda_lazy::missing_functions().is_empty());
}

#[test]
fn status_says_in_one_sentence_why() {
    no_driver();
    let error = libcuda_lazy::status().expect_err("there is no driver");
    assert!(matches!(error, LoadError::NotFound { .. }));
    let sentence = error.to_string();
    assert!(
        sentence.starts_with(
            "the NVIDIA driver library /nonexistent/libcuda.so.1 could not be loaded ("
        ),
        "{sentence}"
    );
    assert!(sentence.contains("No such file"), "{sentence}");
    assert!(!sentence.contains('\n'), "{sentence}");
}

#[test]
fn an_error_can_be_printed_without_a_driver() {
    no_driver();
    let mut text = ptr::null();
    // SAFETY: the driver's signature.
    assert_eq!(unsafe { cuGetErrorString(3, &mut text) }, 0);
    assert!(!text.is_null());
    // SAFETY: on success the text is a C string that stays.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
    assert!(text.contains("could not be loaded"), "{text}");
}
