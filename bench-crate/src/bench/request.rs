//! What the command line asks for, checked: everything that can be refused is
//! refused here, before anything is measured or written.

use std::path::PathBuf;
use std::time::Duration;

use quadscan_kernels::block_scan::MAX_ELEMENTS;

use super::baseline::asked;
use super::{arrays, chosen, list, paths};
use crate::cli::BenchArguments;
use crate::error::{Error, Result};
use crate::export::Format;
use crate::record::{DeviceInfo, Key};
use crate::tables::{self, Extent, Selection, Table};
use crate::worker::OTHER_SCHEDULES;
use crate::worker::protocol::Task;
use quadscan::device::DeviceChoice;

/// The most strips: their index is a `u32` in the kernels, and the end of the
/// last sub-range has to be one too.
pub const MOST_STRIPS: u64 = 1 << 31;

/// The most blocks.
const MOST_BLOCKS: u64 = tables::sweep::MOST_PARTIALS;

/// The most threads of a block, on every CUDA device.
const MOST_THREADS: u64 = 1024;

/// The most samples.
const MOST_SAMPLES: u64 = 10_000;

/// The longest limit for a cell: a day.
const LONGEST_CELL: u64 = 86_400;

/// A checked request.
pub struct Request {
    /// The tables, in the order given, with their cells.
    pub tables: Vec<(&'static dyn Table, Vec<Key>)>,
    /// The device, as it was asked for.
    pub device: DeviceChoice,
    /// Published columns alone.
    pub published: bool,
    /// Exactly this many samples.
    pub repeat: Option<u32>,
    /// Kernels with a cold cache too.
    pub cold: bool,
    /// Launches wait until the one before has ended.
    pub one_by_one: bool,
    /// Form of the results.
    pub format: Format,
    /// Folder for the records.
    pub out: PathBuf,
    /// Keep as a baseline.
    pub save: Option<String>,
    /// Compare with a baseline.
    pub baseline: Option<String>,
    /// Changes within this part are none.
    pub margin: f64,
    /// Processes that measure each cell on a device with times.
    pub processes: u32,
    /// Folder of the PTX.
    pub artifact: Option<PathBuf>,
    /// Folder of the peers' source, when it was named: what is missing is said then.
    pub peers: Option<PathBuf>,
    /// The folder of another CUB.
    pub cub: Option<PathBuf>,
    /// The Python of CuPy and PyTorch.
    pub python: Option<PathBuf>,
    /// Whether sizes of whole arrays were named.
    has_sizes: bool,
    /// The limit that was given.
    pub cell_timeout: Option<Duration>,
    /// The measuring program, when it is not this one.
    pub worker: Option<PathBuf>,
}

pub(super) fn refused(argument: &str, problem: String) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem,
    }
}

/// `--peers sweep-f64` asks for a table, not for a folder of that name.
fn tables_and_peers(arguments: &BenchArguments) -> (Vec<String>, Option<PathBuf>) {
    let mut names = arguments.tables.clone();
    let named = arguments.peers.as_ref().and_then(|folder| folder.to_str());
    match named.filter(|name| chosen::is_table(name)) {
        Some(table) => {
            names.insert(0, table.to_owned());
            (names, Some(crate::peers::FOLDER.into()))
        }
        None => (names, arguments.peers.clone()),
    }
}

/// The device, with the schedule that only the emulator has.
fn device(arguments: &BenchArguments) -> Result<DeviceChoice> {
    let text = &arguments.device;
    let choice = text.parse().map_err(|_| {
        refused(
            "--device",
            format!("`{text}` is unknown, allowed are auto, cuda, cuda:N and emulator"),
        )
    })?;
    let Some(seed) = &arguments.schedule else {
        return Ok(choice);
    };
    match choice {
        DeviceChoice::Emulator { .. } => {
            let seed = list::number("--schedule", seed, 0..=u64::MAX)?;
            Ok(DeviceChoice::Emulator {
                schedule: Some(seed),
            })
        }
        _ => Err(refused(
            "--schedule",
            format!("is for the emulator alone, allowed with --device emulator and not {text}"),
        )),
    }
}

