//! Where a GPU is there: a kernel's times, beside those of before.
//!
//! `quadscan time` does it, which a bundle has too, in release and without kernels of its own:
//! the PTX is the round's. Which rows time a kernel, which times are the baseline, and whether
//! something is slower by more than noise, is its word.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::bench;

/// What came of it.
#[derive(Clone, Debug)]
pub(super) struct Times {
    pub(super) code: u8,
    pub(super) text: String,
}

/// Whether this machine has a GPU.
pub(super) fn is_possible() -> bool {
    libcuda_lazy::status().is_ok()
}

/// Times a kernel of an artifact, and keeps that in `folder`; against the baseline there,
/// which is taken anew when `anew`.
pub(super) fn times(
    kernel: &str,
    artifact: &Path,
    folder: &Path,
    anew: bool,
) -> anyhow::Result<Times> {
    let quadscan = bench::without_kernels(&["--release"])?;
    run(&quadscan.path, kernel, artifact, folder, anew)
}

fn run(
    quadscan: &Path,
    kernel: &str,
    artifact: &Path,
    folder: &Path,
    anew: bool,
) -> anyhow::Result<Times> {
    let mut time = Command::new(quadscan);
    time.args(["time", kernel, "--artifact"]).arg(artifact);
    time.arg("--out").arg(folder);
    if anew {
        time.arg("--new-baseline");
    }
    let output = time
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{} could not be started", quadscan.display()))?;
    let code = output.status.code();
    let code = code.and_then(|code| u8::try_from(code).ok());
    let mut text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    match code {
        Some(0) => {}
        // That no table has it, or that the driver is too old, is no mistake of the kernel's.
        Some(2) => {
            let text = format!("not timed: {}", said.trim().trim_start_matches("error: "));
            return Ok(Times { code: 0, text });
        }
        _ => text = format!("{}\n{text}", said.trim()),
    }
    Ok(Times {
        code: code.unwrap_or(1),
        text,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// What is made of a program that says and ends so, and what it was asked.
    fn of(script: &str, anew: bool) -> (Times, String) {
        let here = tempfile::tempdir().expect("a temporary folder");
        let program = here.path().join("quadscan");
        let text = format!(
            "#!/bin/sh\necho \"$@\" > {}/asked\n{script}\n",
            here.path().display()
        );
        std::fs::write(&program, text).expect("written");
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).expect("it is ours");
        let times = run(
            &program,
            "scale",
            Path::new("ptx"),
            Path::new("times"),
            anew,
        );
        let asked = std::fs::read_to_string(here.path().join("asked")).expect("it was run");
        (times.expect("it runs"), asked.trim().to_owned())
    }

    #[test]
    fn the_program_of_a_bundle_is_asked() {
        let (times, asked) = of("echo faster", false);
        assert_eq!(asked, "time scale --artifact ptx --out times");
        assert_eq!((times.code, times.text.as_str()), (0, "faster"));
        let (_, asked) = of("", true);
        assert_eq!(
            asked,
            "time scale --artifact ptx --out times --new-baseline"
        );
    }

    #[test]
    fn what_is_slower_fails_and_what_cannot_be_timed_is_told() {
        let (times, _) = of("echo slower; echo device >&2; exit 1", false);
        assert_eq!((times.code, times.text.as_str()), (1, "device\nslower"));
        let (times, _) = of("echo 'error: the driver is too old' >&2; exit 2", false);
        let said = "not timed: the driver is too old";
        assert_eq!((times.code, times.text.as_str()), (0, said));
    }
}
