//! Writes the artifact of this program with a kernel slowed on purpose, to see
//! whether a comparison finds it:
//!
//! ```sh
//! cargo run -p quadscan-bench --example slower_artifact -- target/slower 60
//! quadscan bench sweep-f64 --save before
//! quadscan bench sweep-f64 --artifact target/slower --baseline before
//! ```
//!
//! An addition stands behind 60 percent of the square roots of `trapezoid_f64_dyadic`;
//! the sums keep their bits. On an H200 50 percent cost 1.9 % of the time and 100
//! percent 7 % (median of 16 shapes, 2026-11-21).

#[path = "../tests/common/slower.rs"]
mod slower;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let share = |text: String| text.parse().ok().filter(|p: &usize| (1..=100).contains(p));
    let (Some(folder), Some(percent)) = (arguments.next(), arguments.next().and_then(share)) else {
        eprintln!(
            "usage: slower_artifact DIR PERCENT, such as target/slower 60; PERCENT of the roots, 1 to 100"
        );
        return ExitCode::from(2);
    };
    match slower::write(folder.as_ref(), percent) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {folder}: {e}");
            ExitCode::from(2)
        }
    }
}
