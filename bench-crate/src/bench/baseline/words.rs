//! The text of a comparison: lines for a terminal, and a section for a pull request.

use super::{Comparison, Fate, Finding, Row, quotient};
use crate::bench::compared::COMPARED_PROCESSES;
use crate::number::milliseconds;
use crate::timing::comparison::{CHANCE, LEAST_MS};

/// Fewer kernels than this have no factor in common.
const FEWEST_IN_COMMON: usize = 5;

/// A part as a percentage, without zeros behind it.
fn percent(part: f64) -> String {
    let text = format!("{:.2}", 100.0 * part);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} %")
}

/// `1 row`, `2 rows`.
fn rows(count: usize) -> String {
    match count {
        1 => "1 row".to_owned(),
        n => format!("{n} rows"),
    }
}

/// `16`, or `3 to 16`.
fn range((fewest, most): (usize, usize)) -> String {
    if fewest == most {
        fewest.to_string()
    } else {
        format!("{fewest} to {most}")
    }
}

/// What became of a row in one word, when it differs.
fn word(finding: &Finding) -> Option<&'static str> {
    match finding.fate() {
        Fate::Slower => Some("slower"),
        Fate::Faster => Some("faster"),
        Fate::Undecided => Some("undecided"),
        Fate::NoTime => Some("no time"),
        Fate::FailedThen => Some("failed in the baseline"),
        Fate::More => Some("more"),
        Fate::Fewer => Some("fewer"),
        Fate::Gone => Some("gone"),
        Fate::Equal | Fate::TooFew | Fate::Same | Fate::New | Fate::Told => None,
    }
}

/// What is counted beside slower, faster and equal rows, where there are any.
const FURTHER: [(Fate, &str); 9] = [
    (Fate::Undecided, "undecided"),
    (Fate::TooFew, "measured by too few processes"),
    (Fate::NoTime, "without a valid time"),
    (Fate::FailedThen, "failed in the baseline"),
    (Fate::Gone, "no longer measured"),
    (Fate::More, "with more instructions"),
    (Fate::Fewer, "with fewer instructions"),
    (Fate::Same, "with the same number of instructions"),
    (Fate::New, "not in the baseline"),
];

/// Before, after and the ratio with its interval, as text.
fn figures(finding: &Finding) -> [String; 3] {
    match finding {
        Finding::Time {
            before,
            after,
            ratio,
            ..
        } => [
            milliseconds(*before),
            milliseconds(*after),
            match ratio {
                Some(r) => format!("{:.3} ({:.3} to {:.3})", r.estimate, r.low, r.high),
                None => quotient(*before, *after).map_or_else(String::new, three_digits),
            },
        ],
        Finding::Host { before, after } => [
            milliseconds(*before),
            milliseconds(*after),
            quotient(*before, *after).map_or_else(String::new, |ratio| format!("{ratio:.2}")),
        ],
        Finding::Count { before, after } => [
            before.to_string(),
            after.to_string(),
            match before {
                0 => String::new(),
                _ => format!("{:.3}", *after as f64 / *before as f64),
            },
        ],
        Finding::Gone | Finding::New | Finding::FailedThen => Default::default(),
    }
}

fn three_digits(ratio: f64) -> String {
    format!("{ratio:.3}")
}

fn line(row: &Row) -> Option<String> {
    let word = word(&row.finding)?;
    let Row { cell, what, .. } = row;
    if row.finding == Finding::Gone {
        return Some(format!(
            "{word}: {cell}: the baseline has {what}, this run has none"
        ));
    }
    if row.finding == Finding::FailedThen {
        return Some(format!(
            "{word}: {cell}: there is no {what} to compare with"
        ));
    }
    let [before, after, ratio] = figures(&row.finding);
    Some(match row.finding {
        _ if ratio.is_empty() => format!("{word}: {cell}: {what} {before} -> {after}"),
        Finding::Count { .. } => format!("{word}: {cell}: {what} {before} -> {after}"),
        _ => format!("{word}: {cell}: {what} {before} -> {after}, ratio {ratio}"),
    })
}

impl Comparison {
    /// How many rows became what.
    fn counts(&self) -> String {
        let [slower, faster, equal] =
            [Fate::Slower, Fate::Faster, Fate::Equal].map(|fate| self.count(&[fate]));
        let mut text = format!("{slower} slower, {faster} faster, {equal} not distinguishable");
        let further = FURTHER.map(|(fate, what)| (self.count(&[fate]), what));
        let unmeasured = (self.unmeasured, "of the baseline not measured");
        for (count, what) in further.into_iter().chain([unmeasured]) {
            if count > 0 {
                text.push_str(&format!(", {count} {what}"));
            }
        }
        if self.is_empty() {
            text.push_str(": nothing could be compared");
        }
        text
    }

