//! The page: its head, the summary, a section a table, and where the records are
//! from. It needs no network and no script, and its policy allows none.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::explanation::Words;
use super::figure::{Figure, Grid};
use super::machines::Machine;
use super::sections::Section;
use super::summary;
use super::words::{count, list};
use crate::record::{DeviceInfo, Record};

const STYLE: &str = include_str!("style.css");

/// Nothing is loaded and nothing is run, whatever is in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The whole page.
pub(super) fn page(machines: &[Machine], sections: &[Section]) -> String {
    let title = title(machines);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "quadscan " (env!("CARGO_PKG_VERSION")) };
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p { "Quadrature and prefix scan on the GPU: the published tables, measured again." }
                }
                main {
                    (overview(machines))
                    (contents(sections))
                    @for section in sections { (body(section)) }
                    (provenance(machines))
                }
            }
        }
    };
    page.into_string()
}

fn title(machines: &[Machine]) -> String {
    let names: Vec<&str> = machines.iter().map(|machine| &*machine.name).collect();
    format!("quadscan: {}", list(&names))
}

fn overview(machines: &[Machine]) -> Markup {
    let rows = machines.iter().flat_map(Machine::all);
    html! {
        section id="summary" {
            h2 { "Summary" }
            p { (how_many(machines)) ". " (summary::outcome(rows)) "." }
            div class="side" {
                @for machine in machines { (card(machine)) }
            }
        }
    }
}

/// How many machines; the same one from several folders is one.
fn how_many(machines: &[Machine]) -> String {
    let identity = |machine: &Machine| {
        let device = machine.device.as_ref();
        let cpu = machine.all().next().map(|row| row.host.cpu.clone());
        (
            device.map(|info| (info.name.clone(), info.kind.clone())),
            cpu,
        )
    };
    let mut different: Vec<_> = machines.iter().map(identity).collect();
    different.sort();
    different.dedup();
    let number = count(different.len(), "machine");
    if different.len() == machines.len() {
        return number;
    }
    format!("{number}, from {}", count(machines.len(), "source"))
}

fn card(machine: &Machine) -> Markup {
    let warnings = summary::warnings(machine);
    html! {
        article class="card" {
            h3 { (machine.name) }
            p class="facts" { (facts(machine).join("; ")) "." }
            ul {
                @for (table, sentences) in summary::sentences(machine) {
                    li {
                        strong { (table) }
                        ul { @for sentence in sentences { li { (sentence) } } }
                    }
                }
            }
            @if !warnings.is_empty() {
                div class="warnings" {
                    h4 { "To know" }
                    ul { @for warning in &warnings { li { (warning) } } }
                }
            }
        }
    }
}

/// A line of a list as a sentence.
fn sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(char::to_uppercase);
    let start: String = first.into_iter().flatten().collect();
    format!("{start}{}.", letters.as_str())
}

/// The machine in a few words.
fn facts(machine: &Machine) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(device) = &machine.device {
        facts.push(format!(
            "{}, compute capability {}",
            device.kind, device.compute_capability
        ));
        facts.extend(device.multiprocessors.map(|held| {
            format!(
                "{} of at most {}",
                count(held.count as usize, "multiprocessor"),
                count(held.max_threads as usize, "thread")
            )
        }));
        facts.extend(
            device
                .driver
                .as_ref()
                .map(|driver| format!("driver {driver}")),
        );
        facts.extend(
            device
                .cuda_version
                .as_ref()
                .map(|cuda| format!("CUDA {cuda}")),
        );
        facts.push(format!(
            "PTX {} ({})",
            short_hash(&device.ptx_sha256),
            device.ptx_arch
        ));
    }
    facts.extend(
        machine
            .all()
            .next()
            .map(|row| format!("host {}", row.host.cpu)),
    );
    facts.extend(summary::clock_range(machine));
    facts.extend(dates(machine.all()));
    facts.extend(revisions(machine));
    facts
}

fn short_hash(hash: &str) -> String {
    hash.chars().take(12).collect()
}

