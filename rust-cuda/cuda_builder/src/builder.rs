//! The options of a build, by rust-cuda's names.

mod make;

use std::path::{Path, PathBuf};

use crate::artifact::Artifact;
use crate::files::copy_if_changed;
use crate::lint::{Levels, Lint, LintLevel};
use crate::progress::{Progress, Report};
use crate::{CudaBuilderError, DebugInfo, EmitOption, NvvmArch};

/// Builds a crate of kernels to PTX, from a build script or any other program.
///
/// ```no_run
/// use cuda_builder::CudaBuilder;
///
/// CudaBuilder::new("kernels")
///     .copy_to("resources/kernels.ptx")
///     .build()
///     .unwrap();
/// ```
///
/// In a build script it also tells cargo which files the PTX depends on.
/// Nothing is downloaded: see [`toolchain::install`](crate::toolchain::install).
#[derive(Debug, Clone)]
#[must_use = "nothing is built before `build` or `build_all`"]
pub struct CudaBuilder {
    path: PathBuf,
    /// See [`CudaBuilder::release`].
    pub release: bool,
    /// See [`CudaBuilder::copy_to`].
    pub ptx_file_copy_path: Option<PathBuf>,
    /// See [`CudaBuilder::generate_line_info`].
    pub generate_line_info: bool,
    /// See [`CudaBuilder::nvvm_opts`].
    pub nvvm_opts: bool,
    /// See [`CudaBuilder::arch`].
    pub arch: NvvmArch,
    /// See [`CudaBuilder::ftz`].
    pub ftz: bool,
    /// See [`CudaBuilder::fast_sqrt`].
    pub fast_sqrt: bool,
    /// See [`CudaBuilder::fast_div`].
    pub fast_div: bool,
    /// See [`CudaBuilder::fma_contraction`].
    pub fma_contraction: bool,
    /// Beside the PTX: [`CudaBuilder::emit_llvm_ir`] and [`CudaBuilder::emit_llvm_bitcode`].
    pub emit: Option<EmitOption>,
    /// See [`CudaBuilder::optix`].
    pub optix: bool,
    /// See [`CudaBuilder::override_libm`].
    pub override_libm: bool,
    /// See [`CudaBuilder::use_constant_memory_space`].
    pub use_constant_memory_space: bool,
    /// See [`CudaBuilder::debug`].
    pub debug: DebugInfo,
    /// See [`CudaBuilder::build_args`].
    pub build_args: Vec<String>,
    /// See [`CudaBuilder::final_module_path`].
    pub final_module_path: Option<PathBuf>,
    /// Instead of `arch`.
    archs: Option<Vec<NvvmArch>>,
    out_dir: Option<PathBuf>,
    target_dir: Option<PathBuf>,
    emit_llvm_ir: bool,
    emit_llvm_bitcode: bool,
    emit_comments: bool,
    ptx_version: Option<(u32, u32)>,
    kernels_of_dependencies: bool,
    only: Vec<String>,
    mark_convergent: bool,
    for_emulators: bool,
    setup_command: Option<String>,
    lints: Levels,
    report: Report,
}

impl CudaBuilder {
    /// `path` is the folder of the crate of kernels; a relative one starts at
    /// the current folder, which in a build script is its package's.
    pub fn new(path: impl AsRef<Path>) -> Self {
        CudaBuilder {
            path: path.as_ref().to_owned(),
            release: true,
            ptx_file_copy_path: None,
            generate_line_info: true,
            nvvm_opts: true,
            arch: NvvmArch::default(),
            ftz: false,
            fast_sqrt: false,
            fast_div: false,
            fma_contraction: true,
            emit: None,
            optix: false,
            override_libm: true,
            use_constant_memory_space: false,
            debug: DebugInfo::None,
            build_args: Vec::new(),
            final_module_path: None,
            archs: None,
            out_dir: None,
            target_dir: None,
            emit_llvm_ir: false,
            emit_llvm_bitcode: false,
            emit_comments: false,
            ptx_version: None,
            kernels_of_dependencies: false,
            only: Vec::new(),
            mark_convergent: true,
            for_emulators: false,
            setup_command: None,
            lints: Levels::default(),
            report: Report::default(),
        }
    }

    /// The one architecture to build for. Default: [`NvvmArch::Compute75`].
    pub fn arch(mut self, arch: NvvmArch) -> Self {
        self.arch = arch;
        self.archs = None;
        self
    }

    /// The architectures to build for, with [`CudaBuilder::build_all`].
    pub fn archs(mut self, archs: &[NvvmArch]) -> Self {
        self.archs = Some(archs.to_vec());
        self
    }

