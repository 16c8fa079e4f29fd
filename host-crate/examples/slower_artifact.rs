//! Writes the artifact of this program with a kernel slowed on purpose, to see
//! whether a comparison finds it:
//!
//! ```sh
//! cargo run -p quadscan --example slower_artifact -- target/slower 3
//! quadscan bench sweep-f64 --save before
//! quadscan bench sweep-f64 --artifact target/slower --baseline before
//! ```
//!
//! An addition stands behind every third (second, ...) square root of
//! `trapezoid_f64_dyadic`; the sums keep their bits.

#[path = "../tests/common/slower.rs"]
mod slower;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let every = |text: String| text.parse().ok().filter(|&every: &usize| every > 0);
    let (Some(folder), Some(every)) = (arguments.next(), arguments.next().and_then(every)) else {
        eprintln!("usage: slower_artifact DIR EVERY, such as target/slower 3");
        return ExitCode::from(2);
    };
    match slower::write(folder.as_ref(), every) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {folder}: {e}");
            ExitCode::from(2)
        }
    }
}
