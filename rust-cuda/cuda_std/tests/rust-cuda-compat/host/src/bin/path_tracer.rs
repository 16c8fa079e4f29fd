//! An image of spheres by a path tracer, in blocks of two dimensions; the host draws it too. With
//! an argument, the image is written to that file, in the format PPM.

use std::error::Error;
use std::process::ExitCode;

use cust::function::{BlockSize, GridSize};
use cust::prelude::*;
use kernels::tracer::{SPHERES, View, pixel};

fn main() -> ExitCode {
    host::ended(path_tracer())
}

fn path_tracer() -> Result<(), Box<dyn Error>> {
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(host::PTX, &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let view = View::new(320, 200, 16);
    let spheres_gpu = SPHERES.as_slice().as_dbuf()?;
    let (width, height) = (view.width as usize, view.height as usize);
    let mut pixels = vec![[0.0f32; 3]; width * height];
    let pixels_gpu = pixels.as_slice().as_dbuf()?;
    let block = BlockSize::xy(8, 8);
    let grid = GridSize::xy(view.width.div_ceil(8), view.height.div_ceil(8));
    // SAFETY: there is a pixel for every thread that is in the image, and the buffers outlive the
    // launch.
    unsafe {
        launch!(module.render<<<grid, block, 0, stream>>>(
            view,
            spheres_gpu.as_device_ptr(),
            spheres_gpu.len(),
            pixels_gpu.as_device_ptr(),
        ))?;
    }
    stream.synchronize()?;
    pixels_gpu.copy_to(&mut pixels)?;
    for (place, drawn) in pixels.iter().enumerate() {
        let (x, y) = ((place % width) as u32, (place / width) as u32);
        let expected = pixel(&view, &SPHERES, x, y).to_array();
        assert_eq!(
            drawn.map(f32::to_bits),
            expected.map(f32::to_bits),
            "{x}, {y}"
        );
    }
    if let Some(file) = std::env::args_os().nth(1) {
        let head = format!("P6 {width} {height} 255\n").into_bytes();
        let bytes = pixels
            .iter()
            .flatten()
            .map(|light| (255.0 * light.sqrt()) as u8);
        std::fs::write(file, head.into_iter().chain(bytes).collect::<Vec<u8>>())?;
    }
    println!("{} pixels are right", pixels.len());
    Ok(())
}
