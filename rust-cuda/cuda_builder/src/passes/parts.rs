//! One module of kernels in parts: a file each, so that a program loads what
//! it uses.
//!
//! A part is the whole module without the kernels of the others, and without
//! whatever only those need. That goes before anything is optimised: what a
//! kernel costs is paid once, in its own part. The module is halved again and
//! again, so that a kernel is read and dropped as often as the logarithm of the
//! number of parts says, and not once for each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::CudaBuilderError;
use crate::llvm::{Linkage, Machine, Module};
use crate::manifest::MAIN;

use super::metadata::{Found, KernelMetadata};

/// The kernels of one part.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    /// In the order of their entry names.
    pub(crate) kernels: Vec<KernelMetadata>,
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

/// Does `work` for the two halves of the parts, at the same time where a thread is to `spare`;
/// the half that is done first gives it back. The results are in the parts' order.
pub(super) fn halves<M: Send>(
    mut parts: Vec<Part>,
    spare: &Spare,
    work: impl Fn(Vec<Part>) -> Result<Vec<M>, CudaBuilderError> + Sync,
) -> Result<Vec<M>, CudaBuilderError> {
    let second = parts.split_off(parts.len() / 2);
    let mut done;
    if spare.take() {
        let is_done = AtomicBool::new(false);
        let half = |parts| {
            let made = work(parts);
            if !is_done.swap(true, Ordering::Relaxed) {
                spare.give_back();
            }
            made
        };
        let (first, second) = thread::scope(|scope| {
            let first = scope.spawn(|| half(parts));
            let second = half(second);
            let panicked = |_| Err(CudaBuilderError::Llvm("generating PTX panicked".into()));
            (first.join().unwrap_or_else(panicked), second)
        });
        done = first?;
        done.extend(second?);
    } else {
        done = work(parts)?;
        done.extend(work(second)?);
    }
    Ok(done)
}

/// Threads that nobody works on: which half of the parts takes longer is not known before, and
/// the one that is left is halved among those that are free by then.
#[derive(Debug)]
pub(super) struct Spare(AtomicUsize);

impl Spare {
    pub(super) fn new(threads: usize) -> Self {
        Spare(AtomicUsize::new(threads))
    }

    /// Whether there was one to take.
    fn take(&self) -> bool {
        let one_less = |left: usize| left.checked_sub(1);
        let taken = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less);
        taken.is_ok()
    }

    fn give_back(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    type Names = Result<Vec<String>, CudaBuilderError>;

    fn part(name: &str) -> Part {
        Part {
            name: name.to_owned(),
            kernels: vec![],
        }
    }

    fn each(parts: Vec<Part>, spare: &Spare, one: &(dyn Fn(&Part) + Sync)) -> Names {
        if let [part] = parts.as_slice() {
            one(part);
            return Ok(vec![part.name.clone()]);
        }
        halves(parts, spare, |half| each(half, spare, one))
    }

    /// Waits for another thread.
    fn wait_until(condition: impl Fn() -> bool) {
        let start = Instant::now();
        while !condition() {
            assert!(start.elapsed() < Duration::from_secs(60), "nobody comes");
            thread::yield_now();
        }
    }

    #[test]
    fn a_thread_that_is_done_takes_over_some_of_what_is_left() {
        let names = [
            "first", "b", "both", "both", "quick", "quick", "quick", "quick",
        ];
        let (has_begun, both) = (AtomicBool::new(false), AtomicUsize::new(0));
        let spare = Spare::new(1);
        let one = |part: &Part| match part.name.as_str() {
            "first" => {
                has_begun.store(true, Ordering::SeqCst);
                wait_until(|| spare.0.load(Ordering::SeqCst) == 1);
            }
            "quick" => wait_until(|| has_begun.load(Ordering::SeqCst)),
            "both" => {
                both.fetch_add(1, Ordering::SeqCst);
                wait_until(|| both.load(Ordering::SeqCst) == 2);
            }
            _ => {}
        };
        let made = each(names.map(part).into(), &spare, &one).expect("nothing fails");
        assert_eq!(made, names);
        assert!(spare.take() && !spare.take(), "as many as before");
    }

    #[test]
    fn what_fails_in_either_half_is_an_error_and_the_thread_is_spare_again() {
        let spare = Spare::new(1);
        for failing in ["a", "b"] {
            let done = halves(["a", "b"].map(part).into(), &spare, |half| {
                match half[0].name == failing {
                    true => Err(CudaBuilderError::Llvm("it fails".into())),
                    false => Ok(half),
                }
            });
            assert!(done.is_err_and(|error| error.to_string().contains("it fails")));
        }
        assert!(spare.take() && !spare.take(), "as many as before");
    }
}
