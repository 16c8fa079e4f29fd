//! What is built again and what is not, and that two clones agree.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cuda_builder::{CudaBuilder, CudaBuilderError, DebugInfo, EmitOption, NvvmArch};
use support::{Kernels, builder, copy, fixture, kernel, nested_target, ptx};

fn edit(path: &Path, change: impl FnOnce(String) -> String) {
    let before = fs::read_to_string(path).unwrap();
    let after = change(before.clone());
    assert_ne!(after, before);
    fs::write(path, after).unwrap();
}

/// A target folder beside the one of all tests: that of a workspace whose kernels were built, since
/// core is there already.
fn another_target() -> PathBuf {
    let folders = fs::read_dir(nested_target())
        .into_iter()
        .flatten()
        .flatten();
    let mut of_workspaces = folders.map(|folder| folder.path()).filter(|folder| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with("workspace-"))
    });
    of_workspaces
        .next()
        .unwrap_or_else(|| nested_target().join("of-another-clone"))
}

#[test]
fn two_clones_in_different_folders_give_the_same_bytes() {
    let here = tempfile::tempdir().unwrap();
    let build = |clone: &str, target: &Path| {
        let folder = here.path().join(clone);
        copy(&fixture("workspace"), &folder);
        for source in ["kernels/src/lib.rs", "parts/src/lib.rs"] {
            // So that no earlier run has built the same in another folder.
            let end = format!("// {}\n", here.path().display());
            edit(&folder.join(source), |text| text + &end);
        }
        let out = here.path().join(format!("{clone}-out"));
        let artifact = builder(&folder.join("kernels"), &out)
            .target_dir(target)
            .build_all()
            .unwrap();
        (ptx(&artifact, 0), artifact.manifest)
    };
    let (first, first_manifest) = build("a", &nested_target());
    let (second, second_manifest) = build("another/deeper", &another_target());
    assert_eq!(first, second);
    assert_eq!(first_manifest, second_manifest);
    assert!(first.contains("parts__mix"), "{first}");
    assert!(first.contains("\"./kernels/src/lib.rs\""), "{first}");
    let home = std::env::home_dir().unwrap();
    assert!(!first.contains(home.to_str().unwrap()), "{first}");
    assert!(!first.contains(here.path().to_str().unwrap()), "{first}");
}

/// The second clone's sources are older than what the first one's build left,
/// and differ from them in a dependency and in the crate itself.
#[test]
fn clones_that_share_a_target_folder_get_what_their_own_sources_say() {
    let here = tempfile::tempdir().unwrap();
    let clone = |name: &str| {
        let folder = here.path().join(name);
        copy(&fixture("workspace"), &folder);
        folder
    };
    let age = |path: &Path| {
        let long_ago = SystemTime::now() - Duration::from_hours(1000);
        let file = fs::File::options().append(true).open(path).unwrap();
        file.set_modified(long_ago).unwrap();
    };
    let build = |name: &str| {
        let kernels = here.path().join(name).join("kernels");
        let out = here.path().join(format!("{name}-out"));
        ptx(&builder(&kernels, &out).build_all().unwrap(), 0)
    };
    let (first, second) = (clone("first"), clone("second"));
    edit(&second.join("parts/src/lib.rs"), |text| {
        text.replace("ROUNDS: u32 = 5", "ROUNDS: u32 = 3")
    });
    for source in ["kernels/src/lib.rs", "parts/src/lib.rs"] {
        age(&second.join(source));
        age(&first.join(source));
    }
    let of_first = build("first");
    let of_second = build("second");
    assert_ne!(of_first, of_second, "a dependency differs");
    assert_eq!(build("first"), of_first);

    let third = clone("third");
    let source = third.join("kernels/src/lib.rs");
    edit(&source, |text| text.replace("% 7", "% 5"));
    age(&source);
    age(&third.join("parts/src/lib.rs"));
    let of_third = build("third");
    assert!(of_third != of_first, "the crate itself differs");
    assert_eq!(build("second"), of_second);
}

