//! A crate outside the workspace depends on `quadscan` by its path, and builds
//! with the toolchain at hand and the README's own lines, as they stand there:
//! the checkout is `quadscan`, and the crate's folder is beside it. One has the README's kernel and
//! its launch, one the README's program. Two others have operators of their own and none of
//! quadscan's kernels: `application/` is the book's example, and `operators/` tries everything.
//! What `cargo xtask new-app` writes is run and tested as it is.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the workspace")
}

/// The target folder that this test was built in: `TARGET/debug/deps/test`.
fn target() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.ancestors().nth(3).expect("a target folder").to_owned()
}

/// A folder outside of every workspace, the same each time for a checkout: cargo
/// tells packages apart by their paths, and has built these before.
fn folder() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    root().hash(&mut hasher);
    let name = format!("quadscan-outside-{:016x}", hasher.finish());
    std::env::temp_dir().join(name)
}

/// The section of the README that begins with a kernel.
const KERNEL: &str = "### Write a kernel";

/// The words before a program of the README.
const PROGRAM: &str = "`src/main.rs` prints `[3, 4, 8, 9, 14]`";

/// The fenced block of the README that follows the words `heading`.
fn block_after<'a>(readme: &'a str, heading: &str) -> &'a str {
    let (_, rest) = readme.split_once(heading).expect(heading);
    let (_, rest) = rest.split_once("\n```").expect("a fenced block");
    let (_, rest) = rest.split_once('\n').expect("a line that opens it");
    let (block, _) = rest.split_once("\n```").expect("its end");
    block
}

#[test]
fn a_crate_outside_the_workspace_builds_and_runs_with_the_readmes_lines() {
    let readme = readme();
    let app = App::new("app");
    app.write("Cargo.toml", &manifest("outside", &readme, "", ""));
    app.write("src/kernel.rs", block_after(&readme, KERNEL));
    app.write("src/launch.rs", include_str!("launch.rs"));
    app.write("src/main.rs", LAUNCHES);
    let printed = app.run(&readme);
    assert!(
        printed.contains("a device") || printed.contains("no device"),
        "{printed}"
    );
}

#[test]
fn the_readmes_program_prints_what_the_readme_says() {
    let readme = readme();
    let app = App::new("program");
    app.write("Cargo.toml", &manifest("program", &readme, "", ""));
    app.write("src/main.rs", block_after(&readme, PROGRAM));
    assert_eq!(app.run(&readme), "[3, 4, 8, 9, 14]\n");
}

/// Every algorithm, and reductions of arrays and of segments: none combines what is no
/// element, since that ends the launch. And what our own PTX has no kernels of: a line makes
/// them.
#[test]
fn operators_of_an_applications_own_scan_and_reduce_and_see_real_elements_alone() {
    let readme = readme();
    let app = App::new("operators");
    let more = "quadscan-kernels = { path = \"../quadscan/kernels-crate\", default-features = false }\n\
         bytemuck = \"1\"\n";
    app.write("Cargo.toml", &own_kernels("operators", &readme, more));
    app.write("build.rs", include_str!("operators/build.rs"));
    app.write("src/main.rs", include_str!("operators/main.rs"));
    let features = "bytemuck = { version = \"1\", features = [\"derive\"] }\n\n\
         [features]\ndefault = [\"segment_flags\"]\nsegment_flags = []\n";
    app.write("kernels/Cargo.toml", &format!("{KERNELS}{features}"));
    app.write("kernels/src/lib.rs", include_str!("operators/kernels.rs"));
    let printed = app.run(&readme);
    assert!(printed.contains("own operators"), "{printed}");
}

