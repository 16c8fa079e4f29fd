//! Which kernels each feature embeds; the build script and a test include this file.

/// The features as cargo names them to a build script, and the kernels of each by names as
/// `CudaBuilder::only` takes them. All of them together are all kernels.
pub(crate) const FAMILIES: [(&str, &[&str]); 5] = [
    (
        "SCAN",
        &[
            "one_block",
            "one_wave",
            "lookahead",
            "decoupled_lookback",
            "segmented_small",
            "segmented_wave",
            "segmented_lookahead",
            "segmented_lookback",
            "segment_flags",
            "textbook",
        ],
    ),
    ("REDUCE", &["reduce", "segmented_reduce"]),
    ("SELECT", &["select_one_wave", "select_lookahead"]),
    (
        "INTEGRATE",
        &[
            "composite",
            "adaptive",
            "tanh_sinh",
            "fourier",
            "values_formula",
            "functions_formula",
            "cubature",
            "monte_carlo",
        ],
    ),
    ("TABLES", &["main"]),
];
