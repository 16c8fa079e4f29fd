//! `--principal-value`: the pole of each item.

use quadscan::integrate::formula::PrincipalValue;
use quadscan::integrate::{Formula, Point};

use super::number::Number;
use super::refused;
use crate::error::Result;

const ARGUMENT: &str = "--principal-value";

/// A pole: a number, or one of an item's parameters.
#[derive(Clone, Debug)]
pub(super) struct Pole<R> {
    value: R,
    /// The parameter that it is: one of the formula's, or the one behind them.
    pub(super) place: Option<usize>,
    /// What is divided.
    formula: Formula,
}

impl<R: Number> Pole<R> {
    /// The pole that a text says, of a formula.
    pub(super) fn new(formula: &Formula, text: &str) -> Result<Self> {
        let of = |value: R, place| Self {
            value,
            place,
            formula: formula.clone(),
        };
        let allowed = "allowed are numbers and names of parameters";
        match R::parse(text) {
            Ok(value) if value.is_number() => return Ok(of(value, None)),
            Ok(_) => {
                return Err(refused(
                    ARGUMENT,
                    format!("`{text}` is no place, {allowed}"),
                ));
            }
            Err(_) => {}
        }
        let is_name = Formula::parse(text).is_ok_and(|of| of.parameters() == [text]);
        if !is_name {
            let problem = format!("`{text}` is neither a number nor a name, {allowed}");
            return Err(refused(ARGUMENT, problem));
        }
        let names = formula.parameters();
        let place = names.iter().position(|name| name == text);
        Ok(of(R::ZERO, Some(place.unwrap_or(names.len()))))
    }

    /// The integral that an item's is, between these limits.
    fn item(&self, limits: (R, R), parameters: &[R]) -> quadscan::Result<PrincipalValue<R>> {
        let pole = self.place.map_or(self.value, |place| parameters[place]);
        PrincipalValue::between(limits.0, limits.1, pole)
    }

    /// What is wrong with an item.
    pub(super) fn objection(&self, limits: (R, R), parameters: &[R]) -> Option<String> {
        self.item(limits, parameters)
            .err()
            .map(|error| error.to_string())
    }

    /// The limits of what is integrated in the place of an item, and its parameters.
    pub(super) fn folded(
        &self,
        limits: (R, R),
        parameters: &[R],
    ) -> quadscan::Result<((R, R), impl Iterator<Item = R>)> {
        let of = self.item(limits, parameters)?;
        let own = parameters[..self.formula.parameters().len()].to_vec();
        Ok((of.limits, own.into_iter().chain(of.parameters)))
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
