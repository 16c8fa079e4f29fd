//! Attributes of functions and calls.

use std::ffi::c_uint;

use super::api::AttributeRef;
use super::value::Value;

/// The index under which LLVM keeps a function's own attributes.
const FUNCTION: u32 = u32::MAX;

impl Value<'_> {
    /// An attribute such as `convergent`.
    fn attribute(self, name: &str) -> AttributeRef {
        let kind = self.attribute_kind(name);
        // SAFETY: the context is alive.
        unsafe { (self.llvm.api.LLVMCreateEnumAttribute)(self.context, kind, 0) }
    }

    /// LLVM's number of an attribute such as `convergent`.
    fn attribute_kind(self, name: &str) -> c_uint {
        // SAFETY: the length is the name's.
        unsafe { (self.llvm.api.LLVMGetEnumAttributeKindForName)(name.as_ptr().cast(), name.len()) }
    }

    /// Adds an attribute such as `convergent` to a function.
    pub(crate) fn add_attribute(self, name: &str) {
        // SAFETY: `self` is a function; the attribute is of its context.
        unsafe { (self.llvm.api.LLVMAddAttributeAtIndex)(self.raw, FUNCTION, self.attribute(name)) }
    }

    pub(crate) fn remove_attribute(self, name: &str) {
        let kind = self.attribute_kind(name);
        // SAFETY: `self` is a function.
        unsafe { (self.llvm.api.LLVMRemoveEnumAttributeAtIndex)(self.raw, FUNCTION, kind) }
    }

    /// Adds an attribute such as `convergent` to a call.
    pub(crate) fn add_call_attribute(self, name: &str) {
        // SAFETY: `self` is a call; the attribute is of its context.
        unsafe {
            (self.llvm.api.LLVMAddCallSiteAttribute)(self.raw, FUNCTION, self.attribute(name))
        }
    }

    pub(crate) fn remove_call_attribute(self, name: &str) {
        let kind = self.attribute_kind(name);
        // SAFETY: `self` is a call.
        unsafe { (self.llvm.api.LLVMRemoveCallSiteEnumAttribute)(self.raw, FUNCTION, kind) }
    }

    /// Sets an attribute with a value, such as `"nvvm.maxntid"="256"`.
    pub(crate) fn set_text_attribute(self, key: &str, value: &str) {
        let api = &self.llvm.api;
        // SAFETY: `self` is a function; LLVM copies both strings.
        unsafe {
            let attribute = (api.LLVMCreateStringAttribute)(
                self.context,
                key.as_ptr().cast(),
                key.len() as u32,
                value.as_ptr().cast(),
                value.len() as u32,
            );
            (api.LLVMAddAttributeAtIndex)(self.raw, FUNCTION, attribute);
        }
    }

    pub(crate) fn remove_text_attribute(self, key: &str) {
        // SAFETY: `self` is a function; the length is the key's.
        unsafe {
            (self.llvm.api.LLVMRemoveStringAttributeAtIndex)(
                self.raw,
                FUNCTION,
                key.as_ptr().cast(),
                key.len() as u32,
            );
        }
    }

    /// Flushes f32 denormals to zero in a function.
    pub(crate) fn flush_f32_denormals(self) {
        const IEEE: i32 = 0;
        const PRESERVE_SIGN: i32 = 1;
        let api = &self.llvm.api;
        // SAFETY: `self` is a function; the attribute is of its context.
        unsafe {
            let attribute = (api.LLVMCreateDenormalFPEnvAttribute)(
                self.context,
                IEEE,
                IEEE,
                PRESERVE_SIGN,
                PRESERVE_SIGN,
            );
            (api.LLVMAddAttributeAtIndex)(self.raw, FUNCTION, attribute);
        }
    }
}
