//! Without a toolchain there is one sentence. A process of its own, because
//! the test changes the environment.

use cuda_builder::{CudaBuilder, CudaBuilderError, toolchain};

#[test]
fn a_missing_toolchain_is_one_sentence_that_names_the_command() {
    let empty = tempfile::tempdir().unwrap();
    // SAFETY: this process has one test, and no other thread reads the environment.
    unsafe { std::env::set_var("RUSTUP_HOME", empty.path()) };
    let error = CudaBuilder::new("kernels").build().unwrap_err();
    assert!(matches!(error, CudaBuilderError::NoToolchain { .. }));
    let text = error.to_string();
    assert!(text.contains(toolchain::INSTALL_COMMAND), "{text}");
    assert_eq!(text.lines().count(), 1);

    let text = CudaBuilder::new("kernels")
        .setup_command("make tools")
        .build()
        .unwrap_err()
        .to_string();
    assert!(text.ends_with("run `make tools`"), "{text}");
    assert!(!toolchain::status().packages_fetched);

    // SAFETY: as above.
    unsafe { std::env::set_var(toolchain::VARIABLE, "nightly-2020-01-01") };
    let text = CudaBuilder::new("kernels").build().unwrap_err().to_string();
    assert!(
        text.contains("rustup toolchain install nightly-2020-01-01"),
        "{text}"
    );
}
