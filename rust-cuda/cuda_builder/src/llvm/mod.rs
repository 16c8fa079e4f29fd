//! The toolchain's LLVM, loaded at run time: a small safe layer over its C
//! interface.
//!
//! What the modules are changed to is decided in [`crate::passes`]. The idea
//! of loading rustc's own libLLVM is bpf-linker's.

mod api;
mod attribute;
pub(crate) mod fatal;
mod machine;
mod module;
mod value;

use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::CudaBuilderError;
use crate::flags;
use api::Api;

pub(crate) use machine::Machine;
pub(crate) use module::Module;
pub(crate) use value::{Linkage, Opcode, Value};

/// One loaded libLLVM. It is never unloaded: LLVM registers itself with the
/// process in ways that do not come undone.
pub(crate) struct Llvm {
    api: Api,
    path: PathBuf,
}

impl Llvm {
    /// Loads the library at `path`, once a process.
    pub(crate) fn load(path: &Path) -> Result<&'static Llvm, CudaBuilderError> {
        static LOADED: OnceLock<&'static Llvm> = OnceLock::new();
        static LOADING: Mutex<()> = Mutex::new(());

        let _loading = LOADING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(llvm) = LOADED.get() {
            if llvm.path != path {
                return Err(CudaBuilderError::Llvm(format!(
                    "this process has loaded {} and cannot load {} as well",
                    llvm.path.display(),
                    path.display()
                )));
            }
            return Ok(llvm);
        }
        let llvm: &'static Llvm = Box::leak(Box::new(Llvm {
            api: Api::load(path)?,
            path: path.to_owned(),
        }));
        llvm.initialise();
        Ok(LOADED.get_or_init(|| llvm))
    }

    /// Registers the NVPTX backend and sets LLVM's own options, which belong
    /// to the process and may be parsed once only.
    fn initialise(&self) {
        let of_ours = [
            ("unroll-threshold", flags::UNROLL_THRESHOLD),
            ("cgpp-huge-func", flags::HUGE_FUNCTION),
        ];
        let of_ours = of_ours.map(|(name, value)| format!("-{name}={value}"));
        let options = ["cuda_builder".to_owned()].into_iter().chain(of_ours);
        let options: Vec<CString> = options.filter_map(|text| CString::new(text).ok()).collect();
        let arguments: Vec<*const c_char> = options.iter().map(|text| text.as_ptr()).collect();
        // SAFETY: called once, under the lock of `load`; the strings outlive
        // the call, and LLVM copies what it keeps.
        unsafe {
            (self.api.LLVMInstallFatalErrorHandler)(fatal::handler);
            (self.api.LLVMInitializeNVPTXTargetInfo)();
            (self.api.LLVMInitializeNVPTXTarget)();
            (self.api.LLVMInitializeNVPTXTargetMC)();
            (self.api.LLVMInitializeNVPTXAsmPrinter)();
            (self.api.LLVMParseCommandLineOptions)(
                arguments.len() as i32,
                arguments.as_ptr(),
                std::ptr::null(),
            );
        }
    }

    /// Takes a message that LLVM allocated.
    ///
    /// # Safety
    ///
    /// `message` is null, or a string that `LLVMDisposeMessage` may free.
    unsafe fn take_message(&self, message: *mut c_char) -> String {
        if message.is_null() {
            return String::from("it gave no reason");
        }
        // SAFETY: not null, and the caller says that it is LLVM's string.
        unsafe {
            let text = CStr::from_ptr(message).to_string_lossy().into_owned();
            (self.api.LLVMDisposeMessage)(message);
            text
        }
    }
}

impl std::fmt::Debug for Llvm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Llvm").field("path", &self.path).finish()
    }
}
