//! Kernels written into a checkout of the files that lines are added to; whether they build
//! and are right is tried in the package `quadscan-tests`.

use super::*;
use clap::ValueEnum;

/// A checkout of the files alone that lines are added to.
fn checkout() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for path in [
        "kernels-crate/src/lib.rs",
        "kernels-crate/src/integrate/catalogue.rs",
        "tests/src/integrals.rs",
        "bench-crate/src/kernels/mod.rs",
        "tests/tests/conformance/main.rs",
    ] {
        let to = folder.path().join(path);
        fs::create_dir_all(to.parent().expect("has one")).expect("made");
        fs::copy(cargo::root().join(path), to).expect("copied");
    }
    folder
}

fn options(root: &Path, name: &str, from: Origin) -> Options {
    Options {
        name: name.to_owned(),
        from,
        root: Some(root.to_owned()),
    }
}

/// All files below a folder, with their texts.
fn texts(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path().is_dir() {
            true => all.extend(texts(&entry.path())),
            false => {
                let text = fs::read_to_string(entry.path()).expect("a text");
                all.push((entry.path(), text));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn every_origin_adds_its_files_and_a_line_to_every_list() {
    for &origin in Origin::value_variants() {
        let folder = checkout();
        let root = folder.path();
        run(&options(root, "mine", origin)).expect("it is new");
        let of = |path: &str| fs::read_to_string(root.join(path)).expect(path);
        assert!(of("bench-crate/src/kernels/mod.rs").contains("pub mod mine;"));
        assert!(of("bench-crate/src/kernels/mod.rs").contains("mine::KERNEL"));
        assert!(of("tests/tests/conformance/main.rs").contains("\nmod mine;\n"));
        assert!(of("tests/tests/conformance/main.rs").contains("        mine::"));
        for (path, text) in texts(root) {
            assert!(
                !text.contains('@') || !text.contains("@name@"),
                "{}",
                path.display()
            );
            assert!(!text.contains("@Type@"), "{}", path.display());
        }
        if origin == Origin::Integrand {
            assert!(of("kernels-crate/src/integrate/catalogue.rs").contains("mine = Mine {"));
            assert!(of("tests/src/integrals.rs").contains("\"mine\" =>"));
        } else {
            assert!(of("kernels-crate/src/lib.rs").contains("pub mod mine;"));
            assert!(of("kernels-crate/src/mine.rs").contains("fn mine("));
        }
        // A second of the same name is refused.
        let before = texts(root);
        let error = run(&options(root, "mine", origin)).expect_err("it is taken");
        assert!(error.is::<Refused>(), "{error}");
        assert!(
            error.to_string().starts_with("NAME `mine` is taken, by "),
            "{error}"
        );
        assert_eq!(texts(root), before);
    }
}

#[test]
fn nothing_is_written_when_a_line_has_no_place() {
    let folder = checkout();
    let root = folder.path();
    let suite = root.join("tests/tests/conformance/main.rs");
    let text = fs::read_to_string(&suite).expect("there");
    fs::write(&suite, text.replace("    .into()", "    .to_vec()")).expect("written");
    let before = texts(root);
    let error = run(&options(root, "mine", Origin::Map)).expect_err("there is no place");
    assert!(error.is::<Refused>());
    let said =
        "tests/tests/conformance/main.rs has no `]     .into()`, where a new kernel is added";
    assert_eq!(error.to_string(), said);
    assert_eq!(texts(root), before);
}

#[test]
fn what_was_written_is_taken_back_when_another_file_cannot_be() {
    let folder = checkout();
    let root = folder.path();
    let before = texts(root);
    let file = |path: &str| File {
        path: path.to_owned(),
        text: "new".to_owned(),
    };
    let files = [
        file("kernels-crate/src/lib.rs"),
        file("kernels-crate/src/mine.rs"),
        file("no/such/folder/mine.rs"),
    ];
    let error = write(root, &files).expect_err("there is no such folder");
    assert!(
        error
            .to_string()
            .ends_with("could not be written, and nothing was")
    );
    assert_eq!(texts(root), before);
}
