//! Tells the program which revision of the checkout it is.

use std::path::Path;
use std::process;

/// Hands the checkout's revision to the program as `QUADSCAN_GIT_REVISION`, where
/// there is a checkout. Its log has a new line after every commit and checkout.
fn main() {
    let git = |arguments: &[&str]| {
        let output = process::Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    let Some(revision) = git(&["rev-parse", "HEAD"]) else {
        return;
    };
    println!("cargo::rustc-env=QUADSCAN_GIT_REVISION={revision}");
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
}
