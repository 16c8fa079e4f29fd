//! `cargo xtask check [KERNEL]`: kernels under all checks of the emulator.
//!
//! The test program `conformance` of `quadscan-tests` runs the checks, on the launches of the
//! conformance tests. It is built without PTX and reads it from a folder. The PTX of a KERNEL is
//! built each time, alone, which takes seconds. Its tests also launch other kernels: those are
//! built once, and again when the host's side of the kernels has changed.

mod known_bugs;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;

use anyhow::{Context, anyhow};
use cuda_builder::manifest::{FILE_NAME, Kernel, Manifest, Part};
use cuda_builder::names::UnknownKernel;
use cuda_builder::{Artifact, CudaBuilderError, DebugInfo, LintLevel};
use hmac_sha256::Hash as Sha256;

use crate::error::{BuildFailed, Refused};
use crate::{cargo, ptx, setup, terminal};

/// The suite of tests, and the folder of its modules below the root.
const SUITE: &str = "conformance";
const TESTS: &str = "tests/tests/conformance";

/// The suite's exit code when its tests need kernels that are not there.
const OTHERS_NEEDED: i32 = 3;

/// Before the name of a file with kernels that were built anew.
const ANEW: &str = "anew.";

/// What is checked, and how often.
#[derive(clap::Args, Clone, Debug, Default)]
pub(crate) struct Options {
    /// The kernels to check: an entry, a module of PTX, an integrand, or the beginning of several
    /// entries' names; or a module of conformance tests to run [default: all]
    #[arg(value_name = "KERNEL")]
    pub(crate) kernel: Option<String>,
    /// Interleavings of warps, blocks and divergent paths to run
    #[arg(long, value_name = "N", default_value_t = 4, allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) schedules: u64,
    /// Run slow tests too; without KERNEL, under every schedule
    #[arg(long)]
    pub(crate) slow: bool,
    /// Run the kernels with known bugs, each beside its right sibling: one KERNEL of them, or all
    #[arg(long, conflicts_with = "slow")]
    pub(crate) known_bugs: bool,
    /// Print the source lines that one thread of KERNEL goes through, instead of checking
    #[arg(long, requires = "kernel", conflicts_with = "known_bugs")]
    pub(crate) trace: bool,
    /// The thread's block [default: 0]
    #[arg(long, value_name = "X[,Y[,Z]]", requires = "trace", value_parser = index)]
    pub(crate) block: Option<String>,
    /// The thread in it [default: 0]
    #[arg(long, value_name = "X[,Y[,Z]]", requires = "trace", value_parser = index)]
    pub(crate) thread: Option<String>,
}

