//! Which module of an artifact is loaded, and which artifacts are refused.

use std::fs;

use crate::fake_cuda::{BOTH, FakeCuda, Settings, artifact, ptx, read, write_artifact};
use quadscan::Error;
use quadscan::device::{Artifact, Module};

fn load(fake: &FakeCuda, modules: &[(&str, &str)]) -> quadscan::Result<Module> {
    fake.open().load(&artifact(modules))
}

fn chosen(settings: Settings, modules: &[(&str, &str)]) -> String {
    let fake = FakeCuda::new(settings);
    match load(&fake, modules) {
        Ok(module) => module.manifest().expect("a manifest").arch.clone(),
        Err(error) => error.to_string(),
    }
}

fn with_capability(major: i32, minor: i32) -> Settings {
    Settings {
        capability: [major, minor],
        ..Settings::default()
    }
}

/// A driver of this CUDA version, which reads PTX up to this version.
fn with_driver(cuda: i32, ptx: [i32; 2]) -> Settings {
    Settings {
        cuda,
        ptx,
        ..Settings::default()
    }
}

#[test]
fn the_best_architecture_that_the_device_can_run_is_loaded() {
    for (major, minor, expected) in [
        (7, 5, "sm_75"),
        (8, 6, "sm_75"),
        (9, 0, "sm_90"),
        (12, 0, "sm_90"),
    ] {
        assert_eq!(
            chosen(with_capability(major, minor), BOTH),
            expected,
            "{major}.{minor}"
        );
    }
}

#[test]
fn code_for_one_architecture_alone_runs_on_that_one_alone() {
    let modules = &[("sm_90", "8.6"), ("sm_90a", "8.6"), ("sm_75", "6.4")];
    assert_eq!(chosen(with_capability(9, 0), modules), "sm_90a");
    assert_eq!(chosen(with_capability(10, 0), modules), "sm_90");
    let family = &[("sm_75", "6.4"), ("sm_100f", "8.8")];
    assert_eq!(chosen(with_capability(10, 3), family), "sm_100f");
    assert_eq!(chosen(with_capability(12, 0), family), "sm_75");
}

#[test]
fn a_device_older_than_all_architectures_is_refused() {
    assert_eq!(
        chosen(with_capability(7, 0), BOTH),
        "Fake GPU has compute capability 7.0, the PTX needs sm_75 or sm_90 or newer"
    );
}

#[test]
fn a_driver_too_old_for_the_best_module_gets_an_older_one() {
    assert_eq!(chosen(with_driver(12_060, [8, 5]), BOTH), "sm_75");
    assert_eq!(chosen(with_driver(12_070, [8, 6]), BOTH), "sm_90");
}

#[test]
fn a_driver_that_refuses_the_version_itself_gets_an_older_one() {
    // Newer than the table of versions, so that only the driver can tell.
    let modules = &[("sm_90", "98.0"), ("sm_75", "6.4")];
    assert_eq!(chosen(with_driver(13_000, [9, 0]), modules), "sm_75");
}

#[test]
fn a_driver_too_old_for_every_module_is_told_so() {
    let message = "the driver is too old for the PTX: it supports CUDA 12.6, PTX 8.6 needs CUDA 12.7 or newer; update the driver";
    assert_eq!(
        chosen(with_driver(12_060, [8, 5]), &[("sm_90", "8.6")]),
        message
    );
    // The driver's own refusal reads the same.
    let fake = FakeCuda::new(with_driver(12_060, [8, 5]));
    let error = fake
        .open()
        .load_ptx(&ptx("sm_90", "8.6"))
        .expect_err("too new");
    assert_eq!(error.to_string(), message);
    assert!(!error.is_context_lost());
}

#[test]
fn corrupt_ptx_is_refused_with_the_compilers_words_on_one_line() {
    let fake = FakeCuda::new(Settings::default());
    let error = fake.open().load_ptx("rubbish").expect_err("not PTX");
    assert_eq!(
        error.to_string(),
        "the driver cannot load the PTX: CUDA_ERROR_INVALID_PTX (218): \
         ptxas fatal   : Unexpected symbol; ptxas fatal   : Ptx assembly aborted"
    );
    assert!(!error.is_context_lost());
    // A line of inline assembly that no GPU has, and where it stands in the source.
    let text = ".version 8.0\n.entry k()\n{\n.loc 1 7 9\nwibble.u32 %r1, 2;\n}\n\
                .file 1 \"src/kernels.rs\"\n";
    let error = fake.open().load_ptx(text).expect_err("no instruction");
    assert_eq!(
        error.to_string(),
        "the driver cannot load the PTX: CUDA_ERROR_INVALID_PTX (218): \
         ptxas application ptx input, line 5; error   : Not a name of any known instruction: \
         'wibble'; ptxas fatal   : Ptx assembly aborted due to errors; \
         PTX line 5 is of src/kernels.rs:7"
    );
    let error = fake
        .open()
        .load_ptx(".version 8.0\0")
        .expect_err("not text");
    assert!(
        error.to_string().ends_with("it contains a zero byte"),
        "{error}"
    );
}

