//! From what the nested cargo said to an error that says what to do.
//!
//! Only its text is judged here: nothing is run and no file is read.

use crate::CudaBuilderError;
use crate::kernel_crate::Crate;

/// Turns what cargo said into an error that says what to do.
pub(crate) fn failure(kernels: &Crate, errors: &str) -> CudaBuilderError {
    // cargo's sentence about the lock file ends in advice that names --offline.
    if errors.contains("lock file") && errors.contains("--locked") {
        return CudaBuilderError::LockFile {
            crate_path: kernels.folder.clone(),
            remedy: format!(
                "cargo update --workspace --manifest-path {}",
                kernels.manifest.display()
            ),
        };
    }
    let not_fetched = ["--offline", "failed to download", "no matching package"];
    if not_fetched.iter().any(|text| errors.contains(text)) {
        return CudaBuilderError::NotFetched {
            crate_path: kernels.folder.clone(),
            remedy: format!("cargo fetch --manifest-path {}", kernels.manifest.display()),
        };
    }
    CudaBuilderError::BuildFailed {
        crate_path: kernels.folder.clone(),
        advice: advice(errors),
    }
}

/// To who calls std, or depends on what does; rustc says to `cargo add std`.
const NO_STD: &str = "kernels have core and alloc, and no std, which needs an operating system: write `core::` or `alloc::`, and switch off the features of a dependency that need std";

/// What to write instead of what a GPU does not have, and of what rustc has removed
/// since 2021, for kernel crates of that time.
fn advice(errors: &str) -> String {
    const REPLACED: &[(&str, &str)] = &[
        (
            "register_attr",
            "`feature(register_attr)` and `register_attr(nvvm_internal)` are gone from rustc: delete the `cfg_attr` that names them, and `no_std` with it, because the builder sets what kernels need",
        ),
        (
            "nvvm_internal",
            "`nvvm_internal` attributes belong to rust-cuda's own backend: use cuda_std's `#[kernel]`, `#[address_space(..)]` and `#[externally_visible]`",
        ),
        (
            "feature `asm` has been removed",
            "`feature(asm)` is stable: delete it, and take the macro from `core::arch::asm`",
        ),
        ("unlinked crate `std`", NO_STD),
        ("can't find crate for `std`", NO_STD),
        (
            "cannot find macro `println`",
            "write `use cuda_std::prelude::*;`, which has println!, format!, Vec and Box",
        ),
        (
            "#[panic_handler]",
            "a crate of kernels gets its panic handler from cuda_std: write `use cuda_std::prelude::*;`, and define none yourself",
        ),
    ];
    REPLACED
        .iter()
        .find(|(sign, _)| errors.contains(sign))
        .map(|(_, text)| format!("; {text}"))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_that_rustc_removed_gets_a_sentence_that_says_what_to_write() {
        let errors = "error[E0557]: feature has been removed\n #![feature(register_attr)]";
        assert_eq!(
            advice(errors),
            "; `feature(register_attr)` and `register_attr(nvvm_internal)` are gone from rustc: delete the `cfg_attr` that names them, and `no_std` with it, because the builder sets what kernels need"
        );
        let said = advice("error: cannot find attribute `nvvm_internal` in this scope");
        assert!(
            said.contains("`nvvm_internal` attributes belong to rust-cuda's own backend: use cuda_std's `#[kernel]`"),
            "{said}"
        );
        let said = advice("error[E0557]: feature has been removed: feature `asm` has been removed");
        assert!(
            said.contains("`feature(asm)` is stable: delete it"),
            "{said}"
        );
        let said = advice("error[E0152]: found duplicate lang item: #[panic_handler]");
        assert!(
            said.contains("a crate of kernels gets its panic handler from cuda_std"),
            "{said}"
        );
        assert_eq!(advice("error[E0308]: mismatched types"), "");
    }

    #[test]
    fn a_lock_file_that_is_out_of_date_is_not_a_package_that_is_missing() {
        let here = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| std::fs::write(here.path().join(path), text).unwrap();
        std::fs::create_dir(here.path().join("src")).unwrap();
        write("src/lib.rs", "");
        let package = "[package]\nname = \"k\"\nedition = \"2024\"\n[workspace]\n";
        write("Cargo.toml", package);
        write("Cargo.lock", "version = 4\n");
        // What cargo really says, of a lock file without the package itself.
        let toolchain = crate::toolchain::find().unwrap();
        let output = toolchain
            .command()
            .args(["check", "--locked", "--offline"])
            .current_dir(here.path())
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let kernels = Crate::find(&toolchain, here.path()).unwrap();
        let error = failure(&kernels, &said);
        assert!(
            matches!(error, CudaBuilderError::LockFile { .. }),
            "{said}{error}"
        );
        let manifest = kernels.manifest.display();
        assert_eq!(
            error.to_string(),
            format!(
                "the lock file of the kernels in {} is out of date: run `cargo update --workspace --manifest-path {manifest}`",
                kernels.folder.display()
            )
        );
        let missing = failure(&kernels, "error: no matching package named `x` found");
        assert_eq!(
            missing.to_string(),
            format!(
                "a package that the kernels in {} need has not been fetched yet, and builds do not use the network: run `cargo fetch --manifest-path {manifest}`",
                kernels.folder.display()
            )
        );
    }
}
