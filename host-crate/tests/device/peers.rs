//! A peer's library on a device's stream: what it is given, how its result is
//! compared, and what its codes become.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use quadscan::device::{Device, DeviceChoice};
use quadscan::measure::{Method, Rule};
use quadscan::peers::library::{Call, Peer};
use quadscan::peers::operation::{Element, Form, Operation, Operator};
use quadscan::peers::timing;
use quadscan::{Error, Result};

use crate::fake_cuda::{FakeCuda, Settings};
use crate::sentence;

const RIGHT: Operation = Operation::Of(Form::Inclusive, Operator::Sum, Element::I32);
const WRONG: Operation = Operation::Of(Form::Exclusive, Operator::Sum, Element::I32);
const FAULTY: Operation = Operation::Of(Form::Reduce, Operator::Sum, Element::I32);

/// The fake peer.
fn peer() -> Peer {
    // SAFETY: its functions have the signatures of `peers/scan/library.cu`.
    unsafe { Peer::load(&library()) }.expect("it loads")
}

/// Its file, built once.
fn library() -> PathBuf {
    static BUILT: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fake_peer.rs");
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let status = Command::new(rustc)
            .args(["--edition=2024", "-o"])
            .args([folder.path().join("peer.so"), source])
            .status();
        assert!(status.expect("rustc runs").success());
        folder
    });
    folder.path().join("peer.so")
}

#[test]
fn a_library_says_what_it_is_and_what_it_has() {
    let peer = peer();
    assert_eq!(peer.version(), "CUB 0.0.0, CCCL 0.0.0, nvcc 0.0.0");
    assert_eq!(peer.name(), "CUB 0.0.0");
    assert!(peer.has(RIGHT) && !peer.has(Operation::Copy));
}

#[test]
fn an_operation_works_on_the_devices_own_stream_with_the_scratch_that_it_asks_for() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, peer) = (fake.open(), peer());
    let input = device.upload(&[3_i32, 4, 5])?;
    let output = device.alloc_zeroed::<i32>(3)?;
    let bytes = peer.scratch_bytes(&device, RIGHT, 3, 0)?;
    let scratch = device.alloc::<u8>(bytes)?;
    let call = Call {
        input: input.address(),
        keys_or_offsets: 0,
        output: output.address(),
        n: 3,
        segments: 0,
    };
    // SAFETY: three elements each, and the scratch is as large as was asked for.
    unsafe { peer.enqueue(&device, RIGHT, (scratch.address(), bytes), call) }?;
    assert_eq!(output.to_vec()?, [3, 7, 12]);
    Ok(())
}

#[test]
fn a_right_result_is_right_and_a_wrong_one_is_named() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, peer) = (fake.open(), peer());
    assert_eq!(timing::check(&device, &peer, RIGHT)?, Ok(()));
    let wrong = timing::check(&device, &peer, WRONG)?.expect_err("it is inclusive");
    let start = "exclusive_sum_i32 of CUB 0.0.0 is wrong and not timed: byte ";
    assert!(wrong.starts_with(start), "{wrong}");
    Ok(())
}

#[test]
fn a_fault_of_a_peer_loses_the_context() {
    let fake = FakeCuda::new(Settings::default());
    let result = timing::check(&fake.open(), &peer(), FAULTY);
    let lost = result.as_ref().is_err_and(Error::is_context_lost);
    let said = "the peer's reduce_sum_i32 failed: an illegal memory access was encountered (700)";
    assert_eq!((sentence(result), lost), (said.to_owned(), true));
}

#[test]
fn a_peer_is_timed_as_our_kernels_are_and_gives_all_memory_back() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, peer) = (fake.open(), peer());
    let rule = Rule::new(Some(3));
    let measured = timing::times(&device, &[&peer, &peer], RIGHT, (1000, 32), &rule)?;
    assert_eq!(measured.len(), 2);
    for kernel in measured {
        assert_eq!(kernel.timing.samples_ms.len(), 3);
        assert!(
            matches!(kernel.method, Method::Graph(_)),
            "{:?}",
            kernel.method
        );
    }
    assert_eq!(fake.live_allocations(), 0);
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused_before_anything_is_allocated() {
    let fake = FakeCuda::new(Settings::default());
    let device = fake.open();
    let rule = Rule::new(Some(3));
    let result = timing::times(&device, &[&peer()], RIGHT, (1 << 33, 32), &rule);
    assert!(
        matches!(result, Err(Error::OutOfMemory { .. })),
        "{result:?}"
    );
    assert_eq!(fake.log(&["alloc"]), [""; 0]);
}

#[test]
fn a_peer_needs_a_cuda_device() -> Result<()> {
    let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
    let result = peer().scratch_bytes(&device, RIGHT, 3, 0);
    assert!(sentence(result).ends_with(" is not a CUDA device"));
    Ok(())
}

/// The command on the fake driver, with a script in the place of nvcc that gives the
/// fake peer for a library.
fn command(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = -shared ] && exec cp {} \"$4\"\nexit 0\n",
        library().display()
    );
    let nvcc = folder.join("nvcc");
    fs::write(&nvcc, script).expect("it can be written");
    fs::set_permissions(&nvcc, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [folder.to_owned()]
        .into_iter()
        .chain(std::env::split_paths(&path));
    let output = Command::new(env!("CARGO_BIN_EXE_quadscan"))
        .args(["peers", "--device", "cuda", "--repeat", "3", "--peers"])
        .arg(peers)
        .args(["--python", "/nonexistent/python3"])
        .args(arguments)
        .current_dir(folder)
        .env(
            "PATH",
            std::env::join_paths(folders).expect("a path of paths"),
        )
        .output();
    output.expect("it starts")
}

#[test]
fn the_command_prints_a_row_an_operation_and_size_and_says_what_is_not_there() {
    // The child finds the driver where this test does.
    let _fake = FakeCuda::new(Settings::default());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let asked = ["--sizes", "1000,2^12", "--types", "i32,f32"];
    let output = command(folder.path(), &asked);
    let (rows, said) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(0), "{said}");
    let words = |row: &str| {
        row.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = rows.lines().map(words).collect();
    assert_eq!(rows[0], ["peer", "operation", "n", "us", "GB/s", "method"]);
    let starts: Vec<&[String]> = rows[1..].iter().map(|row| &row[..4]).collect();
    let row = |n: &'static str| ["CUB", "0.0.0", "inclusive_sum_i32", n];
    assert_eq!(starts, [row("1000"), row("4096")]);
    for sentence in [
        "peer: CUB 0.0.0, CCCL 0.0.0, nvcc 0.0.0\n",
        "CUB 0.0.0 has no inclusive_sum_f32\n",
        "CUB 0.0.0 has no copy\n",
        "/nonexistent/python3 cannot be started, so CuPy and PyTorch are not timed: ",
    ] {
        assert!(said.contains(sentence), "{said}");
    }
}

#[test]
fn a_wrong_result_is_an_exit_code_of_1_and_a_run_without_rows_one_of_2() {
    let _fake = FakeCuda::new(Settings::default());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let code = |arguments: &[&str]| {
        let output = command(folder.path(), arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said.lines().last().map(str::to_owned))
    };
    let wrong = ["--operations", "exclusive_sum", "--types", "i32"];
    let (of_wrong, said) = code(&wrong);
    assert_eq!(of_wrong, Some(1));
    assert!(said.is_some_and(|said| said.contains(" is wrong and not timed: byte ")));
    let (of_none, said) = code(&["--operations", "copy"]);
    let sentence = "error: no peer could be timed".to_owned();
    assert_eq!((of_none, said), (Some(2), Some(sentence)));
}
