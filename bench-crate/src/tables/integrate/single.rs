//! `integral`: one integral by a composite rule, over integrands, rules, types and strips.

use quadscan_kernels::integrate::chunks::MAX_STRIPS;

use super::asked::types;
use crate::error::Result;
use crate::export::number;
use crate::peers::operation::Element;
use crate::record::{Key, Record};
use crate::tables::beside::{self, columns_of_peers, us};
use crate::tables::column::{noise, optional};
use crate::tables::{Column, Extent, Libraries, Selection, Table};
use crate::worker::protocol::{Reading, Task};
use crate::workload::integrals::single::Single;

/// As it is typed.
pub(super) const NAME: &str = "integral";

/// The most strips on the emulator where no size is named.
const MOST_EMULATED: u64 = 1 << 16;

/// The rule that every integrand is integrated by where none is named,
const USUAL: &str = "trapezoid";

/// and the rules that the first is integrated by besides.
const OF_THE_FIRST: [&str; 5] = [
    "midpoint",
    "simpson",
    "gauss-legendre-2",
    "gauss-legendre-5",
    "gauss-legendre-16",
];

/// The table.
pub struct OneIntegral;

/// Numbers of strips where none is named.
fn usual_sizes(extent: Extent) -> &'static [u64] {
    const ALL: &[u64] = &[1 << 16, 1 << 24, 1 << 30, 1 << 34];
    match extent {
        Extent::Quick => &[1 << 16, 1 << 20],
        Extent::Default => &ALL[..3],
        Extent::Full => ALL,
    }
}

/// So many strips, or evaluations, in 10^9 a second.
fn rate(record: &Record, each: Option<u32>) -> Option<f64> {
    let number = record.key.strips? as f64 * f64::from(each?);
    Some(1e-6 * number / record.timings.kernel.as_ref()?.median_ms)
}

/// Evaluations of a strip.
fn evaluations(record: &Record) -> Option<u32> {
    Some(record.values.integral.as_ref()?.evaluations)
}

/// A rate in five digits.
fn rounded(rate: Option<f64>) -> String {
    rate.map(number::significant).unwrap_or_default()
}

/// An error in two digits, as a power of ten.
pub(super) fn error(value: Option<f64>) -> String {
    value
        .map(|error| format!("{error:.1e}"))
        .unwrap_or_default()
}

/// A number with all of its digits.
fn exact(value: Option<f64>) -> String {
    value.map(|value| format!("{value:?}")).unwrap_or_default()
}

impl Table for OneIntegral {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self) -> Vec<Column> {
        self.columns_of(&[])
    }

    fn columns_of(&self, records: &[Record]) -> Vec<Column> {
        let integral = |record: &Record| record.values.integral.clone();
        let mut columns = vec![
            Column::ours("integrand", |record| optional(record.key.integrand.clone())),
            Column::ours("rule", |record| optional(record.key.rule.clone())),
            Column::ours("type", |record| optional(record.key.element.clone())),
            Column::ours("strips", |record| optional(record.key.strips)),
            Column::ours("us", |record| us(record.timings.kernel.as_ref())),
            Column::ours("noise_percent", |record| noise(&record.timings.kernel)),
            Column::ours("g_strips_per_s", |record| rounded(rate(record, Some(1)))),
            Column::ours("evaluations", |record| optional(evaluations(record))).detail(),
            Column::ours("g_evaluations_per_s", |record| {
                rounded(rate(record, evaluations(record)))
            }),
            Column::ours("value", move |record| {
                exact(integral(record).and_then(|of| of.value))
            })
            .detail(),
            Column::ours("expected", move |record| {
                exact(integral(record).map(|of| of.expected))
            })
            .detail(),
            Column::ours("relative_error", move |record| {
                error(integral(record).and_then(|of| of.relative_error))
            }),
            Column::ours("ulps", move |record| {
                optional(integral(record).and_then(|of| of.ulps))
            }),
        ];
        columns.extend(columns_of_peers(records));
        columns.extend(Column::counts());
        // It reads nothing that a cache could hold.
        columns.extend(Column::conditions().into_iter().skip(2));
        columns.extend(Column::outcome());
        columns
    }

    fn cells(&self, selection: &Selection) -> Result<Vec<Key>> {
        let (arrays, asked) = (&selection.arrays, &selection.integrals);
        let sizes = arrays.sizes_up_to(NAME, MAX_STRIPS)?;
        let sizes = sizes.unwrap_or_else(|| usual_sizes(selection.extent).to_vec());
        let (types, named) = (types(arrays, NAME)?, asked.rules(NAME)?);
        let all = || Single::ALL.iter().map(|one| one.name.to_owned()).collect();
        let integrands: Vec<String> = asked.integrands(NAME)?.unwrap_or_else(all);
        let mut cells = Vec::new();
        for integrand in integrands {
            let is_first = Single::ALL.first().is_some_and(|one| one.name == integrand);
            let usual = || {
                let more = OF_THE_FIRST.into_iter().filter(|_| is_first);
                std::iter::once(USUAL)
                    .chain(more)
                    .map(str::to_owned)
                    .collect()
            };
            for rule in named.clone().unwrap_or_else(usual) {
                let of_types = types.iter().flat_map(|element| {
                    sizes.iter().map(|&strips| Key {
                        integrand: Some(integrand.clone()),
                        rule: Some(rule.clone()),
                        element: Some(element.name().to_owned()),
                        strips: Some(strips),
                        ..Key::default()
                    })
                });
                cells.extend(of_types);
            }
        }
        Ok(cells)
    }

    fn is_published(&self) -> bool {
        false
    }

    fn libraries(&self) -> Option<Libraries> {
        Some(Libraries::Integral)
    }

    fn is_for_emulator(&self, key: &Key) -> bool {
        key.strips.is_none_or(|strips| strips <= MOST_EMULATED)
    }

    fn task(&self, key: &Key) -> Option<Task> {
        Some(Task::Integral {
            integrand: key.integrand.clone()?,
            rule: key.rule.clone()?,
            element: Element::by_name(key.element.as_deref()?)?,
            strips: key.strips?,
        })
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        record.timings.kernel = reading.kernel.clone();
        record.timings.peers = reading.peers.clone();
        record.values.integral = reading.integral.clone();
        reading.wrong.clone()
    }

    fn summary(&self, records: &[Record]) -> Vec<String> {
        beside::lines(NAME, records)
    }
}
