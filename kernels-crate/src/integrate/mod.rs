//! Quadrature: rules that integrate a function over an interval.

pub mod mapping;
pub mod trapezoid;