/// Scans, also by keys, flags and offsets, reductions, one integral and a batch.
#[test]
fn an_application_needs_none_of_quadscans_kernels() {
    let readme = readme();
    let app = App::new("application");
    app.write("Cargo.toml", &own_kernels("application", &readme, ""));
    app.write("build.rs", include_str!("application/build.rs"));
    app.write("src/main.rs", include_str!("application/main.rs"));
    app.write("kernels/Cargo.toml", KERNELS);
    app.write("kernels/src/lib.rs", include_str!("application/kernels.rs"));
    let printed = app.run(&readme);
    assert!(printed.contains("without quadscan's kernels"), "{printed}");
}

/// A removable singularity, and one at each limit.
#[test]
fn the_integrands_of_the_librarys_page_are_right() {
    let readme = readme();
    let app = App::new("integrands");
    app.write("Cargo.toml", &own_kernels("integrands", &readme, ""));
    // For one architecture, which every device runs.
    let both = "NvvmArch::Compute75, NvvmArch::Compute90";
    let build = include_str!("application/build.rs");
    assert!(build.contains(both), "{build}");
    app.write("build.rs", &build.replace(both, "NvvmArch::Compute75"));
    app.write("src/main.rs", include_str!("integrands/main.rs"));
    // Another version, by which cargo tells it from the application's in the same folder.
    let manifest = KERNELS.replace("edition", "version = \"0.1.0\"\nedition");
    app.write("kernels/Cargo.toml", &manifest);
    app.write("kernels/src/lib.rs", include_str!("integrands/lib.rs"));
    let printed = app.run(&readme);
    let values: Vec<_> = printed.lines().map(|line| line.split(' ').next()).collect();
    let expected = [
        "0.946083070367",
        "1.605412976803",
        "1.658347594219",
        "1.000000000000",
    ];
    assert_eq!(values, expected.map(Some), "{printed}");
}

