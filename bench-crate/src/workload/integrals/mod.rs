//! What the tables `integral` and `integrals` time, by the names that their rows have.
//!
//! - `single`: integrands of one integral by a composite rule, and what the rule gives for
//!   them over any number of strips. A new one is an entry of [`single::Single::ALL`].
//! - `kinds`: batches of integrals of one function with different parameters, in closed form.
//!   `peers/integrals.py` has the same.
//!
//! How they are timed is `worker`'s, and what is beside them `peers`'.

pub mod kinds;
pub mod single;
