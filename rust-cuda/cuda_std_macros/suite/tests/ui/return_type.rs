use cuda_std::kernel;

#[kernel]
pub unsafe fn sum(values: &[f32]) -> f32 {
    values.iter().sum()
}

fn main() {}
