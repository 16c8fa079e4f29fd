//! The page: its head, the summary, a section a table, and where the records are from. It needs
//! no network and no script, and its policy allows none.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::agreement;
use super::figure::table;
use super::machines::Machine;
use super::sections::{Section, Words};
use super::summary;
use super::words::list;
use crate::export::Grid;
use crate::grouping::{distinct, rising};
use crate::number::count;
use crate::record::{DeviceInfo, Record};
use crate::table::column::optional;

const STYLE: &str = concat!(include_str!("chart.css"), include_str!("style.css"));

/// Nothing is loaded and nothing is run, whatever is in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The whole page.
pub(super) fn page(machines: &[Machine], sections: &[Section]) -> String {
    let names: Vec<&str> = machines.iter().map(|machine| &*machine.name).collect();
    let title = format!("quadscan: {}", list(&names));
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
                    (claims(sections))
                    (overview(machines))
                    (agreed(machines))
                    nav aria-label="Tables" {
                        ul {
                            @for section in sections { li { a href={ "#" (id(section)) } { (section.table) } } }
                            li { a href="#records" { "records" } }
                        }
                    }
                    @for section in sections { (body(section)) }
                    (provenance(machines))
                }
            }
        }
    };
    page.into_string()
}

/// A section's place in the page.
fn id(section: &Section) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = section.table.chars().map(plain).collect();
    format!("table-{name}")
}

/// What the tables are measured for, in pictures: nothing where nothing was timed.
fn claims(sections: &[Section]) -> Markup {
    html! {
        @if sections.iter().any(|section| !section.claims.is_empty()) {
            section id="claims" {
                h2 { "How fast it is" }
                p { "Each figure has its numbers below it, as a table." }
                div class="side" {
                    @for section in sections {
                        @for (number, figure) in section.claims.iter().enumerate() {
                            (figure.html(&format!("claim-{}-{number}", id(section))))
                        }
                    }
                }
            }
        }
    }
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

/// What every device knows, whether it has times or not.
fn agreed(machines: &[Machine]) -> Markup {
    html! {
        section id="agreement" {
            h2 { "Agreement" }
            p {
                "A row is right when its result is the host's, within the error that its table "
                "allows; none is timed before. Published values count when all digits are equal."
            }
            (table(&agreement::grid(machines), "Agreement"))
        }
    }
}

/// How many machines; the same one from several folders is one.
fn how_many(machines: &[Machine]) -> String {
    let identity = |machine: &Machine| {
        let device = machine.device.as_ref();
        let device = device.map(|info| (info.name.clone(), info.kind.clone()));
        (device, machine.all().next().map(|row| row.host.cpu.clone()))
    };
    let different = distinct(machines.iter().map(identity)).len();
    let number = count(different, "machine");
    if different == machines.len() {
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
                    h4 { "Warnings" }
                    ul { @for warning in &warnings { li { (warning) } } }
                }
            }
        }
    }
}

