//! Formulas as integrands: `exp(-x^2) * cos(k*x)`, integrated by the kernels of every rule without
//! a compiler of Rust. What can be written is in `docs/formulas.md`.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `operation`, `number`: operations, and what they give on the host.
//! - `graph`: what a text says, each subexpression once.
//! - `names`, `lexer`, `parse`, `derive`, `rounding`: a text to its graph, that of its derivative, and that
//!   of a bound on its rounding.
//! - `boxes`: functions of several variables. `pole`: principal values.
//! - `code`, `splice`: a graph to PTX, and that into the kernels with holes of
//!   `quadscan_kernels::integrate::formula`.

mod boxes;
mod code;
mod derive;
mod graph;
mod lexer;
mod names;
mod number;
mod operation;
mod parse;
mod pole;
mod rounding;
mod splice;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use graph::{Graph, Id, Node, Variable};
use operation::Operation;

use super::Point;
use crate::device::Module;
use crate::{Error, Result};

use crate::error::FormulaError;
pub use boxes::Limits;
pub use number::Number;
pub use pole::PrincipalValue;

const OF_A_BOX: &str = "has variables of a box, allowed are those of Formula::parse";
const WITH_WAVE: &str = "has a wave, which only a Fourier integral has";

/// The kernel of Fourier integrals of formulas.
pub(super) const FOURIER: &str = "fourier_formula_f64";

/// The most outputs of a text.
pub const MAX_OUTPUTS: usize = 16;

/// What a formula may cost to be computed in rows of nodes: instructions, roughly.
const SHORT: u32 = 24;

/// A function of `x` and of parameters, from its text.
///
/// ```
/// use quadscan::integrate::{Formula, Point};
///
/// let formula = Formula::parse("exp(-x^2) * cos(k*x)")?;
/// assert_eq!(formula.parameters(), ["k"]);
/// let at = Point { x: 0.5, from_lower: 0.5, to_upper: 0.5 };
/// let expected = (-0.25_f64).exp() * 1.0_f64.cos();
/// assert!((formula.eval(at, &[2.0]) - expected).abs() < 1e-15);
/// # Ok::<(), quadscan::integrate::FormulaError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Formula {
    text: String,
    graph: Graph,
    root: Id,
    /// Of a box; of an interval there are none.
    variables: Vec<String>,
    parameters: Vec<String>,
    /// Whether the last two parameters are a wave's.
    has_wave: bool,
    is_short: Option<bool>,
}

impl Formula {
    /// The function of a text. Names that have no meaning are its parameters, in the order in which
    /// they occur first: at most [`MAX_PARAMETERS`](super::MAX_PARAMETERS).
    ///
    /// # Errors
    ///
    /// What is wrong with the text, and where.
    pub fn parse(text: &str) -> std::result::Result<Self, FormulaError> {
        Self::one(text, &[], None)
    }

    /// The functions of a text, at most [`MAX_OUTPUTS`], divided by `;`: of `x` or, where there are any,
    /// of these variables. All have the same parameters, and names that a `let` has bound mean the same in
    /// all that follow.
    ///
    /// # Errors
    ///
    /// As [`Formula::parse`].
    ///
    /// ```
    /// use quadscan::integrate::Formula;
    ///
    /// let both = Formula::outputs("let a = exp(-k*x); a*cos(w*x); a*sin(w*x)", &[])?;
    /// assert_eq!(both.len(), 2);
    /// assert!(both.iter().all(|of| of.parameters() == ["k", "w"]));
    /// # Ok::<(), quadscan::integrate::FormulaError>(())
    /// ```
    pub fn outputs(text: &str, variables: &[&str]) -> std::result::Result<Vec<Self>, FormulaError> {
        Self::read(text, variables, None, MAX_OUTPUTS)
    }

    /// The function of a text with these parameters, whether it has them or not, and no others.
    ///
    /// # Errors
    ///
    /// As [`Formula::parse`]; for names that have no meaning, too.
    pub fn with_parameters(
        text: &str,
        parameters: &[&str],
    ) -> std::result::Result<Self, FormulaError> {
        Self::one(text, &[], Some(parameters))
    }

    fn one(
        text: &str,
        variables: &[&str],
        names: Option<&[&str]>,
    ) -> std::result::Result<Self, FormulaError> {
        Self::read(text, variables, names, 1).map(|mut all| all.swap_remove(0))
    }

