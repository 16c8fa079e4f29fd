//! Kernels in parts: which file has what, and what happens to the files; and
//! kernels that a dependency brings.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use cuda_builder::manifest::{MAIN, Module};
use cuda_builder::{Artifact, CudaBuilderError, LintLevel, NvvmArch};
use hmac_sha256::Hash as Sha256;
use support::{builder, copy, fixture, nested_target};

fn built() -> &'static (Artifact, tempfile::TempDir) {
    static BUILT: OnceLock<(Artifact, tempfile::TempDir)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let out = tempfile::tempdir().unwrap();
        let artifact = builder(&fixture("in_parts").join("kernels"), out.path())
            .archs(&[NvvmArch::Compute75, NvvmArch::Compute90])
            .build_all()
            .unwrap();
        (artifact, out)
    })
}

/// Names, files and kernels of a module's parts.
fn listed(module: &Module) -> Vec<(&str, &str, Vec<&str>)> {
    let parts = module.parts.iter().map(|part| {
        let kernels = part.kernels.iter().map(|kernel| kernel.entry.as_str());
        (part.name.as_str(), part.file.as_str(), kernels.collect())
    });
    parts.collect()
}

/// The PTX of a part of the newest architecture.
fn part(name: &str) -> String {
    let (artifact, _) = built();
    let mut parts = artifact.manifest.modules[1].parts.iter();
    let part = parts.find(|part| part.name == name).unwrap();
    fs::read_to_string(artifact.dir.join(&part.file)).unwrap()
}

#[test]
fn each_part_of_each_architecture_is_a_file_with_its_kernels_the_main_one_first() {
    let (artifact, _) = built();
    for module in artifact.manifest.modules() {
        let file = |part: &str| format!("in_parts.{part}{}.ptx", module.arch);
        let expected = [
            (MAIN, &*file(""), vec!["plain"]),
            ("first", &file("first."), vec!["in_first"]),
            ("second", &file("second."), vec!["in_second"]),
        ];
        assert_eq!(listed(module), expected);
    }
    let paths: Vec<_> = artifact.ptx_paths().collect();
    assert_eq!(paths.len(), 6);
    assert!(paths.iter().all(|path| path.is_file()), "{paths:?}");
    for entry in ["plain", "in_first", "in_second"] {
        let kernel = artifact.manifest.modules[0].kernel(entry);
        assert_eq!(kernel.map(|kernel| kernel.entry.as_str()), Some(entry));
    }
}

#[test]
fn a_part_has_the_statics_that_its_kernels_use_and_no_others() {
    let has = |text: &str, names: [&str; 3]| names.map(|name| text.contains(name));
    let names = ["TILE_OF_FIRST[", "TABLE_OF_SECOND[", "OF_THE_HOST["];
    // What the host can find stands in the main part, used or not.
    assert_eq!(has(&part(MAIN), names), [false, false, true]);
    assert_eq!(has(&part("first"), names), [true, false, false]);
    assert_eq!(has(&part("second"), names), [false, true, true]);
    assert!(part("second").contains(".visible .global .align 4 .b8 OF_THE_HOST["));
}

#[test]
fn a_function_that_two_parts_call_is_in_both_and_no_other_entry_is() {
    for (name, entry) in [(MAIN, "plain"), ("first", "in_first")] {
        let text = part(name);
        assert_eq!(text.matches(".entry ").count(), 1, "{text}");
        assert!(
            text.contains(&format!(".visible .entry {entry}(")),
            "{text}"
        );
        assert!(text.contains("library__mix"), "{text}");
    }
    assert!(part("first").contains(".maxntid 64"));
}

