//! `quadscan time KERNEL`: the rows of the tables that time a kernel, beside those that were
//! kept the first time. `cargo xtask dev` asks for it after every save, and whoever has the
//! program and a GPU may.
//!
//! Which rows these are is a function of the kernel's name ([`rows`]); measuring, keeping and
//! comparing are [`bench()`]'s.

use quadscan_kernels::scan::Algorithm;

use super::console::Console;
use super::{Outcome, bench, store};
use crate::cli::{AxisArguments, BenchArguments, TimeArguments};
use crate::error::{Error, Result};
use crate::kernels;

/// Elements of arrays, such as those that caches hold, and more.
const SIZES: &str = "2^16,2^20,2^24";

/// Behind a kernel's name, that of its times as they are kept every time.
const NOW: &str = "now";

/// Times a kernel; [`Outcome::Wrong`] when it is slower than its baseline, or wrong.
///
/// # Errors
///
/// [`Error::Argument`] when no table times the kernel; otherwise as [`bench()`], which refuses a
/// machine without the device.
pub fn time(arguments: &TimeArguments, console: &mut dyn Console) -> Result<Outcome> {
    let name = &arguments.kernel;
    let rows = rows(name).ok_or_else(|| Error::Argument {
        argument: "KERNEL".into(),
        problem: format!(
            "`{name}` is in no table, allowed are kernels of the tables kernels, scan, reduce, \
             integral, activity, sweep-f64, sweep-f32, mapping and limits, such as limit_copy, \
             lookahead_sum_u32 and composite_runge_f64"
        ),
    })?;
    let now = format!("{name}.{NOW}");
    let is_first = arguments.new_baseline || !store::has_baseline(&arguments.out, name);
    let (save, baseline) = match is_first {
        true => (name.clone(), None),
        false => (now, Some(name.clone())),
    };
    let outcome = bench(
        &BenchArguments {
            device: arguments.device.clone(),
            format: "table".into(),
            out: arguments.out.clone(),
            artifact: arguments.artifact.clone(),
            worker: arguments.worker.clone(),
            save: Some(save),
            baseline,
            ..rows
        },
        console,
    )?;
    if is_first && matches!(outcome, Outcome::Fine) {
        console.result("these times are the baseline from now on\n");
    }
    Ok(outcome)
}

/// A request of the cells of a table that these lists leave.
fn table(name: &str, lists: &[(&str, &str)]) -> BenchArguments {
    let list = |(option, list): &(&str, &str)| ((*option).to_owned(), (*list).to_owned());
    BenchArguments {
        tables: vec![name.to_owned()],
        quick: true,
        axes: AxisArguments {
            lists: lists.iter().map(list).collect(),
            ..AxisArguments::default()
        },
        ..BenchArguments::default()
    }
}

/// The rows that time a kernel; `None` where no table launches it by itself.
pub fn rows(kernel: &str) -> Option<BenchArguments> {
    const WHOLE: [(&str, &str); 6] = [
        ("trapezoid_f64", "sweep-f64"),
        ("trapezoid_f32", "sweep-f32"),
        ("mapped_", "mapping"),
        ("limit_", "limits"),
        ("blelloch_", "activity"),
        ("hillis_steele_", "activity"),
    ];
    if kernels::by_name(kernel).is_some() {
        return Some(table("kernels", &[("kernels", kernel)]));
    }
    if let Some(rest) = kernel.strip_prefix("composite_") {
        let (integrand, element) = rest.rsplit_once('_')?;
        return Some(table(
            "integral",
            &[("integrands", integrand), ("types", element)],
        ));
    }
    if let Some((_, name)) = WHOLE.iter().find(|(start, _)| kernel.starts_with(start)) {
        return Some(table(name, &[]));
    }
    let (prefix, operation, element) = of_arrays(kernel)?;
    let of = |name: &str, operation: &str, algorithm: Option<&str>| {
        let mut lists = vec![
            ("operations", operation),
            ("types", element),
            ("sizes", SIZES),
        ];
        lists.extend(algorithm.map(|algorithm| ("algorithms", algorithm)));
        BenchArguments {
            quick: false,
            ..table(name, &lists)
        }
    };
    match (prefix, operation) {
        ("reduce" | "reduce_one_wave", "sum") => Some(of("reduce", "reduce", None)),
        ("reduce" | "reduce_one_wave", other @ ("min" | "max")) => {
            Some(of("reduce", &format!("reduce_{other}"), None))
        }
        ("segmented_reduce", "sum") => Some(of("reduce", "segmented_reduce", None)),
        ("segmented_lookahead" | "segmented_small" | "segmented_wave", "sum") => {
            Some(of("scan", "segmented_scan", None))
        }
        (prefix, operation) => {
            let prefix = prefix.strip_prefix("device_").unwrap_or(prefix);
            let is_of = |one: &&Algorithm| {
                let rest = prefix.strip_prefix(one.name());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
            };
            // The longest name, such as that of one_wave_small.
            let named = Algorithm::ALL.iter().filter(is_of);
            let algorithm = named.max_by_key(|one| one.name().len())?;
            let operation = match operation {
                "sum" => "inclusive_sum",
                "affine" | "min" | "max" | "product" => operation,
                _ => return None,
            };
            Some(of("scan", operation, Some(algorithm.name())))
        }
    }
}

