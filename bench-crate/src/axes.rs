//! The axes that tables have: what their cells differ in, and the options that choose values; and
//! the options that add rows.
//!
//! It depends on nothing: `cargo xtask` includes this file with the command line.

/// What cells differ in.
#[derive(Debug, PartialEq, Eq)]
pub struct Axis {
    /// The name that cells, columns and `--axis` have.
    pub name: &'static str,
    /// The option that lists values, without its dashes; empty where `--axis` alone does.
    pub option: &'static str,
    /// What values are, as its help calls them.
    pub placeholder: &'static str,
    /// What values are.
    pub values: Values,
    /// The option's help.
    pub help: &'static str,
}

impl Axis {
    /// What lists its values on a command line.
    pub fn argument(&self) -> String {
        match self.option {
            "" => format!("--axis {}", self.name),
            option => format!("--{option}"),
        }
    }
}

/// What the values of an axis are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Whole numbers from 1 up to this one, written as sizes are.
    Numbers(u64),
    /// One of them.
    Number(u64),
    /// Powers of two from 2 up to this one.
    Powers(u64),
    /// Whole numbers up to 2^40; `2^20+3` is one, `2^10..2^30` are several.
    Sizes,
    /// Names that the tables know, or `all`.
    Names,
    /// A number above 0 and up to 0.1.
    Tolerance,
}

/// An axis of one table, whose values `--axis` alone lists.
pub const fn own(name: &'static str, values: Values) -> Axis {
    list(name, "", values, "")
}

const fn list(
    name: &'static str,
    option: &'static str,
    values: Values,
    help: &'static str,
) -> Axis {
    Axis {
        name,
        option,
        placeholder: "LIST",
        values,
        help,
    }
}

/// Strips of the interval 0..1: their index is a `u32` in the kernels, and the end of the last
/// sub-range has to be one too.
pub const STRIPS: Axis = list(
    "strips",
    "strips",
    Values::Numbers(1 << 31),
    "Numbers of strips, such as 196608,2^20",
);

/// Blocks of a grid: as many as there may be partial sums.
pub const BLOCKS: Axis = list(
    "blocks",
    "blocks",
    Values::Numbers(1 << 26),
    "Numbers of blocks, crossed with --threads",
);

/// Threads of a block, on every CUDA device.
pub const THREADS: Axis = list(
    "threads",
    "threads",
    Values::Numbers(1024),
    "Numbers of threads per block, crossed with --blocks",
);

/// Elements that one block scans.
pub const ELEMENTS: Axis = list(
    "n",
    "elements",
    Values::Powers(2048),
    "In activity, numbers of elements, powers of two from 2 to 2048 [default: 1024]",
);

/// Elements of an array, or items of a batch.
pub const SIZES: Axis = list(
    "n",
    "sizes",
    Values::Sizes,
    "In scan and reduce, numbers of elements, such as 1000,2^20+3,2^10..2^30 [default: 2^10 up to \
     2^24, with --quick to 2^20, with --full to 2^30; to 2^16 on the emulator]; in kernels, \
     numbers of elements [default: 2^16, 2^20, 2^24, with --quick to 2^20, with --full 2^28 too; \
     2^16 on the emulator]; in integral, numbers of strips up to 2^40 [default: 2^16, 2^24, 2^30; \
     with --quick 2^16, 2^20; with --full 2^34 too; 2^16 on the emulator]; in integrals, numbers \
     of integrals up to 2^24 [default: 2^10, 2^20; with --quick 2^10, 2^16; with --full 2^24 too; \
     2^10 on the emulator]",
);

/// Strips of one integral by a plan, by the option of [`SIZES`].
pub const SIZES_IN_STRIPS: Axis = Axis {
    name: "strips",
    ..SIZES
};

/// Kernels that are launched by themselves.
pub const KERNELS: Axis = list(
    "kernel",
    "kernels",
    Values::Names,
    "In kernels, kernels, such as limit_copy [default: all]",
);

/// What is done with a whole array.
pub const OPERATIONS: Axis = list(
    "operation",
    "operations",
    Values::Names,
    "In scan and reduce, operations, such as inclusive_sum,in_place, or all [default: \
     inclusive_sum, reduce]",
);

/// The type of elements, and of the results where it is another.
pub const TYPES: Axis = list(
    "type",
    "types",
    Values::Names,
    "In scan, reduce, integral, integrals and functions, types, such as i32,f32 [default: all types of \
     the operation; for integrals f64, f32]",
);

/// The algorithm of a scan.
pub const ALGORITHMS: Axis = list(
    "algorithm",
    "algorithms",
    Values::Names,
    "In scan, algorithms to measure besides the one that the plan chooses, such as one_wave, or all",
);