#[test]
fn an_architectures_hash_is_that_of_its_parts_files_one_behind_the_other() {
    let (artifact, _) = built();
    let hash = |bytes: &[u8]| -> String {
        let digest = Sha256::hash(bytes);
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    for module in artifact.manifest.modules() {
        let mut whole = Vec::new();
        for part in &module.parts {
            let text = fs::read(artifact.dir.join(&part.file)).unwrap();
            assert_eq!(part.sha256, Some(hash(&text)), "{}", part.file);
            whole.extend(text);
        }
        assert_eq!(module.sha256, hash(&whole), "{}", module.arch);
    }
}

#[test]
fn two_clones_give_the_same_parts() {
    let here = tempfile::tempdir().unwrap();
    let clone = here.path().join("another/clone");
    copy(&fixture("in_parts"), &clone);
    let artifact = builder(&clone.join("kernels"), &here.path().join("out"))
        .build_all()
        .unwrap();
    assert_eq!(artifact.manifest.modules[0], built().0.manifest.modules[1]);
}

#[test]
fn a_damaged_part_is_made_again_and_the_file_of_a_part_that_is_no_more_goes() {
    let here = tempfile::tempdir().unwrap();
    let kernels = here.path().join("clone/kernels");
    copy(&fixture("in_parts"), &here.path().join("clone"));
    let out = here.path().join("out");
    let build = || builder(&kernels, &out).build_all().unwrap().manifest;
    let first = build();
    let file = |name: &str| out.join(format!("in_parts.{name}.sm_90.ptx"));
    let good = fs::read(file("second")).unwrap();
    fs::write(file("second"), "damaged").unwrap();
    assert_eq!(build(), first);
    assert_eq!(fs::read(file("second")).unwrap(), good);

    edit(
        &kernels.join("src/lib.rs"),
        r#""part":"second""#,
        r#""part":"third""#,
    );
    let renamed = build();
    assert_eq!(renamed.modules[0].parts[2].name, "third");
    assert!(file("third").is_file() && !file("second").exists());
}

#[test]
fn parts_that_differ_in_case_alone_are_refused() {
    let here = tempfile::tempdir().unwrap();
    copy(&fixture("in_parts"), here.path());
    let source = here.path().join("kernels/src/lib.rs");
    edit(&source, r#""part":"second""#, r#""part":"First""#);
    let error = builder(&here.path().join("kernels"), &here.path().join("out"))
        .build_all()
        .unwrap_err();
    assert!(matches!(&error, CudaBuilderError::BadKernel { entry, .. } if entry == "in_first"));
    assert!(error.to_string().contains("`First`"), "{error}");
}

#[test]
fn what_the_lints_find_in_a_part_names_it() {
    let here = tempfile::tempdir().unwrap();
    copy(&fixture("lints"), &here.path().join("lints"));
    let source = here.path().join("lints/src/lib.rs");
    let to = r#""kind":"pointer_mut"}],"part":"apart"}"#;
    edit(&source, r#""kind":"pointer_mut"}]}"#, to);
    let error = builder(&here.path().join("lints"), &here.path().join("out"))
        .lints(LintLevel::Deny)
        .build_all()
        .unwrap_err();
    let CudaBuilderError::Lints(text) = error else {
        panic!("{error}");
    };
    let found = "sm_90, part apart: local_array: ";
    assert!(text.lines().any(|line| line.starts_with(found)), "{text}");
}

#[test]
fn one_file_of_several_parts_is_refused() {
    let here = tempfile::tempdir().unwrap();
    let new = || builder(&fixture("in_parts").join("kernels"), here.path());
    let named = here.path().join("named");
    for refused in [
        new().build().map(drop),
        new().copy_to(&named).build_all().map(drop),
        new().final_module_path(&named).build_all().map(drop),
    ] {
        let text = refused.unwrap_err().to_string();
        assert!(text.contains("into 3, main, first, second"), "{text}");
        assert!(!named.exists());
    }
}

#[test]
fn one_part_alone_has_the_code_that_it_has_among_all_and_shows_its_ir() {
    for (name, entry) in [("first", "in_first"), (MAIN, "plain")] {
        let here = tempfile::tempdir().unwrap();
        let last = here.path().join("last.ll");
        let artifact = builder(&fixture("in_parts").join("kernels"), here.path())
            .arch(NvvmArch::Compute90)
            .only(&[name])
            .final_module_path(&last)
            .build_all()
            .unwrap();
        let paths: Vec<_> = artifact.ptx_paths().collect();
        assert_eq!(paths.len(), 1);
        assert_eq!(fs::read_to_string(&paths[0]).unwrap(), part(name));
        let ir = fs::read_to_string(last).unwrap();
        assert!(ir.contains(&format!("ptx_kernel void @{entry}(")), "{ir}");
        assert_eq!(ir.matches("define ptx_kernel").count(), 1);
    }
}

#[test]
fn a_dependencys_kernels_are_left_out_unless_they_are_asked_for() {
    let here = tempfile::tempdir().unwrap();
    let new = || builder(&fixture("in_parts").join("kernels"), here.path());
    let main = |artifact: &Artifact| {
        let module = &artifact.manifest.modules[0];
        let kernels: Vec<_> = module.parts[0]
            .kernels
            .iter()
            .map(|k| k.entry.clone())
            .collect();
        let text = fs::read_to_string(artifact.dir.join(&module.parts[0].file)).unwrap();
        (kernels, text.contains("of_the_library"))
    };
    let without = new().build_all().unwrap();
    assert_eq!(main(&without), (vec!["plain".to_owned()], false));
    let with = new().kernels_of_dependencies(true).build_all().unwrap();
    let both = ["of_the_library", "plain"].map(str::to_owned).to_vec();
    assert_eq!(main(&with), (both, true));
}

#[test]
fn kernels_that_are_built_alone_are_those_of_the_whole_and_the_others_are_not_there() {
    let here = tempfile::tempdir().unwrap();
    let alone = |names: &[&str]| {
        builder(&fixture("in_parts").join("kernels"), here.path())
            .only(names)
            .build_all()
    };
    for name in ["first", "in_first"] {
        let artifact = alone(&[name]).unwrap();
        let module = &artifact.manifest.modules[0];
        let there = module.kernels().filter(|kernel| kernel.compiled.is_some());
        let kernels: Vec<_> = there.map(|kernel| &kernel.entry).collect();
        assert_eq!(kernels, ["in_first"], "{name}");
        let paths: Vec<_> = artifact.ptx_paths().collect();
        let text = fs::read_to_string(&paths[0]).unwrap();
        assert_eq!((paths.len(), text), (1, part("first")), "{name}");
    }
    let artifact = alone(&["in"]).unwrap();
    let family = artifact.manifest.modules[0].kernels();
    let family = family.filter(|kernel| kernel.compiled.is_some());
    let family: Vec<_> = family.map(|kernel| &kernel.entry).collect();
    assert_eq!(family, ["in_first", "in_second"]);
    let error = alone(&["first", "third"]).unwrap_err();
    assert!(matches!(error, CudaBuilderError::UnknownKernel(_)));
    let said = "KERNEL `third` is not a kernel's name";
    assert!(error.to_string().contains(said), "{error}");
}

/// A clone of its own name, so that nobody else's builds are in the store, in which
/// a file has the table of the part `second`, and another one kernels that come later.
fn clone_with_a_table(here: &Path, name: &str) -> PathBuf {
    copy(&fixture("in_parts"), here);
    let kernels = here.join("kernels");
    edit(&kernels.join("Cargo.toml"), "in-parts", name);
    let source = kernels.join("src/lib.rs");
    edit(&source, "= [3, 1, 4, 1]", "= include!(\"table.txt\")");
    edit(
        &source,
        "#[panic_handler]",
        "include!(\"later.rs\");\n#[panic_handler]",
    );
    fs::write(kernels.join("src/later.rs"), "").unwrap();
    fs::write(kernels.join("src/table.txt"), "[3, 1, 4, 1]").unwrap();
    kernels
}

/// The store's entry of the part that has that file.
fn stored(file: &str) -> PathBuf {
    let store = nested_target().join("parts");
    let entries = fs::read_dir(store).unwrap().map(|entry| entry.unwrap());
    let mut entries: Vec<_> = entries
        .filter(|entry| fs::read_to_string(entry.path()).is_ok_and(|text| text.contains(file)))
        .collect();
    entries.sort_by_key(|entry| entry.metadata().unwrap().modified().unwrap());
    entries.pop().unwrap().path()
}

/// Adds a line to an entry, and says so at its start where `openly`.
fn add_line(entry: &Path, line: &str, openly: bool) {
    let text = fs::read_to_string(entry).unwrap();
    let (hash, rest) = text.split_once('\n').unwrap();
    let rest = format!("{rest}{line}\n");
    let hash = if openly {
        let digest = Sha256::hash(rest.as_bytes());
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    } else {
        hash.to_owned()
    };
    fs::write(entry, format!("{hash}\n{rest}")).unwrap();
}

#[test]
fn an_edit_builds_the_parts_that_it_reaches_and_a_damaged_entry_is_built_again() {
    let here = tempfile::tempdir().unwrap();
    let name = format!("stored-{}", std::process::id());
    let kernels = clone_with_a_table(here.path(), &name);
    let file = |part: &str| format!("{}.{part}.sm_90.ptx", name.replace('-', "_"));
    let build = || {
        // Another folder each time, in which nothing is there already.
        let out = tempfile::tempdir().unwrap();
        builder(&kernels, out.path()).build_all().unwrap();
        ["first", "second"].map(|part| fs::read_to_string(out.path().join(file(part))).unwrap())
    };
    let [first, second] = build();

    // What comes from the store tells by a line that no build writes.
    for part in ["first", "second"] {
        add_line(&stored(&file(part)), "// from the store", true);
    }
    let marked = |text: &str| format!("{text}// from the store\n");
    assert_eq!(build(), [marked(&first), marked(&second)]);
    fs::write(kernels.join("src/table.txt"), "[3, 1, 4, 2]").unwrap();
    let [first_after, second_after] = build();
    assert_eq!(first_after, marked(&first));
    assert!(second_after.contains("TABLE_OF_SECOND[") && second_after != second);
    assert!(!second_after.contains("// from the store"));

    add_line(&stored(&file("first")), "// damaged", false);
    assert_eq!(build(), [first.clone(), second_after.clone()]);
    fs::write(stored(&file("second")), file("second")).unwrap();
    assert_eq!(build(), [first.clone(), second_after.clone()]);

    // Which others there are makes no difference, though LLVM names constants by all of them.
    for part in ["first", "second"] {
        add_line(&stored(&file(part)), "// from the store", true);
    }
    let text = fs::read_to_string(kernels.join("src/lib.rs")).unwrap();
    let begin = text.find("/// A table of its own").unwrap();
    let end = text.find("include!(\"later.rs\")").unwrap();
    let third = text[begin..end].replace("second", "third");
    let third = third.replace("IN_SECOND", "IN_THIRD");
    fs::write(kernels.join("src/later.rs"), third).unwrap();
    assert_eq!(build(), [marked(&first), marked(&second_after)]);
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}
