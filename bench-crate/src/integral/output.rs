//! Results as columns and in words: pure functions of what was computed.

use super::integrand::Integrand;
use super::items::{Items, column_names};
use super::number::{Number, text};
use super::results::{Outputs, Row};
use super::status::STATUS;
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
    let (results, slopes) = (of.results(), slopes(of, slope));
    let names = column_names(of).into_iter();
    let names = names.chain(results.iter().chain(&slopes).map(String::as_str));
    names.map(heading).collect()
}

/// What the derivatives of each output are called.
fn slopes<R: Number>(of: &Integrand<R>, slope: Option<&str>) -> Vec<String> {
    let of_output = |slope: &str| match of.outputs {
        1 => vec![slope.to_owned()],
        outputs => (1..=outputs).map(|k| format!("{slope}_{k}")).collect(),
    };
    slope.map_or(Vec::new(), of_output)
}

/// Items and their results.
pub(super) fn columns<R: Number>(
    of: &Integrand<R>,
    items: &Items<R>,
    outputs: &Outputs<R>,
    slopes: Option<&Outputs<R>>,
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
    let values =
        |rows: &Vec<Row<R>>| Column::of(&rows.iter().map(|row| row.value).collect::<Vec<R>>());
    let claims = outputs.rows.iter().flat_map(|rows| {
        let errors = Column::of_some(rows.iter().map(|row| row.error), nan);
        [values(rows), errors]
    });
    let all = outputs.items();
    let evaluations: Vec<u64> = all.iter().map(|row| row.evaluations).collect();
    let ends = [
        Column::of(&evaluations),
        Column::of_texts(all.iter().map(|row| row.status.name())),
        Column::of_some(all.iter().map(|row| row.at), nan),
    ];
    let limits = [&items.from, &items.to].map(|limits| Column::of(limits));
    let limits = limits.into_iter().take(of.limit_names().len());
    // Only of intervals it is told where a function is not finite.
    let ends = ends.into_iter().take(3 - usize::from(of.over.is_some()));
    limits
        .chain(parameters)
        .chain(claims)
        .chain(ends)
        .chain(
            slopes
                .iter()
                .flat_map(|slopes| slopes.rows.iter().map(values)),
        )
        .collect()
}

/// One integral in words.
pub(super) fn sentence<R: Number>(
    of: &Integrand<R>,
    items: &Items<R>,
    outputs: &Outputs<R>,
    slope: Option<(&str, &Outputs<R>)>,
) -> String {
    let row = outputs.items()[0];

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
    let integral = (
        "integral".to_owned(),
        format!("{} {range}{given}", of.formula),
    );
    let claims = outputs
        .rows
        .iter()
        .flat_map(|rows| [Some(rows[0].value), rows[0].error]);
    let claims = of.results().into_iter().zip(claims.map(number));
    let ends = [
        ("evaluations", row.evaluations.to_string()),
        ("status", format!("{name}: {words}")),
        ("at x", number(row.at)),
    ];
    let ends = ends.into_iter().map(|(name, text)| (name.to_owned(), text));
    let slopes = slope.into_iter().flat_map(|(name, outputs)| {
        let values = outputs.rows.iter().map(|rows| text(rows[0].value));
        self::slopes(of, Some(name)).into_iter().zip(values)
    });
    let lines = [integral]
        .into_iter()
        .chain(claims)
        .chain(ends)
        .chain(slopes);
    let told = lines.filter(|(_, text)| !text.is_empty());
    told.map(|(name, text)| format!("{name:<13}{text}\n"))
        .collect()
}
