//! One round: a kernel as it is now is built, linted, checked and stated right or wrong.
//!
//! PTX and the host's side are built beside each other. Where only the device's code has
//! changed since the suite was built, the suite is what it would be; the host's compiler is
//! asked all the same whether it takes the kernels. Where more has changed, what the suite of
//! before says of the new PTX is provisional, and the one that is built meanwhile decides.
//!
//! A kernel with statements of its own is built alone; another one [`among`](super::among) all,
//! and the statements are those that launch it. The quick ones answer first; the others are
//! given up when something is saved meanwhile.

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use cuda_builder::manifest::Manifest;
use cuda_inspect::ptxas::Usage;
use cuda_inspect::tools::Tools;

use super::among::Among;
use super::sources::{Change, Sources, stamps};
use crate::{alone, cargo};

/// The file that says what the suite beside it was built from.
const BUILT: &str = "built.json";

/// The file that says what statements launch, for all kernels.
const LAUNCHES: &str = "statements.json";

/// How often it is looked whether the statements are done.
const INTERVAL: Duration = Duration::from_millis(20);

/// Variables that decide the suite's code.
const FLAGS: [&str; 4] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTC",
    "RUSTC_WRAPPER",
];

/// What the suite said of the PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// 0 where all is right; 1, 2, [`alone::OTHERS_NEEDED`] or [`alone::MORE`], which is
    /// left where others were given up.
    pub(super) code: u8,
    pub(super) text: String,
}

/// What a round found.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) said: Said,
    /// What the assembler says of the kernels, where there is one.
    pub(super) usages: Vec<Usage>,
    /// What it was said of.
    pub(super) artifact: PathBuf,
    /// Stages with their times, in their order; those that ran beside others too.
    pub(super) stages: Stages,
}

type Stages = Vec<(&'static str, Duration)>;

/// What is said before a round's verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Early {
    /// By the statements as they were built before this save.
    Provisional(Said),
    /// By the quick statements: nothing was found, and there are others.
    SoFar(Said),
}

/// What is kept from round to round.
#[derive(Debug)]
pub(super) struct Rounds {
    kernel: String,
    /// A folder of ours.
    folder: PathBuf,
    tools: Tools,
    /// None for a kernel with statements of its own.
    among: Option<Among>,
    /// What the suite was built from.
    built: Option<Sources>,
}

impl Rounds {
    pub(super) fn new(kernel: &str, sources: &Sources) -> anyhow::Result<Self> {
        let folder = cargo::target_directory()?.join("dev").join(kernel);
        fs::create_dir_all(&folder)
            .with_context(|| format!("{} could not be made", folder.display()))?;
        let among = match alone::has_statements(kernel) {
            true => None,
            false => Some(Among::find(kernel, &folder, sources)?),
        };
        let built = kept(folder.parent().unwrap_or(&folder));
        Ok(Rounds {
            kernel: kernel.to_owned(),
            folder,
            among,
            tools: Tools::find(),
            built,
        })
    }

    /// What has changed since the suite was built; `None` before it is.
    pub(super) fn change(&self, sources: &Sources) -> Option<Change> {
        Some(self.built.as_ref()?.change(sources))
    }

    /// A round on `sources`. What can be said before its verdict is handed to `early`.
    ///
    /// Errors: [`BuildFailed`](crate::BuildFailed), when all that compilers said was printed.
    pub(super) fn run(
        &mut self,
        sources: &Sources,
        early: &mut dyn FnMut(Early),
    ) -> anyhow::Result<Outcome> {
        let (artifact, stages) = match self.change(sources) {
            Some(Change::Nothing | Change::Device(_)) => self.with_the_suite()?,
            _ => self.with_a_new_suite(sources, early)?,
        };
        self.checked(&artifact, stages, sources, early)
    }

    /// Has the host's compiler go through what the kernels depend on, while nobody waits: the
    /// first save asks it about the kernels alone then.
    pub(super) fn prepare(&self) {
        let kernel = self.kernel.clone();
        thread::spawn(move || {
            // What is wrong is said by the round that asks.
            let _ = Log::new().and_then(|log| accepted_by_the_host(&kernel, log.writer()?));
        });
    }

    /// The kernel that times are of: of several, the name as it was given, which says so.
    pub(super) fn timed(&self) -> &str {
        match self.among.as_ref().map(|among| among.entries.as_slice()) {
            Some([entry]) => entry,
            _ => &self.kernel,
        }
    }

