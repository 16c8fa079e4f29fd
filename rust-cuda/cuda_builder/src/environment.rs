//! What a nested cargo or rustc must not inherit.
//!
//! A build script runs under its own cargo's toolchain, flags, wrappers and
//! target folder, all of which reach children through the environment.

use std::env;
use std::process::Command;

/// Removes every variable that would change what cargo or rustc do.
pub(crate) fn clear(command: &mut Command) {
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(is_ours_alone) {
            command.env_remove(name);
        }
    }
}

/// Whether a variable belongs to the caller's build and not to its user.
pub(crate) fn is_ours_alone(name: &str) -> bool {
    const EXACT: &str = "\
        CARGO RUSTUP_TOOLCHAIN RUSTUP_TOOLCHAIN_SOURCE RUSTC RUSTDOC RUSTFLAGS RUSTDOCFLAGS \
        RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTC_LINKER RUSTC_BOOTSTRAP \
        RUST_RECURSION_COUNT CLIPPY_ARGS CARGO_TARGET_DIR CARGO_INCREMENTAL CARGO_MAKEFLAGS \
        CARGO_MANIFEST_DIR CARGO_MANIFEST_PATH CARGO_MANIFEST_LINKS CARGO_PRIMARY_PACKAGE \
        CARGO_CRATE_NAME CARGO_BIN_NAME CARGO_ENCODED_RUSTFLAGS CARGO_ENCODED_RUSTDOCFLAGS \
        OUT_DIR TARGET HOST PROFILE DEBUG OPT_LEVEL NUM_JOBS MAKEFLAGS MFLAGS";
    const PREFIXES: &str = "\
        CARGO_BUILD_ CARGO_CFG_ CARGO_FEATURE_ CARGO_PKG_ CARGO_PROFILE_ CARGO_TARGET_ \
        CARGO_UNSTABLE_ CARGO_BIN_EXE_ DEP_";
    let mut prefixes = PREFIXES.split(' ');
    EXACT.split(' ').any(|exact| exact == name) || prefixes.any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::is_ours_alone;

    #[test]
    fn the_callers_toolchain_and_flags_do_not_reach_the_nested_cargo() {
        for name in [
            "RUSTUP_TOOLCHAIN",
            "RUSTFLAGS",
            "CARGO_TARGET_DIR",
            "CARGO_PKG_NAME",
        ] {
            assert!(is_ours_alone(name), "{name}");
        }
    }

    #[test]
    fn where_the_user_keeps_packages_does() {
        for name in [
            "CARGO_HOME",
            "RUSTUP_HOME",
            "HOME",
            "PATH",
            "CARGO_TERM_COLOR",
            "CARGO_NET_OFFLINE",
        ] {
            assert!(!is_ours_alone(name), "{name}");
        }
    }
}
