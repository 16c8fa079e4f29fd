//! A host crate whose build script builds kernels, as its author sees it.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::{copy, fixture, nested_target};

const BUILD_SCRIPT: &str = r#"
use cuda_builder::{CudaBuilder, NvvmArch};

fn main() {
    CudaBuilder::new("clone/kernels")
        .arch(NvvmArch::Compute90)
        .target_dir(std::env::var("NESTED_TARGET").unwrap())
        .copy_to("resources/kernels.ptx")
        .build()
        .unwrap();
}
"#;

/// The workspace that this test is of.
fn workspace() -> &'static Path {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let workspace = above.find(|folder| folder.join("Cargo.lock").is_file());
    workspace.expect("a workspace has a lock file")
}

/// A package with that build script, and the kernels beside it.
struct Host {
    folder: tempfile::TempDir,
}

impl Host {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        copy(&fixture("workspace"), &folder.path().join("clone"));
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"host-of-kernels\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                 [build-dependencies]\ncuda_builder = {{ path = {here:?} }}\n\
                 [workspace]\nexclude = [\"clone\"]\n",
            ),
        );
        write("build.rs", BUILD_SCRIPT);
        write(
            "src/lib.rs",
            "pub const PTX: &str = include_str!(\"../resources/kernels.ptx\");\n",
        );
        write("resources/.keep", "");
        // The versions that are on this machine.
        let lock = workspace().join("Cargo.lock");
        fs::copy(lock, folder.path().join("Cargo.lock")).unwrap();
        Host { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(path)).unwrap();
        assert!(text.contains(from), "{from} is in {path}");
        fs::write(self.path(path), text.replace(from, to)).unwrap();
    }

    fn build(&self) -> (bool, String) {
        self.build_with(&[])
    }

    fn build_with(&self, variables: &[(&str, &str)]) -> (bool, String) {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let Output { status, stderr, .. } = Command::new(env!("CARGO"))
            .args(["build", "--offline"])
            // What is built of the builder's dependencies is the workspace's.
            .arg("--config")
            .arg(workspace().join("Cargo.toml"))
            .current_dir(self.folder.path())
            .env("CARGO_BUILD_BUILD_DIR", target.with_file_name(""))
            .env("CARGO_TARGET_DIR", target.join("host"))
            .env("NESTED_TARGET", nested_target())
            .env("CARGO_TERM_COLOR", "never")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        (
            status.success(),
            String::from_utf8_lossy(&stderr).into_owned(),
        )
    }
}

#[test]
fn the_author_sees_what_changed_what_did_not_and_what_does_not_compile() {
    let host = Host::new();
    let ptx = || fs::read_to_string(host.path("resources/kernels.ptx")).unwrap();
    let compiles = "Compiling host-of-kernels";

    let (good, said) = host.build();
    assert!(good && said.contains(compiles), "{said}");
    let first = ptx();
    assert!(first.contains(".entry mix("));

    let (good, said) = host.build();
    assert!(good && !said.contains(compiles), "nothing changed: {said}");

    // In a dependency of the kernels, far from the build script.
    host.edit(
        "clone/parts/src/lib.rs",
        "ROUNDS: u32 = 5",
        "ROUNDS: u32 = 9",
    );
    let (good, said) = host.build();
    assert!(good && said.contains(compiles), "{said}");
    assert_ne!(ptx(), first);

    // By the environment alone, and by cargo's configuration, in the
    // dependency and in the crate.
    let folder = host.path("clone/.cargo");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), "[env]\nCONFIGURED = \"a\"\n").unwrap();
    let read = |name: &str| {
        format!("if let Some(text) = option_env!({name:?}) {{ text.len() as u32 }} else {{ 9 }}")
    };
    host.edit(
        "clone/parts/src/lib.rs",
        "ROUNDS: u32 = 9",
        &format!("ROUNDS: u32 = {} + {}", read("LEVEL"), read("CONFIGURED")),
    );
    let (good, said) = host.build();
    assert!(good, "{said}");
    let unset = ptx();
    let (good, said) = host.build_with(&[("LEVEL", "abcd")]);
    assert!(good && said.contains(compiles), "{said}");
    let set = ptx();
    assert_ne!(set, unset);
    host.edit("clone/.cargo/config.toml", "\"a\"", "\"abc\"");
    let (good, said) = host.build_with(&[("LEVEL", "abcd")]);
    assert!(good && said.contains(compiles), "{said}");
    assert_ne!(ptx(), set);

    host.edit(
        "clone/kernels/src/lib.rs",
        "data[0] as usize % 7",
        "data[0]",
    );
    let (good, said) = host.build();
    assert!(!good);
    assert!(said.contains("error[E0308]: mismatched types"), "{said}");
    let source = fs::read_to_string(host.path("clone/kernels/src/lib.rs")).unwrap();
    let line = source
        .lines()
        .position(|line| line.contains("data[0])"))
        .unwrap()
        + 1;
    assert!(
        said.contains(&format!("kernels/src/lib.rs:{line}:")),
        "{said}"
    );
    let kernels = host.path("clone/kernels").canonicalize().unwrap();
    let sentence = format!(
        "the kernels in {} do not compile: see the errors above",
        kernels.display()
    );
    assert!(said.contains(&sentence), "{said}");

    host.edit(
        "clone/kernels/src/lib.rs",
        "feature(stdarch_nvptx)",
        "feature(register_attr)",
    );
    let (good, said) = host.build();
    assert!(!good);
    assert!(
        said.contains("delete the `cfg_attr` that names them"),
        "{said}"
    );
}
