//! The peers that are timed beside our kernels: those that the tables declare ([`Source`]) are
//! built and started here. If one is not available, a sentence says why, if it was requested.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use super::console::Console;
use super::request::Request;
use super::workers::Workers;
use crate::peers::FOLDER;
use crate::peers::compiler::{Build, architecture, compile, find_nvcc, find_source};
use crate::record::{Cell, DeviceInfo, Metric};
use crate::table::Table;
use crate::table::source::{Library, Python, Script, Source};
use quadscan::device::DeviceChoice;

/// The peers of a run.
#[derive(Default)]
pub(super) struct Peers {
    kernels: Option<Kernels>,
    /// By the folders that they are built of.
    libraries: Vec<(&'static str, PathBuf)>,
    /// The times that scripts told.
    packages: Vec<(Cell, String, Metric)>,
    /// The Python that was asked for.
    python: Option<PathBuf>,
}

impl Peers {
    /// The peers that can be had of those that the tables declare, and sentences for
    /// those who asked for them.
    pub(super) fn open(
        request: &Request,
        workers: &Workers,
        console: &mut dyn Console,
    ) -> (Self, Vec<String>) {
        let is_asked = request.peers.is_some() || request.python.is_some();
        let has_none = sources(request).next().is_none();
        let no_effect = |why: &str| {
            let said = is_asked.then(|| format!("--peers has no effect {why}"));
            (Peers::default(), said.into_iter().collect())
        };
        match workers.device() {
            // Said already.
            _ if has_none => (Peers::default(), Vec::new()),
            _ if request.published => no_effect("beside --published, which has no column for it"),
            Ok(info) if info.is_emulated() => no_effect("on the emulator, which has no times"),
            Ok(info) => Peers::on(request, info, console),
            // Said already.
            Err(_) => (Peers::default(), Vec::new()),
        }
    }

    /// The same, of a device with times.
    fn on(request: &Request, info: &DeviceInfo, console: &mut dyn Console) -> (Self, Vec<String>) {
        let mut opening = Opening {
            request,
            folder: request.peers.as_deref().unwrap_or(Path::new(FOLDER)),
            arch: architecture(&info.compute_capability),
            console,
            peers: Peers::default(),
            said: Vec::new(),
        };
        let mut done: Vec<&str> = Vec::new();
        for source in sources(request) {
            if done.contains(&source.name()) {
                continue;
            }
            done.push(source.name());
            match source {
                Source::Kernel { file, axis } => opening.find(file, axis),
                Source::Library(library) => opening.build(library),
                Source::Script(script) => opening.time(script),
            }
        }
        opening.peers.python.clone_from(&request.python);
        (opening.peers, opening.said)
    }

    /// What they are built from, by what and for what: other peers have another
    /// description.
    pub(super) fn describe(&self) -> String {
        let kernels = self.kernels.iter().map(Kernels::describe);
        // The names of libraries have all that in them.
        let files = self.libraries.iter().map(|(_, library)| library);
        let files = files.chain(&self.python);
        let all: Vec<String> = kernels
            .chain(files.map(|path| path.display().to_string()))
            .collect();
        match all.is_empty() {
            true => "none".to_owned(),
            false => all.join(" "),
        }
    }

    /// The files of the peers of a cell. Err in one sentence when one could not be built.
    pub(super) fn of(&mut self, table: &Table, cell: &Cell) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::new();
        for source in table.peers {
            match source {
                Source::Kernel { axis, .. } => {
                    if let (Some(kernels), Some(number)) = (&mut self.kernels, cell.number(axis)) {
                        files.push(kernels.of(number)?);
                    }
                }
                Source::Library(library) => {
                    let built = self.libraries.iter();
                    let built = built.filter(|(folder, _)| *folder == library.folder);
                    files.extend(built.map(|(_, file)| file.clone()));
                }
                Source::Script(_) => {}
            }
        }
        Ok(files)
    }

    /// The times of packages for a cell, by their names.
    pub(super) fn packages_of(&self, cell: &Cell) -> impl Iterator<Item = (&String, &Metric)> {
        let of_cell = self.packages.iter().filter(move |(of, ..)| of == cell);
        of_cell.map(|(_, name, metric)| (name, metric))
    }
}

/// What the tables declare.
fn sources(request: &Request) -> impl Iterator<Item = &'static Source> {
    request.tables.iter().flat_map(|(table, _)| table.peers)
}

/// Peers while they are built and started.
struct Opening<'a> {
    request: &'a Request,
    folder: &'a Path,
    arch: String,
    console: &'a mut dyn Console,
    peers: Peers,
    said: Vec<String>,
}

