//! `cargo xtask dev` on a kernel of the copy: what is wrong is said after every save, what is
//! provisional is called so, and an error is gone with its cause.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use super::{cargo, copy, root};

/// `cargo xtask dev` at work.
struct Dev {
    program: Child,
    said: BufReader<ChildStdout>,
    /// What compilers say.
    errors: tempfile::NamedTempFile,
}

impl Dev {
    fn start(folder: &Path, kernel: &str) -> Self {
        // Cargo writes the copy's lock file, whose packages are fewer, before anybody looks.
        let locked = cargo("metadata", folder)
            .args(["--offline", "--format-version=1"])
            .output();
        assert!(locked.expect("cargo starts").status.success());
        let errors = tempfile::NamedTempFile::new().expect("a temporary file");
        let mut program = cargo("run", root())
            .args([
                "--quiet",
                "--package",
                "xtask",
                "--",
                "dev",
                kernel,
                "--root",
            ])
            .arg(folder)
            .env("CARGO_NET_OFFLINE", "true")
            // Times are none of this test's.
            .env(libcuda_lazy::LIBRARY_VARIABLE, "/nonexistent/libcuda.so")
            .stdout(Stdio::piped())
            .stderr(errors.reopen().expect("it is there"))
            .spawn()
            .expect("cargo starts");
        let said = BufReader::new(program.stdout.take().expect("it is piped"));
        Dev {
            program,
            said,
            errors,
        }
    }

    /// What it says until it waits for the next save; and the compilers' words so far.
    fn round(&mut self) -> (String, String) {
        let mut text = String::new();
        loop {
            let start = text.len();
            let length = self.said.read_line(&mut text).expect("it can be read");
            let errors = fs::read_to_string(self.errors.path()).expect("it can be read");
            assert_ne!(length, 0, "it has ended: {text}{errors}");
            if text[start..].starts_with("waiting for the next save") {
                return (text, errors);
            }
        }
    }

    /// Ends it as Ctrl-C does; its exit code.
    fn interrupt(mut self) -> Option<i32> {
        let id = self.program.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.expect("kill starts").success());
        self.program.wait().expect("it ends").code()
    }
}

impl Drop for Dev {
    fn drop(&mut self) {
        // It has ended, unless the test has failed.
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn a_kernel_that_is_watched_is_judged_at_every_save() {
    let (_alone, folder, files) = copy();
    let kernel = "kernels-crate/src/tried_map.rs";
    let statements = "tests/tests/conformance/tried_map.rs";
    let save = |path: &str, before: &str, after: &str| {
        assert!(files[path].contains(before), "{path}: {before}");
        let text = files[path].replace(before, after);
        fs::write(folder.join(path), text).expect("written");
    };
    let mut dev = Dev::start(&folder, "tried_map");
    let (said, errors) = dev.round();
    assert!(said.contains("\nall right\n"), "{said}{errors}");

    save(kernel, "i < input.len()", "i <= input.len()");
    let (said, errors) = dev.round();
    assert!(said.contains("what a device runs of"), "{said}{errors}");
    assert!(
        said.contains("\nfault: trap (tried_map, "),
        "{said}{errors}"
    );
    assert!(!said.contains("all right"), "{said}");

    save(kernel, "i < input.len()", "i < of_nobody");
    let (said, errors) = dev.round();
    assert!(
        errors.contains("error[E0425]: cannot find value `of_nobody`"),
        "{errors}"
    );
    assert!(!said.contains("all right"), "{said}");

    // The host's compiler is another one than the device's.
    save(
        kernel,
        "let i =",
        "#[cfg(not(target_os = \"cuda\"))]\n    of_nobody();\n    let i =",
    );
    let (said, errors) = dev.round();
    assert!(errors.contains("on the host does not build"), "{errors}");
    assert!(!said.contains("all right"), "{said}");

    save(kernel, "factor * input[i]", "input[i] * factor");
    let (said, errors) = dev.round();
    assert!(said.contains("\nall right\n"), "{said}{errors}");

    save(
        statements,
        "expected(&elements, -1.5)",
        "expected(&elements, -2.5)",
    );
    let (said, errors) = dev.round();
    let (before, after) = said
        .split_once("building the statements, whose verdict counts")
        .unwrap_or_else(|| panic!("{said}{errors}"));
    assert!(
        before.contains("provisional") && before.contains("nothing found"),
        "{said}"
    );
    assert!(
        !before.contains("all right") && !after.contains("all right"),
        "{said}"
    );
    assert!(
        after.contains("results_are_the_hosts does not hold"),
        "{said}"
    );
    assert_eq!(dev.interrupt(), Some(0));
}