/// Cargo lets no package set a variable for `cust_raw`'s build script, so the user does.
#[test]
fn a_build_without_a_toolkit_needs_a_folder_with_a_folder_lib64_in_its_place() {
    let new = folder().join("unconfigured");
    let manifest = "[package]\nname = \"unconfigured\"\nedition = \"2024\"\n\n[dependencies]\n\
         quadscan = { path = \"../quadscan/host-crate\" }\n\n[workspace]\n";
    let app = App::new("unconfigured");
    app.write("Cargo.toml", manifest);
    app.write("src/main.rs", "fn main() {}\n");
    app.copy_versions();
    // What it is built into here is of no use to other builds.
    let built = |toolkit: Option<&Path>| {
        let mut command = telling_cargo_for(&new, "build");
        // Both, though one fails.
        command.args([
            "--package",
            "cust_raw",
            "--package",
            "libcuda-lazy",
            "--keep-going",
        ]);
        for variable in ["CARGO_BUILD_BUILD_DIR", "CARGO_TARGET_DIR"] {
            command.env(variable, target().join("outside_crate/unconfigured"));
        }
        command.envs(toolkit.map(|toolkit| ("CUDA_LIBRARY_PATH", toolkit)));
        let output = command.output().expect("cargo starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), said)
    };
    let (succeeded, said) = built(None);
    let is_installed = ["/usr/local/cuda", "/opt/cuda"]
        .iter()
        .any(|path| Path::new(path).exists());
    assert_eq!(succeeded, is_installed, "{said}");
    let advice = r#"and below it `CUDA_LIBRARY_PATH = "/usr"`"#;
    for told in ["Could not find a cuda installation", advice] {
        assert_eq!(said.contains(told), !is_installed, "{said}");
    }
    fs::create_dir_all(new.join("any/lib64")).expect("a folder");
    let (succeeded, said) = built(Some(&new.join("any")));
    assert!(succeeded && !said.contains(advice), "{said}");
}

#[test]
fn a_new_app_runs_and_passes_its_tests_as_it_is() {
    let new = folder().join("new-app");
    if new.exists() {
        fs::remove_dir_all(&new).expect("an earlier one");
    }
    fs::create_dir_all(folder()).expect("a temporary folder");
    let cargo = || {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.arg("run").env("CARGO_TARGET_DIR", target());
        command
    };
    let made = quadscan_tests::xtask::xtask(cargo)
        .arg("new-app")
        .arg(&new)
        .current_dir(root())
        .output()
        .expect("cargo starts");
    assert!(made.status.success(), "{made:?}");
    assert_depends_on_the_checkout(&new);
    let app = |what: &str| {
        let output = cargo_for(&new, what).output().expect("cargo starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{what}: {said}");
        assert!(!said.contains(".rs:"), "no warning: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_formatted(&new);
    let printed = app("run");
    assert!(printed.contains("the furthest from 0 is -350"), "{printed}");
    let integrals = "the integrals of sin(x) / x are [0.946083070, 1.605412977], within ";
    assert!(printed.contains(integrals), "{printed}");
    let tested = app("test");
    assert!(tested.contains("3 passed"), "{tested}");
}

/// The paths that were written lead to the checkout. From here on they go by the link to it, as
/// those of the other applications do: cargo takes a package at another path for another package,
/// and would build all of them twice.
fn assert_depends_on_the_checkout(new: &Path) {
    let manifest = fs::read_to_string(new.join("Cargo.toml")).expect("a manifest");
    let (_, way) = manifest
        .split_once("quadscan = { path = \"")
        .expect("a dependency");
    let (way, _) = way.split_once("/host-crate\"").expect("its folder");
    let canonical = |path: &Path| path.canonicalize().expect("is there");
    assert_eq!(canonical(&new.join(way)), canonical(root()));
    link();
    for file in ["Cargo.toml", "kernels/Cargo.toml", ".cargo/config.toml"] {
        let text = fs::read_to_string(new.join(file)).expect(file);
        assert!(text.contains(way), "{file}");
        fs::write(new.join(file), text.replace(way, "../quadscan")).expect("written");
    }
}

/// The checkout is beside the applications.
fn link() {
    match symlink(root(), folder().join("quadscan")) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        linked => linked.expect("a link to the checkout"),
    }
}

/// Cargo for a crate outside, which says nothing but errors.
fn cargo_for(folder: &Path, what: &str) -> Command {
    let mut command = telling_cargo_for(folder, what);
    command.arg("--quiet");
    command
}

/// Cargo for a crate outside, on versions that are on this machine.
fn telling_cargo_for(folder: &Path, what: &str) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args([what, "--offline"])
        .current_dir(folder)
        .env("CARGO_BUILD_BUILD_DIR", target())
        .env("CARGO_TARGET_DIR", target().join("outside_crate"))
        .env("CUDA_BUILDER_TARGET_DIR", nested_target())
        .env_remove("CUDA_LIBRARY_PATH");
    // With the workspace's profiles, what both depend on, which is most of what is compiled, is
    // there already. Apart are what depends on the way to the stub, `cust_raw`, and what depends
    // on that: it would be built anew each time that the two ways take turns.
    command.arg("--config").arg(root().join("Cargo.toml"));
    for apart in ["cust_raw", "cust"] {
        let setting = format!("profile.dev.package.{apart}.opt-level=1");
        command.args(["--config", &setting]);
    }
    // They have little to run here, and a minute to compile.
    for slow in ["cuda_builder", "cuda_std", "ptx-emulator", "ptx-syntax"] {
        let setting = format!("profile.dev.package.{slow}.opt-level=0");
        command.args(["--config", &setting]);
    }
    command
}

/// All of its files are as rustfmt has them.
fn assert_formatted(folder: &Path) {
    let files = [
        "build.rs",
        "src/lib.rs",
        "src/main.rs",
        "tests/emulator.rs",
        "kernels/src/lib.rs",
    ];
    let checked = Command::new("rustfmt")
        .args(["--check", "--edition", "2024"])
        .args(files.map(|file| folder.join(file)))
        .output()
        .expect("rustfmt starts");
    let differences = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "{differences}");
}

