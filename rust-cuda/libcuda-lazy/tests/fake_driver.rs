//! The functions pass arguments and results through unchanged, on the first
//! call and on later ones.

mod fixtures;

use fixtures::{fake_driver, recorded};
use libcuda_lazy::LoadError;

unsafe extern "C" {
    fn cuInit(flags: u32) -> i32;
    fn cuDeviceGetCount(count: *mut i32) -> i32;
    #[allow(clippy::too_many_arguments)]
    fn cuLaunchKernel(
        function: u64,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared_bytes: u32,
        stream: u64,
        parameters: u64,
        extra: u64,
    ) -> i32;
    fn cuTexRefSetMipmapLevelBias(reference: u64, bias: f32) -> i32;
}

#[test]
fn eleven_arguments_and_the_result_pass_through_unchanged() {
    let _guard = fake_driver();
    // The first call resolves the function, the others jump straight to it.
    for call in 0..3u64 {
        let (wide, narrow) = (u64::MAX - call, u32::MAX - call as u32);
        // SAFETY: the fixture's signature.
        let result = unsafe {
            cuLaunchKernel(
                wide,
                narrow,
                2,
                3,
                4,
                5,
                6,
                narrow,
                8,
                wide,
                0x0123_4567_89ab_cdef,
            )
        };
        assert_eq!(result, 719);
        let narrow = narrow.into();
        assert_eq!(
            recorded(),
            [
                wide,
                narrow,
                2,
                3,
                4,
                5,
                6,
                narrow,
                8,
                wide,
                0x0123_4567_89ab_cdef
            ]
        );
    }
}

#[test]
fn a_float_argument_passes_through_unchanged() {
    let _guard = fake_driver();
    // SAFETY: the fixture's signature.
    let result = unsafe { cuTexRefSetMipmapLevelBias(7, -0.75) };
    assert_eq!(result, 0);
    assert_eq!(recorded(), [7, (-0.75f32).to_bits().into()]);
}

#[test]
fn many_threads_may_make_the_first_call_together() {
    let _guard = fake_driver();
    let barrier = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                barrier.wait();
                // SAFETY: the fixture's signature.
                assert_eq!(unsafe { cuInit(0) }, 0);
            });
        }
    });
}

#[test]
fn a_function_that_the_library_lacks_answers_not_found_and_is_named() {
    let _guard = fake_driver();
    let mut count = -1;
    // SAFETY: the driver's signature; the fake driver has no such function.
    assert_eq!(unsafe { cuDeviceGetCount(&mut count) }, 500);
    assert_eq!(count, -1);
    assert_eq!(libcuda_lazy::missing_functions(), ["cuDeviceGetCount"]);
}

#[test]
fn status_tells_the_library_and_the_cuda_version() {
    let _guard = fake_driver();
    let driver = libcuda_lazy::status().expect("the fake driver is one");
    assert_eq!(driver.cuda, (12, 8));
    assert!(driver.library.ends_with("libfake_driver.so"));
}

#[test]
fn a_symbol_beyond_the_list_is_found_or_named() {
    let _guard = fake_driver();
    assert!(libcuda_lazy::symbol("fakeRecorded").is_ok());
    let error = libcuda_lazy::symbol("cuLaunchKernelEx").expect_err("the fake lacks it");
    assert!(matches!(error, LoadError::MissingSymbol { .. }));
    assert!(
        error
            .to_string()
            .contains("has no function cuLaunchKernelEx")
    );
}
