//! What is timed beside our kernels: the quarter circle in CUDA C++ (`kernels`), CUB and
//! composite rules in CUDA C++ (`libraries`), CuPy and PyTorch (`packages`), SciPy
//! (`integrators`). What cannot be had is a sentence for those who asked for it.

mod integrators;
mod kernels;
mod libraries;
mod packages;

use std::path::{Path, PathBuf};

use super::console::Console;
use super::request::Request;
use super::run::Measuring;
use crate::peers::FOLDER;
use crate::peers::arrays::Timed;
use crate::record::{DeviceInfo, Key, PeerTime};
use crate::tables::{Libraries, Table};
use crate::worker::protocol::{Peer, Task};

use integrators::Integrators;
use kernels::Kernels;

/// The peers of a run.
#[derive(Default)]
pub(super) struct Peers {
    kernels: Option<Kernels>,
    libraries: Vec<PathBuf>,
    integrals: Vec<PathBuf>,
    packages: Vec<Timed>,
    integrators: Integrators,
    /// The Python that was asked for.
    python: Option<PathBuf>,
}

/// The peers that can be had of those that the tables have a place for, and sentences for
/// those who asked for them.
pub(super) fn open(
    request: &Request,
    device: &Measuring,
    console: &mut dyn Console,
) -> (Peers, Vec<String>) {
    let asked = request.peers.is_some() || request.python.is_some();
    let nothing = |reason: &str| (Peers::default(), vec![reason.to_owned()]);
    let have = |has: fn(&dyn Table) -> bool| request.tables.iter().any(|(table, _)| has(*table));
    let (has_kernels, has_libraries) = (
        have(|table| table.has_peer()),
        have(|table| table.libraries().is_some()),
    );
    let info = match device.info() {
        _ if request.published && asked => {
            return nothing("--peers has no effect beside --published, which has no column for it");
        }
        _ if !has_kernels && !has_libraries && asked => {
            return nothing("--peers has no effect on these tables");
        }
        Some(info) if info.is_emulated() && asked => {
            return nothing("--peers has no effect on the emulator, which has no times");
        }
        Some(info) if !info.is_emulated() && !request.published => info,
        // Said already, or not asked for.
        _ => return (Peers::default(), Vec::new()),
    };
    let (mut peers, mut notices) = (Peers::default(), Vec::new());
    if has_kernels {
        let found = peers.find_kernels(request, info);
        notices.extend(found.err().filter(|_| request.peers.is_some()));
    }
    if has_libraries {
        notices.extend(peers.open_libraries(request, info, console));
    }
    (peers, notices)
}

impl Peers {
    fn find_kernels(&mut self, request: &Request, info: &DeviceInfo) -> Result<(), String> {
        let folder = request.peers.as_deref().unwrap_or(Path::new(FOLDER));
        let out = request.out.join("peers");
        self.kernels = Some(Kernels::find(folder, out, &info.compute_capability)?);
        Ok(())
    }

    /// Those of the tables that are asked for, and sentences for whoever asked.
    fn open_libraries(
        &mut self,
        request: &Request,
        info: &DeviceInfo,
        console: &mut dyn Console,
    ) -> Vec<String> {
        let has = |of| {
            let mut tables = request.tables.iter();
            tables.any(|(table, _)| table.libraries() == Some(of))
        };
        let (arrays, integrals) = (has(Libraries::Arrays), has(Libraries::Integrals));
        let folder = request.peers.as_deref().unwrap_or(Path::new(FOLDER));
        let out = request.out.join("peers");
        let capability = &info.compute_capability;
        let mut said = Vec::new();
        if request.peers.is_some() && arrays {
            console.milestone("building CUB's scans, unless they are built");
            let built = libraries::build(folder, request.cub.as_deref(), out.clone(), capability);
            self.libraries = built.0;
            said.extend(built.1);
        }
        if request.peers.is_some() && has(Libraries::Integral) {
            console.milestone("building rules in CUDA C++, unless they are built");
            match libraries::build_integrals(folder, out, capability) {
                Ok(library) => self.integrals.push(library),
                Err(reason) => said.push(reason),
            }
        }
        let Some(python) = &request.python else {
            if request.peers.is_some() && integrals {
                said.push("--peers: SciPy is not timed: no --python names one that has it".into());
            }
            return said;
        };
        self.python = Some(python.clone());
        if arrays {
            console.milestone("timing CuPy and PyTorch");
            let timed = packages::time(request, folder, python);
            self.packages = timed.0;
            said.extend(timed.1);
        }
        if integrals {
            console.milestone("timing SciPy");
            let timed = integrators::time(request, folder, python);
            self.integrators = timed.0;
            said.extend(timed.1);
        }
        if !arrays && !integrals {
            said.push("--python has no effect on these tables".to_owned());
        }
        said
    }

    /// What they are built from, by what and for what: other peers have another
    /// description.
    pub(super) fn describe(&self) -> String {
        let kernels = self.kernels.iter().map(Kernels::describe);
        // The names of libraries have all that in them.
        let files = self.libraries.iter().chain(&self.integrals);
        let files = files.chain(&self.python);
        let all: Vec<String> = kernels
            .chain(files.map(|path| path.display().to_string()))
            .collect();
        if all.is_empty() {
            "none".to_owned()
        } else {
            all.join(" ")
        }
    }

    /// The peer of a task. `Ok(None)` when it has none; Err in one sentence when it could
    /// not be built.
    pub(super) fn of(&mut self, task: &Task) -> Result<Option<Peer>, String> {
        let libraries = match task {
            Task::Workload { .. } => Some(&self.libraries),
            Task::Integral { .. } => Some(&self.integrals),
            _ => None,
        };
        if let Some(libraries) = libraries {
            let any = Some(libraries).filter(|all| !all.is_empty());
            return Ok(any.cloned().map(Peer::Libraries));
        }
        let Some(kernels) = &mut self.kernels else {
            return Ok(None);
        };
        Ok(kernels.of(task)?.map(Peer::Kernel))
    }

    /// The times of packages for a cell.
    pub(super) fn packages_of(&self, key: &Key) -> Vec<PeerTime> {
        let mut times = packages::of(&self.packages, key);
        times.extend(self.integrators.of(key));
        times
    }
}
