use cuda_builder::{CudaBuilder, NvvmArch};
fn main() {
    let t = std::time::Instant::now();
    let path = std::env::args().nth(1).unwrap();
    let out = std::env::args().nth(2).unwrap();
    let a = CudaBuilder::new(path).archs(&[NvvmArch::Compute75, NvvmArch::Compute90]).fma_contraction(false).out_dir(out).build_all();
    match a { Ok(a) => println!("{:?} {}", t.elapsed(), a.manifest.to_json().len()), Err(e) => { println!("error: {e}"); std::process::exit(1) } }
}
