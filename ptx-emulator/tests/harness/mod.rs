//! Runs a few instructions in one warp, a case a lane.
#![allow(dead_code, reason = "each test file uses a part")]

use ptx_emulator::{Gpu, LaunchError, LaunchOptions, Model, Program, Report, Shape};

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
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry test(.param .u64 inputs, .param .u64 outputs) {{\n\
         .reg .b64 %a, %b, %c, %d, %o, %in, %out, %t64;\n\
         .reg .b32 %ra, %rb, %rc, %rd, %ro, %lane, %t32;\n\
         .reg .b16 %ha, %hb, %hc, %hd, %ho;\n\
         .reg .pred %p, %q;\n\
         mov.b64 %o, 0;\n\
         mov.u32 %lane, %laneid;\n\
         ld.param.u64 %in, [inputs];\n\
         mul.wide.u32 %t64, %lane, 32;\n\
         add.s64 %in, %in, %t64;\n\
         ld.param.u64 %out, [outputs];\n\
         mul.wide.u32 %t64, %lane, 8;\n\
         add.s64 %out, %out, %t64;\n\
         {loads}{body}\n\
         st.global.b64 [%out], %o;\nret;\n}}\n"
    )
}

/// `%o` of each case; at most 32 cases.
pub(crate) fn evaluate(body: &str, cases: &[[u64; 4]]) -> Vec<u64> {
    assert!((1..=32).contains(&cases.len()));
    let program = Program::load(&kernel(body)).unwrap_or_else(|error| panic!("{body}: {error}"));
    let mut gpu = Gpu::new(Model::h200());
    let bytes: Vec<u8> = cases
        .iter()
        .flatten()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let inputs = gpu.alloc(bytes.len()).unwrap();
    let outputs = gpu.alloc(cases.len() * 8).unwrap();
    gpu.copy_in(inputs, &bytes).unwrap();
    let parameters: [&[u8]; 2] = [&inputs.to_le_bytes(), &outputs.to_le_bytes()];
    gpu.launch(
        &program,
        "test",
        [1, 1, 1],
        [cases.len() as u32, 1, 1],
        0,
        &parameters,
    )
    .unwrap_or_else(|error| panic!("{body}: {error}"));
    read64(&gpu, outputs, cases.len())
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
    let (report, ()) = gpu
        .launch_observed(&program, "test", shape, &[&out.to_le_bytes()], options, ())?
        .finished()?;
    Ok((read32(&gpu, out, count), report))
}
