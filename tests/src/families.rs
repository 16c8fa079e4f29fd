//! What our PTX holds, family by family, and why: the list, and its page `docs/kernels.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use cuda_builder::manifest::Module;
use quadscan_bench::kernels;

/// Kernels that are there for one reason.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// What they are.
    pub name: &'static str,
    /// How the names of their entries begin.
    prefixes: &'static [&'static str],
    /// What follows: the operator or the integrand; anything where there are none.
    instances: &'static [&'static str],
    /// What launches them, beside the conformance tests.
    launched_by: &'static str,
    /// Why our PTX has them.
    why: &'static str,
}

/// Scans by the algorithms that a plan chooses from; the last is for GPUs that cannot look ahead.
const SCANS: &[&str] = &[
    "one_block_",
    "one_wave_small_",
    "one_wave_",
    "lookahead_",
    "decoupled_lookback_fixed_",
];
/// The same of segments.
const SEGMENTED: &[&str] = &[
    "segmented_small_",
    "segmented_wave_",
    "segmented_lookahead_",
    "segmented_lookback_",
];
/// Scans as published.
const TEXTBOOK: &[&str] = &[
    "device_hillis_steele_load_",
    "device_hillis_steele_pass_",
    "device_hillis_steele_store_",
    "device_blelloch_tiles_",
    "device_blelloch_add_",
    "device_blelloch_above_tiles_",
    "device_blelloch_above_add_",
    "reduce_then_scan_totals_",
    "reduce_then_scan_bases_",
    "reduce_then_scan_tiles_",
    "decoupled_lookback_",
];
const REDUCTIONS: &[&str] = &["reduce_one_wave_", "reduce_", "segmented_reduce_"];
const SELECTIONS: &[&str] = &["select_one_wave_", "select_lookahead_"];
const INTEGRALS: &[&str] = &["composite_", "adaptive_", "tanh_sinh_"];
const FORMULAS: &[&str] = &[
    "composite_",
    "adaptive_",
    "tanh_sinh_",
    "values_",
    "functions_",
];

const SCAN: &str = "`quadscan::scan`, table `scan`";
const REDUCE: &str = "`quadscan::reduce`, table `reduce`";

