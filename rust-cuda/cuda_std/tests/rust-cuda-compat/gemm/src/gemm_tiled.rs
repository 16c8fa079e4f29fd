use cuda_std::address_space;
use cuda_std::kernel;
use cuda_std::thread;

#[kernel]
#[allow(improper_ctypes_definitions)]
/// `c = alpha * a * b + beta * c`, row-major, one 16 x 16 tile of `c` a block.
///
/// # Safety
///
/// `c` has `m * n` elements.
pub unsafe fn gemm_tiled(
    a: &[f32],
    b: &[f32],
    c: *mut f32,
    m: usize,
    n: usize,
    k: usize,
    alpha: f32,
    beta: f32,
) {
    const TILE: usize = 16;

    #[address_space(shared)]
    static mut TILE_A: [f32; TILE * TILE] = [0.; TILE * TILE];
    #[address_space(shared)]
    static mut TILE_B: [f32; TILE * TILE] = [0.; TILE * TILE];

    let (x, y) = (
        thread::thread_idx_x() as usize,
        thread::thread_idx_y() as usize,
    );
    let row = thread::block_idx_y() as usize * TILE + y;
    let col = thread::block_idx_x() as usize * TILE + x;

    let mut sum = 0.0f32;
    for start in (0..k).step_by(TILE) {
        TILE_A[y * TILE + x] = if row < m && start + x < k {
            a[row * k + start + x]
        } else {
            0.0
        };
        TILE_B[y * TILE + x] = if col < n && start + y < k {
            b[(start + y) * n + col]
        } else {
            0.0
        };
        thread::sync_threads();
        for i in 0..TILE {
            sum += TILE_A[y * TILE + i] * TILE_B[i * TILE + x];
        }
        thread::sync_threads();
    }
    if row < m && col < n {
        let c = c.add(row * n + col);
        *c = alpha * sum + beta * *c;
    }
}
