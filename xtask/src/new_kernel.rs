//! `cargo xtask new-kernel NAME [--from ORIGIN]`: a new kernel that works at
//! once.
//!
//! A kernel has three files of its own: the kernel
//! (`kernels-crate/src/NAME.rs`), its launch with an example and the expected result
//! (`bench-crate/src/kernels/NAME.rs`), and its tests (`tests/tests/conformance/NAME.rs`).
//! Everything else is a line in a list: its modules, its tests, and `NAME::KERNEL` in
//! `quadscan_bench::kernels::ALL`. A bench row needs nothing else: the table `kernels`
//! uses that list, and so do the tests that each kernel is launched and compared. An integrand has an entry in the catalogue and its closed form
//! instead of a kernel's file, since the catalogue makes its kernels.
//!
//! A new kernel is a part of its own, so that an edit builds it alone (`alone`).
//!
//! - `names`: what a kernel may be called.
//! - `origin`: the templates, and what each of them adds.
//! - `edit`: insertions into files that are there. Pure.

mod edit;
pub(crate) mod names;
mod origin;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::Context;

use crate::error::{Refused, path};
use crate::{cargo, terminal};
use origin::Origin;

/// What `cargo xtask new-kernel` is asked for.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Its entry, a word in snake case
    #[arg(value_name = "NAME")]
    name: String,

    /// What it begins as
    #[arg(long, value_enum, default_value_t = Origin::Map)]
    from: Origin,

    /// Another checkout, for tests
    #[arg(long, value_parser = path(), hide = true)]
    root: Option<PathBuf>,
}

/// A file as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
struct File {
    /// From the root.
    path: String,
    text: String,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let root = options.root.as_deref().unwrap_or(cargo::root());
    let refuse = |problem: String| Refused(format!("NAME `{}` {problem}", options.name));
    names::check(root, &options.name).map_err(refuse)?;
    let read = |path: &str| {
        fs::read_to_string(root.join(path)).map_err(|error| format!("{path}: {error}"))
    };
    let files = options.from.files(&options.name, read).map_err(Refused)?;
    let files: Vec<File> = files.into_iter().map(formatted).collect();
    write(root, &files)?;
    for file in &files {
        println!("{}", file.path);
    }
    terminal::note(&format!("next: cargo xtask check {}", options.name));
    Ok(ExitCode::SUCCESS)
}

/// As rustfmt has it; as it is where there is no rustfmt.
fn formatted(file: File) -> File {
    let format = || {
        let mut rustfmt = Command::new("rustfmt")
            .args(["--edition", "2024", "--emit", "stdout", "--quiet"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        rustfmt.stdin.take()?.write_all(file.text.as_bytes()).ok()?;
        let output = rustfmt.wait_with_output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    match format() {
        Some(text) => File { text, ..file },
        None => file,
    }
}

/// Writes all files, or none: what was written is taken back when another cannot be.
fn write(root: &Path, files: &[File]) -> anyhow::Result<()> {
    let mut done: Vec<(PathBuf, Option<Vec<u8>>)> = Vec::new();
    for File { path, text } in files {
        let path = root.join(path);
        let before = match fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            // What cannot be read could not be given back.
            Err(error) => {
                take_back(&done);
                return Err(error).with_context(|| {
                    format!(
                        "{} could not be read, and nothing was written",
                        path.display()
                    )
                });
            }
        };
        let new = path.with_extension("new");
        if let Err(error) = fs::write(&new, text).and_then(|()| fs::rename(&new, &path)) {
            // One that stays is named below.
            let _ = fs::remove_file(&new);
            take_back(&done);
            return Err(error).with_context(|| {
                format!("{} could not be written, and nothing was", path.display())
            });
        }
        done.push((path, before));
    }
    Ok(())
}

fn take_back(done: &[(PathBuf, Option<Vec<u8>>)]) {
    for (path, before) in done {
        // Nothing better is known to do when this fails too.
        let _ = match before {
            Some(bytes) => fs::write(path, bytes),
            None => fs::remove_file(path),
        };
    }
}

#[cfg(test)]
#[path = "new_kernel/tests.rs"]
mod tests;
