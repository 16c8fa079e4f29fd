//! Formulas of several variables, for integrals over boxes; infinite ones become finite by a change of
//! variables.

use quadscan_kernels::monte_carlo::sizes::MAX_DIMENSIONS;

use super::graph::{Graph, Id, Node, Variable};
use super::{Formula, Number, Operation};
use crate::error::FormulaError;
use crate::{Error, Result};

/// A lower and an upper limit of each variable.
pub type Limits = Vec<(f64, f64)>;

impl Formula {
    /// The function of a text with these variables, 1 to 32, whether it has them or not. Other names
    /// that have no meaning are its parameters, as in [`Formula::parse`].
    ///
    /// # Errors
    ///
    /// What is wrong with the text, and where; for names that a variable cannot have, too, and where
    /// there are none, or more.
    ///
    /// ```
    /// use quadscan::integrate::Formula;
    ///
    /// let formula = Formula::of_variables("exp(-k*(x^2 + y^2))", &["x", "y"])?;
    /// assert_eq!((formula.variables(), formula.parameters()), (&["x", "y"].map(String::from)[..], &["k".to_owned()][..]));
    /// assert_eq!(formula.eval_at(&[1.0, 2.0], &[0.5]), (-2.5_f64).exp());
    /// # Ok::<(), quadscan::integrate::FormulaError>(())
    /// ```
    pub fn of_variables(text: &str, variables: &[&str]) -> std::result::Result<Self, FormulaError> {
        if variables.is_empty() {
            let problem = format!("no variables are given, allowed are 1 to {MAX_DIMENSIONS}");
            return Err(FormulaError::new(text, 0, problem));
        }
        Self::one(text, variables, None)
    }

    /// What the variables of a box are called, in their order; none where it is a function of `x`
    /// for rules over an interval.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// A function of several variables at a point, on the host: bit for bit what it is on a device,
    /// NaN payloads aside.
    ///
    /// # Panics
    ///
    /// With fewer coordinates or parameters than the formula has.
    pub fn eval_at<R: Number>(&self, point: &[R], parameters: &[R]) -> R {
        let of = |variable| match variable {
            Variable::Axis(k) => point[usize::from(k)],
            _ => R::from_f64(f64::NAN),
        };
        self.graph.eval(self.root, of, parameters)
    }

    /// How many variables of a box there are. Err where there are none.
    pub(in crate::integrate) fn expect_variables(&self) -> Result<usize> {
        match self.variables.len() {
            0 => {
                let problem =
                    "has no variables of a box, allowed are those of Formula::of_variables";
                Err(Error::argument("formula", problem))
            }
            count => Ok(count),
        }
    }

    /// The parameters by their names, as [`Cubature::integrate`](crate::integrate::Cubature::integrate)
    /// and [`Vegas::integrate`](crate::integrate::Vegas::integrate) take them, for 10 and for 32 axes.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a name that is none of the formula's, or is given twice, and for a
    /// parameter without a value.
    pub fn parameters_by_name<const AXES: usize>(
        &self,
        given: &[(&str, f64)],
    ) -> Result<[[f64; AXES]; 2]> {
        const {
            assert!(
                AXES >= super::super::MAX_PARAMETERS,
                "there is room for all"
            )
        };
        let refused = |problem: String| {
            let allowed = match self.parameters() {
                [] => "the formula has none".to_owned(),
                all => format!("allowed are {}, each once", all.join(", ")),
            };
            Err(Error::argument(
                "parameters",
                format!("{problem}, {allowed}"),
            ))
        };
        let mut found = vec![None; self.parameters.len()];
        for &(name, value) in given {
            let Some(k) = self.parameters.iter().position(|known| known == name) else {
                return refused(format!("have a `{name}`"));
            };
            if found[k].replace(value).is_some() {
                return refused(format!("have `{name}` twice"));
            }
        }
        let mut values = [0.0; AXES];
        for ((to, value), name) in values.iter_mut().zip(found).zip(&self.parameters) {
            let Some(value) = value else {
                return refused(format!("have no `{name}`"));
            };
            *to = value;
        }
        Ok([values, [0.0; AXES]])
    }

