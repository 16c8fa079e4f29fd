//! The candidates of `cargo xtask tune scan` become PTX: one of each kind of entry, of
//! registers and of shared memory.

#[path = "../../kernels-crate/embed/ptx.rs"]
mod ptx;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use quadscan_bench::tune::candidate::Algorithm;
use quadscan_bench::tune::{candidates, kernels};

#[test]
fn the_candidates_become_ptx_with_their_entries() {
    let mut all = candidates::all();
    all.retain(|one| (one.element, one.result) == (4, 4));
    all.retain(|one| matches!(one.algorithm, Algorithm::OneBlock | Algorithm::Lookahead));
    let few = [all[0].clone(), all[all.len() - 1].clone()];
    assert_ne!(few[0].algorithm, few[1].algorithm);

    let here = tempfile::tempdir().expect("a temporary folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = format!(
        "[package]\nname = \"candidates\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         cuda_std = {{ path = \"{0}/rust-cuda/cuda_std\", default-features = false }}\n\
         quadscan-kernels = {{ path = \"{0}/kernels-crate\", default-features = false }}\n",
        root.display()
    );
    fs::create_dir(here.path().join("src")).expect("made");
    fs::write(here.path().join("src/lib.rs"), kernels::source(&few)).expect("written");
    fs::write(here.path().join("Cargo.toml"), manifest).expect("written");
    fs::copy(root.join("Cargo.lock"), here.path().join("Cargo.lock")).expect("copied");
    let locked = Command::new("cargo")
        .args(["metadata", "--offline", "--format-version=1"])
        .current_dir(here.path())
        .output();
    assert!(locked.expect("cargo starts").status.success());

    let test = std::env::current_exe().expect("a test has a path");
    let target = test.ancestors().nth(3).expect("a target folder");
    let shared = std::env::var_os("CUDA_BUILDER_TARGET_DIR").filter(|shared| !shared.is_empty());
    let nested = shared.map_or_else(|| target.join("cuda-builder"), PathBuf::from);
    let [.., newest] = ptx::ARCHS;
    let built = ptx::builder(here.path())
        .arch(newest)
        .target_dir(nested)
        .out_dir(here.path().join("out"))
        .build_all();
    let module = &built.expect("they build").manifest.modules[0];
    for one in &few {
        assert!(module.kernel(&one.entry).is_some(), "{}", one.entry);
    }
}
