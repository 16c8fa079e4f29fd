//! What stands below a sweep: its matrices, the page's slip with both values, and
//! the model's account.

use super::compared::{gpu_ratio, published_ms};
use super::{INVERSE_TIME_PER_THREAD, common, of_table};
use crate::model;
use crate::number;
use crate::oracle::Precision;
use crate::record::{Record, Status};
use crate::table::Matrix;
use crate::table::column::decimals;
use crate::table::published::STRIPS;

/// A run of fewer cells is not a sweep: it gets no account.
const FEWEST_CELLS: usize = 10;

/// Ours, the page's, and the ratio; then the page's last column.
pub(super) fn matrices(records: &[Record]) -> Vec<Matrix> {
    let published = |record: &Record| {
        let sweep = of_table(&record.table);
        let ms = published_ms(sweep.published, sweep.gpu, record);
        ms.map(number::milliseconds).unwrap_or_default()
    };
    [
        Matrix::of("gpu_ms, measured here", records, |record| {
            record
                .ms("gpu")
                .map(number::milliseconds)
                .unwrap_or_default()
        }),
        Matrix::of("gpu_ms, published", records, published),
        Matrix::of("published / measured here", records, |record| {
            gpu_ratio(of_table(&record.table), record)
        }),
        Matrix::of(
            "inverse_time_per_thread, 1000 / (gpu_ms * blocks * threads)",
            records,
            |record| INVERSE_TIME_PER_THREAD.text(record),
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Paragraphs.
pub(super) fn notes(records: &[Record]) -> Vec<String> {
    let mut notes: Vec<String> = slip(records).into_iter().collect();
    if records.len() >= FEWEST_CELLS {
        notes.extend(
            model::explain(records)
                .map(|explanation| explanation.text)
                .unwrap_or_default(),
        );
    }
    notes
}

/// The page's slip with both values of the first cell, and the closed form.
fn slip(records: &[Record]) -> Option<String> {
    let sweep = of_table(&records.first()?.table);
    if sweep.precision == Precision::F64 {
        return None;
    }
    let pi = |record: &Record| {
        let both = |pi: &str, corrected: &str| record.number(pi).zip(record.number(corrected));
        both("pi", "pi_corrected").or_else(|| both("host_pi", "host_pi_corrected"))
    };
    let of_the_page = |record: &&Record| {
        record.cell.number("strips") == Some(STRIPS) && record.status != Status::Failed
    };
    let first = records.iter().find(of_the_page)?;
    let (slipped, corrected) = pi(first)?;
    let digits = |value: f64| decimals(Some(value), sweep.decimals);
    let published = sweep.published.figure(&first.cell, "pi");
    let grid = common::grid(&first.cell)?;
    let beside = if published.is_empty() {
        String::new()
    } else {
        format!(" (published: {published})")
    };
    let mut text = format!(
        "The page's slip. Its macro STRIPS is 65536*256 without parentheses, so that the last \
         correction, 0.5/STRIPS, becomes 0.5/65536*256 = 2^-9 instead of 2^-25, and every \
         published f32 pi is 2^-7 too small. At {}x{}, pi is {} with the slip{beside} and {} \
         without it.",
        grid.blocks,
        grid.threads,
        digits(slipped),
        digits(corrected)
    );
    let closed_form = digits(2.0 * 3.0_f64.sqrt());
    let is_one_thread = grid.partials() == 1;
    if is_one_thread && digits(corrected) == closed_form {
        text.push_str(&format!(
            " That one thread comes to 2*sqrt(3) = {}: its sum has 24 bits for 2^24 terms, which \
             rounds every term above a half to a whole one, and from x = 0.5 on, where one unit in \
             its last place is a whole term, every term below a half to none. The height is a half \
             at x = sqrt(3)/2, where the sum stops, and pi is four times that.",
            closed_form
        ));
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::sweep::{F32, F64};

    fn h200(table: &str) -> Vec<Record> {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../docs/records/2026-11-21-h200.jsonl"
        );
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines()
            .filter_map(|line| serde_json::from_str::<Record>(line).ok())
            .filter(|record| record.table == table)
            .collect()
    }

    #[test]
    fn the_slip_is_stated_with_both_values_and_the_closed_form() {
        let notes = (F32.notes)(&h200("sweep-f32"));
        // data/sweep_f32_geforce_8800gt.csv; 2 sqrt(3).
        let slip = &notes[0];
        assert!(slip.contains("(published: 3.456289)"), "{slip}");
        assert!(slip.contains("and 3.464102 without it"), "{slip}");
        assert!(slip.contains("2*sqrt(3) = 3.464102"), "{slip}");
        assert!(slip.contains("2^-7 too small"), "{slip}");
    }

    #[test]
    fn the_slip_is_that_of_f32_and_of_the_page_s_size() {
        assert_eq!(slip(&h200("sweep-f64")), None);
        let mut records = h200("sweep-f32");
        for record in &mut records {
            record.cell = record.cell.clone().with("strips", 1_u64 << 20);
        }
        assert_eq!(slip(&records), None);
    }

    #[test]
    fn a_failed_row_and_another_value_are_not_taken_for_the_slip() {
        let mut records = h200("sweep-f32");
        records[0].metrics.put("pi_corrected", Some(3.0));
        let said = slip(&records).unwrap_or_default();
        assert!(said.contains("and 3.000000 without it"), "{said}");
        assert!(!said.contains("2*sqrt(3)"), "{said}");
        records[0].status = Status::Failed;
        let said = slip(&records).unwrap_or_default();
        assert!(
            !said.contains("3.000000") && !said.contains("At 1x1,"),
            "{said}"
        );
    }

    #[test]
    fn the_page_s_matrix_has_blocks_down_and_threads_across() {
        let matrices = (F64.matrices)(&h200("sweep-f64"));
        let titles: Vec<&str> = matrices.iter().map(|m| m.title.as_str()).collect();
        assert_eq!(titles.len(), 4, "{titles:?}");
        let published = &matrices[1];
        assert_eq!(published.title, "gpu_ms, published");
        assert_eq!(
            published.threads,
            [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
        );
        let at = |blocks, threads| {
            let row = published.blocks.iter().position(|&b| b == blocks);
            let column = published.threads.iter().position(|&t| t == threads);
            published.cells[row.unwrap_or_default()][column.unwrap_or_default()].as_str()
        };
        assert_eq!(
            (at(64, 256), at(1, 1024), at(8192, 4)),
            ("2.64", "", "24.01")
        );
    }

    #[test]
    fn a_single_row_is_no_matrix_and_gets_no_account() {
        let records: Vec<Record> = h200("sweep-f64")
            .into_iter()
            .filter(|record| record.cell.number("blocks") == Some(64))
            .collect();
        assert!(!records.is_empty());
        assert_eq!((F64.matrices)(&records), []);
        assert_eq!((F64.notes)(&records), Vec::<String>::new());
    }

    #[test]
    fn the_middle_of_the_page_s_five_times_stands_beside_ours() {
        let records = h200("sweep-f32");
        let columns = F32.columns_of(&records);
        let text = |name: &str| {
            let column = columns.iter().find(|column| column.name == name);
            column.map(|column| column.text(&records[0]))
        };
        // 2313.6, 2299.5, 2310.8, 2301, 2310.4; the page's pi.
        assert_eq!(text("published_gpu_ms").as_deref(), Some("2310.4"));
        assert_eq!(text("published_pi_difference").as_deref(), Some("0.000000"));
        // 2310.4 / 935.977069
        assert_eq!(text("published_ratio").as_deref(), Some("2.4684"));
    }
}
