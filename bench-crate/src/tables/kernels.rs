//! `kernels`: single kernels by size; the first measurement of a new kernel. Its rows are those
//! of [`kernels::ALL`].
//!
//! Nothing of it was published. The first kernel is the copy, the limit of the others.

use crate::axes::{KERNELS, SIZES};
use crate::kernels;
use crate::measure::Bench;
use crate::record::Cell;
use crate::table::column::{COUNTS, OUTCOME, Show, axis, count, derived, noise, us};
use crate::table::peers::rate;
use crate::table::{Table, TableAxis, values};

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "kernels",
    about: "single kernels, beside a copy",
    axes: &[
        TableAxis::filter(&KERNELS).known(|| {
            let names = kernels::ALL.iter().map(|kernel| kernel.name.to_owned());
            names.collect()
        }),
        TableAxis::of(&SIZES)
            .up_to(1 << 32)
            .usual(|asked, _| {
                let powers = (16..=asked.extent.exponent()).step_by(4);
                values(powers.map(|power| 1_u64 << power))
            })
            .emulated_up_to(1 << 16),
    ],
    columns: &[
        &[
            axis("kernel"),
            axis("n"),
            count("bytes").detail(),
            us("us", "kernel"),
            noise("noise_percent", "kernel"),
            derived(
                "gb_per_s",
                "`bytes` in `kernel`, GB/s",
                Show::Fixed(1),
                |record| rate(record, "bytes", "kernel"),
            ),
        ],
        &COUNTS,
        &OUTCOME,
    ],
    modules: |cell| {
        let kernel = cell.text("kernel").and_then(kernels::by_name);
        kernel
            .iter()
            .map(|kernel| kernel.module.to_owned())
            .collect()
    },
    measure,
    weight: |cell, _| cell.number("n").unwrap_or_default() as f64,
    ..Table::EMPTY
};

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> quadscan::Result<()> {
    let of = |cell: &Cell| Some((kernels::by_name(cell.text("kernel")?)?, cell.number("n")?));
    let (kernel, n) = cell.read(of)?;
    measured(bench, kernel, n)
}

/// Launches a kernel once and compares, then times it.
fn measured(bench: &mut Bench<'_>, kernel: &kernels::Kernel, n: u64) -> quadscan::Result<()> {
    let mut prepared = (kernel.prepare)(bench.module(), n)?;
    prepared.launch()?;
    let wrong = prepared.difference()?;
    bench.put("bytes", Some((kernel.bytes)(n)));
    let is_right = bench.expect(wrong.map(|wrong| format!("{}: {wrong}", kernel.name)));
    if is_right && bench.is_timed() {
        bench.time(&mut || prepared.launch())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Kernel, Prepared};
    use crate::measure::Sampling;
    use crate::record::Status;
    use crate::table::Asked;
    use crate::table::Extent;
    use crate::tables::testing::{self, asked, cells, emulated, expect_unknown, problem};

    fn sizes(asked: &Asked) -> Vec<u64> {
        let cells = cells(&TABLE, asked);
        let copies = cells
            .iter()
            .filter(|cell| cell.text("kernel") == Some("limit_copy"));
        copies.filter_map(|cell| cell.number("n")).collect()
    }

    #[test]
    fn every_kernel_has_a_row_a_size_and_a_module() {
        let of = |extent| {
            sizes(&Asked {
                extent,
                ..asked(&[])
            })
        };
        assert_eq!(of(Extent::Quick), [1 << 16, 1 << 20]);
        assert_eq!(of(Extent::Default), [1 << 16, 1 << 20, 1 << 24]);
        assert_eq!(of(Extent::Full), [1 << 16, 1 << 20, 1 << 24, 1 << 28]);
        let cells = cells(&TABLE, &asked(&[]));
        assert_eq!(cells.len(), 3 * kernels::ALL.len());
        assert!(cells.iter().all(|cell| (TABLE.modules)(cell).len() == 1));
    }

    #[test]
    fn sizes_that_are_named_are_the_only_ones() {
        assert_eq!(sizes(&asked(&[("sizes", "1000")])), [1000]);
        assert_eq!(
            problem(&TABLE, &[("sizes", "2^32+1")]),
            "--sizes 4294967297 is too large for kernels, allowed are 1 to 4294967296"
        );
    }

    #[test]
    fn kernels_that_are_named_are_the_only_ones() {
        assert_eq!(cells(&TABLE, &asked(&[("kernels", "limit_copy")])).len(), 3);
        let said = problem(&TABLE, &[("kernels", "limit")]);
        assert!(
            said.starts_with(
                "--kernels `limit` is unknown, a similar name is `limit_copy`, allowed are all, \
                 limit_copy"
            ),
            "{said}"
        );
    }

    fn cell(kernel: &str, n: u64) -> Cell {
        Cell::default().with("kernel", kernel).with("n", n)
    }

    #[test]
    fn every_kernel_is_right_at_sizes_of_one_block_and_of_several() {
        let mut session = emulated();
        for kernel in kernels::ALL {
            for n in [1, 1000, 4096, 5000] {
                let row = testing::measured(&mut session, &TABLE, &cell(kernel.name, n));
                assert_eq!((row.status, row.reason), (Status::Ok, None), "{n} elements");
                assert_eq!(row.metrics.count("bytes"), Some((kernel.bytes)(n)));
                assert_eq!(row.metrics.times().count(), 0, "the emulator has no times");
            }
        }
    }

    /// A kernel whose results are always wrong.
    struct Wrong;

    impl Prepared for Wrong {
        fn launch(&mut self) -> quadscan::Result<()> {
            Ok(())
        }

        fn difference(&self) -> quadscan::Result<Option<String>> {
            Ok(Some("result 0 is 1, not 2".to_owned()))
        }
    }

    #[test]
    fn a_result_that_is_wrong_is_told_with_the_kernels_name() {
        let kernel = Kernel {
            name: "wrong",
            module: "main",
            bytes: |n| n,
            prepare: |_, _| Ok(Box::new(Wrong)),
        };
        let mut session = emulated();
        let (sampling, of) = (Sampling::default(), cell("wrong", 1));
        let mut bench = Bench::new(&mut session, &sampling, (TABLE.name, &of));
        measured(&mut bench, &kernel, 1).expect("its launch goes well");
        let row = bench.finish().record;
        let said = "wrong: result 0 is 1, not 2";
        assert_eq!(
            (row.status, row.reason.as_deref()),
            (Status::Failed, Some(said))
        );
        expect_unknown(&mut session, &TABLE, &cell("nothing", 1));
    }
}
