//! Parts that are built when they are needed, into a folder that keeps those before.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use cuda_builder::manifest::Manifest;
use cuda_builder::{Artifact, CudaBuilder, NvvmArch, Progress};
use support::{builder, copy, fixture};

/// A clone of the fixture, whose sources a test may change.
struct Kernels {
    here: tempfile::TempDir,
}

impl Kernels {
    fn new() -> Self {
        let here = tempfile::tempdir().unwrap();
        copy(&fixture("in_parts"), &here.path().join("clone"));
        Kernels { here }
    }

    fn out(&self) -> PathBuf {
        self.here.path().join("out")
    }

    fn builder(&self) -> CudaBuilder {
        builder(&self.here.path().join("clone/kernels"), &self.out())
    }

    /// Builds some parts; with what was said of it, without the times.
    fn build(&self, only: &[&str]) -> (Artifact, Vec<String>) {
        let said = Arc::new(Mutex::new(Vec::new()));
        let list = Arc::clone(&said);
        let listen = move |progress: Progress<'_>| {
            let text = progress.to_string();
            let (text, _) = text.rsplit_once(", ").unwrap_or((&text, ""));
            list.lock().unwrap().push(text.to_owned());
        };
        let artifact = self.builder().only(only).progress(listen).build_all();
        let said = said.lock().unwrap().clone();
        (artifact.unwrap(), said)
    }

    /// The names of the PTX files in the folder.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.out()).unwrap().map(|entry| {
            let name = entry.unwrap().file_name();
            name.into_string().unwrap()
        });
        let mut files: Vec<_> = entries.filter(|name| name.ends_with(".ptx")).collect();
        files.sort();
        files
    }

    fn append(&self, line: &str) {
        let source = self.here.path().join("clone/kernels/src/lib.rs");
        let text = fs::read_to_string(&source).unwrap();
        fs::write(source, format!("{text}{line}\n")).unwrap();
    }
}

/// The parts that the manifest in a folder says are there, each with all of its kernels.
fn there(folder: &Path) -> Vec<String> {
    let manifest = Manifest::read(folder).unwrap();
    let parts = manifest.modules[0].parts.iter();
    let there = parts.filter(|part| part.is_complete());
    there.map(|part| part.name.clone()).collect()
}

#[test]
fn a_part_is_built_when_it_is_asked_for_and_those_before_stay() {
    let kernels = Kernels::new();
    let (first, said) = kernels.build(&["first"]);
    let done = "first for sm_90 done, 1 of 1";
    assert_eq!(said, ["compiling bitcode for sm_90", done]);
    let module = &first.manifest.modules[0];
    let names: Vec<_> = module.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names, ["main", "first", "second"]);
    assert_eq!(module.part_of("in_second").unwrap().sha256, None);
    assert_eq!(there(&kernels.out()), ["first"]);

    let (_, said) = kernels.build(&["first", "second"]);
    let done = "second for sm_90 done, 1 of 1";
    assert_eq!(said, ["compiling bitcode for sm_90", done]);
    assert_eq!(there(&kernels.out()), ["first", "second"]);

    let (both, said) = kernels.build(&["in_second", "first"]);
    assert_eq!(said, [""; 0], "nothing is left to do");
    assert_eq!(both.ptx_paths().count(), 2);

    let (all, _) = kernels.build(&[]);
    assert_eq!(there(&kernels.out()), names);
    assert_eq!(all.manifest.modules[0].parts[1], module.parts[1]);
    assert_eq!(kernels.build(&[]).1, [""; 0], "nothing is left to do");
}

#[test]
fn an_edit_drops_what_was_built_before_it() {
    let kernels = Kernels::new();
    kernels.build(&["first", "second"]);
    kernels.append("// another source");
    kernels.build(&["second"]);
    assert_eq!(there(&kernels.out()), ["second"]);
    assert_eq!(kernels.files(), ["in_parts.second.sm_90.ptx"]);
    // So does a file that was not there.
    fs::write(
        kernels.here.path().join("clone/kernels/build.rs"),
        "fn main() {}",
    )
    .unwrap();
    kernels.build(&["first"]);
    assert_eq!(there(&kernels.out()), ["first"]);
}