/// All of them, in the order of the page.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "quarter circle",
        prefixes: &["trapezoid_"],
        instances: &[],
        launched_by: "tables `sweep-f64`, `sweep-f32`, `accuracy`",
        why: "the published kernel in three precisions, our form of it, and three ways to sum",
    },
    Family {
        name: "mapping",
        prefixes: &["mapped_", "sum_partials"],
        instances: &[],
        launched_by: "table `mapping`",
        why: "48 ways to divide strips over threads, and ways to add up their sums",
    },
    Family {
        name: "scans of one block",
        prefixes: &["hillis_steele_", "blelloch_"],
        instances: &[],
        launched_by: "table `activity`",
        why: "the published scans, plain, counted and in batches",
    },
    Family {
        name: "limits",
        prefixes: &["limit_"],
        instances: &[],
        launched_by: "tables `limits` and `kernels`",
        why: "the limits of the device; most figures are compared with one of them",
    },
    Family {
        name: "diagnoses",
        prefixes: &["hang", "fault"],
        instances: &[],
        launched_by: "table `faults`",
        why: "the handling of a kernel that does not end, or that loses its device",
    },
    Family {
        name: "scans: sums",
        prefixes: SCANS,
        instances: &[
            "sum_u8",
            "sum_u16",
            "sum_u32",
            "sum_u64",
            "sum_f16",
            "sum_bf16",
            "sum_f32",
            "sum_f64",
            "sum_u8_u32",
            "sum_u8_u64",
        ],
        launched_by: SCAN,
        why: "the types that are timed beside CUB; signed integers share those of unsigned ones",
    },
    Family {
        name: "scans: extremes and products",
        prefixes: SCANS,
        instances: &[
            "min_i32",
            "min_f32",
            "max_i32",
            "max_f32",
            "product_u32",
            "product_f32",
        ],
        launched_by: SCAN,
        why: "the operations that are timed beside CUB, of one integer and one float",
    },
    Family {
        name: "scans: affine maps",
        prefixes: SCANS,
        instances: &["affine_f64"],
        launched_by: SCAN,
        why: "linear recurrences; the operator that does not commute, of 16 bytes",
    },
    Family {
        name: "scans as published",
        prefixes: TEXTBOOK,
        instances: &["sum_u32", "affine_f64"],
        launched_by: "table `scan` by `--algorithms`",
        why: "for reading and comparison: four algorithms of sums, and of affine maps, on which the \
              tests see the order of the operands",
    },
    Family {
        name: "segments: where they begin",
        prefixes: &["segment_flags_of_"],
        instances: &[],
        launched_by: SCAN,
        why: "bits of keys of five sizes, of flags, and of offsets of two sizes, few or many",
    },
    Family {
        name: "segments: sums",
        prefixes: SEGMENTED,
        instances: &["sum_u32", "sum_u64", "sum_f32", "sum_f64"],
        launched_by: SCAN,
        why: "the types that are timed beside CUB and Thrust, and 64-bit integers",
    },
    Family {
        name: "segments: extremes",
        prefixes: SEGMENTED,
        instances: &["min_i32", "min_f32", "max_i32", "max_f32"],
        launched_by: "`quadscan::scan`",
        why: "running extremes of groups, of one integer and one float",
    },
    Family {
        name: "segments: affine maps",
        prefixes: SEGMENTED,
        instances: &["affine_f64"],
        launched_by: "`quadscan::scan`",
        why: "a recurrence a segment; the operator that does not commute",
    },
    Family {
        name: "reductions: sums",
        prefixes: REDUCTIONS,
        instances: &["sum_u32", "sum_u64", "sum_f32", "sum_f64", "sum_u8_u64"],
        launched_by: REDUCE,
        why: "the types that are timed beside CUB, and bytes, whose sums need more bits",
    },
    Family {
        name: "reductions: extremes",
        prefixes: REDUCTIONS,
        instances: &[
            "min_i32", "min_f32", "min_f64", "max_i32", "max_f32", "max_f64",
        ],
        launched_by: REDUCE,
        why: "the operations that are timed beside CUB, and doubles, as norms are taken of them",
    },
    Family {
        name: "reductions: affine maps",
        prefixes: REDUCTIONS,
        instances: &["affine_f64"],
        launched_by: "`quadscan::reduce`",
        why: "the operator that does not commute, of 16 bytes",
    },
    Family {
        name: "selections",
        prefixes: SELECTIONS,
        instances: &["u8", "u16", "u32", "u64", "words"],
        launched_by: "`quadscan::select`, table `select`",
        why: "by conditions, flags, runs, and partitions: a kernel a width, which all types of it share",
    },
    Family {
        name: "integrals, one at a time",
        prefixes: INTEGRALS,
        instances: &[
            "quarter_circle_f32",
            "quarter_circle_f64",
            "runge_f32",
            "runge_f64",
            "gaussian_f32",
            "gaussian_f64",
            "genz_oscillatory_f32",
            "genz_oscillatory_f64",
        ],
        launched_by: "`quadscan::integrate`, tables `integral` and `integrals`",
        why: "the integrands that are timed beside nvcc by equal strips, and one of them in batches: \
              root, quotient, exponential, cosine",
    },
    Family {
        name: "integrals in batches",
        prefixes: INTEGRALS,
        instances: &[
            "genz_corner_peak_f32",
            "genz_corner_peak_f64",
            "power_log_f32",
            "power_log_f64",
        ],
        launched_by: "`quadscan::integrate`, table `integrals`",
        why: "the integrands that are timed beside SciPy: smooth, and infinite at an end",
    },
    Family {
        name: "integrals of formulas",
        prefixes: FORMULAS,
        instances: &["formula_f32", "formula_f64"],
        launched_by: "`quadscan::integrate`, `quadscan integrate`, the example `spectrum`",
        why: "the rules, with a hole that a formula takes the place of; values at points, and the \
              elementary functions",
    },
    Family {
        name: "Fourier integrals of formulas",
        prefixes: &["fourier_"],
        instances: &[],
        launched_by: "`quadscan::integrate`, `quadscan integrate --fourier`",
        why: "the double exponential formula of Ooura and Mori, with the same holes",
    },
    Family {
        name: "integrals of formulas over boxes",
        prefixes: &["cubature_"],
        instances: &[],
        launched_by: "`quadscan::integrate`, `quadscan integrate --over`, table `cubature`",
        why: "cubature, with a hole that a formula of several variables takes the place of",
    },
    Family {
        name: "formulas at random points",
        prefixes: &["monte_carlo_"],
        instances: &[],
        launched_by: "`quadscan::integrate`, `quadscan integrate --over --rule vegas`, `--rule lattice`, `--rule sobol`, table `monte-carlo`",
        why: "VEGAS+, lattices and Sobol points, with a hole that a formula of up to 32 variables takes the place of",
    },
];

impl Family {
    /// Whether an entry of this name is one of them.
    pub fn has(&self, entry: &str) -> bool {
        let of = |prefix: &&str| {
            let rest = entry.strip_prefix(*prefix);
            rest.is_some_and(|rest| self.instances.is_empty() || self.instances.contains(&rest))
        };
        self.prefixes.iter().any(of)
    }

