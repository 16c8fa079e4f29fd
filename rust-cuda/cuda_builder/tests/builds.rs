//! What is built again and what is not, and that two clones agree.

mod support;

use std::fs;
use std::path::Path;

use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, NvvmArch};
use support::{builder, copy, fixture, nested_target, ptx};

#[test]
fn two_clones_in_different_folders_give_the_same_bytes() {
    let here = tempfile::tempdir().unwrap();
    let build = |clone: &str, target: &str| {
        let folder = here.path().join(clone);
        copy(&fixture("workspace"), &folder, "0.2.0");
        let out = here.path().join(format!("{clone}-out"));
        let artifact = builder(&folder.join("kernels"), &out)
            .target_dir(nested_target().join(target))
            .build_all()
            .unwrap();
        (ptx(&artifact, 0), artifact.manifest)
    };
    let (first, first_manifest) = build("a", "");
    let (second, second_manifest) = build("another/deeper", "of-another-clone");
    assert_eq!(first, second);
    assert_eq!(first_manifest, second_manifest);
    assert!(first.contains("parts__mix"), "{first}");
    assert!(first.contains("\"./kernels/src/lib.rs\""), "{first}");
    let home = std::env::home_dir().unwrap();
    assert!(!first.contains(home.to_str().unwrap()), "{first}");
    assert!(!first.contains(here.path().to_str().unwrap()), "{first}");
}

#[test]
fn nothing_is_written_when_nothing_changed_and_a_change_in_a_dependency_is_noticed() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path().join("clone");
    copy(&fixture("workspace"), &folder, "0.3.0");
    let build = || {
        let artifact = builder(&folder.join("kernels"), &here.path().join("out"))
            .build_all()
            .unwrap();
        let path = artifact.ptx_paths().next().unwrap();
        (
            ptx(&artifact, 0),
            fs::metadata(path).unwrap().modified().unwrap(),
        )
    };
    let first = build();
    assert_eq!(build(), first);
    let part = folder.join("parts/src/lib.rs");
    let source = fs::read_to_string(&part).unwrap();
    fs::write(&part, source.replace("rotate_left", "rotate_right")).unwrap();
    let changed = build();
    assert_ne!(changed.0, first.0);
    assert!(changed.1 > first.1);
}

#[test]
fn a_module_that_was_deleted_or_damaged_is_made_again() {
    let here = tempfile::tempdir().unwrap();
    let build = || {
        builder(&fixture("workspace").join("kernels"), here.path())
            .build()
            .unwrap()
    };
    let path = build();
    let good = fs::read(&path).unwrap();
    fs::write(&path, "damaged").unwrap();
    assert_eq!(fs::read(build()).unwrap(), good);
    fs::remove_file(&path).unwrap();
    assert_eq!(fs::read(build()).unwrap(), good);
}

#[test]
fn the_ptx_and_the_ir_are_put_where_the_options_say() {
    let here = tempfile::tempdir().unwrap();
    let copy = here.path().join("copy.ptx");
    let last = here.path().join("last.ll");
    let path = builder(&fixture("workspace").join("kernels"), here.path())
        .copy_to(&copy)
        .final_module_path(&last)
        .emit_llvm_ir(true)
        .emit_llvm_bitcode(true)
        .build()
        .unwrap();
    assert_eq!(path, copy);
    assert!(fs::read_to_string(&copy).unwrap().contains(".entry mix("));
    assert!(
        fs::read_to_string(&last)
            .unwrap()
            .contains("ptx_kernel void @mix")
    );
    let beside = |extension: &str| here.path().join(format!("two_crates.sm_90.{extension}"));
    assert!(fs::read_to_string(beside("ll")).unwrap().contains("@mix"));
    assert!(fs::read(beside("bc")).unwrap().starts_with(b"BC\xC0\xDE"));
}

#[test]
fn what_cannot_be_built_is_refused_with_its_reason() {
    let refused = |builder: CudaBuilder| builder.build().unwrap_err().to_string();
    let kernels = || CudaBuilder::new(fixture("basic"));
    let text = refused(kernels().arch(NvvmArch::Compute61));
    assert!(text.contains("sm_61 is too old"), "{text}");
    let text = refused(kernels().optix(true));
    assert!(text.contains("OptiX"), "{text}");
    let text = refused(kernels().debug(DebugInfo::Full));
    assert!(text.contains("DebugInfo::LineTables"), "{text}");
    let text = refused(kernels().archs(&[NvvmArch::Compute75, NvvmArch::Compute90]));
    assert!(text.contains("build_all()"), "{text}");
    let missing = Path::new("no/such/crate");
    let error = CudaBuilder::new(missing).build().unwrap_err();
    assert!(
        matches!(&error, CudaBuilderError::CratePathDoesntExist(path) if path == missing),
        "{error}"
    );
}
