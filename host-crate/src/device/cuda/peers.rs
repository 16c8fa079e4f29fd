//! Devices that access the memory of each other.

use std::ptr;

use super::driver::{self, call};
use super::query;
use crate::{Error, Result};

/// Lets the device `own`, whose context is current, access the memory of another; false where it
/// cannot.
pub(super) fn reach(own: u32, other: u32) -> Result<bool> {
    if own == other {
        return Ok(true);
    }
    let (own, other) = (query::find(own)?.as_raw(), query::find(other)?.as_raw());
    let (mut can, mut context) = (0, ptr::null_mut());
    // SAFETY: both devices exist, the results go to living places, and the primary context of the
    // other is retained while it is used. Its owner keeps it alive as long as its memory.
    unsafe {
        call!(cuDeviceCanAccessPeer(&mut can, own, other))?;
        if can == 0 {
            return Ok(false);
        }
        call!(cuDevicePrimaryCtxRetain(&mut context, other))?;
        let enabled = call!(cuCtxEnablePeerAccess(context, 0));
        call!(cuDevicePrimaryCtxRelease_v2(other))?;
        match enabled {
            Err(Error::Driver { code, .. }) if code == driver::PEER_ACCESS_ENABLED => Ok(true),
            Err(Error::Driver { code, .. })
                if [driver::PEER_ACCESS_UNSUPPORTED, driver::TOO_MANY_PEERS].contains(&code) =>
            {
                Ok(false)
            }
            enabled => enabled.map(|()| true),
        }
    }
}