    /// The PTX version (major, minor) instead of [`NvvmArch::ptx_version`]:
    /// a newer one for instructions that inline assembly needs, at the price
    /// of the drivers that are too old for it.
    pub fn ptx_version(mut self, major: u32, minor: u32) -> Self {
        self.ptx_version = Some((major, minor));
        self
    }

    /// Copies the PTX of [`CudaBuilder::build`] there; its folder is made if it is not there.
    pub fn copy_to(mut self, path: impl AsRef<Path>) -> Self {
        self.ptx_file_copy_path = Some(path.as_ref().to_owned());
        self
    }

    /// The folder that the artifact is written to. Default: one in `OUT_DIR`
    /// in a build script, else one in cargo's target folder.
    pub fn out_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.out_dir = Some(path.as_ref().to_owned());
        self
    }

    /// The folder that the nested cargo builds in, core included. Default:
    /// `cuda-builder` in cargo's own target folder, or the folder that the environment
    /// variable `CUDA_BUILDER_TARGET_DIR` names. Any number of crates may
    /// share one, clones of one workspace included: they share core, and none
    /// gets what another was built to. In there are also the parts of earlier
    /// builds, at most 256 MiB, those used last. Kernels that need a build script of
    /// their own workspace get a folder of their own in there.
    pub fn target_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.target_dir = Some(path.as_ref().to_owned());
        self
    }

    /// Whether cargo's profile is `release`. Default: true. Without it,
    /// integer overflow and debug assertions trap, and nothing is optimised.
    pub fn release(mut self, release: bool) -> Self {
        self.release = release;
        self.nvvm_opts = release;
        self
    }

    /// nvcc's `--use_fast_math`, as far as the methods above have it: all three of them, and
    /// [`CudaBuilder::fma_contraction`]. One that is called afterwards changes it.
    pub fn fast_math(self) -> Self {
        self.ftz(true)
            .fast_sqrt(true)
            .fast_div(true)
            .fma_contraction(true)
    }

    /// Writes the LLVM IR that PTX is generated from there, as text.
    pub fn final_module_path(mut self, path: impl AsRef<Path>) -> Self {
        self.final_module_path = Some(path.as_ref().to_owned());
        self
    }

    /// More arguments for cargo, `--features=x` for instance.
    pub fn build_args(mut self, arguments: &[impl AsRef<str>]) -> Self {
        let given = arguments.iter().map(|one| one.as_ref().to_owned());
        self.build_args.extend(given);
        self
    }

    /// Builds these kernels alone, by names as [`names::entries`](crate::names::entries) takes
    /// them, when they are needed: the bodies of the others are not compiled, which is most of the
    /// time. The code is
    /// that of a build of all, and there is a file for each part that one of them is in, which
    /// [`CudaBuilder::final_module_path`] shows where it is one. By the name of an entry, that
    /// file has this entry and no other.
    ///
    /// What earlier builds with the same options left in [`CudaBuilder::out_dir`] stays there as
    /// long as the sources are the same, and is not built again; the manifest lists all kernels,
    /// and says which are there. Processes that build into one folder wait for each other.
    ///
    /// A name is of a kernel for one of the architectures at least.
    ///
    /// The compiler's warnings about the crate are left to builds of all: what the others use
    /// would look unused.
    pub fn only(mut self, names: &[impl AsRef<str>]) -> Self {
        let names = names.iter().map(|name| name.as_ref().to_owned());
        self.only.extend(names);
        self
    }

    /// The level of every lint. Default: [`LintLevel::Warn`], and [`LintLevel::Deny`] of
    /// [`Lint::LocalAtomic`].
    pub fn lints(mut self, level: LintLevel) -> Self {
        let mut set = |lint: &Lint| self.lints.set(*lint, level);
        Lint::ALL.iter().for_each(&mut set);
        self
    }

    /// The level of one lint.
    pub fn lint(mut self, lint: Lint, level: LintLevel) -> Self {
        self.lints.set(lint, level);
        self
    }

    /// The command that errors about a missing toolchain or package name,
    /// instead of rustup's and cargo's.
    pub fn setup_command(mut self, command: impl Into<String>) -> Self {
        self.setup_command = Some(command.into());
        self
    }

    /// Tells `listener` how far the build is, on whichever thread gets there. Without one,
    /// cargo's own messages go to stderr; with one, the compiler's alone.
    pub fn progress(mut self, listener: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Self {
        self.report = Report::new(listener);
        self
    }

    /// Leaves the marking of collectives out, which makes wrong code of
    /// kernels with barriers: there for the test that shows it.
    #[doc(hidden)]
    pub fn without_convergence_marking(mut self) -> Self {
        self.mark_convergent = false;
        self
    }

    /// Builds the PTX of one architecture and returns its path, or that of the copy.
    ///
    /// # Errors
    ///
    /// [`CudaBuilderError`] says what is missing or wrong, in one sentence;
    /// what the compiler says goes to stderr as it comes.
    pub fn build(self) -> Result<PathBuf, CudaBuilderError> {
        let count = self.architectures().len();
        if count != 1 {
            return Err(CudaBuilderError::BadOption(format!(
                "build() makes the PTX of one architecture and {count} are given: use build_all()"
            )));
        }
        let copy = self.ptx_file_copy_path.clone();
        let artifact = self.make()?;
        let built = artifact.only_path()?;
        let Some(copy) = copy else {
            return Ok(built);
        };
        let copied = copy_if_changed(&built, &copy);
        copied.map_err(|source| CudaBuilderError::FailedToCopyPtxFile {
            path: copy.clone(),
            source,
        })?;
        Ok(copy)
    }

    /// Builds the PTX of every architecture and a manifest of the kernels.
    ///
    /// # Errors
    ///
    /// As [`CudaBuilder::build`]; [`CudaBuilderError::BadOption`] when no
    /// architecture is given, one twice, or a path for a single file.
    pub fn build_all(self) -> Result<Artifact, CudaBuilderError> {
        let one_file = self.ptx_file_copy_path.is_some() || self.final_module_path.is_some();
        if one_file && self.architectures().len() != 1 {
            return Err(CudaBuilderError::BadOption(
                "copy_to and final_module_path name one file, and build_all() makes one an architecture: use out_dir".into(),
            ));
        }
        let copy = self.ptx_file_copy_path.clone();
        let artifact = self.make()?;
        if let Some(copy) = copy {
            let built = artifact.only_path()?;
            copy_if_changed(&built, &copy)
                .map_err(|source| CudaBuilderError::FailedToCopyPtxFile { path: copy, source })?;
        }
        Ok(artifact)
    }
}

