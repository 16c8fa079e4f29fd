//! The house rules hold in the whole repository, and each of them can fail.

use std::path::{Path, PathBuf};

use quadscan_tests::tidy::{self, File, Finding, Layers, Rule, Text};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn assert_holds(rule: impl Fn(&File) -> Vec<Finding>) {
    let files = tidy::files(&root()).expect("the repository can be read");
    assert!(files.len() > 50, "only {} files found", files.len());
    let findings: Vec<String> = files
        .iter()
        .flat_map(rule)
        .map(|finding| finding.to_string())
        .collect();
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

#[track_caller]
fn assert_fires(rule: Rule, path: &str, text: &str) {
    let findings = rule(&File::new(path, text));
    assert!(!findings.is_empty(), "nothing found in {path}");
}

#[track_caller]
fn assert_silent(rule: Rule, path: &str, text: &str) {
    assert_eq!(rule(&File::new(path, text)), []);
}

#[test]
fn every_rust_file_says_what_lives_in_it() {
    assert_holds(tidy::missing_module_docs);
    assert_fires(tidy::missing_module_docs, "a.rs", "fn main() {}");
    assert_silent(tidy::missing_module_docs, "a.rs", "//! What.\nfn main() {}");
    assert_silent(tidy::missing_module_docs, "a/tests/ui/a.rs", "fn main() {}");
}

#[test]
fn every_rust_file_fits_in_a_head() {
    assert_holds(tidy::too_long);
    for (path, most) in [
        ("a/src/a.rs", tidy::MAX_LINES),
        ("a/src/a_tests.rs", tidy::MAX_LINES_OF_TESTS),
        ("a/tests/a.rs", tidy::MAX_LINES_OF_TESTS),
    ] {
        assert_fires(tidy::too_long, path, &"\n".repeat(most + 1));
        assert_silent(tidy::too_long, path, &"\n".repeat(most));
    }
}

#[test]
fn nothing_is_left_unfinished_and_no_test_is_switched_off() {
    assert_holds(tidy::stub);
    for stub in [
        ["todo", "!()"],
        ["unimplemented", "!()"],
        ["#[ign", "ore = \"slow\"]"],
    ] {
        assert_fires(tidy::stub, "a.rs", &stub.concat());
    }
    assert_silent(
        tidy::stub,
        "a.rs",
        &["// no #[ign", "ored] comment"].concat(),
    );
}

#[test]
fn the_pinned_nightly_is_named_in_one_place() {
    assert_holds(tidy::pinned_nightly);
    let pin = cuda_builder::toolchain::PINNED;
    assert_fires(tidy::pinned_nightly, "README.md", pin);
    assert_fires(
        tidy::pinned_nightly,
        "xtask/src/setup.rs",
        &format!("// {pin}"),
    );
    assert_silent(
        tidy::pinned_nightly,
        "rust-cuda/cuda_builder/src/toolchain.rs",
        pin,
    );
}

#[test]
fn the_rust_cuda_packages_know_nothing_of_quadscan() {
    assert_holds(tidy::quadscan_in_the_toolchain);
    let rule = tidy::quadscan_in_the_toolchain;
    assert_fires(rule, "rust-cuda/cuda_std/src/lib.rs", "// for quadscan");
    assert_silent(rule, "host-crate/src/lib.rs", "// for quadscan");
}

#[test]
fn the_library_does_not_talk_to_the_terminal() {
    assert_holds(tidy::terminal_in_the_library);
    let rule = tidy::terminal_in_the_library;
    assert_fires(
        rule,
        "bench-crate/src/measure/mod.rs",
        "    println!(\"x\");",
    );
    assert_silent(rule, "bench-crate/src/main.rs", "    println!(\"x\");");
    assert_silent(rule, "host-crate/src/lib.rs", "//! println!(\"x\");");
}

#[test]
fn the_export_does_not_measure() {
    assert_holds(tidy::clock_in_export);
    let rule = tidy::clock_in_export;
    assert_fires(
        rule,
        "bench-crate/src/export/csv.rs",
        "let start = Instant::now();",
    );
    assert_silent(
        rule,
        "bench-crate/src/measure/mod.rs",
        "let start = Instant::now();",
    );
}

#[test]
fn every_unit_test_has_a_runner() {
    let rule = tidy::tests_that_nobody_runs;
    assert_eq!(
        rule(&tidy::files(&root()).expect("the repository can be read")),
        []
    );
    let files = |folder: &str| {
        let manifest = "[lib]\ntest = false\n";
        let test = "//! A.\n#[test]\nfn a() {}\n";
        [
            File::new(&format!("{folder}/Cargo.toml"), manifest),
            File::new(&format!("{folder}/src/a.rs"), test),
        ]
    };
    assert_eq!(rule(&files("a")).len(), 1);
    assert_eq!(rule(&files("ptx-emulator")), []);
}

#[test]
fn every_dependency_has_the_workspaces_version() {
    assert_holds(tidy::dependency_outside_the_table);
    let rule = tidy::dependency_outside_the_table;
    assert_fires(rule, "a/Cargo.toml", "[dependencies]\nlibm = \"0.2\"");
    assert_fires(
        rule,
        "a/Cargo.toml",
        "[target.'cfg(unix)'.dev-dependencies]\nlibm = \"0.2\"",
    );
    assert_fires(rule, "a/Cargo.toml", "[dependencies");
    assert_silent(
        rule,
        "a/Cargo.toml",
        "[dependencies]\nlibm.workspace = true",
    );
}

#[test]
fn kernels_depend_on_cuda_std_alone() {
    assert_holds(tidy::kernel_dependency);
    let rule = tidy::kernel_dependency;
    assert_fires(
        rule,
        "kernels-crate/Cargo.toml",
        "[dependencies]\nserde.workspace = true",
    );
    assert_silent(
        rule,
        "kernels-crate/Cargo.toml",
        "[dependencies]\ncuda_std.workspace = true",
    );
}

#[test]
fn dependencies_of_packages_point_one_way() {
    assert_holds(tidy::upward_dependency);
    let rule = tidy::upward_dependency;
    for (package, dependency) in [
        ("xtask", "quadscan"),
        ("xtask", "quadscan-bench"),
        ("kernels-crate", "quadscan"),
        ("rust-cuda/cuda_std", "quadscan-kernels"),
        ("ptx-emulator", "quadscan-kernels"),
    ] {
        let manifest = format!("[dependencies]\n{dependency}.workspace = true");
        assert_fires(rule, &format!("{package}/Cargo.toml"), &manifest);
    }
    let manifest = "[dependencies]\nquadscan.workspace = true";
    assert_silent(rule, "bench-crate/Cargo.toml", manifest);
}

#[test]
fn errors_of_libraries_can_be_matched_on() {
    assert_holds(tidy::anyhow_in_a_library);
    let manifest = "[dependencies]\nanyhow.workspace = true";
    assert_fires(tidy::anyhow_in_a_library, "host-crate/Cargo.toml", manifest);
    assert_silent(tidy::anyhow_in_a_library, "xtask/Cargo.toml", manifest);
}

#[track_caller]
fn assert_none(findings: &[Finding]) {
    let told: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(told.is_empty(), "\n{}\n", told.join("\n"));
}

/// A trait of numbers, and the functions that compute its methods by each other.
const TRAIT_AND_ITS_METHODS: &str = "rust-cuda/cuda_std/src/float/";

#[test]
fn no_module_imports_one_of_a_layer_below() {
    let files = tidy::files(&root()).expect("the repository can be read");
    let mut findings = tidy::upward_imports(&files);
    findings.extend(tidy::import_cycles(&files));
    let before = findings.len();
    findings.retain(|finding| !finding.path.starts_with(TRAIT_AND_ITS_METHODS));
    assert_none(&findings);
    assert_eq!(before, 1, "the exception is needed no more");
}

#[test]
fn an_import_that_points_upwards_is_found_in_every_package() {
    let files = tidy::files(&root()).expect("the repository can be read");
    let mut packages = 0;
    for root in tidy::roots(&files) {
        let Some(layers) = Layers::of(&root.text) else {
            continue;
        };
        let [first, .., last] = &layers.0[..] else {
            continue;
        };
        let folder = root.path.rsplit_once('/').expect("a folder").0;
        let of_package = files.iter().filter(|file| file.path.starts_with(folder));
        let mut of_package: Vec<File> = of_package.cloned().collect();
        let before = tidy::upward_imports(&of_package).len();
        let top = [".rs", "/mod.rs"].map(|end| format!("{folder}/{}{end}", first[0]));
        let file = of_package.iter_mut().find(|file| top.contains(&file.path));
        let file = file.expect("the first layer's module");
        file.text = format!("use super::{};\n{}", last[0], file.text);
        let found = tidy::upward_imports(&of_package).len();
        assert!(found > before, "nothing found in {folder}");
        packages += 1;
    }
    assert!(packages >= 5, "only {packages} packages have layers");
}

/// The rows of the tables below `heading`, each its cells.
fn rows(text: &str, heading: &str) -> Vec<Vec<Vec<String>>> {
    let section = text.split_once(heading).expect("the heading").1;
    let section = section.split("\n## ").next().expect("a section");
    let is_row = |line: &&str| line.starts_with("| [");
    let cells = |line: &str| line.split(" | ").map(str::to_owned).collect();
    let tables = section.split("\n\n").filter(|part| part.starts_with("| "));
    let rows = tables.map(|table| table.lines().filter(is_row).map(cells).collect());
    rows.collect()
}

/// What is wrong with a row of the walk: its file is not there, or has not what it names.
fn astray(row: &[String]) -> Option<String> {
    let path = row[0].split(['(', ')']).nth(1)?;
    let text = std::fs::read_to_string(root().join(path)).unwrap_or_default();
    let mut names = row[1].split('`').skip(1).step_by(2);
    let missing = names.find(|name| !text.contains(name));
    missing.map(|name| format!("{path} has no `{name}`"))
}

#[test]
fn the_architecture_is_a_page_and_its_walk_leads_through_what_is_there() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page");
    assert!(
        text.lines().count() <= 120,
        "{} lines",
        text.lines().count()
    );
    let walks = rows(&text, "## The walk");
    assert_eq!(walks.len(), 2);
    for walk in walks {
        assert!((5..=9).contains(&walk.len()), "{} files", walk.len());
        let mut forms: Vec<&String> = walk.iter().map(|row| &row[2]).collect();
        forms.sort();
        forms.dedup();
        assert!(forms.len() <= 4, "{forms:?}");
        let astray: Vec<String> = walk.iter().filter_map(|row| astray(row)).collect();
        assert!(astray.is_empty(), "{}", astray.join(", "));
    }
    let wrong = ["[a](Cargo.toml)", "`no_such_thing` is there", "text"].map(str::to_owned);
    assert_eq!(
        astray(&wrong).as_deref(),
        Some("Cargo.toml has no `no_such_thing`")
    );
}

#[test]
fn no_word_is_said_that_the_field_has_another_for() {
    let files = tidy::files(&root()).expect("the repository can be read");
    let contributing = files.iter().find(|file| file.path == "CONTRIBUTING.md");
    let words = tidy::words(&contributing.expect("it is there").text);
    assert!(words.len() > 10, "only {} words", words.len());
    let texts: Vec<Text<'_>> = files.iter().map(Text::of).collect();
    let mut found = Vec::new();
    for word in words {
        let sample = File::new("docs/a.md", &format!("a {} b", word.name()));
        assert_eq!(
            word.said(&Text::of(&sample)).len(),
            1,
            "{} is not found",
            word.name()
        );
        found.extend(texts.iter().flat_map(|text| word.said(text)));
    }
    assert_none(&found);
}

#[test]
fn no_file_names_a_path_of_one_machine() {
    assert_holds(tidy::home_folder);
    assert_fires(
        tidy::home_folder,
        "docs/a.md",
        &["cd /ho", "me/ada/quadscan"].concat(),
    );
    assert_silent(tidy::home_folder, "docs/a.md", "cd quadscan");
}
