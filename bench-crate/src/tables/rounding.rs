//! The sentences under `accuracy`: the page asks why its f32 loses three digits
//! where sixteen times as many strips should cost one. Every figure is a
//! record's, or follows from its number of strips.

use crate::record::Record;

/// The published precision.
const F32: &str = "f32";

/// Units that a sum between 1/2 and 1 has: 2^24 of them make 1.
const UNITS: u64 = 1 << 24;

/// A row of `f32` that has what is explained.
struct Row {
    strips: u64,
    error: f64,
    predicted: f64,
}

/// Rows of the published `f32` by size, up to the size at which a unit of the sum
/// is as large as a term.
fn rows(records: &[Record]) -> Vec<Row> {
    let mut rows: Vec<Row> = records
        .iter()
        .filter(|record| record.cell.text("precision") == Some(F32))
        .filter_map(|record| {
            Some(Row {
                strips: record.cell.number("strips")?,
                error: record.number("pi")? - std::f64::consts::PI,
                predicted: record.number("predicted_error")?,
            })
        })
        .filter(|row| row.strips <= UNITS && row.error != 0.0)
        .collect();
    rows.sort_by_key(|row| row.strips);
    rows
}

/// What the measured rows say: nothing where there are not two sizes to compare.
pub(super) fn sentences(records: &[Record]) -> Vec<String> {
    let rows = rows(records);
    let mut lines = Vec::new();
    if let [first, .., last] = rows.as_slice() {
        // The page's sizes where they are there.
        let end = rows.iter().find(|row| row.strips == 16 * first.strips);
        lines.extend(growth(first, end.unwrap_or(last)));
        lines.push(cause(first, last));
    }
    if let Some(row) = rows.iter().find(|row| row.strips == UNITS) {
        lines.push(two_roots_of_three(row));
    }
    lines
}

/// How much faster the error grows than the number of additions; `None` where it
/// does not grow.
fn growth(first: &Row, last: &Row) -> Option<String> {
    let additions = (last.strips as f64 / first.strips as f64).log10();
    let error = (last.error / first.error).abs().log10();
    (error > 0.0).then(|| {
        format!(
            "From {} to {} strips the f32 sum loses {error:.1} digits (error {:.1e}, \
             then {:.1e}), where the number of additions explains {additions:.1}.",
            first.strips, last.strips, first.error, last.error
        )
    })
}

/// Why: the rounding errors of neighbouring terms have one sign.
fn cause(first: &Row, last: &Row) -> String {
    let units = |row: &Row| UNITS as f64 / row.strips as f64;
    // Where the slope of f is -1, a term has `units / n` units less than the one
    // before.
    let equal = |row: &Row| (row.strips as f64 / units(row)).max(1.0);
    format!(
        "A sum between 1/2 and 1 is a whole number of 2^-24, and so a term counts as a whole \
         number of them: of up to {:.0} at {} strips, of up to {:.0} at {}. Neighbouring terms \
         are nearly equal and are rounded the same way, about {:.0} in a row at {} strips and \
         {:.0} at {}: within a row the errors add up, and a row's length grows as the square of \
         the strips. With that alone the errors are predicted as {:.1e} and {:.1e}; measured are \
         {:.1e} and {:.1e}.",
        units(first),
        first.strips,
        units(last),
        last.strips,
        equal(first),
        first.strips,
        equal(last),
        last.strips,
        first.predicted,
        last.predicted,
        first.error,
        last.error,
    )
}

/// The size at which a unit of the sum is one term.
fn two_roots_of_three(row: &Row) -> String {
    format!(
        "At {} strips a unit is one term: past the sum 1/2 a term above a half counts as one and \
         a term below as none, f(x) = 1/2 is at x = sqrt(3)/2, and pi becomes 2 sqrt(3) = {:.6}; \
         measured is {:.6}.",
        row.strips,
        2.0 * 3.0_f64.sqrt(),
        std::f64::consts::PI + row.error,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Cell;
    use crate::record::sample;

    fn record(strips: u64, pi: f64, predicted: f64) -> Record {
        let cell = Cell::default()
            .with("precision", F32)
            .with("strips", strips);
        let record = sample::record("accuracy", cell);
        record.having("pi", pi).having("predicted_error", predicted)
    }

    #[test]
    fn the_published_sizes_lose_three_digits_where_one_was_expected() {
        let records = [
            record(65536, 3.141592264175, 1e-6),
            record(1 << 20, 3.140739917755, -8.5e-4),
        ];
        let lines = sentences(&records);
        let text = lines.join("\n");
        // log10(8.53e-4 / 3.89e-7) = 3.34, log10(16) = 1.20.
        for part in [
            "From 65536 to 1048576 strips the f32 sum loses 3.3 digits (error -3.9e-7, then -8.5e-4)",
            "the number of additions explains 1.2",
            "of up to 256 at 65536 strips, of up to 16 at 1048576",
            "about 256 in a row at 65536 strips and 65536 at 1048576",
            "predicted as 1.0e-6 and -8.5e-4",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("2 sqrt(3)"), "{text}");
    }

    #[test]
    fn the_closed_form_is_said_at_its_size_with_what_was_measured() {
        let lines = sentences(&[record(1 << 24, 3.4641, 0.3)]);
        assert_eq!(lines.len(), 1, "one size is nothing to compare");
        assert!(
            lines[0].contains("2 sqrt(3) = 3.464102; measured is 3.464100"),
            "{lines:?}"
        );
        assert_eq!(sentences(&[]), [""; 0]);
    }
}
