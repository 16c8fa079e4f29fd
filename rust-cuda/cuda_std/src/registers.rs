//! Special registers and barriers as LLVM knows them, so that it can move, merge and bound them.
//! What is here has no documentation of its own beyond PTX's; the modules around it do.

#[cfg(target_os = "cuda")]
unsafe extern "llvm-intrinsic" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"]
    pub(crate) fn laneid() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.lt"]
    pub(crate) fn lanemask_lt() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.le"]
    pub(crate) fn lanemask_le() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.eq"]
    pub(crate) fn lanemask_eq() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.ge"]
    pub(crate) fn lanemask_ge() -> u32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.gt"]
    pub(crate) fn lanemask_gt() -> u32;
}
