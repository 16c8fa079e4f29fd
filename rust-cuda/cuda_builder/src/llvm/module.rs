//! A module of LLVM IR. What can be asked of the values in it stands in
//! `value.rs`.

use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::sync::Mutex;

use super::Llvm;
use super::api::{ContextRef, DiagnosticRef, Handle, ModuleRef, ValueRef};
use super::value::Value;
use crate::CudaBuilderError;

/// A module, in a context of its own.
pub(crate) struct Module {
    pub(super) llvm: &'static Llvm,
    pub(super) raw: ModuleRef,
    context: ContextRef,
    /// What LLVM complained of; without a handler it would end the process.
    errors: Box<Mutex<Vec<String>>>,
}

extern "C" fn keep_error(diagnostic: DiagnosticRef, llvm_and_errors: *mut c_void) {
    let (llvm, errors) =
        // SAFETY: the pointer is the one that `Module::parse` registered; both
        // parts outlive the context, which alone calls this.
        unsafe { &*llvm_and_errors.cast::<(&'static Llvm, *const Mutex<Vec<String>>)>() };
    // SAFETY: LLVM passes a diagnostic that is valid during this call.
    let (severity, text) = unsafe {
        (
            (llvm.api.LLVMGetDiagInfoSeverity)(diagnostic),
            llvm.take_message((llvm.api.LLVMGetDiagInfoDescription)(diagnostic)),
        )
    };
    if severity == 0 {
        // SAFETY: as above; the list belongs to the module that is being used.
        let errors = unsafe { &**errors };
        errors
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(text);
    }
}

impl Module {
    /// Parses bitcode; `name` is what LLVM's messages call it. Names of values are for who reads
    /// the module as text: without them everything takes less time.
    pub(crate) fn parse(
        llvm: &'static Llvm,
        bitcode: &[u8],
        name: &str,
        value_names: bool,
    ) -> Result<Self, CudaBuilderError> {
        let errors = Box::new(Mutex::new(Vec::new()));
        // SAFETY: plain creation; the handler's data is leaked on purpose, a
        // few bytes a module, so that it outlives the context.
        let context = unsafe {
            let context = (llvm.api.LLVMContextCreate)();
            (llvm.api.LLVMContextSetDiscardValueNames)(context, (!value_names).into());
            let list: *const Mutex<Vec<String>> = &*errors;
            let data = Box::into_raw(Box::new((llvm, list)));
            (llvm.api.LLVMContextSetDiagnosticHandler)(context, Some(keep_error), data.cast());
            context
        };
        let mut module = Module {
            llvm,
            raw: ModuleRef(std::ptr::null_mut()),
            context,
            errors,
        };
        module.raw = module.read(bitcode, name)?;
        Ok(module)
    }

    fn read(&self, bitcode: &[u8], name: &str) -> Result<ModuleRef, CudaBuilderError> {
        let label = text(name);
        let mut raw = ModuleRef(std::ptr::null_mut());
        // SAFETY: LLVM copies the bytes into a buffer of its own, and frees it
        // neither on success nor on failure.
        let failed = unsafe {
            let buffer = (self.llvm.api.LLVMCreateMemoryBufferWithMemoryRangeCopy)(
                bitcode.as_ptr().cast(),
                bitcode.len(),
                label.as_ptr(),
            );
            let failed =
                (self.llvm.api.LLVMParseBitcodeInContext2)(self.context, buffer, &mut raw) != 0;
            (self.llvm.api.LLVMDisposeMemoryBuffer)(buffer);
            failed
        };
        if failed {
            return Err(self.complaint(&format!("{name} is not bitcode that it reads")));
        }
        Ok(raw)
    }

    /// Adds what `bitcode` defines.
    pub(crate) fn link(&self, bitcode: &[u8], name: &str) -> Result<(), CudaBuilderError> {
        let other = self.read(bitcode, name)?;
        // SAFETY: both modules are of this context; linking consumes the other.
        if unsafe { (self.llvm.api.LLVMLinkModules2)(self.raw, other) } != 0 {
            return Err(self.complaint(&format!("{name} does not link")));
        }
        Ok(())
    }

    /// The error for something that failed, with what LLVM said about it.
    pub(super) fn complaint(&self, what: &str) -> CudaBuilderError {
        let mut errors = self
            .errors
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let said = std::mem::take(&mut *errors).join("; ");
        if said.is_empty() {
            CudaBuilderError::Llvm(what.to_owned())
        } else {
            CudaBuilderError::Llvm(format!("{what}: {said}"))
        }
    }

    /// Err if LLVM has complained since the last time.
    pub(super) fn check(&self, what: &str) -> Result<(), CudaBuilderError> {
        let errors = self
            .errors
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if errors.is_empty() {
            return Ok(());
        }
        drop(errors);
        Err(self.complaint(what))
    }

    /// Checks that the module is well formed.
    pub(crate) fn verify(&self) -> Result<(), CudaBuilderError> {
        const RETURN_STATUS: i32 = 2;
        let mut message = std::ptr::null_mut();
        // SAFETY: the module is alive, and the message is LLVM's to free.
        unsafe {
            let broken =
                (self.llvm.api.LLVMVerifyModule)(self.raw, RETURN_STATUS, &mut message) != 0;
            let said = self.llvm.take_message(message);
            if broken {
                return Err(CudaBuilderError::Llvm(format!(
                    "the module is not well formed: {said}"
                )));
            }
        }
        Ok(())
    }

    /// The module as text.
    pub(crate) fn print(&self) -> String {
        // SAFETY: the module is alive, and the string is LLVM's to free.
        unsafe {
            let text = (self.llvm.api.LLVMPrintModuleToString)(self.raw);
            self.llvm.take_message(text)
        }
    }

    /// The module as bitcode, which another context can read.
    pub(crate) fn bitcode(&self) -> Vec<u8> {
        let api = &self.llvm.api;
        // SAFETY: the module is alive; the buffer is copied, and LLVM's to free.
        unsafe {
            let buffer = (api.LLVMWriteBitcodeToMemoryBuffer)(self.raw);
            let start = (api.LLVMGetBufferStart)(buffer).cast::<u8>();
            let length = (api.LLVMGetBufferSize)(buffer);
            let bytes = std::slice::from_raw_parts(start, length).to_vec();
            (api.LLVMDisposeMemoryBuffer)(buffer);
            bytes
        }
    }

    /// Sets the name that the module and its source go by.
    pub(crate) fn set_name(&self, name: &str) {
        // SAFETY: LLVM copies the bytes, whose length is given.
        unsafe {
            (self.llvm.api.LLVMSetModuleIdentifier)(self.raw, name.as_ptr().cast(), name.len());
            (self.llvm.api.LLVMSetSourceFileName)(self.raw, name.as_ptr().cast(), name.len());
        }
    }

    /// Every function, declared or defined.
    pub(crate) fn functions(&self) -> Vec<Value<'_>> {
        let api = &self.llvm.api;
        // SAFETY: the module is alive; the walk ends at null.
        unsafe {
            let first = (api.LLVMGetFirstFunction)(self.raw);
            self.walk(first, |value| (api.LLVMGetNextFunction)(value))
        }
    }

    /// Every global variable.
    pub(crate) fn globals(&self) -> Vec<Value<'_>> {
        let api = &self.llvm.api;
        // SAFETY: the module is alive; the walk ends at null.
        unsafe {
            let first = (api.LLVMGetFirstGlobal)(self.raw);
            self.walk(first, |value| (api.LLVMGetNextGlobal)(value))
        }
    }

    fn walk(&self, first: ValueRef, next: impl Fn(ValueRef) -> ValueRef) -> Vec<Value<'_>> {
        let mut values = Vec::new();
        let mut raw = first;
        while !raw.is_null() {
            values.push(self.value(raw));
            raw = next(raw);
        }
        values
    }

    fn value(&self, raw: ValueRef) -> Value<'_> {
        Value {
            llvm: self.llvm,
            context: self.context,
            raw,
            module: PhantomData,
        }
    }

    /// The function of that name.
    pub(crate) fn function(&self, name: &str) -> Option<Value<'_>> {
        let name = text(name);
        // SAFETY: the module and the string are alive.
        let raw = unsafe { (self.llvm.api.LLVMGetNamedFunction)(self.raw, name.as_ptr()) };
        (!raw.is_null()).then(|| self.value(raw))
    }

    /// The global variable of that name.
    pub(crate) fn global(&self, name: &str) -> Option<Value<'_>> {
        let name = text(name);
        // SAFETY: the module and the string are alive.
        let raw = unsafe { (self.llvm.api.LLVMGetNamedGlobal)(self.raw, name.as_ptr()) };
        (!raw.is_null()).then(|| self.value(raw))
    }

    /// A new global variable in an address space, of `old`'s name, type and
    /// alignment, or an array of no bytes when `unsized_`.
    pub(crate) fn copy_global(&self, old: Value<'_>, space: u32, unsized_: bool) -> Value<'_> {
        let api = &self.llvm.api;
        let name = text(&old.name());
        // SAFETY: `old` is a global of this module; the new one is used only
        // while the module is alive.
        unsafe {
            let ty = if unsized_ {
                (api.LLVMArrayType2)((api.LLVMInt8TypeInContext)(self.context), 0)
            } else {
                (api.LLVMGlobalGetValueType)(old.raw)
            };
            let new = (api.LLVMAddGlobalInAddressSpace)(self.raw, ty, name.as_ptr(), space);
            (api.LLVMSetAlignment)(new, (api.LLVMGetAlignment)(old.raw));
            self.value(new)
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: both are this value's own, and values cannot outlive it.
        unsafe {
            if !self.raw.is_null() {
                (self.llvm.api.LLVMDisposeModule)(self.raw);
            }
            (self.llvm.api.LLVMContextDispose)(self.context);
        }
    }
}

/// A string that LLVM reads; one with a null byte inside names nothing.
fn text(name: &str) -> CString {
    CString::new(name).unwrap_or_default()
}