/// What a kernel of arrays is called by: `lookahead`, `sum`, and the type as tables call it.
fn of_arrays(kernel: &str) -> Option<(&str, &str, &'static str)> {
    let (rest, element) = kernel.rsplit_once('_')?;
    let (prefix, operation) = rest.rsplit_once('_')?;
    // The kernels of the signed integers are those of the unsigned ones, in sums and products.
    let element = match (operation, element) {
        ("affine", "f64") => "f64x2",
        (_, "i32" | "u32") => "i32",
        (_, "i64" | "u64") => "i64",
        (_, "f32") => "f32",
        (_, "f64") => "f64",
        _ => return None,
    };
    Some((prefix, operation, element))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::request::Request;

    /// The request of a kernel, as a command line.
    fn line(kernel: &str) -> Option<String> {
        let rows = rows(kernel)?;
        let lists = rows
            .axes
            .lists
            .iter()
            .filter(|(option, _)| option != "sizes");
        let words = rows.tables.iter().chain(lists.map(|(_, list)| list));
        Some(words.cloned().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_kernel_is_timed_by_the_rows_that_launch_it() {
        for (kernel, expected) in [
            ("limit_copy", "kernels limit_copy"),
            ("lookahead_sum_u32", "scan inclusive_sum i32 lookahead"),
            ("one_wave_small_min_f32", "scan min f32 one_wave_small"),
            (
                "device_blelloch_above_add_sum_u32",
                "scan inclusive_sum i32 blelloch",
            ),
            ("lookahead_affine_f64", "scan affine f64x2 lookahead"),
            ("segmented_small_sum_f32", "scan segmented_scan f32"),
            ("segmented_wave_sum_f32", "scan segmented_scan f32"),
            ("reduce_one_wave_max_f32", "reduce reduce_max f32"),
            ("composite_gaussian_f64", "integral gaussian f64"),
            ("trapezoid_f32_pure_kahan", "sweep-f32"),
            ("blelloch_padded_exclusive_u32", "activity"),
        ] {
            assert_eq!(line(kernel).as_deref(), Some(expected));
        }
        for none in [
            "hang",
            "adaptive_formula_f64",
            "segment_flags_of_flags",
            "",
            "sum",
            "a_b_c",
        ] {
            assert_eq!(line(none), None, "{none}");
        }
    }

    #[test]
    fn every_request_is_one_that_bench_takes() {
        for kernel in [
            "limit_copy",
            "limit_empty",
            "lookahead_sum_u32",
            "lookahead_affine_f64",
            "device_hillis_steele_pass_affine_f64",
            "segmented_lookahead_sum_f64",
            "reduce_sum_u64",
            "reduce_min_i32",
            "segmented_reduce_sum_f32",
            "composite_runge_f32",
            "trapezoid_f64_dyadic",
            "mapped_shared",
            "hillis_steele_batch_inclusive_u32",
        ] {
            let arguments = BenchArguments {
                device: "cuda".into(),
                format: "table".into(),
                ..rows(kernel).expect(kernel)
            };
            let request = Request::new(&arguments);
            let request = request.unwrap_or_else(|error| panic!("{kernel}: {error}"));
            let cells: usize = request.tables.iter().map(|(_, cells)| cells.len()).sum();
            assert!(cells > 0, "{kernel}");
        }
    }
}
