//! The kernels for a device's limits do what they are timed for, and no less.

use cuda_std::launch::{Kernel, PointerMut, SafeLaunch, Value};
use quadscan::device::LaunchShape;
use quadscan_bench::limit::{FMA_FACTOR, Limit, ROOT_START};
use quadscan_bench::oracle::chains;
use quadscan_kernels::limits::{
    CHAINS, RING, STEPS, VECTORS, limit_copy, limit_empty, limit_fma_f32, limit_fma_f64,
    limit_fma_latency_f32, limit_fma_latency_f64, limit_shared_latency, limit_sqrt_approx_f32,
    limit_sqrt_f32, limit_sqrt_f64, limit_sqrt_latency_f32, limit_sqrt_latency_f64,
};
use quadscan_tests::suite::{Bench, Outcome};

/// Before the chains reach their fixed points, where steps more or less would not
/// be seen; and no turn at all.
const TURNS: [u32; 3] = [0, 1, 2];

/// Every thread's chains end where the host's do.
fn ends<K, T>(bench: &Bench, kernel: K, limit: Limit, chains: usize, a: T) -> Outcome
where
    K: SafeLaunch + Kernel<Formals = (PointerMut<T>, Value<u32>, Value<T>)>,
    T: bytemuck::Pod + Into<f64>,
    K: Copy,
{
    for (turns, (blocks, threads)) in TURNS.into_iter().zip([(1, 1), (2, 32), (3, 96)]) {
        let count = (blocks * threads) as usize;
        let mut results = bench.device.alloc_zeroed::<T>(count)?;
        let shape = LaunchShape::new(blocks, threads);
        bench
            .module
            .launch(kernel, shape, (&mut results, turns, a))?;
        let steps = u64::from(turns) * STEPS as u64;
        for sum in results.to_vec()? {
            let sum: f64 = sum.into();
            let right = chains::is_right(limit, chains as u32, steps, sum);
            assert!(right, "{} after {turns} turns: {sum}", K::NAME);
        }
    }
    Ok(())
}

pub(crate) fn chains_take_every_step(bench: &Bench) -> Outcome {
    let (a, b) = (FMA_FACTOR, FMA_FACTOR as f32);
    let (c, d) = (ROOT_START, ROOT_START as f32);
    ends(bench, limit_fma_f64, Limit::FmaF64, CHAINS, a)?;
    ends(bench, limit_fma_latency_f64, Limit::FmaLatencyF64, 1, a)?;
    ends(bench, limit_fma_f32, Limit::FmaF32, CHAINS, b)?;
    ends(bench, limit_fma_latency_f32, Limit::FmaLatencyF32, 1, b)?;
    ends(bench, limit_sqrt_f64, Limit::SqrtF64, CHAINS, c)?;
    ends(bench, limit_sqrt_latency_f64, Limit::SqrtLatencyF64, 1, c)?;
    ends(bench, limit_sqrt_f32, Limit::SqrtF32, CHAINS, d)?;
    ends(bench, limit_sqrt_latency_f32, Limit::SqrtLatencyF32, 1, d)?;
    ends(
        bench,
        limit_sqrt_approx_f32,
        Limit::SqrtApproxF32,
        CHAINS,
        d,
    )
}

pub(crate) fn the_copy_moves_every_vector_and_nothing_else(bench: &Bench) -> Outcome {
    const CANARY: [u32; 4] = [7; 4];
    for (blocks, threads) in [(1, 1), (3, 40)] {
        let vectors = (blocks * threads) as usize * VECTORS;
        let source: Vec<[u32; 4]> = (0..vectors as u32).map(|i| [i, !i, i << 9, 5]).collect();
        let input = bench.device.upload(&source)?;
        let mut output = bench.device.upload(&vec![CANARY; vectors + 2])?;
        let shape = LaunchShape::new(blocks, threads);
        bench
            .module
            .launch(limit_copy, shape, (&input, &mut output))?;
        let output = output.to_vec()?;
        assert_eq!(output[..vectors], source);
        assert_eq!(output[vectors..], [CANARY; 2]);
    }
    Ok(())
}

pub(crate) fn the_chase_through_shared_memory_goes_round_the_ring(bench: &Bench) -> Outcome {
    let shape = LaunchShape::new(1, RING as u32);
    // 48 steps are a round and a half.
    for (turns, end) in [(0, 0), (1, 16), (2, 0), (3, 16)] {
        let mut result = bench.device.upload(&[99_u32])?;
        bench
            .module
            .launch(limit_shared_latency, shape, (turns, &mut result))?;
        assert_eq!(result.to_vec()?, [end], "{turns} turns");
    }
    Ok(())
}

pub(crate) fn the_empty_kernel_stores_when_it_is_asked_to_alone(bench: &Bench) -> Outcome {
    let mut output = bench.device.upload(&[1_u32])?;
    let shape = LaunchShape::new(2, 32);
    bench.module.launch(limit_empty, shape, (0, &mut output))?;
    assert_eq!(output.to_vec()?, [1]);
    // One thread: of several, no order would hold among the stores.
    let alone = LaunchShape::new(1, 1);
    bench.module.launch(limit_empty, alone, (5, &mut output))?;
    assert_eq!(output.to_vec()?, [5]);
    Ok(())
}
