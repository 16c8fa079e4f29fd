//! Mutants that no check reports, and why.
