//! Every subject's statement, on every device: `subjects cuda::` on a GPU.

use std::process::ExitCode;

use quadscan_tests::suite;

fn main() -> ExitCode {
    suite::main_with(
        suite::DEVICES,
        &rust_cuda_tests::statements::all(),
        rust_cuda_tests::open,
    )
}