/// Elements of a segment, or with one key: offsets and keys are counted in 32 bits.
pub const SEGMENT: Axis = Axis {
    placeholder: "N",
    ..list(
        "segment",
        "segment",
        Values::Number(1 << 31),
        "In scan and reduce, elements per segment, or per key [default: 32]",
    )
};

/// What is integrated.
pub const INTEGRANDS: Axis = list(
    "integrand",
    "integrands",
    Values::Names,
    "In integral, integrands, such as quarter_circle,runge; in integrals, the kinds smooth, \
     end_point, oscillating; in cubature oscillatory, product_peak and others; in \
     monte-carlo gaussian, kinks and others; or all [default: \
     all]",
);

/// The rule that integrates it.
pub const RULES: Axis = list(
    "rule",
    "rules",
    Values::Names,
    "In integral, rules, such as trapezoid,gauss-legendre-5 [default: trapezoid, and six rules for \
     the quarter circle]; in integrals, g7k15, g10k21, tanh-sinh [default: those that converge \
     for the kind]; in monte-carlo vegas, lattice, sobol; or all",
);

/// The tolerance of the integrals of a batch.
pub const TOLERANCE: Axis = Axis {
    placeholder: "T",
    ..list(
        "tolerance",
        "tolerance",
        Values::Tolerance,
        "In integrals, cubature and monte-carlo, the tolerance of each integral: relative, or absolute where it \
         may be 0 [default: 1e-10 in f64, 1e-5 in f32; in cubature 1e-3 to 1e-9, in \
         monte-carlo 1e-2 to 1e-5]",
    )
};

/// How an integrand is evaluated and summed.
pub const PRECISIONS: Axis = list(
    "precision",
    "precisions",
    Values::Names,
    "In accuracy, precisions, such as f32,f32-kahan [default: all]",
);

/// The scans of one block.
pub const SCANS: Axis = list(
    "algorithm",
    "scans",
    Values::Names,
    "In activity, scans, such as naive,work_efficient_padded [default: naive, work_efficient]",
);

/// A step of a scan.
pub const STEPS: Axis = list(
    "step",
    "steps",
    Values::Numbers(1 << 10),
    "In activity, steps of the scans [default: all]",
);

/// Which thread has which strip.
pub const MAPPINGS: Axis = list(
    "mapping",
    "mappings",
    Values::Names,
    "In mapping, which thread gets which strip: contiguous, strided, block_strided [default: all]",
);

/// Where running sums are.
pub const PARTIALS: Axis = list(
    "partials",
    "partials",
    Values::Names,
    "In mapping, where a thread keeps its sum: registers, shared, shared_conflicts, global \
     [default: all]",
);

/// Who adds the sums up.
pub const FINISHES: Axis = list(
    "finish",
    "finishes",
    Values::Names,
    "In mapping, who adds the sums up: host, second_launch, same_launch, atomics [default: all]",
);

/// Limits of a device.
pub const LIMITS: Axis = list(
    "limit",
    "limits",
    Values::Names,
    "In limits, limits, such as fma-f64,copy [default: all]",
);

/// Rows that a table adds on request: an option without a value.
#[derive(Debug, PartialEq, Eq)]
pub struct Flag {
    /// The option, without its dashes.
    pub option: &'static str,
    /// The option's help.
    pub help: &'static str,
}

/// Scans without bank conflicts.
pub const PADDED: Flag = Flag {
    option: "padded",
    help: "In activity, add the work-efficient scan with padded shared memory",
};

/// Scans whose work is spread over all warps.
pub const SCATTERED: Flag = Flag {
    option: "scattered",
    help: "In activity, add scans whose work is spread over all warps",
};

/// Each scan beside a second kernel.
pub const CONCURRENT: Flag = Flag {
    option: "concurrent",
    help: "In activity, add a second kernel on another stream beside each scan",
};

/// All of them, in the order of the help.
pub const FLAGS: [&Flag; 3] = [&PADDED, &SCATTERED, &CONCURRENT];

/// All axes that have an option, in the order of the help.
pub const OPTIONS: [&Axis; 20] = [
    &STRIPS,
    &BLOCKS,
    &THREADS,
    &SIZES,
    &KERNELS,
    &OPERATIONS,
    &TYPES,
    &ALGORITHMS,
    &SEGMENT,
    &INTEGRANDS,
    &RULES,
    &TOLERANCE,
    &ELEMENTS,
    &SCANS,
    &STEPS,
    &PRECISIONS,
    &MAPPINGS,
    &PARTIALS,
    &FINISHES,
    &LIMITS,
];
