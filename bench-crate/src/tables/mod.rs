//! The tables: a file each says which cells a table has, how a cell is measured
//! on the host and on the device, and which columns are printed.
//!
//! A table never measures by itself and never prints: it names a [`Task`] for the
//! measuring process, fills a record from its answer, and gives the text of a
//! record's columns. To add a table, add a file here and a line to [`all`].

pub mod about;
pub mod accuracy;
pub mod activity;
mod beside;
pub mod column;
pub mod faults;
pub mod integrate;
pub mod kernels;
pub mod limits;
pub mod mapping;
mod mapping_summary;
pub mod matrix;
pub mod published;
mod rounding;
pub mod sweep;
pub mod workload;

use crate::bench::host_oracle::HostOracle;
use crate::error::Result;
use crate::oracle::{Precision, quarter_circle};
use crate::record::{DeviceInfo, Key, Record};
use crate::worker::protocol::{Reading, Task};

pub use column::{Column, Group};
pub use matrix::Matrix;

/// How far the sizes go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// Up to 2^20.
    Quick,
    /// Up to 2^24.
    #[default]
    Default,
    /// Up to 2^30.
    Full,
}

impl Extent {
    /// The exponent of the largest size.
    pub fn exponent(self) -> u32 {
        match self {
            Extent::Quick => 20,
            Extent::Default => 24,
            Extent::Full => 30,
        }
    }
}

/// What the command line selects. Lists are checked: not empty, in range, no
/// duplicates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection {
    /// How far the sizes go when `strips` does not say.
    pub extent: Extent,
    /// The published cells alone.
    pub published: bool,
    /// These numbers of strips.
    pub strips: Option<Vec<u64>>,
    /// These numbers of blocks.
    pub blocks: Option<Vec<u32>>,
    /// These numbers of threads.
    pub threads: Option<Vec<u32>>,
    /// Scans of these numbers of elements.
    pub elements: Option<Vec<u32>>,
    /// The scan without bank conflicts too.
    pub padded: bool,
    /// The scans whose work is spread over all warps too.
    pub scattered: bool,
    /// Each scan beside a second kernel too.
    pub concurrent: bool,
    /// These kernels, of those that are launched by themselves.
    pub kernels: Option<Vec<String>>,
    /// What is asked of the tables of whole arrays.
    pub arrays: workload::Asked,
    /// What is asked of the tables of integrals.
    pub integrals: integrate::Asked,
}

/// What libraries and packages of others do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Libraries {
    /// Scans and reductions of whole arrays.
    Arrays,
    /// One integral.
    Integral,
    /// Batches of integrals.
    Integrals,
}

/// A table of the program.
pub trait Table: Sync {
    /// As it is typed.
    fn name(&self) -> &'static str;

    /// One line for `--list`.
    fn about(&self) -> &'static str {
        about::of(self.name())
    }

    /// What its rows are of, for `--list`, where that is a list that grows.
    fn subjects(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Columns in the order in which CSV has them.
    fn columns(&self) -> Vec<Column>;

    /// The same columns, for tables whose texts depend on all records together.
    fn columns_of(&self, _records: &[Record]) -> Vec<Column> {
        self.columns()
    }

    /// The cells of a selection, in the order of their rows. Err when a size does
    /// not fit the table.
    fn cells(&self, selection: &Selection) -> Result<Vec<Key>>;

    /// False when nothing of it was published: it has no place beside `--published`.
    fn is_published(&self) -> bool {
        true
    }

    /// True when a row without its device columns is not the table's row: it is
    /// skipped then.
    fn needs_device(&self) -> bool {
        true
    }

    /// True when the CUDA C++ kernel is timed beside ours.
    fn has_peer(&self) -> bool {
        false
    }

    /// The libraries and packages that are timed beside ours where they are asked for.
    fn libraries(&self) -> Option<Libraries> {
        None
    }

    /// False when it is measured only where it is named: what was not published, but for a few.
    fn is_usual(&self) -> bool {
        self.is_published()
    }

    /// Whether a cell is measured on the emulator when nobody named its size.
    fn is_for_emulator(&self, _key: &Key) -> bool {
        true
    }

    /// Fills in what the host can say about the record's cell.
    fn fill_from_host(&self, _record: &mut Record, _host: &mut HostOracle) {}

    /// What the device has to do for a cell; `None` when it has nothing to do.
    fn task(&self, key: &Key) -> Option<Task>;

    /// Why a cell is not measured on this device, in one sentence, when it is not.
    fn skipped_on(&self, _key: &Key, _device: &DeviceInfo) -> Option<String> {
        None
    }

    /// Fills in what the device said about the record's cell, and gives the reason
    /// when it is wrong.
    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String>;

    /// Whether the host's answer is right, where the published tables or closed
    /// forms know it: `Some(Err(reason))` when it is not.
    fn check_host(&self, _record: &Record) -> Option<std::result::Result<(), String>> {
        None
    }

    /// The records by blocks and threads, for forms that have room for them.
    fn matrices(&self, _records: &[Record]) -> Vec<Matrix> {
        Vec::new()
    }

    /// Paragraphs under the finished table, for forms that have room for them.
    fn notes(&self, _records: &[Record]) -> Vec<String> {
        Vec::new()
    }

    /// Lines under the finished table.
    fn summary(&self, records: &[Record]) -> Vec<String>;
}

