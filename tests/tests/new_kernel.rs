//! What `cargo xtask new-kernel` writes, of every origin: it is formatted, keeps the house
//! rules, builds without a warning, and its kernel does what its tests say, under all
//! checks. The crates that it writes to are copied for it; the others, and what was built of
//! them, are this workspace's, by links to their folders. The same copy has one table more, which is a
//! file and its name in the list of tables.

#[path = "../../kernels-crate/embed/ptx.rs"]
mod ptx;

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cuda_builder::LintLevel;
use quadscan_tests::tidy::{self, Rule};
use quadscan_tests::xtask::xtask;

/// The kernels that are made, and what of.
const ORIGINS: [(&str, &str); 4] = [
    ("tried_map", "map"),
    ("tried_reduce", "reduce"),
    ("tried_scan", "scan"),
    ("tried_integrand", "integrand"),
];

/// The table that is added, and the list that names it.
const TABLE: &str = "bench-crate/src/tables/tried_table.rs";
const TABLES: &str = "bench-crate/src/tables/mod.rs";

/// What is copied: the crates that a kernel has files in.
const COPIED: [&str; 6] = [
    "kernels-crate/",
    "host-crate/",
    "bench-crate/",
    "tests/",
    "Cargo.toml",
    "Cargo.lock",
];

/// The other members of the workspace.
const LINKED: [&str; 6] = [
    "book",
    "ptx-emulator",
    "ptx-syntax",
    "python",
    "rust-cuda",
    "xtask",
];

fn root() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace")
}

/// The target folder that this test was built in: `TARGET/debug/deps/test`.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.ancestors().nth(3).expect("a target folder").to_owned()
}

/// Where kernels are built: minutes of work, which others may have done.
fn nested_target() -> PathBuf {
    let shared = std::env::var_os("CUDA_BUILDER_TARGET_DIR").filter(|shared| !shared.is_empty());
    shared.map_or_else(|| target().join("cuda-builder"), PathBuf::from)
}

/// Where the copy is built, the same each time for a checkout: cargo tells packages apart by
/// their paths, and has built these before.
fn folder() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    root().hash(&mut hasher);
    let name = format!("quadscan-with-new-kernels-{:016x}", hasher.finish());
    std::env::temp_dir().join(name)
}

fn write(path: &Path, text: &str) {
    // What is the same is not built again.
    if fs::read_to_string(path).is_ok_and(|there| there == text) {
        return;
    }
    fs::create_dir_all(path.parent().expect("has one")).expect("made");
    fs::write(path, text).expect("written");
}

