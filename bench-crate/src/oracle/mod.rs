//! What a result has to be: the page's loops on one thread of the host, and
//! the scans of one block; and what the rounding of those loops should come to
//! (`running_sum`).
//!
//! Written from the published formulas and independent of the kernels; nothing
//! here is fast on purpose, because the time of these loops is the `host_ms` of
//! the tables. What does not live here: the comparison of a device's result with
//! these (`worker`), and the time measurement (`measure`).

pub mod block_scan;
pub mod chains;
pub mod cubature;
pub mod mapping;
pub mod quadrature;
pub mod quarter_circle;
pub mod rule_value;
pub mod running_sum;
pub mod summation;

pub use quarter_circle::Precision;