/// Whether a host's pi is right: the published text where there is one, else the
/// limit of the rule, where the sum is one that stays near it. `None` where neither
/// knows it.
fn judge_pi(
    pi: f64,
    published: &str,
    decimals: usize,
    precision: Precision,
    strips: u64,
) -> Option<std::result::Result<(), String>> {
    if !published.is_empty() {
        let got = format!("{pi:.decimals$}");
        return Some(if got == published {
            Ok(())
        } else {
            Err(format!("pi is {got}, published is {published}"))
        });
    }
    let limit = quarter_circle::trapezoid_limit(strips);
    let bound = rounding_bound(precision, strips)? + 4.0 * (strips as f64).powf(-4.5);
    Some(if (pi - limit).abs() <= bound {
        Ok(())
    } else {
        Err(format!("pi is {pi:.12}, the rule's limit is {limit:.12}"))
    })
}

/// How far rounding can take pi from the rule's limit, where that says anything.
fn rounding_bound(precision: Precision, strips: u64) -> Option<f64> {
    let n = strips as f64;
    // The terms add up to pi / 4 and have at most four roundings each, in f32
    // like those of the sum.
    let f32_units = |units: f64| Some((4.0 + units) * 4.0 * f64::from(f32::EPSILON) / 2.0);
    match precision {
        // n additions of terms that add up to 1: at worst n roundings of it.
        Precision::F64 => Some(4.0 * f64::EPSILON * n),
        Precision::F32 | Precision::F32Pure => None,
        Precision::F32Kahan | Precision::F32DoubleFloat => f32_units(2.0),
        Precision::F32Pairwise => f32_units(n.log2() + 1.0),
    }
}

/// Fills in the time of the host's fastest loop; a result of it that is not right is
/// a remark and no time.
fn fill_best_of_host(record: &mut Record, host: &mut HostOracle) {
    let (Some(precision), Some(strips)) = (record.key.precision, record.key.strips) else {
        return;
    };
    match host.best(precision, strips) {
        Ok(timing) => record.timings.host_best = timing,
        Err(problem) => record.remarks.push(problem),
    }
}

/// The tables that are offered, in the order in which they are printed.
pub fn all() -> [&'static dyn Table; 11] {
    [
        &activity::Activity,
        &sweep::SWEEP_F64,
        &sweep::SWEEP_F32,
        &accuracy::Accuracy,
        &mapping::MappingTable,
        &limits::Limits,
        &workload::SCAN,
        &workload::REDUCE,
        &integrate::OneIntegral,
        &integrate::Batches,
        &kernels::Kernels,
    ]
}

/// A table by the name that is typed: the offered ones, and `faults`, which is
/// documented but not part of a benchmark.
pub fn by_name(name: &str) -> Option<&'static dyn Table> {
    all()
        .into_iter()
        .chain([&faults::Faults as &'static dyn Table])
        .find(|table| table.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_says_what_it_is_and_is_listed_in_its_place() {
        let names: Vec<&str> = all().into_iter().map(Table::name).collect();
        let listed = about::list();
        let lines = listed.lines().map_while(|line| line.split_once(": "));
        assert_eq!(lines.map(|(name, _)| name).collect::<Vec<_>>(), names);
        assert!(!about::of("faults").is_empty() && about::of("flights").is_empty());
    }

    #[test]
    fn pi_is_judged_by_the_page_then_by_the_rule_and_else_not_at_all() {
        let judge = |pi, published, precision| judge_pi(pi, published, 3, precision, 1 << 20);
        assert_eq!(judge(3.1421, "3.142", Precision::F32), Some(Ok(())));
        assert_eq!(
            judge(3.1399, "3.142", Precision::F64),
            Some(Err("pi is 3.140, published is 3.142".to_owned()))
        );
        let limit = quarter_circle::trapezoid_limit(1 << 20);
        assert_eq!(judge(limit, "", Precision::F64), Some(Ok(())));
        let wrong = judge(limit + 1e-8, "", Precision::F64);
        assert!(wrong.is_some_and(|wrong| wrong.is_err()));
        assert_eq!(judge(3.0, "", Precision::F32), None);
        for compensated in [
            Precision::F32Kahan,
            Precision::F32Pairwise,
            Precision::F32DoubleFloat,
        ] {
            assert_eq!(judge(limit + 2e-7, "", compensated), Some(Ok(())));
            let wrong = judge(limit + 1e-5, "", compensated);
            assert!(wrong.is_some_and(|wrong| wrong.is_err()), "{compensated}");
        }
    }
}
