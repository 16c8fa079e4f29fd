//! Batches: kinds of integrals, whose items differ in one parameter, and their closed forms.
//! `peers/integrals.py` has the same kinds with the same parameters.

use quadscan_kernels::integrate::catalogue::CATALOGUE;
use quadscan_kernels::integrate::launch::Entry;
use quadscan_kernels::integrate::sizes::{ROUNDING, ROUNDING_OF_LEVELS};

use crate::named::named;

/// The limits of all items.
pub const LIMITS: (f64, f64) = (0.0, 1.0);

/// The most items: as many as one launch is made for.
pub const MOST_ITEMS: u64 = 1 << 24;

/// Where the sequence of parameters begins.
const SEED: u64 = 2026;

/// An odd number next to 2^32 times the golden ratio's fraction.
const GOLDEN: u64 = 2_654_435_769;

named! {
    /// A rule for batches.
    Method {
        /// Adaptive, 7 nodes of Gauss among 15 of Kronrod.
        G7K15 = "g7k15",
        /// Adaptive, 10 among 21.
        G10K21 = "g10k21",
        /// Tanh-sinh.
        TanhSinh = "tanh-sinh",
    }
}

impl Method {
    /// The least relative tolerance that it can give, of numbers with this epsilon.
    pub fn least_tolerance(self, epsilon: f64) -> f64 {
        let epsilons = match self {
            Method::G7K15 | Method::G10K21 => ROUNDING,
            Method::TanhSinh => ROUNDING_OF_LEVELS,
        };
        epsilons * epsilon
    }
}

/// A kind of integrals.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// As it is typed and printed.
    pub name: &'static str,
    /// The integrand's name in the catalogue; its first parameter is the item's, the others
    /// are 0.
    integrand: &'static str,
    /// Between which the parameter is.
    range: (f64, f64),
    /// Whether the tolerance is absolute: where the integral itself may be 0.
    pub is_absolute: bool,
    /// The integral by the parameter.
    exact: fn(f64) -> f64,
    /// The methods that converge on it.
    pub methods: &'static [Method],
}

impl Kind {
    /// All of them, in the order of their rows.
    pub const ALL: &'static [Kind] = &[
        // (1 + a x)^-2.
        Kind {
            name: "smooth",
            integrand: "genz_corner_peak",
            range: (1.0, 10.0),
            is_absolute: false,
            exact: |a| 1.0 / (1.0 + a),
            methods: Method::ALL,
        },
        // x^a ln(1 / x).
        Kind {
            name: "end_point",
            integrand: "power_log",
            range: (-0.5, 1.0),
            is_absolute: false,
            exact: |a| (1.0 + a).powi(-2),
            methods: &[Method::TanhSinh],
        },
        // cos(a x).
        Kind {
            name: "oscillating",
            integrand: "genz_oscillatory",
            range: (1.0, 50.0),
            is_absolute: true,
            exact: |a| a.sin() / a,
            methods: Method::ALL,
        },
    ];

    /// The kind of a name.
    pub fn by_name(name: &str) -> Option<&'static Kind> {
        Self::ALL.iter().find(|kind| kind.name == name)
    }

    /// The integrand's entry in the catalogue.
    pub fn entry(&self) -> Option<&'static Entry> {
        CATALOGUE
            .iter()
            .find(|entry| entry.f64.name == self.integrand)
    }

    /// An item's parameter: those of 2^32 items in a row are all different, and next to each
    /// other far apart.
    pub fn parameter(&self, item: u64) -> f64 {
        let place = item.wrapping_add(SEED).wrapping_mul(GOLDEN) % (1 << 32);
        let (low, high) = self.range;
        low + (high - low) * ((place as f64 + 0.5) / 4_294_967_296.0)
    }

    /// The integral of an item with this parameter.
    pub fn exact(&self, parameter: f64) -> f64 {
        (self.exact)(parameter)
    }

    /// What a relative or absolute tolerance of 1 is.
    pub fn scale(&self, exact: f64) -> f64 {
        if self.is_absolute { 1.0 } else { exact.abs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn parameters_are_different_and_between_their_limits() {
        for kind in Kind::ALL {
            let all: Vec<f64> = (0..1000).map(|item| kind.parameter(item)).collect();
            let (low, high) = kind.range;
            assert!(all.iter().all(|&a| low < a && a < high));
            let bits: BTreeSet<u64> = all.iter().map(|a| a.to_bits()).collect();
            assert_eq!(bits.len(), all.len());
            let mean = all.iter().sum::<f64>() / 1000.0;
            assert!((mean - (low + high) / 2.0).abs() < 0.01 * (high - low));
        }
    }

    /// Expected: the midpoint rule over the catalogue's own function, after x = t^4, which
    /// makes it smooth at 0.
    #[test]
    fn closed_forms_are_those_of_the_catalogues_functions() {
        use quadscan::integrate::{MAX_PARAMETERS, Point, Rule};
        for kind in Kind::ALL {
            let entry = kind.entry().unwrap_or_else(|| panic!("{}", kind.name));
            for item in 0..5 {
                let mut parameters = [0.0; MAX_PARAMETERS];
                parameters[0] = kind.parameter(item);
                let f = |t: f64| {
                    let x = t.powi(4);
                    let point = Point {
                        x,
                        from_lower: x,
                        to_upper: 1.0 - x,
                    };
                    4.0 * t.powi(3) * (entry.f64.eval_at)(point, &parameters)
                };
                let rule = Rule::GaussLegendre(16);
                let found = crate::oracle::quadrature::composite(rule, 200, LIMITS, f);
                let error = (found - kind.exact(parameters[0])).abs();
                assert!(error < 1e-9, "{} {}: {error:e}", kind.name, parameters[0]);
            }
        }
    }
}