impl Opening<'_> {
    /// Finds the source of a kernel and the compiler; what is missing is said where peers are
    /// asked for.
    fn find(&mut self, file: &'static str, axis: &'static str) {
        let found = find_source(self.folder, file)
            .ok_or_else(|| format!("--peers: {} has no {file}", self.folder.display()));
        let missing = "--peers: nvcc is not on the path, so its columns stay empty";
        let found = found.and_then(|source| Ok((source, find_nvcc().ok_or(missing)?)));
        match found {
            Ok((source, nvcc)) => {
                self.peers.kernels = Some(Kernels {
                    source,
                    nvcc,
                    axis,
                    target: self.request.out.join("peers"),
                    arch: self.arch.clone(),
                    built: HashMap::new(),
                });
            }
            Err(missing) if self.request.peers.is_some() => self.said.push(missing),
            Err(_) => {}
        }
    }

    /// Builds a library, and the same of another CUB beside it, unless they were built before.
    fn build(&mut self, library: &Library) {
        if self.request.peers.is_none() {
            return;
        }
        let without = library.without;
        let Some(nvcc) = find_nvcc() else {
            let said = format!("--peers: {without}: nvcc is not on the path");
            self.said.push(said);
            return;
        };
        self.console
            .milestone(&format!("building {}, unless they are built", library.what));
        let own = Build {
            nvcc,
            arch: self.arch.clone(),
            peers: self.folder.to_owned(),
            name: library.folder,
            cub: None,
            out: self.request.out.join("peers"),
        };
        let another = self.request.cub.iter().filter(|_| library.takes_cub);
        let another = another.map(|folder| Build {
            cub: Some(folder.clone()),
            ..own.clone()
        });
        let builds: Vec<Build> = std::iter::once(own.clone()).chain(another).collect();
        let built = thread::scope(|scope| {
            let building = builds.iter().map(|build| scope.spawn(|| build.library()));
            let building: Vec<_> = building.collect();
            let panicked = |_| Err("the thread of a build panicked".to_owned());
            let built = building.into_iter();
            let built = built.map(|job| job.join().unwrap_or_else(panicked));
            built.collect::<Vec<_>>()
        });
        for file in built {
            match file {
                Ok(file) => self.peers.libraries.push((library.folder, file)),
                Err(reason) => self.said.push(format!("--peers: {without}: {reason}")),
            }
        }
    }

    /// Times packages on the cells of the tables that declare them.
    fn time(&mut self, script: &Script) {
        let Some(python) = &self.request.python else {
            let said = script
                .without_python
                .filter(|_| self.request.peers.is_some());
            self.said
                .extend(said.map(|said| format!("--peers: {said}")));
            return;
        };
        self.console.milestone(&format!("timing {}", script.what));
        let has_it = |table: &Table| table.peers.iter().any(|of| of.name() == script.what);
        let tables = self.request.tables.iter();
        let cells = tables.filter(|(table, _)| has_it(table));
        let cells: Vec<&Cell> = cells.flat_map(|(_, cells)| cells).collect();
        let of = Python {
            python,
            peers: self.folder,
            device: match self.request.device {
                DeviceChoice::Cuda(Some(number)) => number,
                _ => 0,
            },
        };
        let packages = (script.time)(&of, &cells);
        self.peers.packages.extend(packages.times);
        self.said.extend(packages.said);
    }
}

/// A kernel in CUDA C++, built once a run for each number of an axis.
struct Kernels {
    source: PathBuf,
    nvcc: PathBuf,
    axis: &'static str,
    target: PathBuf,
    arch: String,
    built: HashMap<u64, Result<PathBuf, String>>,
}

impl Kernels {
    fn describe(&self) -> String {
        let (source, nvcc) = (self.source.display(), self.nvcc.display());
        format!("{source} {nvcc} {}", self.arch)
    }

    /// The cubin for a number. Err in one sentence when it could not be built.
    fn of(&mut self, number: u64) -> Result<PathBuf, String> {
        if let Some(built) = self.built.get(&number) {
            return built.clone();
        }
        let built = self.build(number);
        let built = built.map_err(|problem| format!("--peers: {problem}"));
        self.built.insert(number, built.clone());
        built
    }

    fn build(&self, number: u64) -> Result<PathBuf, String> {
        let axis = self.axis;
        if i32::try_from(number).is_err() {
            return Err(format!("{number} {axis} do not fit into the peer's int"));
        }
        std::fs::create_dir_all(&self.target)
            .map_err(|e| format!("{}: {e}", self.target.display()))?;
        let name = self.source.file_stem().unwrap_or_default();
        let name = format!("{}.{}.{number}.cubin", name.display(), self.arch);
        let cubin = self.target.join(name);
        let mut command = Command::new(&self.nvcc);
        command
            .args(["-O3", "-cubin"])
            .arg(format!("-arch={}", self.arch))
            .arg(format!("-D{}={number}", axis.to_uppercase()))
            .arg("-o")
            .arg(&cubin)
            .arg(&self.source);
        compile(&mut command)?;
        // The measuring process may have another working folder one day.
        std::path::absolute(&cubin).map_err(|e| e.to_string())
    }
}
