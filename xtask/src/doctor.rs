//! `cargo xtask doctor`: the requirements of a build and a GPU run, whether they are met, and
//! the remedies.
//!
//! Finding is separate from printing: [`findings`] asks the machine, the rest
//! is pure. What the device toolchain is, `cuda_builder` knows; what the
//! driver is, `libcuda-lazy` does.

use std::fmt::Write;
use std::process::{Command, ExitCode};

use cuda_builder::toolchain::{self, Toolchain};
use cuda_inspect::tools;

/// Something that quadscan can use.
#[derive(Debug)]
struct Finding {
    name: &'static str,
    need: Need,
    state: State,
}

/// What it is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Building, and everything that runs without a GPU: on the emulator.
    Always,
    /// Times of kernels.
    Gpu,
    /// A comparison or a closer look.
    Optional,
}

#[derive(Debug)]
enum State {
    /// Version, path.
    Found(String),
    /// What is wrong, and what mends it.
    Missing { problem: String, remedy: String },
}

impl State {
    fn missing(problem: impl Into<String>, remedy: impl Into<String>) -> State {
        State::Missing {
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let findings = findings();
    print!("{}", report(&findings));
    Ok(if can_build(&findings) {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Whether tables can be measured on this machine without a GPU.
fn can_build(findings: &[Finding]) -> bool {
    !findings.iter().any(|finding| {
        finding.need == Need::Always && matches!(finding.state, State::Missing { .. })
    })
}

fn report(findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding { name, need, state } in findings {
        // Writing to a String cannot fail.
        let _ = match (state, need) {
            (State::Found(what), _) => writeln!(text, "found    {name:<18} {what}"),
            (State::Missing { problem, remedy }, need) => {
                let verdict = if *need == Need::Always {
                    "MISSING"
                } else {
                    "absent"
                };
                writeln!(
                    text,
                    "{verdict:<8} {name:<18} {problem}\n{:27} -> {remedy}",
                    ""
                )
            }
        };
    }
    let has = |need| {
        !findings
            .iter()
            .any(|finding| finding.need == need && matches!(finding.state, State::Missing { .. }))
    };
    let verdict = match (has(Need::Always), has(Need::Gpu)) {
        (true, true) => "`cargo xtask bench` can run on the GPU.",
        (true, false) => {
            "`cargo xtask bench` can run on the emulator: results and counts, and no times."
        }
        (false, _) => {
            "`cargo xtask bench` cannot be built until everything marked MISSING is installed."
        }
    };
    let _ = writeln!(text, "\n{verdict}");
    text
}

fn findings() -> Vec<Finding> {
    let mut findings = vec![
        tool("cargo", Need::Always, RUST),
        tool("rustup", Need::Optional, RUST),
        tool("cc", Need::Always, LINKER),
    ];
    findings.extend(device_toolchain());
    findings.push(driver());
    findings.push(gpu());
    findings.extend([
        tool("nvcc", Need::Optional, "a CUDA toolkit, to time the peers"),
        tool("ptxas", Need::Optional, PTXAS),
        tool("ncu", Need::Optional, "Nsight Compute, to profile kernels"),
        tool("compute-sanitizer", Need::Optional, SANITIZER),
    ]);
    findings
}

const RUST: &str = "install Rust from https://rustup.rs";
const LINKER: &str = "install a C compiler, which Rust links with (Debian: apt install gcc)";
const PTXAS: &str = "a CUDA toolkit or the PyPI package nvidia-cuda-nvcc, to see registers";
const SANITIZER: &str = "a CUDA toolkit, to check kernels for races and bad accesses";
const DRIVER: &str = "install the NVIDIA driver, or run `cargo xtask bundle` and take \
                      the folder to a machine that has it";
const GPU: &str = "with a GPU in the machine, see what `nvidia-smi` says; without one, \
                   nothing is amiss";

/// The toolchain that builds kernels, by its parts.
fn device_toolchain() -> [Finding; 4] {
    let status = toolchain::status();
    let setup = "cargo xtask setup";
    let part = |name, what: &dyn Fn(&Toolchain) -> String| Finding {
        name,
        need: Need::Always,
        state: match &status.toolchain {
            Ok(toolchain) => State::Found(what(toolchain)),
            Err(_) => State::missing("comes with the device toolchain", setup),
        },
    };
    let mut whole = part("device toolchain", &|toolchain| {
        let warning = toolchain.warning.as_deref();
        let warning = warning
            .map(|warning| format!("; {warning}"))
            .unwrap_or_default();
        format!("{}: rustc {}{warning}", toolchain.name, toolchain.rustc)
    });
    if let Err(error) = &status.toolchain {
        whole.state = State::missing(error.to_string(), setup);
    }
    let packages = if status.packages_fetched {
        State::Found("building core works offline".into())
    } else {
        State::missing("not all on this machine", setup)
    };
    [
        whole,
        // A toolchain without rust-src is not found at all.
        part("rust-src", &|toolchain| format!("of {}", toolchain.name)),
        part("libLLVM", &|toolchain| {
            format!("{} ({})", toolchain.llvm, toolchain.llvm_library.display())
        }),
        Finding {
            name: "core's packages",
            need: Need::Always,
            state: packages,
        },
    ]
}

fn driver() -> Finding {
    let state = match libcuda_lazy::status() {
        Ok(driver) => State::Found(format!(
            "CUDA {}.{} ({})",
            driver.cuda.0, driver.cuda.1, driver.library
        )),
        Err(error) => State::missing(error.to_string(), DRIVER),
    };
    Finding {
        name: "driver",
        need: Need::Gpu,
        state,
    }
}

/// The GPUs as the driver's own tool lists them.
fn gpu() -> Finding {
    let query = "--query-gpu=name,compute_cap,memory.total,driver_version";
    let list = tools::find("nvidia-smi")
        .and_then(|path| {
            Command::new(path)
                .args([query, "--format=csv,noheader"])
                .output()
                .ok()
        })
        .filter(|output| output.status.success())
        .map(|output| {
            String::from_utf8_lossy(&output.stdout)
                .trim()
                .replace('\n', "; ")
        })
        .filter(|list| !list.is_empty());
    let state = match list {
        Some(list) => State::Found(list),
        None => State::missing("nvidia-smi lists none", GPU),
    };
    Finding {
        name: "GPU",
        need: Need::Gpu,
        state,
    }
}

/// A program found on the path or in a CUDA toolkit, with its version.
fn tool(name: &'static str, need: Need, remedy: &str) -> Finding {
    let state = match tools::find(name) {
        None => State::missing(
            "not on the path, nor in a CUDA toolkit, nor among the packages of python3",
            remedy,
        ),
        Some(path) => match Command::new(&path).arg("--version").output() {
            Ok(output) if output.status.success() => {
                let output = String::from_utf8_lossy(&output.stdout);
                State::Found(format!("{} ({})", version(&output), path.display()))
            }
            Ok(output) => State::missing(
                format!("{} --version failed ({})", path.display(), output.status),
                remedy,
            ),
            Err(error) => State::missing(
                format!("{} does not start: {error}", path.display()),
                remedy,
            ),
        },
    };
    Finding { name, need, state }
}

/// The line that names the version: NVIDIA's tools open with a copyright.
fn version(output: &str) -> &str {
    output
        .lines()
        .map(str::trim)
        .find(|line| line.contains("release ") || line.starts_with("Version "))
        .or(output.lines().next())
        .unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(need: Need, found: bool) -> Finding {
        let state = if found {
            State::Found("1.0".into())
        } else {
            State::missing("gone", "get it")
        };
        Finding {
            name: "thing",
            need,
            state,
        }
    }

    #[test]
    fn a_machine_without_a_gpu_can_build_and_one_without_a_toolchain_cannot() {
        let no_gpu = [
            finding(Need::Always, true),
            finding(Need::Gpu, false),
            finding(Need::Optional, false),
        ];
        assert!(can_build(&no_gpu));
        assert!(report(&no_gpu).ends_with("results and counts, and no times.\n"));
        let no_toolchain = [finding(Need::Always, false), finding(Need::Gpu, true)];
        assert!(!can_build(&no_toolchain));
        assert!(report(&no_toolchain).contains("MISSING"));
    }

    #[test]
    fn what_is_missing_comes_with_what_to_do_about_it() {
        let text = report(&[finding(Need::Optional, false)]);
        assert!(
            text.contains("gone\n") && text.contains("-> get it\n"),
            "{text}"
        );
    }

    #[test]
    fn versions_are_found_behind_a_copyright() {
        let nvcc = "nvcc: NVIDIA (R) Cuda compiler driver\nCopyright\n\
                    Cuda compilation tools, release 13.0, V13.0.48\n";
        assert_eq!(
            version(nvcc),
            "Cuda compilation tools, release 13.0, V13.0.48"
        );
        assert_eq!(
            version("cargo 1.95.0 (f2d3ce0bd)\n"),
            "cargo 1.95.0 (f2d3ce0bd)"
        );
        assert_eq!(version(""), "");
    }

    #[test]
    fn a_tool_that_does_not_exist_is_missing() {
        let state = tool("no-such-tool-anywhere", Need::Optional, "nothing").state;
        assert!(matches!(state, State::Missing { .. }));
    }
}
