//! Runs a few instructions on many values, a case a thread.
//!
//! With the path of an assembler in `PTXAS`, every kernel that a test makes of
//! a body is given to it too, so that the tests' PTX is real PTX.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};

use ptx_emulator::{Gpu, LaunchError, LaunchOptions, Model, Program, Report, Schedule, Shape};

/// In order, and eight orders by seeds.
pub(crate) fn schedules() -> Vec<LaunchOptions> {
    let seeds = (1..=8).map(Schedule::Seed);
    std::iter::once(Schedule::Deterministic)
        .chain(seeds)
        .map(|schedule| LaunchOptions {
            schedule,
            budget: 20_000_000,
            cores: 1,
            ..LaunchOptions::default()
        })
        .collect()
}

/// A kernel around `body`. Of the up to four 64-bit inputs of a lane, it has
/// `%a %b %c %d` (b64), `%ra ...` (b32, the low half), `%ha ...` (b16); it
/// stores `%o`. Also there: `%ro`, `%ho`, `%p`, `%q`, `%lane`.
pub(crate) fn kernel(body: &str) -> String {
    let mut loads = String::new();
    for (index, name) in ["a", "b", "c", "d"].iter().enumerate() {
        let offset = index * 8;
        loads.push_str(&format!(
            "ld.global.b64 %{name}, [%in+{offset}]; ld.global.b32 %r{name}, [%in+{offset}]; \
             ld.global.b16 %h{name}, [%in+{offset}];\n"
        ));
    }
    format!(
        ".version 8.8\n.target sm_100a\n.address_size 64\n\
         .visible .entry test(.param .u64 inputs, .param .u64 outputs) {{\n\
         .reg .b64 %a, %b, %c, %d, %o, %in, %out, %t64;\n\
         .reg .b32 %ra, %rb, %rc, %rd, %ro, %lane, %t32, %index;\n\
         .reg .b16 %ha, %hb, %hc, %hd, %ho;\n\
         .reg .pred %p, %q;\n\
         mov.b64 %o, 0;\n\
         mov.u32 %lane, %laneid;\n\
         mov.u32 %index, %ctaid.x;\n\
         mov.u32 %t32, %tid.x;\n\
         mad.lo.u32 %index, %index, 32, %t32;\n\
         ld.param.u64 %in, [inputs];\n\
         mul.wide.u32 %t64, %index, 32;\n\
         add.s64 %in, %in, %t64;\n\
         ld.param.u64 %out, [outputs];\n\
         mul.wide.u32 %t64, %index, 8;\n\
         add.s64 %out, %out, %t64;\n\
         {loads}{body}\n\
         st.global.b64 [%out], %o;\nret;\n}}\n"
    )
}

/// `%o` of each case: a thread a case, a warp a block.
pub(crate) fn evaluate(body: &str, cases: &[[u64; 4]]) -> Vec<u64> {
    let ptx = kernel(body);
    assemble(&ptx);
    let program = Program::load(&ptx).unwrap_or_else(|error| panic!("{body}: {error}"));
    let mut gpu = Gpu::new(Model::h200());
    let threads = cases.len().min(32);
    let blocks = cases.len().div_ceil(32);
    let mut bytes: Vec<u8> = cases
        .iter()
        .flatten()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    // The last block may have threads without a case.
    bytes.resize(blocks * threads * 32, 0);
    let inputs = gpu.alloc(bytes.len()).unwrap();
    let outputs = gpu.alloc(blocks * threads * 8).unwrap();
    gpu.copy_in(inputs, &bytes).unwrap();
    let parameters: [&[u8]; 2] = [&inputs.to_le_bytes(), &outputs.to_le_bytes()];
    gpu.launch(
        &program,
        "test",
        [blocks as u32, 1, 1],
        [threads as u32, 1, 1],
        0,
        &parameters,
    )
    .unwrap_or_else(|error| panic!("{body}: {error}"));
    read64(&gpu, outputs, cases.len())
}

