//! The two precisions that integrals are computed in.

use crate::columns;
use quadscan::integrate::{Entry, Kernels, formula};

/// `f32` or `f64`, as the command line and files have them.
pub(super) trait Number: formula::Number + columns::Number {
    /// The integrand in this precision.
    fn kernels(entry: &Entry) -> Kernels<Self>;
}

impl Number for f32 {
    fn kernels(entry: &Entry) -> Kernels<f32> {
        entry.f32
    }
}

impl Number for f64 {
    fn kernels(entry: &Entry) -> Kernels<f64> {
        entry.f64
    }
}

/// The fewest digits that are this number and no other of its precision.
pub(super) fn text<R: Number>(value: R) -> String {
    columns::Number::value(value).to_string()
}
