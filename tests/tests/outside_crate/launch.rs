//! The launch of the README's kernel, as `docs/library.md` shows it.

use quadscan::device::{Artifact, Device, DeviceChoice, LaunchShape};

use crate::kernel::scale;

pub fn launch() -> quadscan::Result<()> {
    let device = Device::open(DeviceChoice::Auto)?;
    let module = device.load(&Artifact::embedded()?)?;
    let input = device.upload(&[1.0f32, 2.0, 3.0])?;
    let mut output = device.alloc::<f32>(3)?;
    module.launch(
        scale,
        LaunchShape::new(1, 32),
        (&input, 2.0f32, &mut output),
    )?;
    assert_eq!(output.to_vec()?, [2.0, 4.0, 6.0]);
    Ok(())
}
