//! Arithmetic of 128-bit integers, which the host does too.

use std::error::Error;
use std::process::ExitCode;

use cust::prelude::*;
use kernels::wide::{RESULTS, arithmetic};

const PAIRS: usize = 10_000;

fn main() -> ExitCode {
    host::ended(wide_integers())
}

fn wide_integers() -> Result<(), Box<dyn Error>> {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(host::PTX, &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    // Of every size: multiples of an odd number, shifted by more and more.
    let numbers = |odd: i128| (0..PAIRS).map(move |i| odd.wrapping_mul(i as i128) >> (i % 128));
    let a: Vec<i128> = numbers(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128 as i128).collect();
    let b: Vec<i128> = numbers(0x2545_f491_4f6c_dd1d_2545_f491_4f6c_dd1d)
        .rev()
        .collect();
    let (a_gpu, b_gpu) = (a.as_slice().as_dbuf()?, b.as_slice().as_dbuf()?);
    let mut results = vec![0; RESULTS * PAIRS];
    let results_gpu = results.as_slice().as_dbuf()?;
    let function = module.get_function("wide_integers")?;
    let (_, block) = function.suggested_launch_configuration(0, 0.into())?;
    let grid = (PAIRS as u32).div_ceil(block);
    // SAFETY: the buffers have as many elements as are named, and outlive the launch.
    unsafe {
        launch!(function<<<grid, block, 0, stream>>>(
            a_gpu.as_device_ptr(),
            a_gpu.len(),
            b_gpu.as_device_ptr(),
            b_gpu.len(),
            results_gpu.as_device_ptr(),
        ))?;
    }
    stream.synchronize()?;
    results_gpu.copy_to(&mut results)?;
    for (results, (a, b)) in results.chunks(RESULTS).zip(a.into_iter().zip(b)) {
        assert_eq!(results, arithmetic(a, b), "{a} and {b}");
    }
    println!("{} results of 128 bits are right", RESULTS * PAIRS);
    Ok(())
}
