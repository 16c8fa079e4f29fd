//! What names mean in a formula: constants, variables and parameters.

use quadscan_kernels::monte_carlo::sizes::MAX_DIMENSIONS;

use super::super::graph::{Id, Node, Variable};
use super::super::names::{arity, is_reserved, near};
use super::super::operation::Constant;
use super::Parser;
use crate::error::FormulaError;
use crate::integrate::MAX_PARAMETERS;

impl Parser<'_> {
    pub(super) fn know_constants(&mut self) {
        use std::{f32, f64};
        for (name, single, double) in [
            ("pi", f32::consts::PI, f64::consts::PI),
            ("tau", f32::consts::TAU, f64::consts::TAU),
            ("e", f32::consts::E, f64::consts::E),
            ("eps", f32::EPSILON, f64::EPSILON),
            ("inf", f32::INFINITY, f64::INFINITY),
        ] {
            let id = self
                .graph
                .add(Node::Constant(Constant::new(single, double)));
            self.known.insert(name.to_owned(), id);
        }
    }

    /// The variable of rules over an interval.
    pub(super) fn know_x(&mut self) {
        for (name, variable) in [
            ("x", Variable::X),
            ("from_lower", Variable::FromLower),
            ("to_upper", Variable::ToUpper),
        ] {
            let id = self.graph.add(Node::Variable(variable));
            self.known.insert(name.to_owned(), id);
        }
    }

    /// The variables of a box.
    pub(super) fn know_axes(&mut self, names: &[&str]) -> Result<(), FormulaError> {
        for (k, name) in names.iter().enumerate() {
            if k == MAX_DIMENSIONS {
                let problem =
                    format!("`{name}` is one variable too many, allowed are {MAX_DIMENSIONS}");
                return Err(self.wrong(problem));
            }
            self.expect_new(name, "a variable", 0)?;
            let id = self.graph.add(Node::Variable(Variable::Axis(k as u8)));
            self.known.insert((*name).to_owned(), id);
        }
        Ok(())
    }

    /// A constant, a variable, a binding or a parameter.
    pub(super) fn name(&mut self, name: &str, at: usize) -> Result<Id, FormulaError> {
        if let Some(&id) = self.known.get(name) {
            return Ok(id);
        }
        if arity(name).is_some() {
            let problem = format!("`{name}` is a function, its arguments stand in parentheses");
            return Err(self.wrong_at(at, problem));
        }
        if !self.is_open {
            let known = self.known.keys().map(String::as_str);
            let near = near(name, known).unwrap_or_else(|| {
                let all = self.parameters.join(", ");
                format!(", the parameters are: {all}")
            });
            return Err(self.wrong_at(at, format!("`{name}` is unknown{near}")));
        }
        self.parameter(name, at)
    }

    /// Err for a name that `what` cannot have.
    fn expect_new(&self, name: &str, what: &str, at: usize) -> Result<(), FormulaError> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_name = name.chars().all(is_word) && !name.starts_with(|c: char| c.is_ascii_digit());
        if name.is_empty() || !is_name || is_reserved(name) || self.known.contains_key(name) {
            let problem =
                format!("`{name}` is no name for {what}, allowed are words that mean nothing else");
            return Err(self.wrong_at(at, problem));
        }
        Ok(())
    }

    pub(super) fn parameter(&mut self, name: &str, at: usize) -> Result<Id, FormulaError> {
        self.expect_new(name, "a parameter", at)?;
        if self.parameters.len() == MAX_PARAMETERS {
            let (most, all) = (MAX_PARAMETERS, self.parameters.join(", "));
            let problem = format!(
                "`{name}` is one parameter too many, allowed are {most}, and there are {all}"
            );
            return Err(self.wrong_at(at, problem));
        }
        let id = self.graph.add(Node::Parameter(self.parameters.len() as u8));
        self.parameters.push(name.to_owned());
        self.known.insert(name.to_owned(), id);
        Ok(id)
    }
}