/// A list that fits into u32.
fn small_numbers(argument: &str, text: &Option<String>, most: u64) -> Result<Option<Vec<u32>>> {
    let Some(text) = text else { return Ok(None) };
    let values = list::numbers(argument, text, 1..=most)?;
    Ok(Some(
        values
            .into_iter()
            .filter_map(|value| u32::try_from(value).ok())
            .collect(),
    ))
}

fn selection(arguments: &BenchArguments) -> Result<Selection> {
    let strips = match &arguments.strips {
        Some(text) => Some(list::numbers("--strips", text, 1..=MOST_STRIPS)?),
        None => None,
    };
    let extent = match (arguments.quick, arguments.full) {
        (true, _) => Extent::Quick,
        (_, true) => Extent::Full,
        _ => Extent::Default,
    };
    Ok(Selection {
        extent,
        published: arguments.published,
        strips,
        blocks: small_numbers("--blocks", &arguments.blocks, MOST_BLOCKS)?,
        threads: small_numbers("--threads", &arguments.threads, MOST_THREADS)?,
        elements: match &arguments.elements {
            Some(text) => Some(list::powers_of_two(
                "--elements",
                text,
                MAX_ELEMENTS as u32,
            )?),
            None => None,
        },
        padded: arguments.padded,
        scattered: arguments.scattered,
        concurrent: arguments.concurrent,
        arrays: arrays::asked(arguments)?,
        kernels: arrays::list(&arguments.kernels),
        integrals: arrays::of_integrals(arguments)?,
    })
}