    /// Its entries, in an architecture.
    pub fn entries<'m>(&self, module: &'m Module) -> Vec<&'m str> {
        let kernels = module.kernels().map(|kernel| kernel.entry.as_str());
        kernels.filter(|entry| self.has(entry)).collect()
    }
}

/// Entries of an architecture that are not in exactly one family, `cargo xtask new-kernel`'s
/// aside: these have reasons of their own.
pub fn astray(module: &Module) -> Vec<&str> {
    let is_new = |entry: &str| {
        let mut new = kernels::ALL.iter().filter(|new| new.name != "limit_copy");
        new.any(|new| entry == new.name || entry.contains(&format!("_{}_", new.name)))
    };
    let of = |entry: &&str| FAMILIES.iter().filter(|family| family.has(entry)).count();
    let entries = module.kernels().map(|kernel| kernel.entry.as_str());
    entries
        .filter(|entry| of(entry) != 1 && !is_new(entry))
        .collect()
}

/// What building a family costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// CPU seconds of all architectures.
    pub seconds: f64,
    /// Bytes of its PTX, of all architectures.
    pub bytes: u64,
}

const HEAD: &str = "\
# What our PTX holds

The kernels of `quadscan`, family by family, with the reason for each. Every user builds, loads and
ships them, so there are few. An application adds further kernels with a line in its own crate of
kernels
([an example](../tests/tests/outside_crate/operators/kernels.rs)):

```rust,ignore
scan_kernels! { or_u32: Or = BitOr<u32>; }
segmented_scan_kernels! { max_u64: Largest = Max<u64>; }
reduce_kernels! { product_f64: Times = Product<f64>; }
integrands! {
    /// Bailey's first.
    x_log = XLog {
        formula: \"x ln(1 + x)\",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| x * x.ln_1p(),
    }
}
```

Every entry is launched by a conformance test, as that suite's last test proves. Entries are
counted for each architecture; CPU seconds and bytes are of both, the seconds beyond those that
building a kernel of few instructions takes. `UPDATE_KERNELS=1 cargo test -p quadscan-tests --test kernels`
writes this page; the test fails when families or entries are others.

";

/// The page, with what each family costs.
pub fn page(modules: &[Module], costs: &BTreeMap<String, Cost>) -> String {
    let mut page = HEAD.to_owned();
    let archs: Vec<&str> = modules.iter().map(|module| module.arch.as_str()).collect();
    let _ = writeln!(
        page,
        "| family | {} | CPU s | KB | launched by | why |",
        archs.join(" | ")
    );
    page.push_str("| --- | ");
    page.push_str(&"---: | ".repeat(archs.len() + 2));
    page.push_str("--- | --- |\n");
    let mut all = (vec![0; archs.len()], Cost::default());
    for family in FAMILIES {
        // As it is written, so that the sum is that of what is read.
        let cost = costs
            .get(family.name)
            .copied()
            .unwrap_or_default()
            .rounded();
        let counts: Vec<usize> = modules
            .iter()
            .map(|module| family.entries(module).len())
            .collect();
        row(&mut page, family.name, &counts, cost);
        let _ = writeln!(page, " {} | {} |", family.launched_by, family.why);
        let sums = all.0.iter().zip(&counts);
        all.0 = sums.map(|(sum, count)| sum + count).collect();
        all.1.seconds += cost.seconds;
        all.1.bytes += cost.bytes;
    }
    row(&mut page, "all", &all.0, all.1);
    page.push_str("  |  |\n");
    page
}

impl Cost {
    fn rounded(self) -> Self {
        Cost {
            seconds: (self.seconds * 10.0).round() / 10.0,
            bytes: self.bytes / 1000 * 1000,
        }
    }
}

// Writing to a string cannot fail.
fn row(page: &mut String, name: &str, counts: &[usize], cost: Cost) {
    let _ = write!(page, "| {name} |");
    for count in counts {
        let _ = write!(page, " {count} |");
    }
    let _ = write!(page, " {:.1} | {} |", cost.seconds, cost.bytes / 1000);
}

/// The costs that a page states.
pub fn costs(page: &str) -> BTreeMap<String, Cost> {
    let of = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let (name, cells) = (cells.get(1)?, cells.get(4..6)?);
        let cost = Cost {
            seconds: cells[0].parse().ok()?,
            bytes: cells[1].parse::<u64>().ok()? * 1000,
        };
        Some(((*name).to_owned(), cost))
    };
    page.lines().filter_map(of).collect()
}
