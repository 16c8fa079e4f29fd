//! `--principal-value`: the pole of each item.

use quadscan::integrate::formula::PrincipalValue;
use quadscan::integrate::{Formula, Point};

use super::number::Number;
use super::quantity::{Item, Quantity};
use crate::error::Result;

/// A pole: a number, or one of an item's parameters.
#[derive(Clone, Debug)]
pub(super) struct Pole<R> {
    place: Quantity<R>,
    /// What is divided.
    formula: Formula,
}

impl<R: Number> Pole<R> {
    /// The pole that a text says, of a formula with parameters of these names, to which it may add.
    pub(super) fn new(formula: &Formula, text: &str, names: &mut Vec<String>) -> Result<Self> {
        Ok(Self {
            place: Quantity::new("--principal-value", text, names)?,
            formula: formula.clone(),
        })
    }

    /// The integral that an item's is, between these limits.
    fn item(&self, limits: (R, R), parameters: &[R]) -> quadscan::Result<PrincipalValue<R>> {
        PrincipalValue::between(limits.0, limits.1, self.place.of(parameters))
    }

    /// What is wrong with an item.
    pub(super) fn objection(&self, limits: (R, R), parameters: &[R]) -> Option<String> {
        self.item(limits, parameters)
            .err()
            .map(|error| error.to_string())
    }

    /// The limits of what is integrated in the place of an item, and its parameters.
    pub(super) fn folded(&self, limits: (R, R), parameters: &[R]) -> quadscan::Result<Item<R>> {
        let of = self.item(limits, parameters)?;
        let own = &parameters[..self.formula.parameters().len()];
        Ok((of.limits, [own, &of.parameters].concat()))
    }

    /// The x where the formula is not finite, of that of what is integrated in its place.
    pub(super) fn unfolded(&self, at: R, limits: (R, R), parameters: &[R]) -> Option<R> {
        let none = R::from_f64(f64::NAN);
        let places = self.item(limits, parameters).ok()?.places(at);
        let is_bad = |x: &R| {
            let (from_lower, to_upper) = (none, none);
            let point = Point {
                x: *x,
                from_lower,
                to_upper,
            };
            !self.formula.eval(point, parameters).is_number()
        };
        places.into_iter().find(is_bad)
    }
}
