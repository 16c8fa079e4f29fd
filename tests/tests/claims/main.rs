//! Each number of the README is in its record: `docs/claims.md` says in which one, and how the
//! number follows from it. Here it is computed again.

mod figure;
mod page;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use figure::{Row, differs, figure, rows};
use page::{Cell, Page, numbers};
use quadscan_bench::record::Record;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The records that a page names, read once.
struct Records {
    /// By the names of the page.
    paths: BTreeMap<String, String>,
    /// By their paths.
    files: BTreeMap<String, Vec<Row>>,
}

impl Records {
    fn of(claims: &Page) -> Self {
        let path = |link: &str| match link.strip_prefix("../") {
            Some(path) => path.to_owned(),
            None => format!("docs/{link}"),
        };
        let named = |row: &Vec<Cell>| (row[0].text.clone(), path(&row[0].link));
        let mut records = Records {
            paths: claims.table("The records").iter().map(named).collect(),
            files: BTreeMap::new(),
        };
        for row in claims.table("The claims") {
            let path = records.path(&row[2].text).expect(&row[0].text);
            let file = records.files.entry(path);
            file.or_insert_with_key(|path| rows(path));
        }
        records
    }

    /// The file that `arrays: scan.csv` or `costs` means.
    fn path(&self, said: &str) -> Result<String, String> {
        let (name, within) = said.split_once(": ").unwrap_or((said, ""));
        let record = self.paths.get(name);
        let record = record.ok_or(format!("no record is called `{name}`"))?;
        Ok(format!("{record}/{within}")
            .trim_end_matches('/')
            .to_owned())
    }

    /// The figure that a claim names.
    fn figure(&self, said: &str, asked: &str) -> Result<f64, String> {
        figure(asked, &self.files[&self.path(said)?])
    }
}

/// What is wrong with the README by these claims.
fn objections(readme: &str, claims: &Page, records: &Records) -> Vec<String> {
    let readme = Page::of(readme);
    let prose = prose(&readme);
    let mut found = Vec::new();
    let mut left = prose.clone();
    let mut proven: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in claims.table("The claims") {
        let (claim, record, asked) = (&row[0], &row[2].text, &row[3].text);
        proven.entry(&claim.text).or_default().insert(&claim.bold);
        let wrong = match records.figure(record, asked) {
            Ok(figure) => differs(&claim.bold, figure),
            Err(problem) => Some(problem),
        };
        found.extend(wrong.map(|problem| format!("{}: {problem}", claim.text)));
        if !prose.contains(&claim.text) {
            found.push(format!("the README does not say: {}", claim.text));
        }
        left = left.replace(&claim.text, " ");
    }
    let free = claims.table("What is not measured").iter();
    let free: BTreeSet<&str> = free.flat_map(|row| numbers(&row[0].text)).collect();
    let unproven = |text: &str, proven: &BTreeSet<&str>| -> Vec<String> {
        let numbers = numbers(text).into_iter();
        let numbers = numbers.filter(|number| !free.contains(number) && !proven.contains(number));
        numbers
            .map(|number| format!("{number} is in no claim"))
            .collect()
    };
    found.extend(unproven(&left, &BTreeSet::new()));
    found.extend(
        proven
            .iter()
            .flat_map(|(text, proven)| unproven(text, proven)),
    );
    found
}

