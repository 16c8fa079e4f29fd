//! One module of kernels in parts: a file each, so that a program loads what
//! it uses.
//!
//! A part is the whole module without the kernels of the others, and without
//! whatever only those need. That goes before anything is optimised: what a
//! kernel costs is paid once, in its own part.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;

use crate::CudaBuilderError;
use crate::llvm::{Linkage, Machine, Module};
use crate::manifest::MAIN;

use super::Output;
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

/// Drops the kernels of other parts and whatever only they need.
///
/// What is marked as externally visible stays in `main`; elsewhere it is there
/// if a kernel uses it, a static under its own name.
pub(super) fn keep(
    module: &Module,
    machine: &Machine,
    found: &Found,
    part: &Part,
) -> Result<(), CudaBuilderError> {
    let kept: BTreeSet<&str> = part.kernels.iter().map(|k| k.entry.as_str()).collect();
    let others = found.kernels.iter().map(|kernel| kernel.entry.as_str());
    for entry in others.filter(|entry| !kept.contains(entry)) {
        if let Some(function) = module.function(entry) {
            function.set_linkage(Linkage::Internal);
        }
    }
    let mut visible = Vec::new();
    if part.name != MAIN {
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

/// Does `work` for every part, on several threads; the results in the parts'
/// order, or the first error.
pub(super) fn for_each(
    parts: Vec<Part>,
    work: impl Fn(Part) -> Result<Output, CudaBuilderError> + Sync,
) -> Result<Vec<Output>, CudaBuilderError> {
    let count = parts.len();
    let left = Mutex::new(parts.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || -> Vec<(usize, Result<Output, CudaBuilderError>)> {
        let mine = std::iter::from_fn(next);
        mine.map(|(index, part)| (index, work(part))).collect()
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let done: Result<Vec<_>, CudaBuilderError> = thread::scope(|scope| {
        let helpers: Vec<_> = (1..cores.min(count)).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        for helper in helpers {
            let panicked = |_| CudaBuilderError::Llvm("generating PTX panicked".into());
            done.extend(helper.join().map_err(panicked)?);
        }
        Ok(done)
    });
    let mut done = done?;
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, output)| output).collect()
}