#[test]
fn nothing_is_written_when_nothing_changed_and_a_change_in_a_dependency_is_noticed() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path().join("clone");
    copy(&fixture("workspace"), &folder);
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
    edit(&folder.join("parts/src/lib.rs"), |text| {
        text.replace("rotate_left", "rotate_right")
    });
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
        .debug(DebugInfo::Full)
        .build()
        .unwrap();
    assert_eq!(path, copy);
    let ptx = fs::read_to_string(&copy).unwrap();
    assert!(ptx.contains(".entry mix("));
    // With full debug information, registers hold variables of the source.
    let module = ptx_syntax::parse(&ptx).unwrap();
    let held = ptx_syntax::variables::held(&module);
    assert!(held.iter().any(|one| one.name == "count"), "{held:?}");
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
    assert!(text.starts_with("optix(true) is refused: "), "{text}");
    let text = refused(kernels().archs(&[NvvmArch::Compute75, NvvmArch::Compute90]));
    assert!(text.contains("build_all()"), "{text}");
    let missing = Path::new("no/such/crate");
    let error = CudaBuilder::new(missing).build().unwrap_err();
    assert!(
        matches!(&error, CudaBuilderError::CratePathDoesntExist(path) if path == missing),
        "{error}"
    );
}

/// The names of rust-cuda's guide, "Compute capability gating".
#[test]
fn a_kernel_asks_for_its_architecture_by_rust_cudas_names() {
    let asking = |names: &[&str]| {
        let bits = names.iter().enumerate().map(|(bit, name)| {
            format!("+ (u32::from(cfg!(target_feature = \"compute_{name}\")) << {bit})")
        });
        let body = format!(
            "unsafe {{ core::ptr::without_provenance_mut::<u32>(64).write_volatile(7000 {}) }}",
            bits.collect::<String>()
        );
        Kernels::new(&format!(
            "#[deny(unexpected_cfgs)]\n{}",
            kernel("own_kernels", "asks", &body)
        ))
    };
    let kernels = asking(&["61", "75", "90", "90a", "100", "100f", "103f"]);
    for (arch, bits) in [
        (NvvmArch::Compute75, 0b11),
        (NvvmArch::Compute90, 0b111),
        (NvvmArch::Compute90a, 0b1111),
        (NvvmArch::Compute100f, 0b11_0111),
    ] {
        let built = kernels.builder().arch(arch).build_all().unwrap();
        let text = ptx(&built, 0);
        assert!(
            text.contains(&format!(", {};", 7000 + bits)),
            "{arch}: {text}"
        );
    }
    // What is misspelt is false in silence everywhere, so that the compiler has to know the names.
    let misspelt = asking(&["99"]).builder().build_all().unwrap_err();
    assert!(
        matches!(misspelt, CudaBuilderError::BuildFailed { .. }),
        "{misspelt}"
    );
}

/// As a build script does that was written for rust-cuda.
#[test]
fn fields_say_what_the_methods_say() {
    let here = tempfile::tempdir().unwrap();
    let kernels = fixture("workspace").join("kernels");
    let copy = here.path().join("copy.ptx");
    let mut by_fields = CudaBuilder::new(&kernels)
        .target_dir(nested_target())
        .out_dir(here.path());
    by_fields.arch = NvvmArch::Compute90;
    by_fields.fma_contraction = false;
    by_fields.ptx_file_copy_path = Some(copy.clone());
    by_fields.emit = Some(EmitOption::Bitcode);
    assert_eq!(by_fields.build().unwrap(), copy);
    let bitcode = fs::read(here.path().join("two_crates.sm_90.bc")).unwrap();
    assert!(bitcode.starts_with(b"BC\xC0\xDE"));
    let other = tempfile::tempdir().unwrap();
    let by_methods = builder(&kernels, other.path()).build().unwrap();
    assert_eq!(fs::read(&copy).unwrap(), fs::read(by_methods).unwrap());

    let fast = CudaBuilder::new(&kernels).fast_math();
    assert!(fast.ftz && fast.fast_sqrt && fast.fast_div && fast.fma_contraction);
}
