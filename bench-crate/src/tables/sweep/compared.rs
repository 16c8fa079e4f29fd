//! The columns of a sweep that set its times against something: the page's, and
//! what the model makes of them.

use std::collections::HashMap;

use super::{SLIP_DECIMALS, STRIPS, shape_of};
use crate::export::number;
use crate::measure::Timing;
use crate::model::{self, Fit, Predicted};
use crate::oracle::Precision;
use crate::record::Record;
use crate::tables::column::{Column, fixed};
use crate::tables::published::Published;

/// Published figures by their columns: one, or the middle of the five.
type Names = &'static [&'static str];

/// The page's clock around copy, kernel and copy.
pub(super) fn gpu_names(precision: Precision) -> Names {
    match precision {
        Precision::F64 => &["gpu_ms"],
        _ => &["gpu_ms_1", "gpu_ms_2", "gpu_ms_3", "gpu_ms_4", "gpu_ms_5"],
    }
}

/// The page's clock around its loop on the host.
fn host_names(precision: Precision) -> Names {
    match precision {
        Precision::F64 => &["host_ms"],
        _ => &["cpu_ms_1", "cpu_ms_2", "cpu_ms_3", "cpu_ms_4", "cpu_ms_5"],
    }
}

/// The page's time of a record's cell: the middle one where it has five.
pub(super) fn published_ms(published: &Published, names: Names, record: &Record) -> Option<f64> {
    if record.key.strips != Some(STRIPS) {
        return None;
    }
    let key = shape_of(&record.key);
    let mut times: Vec<f64> = names
        .iter()
        .filter_map(|name| published.figure(&key, name).parse().ok())
        .collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

/// The page's time over ours: how much faster the cell has become.
fn ratio(theirs: Option<f64>, ours: Option<&Timing>) -> String {
    theirs
        .zip(ours)
        .filter(|(_, ours)| ours.median_ms > 0.0)
        .map(|(theirs, ours)| number::significant(theirs / ours.median_ms))
        .unwrap_or_default()
}

/// The same, of the page's span.
pub(super) fn gpu_ratio(precision: Precision, published: &Published, record: &Record) -> String {
    let theirs = published_ms(published, gpu_names(precision), record);
    ratio(theirs, record.timings.gpu.as_ref())
}

/// The page's figures that are made from several, and the ratios to ours.
pub(super) fn with_the_page(precision: Precision, published: &'static Published) -> Vec<Column> {
    let mut columns = Vec::new();
    if precision != Precision::F64 {
        columns.push(Column::reference("gpu_ms", move |record| {
            published_ms(published, gpu_names(precision), record)
                .map(number::milliseconds)
                .unwrap_or_default()
        }));
        columns.push(Column::reference("pi_difference", move |record| {
            pi_difference(published, record)
        }));
    }
    columns.push(Column::reference("ratio", move |record| {
        gpu_ratio(precision, published, record)
    }));
    columns.push(
        Column::reference("host_ratio", move |record| {
            let theirs = published_ms(published, host_names(precision), record);
            ratio(theirs, record.timings.host.as_ref())
        })
        .detail(),
    );
    columns
}

/// Our pi less the page's, both to the page's digits.
fn pi_difference(published: &Published, record: &Record) -> String {
    if record.key.strips != Some(STRIPS) {
        return String::new();
    }
    let theirs = published.figure(&shape_of(&record.key), "pi");
    let difference = || {
        let ours = record.values.pi.or(record.values.host_pi)?;
        let ours: f64 = fixed(Some(ours), SLIP_DECIMALS).parse().ok()?;
        Some(ours - theirs.parse::<f64>().ok()?)
    };
    fixed(difference(), SLIP_DECIMALS)
}

/// A fit's cells, and the strips that they have.
struct Cells {
    strips: u64,
    cells: HashMap<(u32, u32), Predicted>,
}

impl Cells {
    fn of(fit: &Fit) -> Self {
        Cells {
            strips: fit.strips(),
            cells: fit
                .cells
                .iter()
                .map(|cell| ((cell.blocks, cell.threads), cell.clone()))
                .collect(),
        }
    }

    fn find(&self, record: &Record) -> Option<&Predicted> {
        if record.key.strips != Some(self.strips) {
            return None;
        }
        self.cells.get(&(record.key.blocks?, record.key.threads?))
    }
}

/// What the model makes of the records and of the page's column, with its errors
/// in percent of the time that it stands for.
pub(super) fn with_the_model(table: &str, records: &[Record]) -> Vec<Column> {
    let explanation = model::explain(records);
    let (kernel, span) = match &explanation {
        Some(explanation) => (explanation.kernel.as_ref(), explanation.span.as_ref()),
        None => (None, None),
    };
    let [kernel_ms, kernel_error] = predicted(kernel);
    let [span_ms, span_error] = predicted(span);
    let [page_ms, page_error] = predicted(model::published(table));
    vec![
        Column::ours("model_ms", kernel_ms),
        Column::ours("model_error_percent", kernel_error),
        Column::ours("model_gpu_ms", span_ms),
        Column::ours("model_gpu_error_percent", span_error).detail(),
        Column::reference("model_ms", page_ms).detail(),
        Column::reference("model_error_percent", page_error).detail(),
    ]
}

type Text = Box<dyn Fn(&Record) -> String>;

/// The texts of a fit's prediction and of its error.
fn predicted(fit: Option<&Fit>) -> [Text; 2] {
    let text = |show: fn(&Predicted) -> String| -> Text {
        let cells = fit.map(Cells::of);
        Box::new(move |record| {
            let cell = cells.as_ref().and_then(|cells| cells.find(record));
            cell.map(show).unwrap_or_default()
        })
    };
    [
        text(|cell| number::milliseconds(cell.predicted_ms)),
        text(|cell| format!("{:.1}", 100.0 * cell.error())),
    ]
}
