//! The SHA-256 digests of many messages, by the same crate as on the host.

use std::error::Error;
use std::process::ExitCode;

use cust::prelude::*;
use sha2::{Digest, Sha256};

const MESSAGES: usize = 10_000;

fn main() -> ExitCode {
    host::ended(sha256())
}

fn sha256() -> Result<(), Box<dyn Error>> {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(host::PTX, &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    // Of 0 to 199 bytes, one behind the other.
    let messages = (0..MESSAGES).map(|i| vec![i as u8; i % 200]);
    let messages: Vec<Vec<u8>> = messages.collect();
    let ends = messages.iter().scan(0, |end, message| {
        *end += message.len() as u32;
        Some(*end)
    });
    let ends: Vec<u32> = ends.collect();
    let bytes = messages.concat();
    let (bytes_gpu, ends_gpu) = (bytes.as_slice().as_dbuf()?, ends.as_slice().as_dbuf()?);
    let mut digests = vec![[0u8; 32]; MESSAGES];
    let digests_gpu = digests.as_slice().as_dbuf()?;
    let function = module.get_function("sha256")?;
    let (_, block) = function.suggested_launch_configuration(0, 0.into())?;
    let grid = (MESSAGES as u32).div_ceil(block);
    // SAFETY: the buffers have as many elements as are named, and outlive the launch.
    unsafe {
        launch!(function<<<grid, block, 0, stream>>>(
            bytes_gpu.as_device_ptr(),
            bytes_gpu.len(),
            ends_gpu.as_device_ptr(),
            ends_gpu.len(),
            digests_gpu.as_device_ptr(),
        ))?;
    }
    stream.synchronize()?;
    digests_gpu.copy_to(&mut digests)?;
    for (digest, message) in digests.iter().zip(&messages) {
        assert_eq!(digest[..], Sha256::digest(message)[..], "{message:?}");
    }
    println!("{MESSAGES} digests are right");
    Ok(())
}
