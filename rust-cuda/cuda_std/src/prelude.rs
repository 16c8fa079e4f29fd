//! What nearly every kernel imports: `use cuda_std::prelude::*;`, rust-cuda's list.

#[cfg(feature = "half")]
pub use crate::f16;
pub use crate::float::GpuFloat;
pub use crate::{assert_eq, assert_ne, print, println};
pub use crate::{kernel, thread};
pub use alloc::{
    borrow::ToOwned,
    boxed::Box,
    format,
    rc::Rc,
    string::{String, ToString},
    vec::Vec,
};
