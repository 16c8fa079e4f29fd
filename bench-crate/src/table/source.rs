//! What tables have timed beside ours: which peers, as a run builds, starts and asks them.

use std::path::Path;

use crate::record::{Cell, Metric, Peer, Time};
use crate::timing::Timing;

/// A peer of a table's cells.
#[derive(Clone, Copy)]
pub enum Source {
    /// A file of CUDA C++, compiled for each number that an axis has, which is a compile-time
    /// constant as in the published program; wherever the file and nvcc are found.
    Kernel {
        /// The file's name in the peers' folder.
        file: &'static str,
        /// The axis; its name in capitals is the constant's.
        axis: &'static str,
    },
    /// A library in CUDA C++, where peers are asked for.
    Library(Library),
    /// Packages for Python, where one is named.
    Script(Script),
}

/// A library that nvcc makes of a folder.
#[derive(Clone, Copy)]
pub struct Library {
    /// The folder's name among the peers.
    pub folder: &'static str,
    /// What it is, for those who wait for it.
    pub what: &'static str,
    /// What is so without it: half a sentence.
    pub without: &'static str,
    /// Whether it is built of another CUB besides, where one is named.
    pub takes_cub: bool,
}

/// Packages that a script times before the cells are.
#[derive(Clone, Copy)]
pub struct Script {
    /// What they are, for those who wait for them.
    pub what: &'static str,
    /// What is said where peers are asked for and no Python is named.
    pub without_python: Option<&'static str>,
    /// Times them on the cells that they have.
    pub time: fn(&Python<'_>, &[&Cell]) -> Packages,
}

/// Where a script and its packages are.
#[derive(Clone, Copy, Debug)]
pub struct Python<'a> {
    /// The program that runs it.
    pub python: &'a Path,
    /// The peers' folder.
    pub peers: &'a Path,
    /// The device's number.
    pub device: u32,
}

/// What a script found.
#[derive(Default)]
pub struct Packages {
    /// The times of cells, as metrics by the peers' names.
    pub times: Vec<(Cell, String, Metric)>,
    /// What else it says, a sentence each.
    pub said: Vec<String>,
}

impl Packages {
    /// Adds the time of a peer of that name, ms; none where it is no number.
    pub fn add(&mut self, cell: &Cell, name: String, version: String, (ms, method): (f64, String)) {
        let timing = Timing::from_samples(vec![ms]).filter(|_| ms.is_finite());
        let peer = Peer {
            name: name.clone(),
            version,
        };
        let time = timing.map(|timing| Time {
            timing,
            method: Some(method),
            peer: Some(peer),
        });
        let metric = time.map(Metric::Time);
        self.times
            .extend(metric.map(|metric| (cell.clone(), name, metric)));
    }
}

impl Source {
    /// What two tables with the same peer share.
    pub fn name(&self) -> &'static str {
        match self {
            Source::Kernel { file, .. } => file,
            Source::Library(Library { what, .. }) | Source::Script(Script { what, .. }) => what,
        }
    }

    /// Whether a Python is needed for it.
    pub fn takes_python(&self) -> bool {
        matches!(self, Source::Script(_))
    }

    /// Whether another CUB is a peer, too.
    pub fn takes_cub(&self) -> bool {
        matches!(self, Source::Library(library) if library.takes_cub)
    }
}
