//! What scans and reductions of whole arrays have to give, one element after the other, and a
//! reduction in the order of its kernels. Written from the definitions, independent of the
//! kernels.

pub mod reduction;
pub mod scan;
