//! Every flag that rustc, cargo and LLVM get, with its reason.
//!
//! Nothing else in this crate decides how code is generated.

use std::path::Path;

use crate::options::Options;
use crate::toolchain::Toolchain;
use crate::{DebugInfo, NvvmArch};

/// The release 1.N whose cargo takes `trim-paths` without `-Z`.
const TRIM_PATHS_STABLE: u32 = 101;

/// rustc's target for CUDA.
pub(crate) const TARGET: &str = "nvptx64-nvidia-cuda";

/// LLVM's own flag, given once a process: loops with a constant number of
/// turns are unrolled up to this many instructions. Rust has no unroll
/// attribute, and an array that a rolled loop indexes ends in local memory.
pub(crate) const UNROLL_THRESHOLD: u32 = 20_000;

/// LLVM's own flag, given once a process: where a function has this many blocks or more,
/// CodeGenPrepare goes through all of it once. Its rounds over thousands of blocks take minutes, and
/// without them nothing is lost: of 94 modules of PTX two lines of one changed places (2026-11-27).
pub(crate) const HUGE_FUNCTION: u32 = 0;

/// What does not ask for the architecture: it is compiled once for all of them.
const SHARED: [&str; 3] = ["core@0.0.0", "alloc@0.0.0", "compiler_builtins"];

/// `.file` and `.loc` alone: anything more makes LLVM ask for `.target ..., debug`, which ptxas
/// refuses in optimised code.
const LINE_DIRECTIVES: &str = "debug=\"line-directives-only\"";

/// The flags of rustc that decide the code of one architecture.
pub(crate) fn rustc(options: &Options, arch: NvvmArch) -> Vec<String> {
    let (major, minor) = options.ptx_version.unwrap_or(arch.ptx_version());
    // Of the architectures that rustc has no feature for, the one that they include.
    let included = match arch.target() {
        "sm_100f" | "sm_103" | "sm_103f" | "sm_103a" => ",+sm_100",
        "sm_101f" | "sm_110" | "sm_110f" | "sm_110a" => ",+sm_101",
        "sm_120f" | "sm_121" | "sm_121f" | "sm_121a" => ",+sm_120",
        _ => "",
    };
    let mut flags = vec![
        // Sets `cfg(target_feature = "sm_90")` and what it includes.
        format!("-Ctarget-cpu={arch}"),
        // The PTX version is chosen, not left to the newest.
        format!("-Ctarget-feature=+ptx{major}{minor}{included}"),
        // rust-cuda's kernel crates do not say it themselves.
        "-Zcrate-attr=no_std".into(),
        // Those that do say it would get a warning for it.
        "-Aunused-attributes".into(),
    ];
    flags.extend(compute_features(arch));
    flags.extend(of_any());
    flags
}

/// rust-cuda's `cfg(target_feature = "compute_90")` for `arch`: rustc has no such names, so that
/// setting them contradicts nothing of its own.
fn compute_features(arch: NvvmArch) -> Vec<String> {
    let known: Vec<_> = NvvmArch::ALL
        .iter()
        .map(|arch| format!("{:?}", arch.target_feature()))
        .collect();
    let mut flags = vec![
        "-Aexplicit_builtin_cfgs_in_flags".to_owned(),
        format!(
            "--check-cfg=cfg(target_feature,values({}))",
            known.join(",")
        ),
    ];
    let set = arch.all_target_features();
    flags.extend(
        set.iter()
            .map(|name| format!("--cfg=target_feature={name:?}")),
    );
    flags
}

/// The flags of rustc that are the same for all architectures.
fn of_any() -> Vec<String> {
    let flags = [
        // rustc's optimiser does not know that inline assembly with `.sync`
        // is convergent: nothing may run before the marking.
        "-Cno-prepopulate-passes",
        // The one pass over MIR that copies blocks, and assembly with them.
        "-Zmir-enable-passes=-JumpThreading",
        // Names that can be read back.
        "-Csymbol-mangling-version=v0",
        // Machine code is generated of all crates at once, for one architecture, and what rustc
        // says of it is taken off before.
        "-Cunsafe-allow-abi-mismatch=target-cpu",
    ];
    flags.map(str::to_owned).into()
}