/// Where kernels are built: minutes of work, which others may have done.
fn nested_target() -> PathBuf {
    let shared = std::env::var_os("CUDA_BUILDER_TARGET_DIR").filter(|shared| !shared.is_empty());
    shared.map_or_else(|| target().join("cuda-builder"), PathBuf::from)
}

#[test]
fn a_launch_with_wrong_arguments_is_told_what_the_kernel_takes() {
    let readme = readme();
    let app = App::new("arguments");
    app.write("Cargo.toml", &manifest("arguments", &readme, "", ""));
    app.write("src/kernel.rs", block_after(&readme, KERNEL));
    app.write("src/main.rs", WRONG);
    let (succeeded, said) = app.cargo("build", &readme);
    assert!(!succeeded, "it compiles");
    for (line, expected) in [
        (
            "too_few",
            "the arguments `(&Buffer<f32>, f32)` are not as many as the kernel's parameters `(Slice<f32>, \
             Value<f32>, PointerMut<f32>)`, which are called `(input, (factor, (output, ())))`",
        ),
        (
            "another_number",
            "`f64` cannot be passed for the kernel's parameter `factor`, a `Value<f32>`",
        ),
        (
            "another_type",
            "`&Buffer<f64>` cannot be passed for the kernel's parameter `input`, a `Slice<f32>`",
        ),
        (
            "not_exclusive",
            "`&Buffer<f32>` cannot be passed for the kernel's parameter `output`, a `PointerMut<f32>`",
        ),
        (
            "other_elements",
            "elements of the type `u64` are read here, and `&Buffer<f32>` has none",
        ),
        (
            "borrowed_to_read",
            "elements of the type `u64` are written here, and `&Buffer<u64>` has none that can be",
        ),
    ] {
        let flat = said.replace("cuda_std::launch::", "");
        assert!(flat.contains(expected), "{said}");
        let marked = WRONG
            .lines()
            .position(|text| text.ends_with(&format!("// {line}")));
        let place = format!("src/main.rs:{}:", marked.expect("it is marked") + 1);
        assert!(said.contains(&place), "{place} in {said}");
    }
}

/// Each launch is wrong in one thing.
const WRONG: &str = r"
mod kernel;

use kernel::scale;
use quadscan::device::{Buffer, LaunchShape, Module};
use quadscan::scan::{Plan, Sum};

pub fn launches(module: &Module, input: &Buffer<f32>, wide: &Buffer<f64>, mut out: Buffer<f32>) {
    let shape = LaunchShape::new(1, 32);
    let _ = module.launch(scale, shape, (input, 2.0f32)); // too_few
    let _ = module.launch(scale, shape, (wide, 2.0f32, &mut out)); // another_type
    let _ = module.launch(scale, shape, (input, 2.0f32, &out)); // not_exclusive
    let _ = module.launch(scale, shape, (input, 2.0f64, &mut out)); // another_number
}

pub fn scans(plan: &mut Plan<Sum<u64>>, input: &Buffer<f32>, out: &mut Buffer<u64>) {
    let _ = plan.inclusive(input, &mut *out); // other_elements
    let _ = plan.inclusive(&*out, &*out); // borrowed_to_read
}

fn main() {}
";

/// The crate of an application's kernels.
const KERNELS: &str = r#"[package]
name = "kernels"
edition = "2024"

[dependencies]
cuda_std = { path = "../../quadscan/rust-cuda/cuda_std" }
quadscan-kernels = { path = "../../quadscan/kernels-crate", default-features = false }
"#;

/// The README, and the page that it refers to for the files of an application.
fn readme() -> String {
    let page = |name: &&str| fs::read_to_string(root().join(name)).expect(name);
    ["README.md", "docs/library.md"].iter().map(page).collect()
}

