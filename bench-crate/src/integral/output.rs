//! Results as columns and in words: pure functions of what was computed.

use super::integrand::Integrand;
use super::items::{Items, column_names};
use super::number::{Number, text};
use super::results::{RESULTS, Row, STATUS};
use crate::columns::{Column, Heading, Kind, Scalar};

/// The columns of items and their results, in the order of [`columns`].
pub(super) fn headings<R: Number>(of: &Integrand<R>, slope: Option<&str>) -> Vec<Heading> {
    let heading = |name: &str| match name {
        "evaluations" => Heading::numbers(name, Scalar::U64),
        "status" => Heading {
            name: name.to_owned(),
            kind: Kind::Text(STATUS),
        },
        _ => Heading::numbers(name, R::SCALAR),
    };
    let results = results(of).iter().copied();
    let names = column_names(of).into_iter().chain(results).chain(slope);
    names.map(heading).collect()
}

/// The columns of results: only of intervals it is told where a function is not finite.
fn results<R: Number>(of: &Integrand<R>) -> &'static [&'static str] {
    &RESULTS[..RESULTS.len() - usize::from(of.over.is_some())]
}

/// Items and their results.
pub(super) fn columns<R: Number>(
    of: &Integrand<R>,
    items: &Items<R>,
    rows: &[Row<R>],
    slopes: Option<&[Row<R>]>,
) -> Vec<Column> {
    let each = items.parameters.len() / items.len().max(1);
    let parameters = (0..each).map(|k| {
        let of_each: Vec<R> = items
            .parameters
            .iter()
            .skip(k)
            .step_by(each)
            .copied()
            .collect();
        Column::of(&of_each)
    });
    let nan = R::from_f64(f64::NAN);
    let values: Vec<R> = rows.iter().map(|row| row.value).collect();
    let evaluations: Vec<u64> = rows.iter().map(|row| row.evaluations).collect();
    let results = [
        Column::of(&values),
        Column::of_some(rows.iter().map(|row| row.error), nan),
        Column::of(&evaluations),
        Column::of_texts(rows.iter().map(|row| row.status.name())),
        Column::of_some(rows.iter().map(|row| row.at), nan),
    ];
    let limits = [&items.from, &items.to].map(|limits| Column::of(limits));
    let limits = limits.into_iter().take(of.limit_names().len());
    let count = self::results(of).len();
    limits
        .chain(parameters)
        .chain(results.into_iter().take(count))
        .chain(slopes.map(|rows| Column::of(&rows.iter().map(|row| row.value).collect::<Vec<R>>())))
        .collect()
}

/// One integral in words.
pub(super) fn sentence<R: Number>(
    of: &Integrand<R>,
    items: &Items<R>,
    row: &Row<R>,
    slope: Option<(&str, &Row<R>)>,
) -> String {
    let number = |value: Option<R>| value.map_or(String::new(), text);
    let given = items.parameters_of(0).iter().zip(&of.parameters);
    let given = given.map(|(value, name)| format!(", {name} = {value:?}"));
    let given: String = given.collect();
    let range = match &of.over {
        Some(over) => format!("over {}", over.words()),
        None => {
            let [from, to] = [items.from[0], items.to[0]].map(text);
            format!("from {from} to {to}")
        }
    };
    let (name, words) = (row.status.name(), row.status.words());
    let lines = [
        ("integral", format!("{} {range}{given}", of.formula)),
        ("value", text(row.value)),
        ("error", number(row.error)),
        ("evaluations", row.evaluations.to_string()),
        ("status", format!("{name}: {words}")),
        ("at x", number(row.at)),
        (
            slope.map_or("", |(name, _)| name),
            number(slope.map(|(_, row)| row.value)),
        ),
    ];
    let told = lines.iter().filter(|(_, text)| !text.is_empty());
    told.map(|(name, text)| format!("{name:<13}{text}\n"))
        .collect()
}
