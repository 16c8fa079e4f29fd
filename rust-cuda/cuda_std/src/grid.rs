//! A launch that begins before the one ahead of it on its stream has ended.
//!
//! The host asks for it (a *programmatic* launch). The blocks of the later launch then start as
//! soon as all blocks of the earlier one have said so or ended, and wait where they have to: the
//! time between two launches shrinks to that of a wait. In an ordinary launch, and below sm_90,
//! both functions do nothing.

#[cfg(all(target_os = "cuda", target_feature = "sm_90"))]
macro_rules! control {
    ($instruction:literal) => {
        // SAFETY: does nothing to this thread but to wait.
        unsafe {
            core::arch::asm!(
                concat!("griddepcontrol.", $instruction, ";"),
                options(nostack, preserves_flags)
            )
        }
    };
}
#[cfg(not(all(target_os = "cuda", target_feature = "sm_90")))]
macro_rules! control {
    ($instruction:literal) => {};
}

/// Waits until the launches ahead of this one on its stream have ended and what they wrote is
/// there. In a programmatic launch nothing that another launch writes may be read, and nothing
/// that it reads be written, before.
///
/// PTX: `griddepcontrol.wait`, sm_90.
#[inline(always)]
pub fn wait_for_earlier() {
    control!("wait");
}

/// Says that, as far as this block is concerned, the next launch may begin.
///
/// PTX: `griddepcontrol.launch_dependents`, sm_90.
#[inline(always)]
pub fn launch_dependents() {
    control!("launch_dependents");
}
