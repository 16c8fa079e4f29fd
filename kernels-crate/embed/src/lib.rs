//! The PTX of quadscan's own kernels, built and packed for programs that carry it: the feature
//! `build`, without which there is nothing here.
#![no_std]

#[cfg(feature = "build")]
include!(concat!(env!("OUT_DIR"), "/artifact.rs"));
