//! Reductions and selections.

use quadscan::device::{Devices, Module, Partition, ShardedBuffer};
use quadscan::reduce;
use quadscan::scan::{Affine, Compose};
use quadscan::select::{self, Compare, Condition};
use quadscan_bench::modules;
use quadscan_kernels::reduce::ReduceKernels;

use crate::{COUNTS, LAYOUTS, devices};
/// Of granules of one, two and three blocks, with a rest and without.
#[test]
fn reductions_have_the_same_bits_for_every_number_of_devices_and_both_layouts() {
    let artifact = modules::ours().expect("the artifact is whole");
    let block = <Compose as ReduceKernels>::DEVICE.block() as usize;
    let map = |i: usize| Affine {
        a: 1.0 + (i % 19) as f64 * 1e-7,
        b: (i as f64).sin(),
    };
    let elements: Vec<Affine> = (0..9 * block + 1234).map(map).collect();
    let cases = [(elements.len(), 1), (elements.len(), 3), (6 * block, 2)];
    let mut bits = [(); 3].map(|()| Vec::new());
    for count in COUNTS {
        let devices = devices(count);
        let modules = devices.load(&artifact).expect("it loads");
        for ((len, blocks), bits) in cases.into_iter().zip(&mut bits) {
            let elements = &elements[..len];
            let whole = elements
                .iter()
                .fold((1.0, 0.0), |(a, b), map| (map.a * a, map.a * b + map.b));
            for layout in LAYOUTS {
                let partition = Partition::new(len, blocks * block, count, layout);
                let partition = partition.expect("elements");
                let plan = reduce::ShardedPlan::<Compose>::of(&devices, &modules, &partition);
                let mut plan = plan.expect("a plan");
                let input = devices.upload(&partition, elements).expect("room");
                let Affine { a, b } = plan.reduce(&input).expect("a reduction");
                assert!((a - whole.0).abs() < 1e-9 && (b - whole.1).abs() < 1e-6);
                bits.push((a.to_bits(), b.to_bits()));
            }
        }
    }
    for bits in &mut bits {
        bits.dedup();
        assert_eq!(bits.len(), 1);
    }
    assert_ne!(bits[0], bits[2], "of other elements");
}

/// A selection by a plan to an array.
type Select<'a> = dyn Fn(&mut select::ShardedPlan<Compare<i32>>, &mut ShardedBuffer<i32>) -> quadscan::Result<()>
    + 'a;

/// Panics unless every selection gives what it gives on the host, in the order of the array.
fn expect_selections(devices: &Devices, modules: &[Module], elements: &[i32]) {
    let plan = select::ShardedPlan::<Compare<i32>>::new(devices, modules, elements.len());
    let mut plan = plan.expect("a plan");
    let partition = *plan.partition();
    let flags: Vec<u8> = (0..elements.len()).map(|i| u8::from(i % 5 == 0)).collect();
    let flags = devices.upload(&partition, &flags).expect("room");
    let input = devices.upload(&partition, elements).expect("room");
    let mut output = devices.alloc(&partition).expect("room");
    let mut expect = |select: &Select<'_>, of: &[i32]| {
        select(&mut plan, &mut output).expect("a selection");
        assert!(
            plan.selected(&output).expect("numbers") == of,
            "{partition:?}"
        );
    };
    let mut unique = elements.to_vec();
    unique.dedup();
    let flagged: Vec<i32> = elements.iter().copied().step_by(5).collect();
    let (large, condition) = (|x: &i32| *x > 2, Condition::greater(2));
    let selected: Vec<i32> = elements.iter().copied().filter(large).collect();
    expect(&|plan, output| plan.unique(&input, output), &unique);
    expect(
        &|plan, output| plan.by_flags(&flags, &input, output),
        &flagged,
    );
    expect(
        &|plan, output| plan.select(condition, &input, output),
        &selected,
    );
    expect(
        &|plan, output| plan.partition_by(condition, &input, output),
        &selected,
    );
    for (number, count) in plan.counts().iter().enumerate() {
        let selected = count.to_vec().expect("a number")[0] as usize;
        let own = partition.pieces(number).flatten().map(|i| elements[i]);
        let mut rest: Vec<i32> = own.filter(|x| !large(x)).collect();
        rest.reverse();
        let shard = output.shards()[number].to_vec().expect("numbers");
        assert!(
            shard[selected..] == rest,
            "device {number} of {}",
            devices.len()
        );
    }
}

#[test]
fn what_devices_select_is_what_one_selects_in_the_order_of_the_array() {
    let artifact = modules::ours().expect("the artifact is whole");
    // Runs of up to 700 elements, over several devices.
    let element = |i| ((i / 7) % 3 + i / 700) * (1 - i % 2 * (i / 2500));
    let elements: Vec<i32> = (0..5000).map(element).collect();
    for count in COUNTS {
        let devices = devices(count);
        let modules = devices.load(&artifact).expect("it loads");
        expect_selections(&devices, &modules, &elements);
        if count == 3 {
            expect_selections(&devices, &modules, &elements[..2]);
            expect_selections(&devices, &modules, &[]);
        }
    }
}