/// An index of a block or a thread, as the suite takes it.
fn index(text: &str) -> Result<String, String> {
    let is_index = text.split(',').all(|number| number.parse::<u32>().is_ok());
    match is_index && text.split(',').count() <= 3 {
        true => Ok(text.to_owned()),
        false => Err("allowed are one to three whole numbers: X[,Y[,Z]]".to_owned()),
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    if let Some(name) = &options.kernel {
        can_be(name)?;
        if options.known_bugs {
            known_bugs::is_one(name)?;
        }
    }
    setup::ensure()?;
    if options.known_bugs {
        return known_bugs::run(options);
    }
    checked(options).map(|checked| ExitCode::from(checked.code))
}

/// What came of a check.
pub(crate) struct Checked {
    /// The suite's exit code.
    pub(crate) code: u8,
    /// The folder of the PTX.
    pub(crate) artifact: PathBuf,
}

/// Builds what is checked and runs its tests.
pub(crate) fn checked(options: &Options) -> anyhow::Result<Checked> {
    let folder = folder()?;
    let name = options.kernel.as_deref();
    terminal::begin(&format!("building {}", name.unwrap_or("all kernels")));
    // The device's side and the host's have little in common, and neither uses all cores.
    let (anew, suite) = thread::scope(|scope| {
        let suite = scope.spawn(|| suite(SUITE));
        let anew = name.map_or(Ok(None), |name| named(name, &folder));
        (anew, suite.join())
    });
    let anew = anew?;
    let (suite, host) = suite.map_err(|_| anyhow!("building the suite panicked"))??;
    let all = All::new(&folder, host);
    let mut artifact = match &anew {
        // Tests may do without the others.
        Some(anew) if !all.is_built() => anew.dir.clone(),
        Some(anew) => among(&all.folder, anew)?,
        None => all.build()?,
    };
    let variables = match (options.trace, name) {
        (true, Some(name)) => variables(name, &folder)?,
        _ => None,
    };
    let variables = variables.as_deref();
    let mut code = tested(&suite, options, &artifact, variables)?;
    if let (Some(OTHERS_NEEDED), Some(anew)) = (code, &anew) {
        terminal::begin("building all kernels, since the tests launch others too (minutes, once)");
        all.build()?;
        artifact = among(&all.folder, anew)?;
        code = tested(&suite, options, &artifact, variables)?;
    }
    let code = code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(Checked { code, artifact })
}

/// Refuses what no kernel can be called.
pub(crate) fn can_be(name: &str) -> Result<(), Refused> {
    match ptx::is_word(name) {
        true => Ok(()),
        false => Err(refused(&UnknownKernel::among(name, []))),
    }
}

/// Where no name is near, what is allowed.
pub(crate) fn refused(unknown: &UnknownKernel) -> Refused {
    const ALLOWED: &str = "allowed are the name of an entry, a PTX module or an integrand, and the beginning of entry names; `cargo xtask inspect --all` lists the entries";
    match unknown.near.is_empty() {
        true => Refused(format!("{unknown}: {ALLOWED}")),
        false => Refused(unknown.to_string()),
    }
}

/// Where what is kept of checks is.
pub(crate) fn folder() -> anyhow::Result<PathBuf> {
    Ok(cargo::target_directory()?.join("check"))
}

/// The kernels that a name stands for, built; none where it is that of tests about several.
fn named(name: &str, folder: &Path) -> anyhow::Result<Option<Artifact>> {
    let built = build(&folder.join("anew").join(name), &[name], DebugInfo::None);
    match built {
        Ok(artifact) => Ok(Some(artifact)),
        Err(CudaBuilderError::UnknownKernel(unknown)) => {
            let tests = cargo::root().join(TESTS).join(name);
            match tests.with_extension("rs").is_file() || tests.is_dir() {
                true => Ok(None),
                false => Err(refused(&unknown).into()),
            }
        }
        Err(error) => Err(BuildFailed(error.to_string()).into()),
    }
}

/// The kernels of a name with full debug information, which tells variables; none where it is
/// that of tests about several.
fn variables(name: &str, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    match build(&folder.join("trace").join(name), &[name], DebugInfo::Full) {
        Ok(artifact) => Ok(Some(artifact.dir)),
        Err(CudaBuilderError::UnknownKernel(_)) => Ok(None),
        Err(error) => Err(BuildFailed(error.to_string()).into()),
    }
}

/// Builds these kernels, or all, as an H200 loads them.
fn build(folder: &Path, names: &[&str], debug: DebugInfo) -> Result<Artifact, CudaBuilderError> {
    let builder = ptx::builder(&cargo::root().join("kernels-crate"), folder)
        .map_err(|error| CudaBuilderError::BadOption(error.to_string()))?;
    let builder = builder
        .arch(ptx::NEWEST)
        .lints(LintLevel::Deny)
        .debug(debug)
        .for_emulators(true);
    let builder = builder.progress(|progress| terminal::note(&progress.to_string()));
    builder.only(names).build_all()
}

/// A suite's program, without PTX; and what tells this host's side of the kernels from another.
fn suite(name: &str) -> anyhow::Result<(PathBuf, String)> {
    let mut build = cargo::command("test");
    build.args(["--quiet", "--no-run"]);
    build.args(["--package", "quadscan-tests", "--test", name]);
    let built = cargo::made(build, "the package quadscan-tests")?;
    let host = built
        .iter()
        .filter(|one| one.target.name == "quadscan_kernels");
    let host = host.flat_map(|one| &one.filenames).map(|path| {
        let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
        format!("{} {:?}\n", path.display(), modified.ok())
    });
    let host = host.collect();
    let suite = built.into_iter().find(|one| one.target.name == name);
    let suite = suite.and_then(|suite| suite.executable);
    Ok((
        suite.context("cargo built the tests and named no executable")?,
        host,
    ))
}

/// Runs the tests; the exit code.
fn tested(
    suite: &Path,
    options: &Options,
    artifact: &Path,
    variables: Option<&Path>,
) -> anyhow::Result<Option<i32>> {
    let mut command = program_checking(suite, options);
    command.args(options.slow.then_some("--slow"));
    command.args(options.trace.then_some("--trace"));
    for (name, index) in [("--block", &options.block), ("--thread", &options.thread)] {
        if let Some(index) = index {
            command.args([name, index]);
        }
    }
    command.arg("--artifact").arg(artifact);
    if let Some(folder) = variables {
        command.arg("--variables").arg(folder);
    }
    command
        .arg("--launches")
        .arg(folder()?.join("launches.json"));
    status(command)
}

/// A suite's program that checks what is asked for.
fn program_checking(suite: &Path, options: &Options) -> Command {
    let mut command = Command::new(suite);
    command.arg("check").args(&options.kernel);
    command.args(["--schedules", &options.schedules.to_string()]);
    command
}

/// Runs a program; its exit code.
fn status(mut command: Command) -> anyhow::Result<Option<i32>> {
    let status = command.status();
    let cannot = || format!("{} could not be started", command.get_program().display());
    Ok(status.with_context(cannot)?.code())
}

/// All kernels, as they were when they were built last.
struct All {
    folder: PathBuf,
    /// What the program that launches them was built with.
    host: String,
}

impl All {
    fn new(folder: &Path, host: String) -> Self {
        let folder = folder.join("all");
        All { folder, host }
    }

    /// They are launched as this program does it.
    fn is_built(&self) -> bool {
        fs::read_to_string(self.mark()).is_ok_and(|host| host == self.host)
    }

    fn mark(&self) -> PathBuf {
        self.folder.join("host.txt")
    }

    fn build(&self) -> anyhow::Result<PathBuf> {
        build(&self.folder, &[], DebugInfo::None)
            .map_err(|error| BuildFailed(error.to_string()))?;
        write(&self.mark(), self.host.as_bytes())?;
        Ok(self.folder.clone())
    }
}

/// The kernels that were built anew among all others, in a folder beside them.
fn among(all: &Path, anew: &Artifact) -> anyhow::Result<PathBuf> {
    let folder = anew.dir.join("among");
    let cannot = || format!("{} could not be written", folder.display());
    fs::create_dir_all(&folder).with_context(cannot)?;
    let mut manifest = Manifest::read(all)?.of_what_is_built();
    let new = anew.manifest.clone().of_what_is_built();
    for module in &mut manifest.modules {
        let new = new.modules.first().map(|new| &new.parts);
        replace(&mut module.parts, new.map_or(&[][..], Vec::as_slice));
        let mut whole = Sha256::new();
        for part in &module.parts {
            let from = match part.file.strip_prefix(ANEW) {
                Some(file) => anew.dir.join(file),
                None => all.join(&part.file),
            };
            let text = fs::read(from)?;
            whole.update(&text);
            write(&folder.join(&part.file), &text)?;
        }
        let digest = whole.finalize();
        module.sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    }
    write(&folder.join(FILE_NAME), manifest.to_json().as_bytes())?;
    Ok(folder)
}

/// Takes kernels that were built anew out of the modules that have them, and adds theirs.
fn replace(parts: &mut Vec<Part>, anew: &[Part]) {
    let new = anew.iter().flat_map(|part| &part.kernels);
    let new: BTreeSet<&str> = new.map(|kernel| &*kernel.entry).collect();
    for part in &mut *parts {
        let is_other = |kernel: &Kernel| !new.contains(kernel.entry.as_str());
        part.kernels.retain(is_other);
    }
    // The first one is loaded at once, with or without kernels.
    let mut first = true;
    parts.retain(|part| std::mem::take(&mut first) || !part.kernels.is_empty());
    parts.extend(anew.iter().map(|part| Part {
        name: format!("{ANEW}{}", part.name),
        file: format!("{ANEW}{}", part.file),
        ..part.clone()
    }));
}

/// Writes a file unless it is that already.
fn write(path: &Path, text: &[u8]) -> anyhow::Result<()> {
    if fs::read(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    fs::write(path, text).with_context(|| format!("{} could not be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_kernel_can_have_is_refused() {
        for name in ["", "../main", "Scan", "a,b"] {
            assert!(can_be(name).is_err(), "{name}");
        }
        assert!(can_be("u8_u32").is_ok());
    }

    /// Parts with entries.
    fn parts(parts: &[(&str, &[&str])]) -> Vec<Part> {
        let kernel = |entry: &&str| Kernel {
            entry: (*entry).to_owned(),
            ..Kernel::default()
        };
        let part = |(name, entries): &(&str, &[&str])| Part {
            name: (*name).into(),
            file: format!("{name}.ptx"),
            kernels: entries.iter().map(kernel).collect(),
            ..Part::default()
        };
        parts.iter().map(part).collect()
    }

    /// Files with their entries.
    fn replaced(all: &[(&str, &[&str])], anew: &[(&str, &[&str])]) -> Vec<String> {
        let mut all = parts(all);
        replace(&mut all, &parts(anew));
        let line = |part: &Part| {
            let entries: Vec<&str> = part.kernels.iter().map(|one| &*one.entry).collect();
            format!("{}: {}", part.file, entries.join(" "))
        };
        all.iter().map(line).collect()
    }

    #[test]
    fn kernels_that_were_built_anew_take_the_places_of_those_before() {
        let all = [
            ("main", &["copy"][..]),
            ("sums", &["a", "b"]),
            ("one", &["c"]),
        ];
        let of_two = replaced(&all, &[("sums", &["b"]), ("one", &["c"])]);
        let files = [
            "main.ptx: copy",
            "sums.ptx: a",
            "anew.sums.ptx: b",
            "anew.one.ptx: c",
        ];
        assert_eq!(of_two, files);
        // The first one stays the first.
        let of_main = replaced(&all[..2], &[("main", &["copy"])]);
        assert_eq!(
            of_main,
            ["main.ptx: ", "sums.ptx: a b", "anew.main.ptx: copy"]
        );
    }
}
