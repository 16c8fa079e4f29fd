//! `integrals`: batches of integrals, each to a tolerance, by kind, rule, type and items.

use super::asked::types;
use super::single::error;
use crate::error::Result;
use crate::peers::operation::Element;
use crate::record::{Key, Record};
use crate::tables::beside::{self, head, us};
use crate::tables::column::{fixed, noise, optional};
use crate::tables::workload::asked::objection;
use crate::tables::{Column, Extent, Libraries, Selection, Table};
use crate::worker::protocol::{Reading, Task};
use crate::workload::integrals::kinds::{Kind, MOST_ITEMS, Method};

/// As it is typed.
pub(super) const NAME: &str = "integrals";

/// The most items on the emulator where no size is named.
const MOST_EMULATED: u64 = 1 << 10;

/// Of a peer's name where it runs on the device.
const ON_THE_DEVICE: &str = "cupy";

/// The table.
pub struct Batches;

/// Numbers of items where none is named.
fn usual_sizes(extent: Extent) -> &'static [u64] {
    const ALL: &[u64] = &[1 << 10, 1 << 20, 1 << 24];
    match extent {
        Extent::Quick => &[1 << 10, 1 << 16],
        Extent::Default => &ALL[..2],
        Extent::Full => ALL,
    }
}

/// The tolerance of a type where none is named, and its epsilon.
fn usual_tolerance(element: Element) -> (f64, f64) {
    match element {
        Element::F32 => (1e-5, f32::EPSILON.into()),
        _ => (1e-10, f64::EPSILON),
    }
}

/// The tolerance of a cell.
pub(crate) fn tolerance(key: &Key) -> Option<f64> {
    key.tolerance.as_ref()?.parse().ok()
}

/// The tolerance of a rule's rows of a type. Err when they cannot give it.
fn tolerance_of(rule: &str, element: Element, asked: Option<f64>) -> Result<f64> {
    let (usual, epsilon) = usual_tolerance(element);
    let least = Method::by_name(rule).map_or(0.0, |method| method.least_tolerance(epsilon));
    let tolerance = asked.unwrap_or(usual);
    if tolerance >= least {
        return Ok(tolerance);
    }
    let name = element.name();
    Err(objection(
        "--tolerance",
        format!(
            "{tolerance:e} is less than {rule} can reach in {name}, allowed are {:.1e} to 0.1",
            // Two digits, and no less.
            1.06 * least
        ),
    ))
}

/// Items in a time, a second.
fn per_second(items: Option<u64>, ms: Option<f64>) -> Option<f64> {
    Some(1e3 * items? as f64 / ms?)
}

/// What a peer does in a second, and its time in units of ours: above 1 ours is faster.
fn of_peer(name: &str) -> [Column; 2] {
    let head = head(name);
    let (timed, compared) = (name.to_owned(), name.to_owned());
    [
        Column::ours(format!("{head}_per_s"), move |record| {
            let ms = beside::peer(record, &timed).map(|timing| timing.median_ms);
            fixed(per_second(record.key.n, ms), 0)
        }),
        Column::ours(format!("{head}_ratio"), move |record| {
            fixed(beside::ratio(record, beside::peer(record, &compared)), 1)
        }),
    ]
}

/// The ratio to the fastest peer on the host's cores.
fn of_cpu(record: &Record) -> Option<f64> {
    let peers = record.timings.peers.iter();
    let fastest = peers
        .filter(|peer| !peer.name.ends_with(ON_THE_DEVICE))
        .map(|peer| &peer.timing)
        .min_by(|a, b| a.median_ms.total_cmp(&b.median_ms));
    beside::ratio(record, fastest)
}

