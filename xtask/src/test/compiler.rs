//! The compiler of the workspace's own packages in `cargo xtask test`: clippy, and rustdoc after it.
//! What is looked at is then what is run, and nothing is compiled twice: `cargo clippy` and
//! `cargo doc` would each have all dependencies compiled for themselves.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use anyhow::Context;
use hmac_sha256::Hash as Sha256;

use crate::cargo;

/// What cargo starts.
const SCRIPT: &str = include_str!("compiler.sh");

/// Where it is, with its hash in the name, since cargo knows a compiler by its path. `.ci/run` puts it there
/// too, and has this program compiled by it.
pub(super) fn path() -> anyhow::Result<PathBuf> {
    let digest = Sha256::hash(SCRIPT.as_bytes());
    let digest: String = digest[..8]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let folder = cargo::root().join("target");
    let path = folder.join(format!("compiler-{digest}.sh"));
    if !path.is_file() {
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(&folder)?;
            let new = tempfile::Builder::new().tempfile_in(&folder)?;
            fs::write(new.path(), SCRIPT)?;
            fs::set_permissions(new.path(), fs::Permissions::from_mode(0o755))?;
            let (file, new) = new.keep()?;
            drop(file);
            fs::rename(new, &path)
        };
        write().with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Crates that rustc compiles.
    const BY_RUSTC: [&str; 2] = ["ptx_emulator", "quadscan_kernels"];

    /// Compiles a library, as cargo does; what was said of it.
    fn said(name: &str, text: &str, more: &[&str]) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("lib.rs"), text).expect("written");
        fs::create_dir_all(folder.path().join("debug/deps")).expect("made");
        let output = Command::new(path().expect("written"))
            .args([
                "rustc",
                "--crate-name",
                name,
                "lib.rs",
                "--error-format=json",
            ])
            .args([
                "--json=diagnostic-rendered-ansi,artifacts",
                "--crate-type",
                "lib",
            ])
            .args(["--emit=dep-info,metadata,link", "--out-dir", "./debug/deps"])
            .args(more)
            .env("CARGO_PKG_NAME", name)
            .current_dir(folder.path())
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let made = if more == ["--test"] {
            name.to_owned()
        } else {
            format!("lib{name}.rlib")
        };
        assert!(
            folder.path().join("debug/deps").join(made).is_file(),
            "{name}: {said}"
        );
        assert_eq!(
            folder.path().join("doc").join(name).is_dir(),
            more != ["--test"]
        );
        // Cargo hears once of each file.
        let told = said.matches("\"artifact\":\"./debug/deps/").count();
        assert_eq!(told, said.matches("\"artifact\":").count(), "{said}");
        said
    }

    #[test]
    fn each_crate_is_looked_at_by_clippy_and_by_rustdoc_whoever_compiles_it() {
        let lints = "//! Of [`Nothing`].\n#![deny(warnings)]\npub fn f(x: &Vec<u8>) -> usize {\n    x.len()\n}\n";
        for name in BY_RUSTC.into_iter().chain(["another"]) {
            let said_of = said(name, lints, &[]);
            assert!(said_of.contains("clippy::ptr_arg"), "{name}: {said_of}");
            // Rustc's own lints are clippy's too, and told once.
            let unused = said(name, "fn unused() {}\n", &[]);
            assert_eq!(
                unused.matches("\"code\":\"dead_code\"").count(),
                1,
                "{unused}"
            );
            assert!(
                said_of.contains("broken_intra_doc_links"),
                "{name}: {said_of}"
            );
            let said_of = said(name, lints, &["--test"]);
            assert!(said_of.contains("clippy::ptr_arg"), "{name}: {said_of}");
            assert!(
                !said_of.contains("broken_intra_doc_links"),
                "{name}: {said_of}"
            );
            let clean = said(name, "pub fn f(x: &[u8]) -> usize {\n    x.len()\n}\n", &[]);
            assert!(!clean.contains("\"level\":\"warning\""), "{name}: {clean}");
        }
    }

    /// What rustc is asked for a crate of the package `cuda_builder`.
    fn asked(more: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let rustc = folder.path().join("rustc");
        fs::write(&rustc, "#!/bin/sh\necho \"$@\"\n").expect("written");
        let runs = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&rustc, runs).expect("may be run");
        let asked = Command::new(path().expect("written"))
            .arg(rustc)
            .args(["--crate-name", "builds", "-C", "opt-level=1", more])
            .env("CARGO_PKG_NAME", "cuda_builder")
            .env("QUADSCAN_COMPILE_ONLY", "1")
            .output()
            .expect("it starts");
        String::from_utf8_lossy(&asked.stdout).into_owned()
    }

    #[test]
    fn tests_of_an_optimised_package_are_not_optimised() {
        let of =
            |level: u8, more: &str| format!("--crate-name builds -C opt-level={level} {more}\n");
        for more in ["--test", "--out-dir target/debug/examples"] {
            assert_eq!(asked(more), of(0, more));
        }
        assert_eq!(asked("--crate-type=lib"), of(1, "--crate-type=lib"));
    }
}
