//! What the command line asks of a comparison: its margin, and how many processes
//! measure.

use crate::bench::list;
use crate::cli::BenchArguments;
use crate::error::Result;
use crate::measure::comparison::MARGIN;

/// The most measuring processes: each holds a context on the device.
const MOST_PROCESSES: u64 = 32;

/// Measuring processes of a run that is to be compared: with twelve then and twelve
/// now, ten rows or ten thousand have an interval.
const COMPARED_PROCESSES: u32 = 12;

/// `--margin`, as a part.
pub(in crate::bench) fn margin(arguments: &BenchArguments) -> Result<f64> {
    match &arguments.margin {
        Some(text) => list::percentage("--margin", text),
        None => Ok(MARGIN),
    }
}

/// `--processes`.
pub(in crate::bench) fn processes(arguments: &BenchArguments) -> Result<u32> {
    match &arguments.processes {
        Some(text) => {
            let number = list::number("--processes", text, 1..=MOST_PROCESSES)?;
            Ok(u32::try_from(number).unwrap_or(1))
        }
        None if arguments.save.is_some() || arguments.baseline.is_some() => Ok(COMPARED_PROCESSES),
        None => Ok(1),
    }
}
