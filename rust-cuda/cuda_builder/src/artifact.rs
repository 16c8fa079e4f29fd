//! A build's output on disk, and what is known of it without building again.

use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::builder::Options;
use crate::cargo::{Bitcode, Crate};
use crate::lint::{self, Finding, Levels, LintLevel};
use crate::llvm::Llvm;
use crate::manifest::{self, Kernel, Manifest, Module};
use crate::passes::{self, KernelMetadata};
use crate::ptx::Ptx;
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
    /// The paths of the PTX files, in the manifest's order.
    pub fn ptx_paths(&self) -> impl Iterator<Item = PathBuf> + '_ {
        self.manifest
            .modules
            .iter()
            .map(|module| self.dir.join(&module.file))
    }
}

/// What a module was made from; as long as it holds, the PTX is what a new
/// run of the passes would make.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    key: u64,
    /// Of the PTX file.
    text: u64,
    built: Built,
}

/// A module, and what the lints find in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Built {
    module: Module,
    findings: Vec<Finding>,
}

pub(crate) struct Writer<'b> {
    toolchain: &'b Toolchain,
    kernels: &'b Crate,
    dir: &'b Path,
    options: &'b Options,
}

impl<'b> Writer<'b> {
    pub(crate) fn new(
        toolchain: &'b Toolchain,
        kernels: &'b Crate,
        dir: &'b Path,
        options: &'b Options,
    ) -> Self {
        Writer {
            toolchain,
            kernels,
            dir,
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
        let file = format!("{}.{arch}.ptx", self.kernels.identifier());
        let path = self.dir.join(&file);
        let stamp_path = path.with_extension("stamp");
        let key = self.key(bitcode, arch)?;
        if !self.options.keep_ir
            && let Some(built) = still_good(&stamp_path, &path, key)
        {
            return Ok(built);
        }
        let name = self.kernels.identifier();
        let output = passes::run(llvm, bitcode, &name, self.options, arch)?;
        let ptx = format!("{}\n", output.ptx.trim_end());
        let kernels = describe(&ptx, &output.kernels)?;
        if let (true, Some(before)) = (emit_ir, &output.before) {
            write(&path.with_extension("ll"), before)?;
        }
        if let (Some(path), Some(after)) = (final_module, &output.after) {
            write(path, after)?;
        }
        let module = Module {
            arch: arch.to_string(),
            file,
            ptx_version: Ptx::read(&ptx).version().to_owned(),
            sha256: hex(Sha256::digest(&ptx)),
            kernels,
        };
        let entries: Vec<&str> = module
            .kernels
            .iter()
            .map(|kernel| kernel.entry.as_str())
            .collect();
        let findings = lint::check(&ptx, &entries);
        write(&path, &ptx)?;
        let stamp = Stamp {
            key,
            text: hash(&[ptx.as_bytes()]),
            built: Built { module, findings },
        };
        let text = serde_json::to_string(&stamp).unwrap_or_default();
        write(&stamp_path, &text)?;
        Ok(stamp.built)
    }

    /// Writes a file beside a module's PTX.
    pub(crate) fn write_beside(
        &self,
        built: &Built,
        extension: &str,
        bytes: &[u8],
    ) -> Result<(), CudaBuilderError> {
        let path = self.dir.join(&built.module.file).with_extension(extension);
        write(&path, bytes)
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

    /// A hash of everything that the PTX is made from, this program included.
    fn key(&self, bitcode: &Bitcode, arch: NvvmArch) -> Result<u64, CudaBuilderError> {
        let program = std::env::current_exe()
            .and_then(|path| Ok((fs::metadata(&path)?.modified()?, path)))
            .ok();
        let words = format!(
            "{:?} {arch} {} {program:?}",
            self.options, self.toolchain.rustc
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

/// A hash that tells whether something changed; of no use against malice, and
/// fast in build scripts too, which are not optimised.
fn hash(parts: &[&[u8]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        hasher.write_usize(part.len());
        hasher.write(part);
    }
    hasher.finish()
}

fn still_good(stamp: &Path, ptx: &Path, key: u64) -> Option<Built> {
    let stamp: Stamp = serde_json::from_slice(&fs::read(stamp).ok()?).ok()?;
    let same = stamp.key == key && hash(&[&fs::read(ptx).ok()?]) == stamp.text;
    same.then_some(stamp.built)
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
    for Built { module, findings } in built {
        for finding in findings {
            let line = format!("{}: {finding}", module.arch);
            match levels.get(finding.lint) {
                LintLevel::Allow => {}
                LintLevel::Warn => warnings.push(line),
                LintLevel::Deny => denied.push(line),
            }
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

fn hex(bytes: impl AsRef<[u8]>) -> String {
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
