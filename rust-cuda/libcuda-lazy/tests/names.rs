//! The list of functions is `cust_raw`'s.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the `cust_raw` that this workspace uses.
fn cust_raw_folder() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--filter-platform"])
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let manifest = metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .find(|package| package["name"] == "cust_raw")
        .and_then(|package| package["manifest_path"].as_str())
        .expect("cust_raw is a dependency");
    Path::new(manifest).parent().expect("a folder").to_owned()
}

fn declared_functions(source: &str) -> BTreeSet<&str> {
    source
        .split("pub fn ")
        .skip(1)
        .filter_map(|rest| rest.split('(').next())
        .filter(|name| name.starts_with("cu"))
        .collect()
}

#[test]
fn every_function_that_cust_raw_declares_is_defined_and_no_other() {
    let source = fs::read_to_string(cust_raw_folder().join("src/cuda.rs")).expect("its source");
    let declared = declared_functions(&source);
    let defined: BTreeSet<&str> = libcuda_lazy::FUNCTIONS.iter().copied().collect();
    assert_eq!(
        defined.len(),
        libcuda_lazy::FUNCTIONS.len(),
        "no name twice"
    );
    assert_eq!(declared, defined);
    assert_eq!(declared.len(), 353);
}

#[test]
fn a_declaration_that_the_list_lacks_is_noticed() {
    let declared = declared_functions("extern \"C\" {\n    pub fn cuNewFunction(\n a: u32);\n}");
    assert!(declared.contains("cuNewFunction"));
    assert!(!libcuda_lazy::FUNCTIONS.contains(&"cuNewFunction"));
}
