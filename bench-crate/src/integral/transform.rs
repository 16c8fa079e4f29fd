//! What is integrated in the place of an item: a formula folded around its pole, or beside a wave.

use quadscan::integrate::Formula;

use super::number::Number;
use super::pole::Pole;
use super::refused;
use super::wave::Wave;
use crate::error::Result;

/// A number that is the same for all items, or one of an item's parameters.
#[derive(Clone, Debug)]
pub(super) struct Quantity<R> {
    value: R,
    place: Option<usize>,
}

impl<R: Number> Quantity<R> {
    /// What a text says, behind parameters of these names, to which it may add its own.
    pub(super) fn new(argument: &str, text: &str, names: &mut Vec<String>) -> Result<Self> {
        let allowed = "allowed are numbers and names of parameters";
        let problem = match R::parse(text) {
            Ok(value) if value.is_number() => return Ok(Self { value, place: None }),
            Ok(_) => "is not finite",
            Err(_) if Formula::parse(text).is_ok_and(|of| of.parameters() == [text]) => {
                let place = names.iter().position(|name| name == text);
                let place = place.unwrap_or_else(|| {
                    names.push(text.to_owned());
                    names.len() - 1
                });
                let (value, place) = (R::ZERO, Some(place));
                return Ok(Self { value, place });
            }
            Err(_) => "is neither a number nor a name",
        };
        Err(refused(argument, format!("`{text}` {problem}, {allowed}")))
    }

    /// An item's, of its parameters.
    pub(super) fn of(&self, parameters: &[R]) -> R {
        self.place.map_or(self.value, |place| parameters[place])
    }
}

/// Limits and parameters.
pub(super) type Item<R> = ((R, R), Vec<R>);

/// What changes items before they are integrated.
#[derive(Clone, Debug)]
pub(super) enum Transform<R> {
    Pole(Pole<R>),
    Wave(Wave<R>),
}

impl<R: Number> Transform<R> {
    /// The argument that asks for it.
    pub(super) fn argument(&self) -> &'static str {
        match self {
            Transform::Pole(_) => "--principal-value",
            Transform::Wave(_) => "--fourier",
        }
    }

    /// What is wrong with an item.
    pub(super) fn objection(&self, limits: (R, R), parameters: &[R]) -> Option<String> {
        match self {
            Transform::Pole(pole) => pole.objection(limits, parameters),
            Transform::Wave(wave) => wave.objection(limits, parameters),
        }
    }

    /// What is integrated in the place of an item.
    pub(super) fn item(&self, limits: (R, R), parameters: &[R]) -> quadscan::Result<Item<R>> {
        match self {
            Transform::Pole(pole) => pole.folded(limits, parameters),
            Transform::Wave(wave) => Ok((limits, wave.parameters(parameters))),
        }
    }

    /// The x where the formula is not finite, of that of what is integrated in its place.
    pub(super) fn place(&self, at: R, limits: (R, R), parameters: &[R]) -> Option<R> {
        match self {
            Transform::Pole(pole) => pole.unfolded(at, limits, parameters),
            Transform::Wave(_) => Some(at),
        }
    }
}