/// cargo's arguments for one build of the crate at `manifest`.
///
/// rustc's flags go into the profile, not into `RUSTFLAGS`: cargo keeps what
/// it builds with different profiles apart, so that building for one
/// architecture does not undo another, and macros are built once for all.
pub(crate) fn cargo(
    toolchain: &Toolchain,
    options: &Options,
    arch: NvvmArch,
    manifest: &Path,
    target: &Path,
    locked: bool,
    quiet: bool,
) -> Vec<String> {
    let profile = if options.release { "release" } else { "dev" };
    let mut arguments: Vec<String> = vec![
        "rustc".into(),
        "--lib".into(),
        // The manifest says rlib, so that the crate builds for the host too.
        "--crate-type=cdylib".into(),
        format!("--target={TARGET}"),
        format!("--profile={profile}"),
        format!("--manifest-path={}", manifest.display()),
        format!("--target-dir={}", target.display()),
        "--message-format=json-render-diagnostics".into(),
        // No core for this target is distributed.
        "-Zbuild-std=core,alloc".into(),
        // memcpy and its kin in Rust: there is no libc.
        "-Zbuild-std-features=compiler-builtins-mem".into(),
        "-Zpanic-immediate-abort".into(),
        "-Zprofile-rustflags".into(),
        // Clones of a workspace may share a target folder: what one built
        // stands for another's sources when they are equal, not when older.
        "-Zchecksum-freshness".into(),
        "--config=build.fingerprint=\"content\"".into(),
        // Everything was fetched when the toolchain was set up.
        "--offline".into(),
    ];
    if locked {
        arguments.push("--locked".into());
    }
    if quiet {
        arguments.push("--quiet".into());
    }
    if toolchain.minor_version() < TRIM_PATHS_STABLE {
        arguments.push("-Ztrim-paths".into());
    }
    let rustflags = rustc(options, arch);
    let debug = match (options.debug, options.line_directives()) {
        (DebugInfo::Full, _) => "debug=\"full\"",
        (_, true) => LINE_DIRECTIVES,
        (_, false) => "debug=\"none\"",
    };
    // Whatever the crate's own profile says, so that core is built once for
    // all crates.
    let level = if options.release {
        "opt-level=3"
    } else {
        "opt-level=0"
    };
    let settings = [
        // Array and strings of Rust's debug form are TOML's too.
        &format!("rustflags={rustflags:?}"),
        // Macros and build scripts run here.
        "build-override.rustflags=[]",
        // Keeps the paths of this machine out of the PTX.
        "trim-paths=\"all\"",
        debug,
        level,
        // A panic is a trap; its message would drag formatting into the PTX.
        // Not in the manifest, because a stable cargo cannot read it there.
        "panic=\"immediate-abort\"",
        // One module of everything, in one piece.
        "lto=\"fat\"",
        "codegen-units=1",
        "incremental=false",
    ];
    for setting in settings {
        arguments.push("--config".into());
        arguments.push(format!("profile.{profile}.{setting}"));
    }
    for package in SHARED {
        let rustflags = of_any();
        arguments.push("--config".into());
        arguments.push(format!(
            "profile.{profile}.package.\"{package}\".rustflags={rustflags:?}"
        ));
        if options.debug == DebugInfo::Full {
            arguments.push("--config".into());
            arguments.push(format!(
                "profile.{profile}.package.\"{package}\".{LINE_DIRECTIVES}"
            ));
        }
    }
    arguments.extend(options.build_args.iter().cloned());
    if !options.only.is_empty() {
        if !options.build_args.iter().any(|argument| argument == "--") {
            arguments.push("--".into());
        }
        arguments.extend([
            // What kernels use that are left out would look unused.
            "--cap-lints=allow".into(),
            // Nothing asks for it: cargo sees what the macros were told.
            "--cfg".into(),
            format!("cuda_builder_only={:?}", options.only.join(",")),
        ]);
    }
    arguments
}

/// LLVM's own pipeline of passes.
pub(crate) fn pipeline(options: &Options) -> &'static str {
    if options.nvvm_opts {
        "default<O3>"
    } else {
        "default<O0>"
    }
}

/// The options that decide the code, as the manifest lists them.
pub(crate) fn listed(options: &Options) -> Vec<String> {
    let mut flags = vec![
        format!(
            "profile={}",
            if options.release { "release" } else { "dev" }
        ),
        format!("passes={}", pipeline(options)),
        format!("unroll-threshold={UNROLL_THRESHOLD}"),
        format!("cgpp-huge-func={HUGE_FUNCTION}"),
        format!("fma-contraction={}", options.fma_contraction),
        format!("ftz={}", options.ftz),
        format!("fast-sqrt={}", options.fast_sqrt),
        format!("fast-div={}", options.fast_div),
        format!("line-info={}", options.line_info()),
    ];
    if options.kernels_of_dependencies {
        flags.push("kernels-of-dependencies=true".into());
    }
    flags.extend(options.build_args.iter().cloned());
    flags
}

impl Options {
    /// Whether the PTX carries `.file` and `.loc`.
    pub(crate) fn line_directives(&self) -> bool {
        self.generate_line_info || self.debug != DebugInfo::None
    }

    /// Whether debug locations are written in fewer words than LLVM's.
    pub(crate) fn short_locations(&self) -> bool {
        self.line_directives() && self.debug == DebugInfo::None && !self.emit_comments
    }

    fn line_info(&self) -> &'static str {
        match (self.line_directives(), self.short_locations()) {
            (false, _) => "false",
            (true, true) => "true",
            (true, false) => "in-full",
        }
    }
}
