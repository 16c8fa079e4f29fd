//! `limits`: the limits of the device, measured by kernels that do one thing each; they
//! explain the times of the sweeps.
//!
//! Nothing of it was published. The emulator has no times, and skips it.

use std::time::Instant;

use bytemuck::Pod;
use quadscan_kernels::limits::{CHAINS, RING, STEPS};

use crate::axes::LIMITS;
use crate::limit::{self, COPIED_BY_A_THREAD, Chains, Limit};
use crate::measure::Bench;
use crate::oracle::chains;
use crate::record::{Cell, Metric, Record, Status};
use crate::table::column::{OUTCOME, Show, axis, derived, of, optional};
use crate::table::figure::{Bars, Figure, Figures};
use crate::table::{Short, Shown, Table, TableAxis};
use crate::timing::{Timing, device as timing, milliseconds, sample};
use quadscan::Result;
use quadscan::device::{Buffer, Device, Module};

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "limits",
    about: "limits of the device: arithmetic, memory, copies, launches",
    axes: &[TableAxis::filter(&LIMITS).known(Limit::names)],
    columns: &[
        &[
            axis("limit"),
            derived("value", "the limit, in its unit", Show::Significant, value),
            of("unit", "its unit", |record| {
                optional(limit(&record.cell).map(Limit::unit))
            }),
            derived("ms", "the median time", Show::Ms, |record| {
                timed(record).map(|timing| timing.median_ms)
            }),
            derived("noise_percent", "its noise, %", Show::Fixed(1), |record| {
                timed(record).map(|timing| 100.0 * timing.noise)
            }),
        ],
        &OUTCOME,
    ],
    is_usual: true,
    measure,
    complete: |record| {
        let unit = unit(record).to_owned();
        let value = value(record).map(|value| Metric::Number(value, unit));
        record.metrics.put("value", value);
    },
    short: Short {
        shown: &[
            Shown::exact("value", "value"),
            Shown::exact("unit", "unit").beside("value"),
        ],
        ..Short::EMPTY
    },
    figures: Figures::of(&[&[Figure::Bars(Bars {
        file: "",
        title: |row| match unit(row) {
            "" => FIGURES.to_owned(),
            unit => format!("{FIGURES}, {unit}"),
        },
        unit,
        values: &[|row| {
            let limit = row.cell.text("limit").unwrap_or_default();
            let value = value(row).filter(|_| row.status == Status::Ok).into_iter();
            let named = value.map(|value| (limit.replace('_', " "), String::new(), value));
            named.collect()
        }],
        caption: "",
    })]]),
    ..Table::EMPTY
};

/// The title of its figures, before their unit.
const FIGURES: &str = "Measured limits of the device";

fn unit(row: &Record) -> &'static str {
    limit(&row.cell).map_or("", Limit::unit)
}

fn limit(cell: &Cell) -> Option<Limit> {
    Limit::by_name(cell.text("limit")?)
}

/// The limit in its unit, from what was done in the time that was measured.
pub(crate) fn value(record: &Record) -> Option<f64> {
    let of_time = || {
        let (work, timing) = (record.number("work")?, timed(record)?);
        Some(limit(&record.cell)?.value(work, timing.median_ms))
    };
    // The first records have the value itself.
    of_time().or_else(|| record.number("value"))
}

/// What was timed: a kernel, or what the host waits for.
fn timed(record: &Record) -> Option<&Timing> {
    record.timing("kernel").or_else(|| record.timing("gpu"))
}

/// Threads of a block, where the shape is free.
const THREADS: u32 = 256;

/// Turns of the chains of a full grid: milliseconds on a large GPU.
const TURNS: u32 = 300;

/// Turns of one thread's chain.
const LATENCY_TURNS: u32 = 10_000;

/// The most bytes of a copy on the device, one way: well beyond its caches.
const COPIED: u64 = 1 << 28;

/// Bytes of a long copy between host and device.
const LONG: usize = 1 << 26;

/// Bytes of a short one.
const SHORT: usize = 8;