#[test]
fn a_file_that_is_damaged_or_gone_is_made_again() {
    let kernels = Kernels::new();
    let (before, _) = kernels.build(&["first", "second"]);
    let [first, second] = [0, 1].map(|index| before.ptx_paths().nth(index).unwrap());
    let texts = [&first, &second].map(|path| fs::read(path).unwrap());
    fs::write(&first, "damaged").unwrap();
    fs::remove_file(&second).unwrap();
    let (after, said) = kernels.build(&["first", "second"]);
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!([first, second].map(|path| fs::read(path).unwrap()), texts);
    assert_eq!(after, before);
}

#[test]
fn a_file_with_some_kernels_of_a_part_is_not_the_part() {
    let kernels = Kernels::new();
    let second = r#""part":"second""#;
    let source = kernels.here.path().join("clone/kernels/src/lib.rs");
    let text = fs::read_to_string(&source).unwrap();
    assert!(text.contains(second));
    fs::write(source, text.replace(second, r#""part":"first""#)).unwrap();
    let (one, _) = kernels.build(&["in_first"]);
    let part = &one.manifest.modules[0].parts[1];
    let compiled: Vec<_> = part.kernels.iter().map(|k| k.compiled.is_some()).collect();
    assert_eq!((compiled, part.is_complete()), (vec![true, false], false));
    assert_eq!(kernels.build(&["first"]).1.len(), 2);
    assert_eq!(there(&kernels.out()), ["first"]);
    assert_eq!(kernels.build(&["in_second"]).1, [""; 0]);
}

#[test]
fn builds_into_one_folder_at_the_same_time_add_to_it() {
    let kernels = Kernels::new();
    thread::scope(|scope| {
        for name in ["main", "second", "first", "second"] {
            scope.spawn(|| kernels.build(&[name]));
        }
    });
    assert_eq!(there(&kernels.out()), ["main", "first", "second"]);
    assert_eq!(kernels.files().len(), 3);
}

#[test]
fn a_name_is_of_a_kernel_for_one_of_the_architectures_at_least() {
    let kernels = Kernels::new();
    kernels.append(
        r##"
#[cfg(target_feature = "sm_90")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn newest() {}
#[cfg(target_feature = "sm_90")]
metadata!(NEWEST, [0, 0, 0, 0, 0, 0], r#"{"entry":"newest","module":"parted","parameters":[]}"#);"##,
    );
    let both = || {
        let archs = [NvvmArch::Compute75, NvvmArch::Compute90];
        kernels.builder().archs(&archs)
    };
    let artifact = both().only(&["newest"]).build_all().unwrap();
    let entries = artifact.manifest.of_what_is_built().modules;
    let entries = entries
        .iter()
        .map(|module| (module.arch.clone(), module.kernels().count()));
    let expected = [("sm_75", 0), ("sm_90", 1)].map(|(arch, count)| (arch.to_owned(), count));
    assert_eq!(entries.collect::<Vec<_>>(), expected);
    // Again, where all is there.
    both().only(&["newest"]).build_all().unwrap();
    let error = both().only(&["newest", "third"]).build_all().unwrap_err();
    assert!(error.to_string().contains("`third`"), "{error}");
}

#[test]
fn a_name_that_nothing_has_is_refused_before_anything_is_built() {
    let kernels = Kernels::new();
    kernels.build(&["main"]);
    let error = kernels.builder().only(&["third"]).build_all().unwrap_err();
    assert!(error.to_string().contains("`third`"), "{error}");
    assert_eq!(there(&kernels.out()), ["main"]);
}
