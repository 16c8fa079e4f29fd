//! Statics and pointers in the memory they belong to.
//!
//! rustc knows one address space. cuda_std puts a static that belongs
//! elsewhere into a section with a telling name; here it is replaced by one in
//! that space, and its uses by a cast, which LLVM then folds into `ld.shared`
//! and its kin.

use crate::CudaBuilderError;
use crate::llvm::{Linkage, Module, Opcode};

use super::metadata::KernelMetadata;

/// NVPTX's numbers.
const GLOBAL: u32 = 1;
const SHARED: u32 = 3;
const CONSTANT: u32 = 4;

/// Constants that an instruction reads as an operand from constant memory, where ptxas would keep
/// a number from the instruction's text in registers.
const LOADED: &str = ".constant.loaded";

/// Refuses variables that each thread would have one of, which no memory of a GPU holds.
pub(crate) fn refuse_thread_local(module: &Module) -> Result<(), CudaBuilderError> {
    let mut globals = module.globals().into_iter();
    match globals.find(|global| global.is_thread_local()) {
        None => Ok(()),
        Some(global) => Err(CudaBuilderError::BadStatic {
            name: format!("{:#}", rustc_demangle::demangle(&global.name())),
            reason: "it is #[thread_local], and threads of a GPU have no variables that outlive \
                     the kernel: use a `let` in the kernel, or shared memory with an element a \
                     thread"
                .into(),
        }),
    }
}

/// Moves every static of a telling section.
pub(crate) fn assign(module: &Module) -> Result<(), CudaBuilderError> {
    for old in module.globals() {
        let section = old.section();
        let dynamic = section == ".shared.dynamic";
        let space = match section.as_str() {
            ".shared" | ".shared.dynamic" => SHARED,
            ".constant" | LOADED => CONSTANT,
            ".global" => GLOBAL,
            _ => continue,
        };
        let external = old.is_external();
        let name = old.name();
        let new = module.copy_global(old, space, dynamic);
        if !dynamic {
            if space == SHARED {
                new.leave_uninitialised();
            } else {
                new.initialise_like(old);
                if section == LOADED {
                    new.keep_in_memory();
                }
            }
            let linkage = if external && space != SHARED {
                Linkage::External
            } else {
                Linkage::Internal
            };
            new.set_linkage(linkage);
        }
        old.replace_by_cast_of(new);
        // SAFETY: all its uses were just replaced, and the loop moves on.
        unsafe { old.delete() };
        new.set_name(&name);
    }
    Ok(())
}

/// Says of pointers that a kernel takes out of a by-value structure that they
/// are global, as LLVM does of its pointer parameters: a host has no other
/// addresses to give. Returns whether there were any.
pub(crate) fn globalise_aggregate_pointers(module: &Module, kernels: &[KernelMetadata]) -> bool {
    let mut any = false;
    for kernel in kernels {
        let Some(function) = module.function(&kernel.entry) else {
            continue;
        };
        for instruction in function.instructions() {
            let from_parameter = || {
                let part = instruction.operand(0)?;
                let is_part = !part.is_argument() && part.opcode() == Opcode::ExtractValue;
                part.operand(0)
                    .filter(|whole| is_part && whole.is_argument())
            };
            if instruction.opcode() == Opcode::IntToPtr && from_parameter().is_some() {
                instruction.pass_pointer_through(GLOBAL);
                any = true;
            }
        }
    }
    any
}
