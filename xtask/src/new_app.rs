//! `cargo xtask new-app DIR`: an application outside of the workspace, with kernels of its
//! own, that builds and runs at once without a toolkit.
//!
//! It depends on this checkout by its path, without quadscan's own kernels, so that what is
//! built takes a minute and no more. The templates are in `new_app/template`; a test
//! (`outside_crate`) builds, runs and tests what comes of them.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;

use crate::error::Refused;
use crate::{cargo, terminal};

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("new_app/template/", $path, ".template")))),*]
    };
}

/// Files of the application, by their paths in it, and their templates.
const FILES: &[(&str, &str)] = files![
    "Cargo.toml",
    ".cargo/config.toml",
    ".gitignore",
    "README.md",
    "build.rs",
    "kernels/Cargo.toml",
    "kernels/src/lib.rs",
    "src/lib.rs",
    "src/main.rs",
    "tests/emulator.rs",
];

/// The versions that this checkout was tested with; cargo takes out what is not needed.
const LOCK: &str = "Cargo.lock";

pub(crate) fn run(directory: &Path) -> anyhow::Result<ExitCode> {
    let refuse = |problem: String| Refused(format!("DIR {} {problem}", directory.display()));
    let name = package_name(directory).map_err(refuse)?;
    let is_new = check(directory).map_err(refuse)?;
    let lock = fs::read(cargo::root().join(LOCK)).context("Cargo.lock could not be read")?;
    fs::create_dir_all(directory).map_err(|error| refuse(format!("cannot be made: {error}")))?;
    if let Err(error) = write(directory, &name, &lock) {
        // It was empty or not there, and is so again.
        let _ = fs::remove_dir_all(directory);
        if !is_new {
            let _ = fs::create_dir(directory);
        }
        return Err(error);
    }
    println!("{}", directory.display());
    terminal::note(&format!(
        "next: cd {} && cargo run (the first build takes minutes, some of them without a line: the \
         step that cargo calls {name}(build) compiles the kernels)",
        directory.display()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Whether the folder is not there yet. Err when it holds something, is no folder, or lies in
/// this workspace, whose members are listed.
fn check(directory: &Path) -> Result<bool, String> {
    let whole =
        std::path::absolute(directory).map_err(|error| format!("is not a path: {error}"))?;
    if resolved(&whole).starts_with(resolved(cargo::root())) {
        return Err("is in quadscan's own folder: name one outside of it".into());
    }
    match fs::read_dir(directory) {
        Ok(mut entries) => match entries.next() {
            Some(_) => Err("is not empty: name a folder that is empty or new".into()),
            None => Ok(false),
        },
        Err(_) if directory.symlink_metadata().is_err() => Ok(true),
        Err(_) => Err("is not a folder: name one that is empty or new".into()),
    }
}

/// A path without links as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    let mut missing = PathBuf::new();
    for folder in path.ancestors() {
        if let Ok(found) = folder.canonicalize() {
            return found.join(path.strip_prefix(folder).unwrap_or(&missing));
        }
        missing = folder.to_owned();
    }
    path.to_owned()
}

/// A name for the package: the folder's, in the characters that cargo takes.
fn package_name(directory: &Path) -> Result<String, String> {
    let whole =
        std::path::absolute(directory).map_err(|error| format!("is not a path: {error}"))?;
    let name = whole
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("");
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let first = name.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    // Crates that it depends on, and a folder of its own.
    let is_foreign = ["quadscan", "kernels", "core", "std", "alloc", "test"].contains(&name);
    if !first || !name.chars().all(is_allowed) || is_foreign {
        return Err(format!(
            "makes no package of the name `{name}`: allowed are lower-case letters, digits, - and _, a letter first, and no crate that it uses"
        ));
    }
    Ok(name.to_owned())
}

fn write(directory: &Path, name: &str, lock: &[u8]) -> anyhow::Result<()> {
    let here = resolved(&std::path::absolute(directory)?);
    let way = way(&here, &resolved(cargo::root()));
    let way = way
        .to_str()
        .context("the way to this checkout is no text")?;
    for (path, template) in FILES {
        let text = template
            .replace("@name@", name)
            .replace("@crate@", &name.replace('-', "_"))
            .replace("@root@", way);
        put(&directory.join(path), text.as_bytes())?;
    }
    put(&directory.join(LOCK), lock)
}

fn put(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, bytes))
        .with_context(|| format!("{} could not be written", path.display()))
}

/// The relative path from one folder to another; both are absolute.
fn way(from: &Path, to: &Path) -> PathBuf {
    let common = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let down = to.components().skip(common);
    up.chain(down).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_folder_goes_up_and_down() {
        let of = |from: &str, to: &str| way(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(of("/a/app", "/a/quadscan"), "../quadscan");
        assert_eq!(of("/a/b/app", "/c"), "../../../c");
    }

    #[test]
    fn names_that_no_package_can_have_are_refused() {
        let of = |path: &str| package_name(Path::new(path));
        assert_eq!(of("/x/my-app").as_deref(), Ok("my-app"));
        for path in [
            "/x/My",
            "/x/1st",
            "/x/a b",
            "/x/kernels",
            "/x/quadscan",
            "/",
        ] {
            assert!(of(path).is_err(), "{path}");
        }
    }

    #[test]
    fn a_folder_that_is_not_empty_or_none_or_ours_is_refused_and_stays_as_it_is() {
        let here = tempfile::tempdir().expect("a temporary folder");
        let full = here.path().join("full");
        fs::create_dir(&full).expect("made");
        fs::write(full.join("thesis.tex"), "x").expect("written");
        let refused = |path: &Path| {
            let error = run(path).expect_err("it is refused");
            assert!(error.is::<Refused>(), "{error}");
            error.to_string()
        };
        let said = "is not empty: name a folder that is empty or new";
        assert!(refused(&full).ends_with(said));
        assert_eq!(fs::read_dir(&full).map(Iterator::count).ok(), Some(1));
        let said = "is not a folder: name one that is empty or new";
        let file = here.path().join("file");
        fs::write(&file, "x").expect("written");
        assert!(refused(&file).ends_with(said));
        let ours = cargo::root().join("new");
        assert!(refused(&ours).ends_with("name one outside of it"));
        assert!(!ours.exists());
    }

    #[test]
    fn every_file_is_written_and_no_mark_is_left() {
        let here = tempfile::tempdir().expect("a temporary folder");
        let folder = here.path().join("my-app");
        fs::create_dir(&folder).expect("made");
        run(&folder).expect("it is empty");
        for (path, _) in FILES {
            let text = fs::read_to_string(folder.join(path)).expect(path);
            for mark in ["@name@", "@crate@", "@root@"] {
                assert!(!text.contains(mark), "{path}: {mark}");
            }
        }
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("there");
        let dependency = manifest.split("path = \"").nth(1).expect("a path");
        let path = dependency.split('"').next().expect("its end");
        assert!(folder.join(path).join("Cargo.toml").is_file(), "{path}");
        // A second time it is not empty.
        assert!(run(&folder).is_err());
    }
}
