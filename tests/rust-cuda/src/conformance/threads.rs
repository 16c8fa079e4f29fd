//! Threads, blocks, barriers, and the architecture that code is compiled for.

use quadscan::device::LaunchShape;
use quadscan_tests::suite::{Bench, Outcome};
use subject_kernels::gpu;

use crate::bits::compare;

/// Every thread of a launch: block and place in it, x first.
fn threads(grid: [u32; 3], block: [u32; 3]) -> impl Iterator<Item = ([u32; 3], [u32; 3])> {
    let places = |[x, y, z]: [u32; 3]| {
        (0..z).flat_map(move |k| (0..y).flat_map(move |j| (0..x).map(move |i| [i, j, k])))
    };
    places(grid).flat_map(move |b| places(block).map(move |t| (b, t)))
}

pub(super) fn thread_indices(bench: &Bench) -> Outcome {
    for (grid, block) in [
        ([3, 1, 1], [64, 1, 1]),
        ([2, 3, 1], [8, 4, 1]),
        ([2, 2, 3], [5, 3, 2]),
    ] {
        let count: u32 = grid.iter().chain(&block).product();
        let mut output = bench
            .device
            .alloc_zeroed::<u32>(count as usize * gpu::INDEX_WORDS)?;
        let dimensions = |d: [u32; 3]| (d[0], d[1], d[2]);
        let shape = LaunchShape::new(dimensions(grid), dimensions(block));
        bench
            .module
            .launch(gpu::thread_indices, shape, (&mut output,))?;
        let packed = |d: [u32; 3]| d[0] | d[1] << 8 | d[2] << 16;
        let expected: Vec<u32> = threads(grid, block)
            .enumerate()
            .flat_map(|(number, (b, t))| {
                let along = |axis: usize| b[axis] * block[axis] + t[axis];
                let is_first = b == [0; 3] && t == [0; 3];
                [
                    packed(t),
                    packed(b),
                    along(0),
                    along(0) | along(1) << 16,
                    along(1) | along(2) << 16,
                    u32::from(is_first),
                    32,
                    number as u32,
                ]
            })
            .collect();
        compare(&output.to_vec()?, &expected, |i| {
            format!(
                "{grid:?} x {block:?}, thread {}, word {}",
                i / gpu::INDEX_WORDS,
                i % gpu::INDEX_WORDS
            )
        })?;
    }
    Ok(())
}

pub(super) fn thread_functions(bench: &Bench) -> Outcome {
    let mut output = bench.device.alloc_zeroed::<u32>(6)?;
    let shape = LaunchShape::new((2, 3, 4), (7, 5, 3));
    bench
        .module
        .launch(gpu::thread_functions, shape, (&mut output,))?;
    compare(&output.to_vec()?, &[7, 5, 3, 2, 3, 4], |i| {
        format!("word {i}")
    })
}

pub(super) fn hello_world(bench: &Bench) -> Outcome {
    let mut output = bench.device.alloc_zeroed::<u32>(1)?;
    bench
        .module
        .launch(gpu::hello_world, LaunchShape::new(1, 1), (&mut output,))?;
    compare(&output.to_vec()?, &[1], |_| {
        "the word after the line".into()
    })
}

pub(super) fn thread_sync(bench: &Bench) -> Outcome {
    // A whole number of warps, one thread more, and one warp's part.
    for block in [96, 33, 7] {
        let mut output = bench.device.alloc_zeroed::<u32>(2 * block as usize)?;
        bench
            .module
            .launch(gpu::thread_sync, LaunchShape::new(2, block), (&mut output,))?;
        let thirds = block.div_ceil(3);
        let any = u32::from(block > 5);
        let expected = vec![thirds | 1 << 16 | any << 24; 2 * block as usize];
        compare(&output.to_vec()?, &expected, |i| {
            format!("thread {i} of blocks of {block}")
        })?;
    }
    Ok(())
}

pub(super) fn capability(bench: &Bench) -> Outcome {
    let mut output = bench.device.alloc_zeroed::<u32>(1)?;
    bench
        .module
        .launch(gpu::capability, LaunchShape::new(1, 32), (&mut output,))?;
    let manifest = bench.module.manifest().ok_or("no manifest")?;
    let compiled_for = manifest.compute_capability();
    let known = gpu::ARCHITECTURES.iter().enumerate();
    let expected = known
        .filter(|(_, architecture)| **architecture <= compiled_for)
        .fold(0, |bits, (i, _)| bits | 1 << i);
    compare(&output.to_vec()?, &[expected], |_| manifest.arch.clone())
}
