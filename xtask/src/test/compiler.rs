//! The compiler of the workspace's own packages in `cargo xtask test`: clippy, and rustdoc after it.
//! What is looked at is then what is run, and nothing is compiled twice: `cargo clippy` and
//! `cargo doc` would each have all dependencies compiled for themselves.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cargo;

/// Crates that rustc compiles, before clippy looks at them: it compiles without rustc's own
/// optimisation, which makes the emulator a quarter slower, and for it the kernels' package has
/// modules for the host that it has for nobody else.
const BY_RUSTC: [&str; 2] = ["ptx_emulator", "quadscan_kernels"];

/// Cargo starts it with rustc and its arguments. Lints are clippy's alone, which has rustc's too. What clippy and rustdoc deny is a warning, so that
/// all is compiled and run whatever is found. What they make beside goes to folders of their own,
/// and cargo is not told of it.
const SCRIPT: &str = r#"#!/bin/sh
# Copies of crates, which tests build.
case $QUADSCAN_COMPILE_ONLY in ?*) exec "$@" ;; esac

arguments=" $* "
case $arguments in
BY_RUSTC) "$@" --cap-lints=allow || exit ;;
*) 'CLIPPY' "$@" --cap-lints=warn || exit ;;
esac

last=
for argument; do
    shift
    case $last$argument in
    --emit=*|--json=*|--out-dir*) ;;
    *) set -- "$@" "$argument" ;;
    esac
    case $argument in --out-dir) last=$argument ;; *) last= ;; esac
done
case $arguments in
BY_RUSTC) 'CLIPPY' "$@" --emit=metadata='FOLDER/clippy.rmeta' --cap-lints=warn || exit ;;
esac

case $arguments in
*' --test '*|*' --cfg test '*|*' --crate-name build_script_'*) exit ;;
*' --crate-type bin --emit='*)
    set -- "$@" --document-private-items --allow=rustdoc::private-intra-doc-links ;;
*' --emit='*) ;;
*) exit ;;
esac
shift
exec 'RUSTDOC' "$@" --out-dir "FOLDER/doc/$CARGO_PKG_NAME" --cap-lints=warn
"#;

/// Writes it into a target folder.
pub(super) fn write(folder: &Path) -> anyhow::Result<PathBuf> {
    let by_rustc = BY_RUSTC.map(|name| format!("*' --crate-name {name} '*"));
    let text = SCRIPT
        .replace("BY_RUSTC", &by_rustc.join("|"))
        .replace("CLIPPY", &cargo::beside("clippy-driver").to_string_lossy())
        .replace("RUSTDOC", &cargo::beside("rustdoc").to_string_lossy())
        .replace("FOLDER", &folder.to_string_lossy());
    // Cargo knows a compiler by its path.
    let hash = hmac_sha256::Hash::hash(text.as_bytes());
    let path = folder.join(format!("clippy-{:02x}{:02x}.sh", hash[0], hash[1]));
    let cannot = || format!("{} could not be written", path.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    fs::write(&path, text).with_context(cannot)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).with_context(cannot)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// Compiles a library, as cargo does; what was said of it.
    fn said(name: &str, text: &str, more: &[&str]) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("lib.rs"), text).expect("written");
        fs::create_dir(folder.path().join("made")).expect("made");
        let output = Command::new(write(folder.path()).expect("written"))
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
            .args(["--emit=dep-info,metadata,link", "--out-dir", "made"])
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
            folder.path().join("made").join(made).is_file(),
            "{name}: {said}"
        );
        assert_eq!(
            folder.path().join("doc").join(name).is_dir(),
            more != ["--test"]
        );
        // Cargo hears once of each file.
        let told = said.matches("\"artifact\":\"made/").count();
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
}
