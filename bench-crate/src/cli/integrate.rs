//! The command line of `quadscan integrate`.

use std::path::PathBuf;

use clap::Args;

use super::ComputeArguments;

/// `quadscan integrate`.
#[derive(Clone, Debug, Default, Args)]
#[command(after_help = super::examples::INTEGRATE)]
pub struct IntegrateArguments {
    /// The function: a name from --list
    #[arg(short, long, value_name = "NAME")]
    pub integrand: Option<String>,

    /// A formula of x and of parameters, such as 'exp(-x^2) * cos(k*x)'
    ///
    /// Names without a meaning are its parameters. What can be written is in docs/formulas.md.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with = "integrand"
    )]
    pub formula: Option<String>,

    /// Integrate the formula over a box of 2 to 10 variables, such as x=0..1,y=-inf..inf; with
    /// --rule vegas, lattice or sobol of up to 32
    ///
    /// Its other names are parameters. It is computed in f64. An infinite side becomes finite
    /// by a change of its variable, which docs/formulas.md names.
    #[arg(
        long,
        value_name = "LIST",
        allow_hyphen_values = true,
        requires = "formula",
        conflicts_with_all = ["from", "to"]
    )]
    pub over: Option<String>,

    /// Take the Cauchy principal value of the integral of the formula over x - C
    ///
    /// C is a number between the limits, or the name of a parameter, which the formula may have.
    #[arg(
        long,
        visible_alias = "pv",
        value_name = "C",
        allow_hyphen_values = true,
        requires = "formula",
        conflicts_with_all = ["integrand", "over", "breaks"]
    )]
    pub principal_value: Option<String>,

    /// Multiply the formula by sin(W x + P), or cos, and integrate it to infinity: sin or cos
    ///
    /// One limit is infinite, or both are. The formula may fall slowly, and be infinite at the other
    /// limit. It is computed in f64.
    #[arg(
        long,
        value_name = "WAVE",
        requires_all = ["formula", "omega"],
        conflicts_with_all = ["integrand", "over", "breaks", "principal_value", "rule"]
    )]
    pub fourier: Option<String>,

    /// The wave's W: a number other than 0, or the name of a parameter, which the formula may have
    #[arg(long, value_name = "W", allow_hyphen_values = true)]
    pub omega: Option<String>,

    /// The wave's P in the same way, in radians [default: 0]
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub phase: Option<String>,

    /// Give the integral's derivative by this parameter, too, in a column of its own
    #[arg(long, value_name = "NAME")]
    pub derivative: Option<String>,

    /// Add to each claim a bound on the rounding of the formula's own operations, which no rule sees
    ///
    /// It is the integral of a formula itself, in a second launch: with g7k15, g10k21, tanh-sinh and cubature.
    #[arg(long, conflicts_with_all = ["integrand", "principal_value", "fourier", "samples", "list"])]
    pub rounding: bool,

    /// Integrate a table: the columns x and y of FILE.csv, FILE.tsv or FILE.npy, or of CSV on
    /// standard input (-)
    ///
    /// x rises or falls with each row. With --dx the file has y alone. The rules are simpson, the
    /// default, trapezoid and, with --dx, gregory.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["integrand", "formula", "list", "from", "to",
        "parameters", "over", "principal_value", "fourier", "omega", "phase", "derivative", "strips", "tolerance", "absolute", "intervals", "levels",
        "evaluations", "seed", "breaks", "batch", "regions"])]
    pub samples: Option<PathBuf>,

    /// Distance between samples, which have no column x then
    #[arg(
        long,
        value_name = "H",
        allow_negative_numbers = true,
        requires = "samples"
    )]
    pub dx: Option<String>,

    /// Print the integral up to each sample, too, in a column
    #[arg(long, requires = "samples")]
    pub cumulative: bool,

    /// List the functions: formula, parameters, limits and break points; integrate nothing
    #[arg(short, long, conflicts_with_all = ["formula", "over", "principal_value", "fourier", "omega", "phase", "derivative", "from", "to", "parameters", "rule", "precision", "strips", "tolerance",
        "absolute", "intervals", "levels", "evaluations", "seed", "breaks", "batch", "out", "artifact"])]
    pub list: bool,

    /// Lower limit: a number, inf or -inf [default: the function's own; a formula has none]
    ///
    /// If it is above the upper limit, the integral is taken backwards.
    #[arg(long, allow_hyphen_values = true, value_name = "A")]
    pub from: Option<String>,

    /// Upper limit
    #[arg(long, allow_hyphen_values = true, value_name = "B")]
    pub to: Option<String>,

    /// The function's parameters, such as a=2,u=0.5, or 2,0.5 in the function's order
    #[arg(long, allow_hyphen_values = true, value_name = "LIST")]
    pub parameters: Option<String>,

    /// Rule: g7k15 or g10k21 (adaptive), tanh-sinh, or a rule of equal strips: trapezoid,
    /// midpoint, simpson, gauss-legendre-N (N nodes per strip, 2 to 16); over a box cubature,
    /// vegas (random points that adapt), lattice or sobol (for smooth functions) [default: g10k21, over a box cubature]
    #[arg(long, value_name = "RULE")]
    pub rule: Option<String>,

    /// Number of strips for a rule of equal strips, such as 1000 or 2^20, up to 2^40
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    pub strips: Option<String>,

    /// Relative tolerance, of vegas, lattice and sobol that of the standard error [default: 1e-10, in f32 1e-4,
    /// over a box 1e-6, of vegas 1e-3; 0 if only --absolute is given]
    #[arg(long, allow_negative_numbers = true, value_name = "T")]
    pub tolerance: Option<String>,

    /// Absolute tolerance; the larger of the two counts [default: 0]
    #[arg(long, allow_negative_numbers = true, value_name = "T")]
    pub absolute: Option<String>,

    /// Largest number of intervals per integral, for an adaptive rule [default: 64, at most 1024]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    pub intervals: Option<String>,

    /// Last level of tanh-sinh or --fourier, 2 to 10; each level doubles the nodes [default: 8]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    pub levels: Option<String>,

    /// Largest number of evaluations per integral over a box, such as 10000 or 2^30 [default: 2^42, of
    /// vegas 30 * 2^22, of lattice and sobol 2^28]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    pub evaluations: Option<String>,

    /// What chooses the random numbers of vegas, lattice and sobol [default: 0]
    #[arg(long, allow_negative_numbers = true, value_name = "N")]
    pub seed: Option<String>,

    /// Points where the function jumps, has a corner or peaks, besides its own in --list
    #[arg(long = "break", allow_hyphen_values = true, value_name = "LIST")]
    pub breaks: Option<String>,

    /// Draw how the box of an integral of two variables was divided, into FILE.svg
    #[arg(long, value_name = "FILE")]
    pub regions: Option<PathBuf>,

    /// Precision: f64, f32
    #[arg(long, default_value = "f64", value_name = "PRECISION")]
    pub precision: String,

    /// Integrate each row of FILE.csv, FILE.tsv or FILE.npy, or of CSV on standard input (-)
    ///
    /// CSV has a header with from, to and the function's parameters, in any order; --from, --to
    /// and --parameters give what has no column. An array has one row per integral: from, to and
    /// all parameters in the function's order, or fields with these names. Other columns are copied
    /// to the results.
    #[arg(long, value_name = "FILE")]
    pub batch: Option<PathBuf>,

    /// Keep results as they come in FILE.journal, beside that of --out, and go on from those that are
    /// there
    ///
    /// The same command goes on after an end of any kind, but that of the machine. The file is removed
    /// when the results are written.
    #[arg(long, requires = "batch", requires = "out")]
    pub resume: bool,

    /// Form of the results: table, csv, markdown, json [default: table; csv for a batch]
    #[arg(short, long, value_name = "FORMAT")]
    pub format: Option<String>,

    /// Where is computed, and where the results go.
    #[command(flatten)]
    pub place: ComputeArguments,
}

impl IntegrateArguments {
    /// The rule by its name.
    pub(crate) fn rule(&self) -> &str {
        let default = match (&self.over, &self.fourier) {
            (Some(_), _) => "cubature",
            (None, Some(_)) => "--fourier",
            (None, None) => "g10k21",
        };
        self.rule.as_deref().unwrap_or(default)
    }
}
