//! `functions`: the rates of elementary functions, with `--peers` beside those of CUDA C++.
//!
//! Nothing of it was published. The kernels are of a crate of their own, `bench-crate/functions`,
//! and are built when this table is measured. The sums of some threads are compared with the
//! host's, bit for bit. The emulator has no times, and skips it.

use std::collections::BTreeSet;
use std::time::Duration;

use function_kernels::{
    SUMS, for_each_fast_function, for_each_function, of_f32, of_f64, of_fast_f32, sum_f32, sum_f64,
};

use crate::axes::{Axis, TYPES, Values, own};
use crate::measure::{Bench, Contest};
use crate::modules;
use crate::peers::functions::{Peer as Library, Request};
use crate::record::Cell;
use crate::table::column::{CONDITIONS, OUTCOME, Show, axis, count, derived, noise, us};
use crate::table::peers::{self, rate};
use crate::table::source::{self, Source};
use crate::table::{Table, TableAxis};
use quadscan::Result;
use quadscan::device::{Artifact, Buffer, Device, DeviceChoice, LaunchShape, Module};

/// The functions.
const FUNCTION: Axis = own("function", Values::Names);

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "functions",
    about: "elementary functions, with --peers beside CUDA C++",
    axes: &[
        TableAxis::of(&FUNCTION).known(|| all().map(|of| of.name.to_owned()).collect()),
        TableAxis::of(&TYPES).known(|| TYPE_NAMES.map(str::to_owned).to_vec()),
    ],
    columns: &[
        &[
            axis("function"),
            axis("type"),
            us("us", "kernel"),
            noise("noise_percent", "kernel"),
            count("evaluations").detail(),
            derived(
                "g_evaluations_per_s",
                "evaluations per second, in 10^9",
                Show::Significant,
                |record| rate(record, "evaluations", "kernel"),
            ),
        ],
        &CONDITIONS,
        &OUTCOME,
    ],
    more_columns: peers::columns,
    peers: &[Source::Library(source::Library {
        folder: MODULE,
        what: "functions in CUDA C++",
        without: "functions in CUDA C++ are not timed",
        takes_cub: false,
    })],
    measure,
    // Its kernels are built in it.
    patience: |_, _| Duration::from_secs(1800),
    summary: peers::lines,
    ..Table::EMPTY
};

/// The folder of the kernels in that of an artifact, and of the peers' source.
const MODULE: &str = "functions";

const TYPE_NAMES: [&str; 2] = ["f64", "f32"];

/// Threads of a block, and blocks of an SM.
const THREADS: u32 = 256;
const BLOCKS: u32 = 8;

/// Values of each sum of a thread.
const TURNS: u32 = 512;

/// Every so many threads the sum of one is compared.
const COMPARED: usize = 9973;

/// A function as one type has it.
struct Typed<T: bytemuck::Pod> {
    launch: fn(&Module, LaunchShape, &mut Buffer<T>, &Request) -> Result<()>,
    /// The sum of a thread, by the host.
    sum: fn(u32, &Request) -> T,
}

struct Function {
    name: &'static str,
    low: f64,
    high: f64,
    second: f64,
    /// None of a fast function.
    f64: Option<Typed<f64>>,
    f32: Typed<f32>,
}

macro_rules! functions {
    ($($name:ident, $low:expr, $high:expr, $second:expr, |$x:ident, $y:ident| $value:expr;)*) => {
        /// Those whose bits are the host's.
        const EXACT: &[Function] = &[$(Function {
            name: stringify!($name),
            low: $low,
            high: $high,
            second: $second,
            f64: Some(functions!(f64, sum_f64, of_f64::$name, |$x, $y| $value)),
            f32: functions!(f32, sum_f32, of_f32::$name, |$x, $y| $value),
        },)*];
    };
    ($float:ident, $sum:ident, $kernel:path, |$x:ident, $y:ident| $value:expr) => {
        Typed {
            launch: |module, shape, results, of| {
                let [first, apart, step] = of.places.map(|place| place as $float);
                let second = of.second as $float;
                module.launch($kernel, shape, (results, of.turns, first, apart, step, second))
            },
            sum: |thread, of| {
                let $y = of.second as $float;
                $sum(thread, of.turns, of.places.map(|place| place as $float), |$x| $value)
            },
        }
    };
}

for_each_function!(functions);

macro_rules! fast_functions {
    ($($name:ident, $low:expr, $high:expr, $second:expr, |$x:ident, $y:ident| $value:expr;)*) => {
        /// Those whose bits are the device's.
        const FAST: &[Function] = &[$(Function {
            name: stringify!($name),
            low: $low,
            high: $high,
            second: $second,
            f64: None,
            f32: functions!(f32, sum_f32, of_fast_f32::$name, |$x, $y| $value),
        },)*];
    };
}

for_each_fast_function!(fast_functions);

/// All of them.
fn all() -> impl Iterator<Item = &'static Function> {
    EXACT.iter().chain(FAST)
}

impl Function {
    /// On a device of so many SMs.
    fn request(&self, sms: u32) -> Request {
        let blocks = sms * BLOCKS;
        let step = (self.high - self.low) / f64::from(TURNS);
        let sums = f64::from(blocks * THREADS) * SUMS as f64;
        Request {
            blocks,
            threads: THREADS,
            turns: TURNS,
            places: [self.low, step / sums, step],
            second: self.second,
        }
    }
}

/// The kernels, built when they are first asked for.
#[derive(Default)]
struct Kernels(Option<Module>);