/// Options whose value is kept as it is given.
macro_rules! options {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        impl CudaBuilder {$(
            $(#[$doc])*
            pub fn $name(mut self, $name: $type) -> Self {
                self.$name = $name;
                self
            }
        )*}
    };
}

options! {
    /// Whether LLVM optimises. Default: as [`CudaBuilder::release`].
    nvvm_opts: bool;

    /// Whether the PTX carries the file and line of each instruction, which
    /// costs nothing at run time. Default: true. The calls that inlined it stand
    /// in comments, which `ptx-emulator` reads; see [`DebugInfo::LineTables`].
    generate_line_info: bool;

    /// How much about the source the PTX tells. Default: [`DebugInfo::None`].
    debug: DebugInfo;

    /// Flushes f32 denormals to zero. Default: false.
    ftz: bool;

    /// Approximates f32 square roots. Default: false.
    fast_sqrt: bool;

    /// Approximates f32 divisions. Default: false.
    fast_div: bool;

    /// Contracts `a * b + c` to one fused operation with one rounding.
    /// Default: true, as nvcc does; false gives the digits that a CPU gives.
    fma_contraction: bool;

    /// Leaves LLVM's comments in the PTX. Default: false.
    emit_comments: bool;

    /// Writes the module as LLVM IR before it is optimised beside the PTX, as `.ll`.
    emit_llvm_ir: bool;

    /// Writes rustc's bitcode beside the PTX, with the extension `.bc`.
    /// Default: false.
    emit_llvm_bitcode: bool;

    /// Whether kernels of the crates that this one depends on are in the PTX too. Default:
    /// false, so that a crate's device code can be used without its kernels.
    kernels_of_dependencies: bool;

    /// Part of rust-cuda's interface; without effect. The functions of the
    /// `libm` crate are compiled as they are, and give the digits that they
    /// give on a CPU; cuda_std has the fast approximate forms by name.
    override_libm: bool;

    /// Part of rust-cuda's interface: statics stay in global memory unless
    /// `#[address_space(constant)]` says otherwise. True gives a warning.
    use_constant_memory_space: bool;

    /// Part of rust-cuda's interface: true makes the build an error, because
    /// OptiX programs need entry points that rustc's backend cannot make.
    optix: bool;

    /// Whether an emulator alone takes the PTX: nothing warns of [`DebugInfo::Full`]. Default: false.
    for_emulators: bool;
}
