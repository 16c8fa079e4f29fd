//! Cauchy principal values: a formula folded around the pole that it is divided by.
//!
//! The two sides of the pole become one integrand, in which what is infinite cancels: with `t` the
//! distance on the side of the farther limit, and `u = t / (1 + bend t)` that on the other side,
//! which comes to its limit where `t` does,
//!
//! ```text
//! p.v. int f(x) / (x - c) dx = int (f(c + t) - f(c - u) / (1 + bend t)) / t dt  from t = 0 on
//! ```
//!
//! and the same with the sides exchanged. Next to the pole `u` is `t`, so that the same is left out
//! on both sides. It is smooth where `f` is.
//!
//! Source: Davis and Rabinowitz, Methods of numerical integration, 1984, section 2.12.8 (folding at
//! the pole); the change of variable between sides of two lengths is ours.

use super::graph::{Graph, Id, Node, Variable};
use super::operation::Operation::{Add, Choose, Divide, Equal, Multiply, Subtract};
use super::{Formula, Number};
use crate::integrate::MAX_PARAMETERS;
use crate::{Error, Result};

/// Parameters of a folded formula behind its own: the pole, the side of the farther limit, and the
/// bend.
const MORE: usize = 3;

/// A principal value as an integral of [`Formula::around_pole`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalValue<R> {
    /// Its limits: 0 and the distance of the farther limit from the pole, in the order of the
    /// integral's.
    pub limits: (R, R),
    /// Its parameters behind the formula's own.
    pub parameters: [R; MORE],
}

impl<R: Number> PrincipalValue<R> {
    /// Of an integral between limits, which may be infinite, with a pole. A limit that is NaN stays
    /// one.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a pole that is not between the limits.
    pub fn between(from: R, to: R, pole: R) -> Result<Self> {
        let (low, high) = if to < from { (to, from) } else { (from, to) };
        let one = R::from_f64(1.0);
        if low.is_nan() || high.is_nan() {
            return Ok(Self {
                limits: (from, to),
                parameters: [pole, one, R::ZERO],
            });
        }
        if !(low < pole && pole < high) {
            let problem = format!("is {pole:?}, allowed are numbers between {low:?} and {high:?}");
            return Err(Error::argument("pole", problem));
        }
        // A node next to a limit is not rounded to one beyond it.
        let (mut below, mut above) = (pole - low, high - pole);
        for (side, limit) in [(below, low), (above, high)] {
            if limit.is_number() && !side.is_number() {
                let name = R::TYPE_NAME;
                let problem = format!(
                    "is {pole:?}, which is farther from {limit:?} than {name} can represent"
                );
                return Err(Error::argument("pole", problem));
            }
        }
        while pole - below < low {
            below = below.below();
        }
        while pole + above > high {
            above = above.below();
        }
        let side = if below <= above { one } else { -one };
        let (near, far) = if below <= above {
            (below, above)
        } else {
            (above, below)
        };
        let bend = match near.is_number() && near < far {
            // With as much more as rounding of the nearer place may be.
            true => one / near - one / far + R::from_f64(4.0) * R::EPSILON / near,
            false => R::ZERO,
        };
        let limits = if to < from {
            (far, R::ZERO)
        } else {
            (R::ZERO, far)
        };
        Ok(Self {
            limits,
            parameters: [pole, side, bend],
        })
    }

    /// The two places that the function has at a node, the one at the farther limit's side first.
    pub fn places(&self, t: R) -> [R; 2] {
        let [pole, side, bend] = self.parameters;
        let u = t / (R::from_f64(1.0) + bend * t);
        [pole + side * t, pole - side * u]
    }
}

impl Formula {
    /// The function whose integral is the Cauchy principal value of this one over `x - pole`. What is
    /// integrated has a slope at the pole, or is at least as smooth as a root there: that is not checked,
    /// and a jump at the pole, which has no principal value, may be given one. Its limits and its last three parameters are those of a [`PrincipalValue`]; for the rules that go
    /// to a tolerance.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a formula of a box, of distances from limits, with a wave, or of more than
    /// five parameters.
    ///
    /// ```
    /// use quadscan::integrate::Formula;
    /// use quadscan::integrate::formula::PrincipalValue;
    ///
    /// let folded = Formula::parse("exp(k*x)")?.around_pole()?;
    /// let of = PrincipalValue::between(-1.0, 3.0, 0.5)?;
    /// assert_eq!((of.limits, of.parameters[0]), ((0.0, 2.5), 0.5));
    /// assert_eq!(folded.parameters().len(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn around_pole(&self) -> Result<Self> {
        let own = self.parameters.len();
        let problem = if !self.variables.is_empty() {
            super::OF_A_BOX.to_owned()
        } else if self.has_wave {
            super::WITH_WAVE.to_owned()
        } else if self.uses_distances() {
            "has from_lower or to_upper, which a principal value does not have".to_owned()
        } else if own + MORE > MAX_PARAMETERS {
            let most = MAX_PARAMETERS - MORE;
            format!("has {own} parameters, allowed with a principal value are {most}")
        } else {
            let mut graph = self.graph.clone();
            let root = folded(&mut graph, self.root, own as u8);
            let names = ["pole", "side", "bend"].map(str::to_owned);
            return Ok(Self {
                text: format!("({})/(x - pole)", self.text),
                graph,
                root,
                parameters: self.parameters.iter().cloned().chain(names).collect(),
                is_short: None,
                variables: Vec::new(),
                has_wave: false,
            });
        };
        Err(Error::argument("formula", problem))
    }
}

