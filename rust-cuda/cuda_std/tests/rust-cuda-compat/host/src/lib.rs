//! What the programs have in common: the kernels' PTX, and how a program ends.

use std::error::Error;
use std::process::ExitCode;

// The driver's functions that `cust` calls.
use libcuda_lazy as _;

pub static PTX: &str = include_str!("../resources/kernels.ptx");

/// Prints what went wrong, in words; without a driver, the reason.
pub fn ended(outcome: Result<(), Box<dyn Error>>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
