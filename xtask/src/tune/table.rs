//! The rows of the table as a source file, and what changed, in words.

use std::fmt::Write;

use quadscan_kernels::scan::tuning::{Row, Stream, Thresholds, Tile};

const HEAD: &str = "\
//! What `cargo xtask tune scan` found: the constants of scans, a row a width class.
//!
//! The whole file is written by that command, from the record that [`RECORD`] names; what a
//! row means, and which one holds for a class that has none, is in
//! [`tuning`](super::tuning).

use super::tuning::{Row, Stream, Thresholds, Tile};

/// What justifies the rows.
pub const RECORD: &str = ";

/// The file, in the form that rustfmt leaves as it is.
pub(crate) fn source(record: &str, rows: &[Row]) -> String {
    let mut source = format!(
        "{HEAD}{record:?};\n\n/// The rows.\npub const ROWS: [Row; {}] = [\n",
        rows.len()
    );
    for row in rows {
        // Writing to a string does not fail.
        let _ = write!(source, "{}", row_source(row));
    }
    source.push_str("];\n");
    source
}

fn row_source(row: &Row) -> String {
    let tile = |Tile { warps, rows }| format!("Tile {{ warps: {warps}, rows: {rows} }}");
    let thresholds = |of: Thresholds| {
        let (small, wave) = (of.one_wave_small, of.one_wave);
        format!(
            "Thresholds {{\n            one_wave_small: {small},\n            one_wave: {wave},\n        }}"
        )
    };
    let Stream {
        workers,
        times,
        delay,
        ahead,
    } = row.lookahead;
    format!(
        "    Row {{\n        element: {},\n        result: {},\n        one_block: {},\n        \
         one_wave_small: {},\n        one_wave: {},\n        lookahead: Stream {{\n            \
         workers: {workers},\n            times: {times},\n            delay: {delay},\n            \
         ahead: {ahead},\n        }},\n        sm_90: {},\n        older: {},\n    }},\n",
        row.element,
        row.result,
        tile(row.one_block),
        tile(row.one_wave_small),
        tile(row.one_wave),
        thresholds(row.sm_90),
        thresholds(row.older),
    )
}

/// A line for every class, with what changed in it.
pub(crate) fn changes(before: &[Row], after: &[Row]) -> Vec<String> {
    let pairs = before.iter().zip(after);
    pairs
        .map(|(before, after)| {
            let changed = fields(before).into_iter().zip(fields(after));
            let changed = changed.filter(|(before, after)| before != after);
            let changed: Vec<String> = changed
                .map(|((name, before), (_, after))| format!("{name} {before} -> {after}"))
                .collect();
            let what = match changed.is_empty() {
                true => "as it was".to_owned(),
                false => changed.join(", "),
            };
            format!("{} to {} bytes: {what}", after.element, after.result)
        })
        .collect()
}

fn fields(row: &Row) -> Vec<(&'static str, String)> {
    let tile = |Tile { warps, rows }| format!("{warps}x{rows}");
    let Stream {
        workers,
        times,
        delay,
        ahead,
    } = row.lookahead;
    let bytes = |bytes: u64| bytes.to_string();
    vec![
        ("one_block", tile(row.one_block)),
        ("one_wave_small", tile(row.one_wave_small)),
        ("one_wave", tile(row.one_wave)),
        ("lookahead", format!("{workers}x{times}+{delay}+{ahead}")),
        ("up to one_wave_small", bytes(row.sm_90.one_wave_small)),
        ("up to one_wave", bytes(row.sm_90.one_wave)),
        (
            "up to one_wave_small, older",
            bytes(row.older.one_wave_small),
        ),
        ("up to one_wave, older", bytes(row.older.one_wave)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadscan_kernels::scan::tuned::ROWS;

    #[test]
    fn a_class_says_what_changed_or_that_nothing_did() {
        let mut after = ROWS;
        after[0].one_wave = Tile { warps: 3, rows: 7 };
        let lines = changes(&ROWS, &after);
        assert!(lines[0].ends_with("-> 3x7"), "{}", lines[0]);
        assert_eq!(lines[4], "4 to 4 bytes: as it was");
        assert_eq!(lines.len(), ROWS.len());
    }
}
