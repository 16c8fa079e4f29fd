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
use crate::record::{Cell, DeviceInfo, Metric, Peer, Time};
use crate::table::{self, Table};
use crate::timing::Timing;
use quadscan::device::DeviceChoice;

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
    let have = |has: fn(table::Peers) -> bool| {
        let mut tables = request.tables.iter();
        tables.any(|(table, _)| has(table.peers))
    };
    let has_kernels = have(|peers| peers == table::Peers::QuarterCircle);
    let has_libraries =
        have(|peers| !matches!(peers, table::Peers::None | table::Peers::QuarterCircle));
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
            tables.any(|(table, _)| table.peers == of)
        };
        let (arrays, integrals) = (has(table::Peers::Arrays), has(table::Peers::Integrals));
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
        if request.peers.is_some() && has(table::Peers::Integral) {
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

    /// The files of the peers of a cell. Err in one sentence when one could not be built.
    pub(super) fn of(&mut self, table: &Table, cell: &Cell) -> Result<Vec<PathBuf>, String> {
        match table.peers {
            table::Peers::None | table::Peers::Integrals => Ok(Vec::new()),
            table::Peers::Arrays => Ok(self.libraries.clone()),
            table::Peers::Integral => Ok(self.integrals.clone()),
            table::Peers::QuarterCircle => match (&mut self.kernels, cell.number("strips")) {
                (Some(kernels), Some(strips)) => Ok(vec![kernels.of(strips)?]),
                _ => Ok(Vec::new()),
            },
        }
    }

    /// The times of packages for a cell, by their names.
    pub(super) fn packages_of(&self, cell: &Cell) -> Vec<(String, Metric)> {
        let mut times = packages::of(&self.packages, cell);
        times.extend(self.integrators.of(cell));
        times
    }
}

/// A time of a peer of that name; none where it is no number.
fn of_peer(name: &str, version: String, ms: f64, method: String) -> Option<(String, Metric)> {
    let timing = Timing::from_samples(vec![ms]).filter(|_| ms.is_finite())?;
    let peer = Peer {
        name: name.to_owned(),
        version,
    };
    let time = Time {
        timing,
        method: Some(method),
        peer: Some(peer),
    };
    Some((name.to_owned(), Metric::Time(time)))
}

/// The number of a device that has one.
fn number(device: DeviceChoice) -> u32 {
    match device {
        DeviceChoice::Cuda(Some(number)) => number,
        _ => 0,
    }
}
