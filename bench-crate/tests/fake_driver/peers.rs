//! A peer's library on a device's stream: what it is given, how its result is
//! compared, and what its codes become.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use quadscan::device::{Device, DeviceChoice};
use quadscan::{Error, Result};
use quadscan_bench::peers::contestant::Contestant;
use quadscan_bench::peers::library::Peer;
use quadscan_bench::timing::{Method, Rule, device as timing};
use quadscan_bench::workload::Workload;
use quadscan_bench::workload::memory::{Call, Memory, Size, Turn};
use quadscan_bench::workload::operation::{Element, Form, Operation, Operator};

use crate::fake_cuda::{FakeCuda, Settings};

const RIGHT: Operation = Operation::new(Form::Inclusive, Operator::Sum, Element::I32);

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
    assert_eq!(
        peer.interface.peer().version,
        "CUB 0.0.0, CCCL 0.0.0, nvcc 0.0.0"
    );
    assert_eq!(peer.interface.name(), "CUB 0.0.0");
    let lacking = Operation::new(Form::Inclusive, Operator::Min, Element::I32);
    assert!(peer.has(RIGHT) && !peer.has(lacking));
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

/// Arrays of 1000 elements, in parts of so many bytes together.
fn memory(device: &Device, name: &str, rotated: u64) -> Result<Memory> {
    let size = Size {
        workload: Workload::by_name(name).expect("it is one"),
        element: Element::I32,
        n: 1000,
        segment: 32,
    };
    Memory::new(device, size, rotated)
}

#[test]
fn a_right_result_is_right_and_a_wrong_one_is_named() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, peer) = (fake.open(), peer());
    for right in [
        "inclusive_sum",
        "in_place",
        "unaligned_input",
        "unaligned_output",
    ] {
        let memory = memory(&device, right, 0)?;
        let found = Contestant::new(&peer, &memory)?.expect("it has it");
        assert_eq!(found.map(|_| ()), Ok(()), "{right}");
    }
    let memory = memory(&device, "exclusive_sum", 0)?;
    let found = Contestant::new(&peer, &memory)?.expect("it has it");
    let wrong = found.map(|_| ()).expect_err("it is inclusive");
    let start = "exclusive_sum_i32 of CUB 0.0.0 is wrong: result 1 has the bytes [";
    assert!(wrong.starts_with(start), "{wrong}");
    Ok(())
}

#[test]
fn an_operation_that_a_peer_has_not_is_no_contestant() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, peer) = (fake.open(), peer());
    assert!(Contestant::new(&peer, &memory(&device, "by_key", 0)?)?.is_none());
    Ok(())
}

#[test]
fn a_fault_of_a_peer_loses_the_context() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, peer) = (fake.open(), peer());
    let memory = memory(&device, "reduce", 0)?;
    let result = Contestant::new(&peer, &memory).map(|_| ());
    let lost = result.as_ref().is_err_and(Error::is_context_lost);
    let said = "the peer's reduce_sum_i32 failed: an illegal memory access was encountered (700)";
    assert_eq!(result.expect_err("it is refused").to_string(), said);
    assert!(lost);
    Ok(())
}

#[test]
fn a_peer_is_timed_as_our_kernels_are_and_gives_all_memory_back() -> Result<()> {
    let fake = FakeCuda::new(Settings::default());
    let (device, peer) = (fake.open(), peer());
    {
        let memory = memory(&device, "inclusive_sum", 20_000)?;
        let found = Contestant::new(&peer, &memory)?.expect("it has it");
        let contestant = found.unwrap_or_else(|wrong| panic!("{wrong}"));
        let turn = Turn::default();
        let mut work = || contestant.launch(&memory, memory.next(&turn));
        let rule = Rule::new(Some(3));
        let measured = timing::kernels_and_methods(&rule, &device, &mut [&mut work])?;
        assert_eq!(measured[0].timing.samples_ms.len(), 3);
        assert!(
            matches!(measured[0].method, Method::Graph(_)),
            "{measured:?}"
        );
    }
    assert_eq!(fake.live_allocations(), 0);
    Ok(())
}

#[test]
fn a_peer_needs_a_cuda_device() -> Result<()> {
    let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
    let result = peer().scratch_bytes(&device, RIGHT, 3, 0);
    let said = result.expect_err("it is refused").to_string();
    assert!(said.ends_with(" is not a CUDA device"), "{said}");
    Ok(())
}

/// The tables on the fake driver, with a script in the place of nvcc that gives the fake
/// peer for a library. The driver has none of our kernels.
fn bench(folder: &Path, arguments: &[&str]) -> std::process::Output {
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
        .args([
            "bench", "--device", "cuda", "--repeat", "3", "--format", "csv",
        ])
        .arg("--peers")
        .arg(peers)
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
fn a_row_that_cannot_be_launched_has_its_reason_and_an_exit_code_of_1() {
    // The child finds the driver where this test does.
    let _fake = FakeCuda::new(Settings::default());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let asked = ["scan", "--sizes", "1000", "--types", "i32"];
    let python = ["--python", "python-of-nobody"];
    let output = bench(folder.path(), &[&asked[..], &python].concat());
    let (rows, said) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(rows.lines().count(), 2, "{rows}");
    assert!(rows.contains(",failed,"), "{rows}");
    for sentence in [
        "--python python-of-nobody cannot be started, so CuPy and PyTorch are not timed: ",
        "failed: scan operation=inclusive_sum type=i32 algorithm=default n=1000: the module has \
         no kernel `one_block_sum_u32`",
    ] {
        assert!(said.contains(sentence), "{said}");
    }
}