#[test]
fn a_manipulated_file_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    write_artifact(folder.path(), BOTH);
    assert!(read(folder.path()).is_ok());
    let file = folder.path().join("fake.sm_90.ptx");
    let text = fs::read_to_string(&file)
        .expect("text")
        .replace("scale", "Scale");
    fs::write(&file, text).expect("written");
    let error = read(folder.path()).expect_err("manipulated");
    assert_eq!(
        error.to_string(),
        "the artifact's file fake.sm_90.ptx is corrupt: its hash is not the manifest's; build it again"
    );
    assert!(!error.is_context_lost());
    fs::write(&file, [0xff, 0xfe]).expect("written");
    let error = read(folder.path()).expect_err("not text");
    assert!(
        error
            .to_string()
            .contains("fake.sm_90.ptx is corrupt: it is not text"),
        "{error}"
    );
}

#[test]
fn a_missing_file_is_refused_by_its_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = read(folder.path()).expect_err("no manifest");
    assert!(matches!(&error, Error::Unreadable { path, .. } if path.ends_with("manifest.json")));
    write_artifact(folder.path(), BOTH);
    fs::remove_file(folder.path().join("fake.sm_75.ptx")).expect("removed");
    let error = read(folder.path()).expect_err("no PTX");
    assert!(matches!(&error, Error::Unreadable { path, .. } if path.ends_with("fake.sm_75.ptx")));
    assert!(error.to_string().starts_with("cannot read "), "{error}");
}

#[test]
fn a_manifest_that_is_none_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = folder.path().join("manifest.json");
    write_artifact(folder.path(), BOTH);
    let whole = fs::read_to_string(&manifest).expect("text");
    let refuse = |text: &str| {
        fs::write(&manifest, text).expect("written");
        read(folder.path()).expect_err(text).to_string()
    };
    for text in [
        "",
        "{}",
        &whole[..whole.len() / 2],
        &whole.replace("\"format\":3", "\"format\":99"),
        &whole.replace("fake.sm_90.ptx", "../fake.sm_90.ptx"),
        &whole.replace("fake.sm_90.ptx", "/fake.sm_90.ptx"),
        r#"{"format":3,"crate":"c","version":"0","rustc":"","llvm":"","flags":[],"modules":[]}"#,
        r#"{"format":3,"crate":"c","version":"0","rustc":"","llvm":"","flags":[],
            "modules":[{"arch":"sm_90","ptx_version":"8.0","sha256":"","parts":[]}]}"#,
    ] {
        let sentence = refuse(text);
        assert!(
            sentence.starts_with("the artifact's file manifest.json is corrupt: "),
            "{sentence}"
        );
        assert!(!sentence.contains('\n'), "{sentence}");
    }
}

#[test]
fn parts_in_another_order_are_not_the_module_whose_hash_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    write_artifact(folder.path(), BOTH);
    let path = folder.path().join("manifest.json");
    let text = fs::read_to_string(&path).expect("text");
    let mut manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let parts = manifest["modules"][1]["parts"].as_array_mut();
    parts.expect("a list").swap(1, 2);
    fs::write(&path, manifest.to_string()).expect("written");
    assert_eq!(
        read(folder.path()).expect_err("swapped").to_string(),
        "the artifact's file manifest.json is corrupt: the hash of sm_90 is not that of its parts; \
         build it again"
    );
}

#[test]
fn our_own_artifact_is_whole_and_has_both_architectures() {
    let folder = std::env::var_os("QUADSCAN_ARTIFACT").expect("cargo's configuration names it");
    // SAFETY: nothing of it is launched.
    let artifact = unsafe { Artifact::read(folder) }.expect("a whole artifact");
    let architectures: Vec<_> = artifact
        .modules()
        .map(|found| &*found.module.arch)
        .collect();
    assert_eq!(architectures, ["sm_75", "sm_90"]);
    for part in artifact.parts() {
        let target = format!(".target {}", part.arch);
        assert!(part.ptx().contains(&target), "{}", part.part.file);
    }
    // Written to a folder and read again, every hash is compared.
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(
        folder.path().join("manifest.json"),
        artifact.manifest().to_json(),
    )
    .expect("written");
    for part in artifact.parts() {
        fs::write(folder.path().join(&part.part.file), part.ptx()).expect("written");
    }
    read(folder.path()).expect("what was written");
}
