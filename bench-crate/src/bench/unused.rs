//! Options that have no effect on these tables or on this device: a warning, not an error.
//! They follow from the tables' declarations and cells.

use super::console::Console;
use super::request::Request;
use super::workers::Workers;
use crate::cli::BenchArguments;
use crate::export::Format;
use crate::record::Cell;
use crate::table::column::KERNEL_COLD;
use crate::table::{Source, Table};

/// Says which options have no effect on the tables.
pub(super) fn warn(arguments: &BenchArguments, request: &Request, console: &mut dyn Console) {
    let asked = request.asked();
    let tables = || request.tables.iter().map(|(table, _)| *table);
    let any_cell = |is_it: &dyn Fn(&Table, &Cell) -> bool| {
        let mut tables = request.tables.iter();
        tables.any(|(table, cells)| cells.iter().any(|cell| is_it(table, cell)))
    };
    let mut unused: Vec<String> = Vec::new();
    for (option, _) in &asked.lists {
        let is_used = any_cell(&|table, cell| {
            let mut axes = table.axes.iter().map(|of| of.axis);
            axes.any(|axis| axis.option == option && cell.get(axis.name).is_some())
        });
        unused.extend((!is_used).then(|| format!("--{option}")));
    }
    for (name, _) in &asked.axes {
        let is_used = any_cell(&|table, cell| {
            let is_declared = table.axes.iter().any(|of| of.axis.name == name);
            is_declared && cell.get(name).is_some()
        });
        unused.extend((!is_used).then(|| format!("--axis {name}")));
    }
    let mut of_peers = |option: &str, is_given: bool, takes: fn(&Source) -> bool| {
        let is_used = tables().any(|table| table.peers.iter().any(takes));
        unused.extend((is_given && !is_used).then(|| option.to_owned()));
    };
    of_peers("--peers", arguments.peers.is_some(), |_| true);
    of_peers("--cub", arguments.cub.is_some(), Source::takes_cub);
    of_peers("--python", arguments.python.is_some(), Source::takes_python);
    for flag in &asked.flags {
        let others = asked.flags.iter().filter(|other| *other != flag);
        let without = asked.with_flags(others.cloned().collect());
        let adds = |(table, cells): &(&Table, Vec<Cell>)| {
            let left = table.selected(&without);
            left.map_or(true, |left| left.len() != cells.len())
        };
        let is_used = request.tables.iter().any(adds);
        unused.extend((!is_used).then(|| format!("--{flag}")));
    }
    if request.no_pdl && !tables().any(|table| table.is_of_plans) {
        unused.push("--no-pdl".to_owned());
    }
    let has_cold = |table: &Table| {
        let mut columns = table.columns.iter().copied().flatten();
        columns.any(|column| column.name == KERNEL_COLD)
    };
    if arguments.cold && (request.published || !tables().any(has_cold)) {
        unused.push("--cold".to_owned());
    }
    for name in unused {
        console.notice(&format!("warning: {name} has no effect on these tables"));
    }
    if arguments.full_tables && request.format != Format::Table {
        console.notice("warning: --full-tables has no effect without --format table");
    }
    if arguments.margin.is_some() && arguments.baseline.is_none() {
        console.notice("warning: --margin has no effect without --baseline");
    }
}

/// What has no effect on the device that measures.
pub(super) fn on_device(request: &Request, workers: &Workers) -> Vec<String> {
    let on_emulator = [
        (request.cold, "--cold", "which has no times"),
        (request.no_pdl, "--no-pdl", "whose launches always wait"),
    ];
    let on_emulator = on_emulator.iter().filter(|_| workers.is_emulated());
    let unused = on_emulator.filter(|(is_given, ..)| *is_given);
    unused
        .map(|(_, name, why)| format!("{name} has no effect on the emulator, {why}"))
        .collect()
}

/// What has another name now, and takes the old one for one release.
pub(super) fn renamed(arguments: &BenchArguments) -> Option<&'static str> {
    let renamed = "--one-by-one is called --no-pdl now; the next release removes the old name";
    arguments.one_by_one.then_some(renamed)
}
