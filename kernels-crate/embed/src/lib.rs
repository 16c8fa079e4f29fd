//! The PTX of quadscan's own kernels, built and packed for programs that carry it: a feature a
//! family, without which there is nothing here.
#![no_std]

#[cfg(any(
    feature = "scan",
    feature = "reduce",
    feature = "select",
    feature = "integrate",
    feature = "tables"
))]
include!(concat!(env!("OUT_DIR"), "/artifact.rs"));
