//! What the tests of tables have in common: what lists ask for, cells measured on the emulator,
//! and rows beside made-up times of peers.

use crate::export::{self, Format};
use crate::measure::{Bench, Sampling, Session};
use crate::record::{Cell, Metric, Peer, Record, Time};
use crate::table::{Asked, Table};
use crate::timing::Timing;
use quadscan::Result;
use quadscan::device::Device;
use quadscan::device::emulator::{Counting, Emulator, Settings};

/// What a command line with these lists asks for, each by its option without dashes.
pub(super) fn asked(lists: &[(&str, &str)]) -> Asked {
    let lists = lists
        .iter()
        .map(|&(option, text)| (option.to_owned(), text.to_owned()));
    Asked {
        lists: lists.collect(),
        known: super::known(&super::all()),
        ..Asked::default()
    }
}

/// The cells of a table that are asked for.
pub(super) fn cells(table: &Table, asked: &Asked) -> Vec<Cell> {
    table.selected(asked).expect("cells of what fits the table")
}

/// The cells of a table that lists ask for, in words.
pub(super) fn described(table: &Table, lists: &[(&str, &str)]) -> Vec<String> {
    cells(table, &asked(lists))
        .iter()
        .map(Cell::describe)
        .collect()
}

/// Why a table has no cells of such lists.
pub(super) fn problem(table: &Table, lists: &[(&str, &str)]) -> String {
    let cells = table.selected(&asked(lists));
    cells
        .expect_err("lists that do not fit the table")
        .to_string()
}

/// The emulator with our kernels, whose launches are counted.
pub(super) fn emulated() -> Session {
    let counting = Counting::default();
    let steps = counting.steps();
    let emulator = Emulator::observed(Settings::default(), Box::new(counting));
    let artifact = crate::modules::ours().expect("the program was built whole");
    let module = Device::from_backend(Box::new(emulator)).load(&artifact);
    let module = module.expect("the emulator runs its own PTX");
    Session::new(module, artifact, Some(steps), None)
}

/// What the device says of a cell, with its counts; times are asked for, as far as the device
/// has any. Or why it says nothing.
pub(super) fn tried(session: &mut Session, table: &Table, cell: &Cell) -> Result<Record> {
    session.device.take_counts();
    let sampling = Sampling::default();
    let mut bench = Bench::new(session, &sampling, (table.name, cell));
    (table.measure)(cell, &mut bench)?;
    let record = bench.finish().record;
    Ok(Record {
        counts: session.device.take_counts(),
        ..record
    })
}

/// What the device says of a cell that the table has.
pub(super) fn measured(session: &mut Session, table: &Table, cell: &Cell) -> Record {
    let record = tried(session, table, cell);
    record.unwrap_or_else(|error| panic!("{} {}: {error}", table.name, cell.describe()))
}

/// Expects that the measuring process does not know a cell, and says which one.
pub(super) fn expect_unknown(session: &mut Session, table: &Table, cell: &Cell) {
    let said = tried(session, table, cell).map_err(|error| error.to_string());
    let cell = cell.describe();
    let sentence = format!("cell `{cell}` is unknown to the measuring process");
    assert_eq!(said, Err(sentence));
}

/// A row with times of peers, us.
pub(super) fn beside(row: Record, peers: &[(&str, f64)]) -> Record {
    peers.iter().fold(row, |row, &(name, us)| {
        let time = Time {
            timing: Timing::from_samples(vec![1e-3 * us]).expect("there is a sample"),
            method: Some("graph of 2".to_owned()),
            peer: Some(Peer {
                name: name.to_owned(),
                version: name.to_owned(),
            }),
        };
        row.having(name, Metric::Time(time))
    })
}

/// The columns that a terminal has of rows, as lines of CSV: the names first.
pub(super) fn csv(table: &Table, rows: &[Record]) -> Vec<String> {
    let columns = export::select(table.columns_of(rows), Format::Table, false);
    let text = export::render(Format::Csv, &columns, rows);
    text.lines().map(str::to_owned).collect()
}

/// Expects that rows come back from their lines of JSON.
pub(super) fn expect_to_come_back(rows: &[Record]) {
    for row in rows {
        let line = serde_json::to_string(row).expect("records have a form");
        assert_eq!(
            serde_json::from_str::<Record>(&line).ok().as_ref(),
            Some(row)
        );
    }
}
