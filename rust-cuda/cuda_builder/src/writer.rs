//! From bitcode to the files of an artifact: PTX, described and linted, and the manifest.
//! Whether what an earlier build left still holds is `stamp`'s.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use hmac_sha256::Hash as Sha256;
use ptx_syntax::{Module as Parsed, Variable};

use crate::artifact::{Artifact, one_file};
use crate::built::{Built, Text};
use crate::cargo::Bitcode;
use crate::files::{hex, write};
use crate::kernel_crate::Crate;
use crate::llvm::Llvm;
use crate::manifest::{self, Compiled, Kernel, MAIN, Manifest, Module, Part, PtxParameter};
use crate::options::Options;
use crate::passes::{KernelMetadata, Output, Passes};
use crate::progress::Report;
use crate::stamp::{Stamp, hash};
use crate::store::{self, Store};
use crate::toolchain::Toolchain;
use crate::{CudaBuilderError, NvvmArch, flags, lint};

/// What a build has to do for one architecture.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) arch: NvvmArch,
    /// With the names that are not there yet alone.
    pub(crate) options: Options,
    /// What is there.
    pub(crate) before: Option<Stamp>,
    pub(crate) begin: SystemTime,
}

/// What is written, and where to.
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
        let module = ptx_syntax::parse(&ptx).map_err(|source| CudaBuilderError::NotPtx {
            module: self.file(&output.part, arch, "ptx"),
            source,
        })?;
        let part = Part {
            name: output.part.clone(),
            file: self.file(&output.part, arch, "ptx"),
            sha256: Some(hex(Sha256::hash(ptx.as_bytes()))),
            kernels: describe(&module, &output.kernels)?,
        };
        let entries: Vec<&str> = part
            .kernels
            .iter()
            .map(|kernel| kernel.entry.as_str())
            .collect();
        let findings = lint::check_module(&module, &entries);
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
fn describe(
    module: &Parsed<'_>,
    kernels: &[KernelMetadata],
) -> Result<Vec<Kernel>, CudaBuilderError> {
    let describe = |kernel: &KernelMetadata| {
        let wrong = |reason: String| CudaBuilderError::BadKernel {
            entry: kernel.entry.clone(),
            reason,
        };
        let function = module
            .entries()
            .find(|function| function.name == kernel.entry)
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
        let reached = module.reached(function);
        Ok(Kernel {
            compiled: Some(Compiled {
                parameters: function.parameters.iter().map(parameter).collect(),
                static_shared_bytes: reached.shared_bytes(),
                dynamic_shared: reached.shared().any(Variable::is_of_launch),
            }),
            ..kernel.kernel()
        })
    };
    kernels.iter().map(describe).collect()
}

fn parameter(variable: &Variable<'_>) -> PtxParameter {
    PtxParameter {
        ty: format!(".{}", variable.ty.word()),
        bytes: variable.bytes(),
        align: variable.alignment().into(),
    }
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
        let module =
            ptx_syntax::parse(".version 8.0\n.visible .entry k()\n{\n\tret;\n}\n").unwrap();
        let error = describe(&module, &[kernel]).unwrap_err();
        assert!(error.to_string().contains("a type without size"));
    }

    #[test]
    fn parameters_have_the_size_and_alignment_that_ptx_gives_them() {
        let text = ".version 8.0 .entry scan(.param .u64 .ptr .align 1 a, .param .align 8 .b8 b[24], .param .u32 c) { ret; }";
        let module = ptx_syntax::parse(text).unwrap();
        let parameters = module.entries().flat_map(|entry| &entry.parameters);
        let shapes: Vec<_> = parameters
            .map(parameter)
            .map(|parameter| (parameter.ty, parameter.bytes, parameter.align))
            .collect();
        let expected = [(".u64", 8, 8), (".b8", 24, 8), (".u32", 4, 4)];
        assert_eq!(
            shapes,
            expected.map(|(ty, bytes, align)| (ty.to_owned(), bytes, align))
        );
    }
}
