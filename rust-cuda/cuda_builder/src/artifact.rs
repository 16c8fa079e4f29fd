//! A build's output on disk. Whether an earlier one's still holds is `stamp`'s.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash as Sha256;
use serde::{Deserialize, Serialize};

use crate::builder::{Job, Options};
use crate::cargo::{Bitcode, Crate};
pub(crate) use crate::files::{copy_if_changed, hex, write};
use crate::lint::{self, Finding, Levels, LintLevel};
use crate::llvm::Llvm;
use crate::manifest::{self, Compiled, Kernel, MAIN, Manifest, Module, Part};
use crate::passes::{KernelMetadata, Output, Passes};
use crate::progress::Report;
use crate::ptx::Ptx;
use crate::stamp::{Stamp, hash};
use crate::store::{self, Store};
use crate::toolchain::Toolchain;
use crate::{CudaBuilderError, NvvmArch, flags, names};

/// A folder with `manifest.json` and the PTX that it lists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Artifact {
    /// The folder.
    pub dir: PathBuf,
    /// What `manifest.json` in it says.
    pub manifest: Manifest,
    /// The files that this build was asked for.
    asked: Vec<String>,
}

impl Artifact {
    /// The paths of the PTX files that were asked for, in the manifest's order: all parts of
    /// the first architecture, then those of the next.
    pub fn ptx_paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.asked.iter().map(|file| self.dir.join(file))
    }

    /// What is to be said of PTX that nothing can be launched of and nothing linked with.
    pub(crate) fn without_kernels(&self) -> Option<String> {
        let mut modules = self.manifest.modules.iter();
        let has_kernels = modules.any(|module| module.kernels().next().is_some());
        let is_visible = |path: PathBuf| {
            let text = fs::read_to_string(path).unwrap_or_default();
            text.lines().any(|line| line.starts_with(".visible "))
        };
        if has_kernels || self.ptx_paths().any(is_visible) {
            return None;
        }
        Some(format!(
            "{} has no kernel, so its PTX is empty: write #[kernel] above an `unsafe fn` of it; those of crates that it depends on are there with kernels_of_dependencies(true)",
            self.manifest.crate_name
        ))
    }

    /// The path of the only PTX file that was asked for.
    pub(crate) fn only_path(&self) -> Result<PathBuf, CudaBuilderError> {
        if let Some(module) = self.manifest.modules.first() {
            let is_asked = |part: &&Part| self.asked.contains(&part.file);
            let asked = module.parts.iter().filter(is_asked);
            one_file(asked.map(|part| part.name.as_str()))?;
        }
        let none = || CudaBuilderError::BadOption("the build made no module".to_owned());
        self.ptx_paths().next().ok_or_else(none)
    }
}

/// A module, and what the lints find in its parts, by their names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Built {
    pub(crate) module: Module,
    findings: BTreeMap<String, Vec<Finding>>,
}

/// A part with its PTX.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) part: Part,
    pub(crate) findings: Vec<Finding>,
    pub(crate) ptx: String,
    /// The module before optimisation and before code generation, as text,
    /// where asked for.
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

impl Built {
    /// Makes what the PTX says known, and takes the parts that it lacks from an earlier build.
    fn new(mut module: Module, texts: &[Text], before: Option<&Built>) -> Self {
        let mut findings = BTreeMap::new();
        for part in &mut module.parts {
            if let Some(text) = texts.iter().find(|text| text.part.name == part.name) {
                part.sha256.clone_from(&text.part.sha256);
                for kernel in &mut part.kernels {
                    let mut compiled = text.part.kernels.iter();
                    let compiled = compiled.find(|compiled| compiled.entry == kernel.entry);
                    kernel.compiled = compiled.and_then(|kernel| kernel.compiled.clone());
                }
                findings.insert(part.name.clone(), text.findings.clone());
            } else if let Some(before) = before
                && let Some(kept) = before
                    .module
                    .parts
                    .iter()
                    .find(|kept| kept.name == part.name)
            {
                part.clone_from(kept);
                if let Some(kept) = before.findings.get(&part.name) {
                    findings.insert(part.name.clone(), kept.clone());
                }
            }
        }
        Built { module, findings }
    }

