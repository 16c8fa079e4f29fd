//! One integral: integrands between 0 and 1, and what a rule gives.

use quadscan_kernels::integrate::catalogue::CATALOGUE;
use quadscan_kernels::integrate::launch::Entry;

use crate::oracle::{quadrature, rule_value};
use quadscan::integrate::{MAX_PARAMETERS, Parameters, Point, Rule};

/// The limits of all of them.
pub const LIMITS: (f64, f64) = (0.0, 1.0);

/// Up to so many strips the rule is carried out; beyond, its value has a closed form.
const CARRIED_OUT: u64 = 1 << 14;

/// From so many strips on the quarter circle by the trapezoid rule is within one ulp in f32.
const LAST_DIGIT: u64 = 1 << 16;

/// What is known of an integrand.
#[derive(Clone, Copy, Debug)]
enum Known {
    /// Its integral, and by how much its derivative differs between the limits.
    Smooth { integral: f64, slopes: f64 },
    /// It is sqrt(1 - x^2).
    QuarterCircle,
}

/// An integrand.
#[derive(Clone, Copy, Debug)]
pub struct Single {
    /// As it is typed and printed: its name in the catalogue.
    pub name: &'static str,
    /// Its parameters.
    parameters: &'static [f64],
    known: Known,
}

impl Single {
    /// All of them, in the order of their rows. None changes its sign.
    pub const ALL: &'static [Single] = &[
        Single {
            name: "quarter_circle",
            parameters: &[],
            known: Known::QuarterCircle,
        },
        Single {
            name: "runge",
            parameters: &[],
            known: Known::Smooth {
                integral: std::f64::consts::FRAC_PI_4,
                slopes: -0.5,
            },
        },
        // sqrt(pi / 2) erf(sqrt(1 / 2)), and -exp(-1/2).
        Single {
            name: "gaussian",
            parameters: &[],
            known: Known::Smooth {
                integral: 0.855_624_391_892_148_8,
                slopes: -0.606_530_659_712_633_4,
            },
        },
        // cos(3/2 x): sin(3/2) / (3/2), and -3/2 sin(3/2).
        Single {
            name: "genz_oscillatory",
            parameters: &[1.5, 0.0],
            known: Known::Smooth {
                integral: 0.664_996_657_736_036_3,
                slopes: -1.496_242_479_906_081_6,
            },
        },
    ];

    /// The integrand of a name.
    pub fn by_name(name: &str) -> Option<&'static Single> {
        Self::ALL.iter().find(|single| single.name == name)
    }

    /// Its entry in the catalogue.
    pub fn entry(&self) -> Option<&'static Entry> {
        CATALOGUE.iter().find(|entry| entry.f64.name == self.name)
    }

    /// Its parameters; those that it does not have are 0.
    pub fn parameters(&self) -> Parameters<f64> {
        let mut all = [0.0; MAX_PARAMETERS];
        all[..self.parameters.len()].copy_from_slice(self.parameters);
        all
    }

    /// How many parameters it has.
    pub fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    /// What a rule gives over so many strips.
    pub fn expected(&self, rule: Rule, strips: u64) -> f64 {
        if strips > CARRIED_OUT {
            return match self.known {
                Known::Smooth { integral, slopes } => {
                    rule_value::smooth(rule, strips, integral, slopes)
                }
                Known::QuarterCircle => rule_value::quarter_circle(rule, strips),
            };
        }
        let parameters = self.parameters();
        let f = |x: f64| match (self.known, self.entry()) {
            // Without the cancellation that x * x has.
            (Known::QuarterCircle, _) => ((1.0 - x) * (1.0 + x)).sqrt(),
            (Known::Smooth { .. }, Some(entry)) => {
                let point = Point {
                    x,
                    from_lower: x - LIMITS.0,
                    to_upper: LIMITS.1 - x,
                };
                (entry.f64.eval_at)(point, &parameters)
            }
            (Known::Smooth { .. }, None) => f64::NAN,
        };
        quadrature::composite(rule, strips, LIMITS, f)
    }

    /// How many ulps a result in f32 may be off, where that is promised; else what
    /// [`relative_bound`] says.
    pub fn ulps(&self, rule: Rule, strips: u64) -> Option<u64> {
        let is_promised = matches!(self.known, Known::QuarterCircle)
            && rule == Rule::Trapezoid
            && strips >= LAST_DIGIT;
        is_promised.then_some(1)
    }
}

/// How far a result may be from what the rule gives, of its magnitude: what the tests of
/// `composite` demand of every integrand and rule.
pub const fn relative_bound(is_double: bool) -> f64 {
    if is_double { 1e-15 } else { 4e-7 }
}

/// How far a plain sum may be: an ulp for each term that a thread adds up, of which a device
/// that holds 2^18 threads, and they eight sums each or fewer, has at most so many.
pub fn plain_bound(is_double: bool, strips: u64, evaluations: u32) -> f64 {
    let epsilon = if is_double {
        f64::EPSILON
    } else {
        f64::from(f32::EPSILON)
    };
    let terms = strips.saturating_mul(evaluations.into()) >> 18;
    epsilon * (64.0 + terms as f64)
}

/// Nodes of a strip, without those at the limits.
pub fn evaluations(rule: Rule) -> u32 {
    rule.families().1
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadscan::integrate::names::rules;

    #[test]
    fn every_integrand_is_one_of_the_catalogue_with_all_of_its_parameters() {
        for single in Single::ALL {
            let entry = single.entry().unwrap_or_else(|| panic!("{}", single.name));
            assert_eq!(entry.f64.parameters.len(), single.parameter_count());
            assert_eq!(
                Single::by_name(single.name).map(|one| one.name),
                Some(single.name)
            );
        }
    }

    /// Just below and just above where the closed forms begin, values differ by what the rule
    /// itself does.
    #[test]
    fn closed_forms_go_on_where_the_rule_is_no_longer_carried_out() {
        for single in Single::ALL {
            for rule in rules() {
                let summed = single.expected(rule, CARRIED_OUT);
                let closed = match single.known {
                    Known::Smooth { integral, slopes } => {
                        rule_value::smooth(rule, CARRIED_OUT, integral, slopes)
                    }
                    Known::QuarterCircle => rule_value::quarter_circle(rule, CARRIED_OUT),
                };
                let error = (summed - closed).abs() / closed;
                assert!(error < 4e-16, "{} {rule:?}: {error:e}", single.name);
            }
        }
    }

    #[test]
    fn strips_have_as_many_evaluations_as_their_rule_has_nodes() {
        assert_eq!(evaluations(Rule::Trapezoid), 1);
        assert_eq!(evaluations(Rule::Simpson), 2);
        assert_eq!(evaluations(Rule::GaussLegendre(16)), 16);
    }
}
