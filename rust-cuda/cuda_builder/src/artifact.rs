//! A build's output on disk. Whether an earlier one's still holds is `stamp`'s.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::builder::Options;
use crate::cargo::{Bitcode, Crate};
use crate::lint::{self, Finding, Levels, LintLevel};
use crate::llvm::Llvm;
use crate::manifest::{self, Kernel, MAIN, Manifest, Module, Part};
use crate::passes::{KernelMetadata, Output, Passes};
use crate::ptx::Ptx;
use crate::stamp::{Stamp, hash};
use crate::store::{self, Store};
use crate::toolchain::Toolchain;
use crate::{CudaBuilderError, NvvmArch, flags};

/// A folder with `manifest.json` and the PTX that it lists.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Artifact {
    /// The folder.
    pub dir: PathBuf,
    /// What `manifest.json` in it says.
    pub manifest: Manifest,
}

impl Artifact {
    /// The paths of the PTX files, in the manifest's order: all parts of the
    /// first architecture, then those of the next.
    pub fn ptx_paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let parts = self
            .manifest
            .modules
            .iter()
            .flat_map(|module| &module.parts);
        parts.map(|part| self.dir.join(&part.file))
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

    /// The path of the only PTX file of the first architecture.
    pub(crate) fn only_path(&self) -> Result<PathBuf, CudaBuilderError> {
        if let Some(module) = self.manifest.modules.first() {
            one_file(module.parts.iter().map(|part| part.name.as_str()))?;
        }
        let none = || CudaBuilderError::BadOption("the build made no module".to_owned());
        self.ptx_paths().next().ok_or_else(none)
    }
}

/// A module, and what the lints find in each of its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Built {
    pub(crate) module: Module,
    findings: Vec<Vec<Finding>>,
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
    fn new(arch: NvvmArch, parts: &[Text]) -> Self {
        let mut whole = Sha256::new();
        for part in parts {
            whole.update(&part.ptx);
        }
        let version = parts
            .first()
            .map(|main| Ptx::read(&main.ptx).version().to_owned());
        Built {
            module: Module {
                arch: arch.to_string(),
                ptx_version: version.unwrap_or_default(),
                sha256: hex(whole.finalize()),
                parts: parts.iter().map(|text| text.part.clone()).collect(),
            },
            findings: parts.iter().map(|text| text.findings.clone()).collect(),
        }
    }

    /// The findings, each with where it is: `sm_90`, or `sm_90, part scans`.
    fn findings(&self) -> impl Iterator<Item = (String, &Finding)> {
        let parts = self.module.parts.iter().zip(&self.findings);
        parts.flat_map(|(part, findings)| {
            let place = match part.name.as_str() {
                MAIN => self.module.arch.clone(),
                name => format!("{}, part {name}", self.module.arch),
            };
            findings.iter().map(move |finding| (place.clone(), finding))
        })
    }
}

/// Err where the kernels are in several parts and one file was asked for.
pub(crate) fn one_file<'n>(
    parts: impl ExactSizeIterator<Item = &'n str>,
) -> Result<(), CudaBuilderError> {
    let count = parts.len();
    if count <= 1 {
        return Ok(());
    }
    let names: Vec<&str> = parts.collect();
    Err(CudaBuilderError::BadOption(format!(
        "build(), copy_to and final_module_path are for one file, and #[part] puts the kernels into {count}, {}: use build_all() and out_dir",
        names.join(", ")
    )))
}

pub(crate) struct Writer<'b> {
    toolchain: &'b Toolchain,
    kernels: &'b Crate,
    dir: &'b Path,
    /// Where nested builds are.
    target: &'b Path,
    options: &'b Options,
}

impl<'b> Writer<'b> {
    pub(crate) fn new(
        toolchain: &'b Toolchain,
        kernels: &'b Crate,
        dir: &'b Path,
        target: &'b Path,
        options: &'b Options,
    ) -> Self {
        Writer {
            toolchain,
            kernels,
            dir,
            target,
            options,
        }
    }

