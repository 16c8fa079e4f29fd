//! The command: which file an output is, and what it says of a launch whose
//! budget is used up; and how long `list` takes.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

const SAXPY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/saxpy.ptx");

/// `run saxpy.ptx` of 4 elements: exit code, stdout, stderr.
fn saxpy(folder: &Path, arguments: &str) -> (i32, String, String) {
    let output = Command::cargo_bin("ptx-emulator")
        .unwrap()
        .current_dir(folder)
        .args(["run", SAXPY, "--kernel", "saxpy", "--grid", "1"])
        .args("--block 32 --arg u32:4 --arg f32:2".split(' '))
        .args(arguments.split(' '))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn bytes(values: [f32; 4]) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// A folder `in` with `x.bin`, beside a folder `out`.
fn folders() -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in ["in", "out"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("in/x.bin"), bytes([1.0, 2.0, 3.0, 4.0])).unwrap();
    folder
}

#[test]
fn a_used_up_budget_is_told_even_when_the_last_warp_has_ended() {
    let folder = folders();
    let arrays = "--arg zero:f32:4 --arg zero:f32:4";
    for budget in [0, 10] {
        for check in ["", " --check"] {
            let (code, out, err) =
                saxpy(folder.path(), &format!("{arrays} --budget {budget}{check}"));
            assert_eq!((code, err.as_str()), (1, ""), "{out}");
            let told = format!("used up its {budget} warp instructions");
            assert!(out.contains("livelock: ") && out.contains(&told), "{out}");
            assert!(!out.contains("nothing found"), "{out}");
        }
    }
}

#[test]
fn one_file_under_two_spellings_is_one_file() {
    let folder = folders();
    let here = folder.path().join("in");
    for second in ["./same.bin", "../in/same.bin", "../out/../in/./same.bin"] {
        let (code, out, err) = saxpy(
            &here,
            &format!("--arg inout:f32:x.bin:same.bin --arg inout:f32:x.bin:{second}"),
        );
        assert_eq!((code, out.as_str()), (2, ""), "{second}: {err}");
        assert!(
            err.contains("--arg 4") && err.contains("goes to the same file"),
            "{err}"
        );
        assert!(!here.join("same.bin").exists());
    }
    let (code, out, err) = saxpy(
        &here,
        "--arg inout:f32:x.bin:same.bin --arg inout:f32:x.bin:../out/same.bin",
    );
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    // x as it was, and 2 x + x.
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("in/same.bin"), bytes([1.0, 2.0, 3.0, 4.0]));
    assert_eq!(read("out/same.bin"), bytes([3.0, 6.0, 9.0, 12.0]));
}

#[cfg(unix)]
#[test]
fn an_output_that_is_a_link_goes_to_where_it_leads() {
    use std::os::unix::fs::symlink;
    let folder = folders();
    let here = folder.path().join("in");
    // One target is there, the other one is not yet.
    fs::write(folder.path().join("out/old.bin"), "old").unwrap();
    for name in ["old.bin", "new.bin"] {
        symlink(Path::new("../out").join(name), here.join(name)).unwrap();
        let (code, out, err) = saxpy(
            &here,
            &format!("--arg in:f32:x.bin --arg inout:f32:x.bin:{name}"),
        );
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        assert!(fs::symlink_metadata(here.join(name)).unwrap().is_symlink());
        let written = fs::read(folder.path().join("out").join(name)).unwrap();
        assert_eq!(written, bytes([3.0, 6.0, 9.0, 12.0]));
    }
    // Two names, one file.
    let (code, _, err) = saxpy(
        &here,
        "--arg inout:f32:x.bin:old.bin --arg inout:f32:x.bin:../out/old.bin",
    );
    assert_eq!(code, 2);
    assert!(err.contains("goes to the same file"), "{err}");
    symlink("round.bin", here.join("round.bin")).unwrap();
    let (code, _, err) = saxpy(&here, "--arg in:f32:x.bin --arg inout:f32:x.bin:round.bin");
    assert_eq!(code, 2);
    assert!(
        err.contains("--arg 4") && err.contains("more than 40 links"),
        "{err}"
    );
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let folder = folders();
    let (code, out, err) = saxpy(
        folder.path(),
        "--arg in:f32:in/x.bin --arg out:f32:4:none/z.bin",
    );
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        err.contains("`none/z.bin` cannot be written: the folder `none` does not exist"),
        "{err}"
    );
}

/// The modelled GPU has room for 40 GB, and a process of 4 GB has not.
#[cfg(target_os = "linux")]
#[test]
fn a_computer_without_memory_is_told_apart_from_a_full_gpu() {
    let folder = folders();
    let binary = assert_cmd::cargo::cargo_bin("ptx-emulator");
    let output = Command::new("sh")
        .current_dir(folder.path())
        .env("LC_ALL", "C")
        .arg("-c")
        .arg(format!(
            "ulimit -v 4000000; exec '{}' run '{SAXPY}' --kernel saxpy --grid 1 --block 32 \
             --arg u32:4 --arg f32:2 --arg scratch:f64:5000000000 --arg zero:f32:4",
            binary.display()
        ))
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    assert!(
        err.contains("--arg 3")
            && err.contains("this computer has no memory for 40000000000 bytes"),
        "{err}"
    );
}

/// Quadratic in the kernels it would take minutes.
#[test]
fn list_takes_time_in_proportion_to_the_kernels() {
    let folder = TempDir::new().unwrap();
    let kernels = (0..100_000).map(|n| format!(".entry k{n}(.param .u64 p) {{ ret; }}\n"));
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n".to_owned();
    fs::write(
        folder.path().join("k.ptx"),
        head + &kernels.collect::<String>(),
    )
    .unwrap();
    let mut list = Command::cargo_bin("ptx-emulator").unwrap();
    list.current_dir(folder.path()).args(["list", "k.ptx"]);
    let output = list.timeout(std::time::Duration::from_secs(25)).output();
    let lines = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!(lines.lines().count(), 200_000);
}
