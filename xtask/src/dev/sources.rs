//! The files that the statements of kernels are built from, and what a change of them is
//! worth: whether programs of the host have to be built anew.
//!
//! They are looked at ten times a second, a few hundred of them, in milliseconds: what a
//! kernel's statements were built from has to be known file by file in any case, it works on
//! every file system, and however an editor saves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use serde::{Deserialize, Serialize};

use super::interface::Interface;

/// Folders and files that the suite is built from, from the root.
const WATCHED: [&str; 11] = [
    "kernels-crate",
    "host-crate",
    "ptx-emulator",
    "rust-cuda",
    "tests/src",
    "tests/tests/conformance",
    "tests/fixtures",
    "tests/Cargo.toml",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo/config.toml",
];

/// Folders of packages that nobody depends on.
const UNUSED: [&str; 5] = ["tests", "examples", "benches", "fuzz", "target"];

/// What PTX is built from.
const BUILT_FROM: [&str; 3] = ["kernels-crate", "rust-cuda", "Cargo.lock"];

/// Where kernels are.
const KERNELS: &str = "kernels-crate/src";

/// When a file was written, and its length.
type Stamp = (SystemTime, u64);

/// The files as they are at one time.
pub(super) type Stamps = BTreeMap<PathBuf, Stamp>;

/// The files, and what the host takes from those of kernels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sources {
    pub(super) stamps: Stamps,
    interfaces: BTreeMap<PathBuf, Option<Interface>>,
}

/// What has changed since programs of the host were built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Nothing,
    /// What only the device runs: those programs are what they would be.
    Device(PathBuf),
    /// Something that the host takes too.
    Host(PathBuf),
}

impl Sources {
    /// Reads the files below `root` that are not as they were `before`.
    pub(super) fn read(root: &Path, before: &Sources) -> Self {
        let stamps = stamps(root);
        let kernels = stamps.iter().filter(|(path, _)| is_kernels(path));
        let interfaces = kernels.map(|(path, stamp)| {
            let known = before.interfaces.get(path);
            let interface = match known {
                Some(known) if before.stamps.get(path) == Some(stamp) => known.clone(),
                _ => fs::read_to_string(root.join(path))
                    .ok()
                    .and_then(|text| Interface::of(&text)),
            };
            (path.clone(), interface)
        });
        Sources {
            interfaces: interfaces.collect(),
            stamps,
        }
    }

    /// What `now` differs in; of several files, one that the host takes.
    pub(super) fn change(&self, now: &Sources) -> Change {
        self.change_of(now, |_| true)
    }

    /// What `now` differs in of what PTX is built from.
    pub(super) fn change_of_kernels(&self, now: &Sources) -> Change {
        self.change_of(now, |path| {
            BUILT_FROM.iter().any(|folder| path.starts_with(folder))
        })
    }

    fn change_of(&self, now: &Sources, concerns: impl Fn(&Path) -> bool) -> Change {
        let mut change = Change::Nothing;
        for path in self.stamps.keys().chain(now.stamps.keys()) {
            if self.stamps.get(path) == now.stamps.get(path) || !concerns(path) {
                continue;
            }
            let interface = |of: &Sources| of.interfaces.get(path).cloned().flatten();
            match (interface(self), interface(now)) {
                (Some(before), Some(after)) if before == after => {
                    change = Change::Device(path.clone());
                }
                _ => return Change::Host(path.clone()),
            }
        }
        change
    }

    /// When the last of them was written.
    pub(super) fn saved(&self) -> Option<SystemTime> {
        self.stamps.values().map(|&(written, _)| written).max()
    }
}

fn is_kernels(path: &Path) -> bool {
    path.starts_with(KERNELS) && path.extension().is_some_and(|extension| extension == "rs")
}

/// All files that are watched below `root`, by their paths from there. One that cannot be
/// read is not there.
pub(super) fn stamps(root: &Path) -> Stamps {
    let mut found = Stamps::new();
    for watched in WATCHED {
        // What is gone meanwhile is not there.
        let _ = collect(root, Path::new(watched), &mut found);
    }
    found
}

