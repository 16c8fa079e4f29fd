//! Quadrature: rules that integrate a function over an interval.

pub mod trapezoid;
