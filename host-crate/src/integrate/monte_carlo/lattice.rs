//! Rank-1 lattices.
/// Options.
#[derive(Clone, Copy, Debug)]
pub struct LatticeOptions {}
/// Plan.
#[derive(Debug)]
pub struct Lattice {}
