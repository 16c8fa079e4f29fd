//! The peers from libraries: CUB of the toolkit, and the one of a named folder; composite
//! rules in CUDA C++.

use std::path::{Path, PathBuf};
use std::thread;

use crate::peers::compiler::{Build, architecture, find_nvcc};

/// The libraries that can be had, built beside each other unless they were built before;
/// and why one cannot, a sentence each.
pub(super) fn build(
    peers: &Path,
    cub: Option<&Path>,
    out: PathBuf,
    capability: &str,
) -> (Vec<PathBuf>, Vec<String>) {
    let Some(nvcc) = find_nvcc() else {
        let problem = "--peers: nvcc is not on the path, so CUB is not timed".to_owned();
        return (Vec::new(), vec![problem]);
    };
    let toolkit = Build {
        nvcc,
        arch: architecture(capability),
        peers: peers.to_owned(),
        name: "scan",
        cub: None,
        out,
    };
    let named = cub.map(|folder| Build {
        cub: Some(folder.to_owned()),
        ..toolkit.clone()
    });
    let builds: Vec<Build> = [toolkit].into_iter().chain(named).collect();
    let built = thread::scope(|scope| {
        let started: Vec<_> = builds
            .iter()
            .map(|build| scope.spawn(|| build.library()))
            .collect();
        let panicked = |_| Err("the thread of a build panicked".to_owned());
        let ended = started
            .into_iter()
            .map(|job| job.join().unwrap_or_else(panicked));
        ended.collect::<Vec<_>>()
    });
    let (mut libraries, mut problems) = (Vec::new(), Vec::new());
    for library in built {
        match library {
            Ok(library) => libraries.push(library),
            Err(reason) => problems.push(format!("--peers: CUB is not timed: {reason}")),
        }
    }
    (libraries, problems)
}

/// The library of composite rules, built unless it was before; Err in one sentence.
pub(super) fn build_integrals(
    peers: &Path,
    out: PathBuf,
    capability: &str,
) -> Result<PathBuf, String> {
    let reason = |reason: &str| format!("--peers: rules in CUDA C++ are not timed: {reason}");
    let nvcc = find_nvcc().ok_or_else(|| reason("nvcc is not on the path"))?;
    let build = Build {
        nvcc,
        arch: architecture(capability),
        peers: peers.to_owned(),
        name: "integrate",
        cub: None,
        out,
    };
    build.library().map_err(|problem| reason(&problem))
}
