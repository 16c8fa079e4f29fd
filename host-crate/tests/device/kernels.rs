//! Launchers of the kernels in the fake's manifest; their bodies never run.

use cuda_std::kernel;

#[kernel]
#[launch_contract(out.len() >= input.len(), factor != 0.0)]
#[allow(unused_variables)]
pub(crate) unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}

#[kernel]
#[launch_contract(true)]
pub(crate) unsafe fn fault() {}

#[kernel]
#[launch_contract(true)]
pub(crate) unsafe fn bounded() {}

/// The manifest has `n: u64`.
#[kernel]
#[launch_contract(true)]
#[allow(unused_variables)]
pub(crate) unsafe fn changed(n: u32) {}

/// 8 bytes here, 16 in the manifest.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Pair(pub(crate) u32, pub(crate) u32);

// SAFETY: two integers without padding between or behind them.
unsafe impl bytemuck::NoUninit for Pair {}

#[kernel]
#[launch_contract(true)]
#[allow(unused_variables)]
pub(crate) unsafe fn resized(pair: Pair) {}

/// In a part of its own.
#[kernel]
#[launch_contract(true)]
pub(crate) unsafe fn in_extra() {}

/// In a part whose PTX is none.
#[kernel]
#[launch_contract(true)]
pub(crate) unsafe fn in_broken() {}

#[kernel]
#[launch_contract(true)]
pub(crate) unsafe fn absent() {}
