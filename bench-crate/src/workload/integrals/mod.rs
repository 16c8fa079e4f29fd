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

use serde::{Deserialize, Serialize};

/// What came of one integral.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Integral {
    /// The device's, unless it is no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// What the rule gives.
    pub expected: f64,
    /// How far the device's is from it, of its magnitude.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative_error: Option<f64>,
    /// How many numbers of its type it is away from the nearest to what is expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ulps: Option<u64>,
    /// Evaluations of the function a strip, without those at the limits.
    pub evaluations: u32,
}

/// What came of a batch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Items that converged.
    pub converged: u64,
    /// Items that did not, and say so.
    pub unconverged: u64,
    /// Evaluations of the function an item, the mean.
    pub evaluations: f64,
    /// The largest error of an item that converged, in units of the tolerance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_error: Option<f64>,
}
