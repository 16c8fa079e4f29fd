//! The columns of whole arrays. Those of peers depend on which there were.

use super::means;
use crate::record::Record;
use crate::tables::Column;
use crate::tables::beside::{columns_of_peers, rate, us};
use crate::tables::column::{fixed, noise, optional};

/// Our rate, in percent of the copy's.
fn percent_of_copy(record: &Record) -> Option<f64> {
    let (values, timings) = (&record.values, &record.timings);
    let ours = rate(values.bytes, timings.kernel.as_ref())?;
    Some(100.0 * ours / rate(values.copy_bytes, timings.copy.as_ref())?)
}

/// All of them, with those of the records' peers.
pub(super) fn of(records: &[Record]) -> Vec<Column> {
    let mut columns = vec![
        Column::ours("algorithm", |record| optional(record.key.algorithm.clone())),
        Column::ours("type", |record| optional(record.key.element.clone())),
        Column::ours("n", |record| optional(record.key.n)),
        Column::ours("operation", |record| optional(record.key.operation.clone())),
        Column::ours("segment", |record| optional(record.key.segment)),
        Column::ours("chosen", |record| {
            let chosen = record.values.algorithm.clone();
            optional(chosen.filter(|_| super::is_default(&record.key)))
        }),
        Column::ours("bytes", |record| optional(record.values.bytes)).detail(),
        Column::ours("us", |record| us(record.timings.kernel.as_ref())),
        Column::ours("noise_percent", |record| noise(&record.timings.kernel)),
        Column::ours("gb_per_s", |record| {
            fixed(rate(record.values.bytes, record.timings.kernel.as_ref()), 1)
        }),
        Column::ours("copy_us", |record| us(record.timings.copy.as_ref())).detail(),
        Column::ours("percent_of_copy", |record| {
            fixed(percent_of_copy(record), 1)
        }),
    ];
    columns.extend(columns_of_peers(records));
    columns.push(Column::ours("cub_ratio", |record| {
        fixed(means::of_cub(record), 3)
    }));
    columns.extend(Column::counts());
    // Without the times with a cold cache: every launch's is.
    columns.extend(Column::conditions().into_iter().skip(2));
    columns.extend(Column::outcome());
    columns
}