/// The fold of a node, with parameters from `first` on.
fn folded(graph: &mut Graph, root: Id, first: u8) -> Id {
    let t = graph.add(Node::Variable(Variable::X));
    let [pole, side, bend] = [0, 1, 2].map(|k| graph.add(Node::Parameter(first + k)));
    let (zero, one) = (graph.number(0.0), graph.number(1.0));
    let step = graph.of(Multiply, &[side, t]);
    let here = graph.of(Add, &[pole, step]);
    // As far as x is from the pole once it is rounded: the quotient is of that.
    let rounded = graph.of(Subtract, &[here, pole]);
    let rounded = graph.of(Multiply, &[side, rounded]);
    let is_lost = graph.of(Equal, &[rounded, zero]);
    let t = graph.of(Choose, &[is_lost, t, rounded]);
    let bent = graph.of(Multiply, &[bend, t]);
    let bent = graph.of(Add, &[one, bent]);
    let u = graph.of(Divide, &[t, bent]);
    let step = graph.of(Multiply, &[side, u]);
    let there = graph.of(Subtract, &[pole, step]);
    let [here, there] =
        [here, there].map(|x| graph.with_variables(root, |of| (of == Variable::X).then_some(x)));
    let there = graph.of(Divide, &[there, bent]);
    let both = graph.of(Subtract, &[here, there]);
    let both = graph.of(Multiply, &[side, both]);
    graph.of(Divide, &[both, t])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::Point;

    /// Of 1: ln((to - pole) / (pole - from)), by Gauss and Legendre's three nodes in many strips.
    #[test]
    fn a_fold_is_the_principal_value_from_either_side_and_to_infinity() -> Result<()> {
        let folded = |text: &str| Formula::parse(text).map_err(Error::from)?.around_pole();
        let value = |text: &str, from: f64, to: f64, pole: f64| -> Result<f64> {
            let (of, folded) = (PrincipalValue::between(from, to, pole)?, folded(text)?);
            let (low, high) = of.limits;
            // t = s / (1 - s) from 0 to infinity.
            let is_infinite = high.is_infinite() || low.is_infinite();
            let at = |s: f64| {
                let (t, slope) = match is_infinite {
                    true => (s / (1.0 - s), 1.0 / (1.0 - s) / (1.0 - s)),
                    false => (low + (high - low) * s, high - low),
                };
                let (x, none) = (t, f64::NAN);
                let point = Point {
                    x,
                    from_lower: none,
                    to_upper: none,
                };
                slope * folded.eval(point, &of.parameters)
            };
            let (strips, node) = (512, 0.6_f64.sqrt());
            let step = 1.0 / f64::from(strips);
            let strip = |k: i32| {
                let middle = (f64::from(k) + 0.5) * step;
                let sides = at(middle - 0.5 * step * node) + at(middle + 0.5 * step * node);
                (5.0 * sides + 8.0 * at(middle)) * step / 18.0
            };
            Ok((0..strips).map(strip).sum())
        };
        for (text, from, to, pole, expected) in [
            ("1", -1.0, 3.0, 0.5, (2.5_f64 / 1.5).ln()),
            ("1", -1.0, 3.0, 2.0, (1.0_f64 / 3.0).ln()),
            ("1", 3.0, -1.0, 2.0, 3.0_f64.ln()),
            ("x", -1.0, 1.0, 0.0, 2.0),
            // 1 / (x^2 + 1) / (x - 1): -pi/2.
            (
                "1/(x^2+1)",
                f64::NEG_INFINITY,
                f64::INFINITY,
                1.0,
                -std::f64::consts::FRAC_PI_2,
            ),
            // 1 / (x (x - 1)) from 1/2 on: -ln x + ln |x - 1|.
            ("1/x", 0.5, f64::INFINITY, 1.0, 0.0),
            (
                "1/(1-x)^2",
                f64::NEG_INFINITY,
                0.5,
                0.25,
                8.0 / 3.0 - 16.0 / 9.0 * 2.0_f64.ln(),
            ),
        ] {
            let found = value(text, from, to, pole)?;
            assert!(
                (found - expected).abs() < 1e-8,
                "{text} {from} {to} {pole}: {found}, {expected}"
            );
        }
        Ok(())
    }
}
