//! What the test targets of this package are made of.
//!
//! The statements about the product are in `tests/`; here is what several of
//! them share: the suite that runs on every device, the parts of a PTX text,
//! and the house rules.

pub mod check;
pub mod families;
pub mod fixtures;
pub mod integrals;
pub mod kernels;
pub mod launched;
pub mod mapped;
pub mod mutants;
pub mod oracle;
pub mod probes;
pub mod suite;
pub mod tidy;
