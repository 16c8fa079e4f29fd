//! The paragraph on what the page's clock includes beside the kernel: the copies.

use super::super::{Fit, Predicted};
use super::{best, heading, partials, percent, shape, three};
use crate::number::milliseconds;

/// Fewer cells than this do not show that they are alike.
const ALIKE: usize = 3;

/// The copies of a span; beside the kernel where that was timed alone.
pub(super) fn copies(span: &Fit, kernel: Option<&Fit>) -> String {
    let law = &span.law;
    let fixed = law.fixed_us - kernel.map_or(0.0, |kernel| kernel.law.fixed_us);
    let mut text = heading(span, "copies");
    text += " The page's clock includes the copies of the partial sums: ";
    text += &match span.tells("fixed") {
        true => format!("{} us a span", three(fixed)),
        false => "a fixed time that these cells do not determine".to_owned(),
    };
    let most = span.cells.iter().max_by_key(|cell| partials(cell));
    match most.filter(|_| span.tells("partial")) {
        Some(most) => {
            let copy_ms = fixed / 1e3 + law.partial_ns * partials(most) as f64 / 1e6;
            let [each, copy, all] = [law.partial_ns, copy_ms, most.predicted_ms].map(three);
            let (at, ms) = (shape(most), milliseconds(most.measured_ms));
            text += &format!(
                ", and {each} ns for each of the blocks * threads sums. At {at} that is {copy} ms \
                 of the {all} ms predicted ({ms} ms measured)."
            );
            text.extend(alike(span));
        }
        None => text += "; no cell has sums enough to tell what one of them costs.",
    }
    if let Some(best) = best(span) {
        let (at, ms) = (shape(best), milliseconds(best.measured_ms));
        text += &format!(" The span is shortest at {at}, {ms} ms");
        text += &match kernel.and_then(super::best) {
            Some(kernel) => format!(", the kernel at {}.", shape(kernel)),
            None => ".".to_owned(),
        };
    }
    if let (Some(error), Some(_)) = (span.median_error, kernel) {
        let error = percent(error);
        text += &format!(
            " The median error of the span is {error} on the cells that the fit did not see."
        );
    }
    text
}

/// That cells with equally many sums take equally long, where there are many sums.
fn alike(span: &Fit) -> Option<String> {
    let of = |sums: u64| span.cells.iter().filter(move |cell| partials(cell) == sums);
    let sums = span.cells.iter().map(partials);
    let sums = sums.filter(|&sums| of(sums).count() >= ALIKE).max()?;
    let (count, ms) = (of(sums).count(), |cell: &Predicted| cell.measured_ms);
    let least = milliseconds(of(sums).map(ms).fold(f64::INFINITY, f64::min));
    let most = milliseconds(of(sums).map(ms).fold(0.0, f64::max));
    Some(format!(
        " The {count} cells with {sums} sums take {least} to {most} ms, whatever their blocks and \
         threads."
    ))
}