/// The manifest of a crate with the README's dependency, `more` of them, and `rest`.
fn manifest(name: &str, readme: &str, more: &str, rest: &str) -> String {
    let dependency = block_after(readme, "In your `Cargo.toml`");
    format!(
        "[package]\nname = \"{name}\"\nedition = \"2024\"\n\n{dependency}\n\
         cuda_std = {{ path = \"../quadscan/rust-cuda/cuda_std\" }}\n{more}\n{rest}\n\
         [workspace]\n\n\
         [profile.dev]\ndebug = false\n"
    )
}

/// The manifest of a crate with a crate of kernels, and none of quadscan's.
fn own_kernels(name: &str, readme: &str, more: &str) -> String {
    let own = format!("kernels = {{ path = \"kernels\" }}\n{more}");
    let build = "[build-dependencies]\n\
         cuda_builder = { path = \"../quadscan/rust-cuda/cuda_builder\", features = [\"build\"] }\n";
    let manifest = manifest(name, readme, &own, build);
    let with = r#"host-crate", features = ["kernels"] }"#;
    assert!(manifest.contains(with), "{manifest}");
    manifest.replace(with, r#"host-crate" }"#)
}

/// A crate beside the checkout.
struct App {
    folder: PathBuf,
}

impl App {
    fn new(name: &str) -> Self {
        let folder = folder().join(name);
        fs::create_dir_all(&folder).expect("a temporary folder");
        link();
        Self { folder }
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        // What is the same is not built again.
        if fs::read_to_string(&path).is_ok_and(|there| there == text) {
            return;
        }
        fs::create_dir_all(path.parent().expect("has one")).expect("made");
        fs::write(path, text).expect("written");
    }

    /// The workspace's versions are on this machine: nothing is downloaded.
    fn copy_versions(&self) {
        let lock = fs::read(root().join("Cargo.lock")).expect("there are versions");
        fs::write(self.folder.join("Cargo.lock"), lock).expect("copied");
    }

    /// Builds and runs it; what it prints.
    fn run(&self, readme: &str) -> String {
        let (succeeded, said) = self.cargo("run", readme);
        assert!(succeeded, "{said}");
        said
    }

    /// Has cargo do something with it; whether that went well, and what was printed.
    fn cargo(&self, what: &str, readme: &str) -> (bool, String) {
        let configuration = block_after(readme, "`.cargo/config.toml`");
        self.write(".cargo/config.toml", configuration);
        self.copy_versions();
        let output = cargo_for(&self.folder, what).output();
        let output = output.expect("cargo starts");
        let printed = if output.status.success() {
            output.stdout
        } else {
            output.stderr
        };
        let printed = String::from_utf8_lossy(&printed).into_owned();
        (output.status.success(), printed)
    }
}

const LAUNCHES: &str = r#"
mod kernel;
mod launch;

use cuda_std::launch::{Actual, SafeLaunch};
use kernel::scale;
use quadscan::device::{Dim3, LaunchShape};

/// Whether the contract allows a block of this size for 64 elements.
fn allows<K: SafeLaunch>(_: K, block: impl Into<Dim3>) -> bool {
    let buffer = Actual { bytes: &[0; 8], elements: Some(64) };
    let factor = Actual { bytes: &[0; 4], elements: None };
    // SAFETY: the factor is an f32, and any four bytes are one.
    unsafe { K::check(&LaunchShape::new(2, block), &[buffer, factor, buffer]) }.is_ok()
}

fn main() {
    // One thread an element, and no two of them the same.
    assert!(allows(scale, 32));
    assert!(!allows(scale, (32, 2)));
    assert!(!allows(scale, (32, 1, 2)));
    match launch::launch() {
        Err(error @ quadscan::Error::NoDevice { .. }) => println!("{error}"),
        // This crate's kernel is not among quadscan's own.
        Err(error @ quadscan::Error::UnknownKernel { .. }) => println!("a device: {error}"),
        other => panic!("{other:?}"),
    }
}
"#;
