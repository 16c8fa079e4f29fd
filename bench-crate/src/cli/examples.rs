//! Examples, which the help of a command ends with: a command line, two blanks, what it is for.

/// Of `bench`.
pub(super) const BENCH: &str = "\
Examples:
  quadscan bench                                      the published tables
  quadscan bench scan --types f32 --sizes 2^20,2^24   two sizes of one scan
  quadscan bench sweep-f64 -n                         its cells, and whether results are right
  quadscan bench --save monday                        keep a baseline
  quadscan bench --baseline monday                    compare with it
  quadscan bench scan --peers                         beside CUB";

/// Of `time`.
pub(super) const TIME: &str = "\
Examples:
  quadscan time lookahead_sum_u32                   its first times, which are kept
  quadscan time lookahead_sum_u32 --new-baseline    from now on these";

/// Of `report`.
pub(super) const REPORT: &str = "\
Examples:
  quadscan report results                           results/report.html
  quadscan report h100 h200 --output both.html      two machines side by side";

/// Of `completions`.
pub(super) const COMPLETIONS: &str = "\
Examples:
  quadscan completions bash > ~/.local/share/bash-completion/completions/quadscan
  quadscan completions fish > ~/.config/fish/completions/quadscan.fish";

/// Of `integrate`.
pub(super) const INTEGRATE: &str = "\
Examples:
  quadscan integrate -i runge --from 0 --to 1       one integral
  quadscan integrate --formula 'exp(-x^2)*cos(k*x)' --from 0 --to inf --parameters k=1.5
  quadscan integrate --formula 'exp(-(x^2+y^2))' --over x=0..1,y=-inf..inf    over a box
  quadscan integrate -i planck --batch rows.csv     one a row, to standard output
  quadscan integrate -l                             the functions";

/// Of `formula`.
pub(super) const FORMULA: &str = "\
Examples:
  quadscan formula 'x^2*sin(k*x)' --at 0.5,1 --parameters k=2    values and slopes
  quadscan formula 'exp(-x^2)' --ptx                             what a device is given";

/// Of `scan`.
pub(super) const SCAN: &str = "\
Examples:
  quadscan scan rows.csv --column x -o sums.csv     running sums of a column, beside the others
  quadscan scan x.npy --op max --type f32           running maxima
  quadscan scan x.npy --axis 1 -o sums.npy          running sums along each row";

/// Of `reduce`.
pub(super) const REDUCE: &str = "\
Examples:
  quadscan reduce rows.csv --column x               the sum of a column
  quadscan reduce rows.csv --column x --by-key day  sums of neighbours of one day";

/// Of `plan`.
pub(super) const PLAN: &str = "\
Examples:
  quadscan plan --elements 2^36 --devices 1,2,4,8    H200s that NVLink connects
  quadscan plan -e 2^40 -d 1024 --latency 2          128 machines of them";

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::super::Cli;

    /// The command of each line that a help shows; what it is for stands behind two blanks, or
    /// what becomes of the output.
    fn examples(help: &str) -> impl Iterator<Item = &str> {
        let lines = help
            .lines()
            .filter_map(|line| line.strip_prefix("  quadscan "));
        lines.filter_map(|line| line.split("  ").next()?.split(" > ").next())
    }

    #[test]
    fn every_example_is_understood() {
        let mut count = 0;
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string);
            for example in examples(&help.unwrap_or_default()) {
                let line = ["quadscan"].into_iter().chain(example.split(' '));
                let parsed = Cli::try_parse_from(line.filter(|word| !word.is_empty()));
                assert!(parsed.is_ok(), "{example}: {parsed:?}");
                count += 1;
            }
        }
        assert!(count >= 12, "{count} examples");
    }
}
