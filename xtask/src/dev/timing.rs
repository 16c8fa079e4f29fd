//! Where a GPU is there: the kernel's row of the table `kernels`, beside a baseline.
//!
//! `quadscan bench` does it, in release and without kernels of its own: the PTX is the
//! round's. The first times that there are become the baseline; what was slower, and whether
//! by more than noise, is the comparison's word.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::{bench, cargo};

/// The baseline's name.
const BASELINE: &str = "dev";

/// Processes that measure: fewer than `bench` takes, since somebody waits.
const PROCESSES: &str = "4";

/// What came of it.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub(super) code: u8,
    pub(super) text: String,
}

/// Whether a kernel has a row, and this machine a GPU.
pub(super) fn is_possible(kernel: &str) -> bool {
    let row = format!("host-crate/src/kernels/{kernel}.rs");
    cargo::root().join(row).is_file() && libcuda_lazy::status().is_ok()
}

/// Times a kernel of an artifact, and keeps that in `folder`; against the baseline there,
/// which is taken anew when `anew`.
pub(super) fn times(
    kernel: &str,
    artifact: &Path,
    folder: &Path,
    anew: bool,
) -> anyhow::Result<Times> {
    let quadscan = bench::program(&["--release", "--no-default-features"])?;
    let baseline = folder.join("baselines").join(format!("{BASELINE}.jsonl"));
    let compares = baseline.is_file() && !anew;
    let role = if compares { "--baseline" } else { "--save" };
    let output = Command::new(&quadscan.path)
        .args(["bench", "kernels", "--kernels", kernel, "--quick"])
        .args(["--device", "cuda", "--processes", PROCESSES, role, BASELINE])
        .arg("--artifact")
        .arg(artifact)
        .arg("--out")
        .arg(folder)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{} could not be started", quadscan.path.display()))?;
    let code = output
        .status
        .code()
        .and_then(|code| u8::try_from(code).ok());
    let mut text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    if code != Some(0) {
        text = format!("{}\n{text}", said.trim());
    }
    if !compares && code == Some(0) {
        text.push_str("\nthese times are the baseline from now on");
    }
    Ok(Times {
        code: code.unwrap_or(1),
        text,
    })
}
