//! Rules about the manifests of the workspace's packages.

use toml::{Table, Value};

use super::{File, Finding};

/// What kernels may depend on: `cuda_std`, and crates without `std`.
const KERNEL_DEPENDENCIES: &[&str] = &["cuda_std", "bytemuck", "pastey"];

/// A dependency whose version is not the workspace table's.
pub fn dependency_outside_the_table(file: &File) -> Vec<Finding> {
    findings(file, |_, name, value| {
        let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
        (!inherited).then(|| format!("`{name}`: write `{name}.workspace = true`"))
    })
}

/// A dependency of the kernels that kernels have no need of.
pub fn kernel_dependency(file: &File) -> Vec<Finding> {
    if file.path != "kernels-crate/Cargo.toml" {
        return Vec::new();
    }
    findings(file, |section, name, _| {
        let allowed = section == "dev-dependencies" || KERNEL_DEPENDENCIES.contains(&name);
        (!allowed).then(|| format!("`{name}`: kernels depend on cuda_std alone"))
    })
}

/// The packages of quadscan from the top down, by their manifests: one depends on those behind it.
/// The toolchain and the emulator know none of them.
const ARROWS: [(&str, &str); 5] = [
    ("bench-crate", "quadscan-bench"),
    ("host-crate", "quadscan"),
    ("kernels-crate/embed", "quadscan-ptx"),
    ("kernels-crate", "quadscan-kernels"),
    ("ptx-emulator", "ptx-emulator"),
];

/// A dependency that points upwards: of a package on one above it, and of `xtask`, whose
/// compilation every command waits for, on any of them.
pub fn upward_dependency(file: &File) -> Vec<Finding> {
    let folder = file.path.strip_suffix("/Cargo.toml").unwrap_or_default();
    let place = ARROWS.iter().position(|(of, _)| *of == folder);
    let is_below = folder == "xtask" || folder.starts_with("rust-cuda/");
    let above = match place {
        Some(place) => &ARROWS[..place],
        None if is_below => &ARROWS[..],
        None => &[],
    };
    findings(file, |section, name, _| {
        let is_above = above.iter().any(|(_, package)| *package == name);
        (is_above && section != "dev-dependencies")
            .then(|| format!("`{name}`: this package is below it (ARCHITECTURE.md)"))
    })
}

/// Programs alone, that nobody calls.
const PROGRAMS: [&str; 2] = ["xtask/Cargo.toml", "book/Cargo.toml"];

/// `anyhow`, where callers need an error that they can match on.
pub fn anyhow_in_a_library(file: &File) -> Vec<Finding> {
    if PROGRAMS.contains(&file.path.as_str()) {
        return Vec::new();
    }
    findings(file, |_, name, _| {
        (name == "anyhow").then(|| "`anyhow`: a library has one `thiserror` enum".to_owned())
    })
}

/// Unit tests of a library whose manifest says that it has none; of the emulator's another package has a
/// runner.
pub fn tests_that_nobody_runs(files: &[File]) -> Vec<Finding> {
    let has_none = |file: &&File| {
        let manifest: Option<Table> = file.text.parse().ok();
        let library = manifest.as_ref().and_then(|manifest| manifest.get("lib"));
        library.and_then(|library| library.get("test")) == Some(&Value::Boolean(false))
    };
    let manifests = files
        .iter()
        .filter(|file| file.path.ends_with("Cargo.toml"));
    let folders = manifests.filter(has_none).filter_map(|file| {
        let folder = file.path.strip_suffix("Cargo.toml");
        folder.filter(|folder| *folder != "ptx-emulator/")
    });
    let sources: Vec<String> = folders.map(|folder| format!("{folder}src/")).collect();
    let is_one = |file: &&File| {
        let is_there = sources.iter().any(|folder| file.path.starts_with(folder));
        is_there && file.text.contains("#[test]")
    };
    let message = "the library's manifest says `test = false`: nobody runs this test";
    let found = files.iter().filter(is_one);
    found.map(|file| file.finding(0, message)).collect()
}

/// Runs `judge` on every dependency of a package's manifest: section, name, value.
fn findings(file: &File, judge: impl Fn(&str, &str, &Value) -> Option<String>) -> Vec<Finding> {
    if file.path.rsplit('/').next() != Some("Cargo.toml") || file.is_sample() {
        return Vec::new();
    }
    let manifest: Table = match file.text.parse() {
        Ok(manifest) => manifest,
        Err(error) => return vec![file.finding(0, format!("not TOML: {error}"))],
    };
    // A workspace of its own has a table of its own: what is outside ours.
    if manifest.contains_key("workspace") {
        return Vec::new();
    }
    let mut sections: Vec<&Table> = vec![&manifest];
    if let Some(targets) = manifest.get("target").and_then(Value::as_table) {
        sections.extend(targets.values().filter_map(Value::as_table));
    }
    let mut found = Vec::new();
    for table in sections {
        for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let dependencies = table.get(section).and_then(Value::as_table);
            for (name, value) in dependencies.into_iter().flatten() {
                found.extend(judge(section, name, value).map(|message| file.finding(0, message)));
            }
        }
    }
    found
}
