use cuda_std::kernel;
use quadscan::device::{Buffer, LaunchShape, Module};

#[kernel]
#[launch_contract(out.len() >= input.len())]
#[allow(unused_variables)]
pub unsafe fn scale(input: &[f32], out: *mut f32, factor: f32) {}

pub fn launch(module: &Module, input: &Buffer<f32>, out: &mut Buffer<f32>, other: &mut Buffer<f64>) {
    let _ = other;
    let shape = LaunchShape::new(1, 32);
    let _ = module.launch(scale, shape, (input, input, 2.0));
}

fn main() {}
