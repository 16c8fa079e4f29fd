//! The scans that this crate's own PTX has, of the operators in
//! [`instances!`](crate::instances).

use crate::operator::{Compose, Max, Min, Product, Sum};
use crate::{instances, scan_kernels, segment_flags_kernels, segmented_scan_kernels};
use cuda_std::{bf16, f16};

instances! { scan scan_kernels }
instances! { segmented segmented_scan_kernels }
segment_flags_kernels! {}