    /// What is kept of a kernel.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The suite is all kernels'.
    fn shared(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    fn suite(&self) -> PathBuf {
        self.shared().join(alone::SUITE)
    }

    /// The PTX that statements run on.
    fn artifact(&self) -> anyhow::Result<PathBuf> {
        match &self.among {
            None => alone::artifact(&self.kernel),
            Some(among) => among.artifact(),
        }
    }

    /// The suite is what it would be if it were built.
    fn with_the_suite(&self) -> anyhow::Result<(PathBuf, Stages)> {
        let mut log = Log::new()?;
        let to = log.writer()?;
        let (artifact, host) = thread::scope(|scope| {
            let host = scope.spawn(|| timed(|| accepted_by_the_host(&self.kernel, to)));
            (timed(|| self.artifact()), host.join())
        });
        let (artifact, built) = (artifact.0?, artifact.1);
        let (accepted, checked) = joined(host)?;
        log.print()?;
        accepted?;
        let stages = vec![("PTX", built), ("host's compiler, beside it", checked)];
        Ok((artifact, stages))
    }

    fn with_a_new_suite(
        &mut self,
        sources: &Sources,
        early: &mut dyn FnMut(Early),
    ) -> anyhow::Result<(PathBuf, Stages)> {
        let mut log = Log::new()?;
        let to = log.writer()?;
        let had_one = self.built.is_some();
        let (artifact, suite) = thread::scope(|scope| {
            let suite = scope.spawn(|| timed(|| alone::suite(to)));
            let artifact = timed(|| self.artifact());
            if let (true, Ok(artifact)) = (had_one, &artifact.0)
                && let Ok(said) = self.said(artifact, &[], &|| false)
            {
                early(Early::Provisional(said));
            }
            (artifact, suite.join())
        });
        let (artifact, built) = (artifact.0?, artifact.1);
        let (suite, linked) = joined(suite)?;
        log.print()?;
        let suite = suite?;
        self.built = None;
        self.keep(&suite.path, sources)?;
        let mut stages = vec![("PTX", built), ("statements' program, beside it", linked)];
        if let Some(among) = &self.among {
            // Its launches are those of the new sources, and so have all kernels to be.
            let (artifact, rebuilt) = timed(|| {
                among.build_all(sources)?;
                among.artifact()
            });
            stages.push(("all kernels", rebuilt));
            return Ok((artifact?, stages));
        }
        Ok((artifact, stages))
    }

    /// Keeps the suite, and what it was built from for another start of this program.
    fn keep(&mut self, suite: &Path, sources: &Sources) -> anyhow::Result<()> {
        let cannot = || format!("{} could not be written", self.shared().display());
        let (record, copy) = (self.shared().join(BUILT), self.suite());
        let new = copy.with_extension("new");
        if record.exists() {
            // Beside another suite it would be wrong.
            fs::remove_file(&record).with_context(cannot)?;
        }
        // One that is running stays what it is.
        fs::copy(suite, &new).with_context(cannot)?;
        fs::rename(&new, copy).with_context(cannot)?;
        // What was saved meanwhile may be in it or not.
        if stamps(cargo::root()) != sources.stamps {
            return Ok(());
        }
        let text = serde_json::to_vec(&(environment(), sources)).with_context(cannot)?;
        fs::write(record, text).with_context(cannot)?;
        self.built = Some(sources.clone());
        Ok(())
    }

    /// What the suite says, and meanwhile the assembler.
    fn checked(
        &self,
        artifact: &Path,
        mut stages: Stages,
        sources: &Sources,
        early: &mut dyn FnMut(Early),
    ) -> anyhow::Result<Outcome> {
        let is_saved = || stamps(cargo::root()) != sources.stamps;
        let new = self.among.as_ref().map_or(artifact, Among::anew);
        let ((said, checked), usages) = thread::scope(|scope| {
            let usages = scope.spawn(|| self.usages(new));
            (timed(|| self.said(artifact, &[], &is_saved)), usages.join())
        });
        let mut said = said?;
        stages.push(("statements on the emulator", checked));
        if said.code == alone::MORE && !is_saved() {
            early(Early::SoFar(said.clone()));
            let (rest, checked) = timed(|| self.said(artifact, &["--rest"], &is_saved));
            said = rest?;
            stages.push(("the rest of them", checked));
        }
        Ok(Outcome {
            said,
            artifact: artifact.to_owned(),
            // An assembler that refuses PTX is `inspect`'s to tell.
            usages: usages.unwrap_or_default(),
            stages,
        })
    }

    /// Runs the statements under all checks of the emulator, until `is_saved`.
    fn said(
        &self,
        artifact: &Path,
        options: &[&str],
        is_saved: &dyn Fn() -> bool,
    ) -> anyhow::Result<Said> {
        let suite = self.suite();
        let mut command = Command::new(&suite);
        command.args(["check", &self.kernel, "--artifact"]);
        command.arg(artifact).args(options);
        if let Some(among) = &self.among {
            let launches = self.shared().join(LAUNCHES);
            command.args(["--entries", &among.entries.join(",")]);
            command.arg("--launches").arg(launches);
        }
        let (mut stdout, mut stderr) = (Log::new()?, Log::new()?);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(stdout.writer()?)
            .stderr(stderr.writer()?)
            .spawn()
            .with_context(|| format!("{} could not be started", suite.display()))?;
        let mut looked = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().context("the statements are lost")? {
                break status;
            }
            let is_due = self.among.is_some() && looked.elapsed() > super::INTERVAL;
            if is_due {
                looked = Instant::now();
            }
            if is_due && is_saved() {
                // What it would say is of before the save.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(Said {
                    code: alone::MORE,
                    text: "saved again meanwhile: the statements were not run to their end".into(),
                });
            }
            thread::sleep(INTERVAL);
        };
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        // Messages of panics are in the report, and steps are nobody's business here.
        let text = match code {
            Some(0 | 1 | alone::MORE) => stdout.text()?,
            _ => stderr.text()?,
        };
        Ok(Said {
            code: code.unwrap_or(1),
            text: text.trim().to_owned(),
        })
    }

    fn usages(&self, artifact: &Path) -> Vec<Usage> {
        let manifest = Manifest::read(artifact);
        let modules = manifest.iter().flat_map(|manifest| manifest.modules());
        let parts = modules.flat_map(|module| module.parts.iter().map(move |part| (module, part)));
        let parts = parts.filter(|(_, part)| !part.kernels.is_empty());
        parts
            .filter_map(|(module, part)| {
                let ptx = artifact.join(&part.file);
                self.tools.usages(&ptx, &module.arch).ok().flatten()
            })
            .flatten()
            .collect()
    }
}

