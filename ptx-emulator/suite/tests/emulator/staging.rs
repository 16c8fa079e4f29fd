//! Kernels of one block that stage an input in shared memory.

pub(crate) use crate::harness::schedules;
use crate::harness::{read32, upload32};
use ptx_emulator::{Gpu, LaunchError, LaunchOptions, Model, Program, Shape};

/// Runs `test(in, out)` of one block; `%d0` is `in`, `%d1` is `out`, `%r0` the
/// thread. `buffer` is 4096 bytes of shared memory, `bars` four mbarriers.
pub(crate) fn copy(
    body: &str,
    block: u32,
    input: &[u32],
    count: usize,
    options: &LaunchOptions,
) -> Result<Vec<u32>, LaunchError> {
    let program = Program::load(&text(body)).unwrap_or_else(|error| panic!("{error}"));
    let mut gpu = Gpu::new(Model::h200());
    let data = upload32(&mut gpu, input);
    let out = gpu.alloc(count * 4).unwrap();
    let shape = Shape {
        grid: [1, 1, 1],
        block: [block, 1, 1],
        shared_bytes: 0,
    };
    let parameters: [&[u8]; 2] = [&data.to_le_bytes(), &out.to_le_bytes()];
    gpu.launch_with(&program, "test", shape, &parameters, options)?;
    Ok(read32(&gpu, out, count))
}

pub(crate) fn text(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry test(.param .u64 in, .param .u64 out) {{\n\
         .reg .b32 %r<32>; .reg .b64 %d<32>; .reg .pred %p<8>;\n\
         .shared .align 128 .b8 buffer[4096]; .shared .align 8 .b64 bars[4];\n\
         ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x;\n\
         cvta.to.global.u64 %d0, %d0; cvta.to.global.u64 %d1, %d1;\n\
         {body}\n}}\n"
    )
}
