//! `faults`: kernels that misbehave on purpose, to show that a run survives them.
//!
//! Documented, but no benchmark: `quadscan bench faults --cell-timeout 5` runs a
//! harmless kernel, one that writes to an invalid address, a harmless one, one
//! that outlasts the time limit, and a harmless one. The second and the fourth
//! become failed rows, the others are ok, and the exit code is 1.

use std::time::Duration;

use crate::diagnostics;
use crate::measure::Bench;
use crate::record::Cell;
use crate::table::Table;
use crate::table::column::{OUTCOME, axis};

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "faults",
    about: "kernels that fault or hang on purpose, and what becomes of the run",
    columns: &[&[axis("step"), axis("kernel")], &OUTCOME],
    cells: Some(|_, _| {
        let cell = |(index, kernel): (u32, &str)| {
            let cell = Cell::default().with("step", index);
            cell.with("kernel", kernel)
        };
        Ok((1..).zip(CELLS).map(cell).collect())
    }),
    measure,
    ..Table::EMPTY
};

const HEALTHY: &str = "healthy";
const FAULT: &str = "fault";
const HANG: &str = "hang";

/// The kernels, in order.
const CELLS: [&str; 5] = [HEALTHY, FAULT, HEALTHY, HANG, HEALTHY];

/// How long the hanging kernel spins: longer than anybody waits for it, and not
/// forever.
const FOREVER: Duration = Duration::from_secs(120);

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> quadscan::Result<()> {
    let module = bench.module();
    match cell.text("kernel") {
        Some(FAULT) => diagnostics::run_fault(module),
        Some(HANG) => diagnostics::run_hang(module, FOREVER).map(drop),
        _ => diagnostics::run_hang(module, Duration::from_millis(1)).map(drop),
    }
}
