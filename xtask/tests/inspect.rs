//! `cargo xtask inspect` from the outside, on a small artifact that is written here: what it
//! prints, and what it refuses. Nothing here builds kernels.
//!
//! What needs `ptxas` is ignored on a machine without it, by name and with the reason.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use assert_cmd::Command;
use cuda_builder::manifest::{Compiled, FILE_NAME, FORMAT, Kernel, MAIN, Manifest, Module, Part};
use cuda_inspect::tools::Tools;
use libtest_mimic::{Arguments, Completion, Trial};

/// Two kernels: one exchanges through shared memory, one adds f64.
const PTX: &str = "\
.version VERSION
.target ARCH
.address_size 64

.visible .entry exchange_u32(
	.param .u64 exchange_u32_param_0
)
.maxntid 256
{
	.shared .align 4 .b8 TILE[1024];
	.reg .b32 	%r<5>;
	.reg .b64 	%rd<3>;
	.loc	1 4 0
	ld.param.b64 	%rd1, [exchange_u32_param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	.loc	1 9 0 //1
	mov.u32 	%r1, %tid.x;
	shl.b32 	%r2, %r1, 2;
	mov.b32 	%r3, TILE;
	add.s32 	%r2, %r2, %r3;
	st.shared.b32 	[%r2], %r1;
	bar.sync 	0;
	.loc	1 5 0
	ld.shared.b32 	%r4, [TILE];
	st.global.b32 	[%rd2], %r4;
	ret;
}
.visible .entry exchange_f64(
	.param .u64 exchange_f64_param_0
)
{
	.reg .b64 	%rd<5>;
	ld.param.b64 	%rd1, [exchange_f64_param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	ld.global.b64 	%rd3, [%rd2];
	add.rn.f64 	%rd4, %rd3, %rd3;
	st.global.b64 	[%rd2], %rd4;
	ret;
}
	.file	1 \"./kernels.rs\"
//.call 1 1 6
";

fn kernel(entry: &str, max_threads: u32) -> Kernel {
    Kernel {
        entry: entry.into(),
        module: "kernels".into(),
        max_threads,
        compiled: Some(Compiled::default()),
        ..Kernel::default()
    }
}

/// Writes the artifact; `ptx` is made of for each architecture.
fn artifact(ptx: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let module = |arch: &str, version: &str| {
        let file = format!("kernels.{arch}.ptx");
        let text = ptx.replace("VERSION", version).replace("ARCH", arch);
        fs::write(folder.path().join(&file), text).expect("written");
        Module {
            arch: arch.into(),
            ptx_version: version.into(),
            sha256: String::new(),
            parts: vec![Part {
                name: MAIN.into(),
                file,
                sha256: Some(String::new()),
                kernels: vec![kernel("exchange_f64", 0), kernel("exchange_u32", 256)],
            }],
        }
    };
    let manifest = Manifest {
        format: FORMAT,
        crate_name: "kernels".into(),
        version: "0.1.0".into(),
        rustc: String::new(),
        llvm: String::new(),
        flags: vec![],
        modules: vec![module("sm_75", "7.0"), module("sm_90", "8.0")],
    };
    fs::write(folder.path().join(FILE_NAME), manifest.to_json()).expect("written");
    folder
}

/// Exit code, stdout and stderr.
fn inspect(artifact: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    run(inspecting(artifact, arguments))
}

fn inspecting(artifact: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command
        .arg("inspect")
        .args(arguments)
        .arg("--artifact")
        .arg(artifact);
    command
}

fn run(mut command: Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("xtask starts");
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

/// Without anything to find an assembler by.
fn bare(mut command: Command) -> (Option<i32>, String, String) {
    command
        .env("PATH", "")
        .env_remove("CUDA_HOME")
        .env_remove("CUDA_PATH");
    run(command)
}

/// The cells of the line that begins with these words.
fn row<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let line = line.unwrap_or_else(|| panic!("no `{name}` in\n{text}"));
    line.split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect()
}

fn refused(arguments: &[&str], sentence: &str) {
    let (code, stdout, stderr) = inspect(artifact(PTX).path(), arguments);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains(sentence), "{stderr}");
}

fn a_request_that_cannot_be_carried_out_exits_2_and_says_why() {
    refused(
        &["exchange"],
        "error: KERNEL `exchange` matches 2 kernels: exchange_f64, exchange_u32",
    );
    refused(&["swap"], "error: KERNEL `swap` is not a kernel's name: ");
    refused(&["u32", "--block", "1025"], "1..=1024");
    refused(
        &["u32", "--block", "257"],
        "--block 257: exchange_u32 is bounded to 1 to 256 threads",
    );
    refused(
        &["u32", "--arch", "sm_70"],
        "--arch sm_70: the PTX is for sm_75 and sm_90",
    );
    refused(&["u32", "--arch", "sm_1"], "sm_1");
    refused(&["u32", "--source"], "--source needs --ptx or --sass");
    refused(&["u32", "--ptx", "--sass"], "cannot be used with");
    refused(&[], "KERNEL");
}

fn a_revision_that_is_none_is_refused_before_anything_is_built() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["inspect", "k", "--against", "no-such-revision"]);
    let (code, _, stderr) = run(command);
    let sentence =
        "error: --against no-such-revision: git knows no such revision of this repository\n";
    assert_eq!((code, stderr.as_str()), (Some(2), sentence));
}