/// A grid of one chain.
const ONE_THREAD: Chains = Chains {
    blocks: 1,
    threads: 1,
    turns: LATENCY_TURNS,
};

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> Result<()> {
    let limit = cell.read(limit)?;
    if !bench.device().properties().has_timer {
        bench.skip("the emulator has no times");
        return Ok(());
    }
    let mut measuring = Measuring {
        device: bench.device().clone(),
        module: bench.module().clone(),
        bench,
        limit,
    };
    let grid = measuring.full_grid();
    match limit {
        Limit::FmaF64 | Limit::SqrtF64 => measuring.chains(limit::chains_f64, grid, CHAINS),
        Limit::FmaF32 | Limit::SqrtF32 | Limit::SqrtApproxF32 => {
            measuring.chains(limit::chains_f32, grid, CHAINS)
        }
        Limit::FmaLatencyF64 | Limit::SqrtLatencyF64 => {
            measuring.chains(limit::chains_f64, ONE_THREAD, 1)
        }
        Limit::FmaLatencyF32 | Limit::SqrtLatencyF32 => {
            measuring.chains(limit::chains_f32, ONE_THREAD, 1)
        }
        Limit::SharedLatency => measuring.shared_latency(),
        Limit::Copy => measuring.copy(),
        Limit::CopyIn => measuring.host_copy(LONG, |buffer, host| buffer.copy_from(host)),
        Limit::CopyOut => measuring.host_copy(LONG, |buffer, host| buffer.copy_to(host)),
        Limit::CopyInLatency => measuring.host_copy(SHORT, |buffer, host| buffer.copy_from(host)),
        Limit::CopyOutLatency => measuring.host_copy(SHORT, |buffer, host| buffer.copy_to(host)),
        Limit::Launch => measuring.launch(),
        Limit::LaunchAndWait => measuring.launch_and_wait(),
    }
}

struct Measuring<'a, 'b> {
    device: Device,
    module: Module,
    bench: &'a mut Bench<'b>,
    limit: Limit,
}

impl Measuring<'_, '_> {
    /// As many threads as the device holds at once.
    fn full_grid(&self) -> Chains {
        let properties = self.device.properties();
        let blocks = (properties.max_threads_per_sm / THREADS).max(1);
        Chains {
            blocks: properties.sm_count * blocks,
            threads: THREADS,
            turns: TURNS,
        }
    }

    /// The chains of a limit, launched by `launch`.
    fn chains<T: Pod + Into<f64>>(
        &mut self,
        launch: fn(Limit, &Module, Chains, &mut Buffer<T>) -> Result<()>,
        of: Chains,
        chains: usize,
    ) -> Result<()> {
        let mut results = self.device.alloc_zeroed::<T>(threads(of))?;
        let (limit, module) = (self.limit, self.module.clone());
        let work = threads(of) as f64 * f64::from(of.turns) * (STEPS * chains) as f64;
        self.kernel(&mut || launch(limit, &module, of, &mut results), work)?;
        let results: Vec<f64> = results.to_vec()?.into_iter().map(Into::into).collect();
        self.judge(of, chains, &results);
        Ok(())
    }

    /// Every thread's chains have the same end.
    fn judge(&mut self, of: Chains, chains: usize, results: &[f64]) {
        let steps = u64::from(of.turns) * STEPS as u64;
        let first = results.first().copied().unwrap_or(f64::NAN);
        let right = chains::is_right(self.limit, chains as u32, steps, first);
        let right = right && results.iter().all(|&sum| sum == first);
        let wrong = (!right).then(|| format!("the chains end at {first}, which is not right"));
        self.bench.expect(wrong);
    }

    /// In one thread's steps: the ring has them all.
    fn shared_latency(&mut self) -> Result<()> {
        let mut result = self.device.alloc_zeroed::<u32>(1)?;
        let module = self.module.clone();
        let mut launch = || limit::shared_latency(&module, LATENCY_TURNS, &mut result);
        let steps = u64::from(LATENCY_TURNS) * STEPS as u64;
        self.kernel(&mut launch, steps as f64)?;
        let (found, expected) = (result.to_vec()?, (steps % RING as u64) as u32);
        let wrong = (found != [expected])
            .then(|| format!("the chase ends at {found:?}, not at [{expected}]"));
        self.bench.expect(wrong);
        Ok(())
    }

    /// Bytes read and bytes written.
    fn copy(&mut self) -> Result<()> {
        let bytes = COPIED.min(self.device.memory_info()?.free / 4);
        let blocks = (bytes / (u64::from(THREADS) * COPIED_BY_A_THREAD as u64)).max(1) as u32;
        let vectors = blocks as usize * THREADS as usize * COPIED_BY_A_THREAD / 16;
        let pattern: Vec<[u32; 4]> = (0..vectors as u32).map(|i| [i, !i, i << 8, 7]).collect();
        let input = self.device.upload(&pattern)?;
        let mut output = self.device.alloc_zeroed::<[u32; 4]>(vectors)?;
        let module = self.module.clone();
        let mut launch = || limit::copy(&module, (blocks, THREADS), &input, &mut output);
        self.kernel(&mut launch, 2.0 * 16.0 * vectors as f64)?;
        let wrong = (output.to_vec()? != pattern).then(|| "the copy is not its source".to_owned());
        self.bench.expect(wrong);
        Ok(())
    }