/// The README's text with that of its tables, whose cells no claim spans.
fn prose(readme: &Page) -> String {
    let mut text = readme.prose.clone();
    for cell in readme.tables.iter().flat_map(|(_, rows)| rows).flatten() {
        text.push_str(" | ");
        text.push_str(&cell.text);
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_number_of_the_readme_is_in_its_record() {
    let claims = Page::of(&read("docs/claims.md"));
    let found = objections(&read("README.md"), &claims, &Records::of(&claims));
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// The same number with another last digit.
fn changed(number: &str) -> String {
    let (rest, last) = number.split_at(number.len() - 1);
    let last: u8 = last.parse().expect("a digit");
    format!("{rest}{}", (last + 1) % 10)
}

#[test]
fn every_number_of_a_claim_is_found_when_it_is_changed() {
    let claims = Page::of(&read("docs/claims.md"));
    let records = Records::of(&claims);
    for row in claims.table("The claims") {
        let figure = records
            .figure(&row[2].text, &row[3].text)
            .expect(&row[0].text);
        assert!(
            differs(&changed(&row[0].bold), figure).is_some(),
            "{}",
            row[0].text
        );
    }
}

#[test]
fn a_number_that_is_not_in_its_record_is_found_in_the_readme() {
    let (readme, claims) = (read("README.md"), read("docs/claims.md"));
    let page = Page::of(&claims);
    let records = Records::of(&page);
    let with = |from: &str, to: &str| {
        assert!(readme.contains(from), "{from}");
        objections(&readme.replacen(from, to, 1), &page, &records)
    };
    // Here alone, in both, and where there was none.
    let here = with("\n1.32 times", "\n1.33 times");
    assert!(
        here.iter().any(|found| found == "1.33 is in no claim"),
        "{here:?}"
    );
    let both = objections(
        &readme.replace("1.32 times", "1.33 times"),
        &Page::of(&claims.replace("**1.32** times", "**1.33** times")),
        &records,
    );
    assert_eq!(
        both,
        ["CUB takes 1.33 times as long: it says 1.33, and the record 1.32"]
    );
    let new = with("## Try it", "It is 9.5 times as good.\n\n## Try it");
    assert_eq!(new, ["9.5 is in no claim"]);
}

/// The days, devices and drivers of the page are those of the records.
#[test]
fn every_record_has_its_day_and_its_device() {
    let claims = Page::of(&read("docs/claims.md"));
    let paths = Records::of(&claims).paths;
    let mut measured = 0;
    for row in claims
        .table("The records")
        .iter()
        .filter(|row| !row[3].text.is_empty())
    {
        let path = &paths[&row[0].text];
        assert!(
            path.contains(&row[1].text),
            "{path} is not of {}",
            row[1].text
        );
        measured += 1;
        for line in path
            .ends_with(".jsonl")
            .then(|| read(path))
            .iter()
            .flat_map(|text| text.lines())
        {
            let record: Record = serde_json::from_str(line).expect(path);
            assert!(record.timestamp.starts_with(&row[1].text), "{line}");
            let device = record
                .device
                .map(|device| (device.name, device.driver.unwrap_or_default()));
            let said = (row[2].text.clone(), row[3].text.clone());
            assert!(device.is_none_or(|device| device == said), "{line}");
        }
    }
    assert!(measured >= 4, "only {measured} records have a driver");
    let costs = read(&paths["costs"]);
    let day = claims
        .table("The records")
        .iter()
        .find(|row| row[0].text == "costs");
    let day = &day.expect("there are costs")[1].text;
    assert!(costs.contains(&format!("Measured {day}")), "{day}");
}

#[test]
fn a_figure_is_of_the_rows_that_are_chosen() {
    let row =
        |n: &str, us: &str| Row::from([("n", n), ("us", us)].map(|(a, b)| (a.into(), b.into())));
    let rows = [row("1", "2"), row("2", "8"), row("4", "")];
    assert_eq!(figure("us where n = 1", &rows), Ok(2.0));
    assert_eq!(figure("us / 1e3 where n >= 2", &rows), Ok(0.008));
    assert_eq!(figure("geometric mean of us", &rows), Ok(4.0));
    assert_eq!(figure("sum of us where n in 1,2", &rows), Ok(10.0));
    assert_eq!(figure("minimum of us where n <= 2", &rows), Ok(2.0));
    assert_eq!(figure("maximum of us", &rows), Ok(8.0));
    assert_eq!(figure("number of us", &rows), Ok(2.0));
    for wrong in [
        "us",
        "us where n = 3",
        "us where n ~ 1",
        "us where n",
        "median of us",
        "us / x where n = 1",
    ] {
        assert!(figure(wrong, &rows).is_err(), "{wrong}");
    }
    assert_eq!(differs("2.0", 2.04), None);
    assert!(differs("2.1", 2.04).is_some());
}
