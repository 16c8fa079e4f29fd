//! The ways to lay strips out and to add partial sums up.

use quadscan::Error;
use quadscan::device::LaunchShape;
use quadscan_bench::mapping::{Finish, Mapping};
use quadscan_bench::oracle::Precision;
use quadscan_bench::oracle::mapping::{any_order, partials as expected, total};
use quadscan_bench::oracle::quarter_circle::{self, Partials};
use quadscan_kernels::integrate::mapping::{
    mapped_global, mapped_global_atomics, mapped_global_same_launch, mapped_registers,
    mapped_registers_atomics, mapped_registers_same_launch, mapped_shared, mapped_shared_atomics,
    mapped_shared_conflicts, mapped_shared_conflicts_atomics, mapped_shared_conflicts_same_launch,
    mapped_shared_same_launch, sum_partials,
};
use quadscan_tests::mapped::{self, GUARD, Layout, Memory};
use quadscan_tests::suite::{Bench, Outcome};

/// Blocks, threads and strips of a thread: one thread; part of a warp; an odd number
/// of threads, so that trees have a middle; more blocks than threads; the largest
/// block. Counts that four divides, and that it does not.
const GRIDS: &[(u32, u32, u32)] = &[
    (1, 1, 5),
    (1, 7, 4),
    (3, 33, 3),
    (8, 64, 8),
    (37, 5, 2),
    (2, 1024, 1),
];

/// Every mapping of every grid, with the sum that each thread has to have.
fn layouts() -> impl Iterator<Item = (Layout, Vec<f64>)> {
    Mapping::ALL.iter().flat_map(|&mapping| {
        GRIDS.iter().map(move |&(blocks, threads, count)| {
            let strips = u64::from(blocks * threads * count);
            let sums = expected(mapping, strips, blocks, threads);
            (Layout::new(mapping, blocks, threads, count), sums)
        })
    })
}

/// Does the same with the kernels of each place.
macro_rules! for_each_place {
    ($check:ident($bench:expr): $($kernel:ident)*) => {
        $($check($bench, stringify!($kernel), |module, at, memory| {
            mapped::$check(module, $kernel, at, memory)
        })?;)*
    };
}

type Launch = fn(&quadscan::device::Module, &Layout, &mut Memory) -> quadscan::Result<()>;

pub(crate) fn threads_have_the_sums_of_their_strips_wherever_they_keep_them(
    bench: &Bench,
) -> Outcome {
    for_each_place!(stored(bench):
        mapped_registers mapped_shared mapped_shared_conflicts mapped_global);
    Ok(())
}

fn stored(bench: &Bench, kernel: &str, launch: Launch) -> Outcome {
    for (layout, sums) in layouts() {
        let mut memory = Memory::new(&bench.device, &layout)?;
        launch(&bench.module, &layout, &mut memory)?;
        let found = memory.partials.to_vec()?;
        let (found, guard) = found.split_at(layout.parts());
        assert_eq!(found, sums, "{kernel}, {layout}");
        assert_eq!(guard, [0.0; GUARD], "{kernel}, {layout}");
    }
    Ok(())
}

pub(crate) fn the_last_block_adds_the_blocks_sums_and_the_next_launch_can_do_so_again(
    bench: &Bench,
) -> Outcome {
    for_each_place!(same_launch(bench):
        mapped_registers_same_launch mapped_shared_same_launch
        mapped_shared_conflicts_same_launch mapped_global_same_launch);
    Ok(())
}

fn same_launch(bench: &Bench, kernel: &str, launch: Launch) -> Outcome {
    for (layout, sums) in layouts() {
        let want = total(Finish::SameLaunch, &sums, layout.threads, 1);
        let mut memory = Memory::new(&bench.device, &layout)?;
        for again in 0..3 {
            memory.total.fill_bytes(0)?;
            launch(&bench.module, &layout, &mut memory)?;
            let at = format!("{kernel}, {layout}, launch {again}");
            let (found, guard) = (memory.total.to_vec()?, [0.0; GUARD]);
            assert_eq!(Some(found[0]), want, "{at}");
            assert_eq!(found[1..], guard, "{at}");
            assert_eq!(memory.finished.to_vec()?, [0; 1 + GUARD], "{at}");
            let blocks = layout.blocks as usize;
            assert_eq!(memory.block_sums.to_vec()?[blocks..], guard, "{at}");
        }
    }
    Ok(())
}