fn cargo(subcommand: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .arg(subcommand)
        .current_dir(folder)
        // What it depends on has been built; its programs have the names of this workspace's.
        .env("CARGO_BUILD_BUILD_DIR", target())
        .env("CARGO_TARGET_DIR", target().join("new_kernel"))
        .env("CUDA_BUILDER_TARGET_DIR", nested_target())
        // As this workspace's configuration has it: what depends on it is not built again.
        .env(
            "CUDA_LIBRARY_PATH",
            root().join("rust-cuda/libcuda-lazy/stub"),
        );
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Cargo takes a package at the same place of another workspace for the same one: that is why the
/// linked ones have been built. The copied ones are other packages by their version, and do not
/// replace what was built of this workspace's.
fn of_another_version(manifest: &str) -> String {
    manifest.replace("\nversion.workspace = true\n", "\nversion = \"0.1.1\"\n")
}

/// A crate of kernels with a build script has a target folder of its own, and core compiled for it.
/// Only `quadscan-ptx` needs this script, and is not built here.
const BUILD_SCRIPT: &str = "kernels-crate/build.rs";

fn without_a_build_script(manifest: &str) -> String {
    let links = "links = \"quadscan-kernels\"\n";
    assert!(manifest.contains(links), "{manifest}");
    manifest.replace(links, "")
}

/// The copied files with four kernels more, as the command has written them.
fn generated() -> BTreeMap<String, String> {
    let made = tempfile::tempdir().expect("a temporary folder");
    for file in tidy::files(root()).expect("the repository can be read") {
        if COPIED.iter().any(|copied| file.path.starts_with(copied)) {
            write(&made.path().join(&file.path), &file.text);
        }
    }
    for (name, origin) in ORIGINS {
        let output = xtask(|| cargo("run", root()))
            .current_dir(root())
            .args(["new-kernel", name, "--from", origin, "--root"])
            .arg(made.path())
            .output()
            .expect("cargo starts");
        assert!(output.status.success(), "{origin}: {}", said(&output));
    }
    let files = tidy::files(made.path()).expect("they can be read");
    let files = files.into_iter().map(|file| (file.path, file.text));
    with_a_table(files.collect())
}

/// The files with a table more: its own file, and its name among the modules and in the list.
fn with_a_table(mut files: BTreeMap<String, String>) -> BTreeMap<String, String> {
    let table = include_str!("new_table/tried_table.rs").to_owned();
    let list = files.get_mut(TABLES).expect("the list of tables");
    for (line, added) in [
        ("mod testing;\n", "mod tried_table;\n"),
        (
            "        &kernels::TABLE,\n",
            "        &tried_table::TABLE,\n",
        ),
    ] {
        assert_eq!(list.matches(line).count(), 1, "{line}");
        *list = list.replace(line, &format!("{line}{added}"));
    }
    files.insert(TABLE.to_owned(), table);
    files
}

/// Makes a folder hold these files, the linked folders, and no others.
fn replace(folder: &Path, files: &BTreeMap<String, String>) {
    fs::create_dir_all(folder).expect("a temporary folder");
    for member in LINKED {
        match symlink(root().join(member), folder.join(member)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            linked => linked.expect("a link to the checkout"),
        }
    }
    for file in tidy::files(folder).expect("it can be read") {
        if !files.contains_key(&file.path) || file.path == BUILD_SCRIPT {
            fs::remove_file(folder.join(file.path)).expect("removed");
        }
    }
    for (path, text) in files {
        let text = match path.as_str() {
            "kernels-crate/Cargo.toml" => &of_another_version(&without_a_build_script(text)),
            BUILD_SCRIPT => continue,
            manifest if manifest.ends_with("/Cargo.toml") => &of_another_version(text),
            _ => text,
        };
        write(&folder.join(path), text);
    }
}

/// What the house rules say of the files that are new or changed.
fn assert_is_tidy(files: &BTreeMap<String, String>) {
    const RULES: [Rule; 5] = [
        tidy::missing_module_docs,
        tidy::too_long,
        tidy::stub,
        tidy::home_folder,
        tidy::terminal_in_the_library,
    ];
    let mut changed = 0;
    for (path, text) in files {
        if fs::read_to_string(root().join(path)).is_ok_and(|there| there == *text) {
            continue;
        }
        changed += 1;
        let file = tidy::File::new(path, text);
        for rule in RULES {
            assert_eq!(rule(&file), [], "{path}");
        }
    }
    let all = files.iter().map(|(path, text)| tidy::File::new(path, text));
    let of_kernels = all.filter(|file| file.path.starts_with("kernels-crate/"));
    assert_eq!(tidy::upward_imports(&of_kernels.collect::<Vec<_>>()), []);
    // Three kernels of three files, an integrand of two, and five lists; a table and its list.
    assert_eq!(changed, 3 * 3 + 2 + 5 + 2);
}

/// The four kernels' PTX.
fn artifact(folder: &Path) -> PathBuf {
    let names = ORIGINS.map(|(name, origin)| match origin {
        "integrand" => format!("integrate_{name}"),
        _ => name.to_owned(),
    });
    let [.., newest] = ptx::ARCHS;
    let built = ptx::builder(folder.join("kernels-crate"))
        .arch(newest)
        .lints(LintLevel::Deny)
        .only(&names)
        .target_dir(nested_target())
        .out_dir(folder.join("target"))
        .build_all();
    built.expect("they build").dir
}

/// The places in sources that rustc has said something about.
fn places(said: &str) -> Vec<&str> {
    let lines = said.lines().map(str::trim_start);
    let places = lines.filter_map(|line| line.strip_prefix("--> "));
    places.filter(|place| place.contains(".rs:")).collect()
}

#[test]
fn a_new_kernel_of_every_origin_is_complete_and_so_is_a_new_table() {
    let (folder, files) = (folder(), generated());
    replace(&folder, &files);
    assert_is_tidy(&files);
    let format = cargo("fmt", &folder).arg("--check").output();
    let format = format.expect("cargo starts");
    let differences = String::from_utf8_lossy(&format.stdout);
    assert!(format.status.success(), "{differences}{}", said(&format));

    // Of the whole workspace, so that all has the features that it was built with here.
    let compiler = std::env::var_os("QUADSCAN_COMPILER");
    let compiler = compiler.map(|compiler| ("RUSTC_WORKSPACE_WRAPPER", compiler));
    let built = cargo("build", &folder)
        .envs(compiler)
        .env("QUADSCAN_COMPILE_ONLY", "1")
        .args(["--offline", "--workspace"])
        .args(["--test", "conformance", "--bin", "quadscan"])
        .args(["--message-format", "json-render-diagnostics"])
        .output()
        .expect("cargo starts");
    assert!(built.status.success(), "{}", said(&built));
    assert_eq!(places(&said(&built)), [""; 0], "{}", said(&built));
    let messages = String::from_utf8_lossy(&built.stdout);
    let programs: Vec<&str> = messages
        .lines()
        .filter_map(|line| line.split_once("\"executable\":\"")?.1.split('"').next())
        .collect();
    let program = |name: &str| {
        let has_name = |path: &&&str| {
            let file = Path::new(path).file_name().and_then(|file| file.to_str());
            file.is_some_and(|file| file.split('-').next() == Some(name))
        };
        Path::new(*programs.iter().find(has_name).expect(name))
    };

    // The lock file holds what these crates need since they were built.
    let artifact = artifact(&folder);
    for (name, _) in ORIGINS {
        let checked = Command::new(program("conformance"))
            .args(["check", name, "--schedules", "3", "--artifact"])
            .arg(&artifact)
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&checked.stdout);
        assert!(checked.status.success(), "{text}{}", said(&checked));
        assert!(text.contains(name), "{text}");
        assert!(text.contains("under 3 schedules: nothing found"), "{text}");
    }

    let integrated = Command::new(program("quadscan"))
        .args(["integrate", "--integrand", "tried_integrand"])
        .args(["--device", "emulator", "--format", "csv", "--artifact"])
        .arg(&artifact)
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&integrated.stdout);
    assert!(integrated.status.success(), "{text}{}", said(&integrated));
    // Of exp(-x) from 0 to 1.
    let digits = (1.0 - (-1.0_f64).exp()).to_string();
    assert!(text.contains(&digits[..15]), "{text}");

    let listed = Command::new(program("quadscan"))
        .args(["bench", "kernels", "--list"])
        // Wide enough for the names on one line.
        .env("COLUMNS", "120")
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&listed.stdout);
    let names = ORIGINS.map(|(name, _)| name).join(",");
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("  axis kernel"))
        .collect();
    assert_eq!(
        rows,
        [format!("  axis kernel, --kernels: limit_copy,{names}")]
    );
    assert_is_measured(program("quadscan"), &artifact);
}

