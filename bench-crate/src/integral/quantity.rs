//! A number of each item that an option names: `--principal-value`, `--omega` and `--phase`.

use quadscan::integrate::Formula;

use super::number::Number;
use super::refused;
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
