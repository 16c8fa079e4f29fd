//! The columns of a sweep that set its times against something: the page's, and
//! what the model makes of them.

use std::collections::HashMap;

use super::Sweep;
use super::common::grid;
use crate::model::{self, Fit, Predicted};
use crate::number;
use crate::oracle::Precision;
use crate::record::Record;
use crate::table::column::{Column, decimals, with};
use crate::table::published::Published;

/// The page's time of a record's cell: the middle one where it has five.
pub(super) fn published_ms(
    published: &Published,
    columns: &[&str],
    record: &Record,
) -> Option<f64> {
    let row = published.row(&record.cell)?;
    let times = columns.iter().filter_map(|name| row.number(name));
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

/// The page's time over ours: how much faster the cell has become.
fn ratio(theirs: Option<f64>, ours: Option<f64>) -> String {
    let both = theirs.zip(ours).filter(|(_, ours)| *ours > 0.0);
    both.map(|(theirs, ours)| number::significant(theirs / ours))
        .unwrap_or_default()
}

/// The same, of the page's span.
pub(super) fn gpu_ratio(sweep: &Sweep, record: &Record) -> String {
    let theirs = published_ms(sweep.published, sweep.gpu, record);
    ratio(theirs, record.ms("gpu"))
}

/// The page's figures that are made from several, the ratios to ours, and the model's.
pub(super) fn columns(sweep: &'static Sweep, table: &str, records: &[Record]) -> Vec<Column> {
    let mut columns = Vec::new();
    if sweep.precision != Precision::F64 {
        let about = "the page's time, the median of five, ms";
        columns.push(with("published_gpu_ms", about, |record| {
            let ms = published_ms(sweep.published, sweep.gpu, record);
            ms.map(number::milliseconds).unwrap_or_default()
        }));
        let about = "our pi minus the page's";
        columns.push(with("published_pi_difference", about, |record| {
            pi_difference(sweep, record)
        }));
    }
    let about = "the page's time divided by ours";
    columns.push(with("published_ratio", about, |record| {
        gpu_ratio(sweep, record)
    }));
    let host_ratio = with("published_host_ratio", "the same for the host", |record| {
        let theirs = published_ms(sweep.published, sweep.host, record);
        ratio(theirs, record.ms("host"))
    });
    columns.push(host_ratio.detail());
    let columns = columns.into_iter().map(Column::reference);
    columns.chain(with_the_model(table, records)).collect()
}

/// Our pi less the page's, both to the page's digits.
fn pi_difference(sweep: &Sweep, record: &Record) -> String {
    let digits = sweep.decimals;
    let difference = || {
        let theirs: f64 = sweep.published.row(&record.cell)?.number("pi")?;
        let ours = record.number("pi").or(record.number("host_pi"))?;
        let ours: f64 = decimals(Some(ours), digits).parse().ok()?;
        Some(ours - theirs)
    };
    decimals(difference(), digits)
}

/// A fit's cells, and the strips that they have.
struct Cells {
    strips: u64,
    cells: HashMap<(u32, u32), Predicted>,
}

impl Cells {
    fn of(fit: &Fit) -> Self {
        let cells = fit.cells.iter();
        Cells {
            strips: fit.strips(),
            cells: cells
                .map(|cell| ((cell.blocks, cell.threads), cell.clone()))
                .collect(),
        }
    }

    fn find(&self, record: &Record) -> Option<&Predicted> {
        let grid = grid(&record.cell).filter(|grid| grid.strips == self.strips)?;
        self.cells.get(&(grid.blocks, grid.threads))
    }
}

/// What the model makes of the records and of the page's column, with its errors
/// in percent of the time that it stands for.
fn with_the_model(table: &str, records: &[Record]) -> [Column; 6] {
    let explanation = model::explain(records);
    let (kernel, span) = match &explanation {
        Some(explanation) => (explanation.kernel.as_ref(), explanation.span.as_ref()),
        None => (None, None),
    };
    let [kernel_ms, kernel_error] = predicted(kernel, ["model_ms", "model_error_percent"]);
    let [span_ms, span_error] = predicted(span, ["model_gpu_ms", "model_gpu_error_percent"]);
    let names = ["published_model_ms", "published_model_error_percent"];
    let of_page = predicted(model::published(table), names);
    let [page_ms, page_error] = of_page.map(|column| column.reference().detail());
    [
        kernel_ms,
        kernel_error,
        span_ms,
        span_error.detail(),
        page_ms,
        page_error,
    ]
}

/// A fit's prediction and its error.
fn predicted(fit: Option<&Fit>, [ms, error]: [&str; 2]) -> [Column; 2] {
    let column = |name: &str, show: fn(&Predicted) -> String| {
        let cells = fit.map(Cells::of);
        with(name, "prediction of the model", move |record| {
            let cell = cells.as_ref().and_then(|cells| cells.find(record));
            cell.map(show).unwrap_or_default()
        })
    };
    [
        column(ms, |cell| number::milliseconds(cell.predicted_ms)),
        column(error, |cell| format!("{:.1}", 100.0 * cell.error())),
    ]
}
