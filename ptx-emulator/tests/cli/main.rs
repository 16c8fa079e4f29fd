//! The command: arrays in and out, exit codes, one sentence for each mistake.

mod outcomes;
mod texts;
mod weak_memory;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

const SAXPY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/saxpy.ptx");

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::cargo_bin("ptx-emulator").unwrap();
    command.current_dir(folder).args(arguments.split(' '));
    command
}

/// Exit code, stdout, stderr.
fn run(folder: &Path, arguments: &str) -> (i32, String, String) {
    let output = command(folder, arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// `run saxpy.ptx` of four elements, with these arguments.
fn saxpy(folder: &Path, arguments: &str) -> (i32, String, String) {
    let launch = format!("run {SAXPY} --kernel saxpy --grid 1 --block 32 {arguments}");
    run(folder, &launch)
}

/// As numpy.lib.format describes version 1.0.
fn write_npy(file: PathBuf, dtype: &str, shape: &str, elements: &[u8]) {
    let text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (text.len() as u16).to_le_bytes();
    let parts = [b"\x93NUMPY\x01\x00", &length[..], text.as_bytes(), elements];
    fs::write(file, parts.concat()).unwrap();
}

fn read_npy(file: PathBuf) -> (String, Vec<f32>) {
    let bytes = fs::read(file).unwrap();
    let (header, elements) = bytes.split_at(128);
    assert_eq!(header[..10], *b"\x93NUMPY\x01\x00\x76\x00");
    let text = str::from_utf8(&header[10..]).unwrap().trim_end();
    let text = text.strip_prefix("{'descr': '<f4', 'fortran_order': False, 'shape': ");
    let shape = text.and_then(|text| text.strip_suffix(", }")).unwrap();
    let values = elements.chunks(4);
    let values = values.map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
    (shape.to_owned(), values.collect())
}

fn raw(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// A folder with `x` = 1, 2, 3, 4 and `y` = 10, 20, 30, 40, both ways.
fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    let (x, y) = ([1f32, 2.0, 3.0, 4.0], [10f32, 20.0, 30.0, 40.0]);
    for (name, values) in [("x", x), ("y", y)] {
        let file = folder.path().join(format!("{name}.npy"));
        write_npy(file, "<f4", "(4,)", &raw(&values));
        fs::write(folder.path().join(format!("{name}.bin")), raw(&values)).unwrap();
    }
    write_npy(folder.path().join("square.npy"), "<f4", "(2, 2)", &raw(&y));
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn npy_arrays_keep_their_shape() {
    let folder = folder();
    let (code, out, err) = saxpy(
        folder.path(),
        "--arg u32:4 --arg f32:0.5 --arg in:f32:x.npy --arg inout:f32:square.npy:z.npy",
    );
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.starts_with("saxpy: "), "{out}");
    let (shape, values) = read_npy(folder.path().join("z.npy"));
    assert_eq!(shape, "(2, 2)");
    assert_eq!(values, [10.5, 21.0, 31.5, 42.0]);
}

#[test]
fn raw_bytes_and_npy_mix() {
    let folder = folder();
    let arguments =
        "--arg u32:3 --arg f32:0x40000000 --arg in:f32:x.bin --arg inout:f32:y.npy:z.bin";
    let (code, _, err) = saxpy(folder.path(), arguments);
    assert_eq!((code, err.as_str()), (0, ""));
    // Three of the four elements; the last stays.
    let expected = raw(&[12.0, 24.0, 36.0, 40.0]);
    assert_eq!(fs::read(folder.path().join("z.bin")).unwrap(), expected);
}

#[test]
fn outputs_begin_as_zeros_and_replace_files() {
    let folder = folder();
    fs::write(folder.path().join("z.npy"), "old").unwrap();
    let arguments = "--arg u32:4 --arg f32:3 --arg in:f32:x.npy --arg out:f32:4:z.npy";
    assert_eq!(saxpy(folder.path(), arguments).0, 0);
    let (shape, values) = read_npy(folder.path().join("z.npy"));
    assert_eq!(shape, "(4,)");
    assert_eq!(values, [3.0, 6.0, 9.0, 12.0]);
    assert_eq!(
        names(folder.path()),
        ["square.npy", "x.bin", "x.npy", "y.bin", "y.npy", "z.npy"]
    );
}

#[test]
fn a_file_written_by_the_command_is_read_by_it() {
    let folder = folder();
    let first = "--arg u32:4 --arg f32:1 --arg in:f32:x.npy --arg inout:f32:y.npy:z.npy";
    assert_eq!(saxpy(folder.path(), first).0, 0);
    let second = "--arg u32:4 --arg f32:-1 --arg in:f32:z.npy --arg inout:f32:y.npy:z.npy";
    assert_eq!(saxpy(folder.path(), second).0, 0);
    // y - (x + y)
    assert_eq!(
        read_npy(folder.path().join("z.npy")).1,
        [-1.0, -2.0, -3.0, -4.0]
    );
}

#[test]
fn a_fault_is_a_report_and_exit_code_1_and_no_file() {
    let folder = folder();
    let arguments = "--arg u32:5 --arg f32:1 --arg in:f32:x.npy --arg inout:f32:y.npy:z.npy";
    let before = names(folder.path());
    let (code, out, err) = saxpy(folder.path(), arguments);
    assert_eq!((code, err.as_str()), (1, ""));
    // The fifth element of four, read on line 6 of saxpy.cu.
    for part in [
        "out of bounds",
        "arg3[4]",
        "saxpy.cu:6",
        "thread [4, 0, 0]",
        "no file was written",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert_eq!(names(folder.path()), before);
}

#[test]
fn a_finding_is_a_report_and_exit_code_1() {
    let folder = folder();
    let unwritten = "--arg u32:4 --arg f32:1 --arg in:f32:x.npy --arg out:f32:4:z.npy --check";
    let (code, out, _) = saxpy(folder.path(), unwritten);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("uninitialised read"), "{out}");
    assert!(!folder.path().join("z.npy").exists());
    // Zeros count as written, and a good kernel has no findings.
    let written = "--arg u32:4 --arg f32:1 --arg in:f32:x.npy --arg zero:f32:4 --check";
    let (code, out, _) = saxpy(folder.path(), written);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("nothing found in saxpy"), "{out}");
    let scratch = "--arg u32:4 --arg f32:1 --arg in:f32:x.npy --arg scratch:f32:4 --check";
    assert_eq!(saxpy(folder.path(), scratch).0, 1);
}

#[test]
fn counts_name_the_lines_of_the_source() {
    let folder = folder();
    let arguments = "--arg u32:32 --arg f32:1 --arg zero:f32:32 --arg zero:f32:32 --counts --check";
    let (code, out, _) = saxpy(folder.path(), arguments);
    assert_eq!(code, 0, "{out}");
    // One warp: x and y are 4 sectors of 32 bytes each, read; y written.
    assert!(out.contains("global 2 requests, 8 sectors"), "{out}");
    assert!(out.contains("global 1 requests, 4 sectors"), "{out}");
    assert!(out.contains("saxpy.cu:6"), "{out}");
}

#[test]
fn schedules_models_and_cores_do_not_change_a_good_result() {
    let folder = folder();
    for options in [
        "--schedule 7",
        "--cores 2",
        "--model t4",
        "--budget 1000",
        "--shared 1024",
    ] {
        let arguments = format!(
            "--arg u32:4 --arg f32:1 --arg in:f32:x.npy --arg inout:f32:y.npy:z.npy {options}"
        );
        let (code, out, err) = saxpy(folder.path(), &arguments);
        assert_eq!(code, 0, "{options}: {out}{err}");
        assert_eq!(
            read_npy(folder.path().join("z.npy")).1,
            [11.0, 22.0, 33.0, 44.0]
        );
    }
}

/// Each mistake: exit code 2, nothing on stdout, no file, and one sentence
/// that names the argument.
#[test]
fn every_bad_argument_gets_a_sentence() {
    let folder = folder();
    write_npy(folder.path().join("double.npy"), "<f8", "(4,)", &[0; 32]);
    fs::write(folder.path().join("odd.bin"), [1, 2, 3]).unwrap();
    let mut short = fs::read(folder.path().join("x.npy")).unwrap();
    short.pop();
    fs::write(folder.path().join("short.npy"), short).unwrap();
    fs::write(folder.path().join("text.npy"), "1 2 3 4").unwrap();
    let mut nested = b"\x93NUMPY\x01\x00\xff\xff".to_vec();
    nested.extend([b'('; 65535]);
    fs::write(folder.path().join("nested.npy"), nested).unwrap();
    let before = names(folder.path());
    let good = "--arg u32:4 --arg f32:1 --arg in:f32:x.npy --arg inout:f32:y.npy:z.npy";
    for (arguments, parts) in [
        (
            "--arg u32:4",
            &["--arg", "4 parameters, and 1 arguments are given"][..],
        ),
        (
            &good.replace("u32:4", "u32:-1"),
            &["--arg 1 `u32:-1`", "u32 takes 0 to 4294967295"],
        ),
        (
            &good.replace("u32:4", "u64:4"),
            &["--arg 1", "8 bytes", "has 4"],
        ),
        (
            &good.replace("f32:1", "f32:one"),
            &["--arg 2", "decimal numbers"],
        ),
        (
            &good.replace("in:f32:x.npy", "x.npy"),
            &["--arg 3 `x.npy`", "in:TYPE:FILE"],
        ),
        (
            &good.replace("in:f32:x.npy", "u32:1"),
            &["--arg 3", "an array or null"],
        ),
        (
            &good.replace("x.npy", "none.npy"),
            &["--arg 3", "`none.npy` cannot be read"],
        ),
        (
            &good.replace("x.npy", "double.npy"),
            &["--arg 3", "holds <f8; f32 needs <f4"],
        ),
        (
            &good.replace("x.npy", "odd.bin"),
            &["--arg 3", "has 3 bytes", "a multiple of 4"],
        ),
        (
            &good.replace("x.npy", "short.npy"),
            &["--arg 3", "15 bytes", "shape [4]"],
        ),
        (
            &good.replace("x.npy", "text.npy"),
            &["--arg 3", "not a .npy file"],
        ),
        (
            &good.replace("x.npy", "nested.npy"),
            &["--arg 3", "not a .npy file"],
        ),
        (
            &good.replace("z.npy", "none/z.npy"),
            &["--arg 4", "cannot be written"],
        ),
        (
            &good.replace("z.npy", "."),
            &["--arg 4", ".npy (NumPy), .bin"],
        ),
        (
            &good.replace("in:f32:x.npy", "inout:f32:x.npy:z.npy"),
            &["--arg 4", "--arg 3", "the same file"],
        ),
        (
            &good.replace("inout:f32:y.npy:z.npy", "out:f64:99999999999:z.npy"),
            &["--arg 4", "do not fit"],
        ),
        (
            &format!("{good} --shared 999999"),
            &["shared memory", "allowed are 0 to 232448"],
        ),
        (
            &format!("{good} --cores 0"),
            &["--cores", "allowed are 1 to 1024"],
        ),
        (&format!("{good} --model gtx"), &["--model", "h200, t4"]),
        (
            &format!("{good} --modle t4"),
            &["'--modle'", "a similar argument exists: '--model'"],
        ),
    ] {
        let (code, out, err) = saxpy(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments}: {err}");
        for part in parts {
            assert!(err.contains(part), "{arguments}: `{part}` is not in: {err}");
        }
        assert_eq!(err.lines().count(), 1, "{arguments}: {err}");
        assert_eq!(names(folder.path()), before, "{arguments}");
    }
}

#[test]
fn a_bad_launch_or_file_gets_a_sentence() {
    let folder = folder();
    fs::write(folder.path().join("bad.ptx"), ".version 8.0\nnonsense").unwrap();
    fs::write(
        folder.path().join("k.cubin"),
        [0x7f, b'E', b'L', b'F', 0xff],
    )
    .unwrap();
    for (arguments, parts) in [
        (
            format!("run {SAXPY} --kernel axpy --grid 1 --block 1"),
            ["--kernel axpy", "the file has: saxpy"],
        ),
        (
            format!("run {SAXPY} --kernel saxpy --grid 0 --block 1"),
            ["--grid", "numbers from 1"],
        ),
        (
            format!("run {SAXPY} --kernel saxpy --grid 1 --block 1,1,1,1"),
            ["--block", "one to three"],
        ),
        (
            "run none.ptx --kernel k --grid 1 --block 1".into(),
            ["FILE `none.ptx`", "cannot be read"],
        ),
        (
            "run bad.ptx --kernel k --grid 1 --block 1".into(),
            ["FILE bad.ptx:2:1", "`nonsense`"],
        ),
        (
            "list k.cubin".into(),
            ["FILE `k.cubin`", "PTX text is needed"],
        ),
    ] {
        let (code, out, err) = run(folder.path(), &arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments}: {err}");
        for part in parts {
            assert!(err.contains(part), "{arguments}: `{part}` is not in: {err}");
        }
    }
    // A block that the GPU does not have is known when the launch is made.
    let large = format!(
        "run {SAXPY} --kernel saxpy --grid 1 --block 2048 --arg u32:0 --arg f32:0 --arg null --arg ptr:0"
    );
    let (code, _, err) = run(folder.path(), &large);
    assert_eq!(code, 2);
    assert!(
        err.contains("block.x is 2048; allowed are 1 to 1024"),
        "{err}"
    );
}

#[test]
fn structures_are_given_by_their_bytes() {
    let folder = TempDir::new().unwrap();
    // Stores the 4 bytes at offset 8 of a structure of 12.
    let ptx = ".version 8.0\n.target sm_75\n.address_size 64\n\
        .entry k(.param .align 4 .b8 s[12], .param .u64 out) { .reg .b32 %r; .reg .b64 %d;\n\
        ld.param.b32 %r, [s+8]; ld.param.u64 %d, [out]; st.global.b32 [%d], %r; ret; }";
    fs::write(folder.path().join("k.ptx"), ptx).unwrap();
    let launch = "run k.ptx --kernel k --grid 1 --block 1 \
        --arg bytes:000000000000000001020304 --arg out:u32:1:z.bin";
    let (code, out, err) = run(folder.path(), launch);
    assert_eq!(code, 0, "{out}{err}");
    assert_eq!(fs::read(folder.path().join("z.bin")).unwrap(), [1, 2, 3, 4]);
}

#[test]
fn list_shows_parameters_shared_memory_and_refusals() {
    let folder = TempDir::new().unwrap();
    let (code, out, _) = run(folder.path(), &format!("list {SAXPY}"));
    assert_eq!(code, 0);
    assert_eq!(
        out,
        "saxpy(u32 saxpy_param_0, f32 saxpy_param_1, u64 saxpy_param_2, u64 saxpy_param_3)\n  \
         shared memory: 0 bytes\n"
    );
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n.extern .shared .b8 more[];\n";
    let kernel = ".shared .b8 tile[40];\n.entry k(.param .align 4 .b8 s[12])\n.maxntid 64, 1, 1\n\
        { .reg .b64 d; mov.u64 d, tile; mov.u64 d, more; ret; }";
    fs::write(folder.path().join("k.ptx"), format!("{head}{kernel}")).unwrap();
    let (code, out, _) = run(folder.path(), "list k.ptx");
    assert_eq!(code, 0);
    // Dynamic shared memory begins at a multiple of 16.
    assert_eq!(
        out,
        "k(b8[12] s)\n  shared memory: 48 bytes, and dynamic\n  .maxntid 64, 1, 1\n"
    );
    let refused = ".entry bad() { .reg .b32 r;\n fancy.b32 r;\n add.q8 r, r, r;\n ret; }\n\
        .entry good() { ret; }";
    fs::write(folder.path().join("bad.ptx"), format!("{head}{refused}")).unwrap();
    let (code, out, _) = run(folder.path(), "list bad.ptx");
    assert_eq!(code, 1);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[..2], ["bad()", "good()"]);
    assert!(
        lines[2].starts_with("refused: bad.ptx:6:2: `fancy.b32 r;`: "),
        "{out}"
    );
    assert!(
        lines[3].starts_with("refused: bad.ptx:7:2: `add.q8 r, r, r;`: "),
        "{out}"
    );
    assert_eq!(lines.len(), 4);
}

