//! What is built when, and what is said when it is not: with a script in the place of
//! nvcc.

use std::os::unix::fs::PermissionsExt;

use super::*;

/// Says its version, writes down its other calls, and makes what `-o` names.
const NVCC: &str = r#"#!/bin/sh
if [ "$1" = --version ]; then cat "$0.version"; exit; fi
echo "$@" >> "$0.calls"
while [ $# -gt 0 ]; do
    if [ "$1" = -o ]; then echo made > "$2"; fi
    shift
done
"#;

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(nvcc: &str) -> Self {
        let folder = tempfile::tempdir().unwrap_or_else(|e| panic!("{e}"));
        let place = Place { folder };
        place.write("peers/scan/a.cu", "a");
        place.write("peers/scan/b.cu", "b");
        place.write("peers/scan/c.cuh", "c");
        place.write("cub/cub/version.cuh", "1");
        place.write("nvcc", nvcc);
        place.write("nvcc.version", "13.0");
        let executable = fs::Permissions::from_mode(0o755);
        assert!(fs::set_permissions(place.at("nvcc"), executable).is_ok());
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.at(name);
        let written = fs::create_dir_all(path.parent().unwrap_or(&path));
        assert!(written.and_then(|()| fs::write(&path, text)).is_ok());
    }

    fn build(&self) -> Build {
        Build {
            nvcc: self.at("nvcc"),
            arch: "sm_90".into(),
            peers: self.at("peers"),
            name: "scan",
            cub: None,
            out: self.at("out"),
        }
    }

    /// What the compiler was asked for so far.
    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.at("nvcc.calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

#[test]
fn the_sources_are_compiled_for_the_architecture_and_linked_once() {
    let place = Place::new(NVCC);
    let library = place.build().library();
    assert!(
        library.as_ref().is_ok_and(|path| path.is_file()),
        "{library:?}"
    );
    let calls = place.calls();
    assert_eq!(calls.len(), 3, "{calls:?}");
    assert!(calls.iter().all(|call| call.contains("-arch=sm_90")));
    assert!(calls[2].starts_with("-shared "), "{calls:?}");
    assert_eq!(place.build().library(), library);
    assert_eq!(place.calls().len(), 3, "nothing is built twice");
    let left = fs::read_dir(place.at("out")).map(Iterator::count);
    assert_eq!(left.ok(), Some(1), "the library alone");
}

#[test]
fn whatever_the_library_depends_on_gives_another_one() {
    let place = Place::new(NVCC);
    let mut libraries = vec![place.build().library()];
    place.write("peers/scan/c.cuh", "changed");
    libraries.push(place.build().library());
    place.write("nvcc.version", "13.1");
    libraries.push(place.build().library());
    let other = Build {
        arch: "sm_100".into(),
        ..place.build()
    };
    libraries.push(other.library());
    let newer = || Build {
        cub: Some(place.at("cub")),
        ..place.build()
    };
    libraries.push(newer().library());
    place.write("cub/cub/version.cuh", "2");
    libraries.push(newer().library());
    let mut known = std::collections::HashSet::new();
    for library in libraries {
        assert!(
            library.as_ref().is_ok_and(|path| path.is_file()),
            "{library:?}"
        );
        assert!(known.insert(library), "the same again");
    }
}

#[test]
fn a_named_cub_stands_first_on_the_path() {
    let place = Place::new(NVCC);
    let build = Build {
        cub: Some(place.at("cub")),
        ..place.build()
    };
    assert!(build.library().is_ok());
    let path = format!("-I {} -c", place.at("cub").display());
    assert_eq!(
        place
            .calls()
            .iter()
            .filter(|call| call.contains(&path))
            .count(),
        2
    );
}

#[test]
fn what_is_missing_is_named() {
    let place = Place::new(NVCC);
    let elsewhere = place.at("nowhere");
    let problem = |change: &dyn Fn(&mut Build)| {
        let mut build = place.build();
        change(&mut build);
        build.library().err().unwrap_or_default()
    };
    let nowhere = elsewhere.display();
    assert_eq!(
        problem(&|build| build.peers = elsewhere.clone()),
        format!("{nowhere} has no scan")
    );
    let peers = place.at("peers");
    assert_eq!(
        problem(&|build| build.name = "integrate"),
        format!("{} has no integrate", peers.display())
    );
    assert_eq!(
        problem(&|build| build.cub = Some(elsewhere.clone())),
        format!("--cub {nowhere} has no cub/version.cuh")
    );
    let no_compiler = problem(&|build| build.nvcc = elsewhere.clone());
    assert!(
        no_compiler.starts_with(&format!("{nowhere}: ")),
        "{no_compiler}"
    );
}

#[test]
fn a_compiler_that_fails_is_quoted_and_leaves_nothing_behind() {
    let failing = "#!/bin/sh\nif [ \"$1\" = --version ]; then exit; fi\n\
                   echo 'a warning' >&2; echo 'x.cu(1): error: no' >&2; exit 2\n";
    let place = Place::new(failing);
    assert_eq!(
        place.build().library(),
        Err("nvcc failed (exit status: 2): x.cu(1): error: no".into())
    );
    let left = fs::read_dir(place.at("out")).map(Iterator::count);
    assert_eq!(left.ok(), Some(0));
}