    fn read(
        text: &str,
        variables: &[&str],
        names: Option<&[&str]>,
        most: usize,
    ) -> std::result::Result<Vec<Self>, FormulaError> {
        let parsed = parse::parse(text, variables, names, most)?;
        let output = |&root: &Id| Self {
            text: text.trim().to_owned(),
            graph: parsed.graph.clone(),
            root,
            variables: variables.iter().map(|&name| name.to_owned()).collect(),
            parameters: parsed.parameters.clone(),
            has_wave: false,
            is_short: None,
        };
        Ok(parsed.roots.iter().map(output).collect())
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What its parameters are called, in their order.
    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }

    /// Whether the function is computed from the distances from the limits.
    pub fn uses_distances(&self) -> bool {
        let is_distance = |node| {
            matches!(
                node,
                Node::Variable(Variable::FromLower | Variable::ToUpper)
            )
        };
        self.nodes().any(is_distance)
    }

    /// Whether equal strips have it computed in rows of nodes, as functions of but a few
    /// instructions are: a sum's last bits depend on it.
    pub fn is_short(&self) -> bool {
        self.is_short.unwrap_or_else(|| {
            let cost = self.nodes().map(|node| match node {
                Node::Of(Operation::Call(number), _) if number == names::number("exp") => 16,
                Node::Of(Operation::Call(_), _) => SHORT + 1,
                Node::Of(Operation::SquareRoot | Operation::Divide, _) => 8,
                Node::Of(..) => 1,
                _ => 0,
            });
            cost.sum::<u32>() <= SHORT
        })
    }

    /// The same function, computed in rows or not, whatever it costs.
    #[must_use]
    pub fn in_rows(mut self, is_short: bool) -> Self {
        self.is_short = Some(is_short);
        self
    }

    /// How many operations it has, each subexpression counted once.
    pub fn operations(&self) -> usize {
        self.nodes()
            .filter(|node| matches!(node, Node::Of(..)))
            .count()
    }

    fn nodes(&self) -> impl Iterator<Item = Node> {
        let reached = self.graph.reached(self.root);
        reached.into_iter().map(|id| self.graph.node(id))
    }

    /// The function at a place, on the host: bit for bit what it is on a device, NaN payloads aside.
    ///
    /// # Panics
    ///
    /// With fewer parameters than the formula has.
    pub fn eval<R: Number>(&self, at: Point<R>, parameters: &[R]) -> R {
        let of = |variable| match variable {
            Variable::X => at.x,
            Variable::FromLower => at.from_lower,
            Variable::ToUpper => at.to_upper,
            Variable::Axis(_) => R::from_f64(f64::NAN),
        };
        self.graph.eval(self.root, of, parameters)
    }

    /// The derivative by a variable or by a parameter, exact but for the rounding of its own operations;
    /// 0 at jumps, and one of the two slopes at corners. By `x` between fixed limits.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a name that is neither, and for those of a [wave](Formula::with_wave).
    pub fn derivative(&self, by: &str) -> Result<Self> {
        let mut graph = self.graph.clone();
        let place = |names: &[String]| names.iter().position(|name| name == by);
        let own = self.parameters.len() - if self.has_wave { 2 } else { 0 };
        let own = &self.parameters[..own];
        let node = match (place(own), place(&self.variables)) {
            (Some(index), _) => Node::Parameter(index as u8),
            (None, Some(axis)) => Node::Variable(Variable::Axis(axis as u8)),
            (None, None) if by == "x" && self.variables.is_empty() => Node::Variable(Variable::X),
            (None, None) => {
                let x = self.variables.is_empty().then_some("x");
                let all = self.variables.iter().chain(own);
                let all = x.into_iter().chain(all.map(String::as_str));
                let allowed = all.collect::<Vec<_>>().join(", ");
                let problem = format!("`{by}` is nothing that it can be by, allowed are {allowed}");
                return Err(Error::argument("derivative", problem));
            }
        };
        let by_id = graph.add(node);
        let root = derive::derivative(&mut graph, self.root, by_id);
        Ok(Self {
            text: format!("d/d{by} ({})", self.text),
            graph,
            root,
            is_short: None,
            ..self.clone()
        })
    }