fn revisions(machine: &Machine) -> Option<String> {
    let mut revisions: Vec<String> = machine
        .all()
        .map(|row| short_hash(&row.host.git_revision))
        .collect();
    revisions.sort_unstable();
    revisions.dedup();
    let word = if revisions.len() == 1 {
        "revision"
    } else {
        "revisions"
    };
    let names: Vec<&str> = revisions.iter().map(String::as_str).collect();
    (!names.is_empty()).then(|| format!("{word} {}", list(&names)))
}

/// From the first to the last row; RFC 3339 orders as text.
fn dates<'a>(rows: impl Iterator<Item = &'a Record>) -> Option<String> {
    let stamps: Vec<&str> = rows.map(|row| row.timestamp.as_str()).collect();
    let (first, last) = (stamps.iter().min()?, stamps.iter().max()?);
    Some(if first == last {
        format!("measured {first}")
    } else {
        format!("measured {first} to {last}")
    })
}

fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Tables" {
            ul {
                @for section in sections { li { a href={ "#" (section.id()) } { (section.table) } } }
                li { a href="#records" { "records" } }
            }
        }
    }
}

fn body(section: &Section) -> Markup {
    html! {
        section id=(section.id()) {
            h2 { (section.table) }
            @if !section.about.is_empty() { p { (sentence(&section.about)) } }
            @for (row, figures) in section.figures.iter().enumerate() {
                div class="side" {
                    @for (column, figure) in figures.iter().enumerate() { (numbered(section, row, column, figure)) }
                }
            }
            div class="side" { @for words in &section.words { (explanation(words)) } }
            @for (title, grid) in &section.rows {
                details { summary { (title) } (grid.html(title)) }
            }
        }
    }
}

fn explanation(words: &Words) -> Markup {
    html! {
        article {
        h3 { (words.title) }
        @if !words.lines.is_empty() { ul { @for line in &words.lines { li { (line) } } } }
        @for paragraph in &words.paragraphs { p { (paragraph) } }
        @for (title, grid) in &words.grids {
            p class="facts" { (title) ":" }
            (grid.html(title))
        }
        }
    }
}

fn numbered(section: &Section, row: usize, column: usize, figure: &Figure) -> Markup {
    figure.html(&format!("{}-{row}-{column}", section.id()))
}

/// Everything that says where rows are from, whole.
fn provenance(machines: &[Machine]) -> Markup {
    let mut grid = Grid::new(&[
        "machine",
        "table",
        "rows",
        "run",
        "first row",
        "last row",
        "kind",
        "driver",
        "CUDA",
        "PTX SHA-256",
        "PTX",
        "rustc",
        "LLVM",
        "host",
        "quadscan",
        "revision",
    ]);
    for machine in machines {
        for (table, rows) in &machine.tables {
            grid.rows.extend(origin(machine, table, rows));
        }
    }
    html! {
        section id="records" {
            h2 { "Where the records are from" }
            p { "Of each table the newest run on each machine; other runs in the files are not shown." }
            (grid.html("Where the records are from"))
        }
    }
}

fn origin(machine: &Machine, table: &str, rows: &[Record]) -> Option<Vec<String>> {
    let first = rows.first()?;
    let stamps = rows.iter().map(|row| row.timestamp.clone());
    let device = rows.iter().find_map(|row| row.device.as_ref());
    let of_device = |text: fn(&DeviceInfo) -> Option<&str>| {
        device.and_then(text).unwrap_or_default().to_owned()
    };
    Some(vec![
        machine.name.clone(),
        table.to_owned(),
        rows.len().to_string(),
        first.run.clone(),
        stamps.clone().min()?,
        stamps.max()?,
        of_device(|info| Some(&info.kind)),
        of_device(|info| info.driver.as_deref()),
        of_device(|info| info.cuda_version.as_deref()),
        of_device(|info| Some(&info.ptx_sha256)),
        of_device(|info| Some(&info.ptx_arch)),
        of_device(|info| Some(&info.rustc)),
        of_device(|info| Some(&info.llvm)),
        first.host.cpu.clone(),
        first.host.version.clone(),
        first.host.git_revision.clone(),
    ])
}