    /// Takes the parts with such a file for not built.
    pub(crate) fn forget(&mut self, is_gone: impl Fn(&str) -> bool) {
        for part in &mut self.module.parts {
            if part.sha256.is_some() && is_gone(&part.file) {
                part.sha256 = None;
                for kernel in &mut part.kernels {
                    kernel.compiled = None;
                }
            }
        }
    }

    /// The names of entries and parts among `only` that are not there; all parts count where
    /// none is named. A name of nothing is an error, unless it may be another architecture's.
    pub(crate) fn lacking(
        &self,
        only: &[String],
        several: bool,
    ) -> Result<Vec<String>, CudaBuilderError> {
        let parts = &self.module.parts;
        if only.is_empty() {
            let lacking = parts.iter().filter(|part| !part.is_complete());
            return Ok(lacking.map(|part| part.name.clone()).collect());
        }
        let is_there = |entry: &str| {
            let kernel = self.module.kernel(entry);
            kernel.is_some_and(|kernel| kernel.compiled.is_some())
        };
        let mut lacking = Vec::new();
        for name in only {
            match names::entries(name, parts) {
                Ok(entries) if entries.iter().all(|entry| is_there(entry)) => {}
                Ok(_) => lacking.push(name.clone()),
                Err(_) if several => {}
                Err(unknown) => return Err(unknown.into()),
            }
        }
        Ok(lacking)
    }

    /// The parts that these names stand for, all where there is none.
    fn asked<'b>(&'b self, only: &'b [String]) -> impl Iterator<Item = &'b Part> {
        let parts = &self.module.parts;
        // Names of nothing were refused.
        let asked = only
            .iter()
            .filter_map(|name| names::entries(name, parts).ok());
        let asked: BTreeSet<&str> = asked.flatten().collect();
        let is_asked = move |kernel: &Kernel| asked.contains(kernel.entry.as_str());
        let is_any = move |part: &&Part| only.is_empty() || part.kernels.iter().any(&is_asked);
        parts.iter().filter(is_any)
    }

    /// The findings of the parts that were asked for, each with where it is: `sm_90`, or
    /// `sm_90, part scans`.
    fn findings<'b>(&'b self, only: &'b [String]) -> impl Iterator<Item = (String, &'b Finding)> {
        self.asked(only).flat_map(|part| {
            let place = match part.name.as_str() {
                MAIN => self.module.arch.clone(),
                name => format!("{}, part {name}", self.module.arch),
            };
            let findings = self.findings.get(&part.name).into_iter().flatten();
            findings.map(move |finding| (place.clone(), finding))
        })
    }
}

/// Err for a name that stands for a kernel of no architecture.
pub(crate) fn expect_names(built: &[Built], only: &[String]) -> Result<(), CudaBuilderError> {
    let parts = || built.iter().flat_map(|built| &built.module.parts);
    for name in only {
        names::entries(name, parts())?;
    }
    Ok(())
}

/// Err where the kernels are in several parts and one file was asked for.
pub(crate) fn one_file<'n>(parts: impl Iterator<Item = &'n str>) -> Result<(), CudaBuilderError> {
    let names: Vec<&str> = parts.collect();
    let count = names.len();
    if count <= 1 {
        return Ok(());
    }
    Err(CudaBuilderError::BadOption(format!(
        "build(), copy_to and final_module_path are for one file, and #[part] puts the kernels into {count}, {}: use build_all() and out_dir",
        names.join(", ")
    )))
}

pub(crate) struct Writer<'b> {
    pub(crate) toolchain: &'b Toolchain,
    pub(crate) kernels: &'b Crate,
    pub(crate) dir: &'b Path,
    /// Where nested builds are.
    pub(crate) target: &'b Path,
    pub(crate) options: &'b Options,
    pub(crate) report: &'b Report,
}

