//! What the page begins with, what it makes of the emulator's records, and the pictures that stand
//! alone, which the docs have of a kept record.

use std::fs;
use std::path::Path;

use super::super::pictures;
use super::*;
use crate::export::Grid;
use quadscan::device::Counts;

#[test]
fn the_page_begins_with_what_is_claimed() {
    let parsed = Html::parse_document(&checked(&[source("h200", h200())]));
    let sections: Vec<&str> = all(&parsed, "main > section")
        .into_iter()
        .filter_map(|section| section.attr("id"))
        .collect();
    assert_eq!(sections[..3], ["claims", "summary", "agreement"]);
    let claims: Vec<String> = all(&parsed, "#claims figure > h4")
        .into_iter()
        .map(text)
        .collect();
    assert_eq!(
        claims,
        [
            "The published sweep in f64, then and now: NVIDIA H200",
            "The published sweep in f32, then and now: NVIDIA H200",
        ]
    );
}

#[test]
fn the_emulator_has_its_own_name_its_counts_and_no_empty_figure() {
    let emulator = device("H200 (emulated)", "emulator");
    let mut row = timeless(&emulator, 1, 32);
    row.counts = Some(Counts {
        warp_instructions: 4321,
        shared_wavefronts: Some(6),
        ideal_shared_wavefronts: Some(3),
        ..Counts::default()
    });
    let page = checked(&[source("a", vec![row])]);
    let parsed = Html::parse_document(&page);
    let title = all(&parsed, "head > title").into_iter().next().map(text);
    assert_eq!(title.as_deref(), Some("quadscan: PTX emulator"));
    assert!(all(&parsed, ".absent, #claims").is_empty());
    assert_eq!(
        figures(&page),
        ["sweep-f64, PTX emulator: warp instructions of a launch"]
    );
    let agreement = all(&parsed, "#agreement td").into_iter().map(text);
    let agreement: Vec<String> = agreement.collect();
    assert_eq!(
        agreement,
        ["PTX emulator", "sweep-f64", "1", "1", "0", "0", "4321", "2"]
    );
    assert!(whole_text(&page).contains("with the limits of H200"));
}

/// The kept record that pictures are made of, and the command that makes them.
const KEPT: &str = "docs/records/2026-11-23-h200.jsonl";

#[test]
fn pictures_in_the_docs_are_those_of_the_kept_record() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let Ok((records, _)) = crate::record::file::read(&root.join(KEPT)) else {
        panic!("{KEPT} cannot be read")
    };
    let pictures = pictures(&[source("kept", records)]);
    let folder = root.join("docs/pictures");
    let kept = fs::read_dir(&folder)
        .expect("the folder is in the tree")
        .count();
    assert_eq!(kept, pictures.len());
    for (name, text) in pictures {
        let kept = fs::read_to_string(folder.join(&name)).unwrap_or_default();
        assert!(
            kept == text,
            "docs/pictures/{name} is not what {KEPT} gives: run `cargo xtask report {KEPT} \
             --pictures docs/pictures --output target/report.html`"
        );
    }
}

#[test]
fn a_picture_alone_loads_nothing_and_says_where_it_is_from() {
    let mut row = cell(&device("<gpu>", "cuda"), 2, 8, 0.5).taking("gpu", 0.7);
    row.cell = row.cell.with("strips", 65536_u64 * 256);
    let pictures = pictures(&[source("a", vec![row])]);
    let [(name, picture)] = &pictures[..] else {
        panic!("{} pictures", pictures.len())
    };
    assert_eq!(name, "sweep-f64.svg");
    let parsed = Html::parse_fragment(picture);
    assert!(foreign(&parsed).is_empty());
    assert_eq!(all(&parsed, "svg > title, svg > desc").len(), 2);
    let words = text(parsed.root_element());
    assert!(words.contains("<gpu>, 2026-01-01."), "{words}");
    assert!(picture.contains("prefers-color-scheme: dark"));
}

/// The CSV files whose rows the kept record has.
const TABLES: [(&str, &str); 4] = [
    ("scan", "2026-11-23-h200-arrays/scan.csv"),
    ("reduce", "2026-11-23-h200-arrays/reduce.csv"),
    ("integral", "2026-11-23-h200-integrals/integral.csv"),
    ("integrals", "2026-11-22-h200-integrals/integrals.csv"),
];

/// Columns that are made of medians or samples.
const MADE: [&str; 6] = [
    "noise_percent",
    "gb_per_s",
    "percent_of_copy",
    "g_strips_per_s",
    "g_evaluations_per_s",
    "integrals_per_s",
];

#[test]
fn the_kept_record_has_the_rows_of_the_kept_tables() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/records");
    let Ok((records, _)) = crate::record::file::read(&folder.join("2026-11-23-h200.jsonl")) else {
        panic!("{KEPT} cannot be read")
    };
    for (name, file) in TABLES {
        let table = crate::tables::by_name(name).expect("a table of ours");
        let rows: Vec<Record> = records
            .iter()
            .filter(|row| row.table == name)
            .cloned()
            .collect();
        let ours = Grid::of(&table.columns_of(&rows), &rows);
        let mut kept = csv::Reader::from_path(folder.join(file)).expect("a kept table");
        let header = kept.headers().expect("a header").clone();
        let theirs: Vec<csv::StringRecord> =
            kept.records().map(|row| row.expect("a row")).collect();
        assert_eq!(ours.rows.len(), theirs.len(), "{file}");
        for (place, column) in ours.header.iter().enumerate() {
            // Medians were kept, and no samples; these were made of more digits.
            let is_made = MADE.contains(&&**column) || column.ends_with("ratio");
            let Some(kept) = header
                .iter()
                .position(|name| name == column)
                .filter(|_| !is_made)
            else {
                continue;
            };
            for (ours, theirs) in ours.rows.iter().zip(&theirs) {
                assert_eq!(ours[place], theirs[kept], "{file}, {column}: {ours:?}");
            }
        }
    }
}