    /// Pageable memory, as in the page's span, by the host's clock.
    fn host_copy(
        &mut self,
        bytes: usize,
        mut copy: impl FnMut(&mut Buffer<u8>, &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        let mut host = vec![1_u8; bytes];
        let mut buffer = self.device.upload(&host)?;
        let work = match self.limit {
            Limit::CopyIn | Limit::CopyOut => bytes as f64,
            _ => 1.0,
        };
        self.span(work, || copy(&mut buffer, &mut host))
    }

    fn launch(&mut self) -> Result<()> {
        let mut output = self.device.alloc_zeroed::<u32>(1)?;
        let module = self.module.clone();
        self.kernel(&mut || limit::empty(&module, &mut output), 1.0)
    }

    fn launch_and_wait(&mut self) -> Result<()> {
        let mut output = self.device.alloc_zeroed::<u32>(1)?;
        let module = self.module.clone();
        self.span(1.0, || limit::empty(&module, &mut output))
    }

    /// Times a kernel by the device's events.
    fn kernel(&mut self, launch: timing::Launch<'_>, work: f64) -> Result<()> {
        if !self.bench.is_timed() {
            return launch();
        }
        self.bench.put("work", Some(work));
        self.bench.time(launch)
    }

    /// Times what the host waits for by its own clock.
    fn span(&mut self, work: f64, mut once: impl FnMut() -> Result<()>) -> Result<()> {
        let device = self.device.clone();
        let mut timed = || {
            device.synchronize()?;
            let start = Instant::now();
            once()?;
            device.synchronize()?;
            Ok::<f64, quadscan::Error>(milliseconds(start.elapsed()))
        };
        // The first one pays for what the driver sets up lazily.
        timed()?;
        if self.bench.is_timed() {
            let gpu = sample(&self.bench.rule(), timed)?;
            self.bench.put("gpu", gpu);
            self.bench.put("work", Some(work));
        }
        Ok(())
    }
}

fn threads(of: Chains) -> usize {
    of.blocks as usize * of.threads as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::sample::record;
    use crate::tables::testing::{asked, cells, csv, emulated, expect_unknown, measured};

    fn cell(limit: &str) -> Cell {
        Cell::default().with("limit", limit)
    }

    #[test]
    fn every_cell_is_a_limit_that_the_device_is_asked_for() {
        let cells = cells(&TABLE, &asked(&[]));
        let limits: Vec<Limit> = cells.iter().filter_map(limit).collect();
        assert_eq!(limits, Limit::ALL);
        expect_unknown(&mut emulated(), &TABLE, &cell("fma"));
    }

    #[test]
    fn a_device_without_times_has_none_of_them() {
        let row = measured(&mut emulated(), &TABLE, &cell("copy"));
        let said = "the emulator has no times";
        assert_eq!(
            (row.status, row.reason.as_deref()),
            (Status::Skipped, Some(said))
        );
        assert_eq!(row.metrics.get("value"), None);
    }

    #[test]
    fn json_has_the_value_with_its_unit() {
        let row = record("limits", cell("copy"))
            .having("work", 4e9)
            .taking("kernel", 2.0);
        let mut timed = row.clone();
        (TABLE.complete)(&mut timed);
        let value = timed.metrics.get("value");
        assert_eq!(value, Some(&Metric::Number(2000.0, "GB/s".into())));
        let mut skipped = record("limits", cell("copy"));
        (TABLE.complete)(&mut skipped);
        assert_eq!(skipped.metrics.get("value"), None);
    }

    #[test]
    fn a_value_is_of_the_time_that_is_kept_with_it() {
        let row = record("limits", cell("copy")).having("work", Metric::Number(4e9, String::new()));
        let row = row.taking("kernel", 2.0);
        // 4e9 bytes in 2 ms.
        let lines = csv(&TABLE, &[row]);
        assert!(
            lines[0].starts_with("limit,value,unit,ms,noise_percent,"),
            "{lines:?}"
        );
        assert!(lines[1].starts_with("copy,2000,GB/s,2,"), "{lines:?}");
    }
}