    /// The same integral over a finite box: the formula of other variables, times the slope of the
    /// change, and their limits.
    ///
    /// | limits of x | limits of t | x | dx/dt |
    /// | --- | --- | --- | --- |
    /// | a..b | a..b | t | 1 |
    /// | a..inf | 0..1 | a + t / (1 - t) | 1 / (1 - t)^2 |
    /// | -inf..b | 0..1 | b - t / (1 - t) | 1 / (1 - t)^2 |
    /// | -inf..inf | -1..1 | t / (1 - t^2) | (1 + t^2) / (1 - t^2)^2 |
    ///
    /// At infinity it is taken to be 0. The higher limit may stand first: then those of t do, too.
    /// [`Formula::text`] stays that of the old variables.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] where there are not as many limits as variables, for NaN, and between
    /// equal infinite limits.
    pub fn over_finite_box(&self, limits: &[(f64, f64)]) -> Result<(Self, Limits)> {
        if limits.len() != self.variables.len() {
            let (given, all) = (limits.len(), self.variables.join(", "));
            let problem = match &self.variables[..] {
                [] => format!("are {given}, the formula has no variables of a box"),
                names => format!("are {given}, the formula has {}: {all}", names.len()),
            };
            return Err(Error::argument("limits", problem));
        }
        let mut graph = self.graph.clone();
        let (mut places, mut finite, mut slopes) = (Vec::new(), Limits::new(), Vec::new());
        for (k, &(from, to)) in limits.iter().enumerate() {
            let t = graph.add(Node::Variable(Variable::Axis(k as u8)));
            let Some((change, ends)) = Change::of(from, to) else {
                let name = &self.variables[k];
                let problem = format!(
                    "of {name} are {from:?} to {to:?}, allowed are two numbers, or an infinite \
                     limit and another one"
                );
                return Err(Error::argument("limits", problem));
            };
            let (place, slope) = change.nodes(&mut graph, t);
            places.push(place);
            slopes.extend(slope);
            finite.push(ends);
        }
        let of = |variable| match variable {
            Variable::Axis(k) => Some(places[usize::from(k)]),
            _ => None,
        };
        let mut root = graph.with_variables(self.root, of);
        let (one, zero) = (graph.number(1.0), graph.number(0.0));
        for &(slope, _) in &slopes {
            root = graph.of(Operation::Multiply, &[root, slope]);
        }
        for &(_, end) in &slopes {
            let is_inside = graph.of(Operation::Less, &[end, one]);
            root = graph.of(Operation::Choose, &[is_inside, root, zero]);
        }
        let formula = Self {
            graph,
            root,
            ..self.clone()
        };
        Ok((formula, finite))
    }
}

/// How a variable runs through limits.
#[derive(Clone, Copy)]
enum Change {
    None,
    Above(f64),
    Below(f64),
    Whole,
}

impl Change {
    /// Of these limits, and those of the new variable; `None` for limits that are none.
    fn of(from: f64, to: f64) -> Option<(Self, (f64, f64))> {
        let (low, high) = (from.min(to), from.max(to));
        if from.is_nan() || to.is_nan() || (from == to && from.is_infinite()) {
            return None;
        }
        let (change, ends) = match (low.is_finite(), high.is_finite()) {
            (true, true) => (Change::None, (low, high)),
            (true, false) => (Change::Above(low), (0.0, 1.0)),
            (false, true) => (Change::Below(high), (0.0, 1.0)),
            (false, false) => (Change::Whole, (-1.0, 1.0)),
        };
        Some((change, if from > to { (ends.1, ends.0) } else { ends }))
    }

    /// The variable as a node of `t`; where it is another one, its slope and what is 1 at infinity.
    fn nodes(self, graph: &mut Graph, t: Id) -> (Id, Option<(Id, Id)>) {
        use Operation::{Add, Divide, Multiply, Subtract};
        let one = graph.number(1.0);
        let (limit, sign) = match self {
            Change::None => return (t, None),
            Change::Above(limit) => (limit, Add),
            Change::Below(limit) => (limit, Subtract),
            Change::Whole => {
                let square = graph.of(Multiply, &[t, t]);
                let left = graph.of(Subtract, &[one, square]);
                let place = graph.of(Divide, &[t, left]);
                let sum = graph.of(Add, &[one, square]);
                let squared = graph.of(Multiply, &[left, left]);
                let slope = graph.of(Divide, &[sum, squared]);
                return (place, Some((slope, square)));
            }
        };
        let left = graph.of(Subtract, &[one, t]);
        let distance = graph.of(Divide, &[t, left]);
        let limit = graph.number(limit);
        let place = graph.of(sign, &[limit, distance]);
        let squared = graph.of(Multiply, &[left, left]);
        let slope = graph.of(Divide, &[one, squared]);
        (place, Some((slope, t)))
    }
}

#[cfg(test)]
#[path = "boxes_tests.rs"]
mod tests;
