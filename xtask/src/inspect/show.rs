//! Figures as text and JSON, on stdout. Nothing is worked out here.

use comfy_table::{CellAlignment, Table, presets::NOTHING};
use cuda_inspect::class::{Class, Mix};
use cuda_inspect::figures::{Change, Figures};
use serde::Serialize;

use super::Format;
use super::artifact::Described;

/// What differs on one architecture.
type Changes = (String, Vec<Change>);

pub(super) fn figures(described: &Described, found: &[Figures], format: Format) {
    match format {
        Format::Text => print!("{}", text(described, found)),
        Format::Json => println!("{}", json(described, found)),
    }
}

pub(super) fn changes(entry: &str, revision: &str, compared: &[Changes], format: Format) {
    match format {
        Format::Text => print!("{}", changes_text(entry, revision, compared)),
        Format::Json => println!("{}", changes_json(entry, revision, compared)),
    }
}

fn text(described: &Described, found: &[Figures]) -> String {
    let kernel = &described.kernel;
    let mut out = format!(
        "{}, {}, part {}\n",
        kernel.entry, kernel.module, described.part
    );
    let bound = |what: &str, value: u32| match value {
        0 => String::new(),
        value => format!("{what} {value}; "),
    };
    let mut bounds = [
        bound("launch bound", kernel.max_threads),
        bound("blocks per SM at least", kernel.min_blocks),
        bound("registers at most", kernel.max_registers),
    ]
    .concat();
    if kernel.cluster.iter().any(|&blocks| blocks > 0) {
        let [x, y, z] = kernel.cluster;
        bounds.push_str(&format!("clusters of {x} x {y} x {z}; "));
    }
    if kernel
        .compiled
        .as_ref()
        .is_some_and(|compiled| compiled.dynamic_shared)
    {
        bounds.push_str("dynamic shared memory: --shared BYTES; ");
    }
    if !bounds.is_empty() {
        out.push_str(bounds.trim_end_matches("; "));
        out.push('\n');
    }
    out.push('\n');
    let mut rows = vec![head(found)];
    let columns: Vec<_> = found.iter().map(Figures::rows).collect();
    for (index, (name, _)) in columns.first().into_iter().flatten().enumerate() {
        let cells = columns.iter().map(|column| column[index].1.clone());
        rows.push([(*name).to_owned()].into_iter().chain(cells).collect());
    }
    out.push_str(&table(&rows));
    out.push('\n');
    out.push_str(&mix(found));
    out
}

/// `sm_86 (PTX of sm_75)`.
fn head(found: &[Figures]) -> Vec<String> {
    let name = |figures: &Figures| match figures.arch == figures.ptx_arch {
        true => figures.arch.clone(),
        false => format!("{} (PTX of {})", figures.arch, figures.ptx_arch),
    };
    [String::new()]
        .into_iter()
        .chain(found.iter().map(name))
        .collect()
}

/// Instructions by class; classes that nobody has are left out.
fn mix(found: &[Figures]) -> String {
    let columns: Vec<(String, &Mix)> = found
        .iter()
        .flat_map(|figures| {
            let sass = figures.sass_mix.iter();
            let sass = sass.map(|mix| (format!("{} SASS", figures.arch), mix));
            [(format!("{} PTX", figures.arch), &figures.ptx_mix)]
                .into_iter()
                .chain(sass)
        })
        .collect();
    let names = columns.iter().map(|(name, _)| name.clone());
    let mut rows = vec![
        ["instructions".to_owned()]
            .into_iter()
            .chain(names)
            .collect(),
    ];
    let mut row = |name: &str, count: &dyn Fn(&Mix) -> u64| {
        let cells = columns.iter().map(|(_, mix)| count(mix).to_string());
        rows.push([name.to_owned()].into_iter().chain(cells).collect());
    };
    row("all", &Mix::total);
    for class in Class::ALL {
        if columns.iter().any(|(_, mix)| mix.get(class) > 0) {
            row(class.name(), &|mix| mix.get(class));
        }
    }
    table(&rows)
}

/// Lines of cells: the first column to the left, the others to the right.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING);
    table.add_rows(rows);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = table.to_string();
    let lines = lines.lines().map(|line| format!("{}\n", line.trim_end()));
    lines.collect()
}

fn json(described: &Described, found: &[Figures]) -> String {
    #[derive(Serialize)]
    struct Whole<'f> {
        kernel: &'f str,
        module: &'f str,
        part: &'f str,
        architectures: &'f [Figures],
    }
    pretty(&Whole {
        kernel: &described.kernel.entry,
        module: &described.kernel.module,
        part: &described.part,
        architectures: found,
    })
}

/// A value of strings, numbers and lists, which has a JSON form.
pub(super) fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn changes_text(entry: &str, revision: &str, compared: &[Changes]) -> String {
    if compared.iter().all(|(_, changes)| changes.is_empty()) {
        return format!("{entry}: nothing differs from {revision}\n");
    }
    let mut out = format!("{entry}, {revision} -> now\n");
    for (arch, changes) in compared {
        if changes.is_empty() {
            out.push_str(&format!("\n{arch}: nothing differs\n"));
            continue;
        }
        out.push_str(&format!("\n{arch}\n"));
        let rows: Vec<Vec<String>> = changes
            .iter()
            .map(
                |Change {
                     figure,
                     before,
                     after,
                 }| {
                    vec![figure.clone(), known(before), "->".to_owned(), known(after)]
                },
            )
            .collect();
        out.push_str(&table(&rows));
    }
    out
}

fn known(value: &str) -> String {
    match value {
        "" => "not known".to_owned(),
        value => value.to_owned(),
    }
}

fn changes_json(entry: &str, revision: &str, compared: &[Changes]) -> String {
    #[derive(Serialize)]
    struct Whole<'c> {
        kernel: &'c str,
        against: &'c str,
        architectures: Vec<Of<'c>>,
    }
    #[derive(Serialize)]
    struct Of<'c> {
        arch: &'c str,
        changes: &'c [Change],
    }
    let architectures = compared.iter().map(|(arch, changes)| Of { arch, changes });
    pretty(&Whole {
        kernel: entry,
        against: revision,
        architectures: architectures.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(figure: &str, before: &str, after: &str) -> Change {
        Change {
            figure: figure.into(),
            before: before.into(),
            after: after.into(),
        }
    }

    #[test]
    fn columns_are_aligned_and_end_without_blanks() {
        let rows = [["a", "sm_75"], ["registers", "7"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), "a          sm_75\nregisters      7\n");
    }

    #[test]
    fn a_change_shows_before_and_after_and_what_is_equal_is_said_once() {
        let both = [
            ("sm_75".to_owned(), vec![]),
            (
                "sm_90".to_owned(),
                vec![
                    change("registers", "40", "168"),
                    change("SASS: fp64", "", "12"),
                ],
            ),
        ];
        let expected = "\
k, main -> now

sm_75: nothing differs

sm_90
registers          40  ->  168
SASS: fp64  not known  ->   12
";
        assert_eq!(changes_text("k", "main", &both), expected);
        let none = [("sm_90".to_owned(), vec![])];
        assert_eq!(
            changes_text("k", "main", &none),
            "k: nothing differs from main\n"
        );
        let json: serde_json::Value =
            serde_json::from_str(&changes_json("k", "main", &both)).unwrap();
        assert_eq!(json["architectures"][1]["changes"][0]["after"], "168");
    }
}
