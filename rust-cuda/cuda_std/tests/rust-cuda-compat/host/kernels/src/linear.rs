//! Vectors and matrices.

use cuda_std::prelude::*;

#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn vecadd(a: &[f32], b: &[f32], c: *mut f32) {
    let i = thread::index_1d() as usize;
    if i < a.len() {
        unsafe { *c.add(i) = a[i] + b[i] };
    }
}

/// `c = a * b`, row-major, an element a thread.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn gemm(a: &[f32], b: &[f32], c: *mut f32, rows: usize, columns: usize, depth: usize) {
    let place = thread::index_2d();
    let (row, column) = (place.y as usize, place.x as usize);
    if row < rows && column < columns {
        let mut sum = 0.0;
        for k in 0..depth {
            sum += a[row * depth + k] * b[k * columns + column];
        }
        unsafe { *c.add(row * columns + column) = sum };
    }
}
