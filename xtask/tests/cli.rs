//! The command line of `cargo xtask` from the outside: exit codes and the
//! sentence on stderr. Nothing here builds the workspace.

use assert_cmd::Command;

fn xtask() -> Command {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
}

fn stderr(command: &mut Command) -> String {
    String::from_utf8_lossy(&command.output().expect("xtask starts").stderr).into_owned()
}

#[test]
fn an_unknown_command_exits_2_and_is_named() {
    let mut command = xtask();
    command.arg("benhc").assert().code(2);
    let message = stderr(&mut command);
    assert!(
        message.contains("'benhc'") && message.contains("'bench'"),
        "{message}"
    );
}

#[test]
fn no_command_exits_2_and_lists_them() {
    let mut command = xtask();
    command.assert().code(2);
    let message = stderr(&mut command);
    for name in ["setup", "bench", "test", "doctor", "bundle", "fixtures"] {
        assert!(message.contains(name), "{name} is not in {message}");
    }
}

#[test]
fn fixtures_without_a_driver_exit_2_and_say_what_is_missing() {
    let mut command = xtask();
    let variable = libcuda_lazy::LIBRARY_VARIABLE;
    command
        .arg("fixtures")
        .env(variable, "/nonexistent/libcuda.so");
    command.assert().code(2);
    let message = stderr(&mut command);
    assert!(
        message.contains("fixtures are recorded on a GPU"),
        "{message}"
    );
}

