//! The values in a module: functions, global variables, instructions.

use std::ffi::{CStr, c_char, c_uint};
use std::marker::PhantomData;

use super::Llvm;
use super::api::{ContextRef, Handle, TypeRef, ValueRef};

/// A function, a global variable or an instruction of a module.
#[derive(Clone, Copy)]
pub(crate) struct Value<'m> {
    pub(super) llvm: &'static Llvm,
    pub(super) context: ContextRef,
    pub(super) raw: ValueRef,
    /// The module lives as long.
    pub(super) module: PhantomData<&'m ()>,
}

/// Who sees a name, as far as this crate asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linkage {
    External = 0,
    Internal = 8,
}

/// The instructions that this crate tells apart, by LLVM's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opcode {
    FAdd,
    FSub,
    FMul,
    FDiv,
    IntToPtr,
    Call,
    ExtractValue,
    Other,
}

// SAFETY of the blocks in this impl, unless said otherwise: `raw` is a value of
// a module that is alive as long as `'m`, and the calls only read or set what
// belongs to a value of that kind.
impl<'m> Value<'m> {
    fn with(self, raw: ValueRef) -> Self {
        Value { raw, ..self }
    }

    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: a value has a name of `length` bytes, possibly none.
        unsafe {
            let start = (self.llvm.api.LLVMGetValueName2)(self.raw, &mut length);
            lossy(start, length)
        }
    }

    pub(crate) fn set_name(self, name: &str) {
        // SAFETY: LLVM copies the bytes, whose length is given.
        unsafe {
            (self.llvm.api.LLVMSetValueName2)(self.raw, name.as_ptr().cast(), name.len());
        }
    }

    /// The section of a function or global; empty when it has none.
    pub(crate) fn section(self) -> String {
        // SAFETY: a global object; the string is null or ends with a null byte.
        unsafe {
            let section = (self.llvm.api.LLVMGetSection)(self.raw);
            if section.is_null() {
                return String::new();
            }
            CStr::from_ptr(section).to_string_lossy().into_owned()
        }
    }

    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: a global object.
        unsafe { (self.llvm.api.LLVMIsDeclaration)(self.raw) != 0 }
    }

    pub(crate) fn is_thread_local(self) -> bool {
        // SAFETY: a global variable.
        unsafe { (self.llvm.api.LLVMIsThreadLocal)(self.raw) != 0 }
    }

    /// Whether a global variable is in shared memory.
    pub(crate) fn is_shared(self) -> bool {
        const SHARED: u32 = 3;
        // SAFETY: a global's type is a pointer type.
        unsafe {
            let ty = (self.llvm.api.LLVMTypeOf)(self.raw);
            (self.llvm.api.LLVMGetPointerAddressSpace)(ty) == SHARED
        }
    }

    pub(crate) fn is_external(self) -> bool {
        // SAFETY: a global object.
        unsafe { (self.llvm.api.LLVMGetLinkage)(self.raw) == Linkage::External as i32 }
    }

    pub(crate) fn set_linkage(self, linkage: Linkage) {
        const DEFAULT_VISIBILITY: i32 = 0;
        // SAFETY: a global object; local linkage wants default visibility.
        unsafe {
            (self.llvm.api.LLVMSetVisibility)(self.raw, DEFAULT_VISIBILITY);
            (self.llvm.api.LLVMSetLinkage)(self.raw, linkage as i32);
        }
    }

    /// The bytes of a constant array of bytes, or of a structure around one.
    pub(crate) fn initial_bytes(self) -> Option<Vec<u8>> {
        let api = &self.llvm.api;
        // SAFETY: `self` is a global variable; each value that is looked into
        // was checked for what it is.
        unsafe {
            let mut constant = (api.LLVMGetInitializer)(self.raw);
            if constant.is_null() {
                return None;
            }
            let is_array = |value| !(api.LLVMIsAConstantDataArray)(value).is_null();
            if !is_array(constant) && (api.LLVMGetNumOperands)(constant) == 1 {
                constant = (api.LLVMGetOperand)(constant, 0);
            }
            if !is_array(constant) {
                return None;
            }
            let mut length = 0;
            let start = (api.LLVMGetAsString)(constant, &mut length);
            Some(std::slice::from_raw_parts(start.cast::<u8>(), length).to_vec())
        }
    }

    /// Gives a global no defined initial value.
    pub(crate) fn leave_uninitialised(self) {
        let api = &self.llvm.api;
        // SAFETY: `self` is a global variable, and the value is of its type.
        unsafe {
            let ty = (api.LLVMGlobalGetValueType)(self.raw);
            (api.LLVMSetInitializer)(self.raw, (api.LLVMGetUndef)(ty));
        }
    }

    /// Gives a global the initial value of `old`, and its constancy.
    pub(crate) fn initialise_like(self, old: Value<'m>) {
        let api = &self.llvm.api;
        // SAFETY: both are global variables of one type.
        unsafe {
            let mut initial = (api.LLVMGetInitializer)(old.raw);
            if initial.is_null() {
                initial = (api.LLVMConstNull)((api.LLVMGlobalGetValueType)(old.raw));
            }
            (api.LLVMSetInitializer)(self.raw, initial);
            (api.LLVMSetGlobalConstant)(self.raw, (api.LLVMIsGlobalConstant)(old.raw));
        }
    }

    /// Has a global loaded wherever it is used: LLVM may not put its value in its place.
    pub(crate) fn keep_in_memory(self) {
        // SAFETY: a global variable.
        unsafe { (self.llvm.api.LLVMSetExternallyInitialized)(self.raw, 1) };
    }

    /// Replaces every use of `self` by a generic pointer to `new`.
    pub(crate) fn replace_by_cast_of(self, new: Value<'m>) {
        let api = &self.llvm.api;
        // SAFETY: both are global variables of one module, and the cast has
        // the type of what it replaces.
        unsafe {
            let cast = (api.LLVMConstAddrSpaceCast)(new.raw, (api.LLVMTypeOf)(self.raw));
            (api.LLVMReplaceAllUsesWith)(self.raw, cast);
        }
    }

    /// Removes a global variable from its module; what may still refer to it
    /// refers to nothing.
    ///
    /// # Safety
    ///
    /// No copy of this value is used again.
    pub(crate) unsafe fn delete(self) {
        let api = &self.llvm.api;
        // SAFETY: the caller's, and constants that nobody uses may still refer
        // to the global until they are given something else.
        unsafe {
            let nothing = (api.LLVMGetUndef)((api.LLVMTypeOf)(self.raw));
            (api.LLVMReplaceAllUsesWith)(self.raw, nothing);
            (api.LLVMDeleteGlobal)(self.raw);
        }
    }

    /// Sets the calling convention of a function, by LLVM's number.
    pub(crate) fn set_calling_convention(self, convention: u32) {
        // SAFETY: `self` is a function.
        unsafe { (self.llvm.api.LLVMSetFunctionCallConv)(self.raw, convention) }
    }

    /// Whether an instruction or another global uses it; LLVM keeps constants
    /// that nobody uses any more, and those do not count.
    pub(crate) fn is_used(self) -> bool {
        let api = &self.llvm.api;
        // SAFETY: any value has a list of uses, which ends at null.
        unsafe {
            let mut used = (api.LLVMGetFirstUse)(self.raw);
            while !used.is_null() {
                let user = (api.LLVMGetUser)(used);
                let alive = !(api.LLVMIsAInstruction)(user).is_null()
                    || !(api.LLVMIsAGlobalValue)(user).is_null()
                    || self.with(user).is_used();
                if alive {
                    return true;
                }
                used = (api.LLVMGetNextUse)(used);
            }
        }
        false
    }

    pub(crate) fn is_intrinsic(self) -> bool {
        // SAFETY: `self` is a function.
        unsafe { (self.llvm.api.LLVMGetIntrinsicID)(self.raw) != 0 }
    }

    /// The instructions of a function, block by block.
    pub(crate) fn instructions(self) -> Vec<Value<'m>> {
        let api = &self.llvm.api;
        let mut instructions = Vec::new();
        // SAFETY: `self` is a function; both walks end at null.
        unsafe {
            let mut block = (api.LLVMGetFirstBasicBlock)(self.raw);
            while !block.is_null() {
                let mut instruction = (api.LLVMGetFirstInstruction)(block);
                while !instruction.is_null() {
                    instructions.push(self.with(instruction));
                    instruction = (api.LLVMGetNextInstruction)(instruction);
                }
                block = (api.LLVMGetNextBasicBlock)(block);
            }
        }
        instructions
    }

    pub(crate) fn opcode(self) -> Opcode {
        // SAFETY: `self` is an instruction.
        match unsafe { (self.llvm.api.LLVMGetInstructionOpcode)(self.raw) } {
            9 => Opcode::FAdd,
            11 => Opcode::FSub,
            13 => Opcode::FMul,
            16 => Opcode::FDiv,
            40 => Opcode::IntToPtr,
            45 => Opcode::Call,
            53 => Opcode::ExtractValue,
            _ => Opcode::Other,
        }
    }

    pub(crate) fn operand(self, index: u32) -> Option<Value<'m>> {
        let api = &self.llvm.api;
        // SAFETY: `self` is an instruction, and the index is in range.
        unsafe {
            let count = (api.LLVMGetNumOperands)(self.raw);
            (i64::from(index) < i64::from(count))
                .then(|| self.with((api.LLVMGetOperand)(self.raw, index)))
        }
    }

    pub(crate) fn is_argument(self) -> bool {
        // SAFETY: any value may be asked what it is.
        unsafe { !(self.llvm.api.LLVMIsAArgument)(self.raw).is_null() }
    }

    /// The function that a call names; `None` for inline assembly and for
    /// calls through a pointer.
    pub(crate) fn callee(self) -> Option<Value<'m>> {
        let api = &self.llvm.api;
        // SAFETY: `self` is a call.
        unsafe {
            let function = (api.LLVMIsAFunction)((api.LLVMGetCalledValue)(self.raw));
            (!function.is_null()).then(|| self.with(function))
        }
    }

    /// The text of the inline assembly that a call runs.
    pub(crate) fn assembly(self) -> Option<String> {
        let api = &self.llvm.api;
        // SAFETY: `self` is a call; the string belongs to the assembly.
        unsafe {
            let assembly = (api.LLVMIsAInlineAsm)((api.LLVMGetCalledValue)(self.raw));
            if assembly.is_null() {
                return None;
            }
            let mut length = 0;
            let start = (api.LLVMGetInlineAsmAsmString)(assembly, &mut length);
            Some(lossy(start, length))
        }
    }

    /// Whether an instruction's result is an f32.
    pub(crate) fn is_f32(self) -> bool {
        const FLOAT: i32 = 2;
        // SAFETY: any value has a type.
        unsafe {
            let ty: TypeRef = (self.llvm.api.LLVMTypeOf)(self.raw);
            (self.llvm.api.LLVMGetTypeKind)(ty) == FLOAT
        }
    }

    /// Adds fast-math flags to an instruction that takes them.
    pub(crate) fn add_fast_math(self, flags: u32) {
        let api = &self.llvm.api;
        // SAFETY: the caller passes floating-point instructions only.
        unsafe {
            let there = (api.LLVMGetFastMathFlags)(self.raw);
            (api.LLVMSetFastMathFlags)(self.raw, there | flags);
        }
    }

    /// Removes the metadata of this kind, such as `guid`, from a function or a variable.
    pub(crate) fn remove_metadata(self, kind: &str) {
        let api = &self.llvm.api;
        // SAFETY: `self` is a global of the context; the name's length is given.
        unsafe {
            let kind = (api.LLVMGetMDKindIDInContext)(
                self.context,
                kind.as_ptr().cast(),
                kind.len() as c_uint,
            );
            (api.LLVMGlobalEraseMetadata)(self.raw, kind);
        }
    }

    /// Replaces the pointer that an `inttoptr` makes by one that has been
    /// through address space `space`, so that accesses through it are known
    /// to be there.
    pub(crate) fn pass_pointer_through(self, space: u32) {
        let api = &self.llvm.api;
        let empty = c"";
        // SAFETY: `self` is an `inttoptr`; the new instructions stand before
        // it and take the same operand, and `self` is left without uses.
        unsafe {
            let builder = (api.LLVMCreateBuilderInContext)(self.context);
            (api.LLVMPositionBuilderBefore)(builder, self.raw);
            let generic = (api.LLVMTypeOf)(self.raw);
            let there = (api.LLVMPointerTypeInContext)(self.context, space);
            let number = (api.LLVMGetOperand)(self.raw, 0);
            let pointer = (api.LLVMBuildIntToPtr)(builder, number, generic, empty.as_ptr());
            let moved = (api.LLVMBuildAddrSpaceCast)(builder, pointer, there, empty.as_ptr());
            let back = (api.LLVMBuildAddrSpaceCast)(builder, moved, generic, empty.as_ptr());
            (api.LLVMReplaceAllUsesWith)(self.raw, back);
            (api.LLVMDisposeBuilder)(builder);
        }
    }
}

/// # Safety
///
/// `start` is null or points to `length` bytes.
unsafe fn lossy(start: *const c_char, length: usize) -> String {
    if start.is_null() {
        return String::new();
    }
    // SAFETY: the caller's.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
