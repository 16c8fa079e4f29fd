use cuda_std::atomic::{AtomicU32, BlockAtomicI64, BlockAtomicU32, Ordering};
use cuda_std::launch::{Actual, LaunchShape, SafeLaunch};

fn check<K: SafeLaunch>(_: K, shape: &LaunchShape, arguments: &[Actual<'_>]) {
    let _ = K::check(shape, arguments);
}

fn block(block: &BlockAtomicU32, wide: &BlockAtomicI64, device: &AtomicU32) {
    device.fetch_add(block.load(Ordering::Relaxed), Ordering::Relaxed);
    wide.fetch_add(1, Ordering::Relaxed);
}

fn main() {}