/// Asks an assembler whether this is PTX for a GPU: what it says if not, and the lines that it
/// names.
pub(crate) fn refused(assembler: &OsStr, gpu: &str, ptx: &str) -> Option<(String, Vec<usize>)> {
    let mut child = Command::new(assembler)
        .args([&format!("-arch={gpu}"), "-O0", "-", "-o", "/dev/null"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(ptx.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    if output.status.success() {
        return None;
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // `ptxas file, line 24; error : ...`
    let number = |line: &str| line.split("line ").nth(1)?.split(';').next()?.parse().ok();
    let lines = said
        .lines()
        .filter(|line| line.contains("error") || line.contains("fatal"))
        .filter_map(number)
        .collect();
    Some((said, lines))
}

/// Asks the assembler that `PTXAS` names, if any, whether this is PTX.
pub(crate) fn assemble(ptx: &str) {
    let Some(assembler) = std::env::var_os("PTXAS") else {
        return;
    };
    if let Some((said, lines)) = refused(&assembler, "sm_100a", ptx) {
        let text: Vec<&str> = ptx.lines().collect();
        let named: Vec<&str> = lines.iter().map(|line| text[line - 1]).collect();
        panic!("{said}{}", named.join("\n"));
    }
}

/// `instruction` leaves its result in `%ro`.
pub(crate) fn evaluate32(instruction: &str, cases: &[[u64; 4]]) -> Vec<u32> {
    let body = format!("mov.b32 %ro, 0; {instruction} cvt.u64.u32 %o, %ro;");
    evaluate(&body, cases)
        .into_iter()
        .map(|value| value as u32)
        .collect()
}

/// The result in `%o` (64 bits) of each case is the expected one.
pub(crate) fn expect64(instruction: &str, cases: &[([u64; 4], u64)]) {
    let inputs: Vec<[u64; 4]> = cases.iter().map(|case| case.0).collect();
    for ((input, expected), found) in cases.iter().zip(evaluate(instruction, &inputs)) {
        assert_eq!(
            found, *expected,
            "{instruction} {input:x?}: {found:#x}, expected {expected:#x}"
        );
    }
}

/// The result in `%ro` (32 bits) of each case is the expected one.
pub(crate) fn expect32(instruction: &str, cases: &[([u64; 4], u32)]) {
    let inputs: Vec<[u64; 4]> = cases.iter().map(|case| case.0).collect();
    for ((input, expected), found) in cases.iter().zip(evaluate32(instruction, &inputs)) {
        assert_eq!(
            found, *expected,
            "{instruction} {input:x?}: {found:#x}, expected {expected:#x}"
        );
    }
}

/// Why a body is refused.
pub(crate) fn refusal(body: &str) -> String {
    match Program::load(&kernel(body)) {
        Ok(_) => panic!("{body}: loaded"),
        Err(error) => error.to_string(),
    }
}

pub(crate) fn read32(gpu: &Gpu, address: u64, count: usize) -> Vec<u32> {
    let mut bytes = vec![0; count * 4];
    gpu.copy_out(address, &mut bytes).unwrap();
    bytes
        .chunks_exact(4)
        .map(|chunk| u32::from_le_bytes(chunk.try_into().unwrap()))
        .collect()
}

pub(crate) fn read64(gpu: &Gpu, address: u64, count: usize) -> Vec<u64> {
    let mut bytes = vec![0; count * 8];
    gpu.copy_out(address, &mut bytes).unwrap();
    bytes
        .chunks_exact(8)
        .map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap()))
        .collect()
}

pub(crate) fn upload32(gpu: &mut Gpu, values: &[u32]) -> u64 {
    let address = gpu.alloc(values.len() * 4).unwrap();
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    gpu.copy_in(address, &bytes).unwrap();
    address
}

/// A module with one entry `test(.param .u64 out)` and registers
/// `%r0..15`, `%d0..15`, `%p0..7`; `%d0` holds `out`.
pub(crate) fn module(declarations: &str, body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n{declarations}\n\
         .visible .entry test(.param .u64 out) {{\n\
         .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .pred %p<8>;\n\
         ld.param.u64 %d0, [out];\n{body}\n}}\n"
    )
}

/// Launches `test` of a `module` with an output of `count` 32-bit words.
pub(crate) fn launch(
    ptx: &str,
    grid: u32,
    block: u32,
    count: usize,
    options: &LaunchOptions,
) -> Result<(Vec<u32>, Report), LaunchError> {
    let program = Program::load(ptx).unwrap_or_else(|error| panic!("{error}"));
    let mut gpu = Gpu::new(Model::h200());
    let out = gpu.alloc(count * 4).unwrap();
    let shape = Shape {
        grid: [grid, 1, 1],
        block: [block, 1, 1],
        shared_bytes: 0,
    };
    let report = gpu.launch_with(&program, "test", shape, &[&out.to_le_bytes()], options)?;
    Ok((read32(&gpu, out, count), report))
}
