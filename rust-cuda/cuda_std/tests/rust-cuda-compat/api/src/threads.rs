use cuda_std::*;

#[kernel]
pub unsafe fn thread_indices(out: *mut u32) {
    let (t, b) = (thread::thread_idx(), thread::block_idx());
    let (d, g) = (thread::block_dim(), thread::grid_dim());
    let sum = t.x + t.y + t.z + b.x + b.y + b.z + d.x + d.y + d.z + g.x + g.y + g.z;
    let two = thread::index_2d();
    let three = thread::index_3d();
    *out.add(thread::index() as usize) =
        sum + two.x + two.y + three.z + u32::from(thread::first()) + thread::warp_size();
}

#[kernel]
pub unsafe fn thread_sync(out: *mut u32) {
    let i = thread::thread_idx_x();
    thread::sync_threads();
    let all = thread::sync_threads_and(i);
    let any = thread::sync_threads_or(i);
    let count = thread::sync_threads_count(i & 1);
    thread::block_fence();
    thread::grid_fence();
    thread::device_fence();
    thread::system_fence();
    thread::nanosleep(100);
    *out.add(i as usize) = all + any + count;
}

#[kernel]
#[launch_bounds(128, 2)]
pub unsafe fn misc_functions(out: *mut u64) {
    misc::profiler_counter(3);
    *out = misc::clock() + misc::global_timer() + u64::from(misc::sm_id());
    if cfg::ComputeCapability::from_cuda_arch_env() < cfg::ComputeCapability::Compute70 {
        misc::breakpoint();
    }
}

#[kernel]
pub unsafe fn capability(out: *mut u32) {
    *out = cfg::ComputeCapability::from_cuda_arch_env() as u32;
}

/// Names that an expansion might have had for itself.
const METADATA: u32 = 32 * WORDS;
const WORDS: u32 = JSON - 1;
const JSON: u32 = 3;

#[kernel]
#[cfg_attr(target_os = "cuda", launch_bounds(METADATA, JSON))]
pub unsafe fn named_like_the_macros(shape: &[u32], shape_address: *mut u32, shape_length: u32) {
    *shape_address = shape[0] + shape_length;
}

#[kernel]
pub unsafe fn printing(n: u32) {
    println!("thread {} of {n}", thread::index_1d());
    print!("{}\n", "done");
    cuda_std::assert_eq!(n, 3);
    cuda_std::assert_ne!(n, 4, "n was {n}");
    device_assert!(n < 10);
}

#[kernel]
pub unsafe fn printing_floats(x: f64) {
    println!("{x} {:.3e}", x * 1e30);
}

#[externally_visible]
#[no_mangle]
pub extern "C" fn twice(x: u32) -> u32 {
    2 * x
}

#[gpu_only]
fn lanes() -> u32 {
    thread::warp_size()
}

#[kernel]
pub unsafe fn gpu_only_function(out: *mut u32) {
    *out = lanes();
}