/// The machine in a few words.
fn facts(machine: &Machine) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(device) = &machine.device {
        let (kind, capability) = (&device.kind, &device.compute_capability);
        facts.push(format!("{kind}, compute capability {capability}"));
        let model = device.name.strip_suffix(" (emulated)");
        facts.extend(model.map(|model| format!("with the limits of {model}")));
        facts.extend(device.sms.map(|held| {
            let threads = count(held.max_threads as usize, "thread");
            format!("{} of at most {threads}", count(held.count as usize, "SM"))
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
        let hash = short_hash(&device.ptx_sha256);
        let ptx = format!("PTX {hash} ({})", device.ptx_arch);
        facts.extend((!hash.is_empty()).then_some(ptx));
    }
    let cpu = machine.all().next().map(|row| &row.host.cpu);
    let cpu = cpu.filter(|cpu| !cpu.is_empty());
    facts.extend(cpu.map(|cpu| format!("host {cpu}")));
    facts.extend(summary::clock_range(machine));
    // RFC 3339 orders as text.
    let stamps = rising(machine.all().map(|row| row.timestamp.as_str()));
    facts.extend(match stamps[..] {
        [] => None,
        [only] => Some(format!("measured {only}")),
        [first, .., last] => Some(format!("measured {first} to {last}")),
    });
    let mut revisions = rising(machine.all().map(|row| short_hash(&row.host.git_revision)));
    revisions.retain(|revision| !revision.is_empty());
    let word = if revisions.len() == 1 {
        "revision"
    } else {
        "revisions"
    };
    facts.extend((!revisions.is_empty()).then(|| format!("{word} {}", list(&revisions))));
    facts
}

fn short_hash(hash: &str) -> &str {
    let end = hash.char_indices().nth(12);
    end.map_or(hash, |(end, _)| &hash[..end])
}

/// A line of a list as a sentence.
fn sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(char::to_uppercase);
    let start: String = first.into_iter().flatten().collect();
    format!("{start}{}.", letters.as_str())
}

fn body(section: &Section) -> Markup {
    let id = id(section);
    html! {
        section id=(id) {
            h2 { (section.table) }
            @if !section.about.is_empty() { p { (sentence(section.about)) } }
            @for reason in &section.missing { p class="facts" { (reason) } }
            @for (row, figures) in section.figures.iter().enumerate() {
                div class="side" {
                    @for (column, figure) in figures.iter().enumerate() { (figure.html(&format!("{id}-{row}-{column}"))) }
                }
            }
            div class="side" { @for words in &section.words { (explanation(words)) } }
            @for (title, grid) in &section.rows {
                details { summary { (title) } (table(grid, title)) }
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
            (table(grid, title))
        }
        }
    }
}

type TextOfDevice = fn(&DeviceInfo) -> Option<&String>;

/// What is written where the records are from: of a device that there may be not.
const OF_DEVICE: [(&str, TextOfDevice); 7] = [
    ("kind", |info| Some(&info.kind)),
    ("driver", |info| info.driver.as_ref()),
    ("CUDA", |info| info.cuda_version.as_ref()),
    ("PTX SHA-256", |info| Some(&info.ptx_sha256)),
    ("PTX", |info| Some(&info.ptx_arch)),
    ("rustc", |info| Some(&info.rustc)),
    ("LLVM", |info| Some(&info.llvm)),
];

/// Everything that says where rows are from, whole.
fn provenance(machines: &[Machine]) -> Markup {
    let before = ["machine", "table", "rows", "run", "first row", "last row"];
    let of_device = OF_DEVICE.map(|(name, _)| name);
    let after = ["host", "quadscan", "revision", "entries"];
    let rows = machines.iter().flat_map(|machine| {
        let tables = machine.tables.iter();
        tables.filter_map(|(table, rows)| origin(machine, table, rows))
    });
    let grid = Grid::new(&[&before[..], &of_device, &after].concat(), rows.collect());
    html! {
        section id="records" {
            h2 { "Where the records are from" }
            p { "Of each table the newest run on each machine; other runs in the files are not shown." }
            (table(&grid, "Where the records are from"))
        }
    }
}

fn origin(machine: &Machine, table: &str, rows: &[Record]) -> Option<Vec<String>> {
    let first = rows.first()?;
    let stamps = rising(rows.iter().map(|row| row.timestamp.as_str()));
    let device = rows.iter().find_map(|row| row.device.as_ref());
    let entries = distinct(rows.iter().flat_map(|row| &row.entries).cloned());
    let (name, number) = (machine.name.as_str(), rows.len().to_string());
    let before = [
        name,
        table,
        &number,
        &first.run,
        stamps.first()?,
        stamps.last()?,
    ];
    let of_device = OF_DEVICE.map(|(_, text)| optional(device.and_then(text)));
    let host = &first.host;
    let after = [
        &host.cpu,
        &host.version,
        &host.git_revision,
        &entries.join(" "),
    ];
    let before = before.map(str::to_owned).into_iter();
    Some(
        before
            .chain(of_device)
            .chain(after.map(String::clone))
            .collect(),
    )
}