impl Kernels {
    fn of(&mut self, device: &Device) -> Result<std::result::Result<Module, String>> {
        if let Some(module) = &self.0 {
            return Ok(Ok(module.clone()));
        }
        let names = BTreeSet::from([MODULE.to_owned()]);
        let folder = match modules::named() {
            Some(folder) => Some(folder),
            None => match modules::folder(None, DeviceChoice::Auto, &names) {
                Ok(folder) => folder,
                Err(error) => return Ok(Err(error.to_string())),
            },
        };
        let folder = folder
            .map(|folder| folder.join(MODULE))
            .filter(|folder| folder.is_dir());
        let Some(folder) = folder else {
            return Ok(Err(
                "its kernels are not built: `cargo xtask ptx functions` does".into(),
            ));
        };
        // SAFETY: the builder has made it of this program's kernels, or whoever named the folder
        // vouches for it; sums are compared besides.
        let module = device.load(&unsafe { Artifact::read(folder) }?)?;
        Ok(Ok(self.0.insert(module).clone()))
    }
}

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> Result<()> {
    let of = |cell: &Cell| {
        let function = all().find(|of| Some(of.name) == cell.text("function"))?;
        let is_known = TYPE_NAMES.contains(&cell.text("type")?);
        is_known.then_some(function)
    };
    let function = cell.read(of)?;
    if !bench.device().properties().has_timer {
        bench.skip("the emulator has no times");
        return Ok(());
    }
    match (cell.text("type"), &function.f64) {
        (Some("f32"), _) => measured(bench, function, &function.f32),
        (_, Some(of_f64)) => measured(bench, function, of_f64),
        (_, None) => {
            bench.skip("fast functions are of f32");
            Ok(())
        }
    }
}

/// A number whose bits are compared.
trait Number: bytemuck::Pod + Into<f64> {
    const TYPE_NAME: &'static str;
}

impl Number for f64 {
    const TYPE_NAME: &'static str = "f64";
}

impl Number for f32 {
    const TYPE_NAME: &'static str = "f32";
}

fn measured<T: Number>(bench: &mut Bench<'_>, function: &Function, typed: &Typed<T>) -> Result<()> {
    let device = bench.device().clone();
    let module = match bench.kept::<Kernels>().of(&device)? {
        Ok(module) => module,
        Err(why) => {
            bench.skip(why);
            return Ok(());
        }
    };
    let request = function.request(device.properties().sm_count);
    let threads = request.blocks as usize * request.threads as usize;
    let shape = LaunchShape::new(request.blocks, request.threads);
    let mut results = device.alloc_zeroed::<T>(threads)?;
    (typed.launch)(&module, shape, &mut results, &request)?;
    let found = results.to_vec()?;
    let compared = if function.f64.is_some() { threads } else { 0 };
    let wrong = (0..compared).step_by(COMPARED).find_map(|thread| {
        let (own, expected) = (found[thread], (typed.sum)(thread as u32, &request));
        let is_same = bytemuck::bytes_of(&own) == bytemuck::bytes_of(&expected);
        (!is_same).then(|| {
            let (own, expected): (f64, f64) = (own.into(), expected.into());
            format!("thread {thread} has the sum {own:e}, not {expected:e}")
        })
    });
    bench.put(
        "evaluations",
        Some(threads as u64 * SUMS as u64 * u64::from(request.turns)),
    );
    if !bench.expect(wrong) || !bench.is_timed() {
        return Ok(());
    }
    let name = format!("{}_{}", function.name, T::TYPE_NAME);
    // SAFETY: the run has built it from `peers/functions`, or has been told that it did.
    let libraries = bench.libraries(|path| unsafe { Library::load(path) });
    let others = device.alloc_zeroed::<T>(threads)?;
    let mut contest = Contest::default();
    contest.ours("kernel", || {
        (typed.launch)(&module, shape, &mut results, &request)
    });
    for library in libraries
        .iter()
        .filter(|library| library.interface.has(&name))
    {
        // SAFETY: the buffer has a number for each thread, nobody reads it, and it lives longer
        // than the contest.
        contest.peer(library.interface.peer(), || unsafe {
            library.enqueue(&device, &name, &request, &others)
        });
    }
    bench.time_all(&bench.rule(), contest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;
    use crate::tables::testing::{self, asked, cells, emulated, expect_unknown};

    #[test]
    fn every_function_has_a_row_a_type() {
        let all = cells(&TABLE, &asked(&[]));
        assert_eq!(all.len(), 2 * super::all().count());
        assert_eq!(all[1].describe(), "function=exp type=f32");
    }

    #[test]
    fn arguments_stay_within_the_bounds() {
        for function in all() {
            let request = function.request(132);
            let [first, apart, step] = request.places;
            let sums = f64::from(request.blocks * request.threads) * SUMS as f64;
            let last = first + (sums - 1.0) * apart + f64::from(request.turns - 1) * step;
            assert!(
                first >= function.low && last < function.high,
                "{}",
                function.name
            );
        }
    }

    #[test]
    fn the_emulator_skips_it_and_no_other_cell_is_known() {
        let mut session = emulated();
        let cell = Cell::default().with("function", "exp").with("type", "f64");
        let row = testing::measured(&mut session, &TABLE, &cell);
        let said = (row.status, row.reason.as_deref());
        assert_eq!(said, (Status::Skipped, Some("the emulator has no times")));
        let cell = Cell::default().with("function", "sign").with("type", "f64");
        expect_unknown(&mut session, &TABLE, &cell);
    }
}
