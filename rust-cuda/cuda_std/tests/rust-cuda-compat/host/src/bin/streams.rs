//! Copies and launches that the host does not wait for: two streams, one of which waits for an
//! event of the other, and the time between two events.

use std::error::Error;
use std::process::ExitCode;

use cust::memory::{AsyncCopyDestination, LockedBuffer};
use cust::prelude::*;
use cust::stream::StreamWaitEventFlags;

const ELEMENTS: usize = 1 << 20;

fn main() -> ExitCode {
    host::ended(streams())
}

fn streams() -> Result<(), Box<dyn Error>> {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(host::PTX, &[])?;
    let [copies, sums] = [
        Stream::new(StreamFlags::NON_BLOCKING, None)?,
        Stream::new(StreamFlags::NON_BLOCKING, None)?,
    ];
    let [start, copied, end] = [
        Event::new(EventFlags::DEFAULT)?,
        Event::new(EventFlags::DEFAULT)?,
        Event::new(EventFlags::DEFAULT)?,
    ];
    // Copies that the host does not wait for need memory that the system does not move.
    let a = LockedBuffer::new(&1.5f32, ELEMENTS)?;
    let mut c = LockedBuffer::new(&0.0f32, ELEMENTS)?;
    let mut a_gpu = DeviceBuffer::<f32>::zeroed(ELEMENTS)?;
    let c_gpu = DeviceBuffer::<f32>::zeroed(ELEMENTS)?;
    let vecadd = module.get_function("vecadd")?;
    let (_, block) = vecadd.suggested_launch_configuration(0, 0.into())?;
    let grid = (ELEMENTS as u32).div_ceil(block);
    start.record(&copies)?;
    // SAFETY: all buffers live until the streams have ended, and the kernel runs behind the copy.
    unsafe {
        a_gpu.async_copy_from(&*a, &copies)?;
        copied.record(&copies)?;
        sums.wait_event(copied, StreamWaitEventFlags::DEFAULT)?;
        launch!(vecadd<<<grid, block, 0, sums>>>(
            a_gpu.as_device_ptr(),
            a_gpu.len(),
            a_gpu.as_device_ptr(),
            a_gpu.len(),
            c_gpu.as_device_ptr(),
        ))?;
        c_gpu.async_copy_to(&mut *c, &sums)?;
    }
    end.record(&sums)?;
    end.synchronize()?;
    assert!(c.iter().all(|&sum| sum == 3.0));
    let milliseconds = end.elapsed_time_f32(&start)?;
    println!("{ELEMENTS} sums are right, after {milliseconds:.2} ms");
    Ok(())
}