/// What the suite in a folder was built from, where that is known and the compiler is the same.
fn kept(folder: &Path) -> Option<Sources> {
    let text = fs::read(folder.join(BUILT)).ok()?;
    let (built_in, sources): (Vec<Option<String>>, Sources) = serde_json::from_slice(&text).ok()?;
    (built_in == environment() && folder.join(alone::SUITE).is_file()).then_some(sources)
}

/// What decides the suite's code beside its sources.
pub(super) fn environment() -> Vec<Option<String>> {
    let compiler = Command::new("rustc").arg("-vV").output().ok();
    let compiler = compiler.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let variables = FLAGS.map(|name| std::env::var(name).ok());
    let root = cargo::root().to_string_lossy().into_owned();
    [Some(root), compiler]
        .into_iter()
        .chain(variables)
        .collect()
}

/// Whether the host's compiler takes the kernels, whose bodies it checks and never runs.
fn accepted_by_the_host(kernel: &str, log: File) -> anyhow::Result<()> {
    let mut check = alone::quiet("check", log);
    check.args(["--package", "quadscan-kernels"]);
    check.args(alone::features(kernel));
    cargo::build(check, "the package quadscan-kernels on the host").map(drop)
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}

fn joined<T>(result: thread::Result<T>) -> anyhow::Result<T> {
    result.map_err(|_| anyhow::anyhow!("a thread of the build panicked"))
}

/// What a program says that is not to be seen as it comes.
struct Log(File);

impl Log {
    fn new() -> anyhow::Result<Self> {
        tempfile::tempfile().map(Log).context("no temporary file")
    }

    fn writer(&self) -> anyhow::Result<File> {
        self.0.try_clone().context("no temporary file")
    }

    fn text(&mut self) -> anyhow::Result<String> {
        let mut text = Vec::new();
        self.0
            .rewind()
            .and_then(|()| self.0.read_to_end(&mut text))
            .context("what a program said could not be read")?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn print(&mut self) -> anyhow::Result<()> {
        eprint!("{}", self.text()?);
        Ok(())
    }
}