fn collect(root: &Path, path: &Path, found: &mut Stamps) -> io::Result<()> {
    let metadata = fs::metadata(root.join(path))?;
    if metadata.is_file() {
        found.insert(path.to_owned(), (metadata.modified()?, metadata.len()));
        return Ok(());
    }
    for entry in fs::read_dir(root.join(path))?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // Editors keep their own files beside those that they save.
        let is_ours = !name.starts_with(['.', '#']) && !name.ends_with(['~', '#']);
        let is_used = !UNUSED.contains(&&*name) || !entry.path().is_dir();
        if is_ours && is_used {
            let _ = collect(root, &path.join(&*name), found);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNEL: &str = "
        const TILE: u32 = 4;
        #[kernel]
        pub unsafe fn mine(out: *mut u32) { unsafe { *out = 1 } }
    ";
    const FILE: &str = "kernels-crate/src/mine.rs";

    /// A workspace of a kernel, a program and a README; what a change of a file is worth.
    fn after(change: impl FnOnce(&Path)) -> Change {
        let here = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = here.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(FILE, KERNEL);
        write("host-crate/src/lib.rs", "//! Host.\n");
        write("host-crate/tests/a.rs", "//! Not the suite's.\n");
        write("tests/tests/conformance/mine.rs", "//! Statements.\n");
        let before = Sources::read(here.path(), &Sources::default());
        change(here.path());
        before.change(&Sources::read(here.path(), &before))
    }

    fn replace(root: &Path, before: &str, by: &str) {
        assert!(KERNEL.contains(before));
        fs::write(root.join(FILE), KERNEL.replace(before, by)).unwrap();
    }

    #[test]
    fn nothing_has_changed_where_nothing_has() {
        assert_eq!(after(|_| {}), Change::Nothing);
        let change = after(|root| fs::write(root.join("host-crate/tests/a.rs"), "").unwrap());
        assert_eq!(change, Change::Nothing);
        let swap = "kernels-crate/src/.mine.rs.swp";
        let change = after(|root| fs::write(root.join(swap), "").unwrap());
        assert_eq!(change, Change::Nothing);
    }

    #[test]
    fn a_kernels_body_is_the_devices_and_a_constant_the_hosts() {
        let change = after(|root| replace(root, "*out = 1", "*out = 20"));
        assert_eq!(change, Change::Device(FILE.into()));
        let change = after(|root| replace(root, "u32 = 4", "u32 = 16"));
        assert_eq!(change, Change::Host(FILE.into()));
        let change = after(|root| replace(root, "out: *mut", "output: *mut"));
        assert_eq!(change, Change::Host(FILE.into()));
        let change = after(|root| replace(root, "= 1 }", "= 1 "));
        assert_eq!(change, Change::Host(FILE.into()), "no Rust");
    }

    #[test]
    fn a_file_of_the_host_is_the_hosts_whatever_else_has_changed() {
        for path in ["host-crate/src/lib.rs", "tests/tests/conformance/mine.rs"] {
            let change = after(|root| {
                replace(root, "*out = 1", "*out = 20");
                fs::write(root.join(path), "//! Other.\n").unwrap();
            });
            assert_eq!(change, Change::Host(path.into()));
            let change = after(|root| fs::remove_file(root.join(path)).unwrap());
            assert_eq!(change, Change::Host(path.into()), "gone");
        }
        let new = "kernels-crate/src/other.rs";
        let change = after(|root| fs::write(root.join(new), KERNEL).unwrap());
        assert_eq!(change, Change::Host(new.into()), "new");
    }

    #[test]
    fn what_only_statements_are_built_from_is_no_change_of_kernels() {
        let at = |path: &str, of: u64| Sources {
            stamps: [(PathBuf::from(path), (SystemTime::UNIX_EPOCH, of))].into(),
            ..Sources::default()
        };
        let of = |path: &str| at(path, 1).change_of_kernels(&at(path, 2));
        assert_eq!(of("tests/tests/conformance/mine.rs"), Change::Nothing);
        assert_eq!(of("host-crate/src/lib.rs"), Change::Nothing);
        for path in ["kernels-crate/Cargo.toml", "rust-cuda/cuda_std/src/lib.rs"] {
            assert_eq!(of(path), Change::Host(path.into()));
        }
    }

    #[test]
    fn what_the_suite_is_built_from_is_watched() {
        let found = stamps(crate::cargo::root());
        for path in [
            "kernels-crate/src/lib.rs",
            "host-crate/src/kernels/mod.rs",
            "host-crate/build.rs",
            "host-crate/data/scan_activity_n1024.csv",
            "ptx-emulator/src/lib.rs",
            "rust-cuda/cuda_std/src/lib.rs",
            "rust-cuda/cuda_builder/Cargo.toml",
            "tests/src/check.rs",
            "tests/tests/conformance/main.rs",
            "tests/fixtures/h200/launches.jsonl",
            "Cargo.lock",
            ".cargo/config.toml",
        ] {
            assert!(found.contains_key(Path::new(path)), "{path}");
        }
        assert!(found.len() < 1500, "{}", found.len());
    }
}
