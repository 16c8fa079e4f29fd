//! Every subject's test, on every device: `subjects cuda::` on a GPU; `subjects
//! ptx` prints the folder of their PTX.

use std::process::ExitCode;

use quadscan_tests::{kernels, suite};

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("ptx") {
        return kernels::print_folder(rust_cuda_tests::folder());
    }
    suite::main_with(
        suite::DEVICES,
        &rust_cuda_tests::conformance::all(),
        rust_cuda_tests::open,
    )
}
