//! The tables with what they are, for lists and headings. It depends on nothing: `cargo xtask
//! bench --list` includes this file, and prints the list without building the program.

/// Names as they are typed, in the order in which tables are printed.
const ABOUT: [(&str, &str); 12] = [
    (
        "activity",
        "threads and warps that work in each step of two scans, and the scans' time",
    ),
    (
        "sweep-f64",
        "time and pi of the f64 kernel by blocks and threads",
    ),
    (
        "sweep-f32",
        "time and pi of the f32 kernel by blocks and threads, five times each",
    ),
    (
        "accuracy",
        "pi by precision and number of strips, one loop on the host; the device beside it",
    ),
    (
        "mapping",
        "time and digits by who has which strip, where the sums are and who adds them up",
    ),
    (
        "limits",
        "what the device can do at most: arithmetic, memory, copies, launches",
    ),
    (
        "scan",
        "prefix scans of whole arrays, beside a copy and with --peers beside CUB",
    ),
    (
        "reduce",
        "reductions of whole arrays, beside a copy and with --peers beside CUB",
    ),
    (
        "integral",
        "one integral by a composite rule, with --peers beside CUDA C++",
    ),
    (
        "integrals",
        "batches of integrals, each to a tolerance, with --peers --python beside SciPy",
    ),
    (
        "kernels",
        "kernels that are launched by themselves, beside a copy",
    ),
    (
        FAULTS,
        "kernels that fault or hang on purpose, and what becomes of the run",
    ),
];

/// The table that is no part of a benchmark.
const FAULTS: &str = "faults";

/// What a table is; empty for one that there is not.
pub fn of(name: &str) -> &'static str {
    let found = ABOUT.iter().find(|(table, _)| *table == name);
    found.map_or("", |(_, about)| about)
}

/// A line a table of those that are offered, and how to see more of one.
pub fn list() -> String {
    let offered = ABOUT.iter().filter(|(name, _)| *name != FAULTS);
    let lines = offered.map(|(name, about)| format!("{name}: {about}\n"));
    let lines: String = lines.collect();
    lines + "\n`bench TABLE --list` has the cells and the columns of one\n"
}
