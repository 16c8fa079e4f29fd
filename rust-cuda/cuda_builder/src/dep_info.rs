//! What rustc and cargo say a unit was made from: `.d` files.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{CudaBuilderError, environment};

/// The files that a make-style dependency file names. Those of the standard
/// library change with the toolchain alone and are left out.
pub(crate) fn files(path: &Path, sysroot: &Path) -> Result<Vec<PathBuf>, CudaBuilderError> {
    let text =
        fs::read_to_string(path).map_err(|source| CudaBuilderError::io("read", path, source))?;
    let mut files = Vec::new();
    for line in text.lines() {
        let Some((_, sources)) = line.split_once(": ") else {
            continue;
        };
        // A space in a name is written as `\ `.
        let sources = sources.replace("\\ ", "\0");
        files.extend(
            sources
                .split_whitespace()
                .map(|file| PathBuf::from(file.replace('\0', " ")))
                .filter(|file| !file.starts_with(sysroot)),
        );
    }
    Ok(files)
}

/// The environment variables that `env!` and `option_env!` read for the unit
/// whose output is at `unit`, without those that cargo sets. Empty where rustc
/// wrote no `.d` file of it.
pub(crate) fn variables(unit: &Path) -> Vec<String> {
    let name = unit.file_name().map(|name| name.to_string_lossy());
    let name = name.as_deref().unwrap_or_default();
    // `libparts-1.rlib` goes with `parts-1.d`, `kernels.ptx.bc` with `kernels.d`.
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let stems = [stem, stem.strip_prefix("lib").unwrap_or(stem)];
    let text = stems
        .iter()
        .find_map(|stem| fs::read_to_string(unit.with_file_name(format!("{stem}.d"))).ok())
        .unwrap_or_default();
    text.lines()
        .filter_map(|line| line.strip_prefix("# env-dep:"))
        .map(|line| line.split_once('=').map_or(line, |(name, _)| name))
        .filter(|name| !environment::is_ours_alone(name))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_listed_with_spaces_and_leaves_the_standard_library_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.d");
        fs::write(
            &path,
            "/t/k.ptx: /a/lib.rs /with\\ space/b.rs /sys/lib/core.rs\n",
        )
        .unwrap();
        let files = files(&path, Path::new("/sys")).unwrap();
        assert_eq!(
            files,
            [
                PathBuf::from("/a/lib.rs"),
                PathBuf::from("/with space/b.rs")
            ]
        );
    }

    #[test]
    fn variables_that_the_source_reads_are_listed_and_those_that_cargo_sets_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let text = "o: a.rs\n\n# env-dep:LEVEL=3\n# env-dep:UNSET\n# env-dep:CARGO_PKG_NAME=k\n";
        fs::write(folder.path().join("k-1.d"), text).unwrap();
        for unit in ["libk-1.rlib", "k-1.ptx.bc"] {
            assert_eq!(variables(&folder.path().join(unit)), ["LEVEL", "UNSET"]);
        }
        assert!(variables(&folder.path().join("libother-1.rlib")).is_empty());
    }
}
