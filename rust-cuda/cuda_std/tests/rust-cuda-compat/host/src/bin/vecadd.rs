//! `c = a + b` on the GPU: buffers, a launch of the suggested size, and a copy back.

use std::error::Error;
use std::process::ExitCode;

use cust::prelude::*;

const ELEMENTS: usize = 100_000;

fn main() -> ExitCode {
    host::ended(vecadd())
}

fn vecadd() -> Result<(), Box<dyn Error>> {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(host::PTX, &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let a: Vec<f32> = (0..ELEMENTS).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..ELEMENTS).map(|i| 0.5 * i as f32).collect();
    let (a_gpu, b_gpu) = (a.as_slice().as_dbuf()?, b.as_slice().as_dbuf()?);
    let mut c = vec![0.0f32; ELEMENTS];
    let c_gpu = c.as_slice().as_dbuf()?;
    let vecadd = module.get_function("vecadd")?;
    let (_, block) = vecadd.suggested_launch_configuration(0, 0.into())?;
    let grid = (ELEMENTS as u32).div_ceil(block);
    // SAFETY: the buffers have as many elements as are named, and outlive the launch.
    unsafe {
        launch!(vecadd<<<grid, block, 0, stream>>>(
            a_gpu.as_device_ptr(),
            a_gpu.len(),
            b_gpu.as_device_ptr(),
            b_gpu.len(),
            c_gpu.as_device_ptr(),
        ))?;
    }
    stream.synchronize()?;
    c_gpu.copy_to(&mut c)?;
    assert!((0..ELEMENTS).all(|i| c[i] == a[i] + b[i]));
    println!("{ELEMENTS} sums are right");
    Ok(())
}
