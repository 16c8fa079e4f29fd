//! The reductions that this crate's own PTX has, of the operators in
//! [`instances!`](crate::instances).

use crate::operator::{Compose, Max, Min, Sum};
use crate::{instances, reduce_kernels};

instances! { reduce reduce_kernels }
