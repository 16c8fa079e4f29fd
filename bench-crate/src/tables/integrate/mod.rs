//! `integral` and `integrals`: one integral by a composite rule, and batches of them, each to
//! a tolerance, beside peers. [`GROUP`] names both.
//!
//! Nothing of them was published. What is timed is what an application gets: a plan's launches,
//! recorded in a graph (`docs/measurement.md`). On the emulator a row has the result compared
//! and the launch counted.

mod asked;
mod batches;
mod single;

pub use asked::Asked;
pub use batches::Batches;
pub use single::OneIntegral;

pub(crate) use batches::tolerance;

/// The name of both tables together.
pub const GROUP: &str = "integrate";

/// The tables of a name that stands for several.
pub fn group(name: &str) -> Option<[&'static str; 2]> {
    (name == GROUP).then_some([single::NAME, batches::NAME])
}

#[cfg(test)]
mod tests;