#[test]
fn a_kernel_that_cannot_be_called_so_exits_2_in_one_sentence_and_nothing_is_written() {
    for (name, problem) in [
        ("My-Kernel", "is not a snake_case word, "),
        ("loop", "is a keyword of Rust"),
        (
            "limit_copy",
            "is taken, by bench-crate/src/kernels/limit_copy.rs",
        ),
    ] {
        let mut command = xtask();
        command.args(["new-kernel", name]).assert().code(2);
        let message = stderr(&mut command);
        let start = format!("error: NAME `{name}` {problem}");
        assert!(message.starts_with(&start), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    xtask()
        .args(["new-kernel", "mine", "--from", "sort"])
        .assert()
        .code(2);
}

#[test]
fn a_name_that_no_kernel_can_have_is_refused_in_one_sentence_before_anything_is_built() {
    let names = ["Scan", "../main", ""];
    let asked = names.map(|name| [["dev", "--once", name], ["check", "--schedules=2", name]]);
    for schedules in ["--schedules=0", "--schedules=x", "--bogus"] {
        xtask().args(["check", "scale", schedules]).assert().code(2);
    }
    for arguments in asked.as_flattened() {
        let name = arguments[2];
        let mut command = xtask();
        command.args(arguments).assert().code(2);
        let message = stderr(&mut command);
        let start = format!("error: KERNEL `{name}` is not a kernel's name: allowed are ");
        assert!(message.starts_with(&start), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn an_app_in_a_folder_that_holds_something_exits_2_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let app = folder.path().join("app");
    std::fs::create_dir(&app).expect("made");
    std::fs::write(app.join("thesis.tex"), "x").expect("written");
    let mut command = xtask();
    command.arg("new-app").arg(&app).assert().code(2);
    let message = stderr(&mut command);
    let end = "is not empty: name a folder that is empty or new\n";
    assert!(
        message.starts_with("error: DIR ") && message.ends_with(end),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn help_exits_0() {
    xtask().arg("--help").assert().code(0);
}

/// Neither cargo nor any other program can be started here.
#[test]
fn what_quadscan_answers_to_help_and_lists_needs_no_build() {
    let alone = |arguments: &[&str]| {
        let mut command = xtask();
        command
            .args(arguments)
            .env("PATH", "")
            .env("CARGO", "/nonexistent");
        command.output().expect("xtask starts")
    };
    for (arguments, said) in [
        (&["bench", "--help"][..], "Usage: quadscan bench"),
        (&["bench", "--version"], env!("CARGO_PKG_VERSION")),
        (&["bench", "--list"], "limits: limits of the device"),
        (&["bench", "-l"], "limits: limits of the device"),
        (&["integrate", "--help"], "Usage: quadscan integrate"),
        (&["integrate", "--list"], " sqrt(1 - x^2) |"),
    ] {
        let output = alone(arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains(said),
            "{arguments:?}: {output:?}"
        );
        let fits = text.lines().all(|line| line.chars().count() <= 80);
        assert!(fits, "{arguments:?}: {text}");
    }
    assert_eq!(alone(&["bench", "--frmat"]).status.code(), Some(2));
    assert_ne!(
        alone(&["bench", "limits", "--list"]).status.code(),
        Some(0),
        "it is built"
    );
}

/// A cargo that says how it is to talk, and fails.
#[test]
fn cargo_talks_as_the_command_line_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cargo = folder.path().join("cargo");
    let script = "#!/bin/sh\nenv | grep ^CARGO_TERM_ | tr '\\n' ' ' >&2\nexit 1\n";
    std::fs::write(&cargo, script).expect("written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&cargo, mode).expect("set");
    for (arguments, said) in [
        (&["package", "--offline"][..], ""),
        (&["package", "-q"], "CARGO_TERM_QUIET=true "),
        (&["-v", "package"], "CARGO_TERM_VERBOSE=true "),
        (&["package", "--color", "never"], "CARGO_TERM_COLOR=never "),
    ] {
        let mut command = xtask();
        for of_the_caller in ["COLOR", "QUIET", "VERBOSE"] {
            command.env_remove(format!("CARGO_TERM_{of_the_caller}"));
        }
        command
            .env("CARGO", &cargo)
            .args(arguments)
            .assert()
            .code(101);
        let message = stderr(&mut command);
        let expected = format!("{said}error: cargo metadata failed\n");
        assert_eq!(message, expected, "{arguments:?}");
    }
    let both = stderr(xtask().args(["package", "-q", "-v"]));
    assert!(both.contains("cannot be used with"), "{both}");
}

#[test]
fn an_unknown_option_of_test_exits_2() {
    xtask().args(["test", "--fast"]).assert().code(2);
}

#[test]
fn bundle_refuses_a_folder_that_it_did_not_write_before_it_builds_anything() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let thesis = folder.path().join("thesis.tex");
    std::fs::write(&thesis, "x").expect("written");
    let mut command = xtask();
    command.arg("bundle").arg(folder.path()).assert().code(2);
    let message = stderr(&mut command);
    assert!(
        message.starts_with("error: ") && message.contains("holds thesis.tex"),
        "{message}"
    );
    assert_eq!(message.lines().count(), 1, "{message}");
    assert!(thesis.exists());
}

#[test]
fn bundle_refuses_a_file() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut command = xtask();
    command.arg("bundle").arg(file.path()).assert().code(2);
    assert!(stderr(&mut command).contains("is not a folder"));
}

#[test]
fn doctor_lists_the_toolchain_and_the_driver() {
    let output = xtask().arg("doctor").output().expect("xtask starts");
    let list = String::from_utf8_lossy(&output.stdout);
    for name in [
        "cargo",
        "device toolchain",
        "libLLVM",
        "driver",
        "GPU",
        "nvcc",
    ] {
        assert!(list.contains(name), "{name} is not in {list}");
    }
}

#[test]
fn doctor_exits_1_when_the_toolchain_is_missing_and_says_what_mends_it() {
    let output = xtask()
        .arg("doctor")
        .env("CUDA_BUILDER_TOOLCHAIN", "nightly-that-nobody-has")
        .output()
        .expect("xtask starts");
    let list = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{list}");
    assert!(
        list.contains("MISSING") && list.contains("nightly-that-nobody-has"),
        "{list}"
    );
}

#[test]
fn the_crates_that_are_published_are_packed_under_their_names_on_the_registry() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = xtask()
        .args(["package", "--offline"])
        .env("CARGO_TARGET_DIR", folder.path())
        .output()
        .expect("xtask starts");
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(printed.lines().count(), 10, "{printed}");
    let name = "nvptx-cuda-std-0.1.0";
    let packed = printed
        .lines()
        .find(|line| line.ends_with(&format!("/{name}.crate")));
    let unpacked = std::process::Command::new("tar")
        .arg("-xzf")
        .arg(packed.expect("it is there"))
        .current_dir(folder.path())
        .status();
    assert!(unpacked.is_ok_and(|status| status.success()));
    let read = |file: &str| {
        let path = folder.path().join(name).join(file);
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    let manifest = read("Cargo.toml");
    for line in [
        "name = \"nvptx-cuda-std\"",
        "name = \"cuda_std\"",
        "package = \"nvptx-cuda-std-macros\"",
    ] {
        assert!(manifest.contains(line), "{line} in {manifest}");
    }
    assert!(read("README.md").contains("nvptx-cuda-std") && read("LICENSE-MIT").contains("MIT"));
}
