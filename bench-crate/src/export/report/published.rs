//! What was published about the sweeps, as series to draw beside ours.

use crate::export::report::words::short;
use crate::table::published::{Published, Row, SWEEP_F32, SWEEP_F64};

/// A published sweep: the page's span by blocks and threads, in ms.
pub(super) struct PublishedSweep {
    /// The device, as the page names it.
    pub(super) device: &'static str,
    /// blocks, threads, ms; the median where the page has five times.
    pub(super) cells: Vec<(u32, u32, f64)>,
    /// The page's loop on its host, ms; the median of its rows.
    pub(super) host_ms: Option<f64>,
}

/// Strips of the published sweeps; other sizes have nothing beside them.
pub(super) const STRIPS: u64 = crate::table::published::STRIPS;

impl PublishedSweep {
    /// Of the table, where the page has it.
    pub(super) fn of(table: &str) -> Option<Self> {
        match table {
            "sweep-f64" => Some(read("Tesla S2050", &SWEEP_F64, &["gpu_ms"], &["host_ms"])),
            "sweep-f32" => Some(read(
                "GeForce 8800 GT",
                &SWEEP_F32,
                &["gpu_ms_1", "gpu_ms_2", "gpu_ms_3", "gpu_ms_4", "gpu_ms_5"],
                &["cpu_ms_1", "cpu_ms_2", "cpu_ms_3", "cpu_ms_4", "cpu_ms_5"],
            )),
            _ => None,
        }
    }

    /// The cell with the least time.
    pub(super) fn best(&self) -> Option<(u32, u32, f64)> {
        let cells = self.cells.iter().copied();
        cells.min_by(|a, b| a.2.total_cmp(&b.2))
    }

    /// What a cell says.
    pub(super) fn note(&self, (blocks, threads, ms): (u32, u32, f64)) -> String {
        let ms = short(ms);
        format!("{}, {blocks} × {threads}: {ms} ms, published", self.device)
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        return values.get(middle).copied();
    }
    Some((values.get(middle.checked_sub(1)?)? + values.get(middle)?) / 2.0)
}

fn read(device: &'static str, table: &Published, gpu: &[&str], host: &[&str]) -> PublishedSweep {
    let numbers = |row: &Row, columns: &[&str]| -> Vec<f64> {
        columns.iter().filter_map(|name| row.number(name)).collect()
    };
    let cells = table.rows().filter_map(|row| {
        let ms = median(numbers(&row, gpu))?;
        Some((row.number("blocks")?, row.number("threads")?, ms))
    });
    PublishedSweep {
        device,
        cells: cells.collect(),
        host_ms: median(table.rows().flat_map(|row| numbers(&row, host)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_published_cells_are_the_pages() {
        let best = |table| PublishedSweep::of(table).and_then(|sweep| sweep.best());
        assert_eq!(best("sweep-f32"), Some((16, 256, 0.99)));
        assert_eq!(best("accuracy"), None);
    }

    #[test]
    fn cells_that_the_page_leaves_open_are_absent_and_not_0() {
        let Some(sweep) = PublishedSweep::of("sweep-f64") else {
            panic!("no sweep")
        };
        assert!(sweep.cells.iter().all(|cell| cell.2 > 0.0));
        assert!(!sweep.cells.iter().any(|cell| (cell.0, cell.1) == (1, 1024)));
    }

    #[test]
    fn the_median_of_two_is_their_mean_and_of_none_is_none() {
        assert_eq!(median(vec![3.0, 1.0]), Some(2.0));
        assert_eq!(median(vec![5.0, 1.0, 3.0]), Some(3.0));
        assert_eq!(median(Vec::new()), None);
    }
}