fn figures_of_the_ptx_are_there_without_an_assembler() {
    let artifact = artifact(PTX);
    let (code, stdout, stderr) = bare(inspecting(artifact.path(), &["u32"]));
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(
        row(&stdout, "static shared memory, bytes"),
        ["1024", "1024"]
    );
    assert_eq!(row(&stdout, "PTX: named barriers"), ["1", "1"]);
    assert_eq!(row(&stdout, "threads a block"), ["256", "256"]);
    assert_eq!(row(&stdout, "shared memory"), ["2", "2"]);
    // 1024 threads and 2048.
    if stderr.contains("ptxas is not on PATH") {
        assert_eq!(row(&stdout, "resident blocks"), ["at most 4", "at most 8"]);
        assert_eq!(row(&stdout, "registers"), [""; 0]);
        assert!(
            stderr.contains("registers, spills, constant memory"),
            "{stderr}"
        );
        let (code, _, stderr) = bare(inspecting(artifact.path(), &["u32", "--sass"]));
        assert_eq!(code, Some(2), "{stderr}");
        assert!(
            stderr.starts_with("error: ") && stderr.contains("pip install"),
            "{stderr}"
        );
    }
}

fn figures_are_json_on_request() {
    let (_, stdout, _) = inspect(
        artifact(PTX).path(),
        &["f64", "--format", "json", "--arch", "sm_86"],
    );
    let json: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    let figures = &json["architectures"][0];
    assert_eq!(json["kernel"], "exchange_f64");
    assert_eq!(
        (&figures["arch"], &figures["ptx_arch"]),
        (&"sm_86".into(), &"sm_75".into())
    );
    assert_eq!(figures["ptx_mix"]["fp64"], 1);
    assert_eq!(figures["ptx_mix"]["global"], 2);
    assert_eq!(figures["occupancy"]["max_warps"], 48);
}

fn the_ptx_is_printed_as_it_stands_or_with_its_source() {
    let artifact = artifact(PTX);
    let (_, plain, _) = inspect(artifact.path(), &["u32", "--ptx"]);
    let start = PTX.find(".visible").expect("it is there");
    let end = PTX
        .find(".visible .entry exchange_f64")
        .expect("it is there");
    assert_eq!(plain, PTX[start..end]);
    let (_, with_source, _) = inspect(artifact.path(), &["u32", "--ptx", "--source"]);
    let inlined = "// kernels.rs:9\n//   inlined at kernels.rs:6\n        mov.u32  %r1, %tid.x;\n";
    assert!(with_source.contains(inlined), "{with_source}");
}

fn all_kernels_are_a_line_each() {
    let (code, stdout, stderr) = inspect(artifact(PTX).path(), &["--all", "--shared", "100000"]);
    assert_eq!(code, Some(0), "{stderr}");
    let names: Vec<&str> = stdout
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names, ["kernel", "exchange_f64", "exchange_u32"]);
    // Two blocks of 98 KiB in 228.
    assert!(
        stdout
            .lines()
            .all(|line| line.ends_with("shared memory") || line.starts_with("kernel"))
    );
}

