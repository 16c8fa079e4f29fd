//! What the tables `cubature` and `monte-carlo` time: the seven integrands over the unit cube that PAGANI
//! is compared on, and five of many variables, as formulas. `peers/cubature.py`
//! and `peers/cubature/peer.h` have the same.
//!
//! Sources: Genz, Testing multidimensional integration routines, 1984, for the first six; Sakiotis and
//! others, PAGANI: a parallel adaptive GPU algorithm for numerical integration, 2021.

use crate::oracle::cubature;

/// An integrand over the unit cube, with a difficulty and a place of each axis.
#[derive(Clone, Copy, Debug)]
pub struct Boxed {
    /// As it is typed.
    pub name: &'static str,
    /// As [`cubature::exact`] knows it.
    pub family: &'static str,
    /// How many dimensions it is compared in.
    pub dimensions: usize,
    /// The difficulty of the axis of this number, from 1.
    pub difficulty: fn(f64) -> f64,
    /// Its place.
    pub place: fn(f64) -> f64,
}

impl Boxed {
    /// All of them, in the order of their rows: f1 to f7 of the comparison.
    pub const ALL: &'static [Boxed] = &[
        boxed("oscillatory", 8, |i| i, |_| 0.0),
        boxed("product_peak", 6, |_| 50.0, |_| 0.5),
        boxed("corner_peak", 8, |i| i, |_| 0.0),
        boxed("gaussian_peak", 5, |_| 25.0, |_| 0.5),
        boxed("continuous", 8, |_| 10.0, |_| 0.5),
        boxed("discontinuous", 6, |i| i + 4.0, |i| (3.0 + i) / 10.0),
        boxed("power_of_squares", 8, |_| 1.0, |_| 0.0),
    ];

    /// Those of many variables, each of which does as much as the others.
    pub const MANY: &'static [Boxed] = &[
        Boxed {
            family: "oscillatory",
            ..boxed("plane_wave", 9, |_| 1.0, |_| 0.1)
        },
        Boxed {
            family: "product_peak",
            ..boxed("lorentzians", 9, |_| 2.0, |_| 0.5)
        },
        Boxed {
            family: "gaussian_peak",
            ..boxed("gaussian", 9, |_| 5.0, |_| 0.5)
        },
        Boxed {
            family: "continuous",
            ..boxed("kinks", 9, |_| 2.0, |_| 0.5)
        },
        Boxed {
            family: "discontinuous",
            ..boxed("steps", 9, |_| 1.0, |_| 0.9)
        },
    ];

    /// The one of a name.
    pub fn by_name(name: &str) -> Option<&'static Boxed> {
        let mut all = Self::ALL.iter().chain(Self::MANY);
        all.find(|of| of.name == name)
    }

    /// Difficulties and places of so many axes.
    pub fn axes(&self, dimensions: usize) -> [Vec<f64>; 2] {
        let of = |of: fn(f64) -> f64| (1..=dimensions).map(|i| of(i as f64)).collect();
        [of(self.difficulty), of(self.place)]
    }

    /// The integral over the unit cube.
    pub fn exact(&self, dimensions: usize) -> Option<f64> {
        let [a, u] = self.axes(dimensions);
        cubature::exact(self.family, &a, &u)
    }

    /// The variables of its formula.
    pub fn variables(dimensions: usize) -> Vec<String> {
        (1..=dimensions).map(|i| format!("x{i}")).collect()
    }

    /// Its formula, from the last axis on: what the other axes add is then the same along the first
    /// one, on which a rule's innermost loop goes.
    pub fn formula(&self, dimensions: usize) -> String {
        let [a, u] = self.axes(dimensions);
        let each = |sign: &str, term: &dyn Fn(&str, f64, f64) -> String| {
            let x = Self::variables(dimensions).into_iter();
            let terms = x.zip(&a).zip(&u).map(|((x, a), u)| term(&x, *a, *u));
            let terms: Vec<String> = terms.collect();
            terms.into_iter().rev().collect::<Vec<_>>().join(sign)
        };
        let linear = each(" + ", &|x, a, _| format!("{a:?}*{x}"));
        match self.family {
            "oscillatory" => format!("cos(tau*{:?} + ({linear}))", u[0]),
            "product_peak" => {
                let square = |x: &str, u| format!("({x} - {u:?})*({x} - {u:?})");
                let factor = |x: &str, a, u| format!("fma(1/{a:?}, 1/{a:?}, {})", square(x, u));
                format!("1/({})", each("*", &factor))
            }
            "corner_peak" => {
                let power = vec!["b"; dimensions].join("*");
                format!("let b = 1 + ({linear}); 1/(b*({power}))")
            }
            "gaussian_peak" => {
                let scaled = |x: &str, a, u| format!("({a:?}*({x} - {u:?}))^2");
                format!("exp(-({}))", each(" + ", &scaled))
            }
            "continuous" => {
                let far = |x: &str, a, u| format!("{a:?}*abs({x} - {u:?})");
                format!("exp(-({}))", each(" + ", &far))
            }
            "discontinuous" => {
                let inside = each("*", &|x, _, u| format!("({x} < {u:?})"));
                format!("if({inside} == 0, 0, exp({linear}))")
            }
            _ => {
                let squares = each(" + ", &|x, _, _| format!("{x}*{x}"));
                format!("let s = {squares}; let a = s*s; let b = a*a; b*b*a*s")
            }
        }
    }
}

const fn boxed(
    name: &'static str,
    dimensions: usize,
    difficulty: fn(f64) -> f64,
    place: fn(f64) -> f64,
) -> Boxed {
    Boxed {
        name,
        family: name,
        dimensions,
        difficulty,
        place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadscan::integrate::Formula;

    /// Expected: the mean of the formula at many points of a grid, for the smooth ones.
    #[test]
    fn formulas_have_the_closed_forms() {
        for of in Boxed::ALL.iter().chain(Boxed::MANY) {
            let names = Boxed::variables(2);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let formula = Formula::of_variables(&of.formula(2), &names).expect(of.name);
            assert_eq!(formula.parameters(), [""; 0], "{}", of.name);
            let n = 400;
            let at = |k: usize| (k as f64 + 0.5) / n as f64;
            let values = (0..n * n).map(|k| formula.eval_at(&[at(k % n), at(k / n)], &[]));
            let mean = values.sum::<f64>() / (n * n) as f64;
            let exact = of.exact(2).expect(of.name);
            assert!(
                (mean / exact - 1.0).abs() < 1e-3,
                "{}: {mean}, not {exact}",
                of.name
            );
        }
    }
}
