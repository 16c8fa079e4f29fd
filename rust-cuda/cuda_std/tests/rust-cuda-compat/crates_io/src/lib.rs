//! Ordinary Rust in kernels: crates from crates.io, iterators, enums, bounds checks, `u128`,
//! atomics of `core`, vectors of `alloc`.
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use cuda_std::prelude::*;
use cuda_std::vek;
use glam::{Mat3, Quat, Vec3};
use sha2::{Digest, Sha256, Sha512};

#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn sha256_oneshot(input: &[u8], output: *mut [u8; 32]) {
    if thread::index_1d() == 0 {
        let hash = Sha256::digest(input);
        unsafe { &mut *output }.copy_from_slice(&hash);
    }
}

#[kernel]
pub unsafe fn sha512_incremental(first: &[u8], second: &[u8], output: *mut [u8; 64]) {
    let mut hasher = Sha512::new();
    hasher.update(first);
    hasher.update(second);
    (*output).copy_from_slice(&hasher.finalize());
}

#[kernel]
pub unsafe fn rotate(points: *mut Vec3, n: usize, axis: Vec3, angle: f32) {
    let i = thread::index_1d() as usize;
    if i < n {
        let turn = Mat3::from_quat(Quat::from_axis_angle(axis.normalize(), angle));
        *points.add(i) = turn * *points.add(i);
    }
}

#[kernel]
pub unsafe fn reflect(points: *mut vek::Vec3<f32>, n: usize, normal: vek::Vec3<f32>) {
    let i = thread::index_1d() as usize;
    if i < n {
        *points.add(i) = (*points.add(i)).reflected(normal.normalized());
    }
}

#[kernel]
pub unsafe fn iterate(input: &[i32], output: *mut i64) {
    let evens: i64 = input
        .iter()
        .copied()
        .filter(|x| x % 2 == 0)
        .map(i64::from)
        .sum();
    let pairs = input
        .chunks_exact(2)
        .zip(input.windows(2).rev())
        .filter(|(a, b)| a[0] < b[1])
        .count() as i64;
    let least = input
        .iter()
        .enumerate()
        .min_by_key(|(_, x)| **x)
        .map(|(i, _)| i as i64)
        .unwrap_or(-1);
    *output = evens + 3 * pairs + 5 * least;
}

#[derive(Clone, Copy)]
#[repr(C)]
pub enum Shape {
    Circle { radius: f32 },
    Box { width: f32, height: f32 },
    Nothing,
}

impl Shape {
    fn area(self) -> Option<f32> {
        match self {
            Self::Circle { radius } if radius > 0.0 => {
                Some(core::f32::consts::PI * radius * radius)
            }
            Self::Box { width, height } => Some(width * height),
            _ => None,
        }
    }
}

#[kernel]
pub unsafe fn areas(shapes: &[Shape], areas: &mut [f32], one_more: Shape) {
    let i = thread::index_1d() as usize;
    let area = (|| {
        let shape = shapes.get(i)?;
        Some(shape.area()? + one_more.area()?)
    })();
    if let Some(slot) = areas.get_mut(i) {
        *slot = area.unwrap_or(f32::NAN);
    }
}

#[kernel]
pub unsafe fn wide(a: u128, b: u64, output: *mut u128) {
    *output =
        (a / u128::from(b)).rotate_left(7) ^ a.wrapping_mul(u128::from(b) + 1) % 1_000_000_007;
}

#[kernel]
pub unsafe fn count(counter: &AtomicU32, slots: &[AtomicUsize]) {
    let i = counter.fetch_add(1, Ordering::AcqRel) as usize;
    slots[i % slots.len()].store(i, Ordering::Release);
    while counter.load(Ordering::Acquire) < 2 {}
    let _ = counter.compare_exchange(7, 8, Ordering::SeqCst, Ordering::Relaxed);
}

#[kernel]
pub unsafe fn heap(n: u32, output: *mut u32) {
    let mut values: Vec<u32> = (0..n).rev().collect();
    values.sort_unstable();
    let boxed = Box::new(values.len());
    *output = values.iter().step_by(2).sum::<u32>() + *boxed as u32;
}
