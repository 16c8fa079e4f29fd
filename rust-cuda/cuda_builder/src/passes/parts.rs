//! One module of kernels in parts: a file each, so that a program loads what
//! it uses.
//!
//! A part is the whole module without the kernels of the others, and without
//! whatever only those need. That goes before anything is optimised: what a
//! kernel costs is paid once, in its own part. The module is halved again and
//! again, so that a kernel is read and dropped as often as the logarithm of the
//! number of parts says, and not once for each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;

use crate::CudaBuilderError;
use crate::llvm::{Linkage, Machine, Module};
use crate::manifest::MAIN;

use super::Made;
use super::metadata::{Found, KernelMetadata};

/// The kernels of one part.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    /// In the order of their entry names.
    pub(super) kernels: Vec<KernelMetadata>,
}

/// The parts: `main`, with or without kernels, and then the others in the
/// order of their names.
pub(super) fn split(found: &Found) -> Result<Vec<Part>, CudaBuilderError> {
    let mut named: BTreeMap<&str, Vec<KernelMetadata>> = BTreeMap::new();
    for kernel in &found.kernels {
        named.entry(&kernel.part).or_default().push(kernel.clone());
    }
    let main = (MAIN, named.remove(MAIN).unwrap_or_default());
    let mut files: BTreeMap<String, &str> = BTreeMap::new();
    let mut parts = Vec::new();
    for (name, kernels) in std::iter::once(main).chain(named) {
        if let (Some(other), Some(kernel)) = (
            files.insert(name.to_ascii_lowercase(), name),
            kernels.first(),
        ) {
            return Err(CudaBuilderError::BadKernel {
                entry: kernel.entry.clone(),
                reason: format!(
                    "it is in the part `{name}` and another kernel in the part `{other}`, which are one file where names are compared without case: give one of them another name"
                ),
            });
        }
        let name = name.to_owned();
        parts.push(Part { name, kernels });
    }
    Ok(parts)
}

/// Drops the kernels of other parts than these and whatever only those need.
///
/// What is marked as externally visible stays in `main`; elsewhere it is there
/// if a kernel uses it, a static under its own name.
pub(super) fn keep(
    module: &Module,
    machine: &Machine,
    found: &Found,
    parts: &[Part],
) -> Result<(), CudaBuilderError> {
    let kernels = parts.iter().flat_map(|part| &part.kernels);
    let kept: BTreeSet<&str> = kernels.map(|kernel| kernel.entry.as_str()).collect();
    let others = found.kernels.iter().map(|kernel| kernel.entry.as_str());
    for entry in others.filter(|entry| !kept.contains(entry)) {
        if let Some(function) = module.function(entry) {
            function.set_linkage(Linkage::Internal);
        }
    }
    let mut visible = Vec::new();
    if parts.iter().all(|part| part.name != MAIN) {
        for function in module.functions() {
            if !function.is_declaration() && !kept.contains(function.name().as_str()) {
                function.set_linkage(Linkage::Internal);
            }
        }
        for global in module.globals() {
            let name = global.name();
            if global.is_external() && !global.is_declaration() && !name.starts_with("llvm.") {
                global.set_linkage(Linkage::Internal);
                visible.push(name);
            }
        }
    }
    machine.run(module, "globaldce")?;
    for global in visible.iter().filter_map(|name| module.global(name)) {
        global.set_linkage(Linkage::External);
    }
    Ok(())
}

/// Does `work` for the two halves of the parts, on two threads where there are as
/// many to use, which are shared out; the results in the parts' order.
pub(super) fn halves(
    mut parts: Vec<Part>,
    threads: usize,
    work: impl Fn(Vec<Part>, usize) -> Result<Vec<Made>, CudaBuilderError> + Sync,
) -> Result<Vec<Made>, CudaBuilderError> {
    let second = parts.split_off(parts.len() / 2);
    let mut done;
    if threads <= 1 {
        done = work(parts, 1)?;
        done.extend(work(second, 1)?);
    } else {
        let (first, second) = thread::scope(|scope| {
            let first = scope.spawn(|| work(parts, threads / 2));
            let second = work(second, threads - threads / 2);
            let panicked = |_| Err(CudaBuilderError::Llvm("generating PTX panicked".into()));
            (first.join().unwrap_or_else(panicked), second)
        });
        done = first?;
        done.extend(second?);
    }
    Ok(done)
}