/// Runs the table that was added: its rows are right, and its axes are asked for by their names.
fn assert_is_measured(quadscan: &Path, artifact: &Path) {
    let out = tempfile::tempdir().expect("a temporary folder");
    let measured = |more: &[&str]| {
        let output = Command::new(quadscan)
            .args(["bench", "tried", "--device", "emulator", "--format", "csv"])
            .args(more)
            .arg("--artifact")
            .arg(artifact)
            .arg("--out")
            .arg(out.path())
            .output()
            .expect("it starts");
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let header = "n,launches,done,us,device,status,reason,entries\n";
    assert_eq!(
        measured(&[]),
        format!("{header}8,1,1,,emulator,ok,,tried_map\n1000,1,1,,emulator,ok,,tried_map\n")
    );
    assert_eq!(
        measured(&["--sizes", "33", "--axis", "launches=2,3"]),
        format!("{header}33,2,2,,emulator,ok,,tried_map\n33,3,3,,emulator,ok,,tried_map\n")
    );
    let listed = Command::new(quadscan)
        .args(["bench", "tried", "--list"])
        .output();
    let text = listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned());
    assert_eq!(
        text.expect("it starts"),
        "tried: a kernel that is launched again and again\n  cells: 2\n  axis n, --sizes\n  \
         axis launches, --axis launches\n  columns: n,launches,done,us,device,status,reason,\
         entries\n"
    );
}

#[test]
fn a_warning_is_found_and_one_about_a_manifest_is_none() {
    let warning = "warning: unused import\n  --> tests/src/lib.rs:3:5\n   |\n";
    assert_eq!(places(warning), ["tests/src/lib.rs:3:5"]);
    assert_eq!(places("warning: unused\n  --> Cargo.toml:54:1\n"), [""; 0]);
}

#[test]
fn a_file_that_breaks_a_house_rule_is_found() {
    let rule = tidy::missing_module_docs;
    assert_ne!(rule(&tidy::File::new("a.rs", "fn f() {}\n")), []);
}
