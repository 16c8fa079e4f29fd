use cuda_std::kernel;
use cuda_std::launch::{Kernel, SafeLaunch};

#[kernel]
pub unsafe fn fill(out: *mut f32) {}

fn launch<K: SafeLaunch>(_: K) {}
fn describe<K: Kernel>(_: K) {}

fn main() {
    launch(fill);
    describe(17);
}
