//! Which kernels a name stands for, as commands are given it: a part of the PTX, an entry, or the
//! entries that begin with it. What else a command allows is for the command to say.

use std::collections::BTreeSet;

pub use crate::error::UnknownKernel;
use crate::manifest::{Kernel, Part};

/// The entries that a name stands for among those of these parts, in order.
///
/// The first way that finds any counts: the part of that name, whole, also where one of its
/// entries has the same name; the entry of that name; the parts of that name behind another word
/// (`sum` for `fast_sum`); the entries that begin with it and an underscore.
///
/// Errors: the name stands for none.
pub fn entries<'p>(
    name: &str,
    parts: impl IntoIterator<Item = &'p Part>,
) -> Result<BTreeSet<&'p str>, UnknownKernel> {
    let kernels = parts.into_iter().flat_map(|part| {
        let of = |kernel: &'p Kernel| (part.name.as_str(), kernel.entry.as_str());
        part.kernels.iter().map(of)
    });
    among(name, &kernels.collect::<Vec<_>>())
}

/// Of kernels, each by its part and its entry, the entries that a name stands for. What
/// `cuda_std_macros` compiles when it is told the name is no less.
pub(crate) fn among<'k>(
    name: &str,
    kernels: &[(&str, &'k str)],
) -> Result<BTreeSet<&'k str>, UnknownKernel> {
    let ways: [fn(&str, &str, &str) -> bool; 4] = [
        |name, part, _| part == name,
        |name, _, entry| entry == name,
        |name, part, _| matches!(part.split_once('_'), Some((_, behind)) if behind == name),
        |name, _, entry| matches!(entry.strip_prefix(name), Some(rest) if rest.starts_with('_')),
    ];
    for way in ways.iter().filter(|_| !name.is_empty()) {
        let is_meant = |(part, entry): &&(&str, &str)| way(name, part, entry);
        let found: BTreeSet<&str> = kernels
            .iter()
            .filter(is_meant)
            .map(|kernel| kernel.1)
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let known: BTreeSet<&str> = kernels.iter().map(|kernel| kernel.1).collect();
    Err(UnknownKernel::among(name, known))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::NAMED;

    fn part(name: &str, entries: &[&str]) -> Part {
        let kernel = |entry: &&str| Kernel {
            entry: (*entry).to_owned(),
            ..Kernel::default()
        };
        Part {
            name: name.to_owned(),
            kernels: entries.iter().map(kernel).collect(),
            ..Part::default()
        }
    }

    fn named(name: &str) -> Result<Vec<String>, String> {
        let parts = [
            part("main", &["copy", "scan_all"]),
            part("sum_f32", &["wave_sum_f32", "scan_sum_f32"]),
            part("reduce_sum_f32", &["reduce_all", "reduce_sum_f32"]),
            part("integrate_runge", &["composite_runge"]),
        ];
        let found = entries(name, &parts).map_err(|unknown| unknown.to_string())?;
        Ok(found.into_iter().map(str::to_owned).collect())
    }

    #[test]
    fn a_name_is_an_entrys_a_parts_or_a_familys() {
        let of = |name: &str| named(name).expect(name);
        assert_eq!(of("scan_all"), ["scan_all"]);
        assert_eq!(of("sum_f32"), ["scan_sum_f32", "wave_sum_f32"]);
        assert_eq!(of("f32"), ["scan_sum_f32", "wave_sum_f32"]);
        assert_eq!(of("reduce_sum_f32"), ["reduce_all", "reduce_sum_f32"]);
        assert_eq!(of("runge"), ["composite_runge"]);
        assert_eq!(of("scan"), ["scan_all", "scan_sum_f32"]);
        assert_eq!(of("composite"), ["composite_runge"]);
    }

    #[test]
    fn a_name_of_nothing_is_refused_with_those_that_are_near_it() {
        let said = named("scan_sum_f64").expect_err("there is none");
        let near = "KERNEL `scan_sum_f64` is not a kernel's name: near it are scan_sum_f32";
        assert_eq!(said, near);
        for name in ["", "x", "../main", "scan_"] {
            let said = named(name).expect_err(name);
            let start = format!("KERNEL `{name}` is not a kernel's name");
            assert!(said.starts_with(&start), "{said}");
        }
    }

    #[test]
    fn of_many_that_are_near_the_first_are_told_and_the_others_counted() {
        let known: Vec<String> = (0..20).map(|i| format!("scan_{i}")).collect();
        let refused = UnknownKernel::among("scan_x", known.iter().map(String::as_str));
        assert_eq!((refused.near.len(), refused.more), (NAMED, 20 - NAMED));
        assert!(refused.to_string().ends_with(" and 8 more"), "{refused}");
    }
}
