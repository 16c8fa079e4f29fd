//! The code generator for one architecture.

use std::ffi::CString;

use super::Llvm;
use super::api::{BufferRef, Handle, MachineRef, TargetRef};
use super::module::Module;
use crate::{CudaBuilderError, NvvmArch};

/// LLVM's description of one GPU architecture and PTX version.
pub(crate) struct Machine {
    llvm: &'static Llvm,
    raw: MachineRef,
}

impl Machine {
    /// `optimise` chooses between `-O3` and `-O0` of the code generator.
    pub(crate) fn new(
        llvm: &'static Llvm,
        arch: NvvmArch,
        ptx_version: (u32, u32),
        optimise: bool,
    ) -> Result<Self, CudaBuilderError> {
        const DEFAULT_RELOCATION: i32 = 0;
        const DEFAULT_CODE_MODEL: i32 = 0;
        let triple = CString::from(c"nvptx64-nvidia-cuda");
        let cpu = CString::new(arch.target()).unwrap_or_default();
        let features =
            CString::new(format!("+ptx{}{}", ptx_version.0, ptx_version.1)).unwrap_or_default();
        let mut target = TargetRef(std::ptr::null_mut());
        let mut message = std::ptr::null_mut();
        // SAFETY: the strings outlive the calls, and LLVM copies them; the
        // message is LLVM's to free.
        let raw = unsafe {
            if (llvm.api.LLVMGetTargetFromTriple)(triple.as_ptr(), &mut target, &mut message) != 0 {
                return Err(CudaBuilderError::Llvm(llvm.take_message(message)));
            }
            (llvm.api.LLVMCreateTargetMachine)(
                target,
                triple.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                if optimise { 3 } else { 0 },
                DEFAULT_RELOCATION,
                DEFAULT_CODE_MODEL,
            )
        };
        if raw.is_null() {
            return Err(CudaBuilderError::Llvm(format!(
                "it has no code generator for {arch}"
            )));
        }
        Ok(Machine { llvm, raw })
    }

    /// Writes comments into the PTX, or none.
    pub(crate) fn set_comments(&self, comments: bool) {
        // SAFETY: the machine is alive.
        unsafe { (self.llvm.api.LLVMSetTargetMachineAsmVerbosity)(self.raw, comments.into()) }
    }

    /// Runs a pipeline of passes, written as `opt -passes` takes it.
    pub(crate) fn run(&self, module: &Module, passes: &str) -> Result<(), CudaBuilderError> {
        let text = CString::new(passes).unwrap_or_default();
        // SAFETY: all are alive; an error is taken with its message.
        unsafe {
            let options = (self.llvm.api.LLVMCreatePassBuilderOptions)();
            // Threads are the vectors here; looking for others takes time.
            (self.llvm.api.LLVMPassBuilderOptionsSetLoopInterleaving)(options, 0);
            (self.llvm.api.LLVMPassBuilderOptionsSetLoopVectorization)(options, 0);
            let error = (self.llvm.api.LLVMRunPasses)(module.raw, text.as_ptr(), self.raw, options);
            (self.llvm.api.LLVMDisposePassBuilderOptions)(options);
            if !error.is_null() {
                let message = (self.llvm.api.LLVMGetErrorMessage)(error);
                let said = std::ffi::CStr::from_ptr(message)
                    .to_string_lossy()
                    .into_owned();
                (self.llvm.api.LLVMDisposeErrorMessage)(message);
                return Err(CudaBuilderError::Llvm(format!("{passes}: {said}")));
            }
        }
        module.check(passes)
    }

    /// Generates the PTX of a module.
    pub(crate) fn emit(&self, module: &Module) -> Result<String, CudaBuilderError> {
        const ASSEMBLY: i32 = 0;
        let mut message = std::ptr::null_mut();
        let mut buffer = BufferRef(std::ptr::null_mut());
        // SAFETY: all are alive; the buffer and the message are LLVM's to free.
        let bytes = unsafe {
            let failed = (self.llvm.api.LLVMTargetMachineEmitToMemoryBuffer)(
                self.raw,
                module.raw,
                ASSEMBLY,
                &mut message,
                &mut buffer,
            ) != 0;
            if failed {
                let said = self.llvm.take_message(message);
                return Err(module.complaint(&said));
            }
            let start = (self.llvm.api.LLVMGetBufferStart)(buffer);
            let length = (self.llvm.api.LLVMGetBufferSize)(buffer);
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length).to_vec();
            (self.llvm.api.LLVMDisposeMemoryBuffer)(buffer);
            bytes
        };
        module.check("generating PTX")?;
        String::from_utf8(bytes)
            .map(|text| text.trim_end_matches('\0').to_owned())
            .map_err(|_| CudaBuilderError::Llvm("the PTX is not text".into()))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: the machine is this value's own.
        unsafe { (self.llvm.api.LLVMDisposeTargetMachine)(self.raw) }
    }
}