#[test]
fn coverage_has_a_line_for_each_instruction() {
    let folder = TempDir::new().unwrap();
    let (code, out, _) = run(folder.path(), "coverage");
    assert_eq!(code, 0);
    assert_eq!(out.lines().count(), ptx_emulator::coverage().count());
    assert!(
        out.lines()
            .any(|line| line.split_whitespace().collect::<Vec<_>>() == ["control", "bra", ".uni"])
    );
}

/// The commands in the README print what it says.
#[test]
fn the_readme_shows_what_the_command_prints() {
    let readme = include_str!("../../README.md");
    let folder = TempDir::new().unwrap();
    let examples = folder.path().join("examples");
    fs::create_dir(&examples).unwrap();
    for name in ["saxpy.ptx", "x.npy", "y.npy"] {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
        fs::copy(from.join(name), examples.join(name)).unwrap();
    }
    let mut shown = 0;
    let mut blocks = readme.split("```");
    while let Some(block) = blocks.nth(1) {
        let Some(session) = block.strip_prefix("console\n$ ") else {
            continue;
        };
        for step in session.split("\n$ ") {
            let (line, expected) = step.split_once('\n').unwrap();
            let (_, out, err) = run(folder.path(), line.strip_prefix("ptx-emulator ").unwrap());
            assert_eq!(
                (out.trim_end(), err.as_str()),
                (expected.trim_end(), ""),
                "{line}"
            );
            shown += 1;
        }
    }
    assert_eq!(shown, 3);
    let (_, values) = read_npy(folder.path().join("z.npy"));
    assert_eq!(values, [10.0, 10.5, 11.0, 11.5, 12.0, 12.5, 13.0, 13.5]);
}

#[test]
fn no_contract_rounds_products_and_sums_separately() {
    let folder = folder();
    // (1 + 2^-12)^2 - (1 + 2^-11): 2^-24 of an `fma`, 0 of two roundings.
    let ptx = ".version 8.0 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 out) {
            .reg .f32 %f<5>; .reg .b64 %d; .reg .b32 %r;
            ld.param.u64 %d, [out];
            mov.b32 %r, 0x3f800800; mov.b32 %f1, %r;
            mul.f32 %f2, %f1, %f1; sub.f32 %f3, %f2, 0f3F801000;
            st.global.f32 [%d], %f3; ret;
        }";
    fs::write(folder.path().join("k.ptx"), ptx).unwrap();
    let launch = "run k.ptx --kernel k --grid 1 --block 1 --arg out:f32:1:o.bin";
    for (option, expected) in [("", 2f32.powi(-24)), (" --no-contract", 0.0)] {
        let (code, _, errors) = run(folder.path(), &format!("{launch}{option}"));
        assert_eq!((code, errors.as_str()), (0, ""));
        let bytes = fs::read(folder.path().join("o.bin")).unwrap();
        assert_eq!(bytes, expected.to_le_bytes());
    }
}