impl Table for Batches {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self) -> Vec<Column> {
        self.columns_of(&[])
    }

    fn columns_of(&self, records: &[Record]) -> Vec<Column> {
        let batch = |record: &Record| record.values.integrals.clone();
        let mut columns = vec![
            Column::ours("integrand", |record| optional(record.key.integrand.clone())),
            Column::ours("rule", |record| optional(record.key.rule.clone())),
            Column::ours("type", |record| optional(record.key.element.clone())),
            Column::ours("n", |record| optional(record.key.n)),
            Column::ours("tolerance", |record| optional(record.key.tolerance.clone())),
            Column::ours("us", |record| us(record.timings.kernel.as_ref())),
            Column::ours("noise_percent", |record| noise(&record.timings.kernel)),
            Column::ours("integrals_per_s", |record| {
                let ms = record
                    .timings
                    .kernel
                    .as_ref()
                    .map(|timing| timing.median_ms);
                fixed(per_second(record.key.n, ms), 0)
            }),
            Column::ours("evaluations", move |record| {
                fixed(batch(record).map(|of| of.evaluations), 1)
            }),
            Column::ours("converged", move |record| {
                optional(batch(record).map(|of| of.converged))
            }),
            Column::ours("unconverged", move |record| {
                optional(batch(record).map(|of| of.unconverged))
            }),
            Column::ours("largest_error", move |record| {
                error(batch(record).and_then(|of| of.largest_error))
            }),
        ];
        let peers = beside::names(records);
        columns.extend(peers.iter().flat_map(|name| of_peer(name)));
        columns.push(Column::ours("cpu_ratio", |record| fixed(of_cpu(record), 1)));
        columns.extend(Column::counts());
        columns.extend(Column::conditions().into_iter().skip(2));
        columns.extend(Column::outcome());
        columns
    }

    fn cells(&self, selection: &Selection) -> Result<Vec<Key>> {
        let (arrays, asked) = (&selection.arrays, &selection.integrals);
        let sizes = arrays.sizes_up_to(NAME, MOST_ITEMS)?;
        let sizes = sizes.unwrap_or_else(|| usual_sizes(selection.extent).to_vec());
        let (types, named) = (types(arrays, NAME)?, asked.methods(NAME)?);
        let wanted = asked.kinds(NAME)?;
        let is_asked = |kind: &&Kind| {
            let wanted = wanted.as_ref();
            wanted.is_none_or(|names| names.iter().any(|name| name == kind.name))
        };
        let mut cells = Vec::new();
        for kind in Kind::ALL.iter().filter(is_asked) {
            let usual = || {
                kind.methods
                    .iter()
                    .map(|one| one.name().to_owned())
                    .collect()
            };
            let rules: Vec<String> = named.clone().unwrap_or_else(usual);
            for rule in rules {
                for &element in &types {
                    let tolerance = tolerance_of(&rule, element, asked.tolerance)?;
                    cells.extend(sizes.iter().map(|&n| Key {
                        integrand: Some(kind.name.to_owned()),
                        rule: Some(rule.clone()),
                        element: Some(element.name().to_owned()),
                        n: Some(n),
                        tolerance: Some(format!("{tolerance:e}")),
                        ..Key::default()
                    }));
                }
            }
        }
        Ok(cells)
    }

    fn is_published(&self) -> bool {
        false
    }

    fn libraries(&self) -> Option<Libraries> {
        Some(Libraries::Integrals)
    }

    fn is_for_emulator(&self, key: &Key) -> bool {
        key.n.is_none_or(|n| n <= MOST_EMULATED)
    }

    fn task(&self, key: &Key) -> Option<Task> {
        Some(Task::Integrals {
            kind: key.integrand.clone()?,
            rule: key.rule.clone()?,
            element: Element::by_name(key.element.as_deref()?)?,
            items: key.n?,
            tolerance: tolerance(key)?,
        })
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        record.timings.kernel = reading.kernel.clone();
        record.values.integrals = reading.integrals.clone();
        reading.wrong.clone()
    }

    fn summary(&self, records: &[Record]) -> Vec<String> {
        beside::lines(NAME, records)
    }
}
