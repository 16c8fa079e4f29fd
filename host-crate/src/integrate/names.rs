//! The names of rules of equal strips, as they are typed and printed.

use quadscan_kernels::integrate::rules::{MAX_POINTS, MIN_POINTS, Rule};

/// All rules, in the order of their names in messages.
pub fn rules() -> impl Iterator<Item = Rule> {
    let gauss = (MIN_POINTS..=MAX_POINTS).map(Rule::GaussLegendre);
    [Rule::Trapezoid, Rule::Midpoint, Rule::Simpson]
        .into_iter()
        .chain(gauss)
}

/// A rule as it is typed and printed: `gauss-legendre-5`.
pub fn name_of(rule: Rule) -> String {
    match rule {
        Rule::Trapezoid => "trapezoid".to_owned(),
        Rule::Midpoint => "midpoint".to_owned(),
        Rule::Simpson => "simpson".to_owned(),
        Rule::GaussLegendre(points) => format!("gauss-legendre-{points}"),
    }
}

/// The rule of a name.
pub fn rule_by_name(name: &str) -> Option<Rule> {
    rules().find(|&rule| name_of(rule) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_comes_back_from_its_name() {
        for rule in rules() {
            assert_eq!(rule_by_name(&name_of(rule)), Some(rule));
        }
        assert_eq!(rule_by_name("gauss-legendre-17"), None);
    }
}
