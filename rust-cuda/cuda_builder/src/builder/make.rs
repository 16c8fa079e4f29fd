//! The build: cargo compiles one architecture's bitcode after the other, and LLVM makes PTX of
//! each beside it.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::CudaBuilder;
use crate::announce::{self, Announcer};
use crate::artifact::Artifact;
use crate::built::{self, Built};
use crate::cargo;
use crate::kernel_crate::Crate;
use crate::lint::{Lint, LintLevel};
use crate::llvm::Llvm;
use crate::options::Options;
use crate::progress::Progress;
use crate::stamp::Stamp;
use crate::toolchain;
use crate::writer::{Job, Writer};
use crate::{CudaBuilderError, DebugInfo, EmitOption, NvvmArch};

/// The file in an artifact's folder that a build holds the lock on.
const LOCK: &str = "cuda-builder.lock";

impl CudaBuilder {
    /// The level of one lint in one part, whatever that of others is.
    pub fn lint_of_part(mut self, part: &str, lint: Lint, level: LintLevel) -> Self {
        self.lints.set_of_part(part.to_owned(), lint, level);
        self
    }

    /// What `archs` said, or else the field `arch`.
    pub(super) fn architectures(&self) -> &[NvvmArch] {
        match &self.archs {
            Some(archs) => archs,
            None => std::slice::from_ref(&self.arch),
        }
    }

    /// What of it decides the code.
    fn options(&self) -> Options {
        Options {
            release: self.release,
            nvvm_opts: self.nvvm_opts,
            generate_line_info: self.generate_line_info,
            debug: self.debug,
            ftz: self.ftz,
            fast_sqrt: self.fast_sqrt,
            fast_div: self.fast_div,
            fma_contraction: self.fma_contraction,
            emit_comments: self.emit_comments,
            ptx_version: self.ptx_version,
            build_args: self.build_args.clone(),
            mark_convergent: self.mark_convergent,
            kernels_of_dependencies: self.kernels_of_dependencies,
            only: self.only.clone(),
            keep_ir: self.emit_llvm_ir || self.final_module_path.is_some(),
            several: self.architectures().len() > 1,
        }
    }

    pub(super) fn make(mut self) -> Result<Artifact, CudaBuilderError> {
        self.check()?;
        self.emit_llvm_ir |= self.emit == Some(EmitOption::LlvmIr);
        self.emit_llvm_bitcode |= self.emit == Some(EmitOption::Bitcode);
        let options = self.options();
        let toolchain = self.or_setup(toolchain::find())?;
        let mut warnings: Vec<String> = toolchain.warning.clone().into_iter().collect();
        if self.use_constant_memory_space {
            warnings.push("use_constant_memory_space has no effect: write #[address_space(constant)] on the statics that are meant".into());
        }
        if self.debug == DebugInfo::Full && !self.for_emulators {
            warnings.push("DebugInfo::Full makes PTX that no GPU's driver loads: ptxas does not accept `.target ..., debug` in optimised code; use DebugInfo::LineTables".into());
        }
        let kernels = Crate::find(&toolchain, &self.path)?;
        let target = match &self.target_dir {
            Some(target) => absolute(target)?,
            None => absolute(&kernels.nested_target())?,
        };
        let target = kernels.target_in(&target);
        let out_dir = self.output_folder(&kernels, &target)?;
        let _lock = lock(&out_dir.join(LOCK))?;
        let writer = Writer {
            toolchain: &toolchain,
            kernels: &kernels,
            dir: &out_dir,
            target: &target,
            options: &options,
            report: &self.report,
        };
        let artifact = self.modules(&writer, &mut warnings);
        for warning in warnings {
            announce::warn(&warning);
        }
        artifact
    }