    /// Writes the PTX of one architecture, unless it is there already.
    pub(crate) fn module(
        &self,
        llvm: &'static Llvm,
        bitcode: &Bitcode,
        arch: NvvmArch,
        emit_ir: bool,
        final_module: Option<&Path>,
    ) -> Result<Built, CudaBuilderError> {
        let stamp_path = self.dir.join(self.file(MAIN, arch, "stamp"));
        let before = Stamp::read(&stamp_path);
        let key = self.key(bitcode, arch)?;
        if let Some(stamp) = &before
            && !self.options.keep_ir
            && stamp.holds(self.dir, key)
        {
            return Ok(stamp.built.clone());
        }
        let parts = self.parts(llvm, bitcode, arch)?;
        if final_module.is_some() {
            one_file(parts.iter().map(|text| text.part.name.as_str()))?;
        }
        for text in &parts {
            if let (true, Some(before)) = (emit_ir, &text.before) {
                let file = self.file(&text.part.name, arch, "ll");
                write(&self.dir.join(file), before)?;
            }
            if let (Some(path), Some(after)) = (final_module, &text.after) {
                write(path, after)?;
            }
            write(&self.dir.join(&text.part.file), &text.ptx)?;
        }
        let built = Built::new(arch, &parts);
        if let Some(before) = before {
            before.remove_others(self.dir, &built);
        }
        let stamp = Stamp {
            key,
            texts: parts
                .iter()
                .map(|part| hash(&[part.ptx.as_bytes()]))
                .collect(),
            built,
        };
        let text = serde_json::to_string(&stamp).unwrap_or_default();
        write(&stamp_path, &text)?;
        Ok(stamp.built)
    }

    /// The parts of one architecture, those that were built before from the store.
    fn parts(
        &self,
        llvm: &'static Llvm,
        bitcode: &Bitcode,
        arch: NvvmArch,
    ) -> Result<Vec<Text>, CudaBuilderError> {
        let store = Store::new(
            self.target,
            self.toolchain,
            self.kernels,
            self.options,
            arch,
        );
        let passes = Passes {
            store: (!self.options.keep_ir).then_some(&store),
            finish: &|output| self.part(output, arch),
            llvm,
            kernels: self.kernels,
            options: self.options,
            arch,
        };
        let parts = passes.run(bitcode)?;
        store.trim();
        Ok(parts)
    }

    /// Describes and checks the PTX of one part.
    fn part(&self, output: Output, arch: NvvmArch) -> Result<Text, CudaBuilderError> {
        let ptx = format!("{}\n", output.ptx.trim_end());
        let part = Part {
            name: output.part.clone(),
            file: self.file(&output.part, arch, "ptx"),
            sha256: hex(Sha256::digest(&ptx)),
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

    /// Writes the manifest of all modules.
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
        Ok(Artifact {
            dir: self.dir.to_owned(),
            manifest,
        })
    }

    /// A hash of everything that the PTX is made from, this package included.
    fn key(&self, bitcode: &Bitcode, arch: NvvmArch) -> Result<u64, CudaBuilderError> {
        let words = format!(
            "{:?} {arch} {} {}",
            self.options,
            self.toolchain.rustc,
            store::SOURCES
        );
        let mut parts = vec![words.into_bytes()];
        for path in &bitcode.archives {
            parts
                .push(fs::read(path).map_err(|source| CudaBuilderError::io("read", path, source))?);
        }
        let mut parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        parts.push(&bitcode.module);
        Ok(hash(&parts))
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
            entry: kernel.entry.clone(),
            module: kernel.module.clone(),
            parameters: kernel.parameters.clone(),
            ptx_parameters: function.parameters.clone(),
            static_shared_bytes,
            dynamic_shared,
            max_threads: kernel.max_threads,
            min_blocks: kernel.min_blocks,
            cluster: kernel.cluster,
            max_registers: kernel.max_registers,
        })
    };
    kernels.iter().map(describe).collect()
}

/// Does with the findings what the levels say; warnings are added to `warnings`.
pub(crate) fn judge(
    built: &[Built],
    levels: &Levels,
    warnings: &mut Vec<String>,
) -> Result<(), CudaBuilderError> {
    let mut denied = Vec::new();
    for (part, finding) in built.iter().flat_map(Built::findings) {
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

/// Writes a file unless it holds that text already, so that its date says
/// when its contents changed.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> Result<(), CudaBuilderError> {
    let bytes = text.as_ref();
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    fs::write(path, bytes).map_err(|source| CudaBuilderError::io("write", path, source))
}

/// Copies a file unless the copy is there already.
pub(crate) fn copy_if_changed(from: &Path, to: &Path) -> io::Result<()> {
    let bytes = fs::read(from)?;
    if fs::read(to).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, bytes)
}

pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
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
