//! What is integrated in the place of an item: a formula folded around its pole, or beside a wave.

use super::number::Number;
use super::pole::Pole;
use super::quantity::Item;
use super::wave::Wave;

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
