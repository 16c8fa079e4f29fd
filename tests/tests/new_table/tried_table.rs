//! `tried`: a kernel of the table `kernels` with a table of its own, by elements and launches.

use crate::axes::{Axis, SIZES, Values, own};
use crate::kernels;
use crate::measure::Bench;
use crate::record::Cell;
use crate::table::column::{OUTCOME, axis, count, us};
use crate::table::{Table, TableAxis, values};

/// How often the kernel is launched before its result is compared.
const LAUNCHES: Axis = own("launches", Values::Numbers(100));

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "tried",
    about: "a kernel that is launched again and again",
    axes: &[
        TableAxis::of(&SIZES).usual(|_, _| values([8_u64, 1000])),
        TableAxis::of(&LAUNCHES).usual(|_, _| values([1_u64])),
    ],
    columns: &[
        &[
            axis("n"),
            axis("launches"),
            count("done"),
            us("us", "kernel"),
        ],
        &OUTCOME,
    ],
    modules: |_| vec!["tried_map".to_owned()],
    measure,
    ..Table::EMPTY
};

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> quadscan::Result<()> {
    let of = |cell: &Cell| Some((kernels::by_name("tried_map")?, cell.number("n")?));
    let (kernel, n) = cell.read(of)?;
    let mut prepared = (kernel.prepare)(bench.module(), n)?;
    let launches = cell.number("launches").unwrap_or_default();
    for _ in 0..launches {
        prepared.launch()?;
    }
    bench.put("done", Some(launches));
    if bench.expect(prepared.difference()?) && bench.is_timed() {
        bench.time(&mut || prepared.launch())?;
    }
    Ok(())
}
