//! Reductions and selections.

use quadscan::device::Partition;
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

#[test]
fn what_devices_select_is_what_one_selects_in_the_order_of_the_array() {
    let artifact = modules::ours().expect("the artifact is whole");
    // Runs of up to 700 elements, over several devices.
    let elements: Vec<i32> = (0..5000)
        .map(|i| ((i / 7) % 3 + i / 700) * (1 - i % 2 * (i / 2500)))
        .collect();
    let flags: Vec<u8> = (0..5000).map(|i| u8::from(i % 5 == 0)).collect();
    let positive: Vec<i32> = elements.iter().copied().filter(|x| *x > 2).collect();
    let flagged: Vec<i32> = elements.iter().copied().step_by(5).collect();
    let mut unique = elements.clone();
    unique.dedup();
    for (count, n) in COUNTS
        .into_iter()
        .map(|count| (count, 5000))
        .chain([(3, 2), (8, 0)])
    {
        let devices = devices(count);
        let modules = devices.load(&artifact).expect("it loads");
        let mut plan =
            select::ShardedPlan::<Compare<i32>>::new(&devices, &modules, n).expect("a plan");
        let partition = *plan.partition();
        let input = devices.upload(&partition, &elements[..n]).expect("room");
        let flags = devices.upload(&partition, &flags[..n]).expect("room");
        let mut output = devices.alloc(&partition).expect("room");
        let expected = |of: &[i32]| {
            if n == 5000 {
                of.to_vec()
            } else {
                elements[..n.min(1)].to_vec()
            }
        };
        plan.unique(&input, &mut output).expect("a selection");
        assert!(
            plan.selected(&output).expect("numbers") == expected(&unique),
            "{count}"
        );
        plan.by_flags(&flags, &input, &mut output)
            .expect("a selection");
        assert!(
            plan.selected(&output).expect("numbers") == expected(&flagged),
            "{count}"
        );
        if n < 5000 {
            continue;
        }
        plan.select(Condition::greater(2), &input, &mut output)
            .expect("a selection");
        assert!(
            plan.selected(&output).expect("numbers") == positive,
            "{count}"
        );
        plan.partition_by(Condition::greater(2), &input, &mut output)
            .expect("a selection");
        assert!(
            plan.selected(&output).expect("numbers") == positive,
            "{count}"
        );
        let counts = plan
            .counts()
            .iter()
            .map(|count| count.to_vec().expect("a number")[0] as usize);
        for (number, selected) in counts.enumerate() {
            let own = partition.pieces(number).flatten().map(|i| elements[i]);
            let mut rest: Vec<i32> = own.filter(|x| *x <= 2).collect();
            rest.reverse();
            let shard = output.shards()[number].to_vec().expect("numbers");
            assert!(shard[selected..] == rest, "device {number} of {count}");
        }
    }
}
