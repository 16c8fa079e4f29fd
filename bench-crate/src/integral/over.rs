//! `--over`: the variables of a box and their limits.

use quadscan::integrate::Formula;
use quadscan_kernels::monte_carlo::sizes::MAX_DIMENSIONS;

use super::method;
use super::number::text;
use super::refused;
use crate::columns::Number;
use crate::error::Result;

const ARGUMENT: &str = "--over";
const ALLOWED: &str = "allowed are variables with their limits, such as x=0..1,y=-inf..inf";

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Over {
    pub(super) variables: Vec<String>,
    pub(super) limits: Vec<(f64, f64)>,
}

impl Over {
    /// `x=0..1,y=-inf..inf`, for a rule. Err in one sentence.
    pub(super) fn parse(list: &str, rule: &str) -> Result<Self> {
        let mut of = Self {
            variables: Vec::new(),
            limits: Vec::new(),
        };
        for item in list.split(',').map(str::trim) {
            if item.contains("...") {
                let allowed =
                    "allowed are two dots between limits, and a digit before a decimal point";
                return Err(refused(ARGUMENT, format!("has `{item}`, {allowed}")));
            }
            let parts = item.split_once('=');
            let parts = parts.and_then(|(name, limits)| Some((name, limits.split_once("..")?)));
            let Some((name, (from, to))) = parts else {
                return Err(refused(ARGUMENT, format!("has `{item}`, {ALLOWED}")));
            };
            let name = name.trim();
            if Formula::of_variables("0", &[name]).is_err() {
                let allowed = "allowed are words that mean nothing else in a formula";
                let problem = format!("has a variable `{name}`, {allowed}");
                return Err(refused(ARGUMENT, problem));
            }
            if of.variables.iter().any(|known| known == name) {
                let problem = format!("has `{name}` twice, allowed is each variable once");
                return Err(refused(ARGUMENT, problem));
            }
            let limit = |text: &str| match <f64 as Number>::parse(text.trim()) {
                Ok(limit) if !limit.is_nan() => Ok(limit),
                Ok(_) => Err(format!("`{}` is not a limit", text.trim())),
                Err(problem) => Err(problem),
            };
            let limits = limit(from).and_then(|from| Ok((from, limit(to)?)));
            let limits = limits.map_err(|problem| {
                let allowed = "allowed are numbers, inf and -inf";
                refused(
                    ARGUMENT,
                    format!("has {name}={from}..{to}: {problem}, {allowed}"),
                )
            })?;
            if limits.0 == limits.1 && limits.0.is_infinite() {
                let allowed = "allowed is another limit beside an infinite one";
                let problem = format!("has {name} from {from} to {to}, {allowed}");
                return Err(refused(ARGUMENT, problem));
            }
            of.variables.push(name.to_owned());
            of.limits.push(limits);
        }
        let count = of.variables.len();
        let all = method::dimensions(rule);
        if !all.contains(&count) {
            let (least, most) = (all.start(), all.end());
            let (has, others) = match count {
                1 => ("1 variable".to_owned(), "; of one are --from and --to"),
                _ if *most == MAX_DIMENSIONS => (format!("{count} variables"), ""),
                _ => (
                    format!("{count} variables"),
                    "; of more are --rule vegas, lattice and sobol",
                ),
            };
            let problem = format!("has {has}, allowed for {rule} are {least} to {most}{others}");
            return Err(refused(ARGUMENT, problem));
        }
        Ok(of)
    }

    /// `x from 0.0 to 1.0, y from -inf to inf`.
    pub(super) fn words(&self) -> String {
        let of = |(name, &(from, to)): (&String, &(f64, f64))| {
            format!("{name} from {} to {}", text(from), text(to))
        };
        let all: Vec<String> = self.variables.iter().zip(&self.limits).map(of).collect();
        all.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_variables_with_limits() {
        let of = Over::parse("x=0..1, r_2 = -inf ..+2.5e1,y=.5..0.75", "cubature").expect("a box");
        assert_eq!(of.variables, ["x", "r_2", "y"]);
        let limits = [(0.0, 1.0), (f64::NEG_INFINITY, 25.0), (0.5, 0.75)];
        assert_eq!(of.limits, limits);
        assert_eq!(
            of.words(),
            "x from 0.0 to 1.0, r_2 from -inf to 25.0, y from 0.5 to 0.75"
        );
    }

    #[test]
    fn what_is_no_box_is_refused_in_one_sentence() {
        let such = "allowed are variables with their limits, such as x=0..1,y=-inf..inf";
        let eleven: Vec<String> = (0..11).map(|k| format!("x{k}=0..1")).collect();
        for (list, problem) in [
            ("", format!("has ``, {such}")),
            ("x=0..1,y", format!("has `y`, {such}")),
            ("x=0..1,y=2", format!("has `y=2`, {such}")),
            (
                "x=0...1,y=0..1",
                "has `x=0...1`, allowed are two dots between limits, and a digit before a decimal \
                 point"
                    .to_owned(),
            ),
            (
                "x=0..1,y=0..a",
                "has y=0..a: `a` is not a number, allowed are numbers, inf and -inf".to_owned(),
            ),
            (
                "x=0..1,y=0..nan",
                "has y=0..nan: `nan` is not a limit, allowed are numbers, inf and -inf".to_owned(),
            ),
            (
                "x=0..1,x=0..1",
                "has `x` twice, allowed is each variable once".to_owned(),
            ),
            (
                "x=0..1,sin=0..1",
                "has a variable `sin`, allowed are words that mean nothing else in a formula"
                    .to_owned(),
            ),
            (
                "x=inf..inf,y=0..1",
                "has x from inf to inf, allowed is another limit beside an infinite one".to_owned(),
            ),
            (
                "x=0..1",
                "has 1 variable, allowed for cubature are 2 to 10; of one are --from and --to"
                    .to_owned(),
            ),
            (
                &eleven.join(","),
                "has 11 variables, allowed for cubature are 2 to 10; of more are --rule vegas, \
                 lattice and sobol"
                    .to_owned(),
            ),
        ] {
            let said = Over::parse(list, "cubature")
                .err()
                .map(|error| error.to_string());
            assert_eq!(said, Some(format!("--over {problem}")), "{list}");
        }
    }

    #[test]
    fn rules_of_random_points_have_more_variables() {
        let of = |count: usize, rule: &str| {
            let list: Vec<String> = (0..count).map(|k| format!("x{k}=0..1")).collect();
            Over::parse(&list.join(","), rule).map_err(|error| error.to_string())
        };
        for rule in ["vegas", "lattice", "sobol"] {
            assert!(of(1, rule).is_ok() && of(32, rule).is_ok(), "{rule}");
            let sentence = format!("--over has 33 variables, allowed for {rule} are 1 to 32");
            assert_eq!(of(33, rule), Err(sentence));
        }
    }
}
