//! What stands in for a linker in the nested cargo.
//!
//! It keeps what a linker would get, and lists it in the output: no other part
//! of the crate knows the form of that list.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::CudaBuilderError;

/// What stands in for a linker: keeps the inputs, and lists them in the output.
///
/// The object files are temporary, so they are copied; archives stay. cargo
/// sees an output that exists, and so knows when there is nothing to do.
const LINKER: &str = r#"#!/bin/sh
# Stands in for a linker: keeps what it is given for cuda_builder.
set -e
output=
previous=
for argument in "$@"; do
    [ "$previous" = -o ] && output=$argument
    previous=$argument
done
: > "$output.list"
for argument in "$@"; do
    case $argument in
        *.rlib) printf 'archive %s\n' "$argument" >> "$output.list" ;;
        *.o)
            cp "$argument" "$output.bc"
            printf 'module %s\n' "$output.bc" >> "$output.list"
            ;;
    esac
done
mv "$output.list" "$output"
"#;

pub(crate) fn write(target: &Path) -> Result<PathBuf, CudaBuilderError> {
    use std::os::unix::fs::PermissionsExt;

    fs::create_dir_all(target).map_err(|source| CudaBuilderError::io("create", target, source))?;
    let path = target.join("keep-linker-inputs.sh");
    if fs::read(&path).is_ok_and(|there| there == LINKER.as_bytes()) {
        return Ok(path);
    }
    // Renamed into place: another build may be running the old one, and one of
    // this process may be writing its own.
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let new = target.join(format!(
        "keep-linker-inputs.{}.{number}",
        std::process::id()
    ));
    let write = || {
        fs::write(&new, LINKER)?;
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755))?;
        fs::rename(&new, &path)
    };
    write().map_err(|source| CudaBuilderError::io("write", &path, source))?;
    Ok(path)
}

pub(crate) fn read(bundle: &Path) -> Result<(PathBuf, Vec<PathBuf>), CudaBuilderError> {
    let text = fs::read_to_string(bundle)
        .map_err(|source| CudaBuilderError::io("read", bundle, source))?;
    let listed = |kind: &str| -> Vec<PathBuf> {
        text.lines()
            .filter_map(|line| line.strip_prefix(kind))
            .map(PathBuf::from)
            .collect()
    };
    let modules = listed("module ");
    let archives = listed("archive ");
    let [module] = modules.as_slice() else {
        return Err(CudaBuilderError::Unexpected {
            program: "rustc",
            reason: format!("it gave {} modules to link, not one", modules.len()),
        });
    };
    Ok((module.clone(), archives))
}
