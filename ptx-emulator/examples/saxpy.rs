//! The library in thirty lines: a kernel that nvcc compiled, run and checked.
//! `cargo run -p ptx-emulator --example saxpy`.

use ptx_emulator::{Checks, Gpu, LaunchOptions, Model, Program, Shape};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = Program::load(include_str!("saxpy.ptx"))?;
    let mut gpu = Gpu::new(Model::h200());
    let numbers: Vec<f32> = (0..8).map(|n| n as f32).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    let x = gpu.alloc_named(bytes.len(), "x")?;
    let y = gpu.alloc_named(bytes.len(), "y")?;
    gpu.copy_in(x, &bytes)?;
    gpu.copy_in(y, &bytes)?;

    let shape = Shape {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 0,
    };
    let (n, a) = (8u32.to_le_bytes(), 0.5f32.to_le_bytes());
    let parameters: [&[u8]; 4] = [&n, &a, &x.to_le_bytes(), &y.to_le_bytes()];
    let options = LaunchOptions::default();
    let checked = gpu.check(
        &program,
        "saxpy",
        shape,
        &parameters,
        &options,
        Checks::all(),
    )?;
    println!("{}{checked}", checked.report.printed);

    let mut out = vec![0; bytes.len()];
    gpu.copy_out(y, &mut out)?;
    let (values, _) = out.as_chunks::<4>();
    let values: Vec<f32> = values
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect();
    println!("{values:?}");
    assert!(checked.is_clean() && values[2] == 3.0);
    Ok(())
}