    /// The test in one sentence, and what it could have told.
    fn method(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let Some([then, now]) = self.processes else {
            return lines;
        };
        let judged = [Fate::Slower, Fate::Faster, Fate::Undecided, Fate::Equal];
        let judged = self.count(&judged);
        let (too_few, undecided) = (self.count(&[Fate::TooFew]), self.count(&[Fate::Undecided]));
        if judged > 0 {
            lines.push(format!(
                "A row is slower or faster when the interval of its ratio lies beyond {} and \
                 {} us; all {} intervals hold together with {} (Mann and Whitney's test on the \
                 medians of the measuring processes, {} then and {} now, Bonferroni's correction).",
                percent(self.margin),
                milliseconds(1000.0 * LEAST_MS),
                judged + too_few,
                percent(1.0 - CHANCE),
                range(then),
                range(now),
            ));
        }
        if too_few > 0 {
            lines.push(format!(
                "{} without a verdict: measured by {} processes then and {} now, so few that a \
                 single one can hide a slow-down; --save and --baseline take {} unless \
                 --processes says otherwise.",
                rows(too_few),
                range(then),
                range(now),
                COMPARED_PROCESSES,
            ));
        }
        if undecided > 0 {
            lines.push(format!(
                "{} undecided: the estimate lies beyond the margin, and the interval does not; \
                 another run, or more processes, can decide.",
                rows(undecided)
            ));
        }
        if self.other_ways > 0 {
            lines.push(format!(
                "{} timed in another way than in the baseline (single launches, calls one after the other, \
                 graphs), which may make a difference where a kernel is short.",
                rows(self.other_ways)
            ));
        }
        let told = self.sorted(|finding| match finding {
            Finding::Time { resolution, .. } => *resolution,
            _ => None,
        });
        if let (Some(median), Some(most)) = (told.get(told.len() / 2), told.last()) {
            lines.push(format!(
                "A slow-down of {} would have been detected in half of the rows, of {} in all.",
                percent(*median),
                percent(*most),
            ));
        }
        lines
    }

    /// What all kernels have in common.
    fn in_common(&self) -> Option<String> {
        let ratios = self.sorted(|finding| match finding {
            Finding::Time { before, after, .. } => quotient(*before, *after),
            _ => None,
        });
        let median = *ratios.get(ratios.len() / 2)?;
        if ratios.len() < FEWEST_IN_COMMON {
            return None;
        }
        let mut text = format!(
            "The median ratio of {} kernels is {median:.3}",
            ratios.len()
        );
        if (median - 1.0).abs() <= self.margin / 2.0 {
            return Some(text + ".");
        }
        text.push_str(
            ": either every kernel has changed or the clock of the device has; the verdicts are \
             not corrected for it.",
        );
        if let (Some(then), Some(now)) = (self.then.sm_mhz, self.now.sm_mhz) {
            text.push_str(&format!(" The SM clock was {then} MHz and is {now} MHz."));
        }
        if !self.then.ptx.is_empty() && self.then.ptx == self.now.ptx {
            text.push_str(" Both runs have the same PTX, so the kernels have not changed.");
        }
        Some(text)
    }

    /// The host's times, which have no verdict.
    fn host(&self) -> Option<String> {
        let ratios = self.sorted(|finding| match finding {
            Finding::Host { before, after } => quotient(*before, *after),
            _ => None,
        });
        let (least, most) = (ratios.first()?, ratios.last()?);
        Some(format!(
            "host_ms, without a verdict, since other programs on the machine change it: {} with \
             ratios from {least:.2} to {most:.2}.",
            rows(ratios.len())
        ))
    }

    /// The rows that differ, their number, the test, and what it could have told.
    pub(in crate::bench) fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("baseline `{}`: {}", self.name, self.then.describe()),
            format!("this run: {}", self.now.describe()),
        ];
        lines.extend(self.rows.iter().filter_map(line));
        lines.push(format!("compared: {}", self.counts()));
        lines.extend(self.method());
        lines.extend(self.in_common());
        lines.extend(self.host());
        lines
    }

    /// The same as a section of Markdown: the two runs, the rows that differ, the
    /// words, and all rows folded away.
    pub(in crate::bench) fn markdown(&self) -> String {
        let mut text = format!("## Baseline `{}`\n\n", self.name);
        text.push_str("| | baseline | this run |\n| --- | --- | --- |\n");
        let now = self.now.parts();
        for (name, then) in self.then.parts() {
            let now = now.iter().find(|part| part.0 == name);
            let now = now.map(|part| part.1.as_str()).unwrap_or_default();
            text.push_str(&format!("| {name} | {then} | {now} |\n"));
        }
        let differing: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| word(&row.finding).is_some())
            .collect();
        text.push_str(&format!("\n**{}**\n", self.counts()));
        if !differing.is_empty() {
            text.push('\n');
            text.push_str(&table(&differing));
        }
        let words = self.method().into_iter();
        for sentence in words.chain(self.in_common()).chain(self.host()) {
            text.push_str(&format!("\n{sentence}\n"));
        }
        let compared: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| row.finding != Finding::New)
            .collect();
        if compared.len() > differing.len() {
            text.push_str(&format!(
                "\n<details><summary>All {} compared</summary>\n\n{}\n</details>\n",
                rows(compared.len()),
                table(&compared)
            ));
        }
        text
    }
}

fn table(rows: &[&Row]) -> String {
    let mut text = "| cell | column | before | after | ratio | verdict |\n\
                    | --- | --- | ---: | ---: | ---: | --- |\n"
        .to_owned();
    for row in rows {
        let [before, after, ratio] = figures(&row.finding);
        let verdict = word(&row.finding).map_or_else(|| quiet(&row.finding), str::to_owned);
        text.push_str(&format!(
            "| {} | {} | {before} | {after} | {ratio} | {verdict} |\n",
            row.cell.replace('|', "\\|"),
            row.what
        ));
    }
    text
}

/// What became of a row that does not differ.
fn quiet(finding: &Finding) -> String {
    match finding {
        Finding::Time { verdict, .. } => verdict.to_string(),
        Finding::Count { .. } => "equal".to_owned(),
        _ => String::new(),
    }
}