    fn modules(
        &self,
        writer: &Writer<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<Artifact, CudaBuilderError> {
        let Writer {
            toolchain, kernels, ..
        } = *writer;
        let announce = Announcer::new(toolchain, kernels, &self.path);
        // While LLVM works on one architecture, cargo compiles the next.
        let built = std::thread::scope(|scope| {
            let mut running = Vec::new();
            for &arch in self.architectures() {
                let begin = SystemTime::now();
                let before = writer.before(arch);
                let Some(options) = self.to_do(writer.options, before.as_ref())? else {
                    let there = before.unwrap_or_default();
                    announce.inputs(&there.inputs());
                    running.push(scope.spawn(move || Ok(there.built)));
                    continue;
                };
                self.report.say(Progress::Compiling(arch));
                let quiet = self.report.is_heard();
                let compiled =
                    cargo::build(toolchain, kernels, &options, arch, writer.target, quiet);
                let bitcode = self.or_setup(compiled)?;
                announce.inputs(&(bitcode.sources.clone(), bitcode.variables.clone()));
                let job = Job {
                    arch,
                    options,
                    before,
                    begin,
                };
                running.push(scope.spawn(move || self.module(writer, &bitcode, job)));
            }
            let finished = running.into_iter().map(|thread| {
                thread.join().unwrap_or_else(|_| {
                    Err(CudaBuilderError::Llvm("generating PTX panicked".into()))
                })
            });
            finished.collect::<Result<Vec<_>, _>>()
        })?;
        built::expect_names(&built, &self.only)?;
        let artifact = writer.finish(&built)?;
        built::judge(&built, &self.only, &self.lints, warnings)?;
        warnings.extend(artifact.without_kernels());
        Ok(artifact)
    }

    /// The PTX of one architecture, and the bitcode where asked for.
    fn module(
        &self,
        writer: &Writer<'_>,
        bitcode: &cargo::Bitcode,
        job: Job,
    ) -> Result<Built, CudaBuilderError> {
        let arch = job.arch;
        let final_module = self.final_module_path.as_deref();
        let llvm = Llvm::load(&writer.toolchain.llvm_library)?;
        let built = writer.module(llvm, bitcode, job, self.emit_llvm_ir, final_module)?;
        if self.emit_llvm_bitcode {
            writer.write_beside(arch, "bc", &bitcode.module)?;
        }
        Ok(built)
    }

    /// The options with the names that are not there yet; none where all is there.
    fn to_do(
        &self,
        options: &Options,
        before: Option<&Stamp>,
    ) -> Result<Option<Options>, CudaBuilderError> {
        let mut options = options.clone();
        if let Some(before) = before
            && !self.emit_llvm_bitcode
            && !options.keep_ir
        {
            let lacking = before.built.lacking(&options.only, options.several)?;
            if lacking.is_empty() {
                return Ok(None);
            }
            if !options.only.is_empty() {
                options.only = lacking;
            }
        }
        Ok(Some(options))
    }

    /// Refuses options before anything is built.
    fn check(&self) -> Result<(), CudaBuilderError> {
        let refuse = |reason: &str| Err(CudaBuilderError::BadOption(reason.to_owned()));
        if self.optix {
            return refuse(
                "optix(true) is refused: OptiX programs need entry points that rustc's NVPTX backend cannot make",
            );
        }
        let archs = self.architectures();
        if archs.is_empty() {
            return refuse("no architecture is given: name one with arch() or archs()");
        }
        for (index, arch) in archs.iter().enumerate() {
            arch.check()?;
            if archs[..index].contains(arch) {
                return refuse(&format!("{arch} is given twice"));
            }
        }
        Ok(())
    }

    fn output_folder(&self, kernels: &Crate, target: &Path) -> Result<PathBuf, CudaBuilderError> {
        let folder = match (&self.out_dir, env::var_os("OUT_DIR")) {
            (Some(folder), _) => folder.clone(),
            (None, Some(out)) => Path::new(&out).join(kernels.identifier()),
            (None, None) => target.join("artifacts").join(kernels.unique_name()),
        };
        fs::create_dir_all(&folder)
            .map_err(|source| CudaBuilderError::io("create", &folder, source))?;
        Ok(folder)
    }

    /// Puts the caller's own set-up command into an error that names one.
    fn or_setup<T>(&self, result: Result<T, CudaBuilderError>) -> Result<T, CudaBuilderError> {
        let Some(command) = &self.setup_command else {
            return result;
        };
        result.map_err(|mut error| {
            if let CudaBuilderError::NoToolchain { remedy, .. }
            | CudaBuilderError::NotFetched { remedy, .. } = &mut error
            {
                remedy.clone_from(command);
            }
            error
        })
    }
}

/// Holds the lock on a folder as long as it lives.
fn lock(path: &Path) -> Result<fs::File, CudaBuilderError> {
    fs::File::create(path)
        .and_then(|file| file.lock().map(|()| file))
        .map_err(|source| CudaBuilderError::io("lock", path, source))
}

/// The nested cargo runs in another folder than this program.
fn absolute(path: &Path) -> Result<PathBuf, CudaBuilderError> {
    std::path::absolute(path).map_err(|source| CudaBuilderError::io("find", path, source))
}