    /// A bound on the rounding of the function's own operations at a place, of first order: its integral is
    /// what the integral may be off by beside the error of a rule, which does not see what all its nodes have
    /// lost. Numbers and parameters are taken as they are rounded; the places themselves are rounded, too.
    ///
    /// ```
    /// use quadscan::integrate::{Formula, Point};
    ///
    /// let formula = Formula::parse("(1 - cos(x))/x^2")?;
    /// let at = Point { x: 1e-9, from_lower: 1e-9, to_upper: 1.0 };
    /// let [value, bound]: [f64; 2] = [formula.eval(at, &[]), formula.rounding().eval(at, &[])];
    /// // Of 1/2 nothing is left.
    /// assert!(value == 0.0 && bound >= 0.5, "{value} +- {bound}");
    /// # Ok::<(), quadscan::integrate::FormulaError>(())
    /// ```
    #[must_use]
    pub fn rounding(&self) -> Self {
        let mut graph = self.graph.clone();
        let root = rounding::bound(&mut graph, self.root);
        Self {
            text: format!("rounding of ({})", self.text),
            graph,
            root,
            is_short: None,
            ..self.clone()
        }
    }

    /// The same function with two parameters behind its own, `omega` and `phase`: those of the wave that a
    /// [`Fourier`](super::Fourier) integral multiplies it by. No other method takes it.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a formula of a box, with a wave, and of more than six parameters.
    pub fn with_wave(&self) -> Result<Self> {
        let (own, most) = (self.parameters.len(), super::MAX_PARAMETERS - 2);
        let problem = if !self.variables.is_empty() {
            OF_A_BOX.to_owned()
        } else if self.has_wave {
            WITH_WAVE.to_owned()
        } else if own > most {
            format!("has {own} parameters, allowed with a wave are {most}")
        } else {
            let wave = ["omega", "phase"].map(str::to_owned);
            let parameters = self.parameters.iter().cloned().chain(wave).collect();
            return Ok(Self {
                parameters,
                has_wave: true,
                ..self.clone()
            });
        };
        Err(Error::argument("formula", problem))
    }

    /// The PTX of the kernel `entry` of a module with the formula in its hole: what is loaded.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownKernel`] where the module does not have the kernel, [`Error::NoManifest`]
    /// where nothing is known of it, [`Error::Argument`] for a formula of several variables.
    pub fn ptx<R: Number>(&self, module: &Module, entry: &str) -> Result<String> {
        if !self.variables.is_empty() {
            return Err(Error::argument("formula", OF_A_BOX));
        }
        let template = module.text_of(entry)?;
        splice::module::<R>(template, template, Some(entry), self)
    }

    /// How many instructions of each kind compute the formula, by their names, with the elementary
    /// functions of the module.
    ///
    /// # Errors
    ///
    /// As [`Formula::ptx`].
    pub fn instructions<R: Number>(&self, module: &Module) -> Result<BTreeMap<String, usize>> {
        let entry = format!("values_formula_{}", R::TYPE_NAME);
        splice::instructions::<R>(module.text_of(&entry)?, self)
    }

    /// The module with the formula in the hole of the kernel `entry`.
    ///
    /// # Errors
    ///
    /// As [`Formula::ptx`]; [`Error::Argument`] for a formula with a wave where the kernel takes none, and
    /// for one without where it does.
    pub(super) fn on<R: Number>(&self, module: &Module, entry: &str) -> Result<Module> {
        if self.has_wave != (entry == FOURIER) {
            let without = "has no wave, a Fourier integral allows those of Formula::with_wave";
            let problem = if self.has_wave { WITH_WAVE } else { without };
            return Err(Error::argument("formula", problem));
        }
        module.with_part_of(entry, self.key(entry), || self.ptx::<R>(module, entry))
    }

    /// The module with the formula in the holes of `entry` and of all kernels beside it: those of a
    /// box, whose elementary functions are those of rules over an interval.
    pub(super) fn over_box(&self, module: &Module, entry: &str) -> Result<Module> {
        module.with_part_of(entry, self.key(entry), || {
            let functions = module.text_of("functions_formula_f64")?;
            splice::module::<f64>(module.text_of(entry)?, functions, None, self)
        })
    }

    /// All that the PTX depends on: making it takes longer than an integral.
    fn key(&self, entry: &str) -> String {
        let nodes = self.graph.reached(self.root).into_iter();
        let nodes: Vec<_> = nodes.map(|id| (id, self.graph.node(id))).collect();
        let (count, is_short) = (self.parameters.len(), self.is_short());
        format!("{entry} {count} {is_short} {} {nodes:?}", self.root)
    }
}
