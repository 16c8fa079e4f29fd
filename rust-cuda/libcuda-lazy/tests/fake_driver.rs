//! The functions pass arguments and results through unchanged, on the first
//! call and on later ones.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock};

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
    #[allow(clippy::too_many_arguments)]
    fn cuProfilerInitialize(
        i0: u64,
        i1: u64,
        i2: u64,
        i3: u64,
        i4: u64,
        i5: u64,
        i6: u64,
        i7: u64,
        f0: f64,
        f1: f64,
        f2: f64,
        f3: f64,
        f4: f64,
        f5: f64,
        f6: f64,
        f7: f64,
        f8: f64,
        f9: f64,
        i8: u64,
    ) -> i32;
    fn cuTexRefSetMipmapLevelBias(reference: u64, bias: f32) -> i32;
}

/// Builds the fake driver once and puts it in the driver's place. The guard
/// keeps the tests from mixing their records.
fn fake_driver() -> MutexGuard<'static, ()> {
    static BUILT: OnceLock<tempfile::TempDir> = OnceLock::new();
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let guard = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let library = folder.path().join("libfake_driver.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fake_driver.rs");
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let status = Command::new(rustc)
            .args(["--edition=2024", "-o"])
            .args([&library, &source])
            .status()
            .expect("rustc runs");
        assert!(status.success(), "the fake driver does not compile");
        // SAFETY: every test of this program comes through here before it
        // reads the environment, and the lock lets one through at a time.
        unsafe { std::env::set_var(libcuda_lazy::LIBRARY_VARIABLE, &library) };
        folder
    });
    guard
}

/// What the fake driver's last function was given.
fn recorded() -> Vec<u64> {
    let address = libcuda_lazy::symbol("fakeRecorded").expect("the fake driver has it");
    let mut values = [0; 64];
    // SAFETY: the fixture's signature, and there is room for 64 values.
    let count = unsafe {
        let read: unsafe extern "C" fn(*mut u64, usize) -> usize = std::mem::transmute(address);
        read(values.as_mut_ptr(), values.len())
    };
    let (alignment, values) = values[..count].split_first().expect("a recorded call");
    assert_eq!(*alignment, 0, "the stack is aligned to 16 bytes");
    values.to_vec()
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
fn all_integer_and_float_registers_survive_the_first_call() {
    let _guard = fake_driver();
    for call in 0..2 {
        let base = f64::from(call) + 0.5;
        let floats: [f64; 10] = std::array::from_fn(|i| base * 10f64.powi(i as i32));
        let [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9] = floats;
        // SAFETY: the fixture's signature.
        let result = unsafe {
            cuProfilerInitialize(
                10, 11, 12, 13, 14, 15, 16, 17, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, 18,
            )
        };
        assert_eq!(result, -1);
        let expected = [
            &[10, 11, 12, 13, 14, 15, 16, 17][..],
            &floats.map(f64::to_bits),
            &[18],
        ]
        .concat();
        assert_eq!(recorded(), expected);
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