fn registers_and_machine_code_are_what_the_assembler_makes() {
    let artifact = artifact(PTX);
    let (code, stdout, stderr) = inspect(artifact.path(), &["u32"]);
    assert_eq!(code, Some(0), "{stderr}");
    let registers = row(&stdout, "registers");
    assert_eq!(registers.len(), 2, "{stdout}");
    assert!(
        registers
            .iter()
            .all(|count| (1..=32).contains(&count.parse().unwrap_or(0)))
    );
    assert_eq!(row(&stdout, "spill stores, bytes"), ["0", "0"]);
    assert_eq!(row(&stdout, "named barriers"), ["1", "1"]);
    let all = inspect(artifact.path(), &["--all", "--format", "json"]).1;
    let all: serde_json::Value = serde_json::from_str(&all).expect("JSON");
    assert_eq!(
        all[1]["figures"]["usage"]["registers"].to_string(),
        registers[1]
    );
    let (_, code, _) = inspect(artifact.path(), &["u32", "--sass"]);
    assert!(
        code.contains("BAR.SYNC") && code.contains("EXIT;"),
        "{code}"
    );
}

fn machine_code_has_its_source_where_the_disassembler_tells_lines() {
    let artifact = artifact(PTX);
    let (_, code, _) = inspect(artifact.path(), &["u32", "--sass", "--source"]);
    let inlined = "// kernels.rs:9\n//   inlined at kernels.rs:6\n        S2R R0, SR_TID.X;\n";
    assert!(
        code.contains("// kernels.rs:5\n") && code.contains("SR_TID.X"),
        "{code}"
    );
    assert!(
        code.contains("//   inlined at kernels.rs:6\n"),
        "{inlined}\n{code}"
    );
}

fn what_the_assembler_refuses_is_said_and_the_rest_is_shown() {
    let broken = PTX.replace(
        "st.shared.b32 \t[%r2], %r1;",
        "st.shared.b32 \t[%r2], %nothing;",
    );
    let (code, stdout, stderr) = inspect(artifact(&broken).path(), &["u32", "--arch", "sm_90"]);
    assert_eq!(code, Some(0), "{stderr}");
    let quoted = [
        "no figures of sm_90 from ptxas",
        "refuses the code: ptxas PTX, line 21",
    ];
    assert!(
        quoted.iter().all(|words| stderr.contains(words)),
        "{stderr}"
    );
    assert_eq!(row(&stdout, "static shared memory, bytes"), ["1024"]);
}

fn main() -> ExitCode {
    let tools = Tools::find();
    let ignored = |is_there: bool| match is_there {
        true => None,
        false => Some(
            tools
                .missing()
                .unwrap_or_else(|| "nvdisasm was not found".to_owned()),
        ),
    };
    let assembler = ignored(tools.missing().is_none());
    let lines = ignored(tools.ptxas.is_some() && tools.nvdisasm.is_some());
    macro_rules! trials {
        ($($name:ident $missing:expr;)*) => {
            vec![$({
                let missing: Option<String> = $missing;
                Trial::ignorable_test(stringify!($name), move || {
                    if let Some(reason) = missing {
                        return Ok(Completion::ignored_with(reason));
                    }
                    $name();
                    Ok(Completion::Completed)
                })
            },)*]
        };
    }
    let trials = trials! {
        a_request_that_cannot_be_carried_out_exits_2_and_says_why None;
        a_revision_that_is_none_is_refused_before_anything_is_built None;
        figures_of_the_ptx_are_there_without_an_assembler None;
        figures_are_json_on_request None;
        the_ptx_is_printed_as_it_stands_or_with_its_source None;
        all_kernels_are_a_line_each None;
        registers_and_machine_code_are_what_the_assembler_makes assembler.clone();
        what_the_assembler_refuses_is_said_and_the_rest_is_shown assembler;
        machine_code_has_its_source_where_the_disassembler_tells_lines lines;
    };
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