impl Writer<'_> {
    /// What is there of one architecture, unless a new build would read something else.
    pub(crate) fn before(&self, arch: NvvmArch) -> Option<Stamp> {
        let path = self.dir.join(self.file(MAIN, arch, "stamp"));
        Stamp::read(&path, &self.key(arch), self.dir)
    }

    /// Writes the PTX of one architecture: of what `options` ask for, which `before` lacks.
    pub(crate) fn module(
        &self,
        llvm: &'static Llvm,
        bitcode: &Bitcode,
        job: Job,
        emit_ir: bool,
        final_module: Option<&Path>,
    ) -> Result<Built, CudaBuilderError> {
        let arch = job.arch;
        let (module, texts) = self.parts(llvm, bitcode, &job)?;
        if final_module.is_some() {
            one_file(texts.iter().map(|text| text.part.name.as_str()))?;
        }
        for text in &texts {
            if let (true, Some(before)) = (emit_ir, &text.before) {
                let file = self.file(&text.part.name, arch, "ll");
                write(&self.dir.join(file), before)?;
            }
            if let (Some(path), Some(after)) = (final_module, &text.after) {
                write(path, after)?;
            }
            write(&self.dir.join(&text.part.file), &text.ptx)?;
        }
        let before = job.before.as_ref().map(|stamp| &stamp.built);
        let mut built = Built::new(module, &texts, before);
        built.module.sha256 = self.whole(&built.module)?;
        let texts = texts
            .iter()
            .map(|text| (text.part.file.clone(), hash(text.ptx.as_bytes())));
        let stamp = Stamp::new(self.key(arch), job.begin, bitcode, texts, built, job.before);
        stamp.write(&self.dir.join(self.file(MAIN, arch, "stamp")))?;
        Ok(stamp.built)
    }

    /// The hash of all files of a module that are there.
    fn whole(&self, module: &Module) -> Result<String, CudaBuilderError> {
        let mut whole = Sha256::new();
        for part in module.parts.iter().filter(|part| part.sha256.is_some()) {
            let path = self.dir.join(&part.file);
            let text =
                fs::read(&path).map_err(|source| CudaBuilderError::io("read", &path, source))?;
            whole.update(text);
        }
        Ok(hex(whole.finalize()))
    }

    /// All parts of one architecture as the source describes them, and those that are asked
    /// for, what was built before from the store.
    fn parts(
        &self,
        llvm: &'static Llvm,
        bitcode: &Bitcode,
        job: &Job,
    ) -> Result<(Module, Vec<Text>), CudaBuilderError> {
        let arch = job.arch;
        let store = Store::new(
            self.target,
            self.toolchain,
            self.kernels,
            &job.options,
            arch,
        );
        let passes = Passes {
            store: (!job.options.keep_ir).then_some(&store),
            finish: &|output| self.part(output, arch),
            llvm,
            kernels: self.kernels,
            options: &job.options,
            arch,
            report: self.report,
            begin: job.begin,
        };
        let (all, texts) = passes.run(bitcode)?;
        store.trim();
        let (major, minor) = job.options.ptx_version.unwrap_or(arch.ptx_version());
        let parts = all.iter().map(|part| Part {
            name: part.name.clone(),
            file: self.file(&part.name, arch, "ptx"),
            sha256: None,
            kernels: part.kernels.iter().map(KernelMetadata::kernel).collect(),
        });
        let module = Module {
            arch: arch.to_string(),
            ptx_version: format!("{major}.{minor}"),
            sha256: String::new(),
            parts: parts.collect(),
        };
        Ok((module, texts))
    }

    /// Describes and checks the PTX of one part.
    fn part(&self, output: Output, arch: NvvmArch) -> Result<Text, CudaBuilderError> {
        let ptx = format!("{}\n", output.ptx.trim_end());
        let part = Part {
            name: output.part.clone(),
            file: self.file(&output.part, arch, "ptx"),
            sha256: Some(hex(Sha256::hash(ptx.as_bytes()))),
            kernels: describe(&ptx, &output.kernels)?,
        };
        let entries: Vec<&str> = part
            .kernels
            .iter()
            .map(|kernel| kernel.entry.as_str())
            .collect();
        let findings = lint::check(&ptx, &entries);
        Ok(Text {
            part,
            findings,
            ptx,
            before: output.before,
            after: output.after,
        })
    }

    /// The name of a part's file: the main one's has no name of its own.
    fn file(&self, part: &str, arch: NvvmArch, extension: &str) -> String {
        let name = self.kernels.identifier();
        match part {
            MAIN => format!("{name}.{arch}.{extension}"),
            part => format!("{name}.{part}.{arch}.{extension}"),
        }
    }

    /// Writes a file beside a module's PTX.
    pub(crate) fn write_beside(
        &self,
        arch: NvvmArch,
        extension: &str,
        bytes: &[u8],
    ) -> Result<(), CudaBuilderError> {
        write(&self.dir.join(self.file(MAIN, arch, extension)), bytes)
    }

    /// Writes the manifest of all modules, and removes PTX that it does not list.
    pub(crate) fn finish(&self, built: &[Built]) -> Result<Artifact, CudaBuilderError> {
        let manifest = Manifest {
            format: manifest::FORMAT,
            crate_name: self.kernels.name.clone(),
            version: self.kernels.version.clone(),
            rustc: self.toolchain.rustc.clone(),
            llvm: self.toolchain.llvm.clone(),
            flags: flags::listed(self.options),
            modules: built.iter().map(|made| made.module.clone()).collect(),
        };
        write(&self.dir.join(manifest::FILE_NAME), manifest.to_json())?;
        self.remove_others(&manifest);
        let asked = built
            .iter()
            .flat_map(|built| built.asked(&self.options.only));
        Ok(Artifact {
            dir: self.dir.to_owned(),
            asked: asked.map(|part| part.file.clone()).collect(),
            manifest,
        })
    }

    /// Removes the files of parts that are no more. One that stays is read by nobody.
    fn remove_others(&self, manifest: &Manifest) {
        let prefix = format!("{}.", self.kernels.identifier());
        let parts = manifest.modules.iter().flat_map(|module| &module.parts);
        let there: BTreeSet<&str> = parts
            .filter(|part| part.sha256.is_some())
            .map(|part| part.file.as_str())
            .collect();
        for entry in fs::read_dir(self.dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_ours = name.starts_with(&prefix) && name.ends_with(".ptx");
            if is_ours && !there.contains(name) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Everything that the PTX is made from beside the sources, this package included.
    fn key(&self, arch: NvvmArch) -> String {
        format!(
            "{} {arch} {} {} {}",
            self.options.of_code(),
            self.toolchain.rustc,
            store::SOURCES,
            self.kernels.manifest.display(),
        )
    }
}

/// Puts together what the source says of the kernels and what the PTX says.
fn describe(ptx: &str, kernels: &[KernelMetadata]) -> Result<Vec<Kernel>, CudaBuilderError> {
    let ptx = Ptx::read(ptx);
    let describe = |kernel: &KernelMetadata| {
        let wrong = |reason: String| CudaBuilderError::BadKernel {
            entry: kernel.entry.clone(),
            reason,
        };
        let function = ptx
            .functions
            .iter()
            .find(|function| function.is_entry && function.name == kernel.entry)
            .ok_or_else(|| wrong("the PTX has no entry of that name".into()))?;
        let expected: usize = kernel
            .parameters
            .iter()
            .map(|parameter| parameter.kind.ptx_parameters())
            .sum();
        if function.parameters.len() != expected {
            return Err(wrong(format!(
                "its parameters make {expected} in PTX, and the PTX has {}; a type without size cannot be a parameter",
                function.parameters.len()
            )));
        }
        let (static_shared_bytes, dynamic_shared) = ptx.shared_use(function);
        Ok(Kernel {
            compiled: Some(Compiled {
                parameters: function.parameters.clone(),
                static_shared_bytes,
                dynamic_shared,
            }),
            ..kernel.kernel()
        })
    };
    kernels.iter().map(describe).collect()
}

/// Does with the findings what the levels say; warnings are added to `warnings`.
pub(crate) fn judge(
    built: &[Built],
    only: &[String],
    levels: &Levels,
    warnings: &mut Vec<String>,
) -> Result<(), CudaBuilderError> {
    let mut denied = Vec::new();
    for (part, finding) in built.iter().flat_map(|built| built.findings(only)) {
        let line = format!("{part}: {finding}");
        match levels.get(finding.lint) {
            LintLevel::Allow => {}
            LintLevel::Warn => warnings.push(line),
            LintLevel::Deny => denied.push(line),
        }
    }
    if denied.is_empty() {
        return Ok(());
    }
    Err(CudaBuilderError::Lints(denied.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_that_ptx_does_not_have_is_an_error() {
        let kernel = KernelMetadata {
            entry: "k".into(),
            module: "m".into(),
            part: MAIN.into(),
            parameters: vec![manifest::Parameter {
                name: "nothing".into(),
                ty: "()".into(),
                kind: manifest::ParameterKind::Value,
            }],
            max_threads: 0,
            min_blocks: 0,
            cluster: [0; 3],
            max_registers: 0,
        };
        let error = describe(".visible .entry k()\n{\n\tret;\n}\n", &[kernel]).unwrap_err();
        assert!(error.to_string().contains("a type without size"));
    }
}