impl Request {
    /// Checks the command line. Err in one sentence that names the argument and
    /// what it may be.
    pub fn new(arguments: &BenchArguments) -> Result<Self> {
        let selection = selection(arguments)?;
        let device = device(arguments)?;
        let format = Format::by_name(&arguments.format).ok_or_else(|| {
            refused(
                "--format",
                format!(
                    "`{}` is unknown, allowed are table, csv, markdown and json",
                    arguments.format
                ),
            )
        })?;
        let repeat = match &arguments.repeat {
            Some(text) => u32::try_from(list::number("--repeat", text, 1..=MOST_SAMPLES)?).ok(),
            None => None,
        };
        let cell_timeout = match &arguments.cell_timeout {
            Some(text) => Some(Duration::from_secs(list::number(
                "--cell-timeout",
                text,
                1..=LONGEST_CELL,
            )?)),
            None => None,
        };
        asked::check_names(arguments)?;
        paths::check(arguments)?;
        let (names, peers) = tables_and_peers(arguments);
        let tables: Vec<(&'static dyn Table, Vec<Key>)> =
            chosen::tables(&names, selection.published, arguments.list)?
                .into_iter()
                .map(|table| Ok((table, table.cells(&selection)?)))
                .collect::<Result<_>>()?;
        arrays::check_algorithms(arguments, tables.iter().flat_map(|(_, cells)| cells))?;
        Ok(Request {
            tables,
            device,
            published: arguments.published,
            repeat,
            cold: arguments.cold,
            one_by_one: arguments.one_by_one,
            format,
            out: arguments.out.clone(),
            save: arguments.save.clone(),
            baseline: arguments.baseline.clone(),
            margin: asked::margin(arguments)?,
            processes: asked::processes(arguments)?,
            artifact: arguments.artifact.clone(),
            // Another CUB is a peer.
            peers: peers.or_else(|| arguments.cub.as_ref().map(|_| crate::peers::FOLDER.into())),
            cub: arguments.cub.clone(),
            python: arguments.python.clone(),
            has_sizes: arguments.sizes.is_some(),
            cell_timeout,
            worker: arguments.worker.clone(),
        })
    }

    /// Leaves out what takes an emulator long, where nobody has named it.
    pub(super) fn adapt(&mut self, device: Option<&DeviceInfo>) {
        if self.has_sizes || !device.is_some_and(DeviceInfo::is_emulated) {
            return;
        }
        for (table, cells) in &mut self.tables {
            cells.retain(|key| table.is_for_emulator(key));
        }
    }

    /// Cells of all tables.
    pub fn cell_count(&self) -> usize {
        self.tables.iter().map(|(_, cells)| cells.len()).sum()
    }

    /// Whether the device has anything to do.
    pub fn uses_device(&self) -> bool {
        self.tables
            .iter()
            .any(|(table, cells)| cells.iter().any(|key| table.task(key).is_some()))
    }

    /// How long a cell may take on a device: as given, else a minute and, for
    /// kernels with few threads, thirty launches at 1 us a strip and thread. A
    /// device without a timer launches once, or a few times in `mapping`, and runs one
    /// warp after the other: 10 us a strip and warp.
    pub fn limit(&self, task: &Task, has_timer: bool) -> Duration {
        const MINUTE: Duration = Duration::from_secs(60);
        let of_strips = |strips: &u64, blocks: &u32, threads: &u32, emulated: u64| {
            let (blocks, threads) = (u64::from(*blocks), u64::from(*threads));
            let strips_a_thread = strips / (blocks * threads).max(1);
            let warps = blocks * threads.div_ceil(32);
            let micros = if has_timer { 30 } else { 10 * emulated * warps };
            MINUTE + Duration::from_micros(micros * strips_a_thread)
        };
        self.cell_timeout.unwrap_or_else(|| match task {
            Task::QuarterCircle {
                strips,
                blocks,
                threads,
                ..
            } => of_strips(strips, blocks, threads, 1),
            Task::Mapping {
                strips,
                blocks,
                threads,
                ..
            } => of_strips(strips, blocks, threads, 1 + OTHER_SCHEDULES),
            _ => MINUTE,
        })
    }

    /// Everything that decides what is measured, as text: two runs with the same
    /// text measure the same. `peers` names what is timed beside our kernels.
    pub fn identity(&self, peers: &str) -> String {
        let cells: Vec<String> = self
            .tables
            .iter()
            .flat_map(|(table, cells)| {
                cells
                    .iter()
                    .map(move |key| format!("{} {}", table.name(), key.describe()))
            })
            .collect();
        format!(
            "device={:?} repeat={:?} processes={} cold={} one_by_one={} published={} peers={peers} cells={}",
            self.device,
            self.repeat,
            self.processes,
            self.cold,
            self.one_by_one,
            self.published,
            cells.join(";")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments() -> BenchArguments {
        BenchArguments {
            device: "auto".into(),
            format: "csv".into(),
            ..BenchArguments::default()
        }
    }

    fn problem(change: impl FnOnce(&mut BenchArguments)) -> String {
        let mut arguments = arguments();
        change(&mut arguments);
        Request::new(&arguments)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn without_tables_all_are_asked_for() {
        let names = Request::new(&arguments()).map(|request| {
            let names = request.tables.iter().map(|(table, _)| table.name());
            names.collect::<Vec<_>>().join(" ")
        });
        let all = "activity sweep-f64 sweep-f32 accuracy mapping limits";
        assert_eq!(names.unwrap_or_default(), all);
    }

    #[test]
    fn a_table_without_published_figures_has_no_place_beside_published() {
        let published = BenchArguments {
            published: true,
            ..arguments()
        };
        let names = Request::new(&published).map(|request| {
            let names = request.tables.iter().map(|(table, _)| table.name());
            names.collect::<Vec<_>>()
        });
        let four = ["activity", "sweep-f64", "sweep-f32", "accuracy"];
        assert_eq!(names.unwrap_or_default(), four);
        assert_eq!(
            problem(|a| (a.published, a.tables) = (true, vec!["mapping".into()])),
            "TABLE `mapping` has no published figures, allowed beside --published are activity, \
             sweep-f64, sweep-f32, accuracy"
        );
    }

    #[test]
    fn an_unknown_table_lists_the_known_ones() {
        assert_eq!(
            problem(|a| a.tables = vec!["maping".into()]),
            "TABLE `maping` is unknown, known are activity, sweep-f64, sweep-f32, accuracy, \
             mapping, limits, scan, reduce, integral, integrals, kernels, integrate"
        );
    }

    #[test]
    fn strips_that_the_threads_do_not_divide_are_refused_with_what_would_be_lost() {
        assert_eq!(
            problem(|a| {
                a.tables = vec!["sweep-f64".into()];
                a.strips = Some("1000".into());
                a.blocks = Some("3".into());
                a.threads = Some("32".into());
            }),
            "--strips 1000 is not a multiple of blocks * threads = 3 * 32 = 96, and sweep-f64 \
             refuses such a size because the page's integer division would drop 40 strips"
        );
    }

    #[test]
    fn only_known_devices_are_allowed() {
        for device in [
            "emulator:1",
            "cuda:",
            "cuda:x",
            "gpu",
            "cuda:99999999999",
            "",
        ] {
            let problem = problem(|a| a.device = device.into());
            assert!(problem.starts_with("--device"), "{device}: {problem}");
            assert!(
                problem.ends_with("allowed are auto, cuda, cuda:N and emulator"),
                "{problem}"
            );
        }
        for device in ["auto", "cuda", "cuda:0", "cuda:12", "emulator"] {
            assert_eq!(problem(|a| a.device = device.into()), "");
        }
    }

    #[test]
    fn a_schedule_is_a_number_and_the_emulators_alone() {
        let with = |device: &str, seed: &str| {
            problem(|a| (a.device, a.schedule) = (device.into(), Some(seed.into())))
        };
        assert_eq!(with("emulator", "18446744073709551615"), "");
        assert_eq!(
            with("emulator", "x"),
            "--schedule `x` is not a whole number, allowed are 0 to 18446744073709551615"
        );
        for device in ["auto", "cuda", "cuda:1"] {
            assert_eq!(
                with(device, "7"),
                format!(
                    "--schedule is for the emulator alone, allowed with --device emulator and \
                     not {device}"
                )
            );
        }
    }

    #[test]
    fn a_table_behind_peers_is_a_table() {
        let peers = |folder: &str| {
            let arguments = BenchArguments {
                peers: Some(folder.into()),
                ..arguments()
            };
            let Ok(request) = Request::new(&arguments) else {
                panic!("refused")
            };
            let names: Vec<&str> = request
                .tables
                .iter()
                .map(|(table, _)| table.name())
                .collect();
            (names.join(" "), request.peers)
        };
        assert_eq!(
            peers("sweep-f64"),
            ("sweep-f64".into(), Some("peers".into()))
        );
        assert_eq!(peers("x").1, Some("x".into()));
    }

    #[test]
    fn runs_that_measure_something_else_have_another_identity() {
        let identity = |change: fn(&mut BenchArguments), peers: &str| {
            let mut arguments = BenchArguments {
                tables: vec!["sweep-f64".into()],
                ..arguments()
            };
            change(&mut arguments);
            Request::new(&arguments)
                .map(|request| request.identity(peers))
                .unwrap_or_default()
        };
        let ours = identity(|_| {}, "none");
        assert_eq!(ours, identity(|a| a.format = "json".into(), "none"));
        for other in [
            identity(|_| {}, "nvcc"),
            identity(|a| a.published = true, "none"),
            identity(|a| a.repeat = Some("3".into()), "none"),
            identity(|a| a.cold = true, "none"),
            identity(|a| a.one_by_one = true, "none"),
            identity(|a| a.strips = Some("65536".into()), "none"),
            identity(|a| a.processes = Some("2".into()), "none"),
            identity(|a| a.save = Some("x".into()), "none"),
            identity(|a| a.device = "emulator".into(), "none"),
            identity(
                |a| (a.device, a.schedule) = ("emulator".into(), Some("0".into())),
                "none",
            ),
        ] {
            assert_ne!(ours, other);
        }
    }

    #[test]
    fn a_kernel_of_one_thread_may_take_longer() {
        let Ok(request) = Request::new(&arguments()) else {
            panic!("refused")
        };
        let task = |blocks, threads| Task::QuarterCircle {
            precision: crate::oracle::Precision::F64,
            strips: 1 << 24,
            blocks,
            threads,
        };
        assert!(request.limit(&task(1, 1), true) > Duration::from_secs(500));
        assert!(request.limit(&task(64, 256), true) < Duration::from_secs(61));
        // 2^24 strips in one warp, and in 2^13 warps of 4 lanes.
        assert!(request.limit(&task(1, 1), false) > Duration::from_secs(200));
        assert!(request.limit(&task(8192, 4), false) > Duration::from_secs(100));
        assert!(request.limit(&task(64, 256), false) < Duration::from_secs(70));
    }
}
