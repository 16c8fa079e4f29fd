//! Which functions are kernels, what a launch of them is bound to, and that
//! nothing else is visible.

use std::collections::BTreeSet;

use crate::CudaBuilderError;
use crate::llvm::{Linkage, Module};

use super::metadata::{Found, KernelMetadata};

/// LLVM's number for the calling convention `ptx_kernel`.
const PTX_KERNEL: u32 = 71;

/// Makes entries of the kernels and hides everything that is neither one nor
/// marked as visible, so that what is not needed can be dropped.
pub(crate) fn publish(module: &Module, found: &Found) -> Result<(), CudaBuilderError> {
    for kernel in &found.kernels {
        make_entry(module, kernel)?;
    }
    let visible: BTreeSet<&str> = found
        .kernels
        .iter()
        .map(|kernel| kernel.entry.as_str())
        .chain(found.externals.iter().map(String::as_str))
        .collect();
    for name in &found.externals {
        if module.function(name).is_none() && module.global(name).is_none() {
            return Err(CudaBuilderError::BadKernel {
                entry: name.clone(),
                reason: "it is marked as externally visible, and nothing of that name is there"
                    .into(),
            });
        }
    }
    for function in module.functions() {
        // rustc's word on the target is the base's; the machine's holds.
        function.remove_text_attribute("target-cpu");
        function.remove_text_attribute("target-features");
        if function.is_declaration() || visible.contains(function.name().as_str()) {
            continue;
        }
        function.set_linkage(Linkage::Internal);
    }
    for global in module.globals() {
        let name = global.name();
        if global.is_declaration()
            || name.starts_with("llvm.")
            || visible.contains(name.as_str())
            || (global.is_external() && !name.starts_with("_R"))
        {
            continue;
        }
        global.set_linkage(Linkage::Internal);
    }
    Ok(())
}

fn make_entry(module: &Module, kernel: &KernelMetadata) -> Result<(), CudaBuilderError> {
    let wrong = |reason: &str| CudaBuilderError::BadKernel {
        entry: kernel.entry.clone(),
        reason: reason.to_owned(),
    };
    let function = module
        .function(&kernel.entry)
        .filter(|function| !function.is_declaration())
        .ok_or_else(|| wrong("no function of that name is in the module"))?;
    if function.is_used() {
        return Err(wrong(
            "device code calls it or takes its address, which a kernel does not allow: move its body to a function of its own that both can call",
        ));
    }
    function.set_calling_convention(PTX_KERNEL);
    function.set_linkage(Linkage::External);
    let set = |key: &str, value: u32| {
        if value != 0 {
            function.set_text_attribute(key, &value.to_string());
        }
    };
    set("nvvm.maxntid", kernel.max_threads);
    set("nvvm.minctasm", kernel.min_blocks);
    set("nvvm.maxnreg", kernel.max_registers);
    if kernel.cluster != [0; 3] {
        let [x, y, z] = kernel.cluster.map(|extent| extent.max(1));
        function.set_text_attribute("nvvm.cluster_dim", &format!("{x},{y},{z}"));
    }
    Ok(())
}
