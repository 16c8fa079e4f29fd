//! What the test targets of this package are made of.
//!
//! The tests are in `tests/`; here is what several of them share.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `tidy`: the house rules. `families`: why each kernel is in our PTX. `xtask`: that program.
//! - `oracle`: results of reductions and scans. `kernels`: the kernels that tests bring along.
//!   `mapped`: launches over memory that is laid out.
//! - `probes`: a kernel an instruction form. `launched`: which kernels a suite launched.
//! - `random_launches`: programs from seeds.
//! - `integrals`: integrals whose value is known.
//! - `suite`: the tests that run on every device. `fixtures`: what an H200 gave.
//! - `check`: a suite under the emulator's checks. `mutants`: kernels with one thing taken away.
//!   `known_bugs`: kernels with bugs that others reported.

pub mod check;
pub mod families;
pub mod fixtures;
pub mod integrals;
pub mod kernels;
pub mod known_bugs;
pub mod launched;
pub mod mapped;
pub mod mutants;
pub mod oracle;
pub mod probes;
pub mod random_launches;
pub mod suite;
pub mod tidy;
pub mod xtask;
