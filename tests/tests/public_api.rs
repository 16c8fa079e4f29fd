//! The interface of each crate that is published is the one that `tests/public-api` has: a change of
//! it is seen in review, and whether it breaks who depends on the crate.
//!
//! The pinned nightly's rustdoc describes the crates as JSON, and `public-api` lists what is public.
//! After a change, `UPDATE_PUBLIC_API=1 cargo test -p quadscan-tests --test public_api` writes the
//! lists anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_builder::toolchain::PINNED;
use public_api::{Builder, PublicApi};

/// The packages, and the names of their libraries. `quadscan-ptx` has nothing but PTX.
const CRATES: [(&str, &str); 9] = [
    ("cuda_builder", "cuda_builder"),
    ("cuda_inspect", "cuda_inspect"),
    ("cuda_std", "cuda_std"),
    ("cuda_std_macros", "cuda_std_macros"),
    ("libcuda-lazy", "libcuda_lazy"),
    ("ptx-emulator", "ptx_emulator"),
    ("ptx-syntax", "ptx_syntax"),
    ("quadscan", "quadscan"),
    ("quadscan-kernels", "quadscan_kernels"),
];

/// All but the command `ptx-emulator` and our own operators' kernels, whose list is `docs/kernels.md`.
const FEATURES: &str = "cuda_builder/build,cuda_std/half,quadscan/emulator";

/// What cargo and rustup say to a test, and would be taken for what this test asks of them.
const OF_THE_CALLER: [&str; 6] = [
    "CARGO",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
];

fn root() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace")
}

/// Has rustdoc describe the crates; the folder of the descriptions.
fn described() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    // TARGET/debug/deps/test
    let target = test.ancestors().nth(3).expect("a target folder");
    let target = target.join("public-api");
    let mut command = Command::new("rustup");
    command
        .args(["run", PINNED, "cargo", "doc", "--quiet", "--lib"])
        .args([
            "--offline",
            "--locked",
            "--no-deps",
            "--no-default-features",
        ])
        .args(["--features", FEATURES, "--target-dir"])
        .arg(&target);
    for (package, _) in CRATES {
        command.args(["--package", package]);
    }
    OF_THE_CALLER.iter().for_each(|variable| {
        command.env_remove(variable);
    });
    let output = command
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json")
        .current_dir(root())
        .output()
        .expect("rustup starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    target.join("doc")
}

/// What is public of a crate, without what every type has.
fn public(description: &Path) -> PublicApi {
    let builder = Builder::from_rustdoc_json(description)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true);
    let built = builder.build();
    built.unwrap_or_else(|error| panic!("{}: {error}", description.display()))
}

/// Lines that one text has and the other has not, with a sign of which.
fn difference(kept: &str, now: &str) -> Vec<String> {
    let missing = |of: &str, from: &str, sign: char| -> Vec<String> {
        let from: Vec<&str> = from.lines().collect();
        let lines = of.lines().filter(|line| !from.contains(line));
        lines.map(|line| format!("{sign} {line}")).collect()
    };
    [missing(kept, now, '-'), missing(now, kept, '+')].concat()
}

#[test]
fn the_public_interface_of_each_crate_is_the_one_that_is_kept() {
    let descriptions = described();
    let update = std::env::var_os("UPDATE_PUBLIC_API").is_some();
    let mut changed = Vec::new();
    for (_, library) in CRATES {
        let now = public(&descriptions.join(format!("{library}.json"))).to_string();
        assert!(
            now.contains(&format!("pub mod {library}\n")),
            "{library} is empty"
        );
        let path = root().join(format!("tests/public-api/{library}.txt"));
        if update {
            fs::write(&path, &now).expect("written");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        changed.extend(difference(&kept, &now));
    }
    assert!(
        changed.is_empty(),
        "the public interface changed: a release that takes something away is not compatible. \
         UPDATE_PUBLIC_API=1 cargo test -p quadscan-tests --test public_api\n{}",
        changed.join("\n")
    );
}

#[test]
fn an_item_that_is_gone_and_one_that_is_new_are_told() {
    let (kept, now) = ("pub mod a\npub fn a::b()\n", "pub mod a\npub fn a::c()\n");
    assert_eq!(
        difference(kept, now),
        ["- pub fn a::b()", "+ pub fn a::c()"]
    );
    assert!(difference(kept, kept).is_empty());
}
