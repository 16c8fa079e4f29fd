//! What a sample of a kernel's time was taken of.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a kernel was launched for a sample of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Once, between two events.
    Single,
    /// So many times by as many calls; the sample is their time divided by their
    /// number.
    Batch(u32),
    /// So many times by one graph; the same.
    Graph(u32),
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Single => f.write_str("single launch"),
            Method::Batch(count) => write!(f, "batch of {count}"),
            Method::Graph(count) => write!(f, "graph of {count}"),
        }
    }
}
