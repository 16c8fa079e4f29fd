//! A product of matrices, row-major, in blocks of two dimensions; the host computes it too.

use std::error::Error;
use std::process::ExitCode;

use cust::function::{BlockSize, GridSize};
use cust::prelude::*;

const ROWS: usize = 100;
const COLUMNS: usize = 70;
const DEPTH: usize = 50;

fn main() -> ExitCode {
    host::ended(gemm())
}

fn gemm() -> Result<(), Box<dyn Error>> {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(host::PTX, &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    // Small whole numbers: their sums are exact.
    let numbers = |count: usize| (0..count).map(|i| (i % 7) as f32).collect::<Vec<_>>();
    let (a, b) = (numbers(ROWS * DEPTH), numbers(DEPTH * COLUMNS));
    let (a_gpu, b_gpu) = (a.as_slice().as_dbuf()?, b.as_slice().as_dbuf()?);
    let mut c = vec![0.0f32; ROWS * COLUMNS];
    let c_gpu = c.as_slice().as_dbuf()?;
    let block = BlockSize::xy(16, 16);
    let grid = GridSize::xy(COLUMNS.div_ceil(16) as u32, ROWS.div_ceil(16) as u32);
    // SAFETY: the matrices have these sizes, and outlive the launch.
    unsafe {
        launch!(module.gemm<<<grid, block, 0, stream>>>(
            a_gpu.as_device_ptr(),
            a_gpu.len(),
            b_gpu.as_device_ptr(),
            b_gpu.len(),
            c_gpu.as_device_ptr(),
            ROWS,
            COLUMNS,
            DEPTH,
        ))?;
    }
    stream.synchronize()?;
    c_gpu.copy_to(&mut c)?;
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let terms = (0..DEPTH).map(|k| a[row * DEPTH + k] * b[k * COLUMNS + column]);
            assert_eq!(c[row * COLUMNS + column], terms.sum::<f32>());
        }
    }
    println!("{ROWS} x {COLUMNS} elements are right");
    Ok(())
}