pub(crate) fn atomics_add_every_threads_sum_to_what_is_there(bench: &Bench) -> Outcome {
    for_each_place!(atomics(bench):
        mapped_registers_atomics mapped_shared_atomics
        mapped_shared_conflicts_atomics mapped_global_atomics);
    Ok(())
}

fn atomics(bench: &Bench, kernel: &str, launch: Launch) -> Outcome {
    for (layout, sums) in layouts() {
        let (exact, bound) = any_order(&sums);
        let mut memory = Memory::new(&bench.device, &layout)?;
        launch(&bench.module, &layout, &mut memory)?;
        let found = memory.total.to_vec()?;
        let at = format!("{kernel}, {layout}");
        assert!(
            (found[0] - exact).abs() <= bound,
            "{at}: {}, not {exact} to {bound:e}",
            found[0]
        );
        assert_eq!(found[1..], [0.0; GUARD], "{at}");
    }
    // Whole numbers, of which sums are exact: the second launch adds to the first's.
    let ones = Layout::of_ones(5, 96, 3);
    let mut memory = Memory::new(&bench.device, &ones)?;
    for launches in 1..=2 {
        launch(&bench.module, &ones, &mut memory)?;
        let strips = f64::from(5 * 96 * 3 * launches);
        assert_eq!(memory.total.to_vec()?[0], strips, "{kernel}");
    }
    Ok(())
}

pub(crate) fn a_block_adds_up_any_number_of_partial_sums(bench: &Bench) -> Outcome {
    // None, one, fewer and more than threads, and no multiple of them.
    for elements in [0, 1, 31, 1000, 1024, 5000] {
        let sums: Vec<f64> = (1..=elements).map(|i| 1.0 / f64::from(i)).collect();
        let source = bench.device.upload(&sums)?;
        for threads in [1, 7, 256, 1024] {
            let mut found = bench.device.alloc_zeroed::<f64>(1 + GUARD)?;
            let shape = LaunchShape::new(1, threads);
            bench
                .module
                .launch(sum_partials, shape, (&source, &mut found))?;
            let want = total(Finish::SecondLaunch, &sums, 1, threads).unwrap_or_default();
            let found = found.to_vec()?;
            assert_eq!(found[0], want, "{elements} by {threads} threads");
            assert_eq!(found[1..], [0.0; GUARD], "{elements} by {threads} threads");
        }
    }
    Ok(())
}

pub(crate) fn the_contiguous_mapping_has_the_bits_of_the_published_loop(bench: &Bench) -> Outcome {
    let layout = Layout::new(Mapping::Contiguous, 16, 128, 32);
    let mut memory = Memory::new(&bench.device, &layout)?;
    mapped::stored(&bench.module, mapped_registers, &layout, &mut memory)?;
    let mut sums = memory.partials.to_vec()?;
    sums.truncate(layout.parts());
    let published = quarter_circle::partials(Precision::F64, 1 << 16, 16 * 128);
    assert!(Partials::F64(sums) == published, "another bit");
    Ok(())
}

pub(crate) fn ways_without_room_for_their_sums_are_refused(bench: &Bench) -> Outcome {
    let layout = Layout::new(Mapping::Strided, 2, 32, 4);
    let memory = || Memory::new(&bench.device, &layout);
    let mut short = memory()?;
    short.partials = bench.device.alloc_zeroed(63)?;
    let module = &bench.module;
    let refusals = [
        mapped::stored(module, mapped_registers, &layout, &mut short),
        mapped::same_launch(module, mapped_global_same_launch, &layout, &mut short),
        mapped::atomics(module, mapped_shared_atomics, &layout, &mut short),
        {
            let mut no_sums = memory()?;
            no_sums.block_sums = bench.device.alloc_zeroed(1)?;
            mapped::same_launch(module, mapped_shared_same_launch, &layout, &mut no_sums)
        },
        {
            let mut no_counter = memory()?;
            no_counter.finished = bench.device.alloc_zeroed(0)?;
            mapped::same_launch(module, mapped_shared_same_launch, &layout, &mut no_counter)
        },
        {
            let mut no_total = memory()?;
            no_total.total = bench.device.alloc_zeroed(0)?;
            mapped::atomics(module, mapped_registers_atomics, &layout, &mut no_total)
        },
    ];
    for (index, refusal) in refusals.iter().enumerate() {
        assert!(
            matches!(refusal, Err(Error::ContractBroken { .. })),
            "{index}: {refusal:?}"
        );
    }
    assert_eq!(
        short.total.to_vec()?,
        [0.0; 1 + GUARD],
        "a refused launch ran"
    );
    Ok(())
}
