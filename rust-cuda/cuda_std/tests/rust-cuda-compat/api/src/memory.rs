use cuda_std::mem::{self, LoadHint, StoreHint};
use cuda_std::ptr::{self, AddressSpace};
use cuda_std::{address_space, kernel, shared, shared_array, thread, unroll};

#[address_space(constant)]
static WEIGHTS: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

#[address_space(global)]
static mut CALLS: u32 = 7;

/// Raw slices, a parameter without a name, and rust-cuda's own calling convention.
#[kernel]
pub unsafe extern "C" fn raw_slices(_: u32, words: *mut [u32], bytes: *const [u8]) {
    *words.cast::<u32>().add(words.len() - 1) = bytes.len() as u32;
}

#[kernel]
pub unsafe fn static_shared(out: *mut i32) {
    let tile = shared_array![i32; 256];
    let rows = shared_array![[f32; 3]; 32];
    let i = thread::thread_idx_x() as usize;
    *tile.add(i) = i as i32;
    (*rows.add(i % 32))[1] = i as f32;
    thread::sync_threads();
    *out.add(i) = *tile.add(255 - i) + (*rows.add(31))[1] as i32;
}

#[kernel]
pub unsafe fn dynamic_shared(out: *mut u32) {
    let tile = shared::dynamic_shared_mem::<u32>();
    let i = thread::thread_idx_x() as usize;
    *tile.add(i) = 3;
    thread::sync_threads();
    *out.add(i) = *tile.add(i ^ 1) + mem::dynamic_smem_size() + mem::total_smem_size();
}

#[kernel]
pub unsafe fn other_spaces(out: *mut f32, i: usize) {
    CALLS += 1;
    let tile = shared_array![u32; 32];
    let inside = ptr::is_in_address_space(tile, AddressSpace::Shared);
    *out = WEIGHTS[i % 4]
        + CALLS as f32
        + f32::from(u8::from(inside))
        + ptr::shared_address(tile) as f32;
}

#[kernel]
pub unsafe fn vectors(input: *const f32, output: *mut f32) {
    let tile = shared_array![[u64; 2]; 64];
    let t = thread::thread_idx_x() as usize;
    let [a, b, c, d] = mem::load_global(
        input.add(4 * t).cast::<[f32; 4]>(),
        LoadHint::ReadOnlyNoAllocate,
    );
    let [e, f] = mem::load_global(input.add(4 * t).cast::<[u64; 2]>(), LoadHint::L2);
    mem::store_shared(tile.add(t), [e, f]);
    thread::sync_threads();
    let [g, _] = mem::load_shared(tile.add(63 - t));
    mem::store_global(
        output.add(4 * t).cast(),
        [a + 1.0, b, c, d + g as f32],
        StoreHint::Streaming,
    );
}

#[kernel]
pub unsafe fn registers(input: &[u32], output: *mut u32) {
    let t = thread::index_1d() as usize * 8;
    let mut items = [0u32; 8];
    unroll!(for i in 0..8 {
        items[i] = input[t + i];
    });
    unroll!(for i in 1..8 {
        items[i] += items[i - 1];
    });
    unroll!(for i in 0..=7 {
        *output.add(t + i) = items[i];
    });
}
