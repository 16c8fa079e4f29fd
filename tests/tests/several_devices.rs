//! Arrays on several emulated devices: scans and reductions have the same bits for every number of
//! devices and both layouts, under the checks of all of them together.

use quadscan::device::emulator::ptx_emulator::{Checks, Model};
use quadscan::device::emulator::{Checking, Emulator, Observation, Settings, Unobserved, Verdicts};
use quadscan::device::{Artifact, Device, Devices, Layout, Partition};
use quadscan::integrate::{Composite, Rule, ShardedComposite};
use quadscan::scan::{
    Affine, Algorithm, Compose, Identity, Options, Plan, ScanKernels, SegmentedPlan,
    SegmentedScanKernels, ShardedPlan, ShardedSegmentedPlan, Sum,
};
use quadscan::select::{self, Compare, Condition};
use quadscan::{Error, reduce};
use quadscan_bench::modules;
use quadscan_kernels::integrate::catalogue::QuarterCircle;
use quadscan_kernels::reduce::ReduceKernels;
use quadscan_tests::oracle::scan as oracle;

/// How many devices share work.
const COUNTS: [usize; 6] = [1, 2, 3, 4, 7, 8];

const LAYOUTS: [Layout; 2] = [Layout::Contiguous, Layout::Dealt];

/// Devices of few SMs, so that blocks have many tiles.
fn devices(count: usize) -> Devices {
    let unobserved = || Box::new(Unobserved) as Box<dyn Observation>;
    of_family(None, (0..count).map(|_| unobserved()))
}

fn of_family(
    schedule: Option<u64>,
    observations: impl IntoIterator<Item = Box<dyn Observation>>,
) -> Devices {
    let settings = Settings {
        model: Model {
            sms: 5,
            ..Model::h200()
        },
        schedule,
        cores: 1,
        ..Settings::default()
    };
    let family = Emulator::family(settings, observations).into_iter();
    let devices = family.map(|one| Device::from_backend(Box::new(one)));
    Devices::new(devices.collect()).expect("1 to 8 devices")
}

/// Such devices under checks, and what these say of each.
fn checked(count: usize, schedule: u64, artifact: &Artifact) -> (Devices, Vec<Verdicts>) {
    let (mut verdicts, mut observations) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let module = artifact.manifest().modules.last();
        let kernels = module.into_iter().flat_map(|module| module.kernels());
        let checking = Checking::new(Checks::all(), kernels, None);
        verdicts.push(checking.verdicts());
        observations.push(Box::new(checking) as Box<dyn Observation>);
    }
    (of_family(Some(schedule), observations), verdicts)
}

/// Panics for what the checks have found.
fn expect_clean(verdicts: &[Verdicts]) {
    for verdict in verdicts.iter().flat_map(|of| of.take().into_values()) {
        assert!(verdict.checked.is_clean(), "{}", verdict.checked);
    }
}

/// The elements of a granule.
fn granule<O: ScanKernels>() -> usize {
    let devices = Devices::emulated(1, None).expect("one device");
    let artifact = modules::ours().expect("the artifact is whole");
    let modules = devices.load(&artifact).expect("it loads");
    let plan = ShardedPlan::<O>::new(&devices, &modules, 1, Layout::Dealt);
    plan.expect("of one element").partition().granule()
}

/// What one device makes of the elements by looking ahead, without the code for several.
fn alone<O: ScanKernels>(artifact: &Artifact, elements: &[O::Input]) -> Vec<O::Output> {
    let devices = devices(1);
    let module = devices[0].load(artifact).expect("it loads");
    let options = Options {
        algorithm: Some(Algorithm::LookAhead),
        ..Options::default()
    };
    let n = elements.len();
    let mut plan = Plan::<O>::with(&module, n as u64, options).expect("a plan");
    let input = devices[0].upload(elements).expect("room");
    let mut output = devices[0].alloc(n).expect("room");
    plan.inclusive(&input, &mut output).expect("a scan");
    output.to_vec().expect("a scan")
}

/// Scans and reduces on devices: the results of an inclusive scan, and the reduction.
fn together<O: ScanKernels + ReduceKernels + Identity>(
    devices: &Devices,
    layout: Layout,
    artifact: &Artifact,
    elements: &[O::Input],
) -> (Vec<O::Output>, O::Output) {
    let modules = devices.load(artifact).expect("it loads");
    let mut plan = ShardedPlan::<O>::new(devices, &modules, elements.len(), layout)
        .expect("the devices reach each other");
    let input = devices.upload(plan.partition(), elements).expect("room");
    let mut output = devices.alloc(plan.partition()).expect("room");
    let mut sum = reduce::ShardedPlan::<O>::of(devices, &modules, plan.partition())
        .expect("granules of whole blocks");
    let total = sum.reduce(&input).expect("a reduction");
    plan.inclusive(&input, &mut output).expect("a scan");
    (output.to_vec().expect("a scan"), total)
}

#[test]
fn floats_have_the_same_bits_on_1_2_3_4_7_and_8_devices_and_as_on_one_alone() {
    let artifact = modules::ours().expect("the artifact is whole");
    // Some of 7 and 8 devices have none.
    let n = 4 * granule::<Sum<f64>>() - 5000;
    let elements: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin() + 1e-3).collect();
    let bits = bytemuck::cast_slice::<f64, u8>;
    let expected = alone::<Sum<f64>>(&artifact, &elements);
    let mut totals = Vec::new();
    let dealt = COUNTS.map(|count| (count, Layout::Dealt));
    let contiguous = [3].map(|count| (count, Layout::Contiguous));
    for (count, layout) in dealt.into_iter().chain(contiguous) {
        let (results, total) = together::<Sum<f64>>(&devices(count), layout, &artifact, &elements);
        assert!(
            bits(&results) == bits(&expected),
            "{count} devices, {layout:?}"
        );
        totals.push(total.to_bits());
    }
    totals.dedup();
    let [total] = totals[..] else {
        panic!("reductions differ: {totals:x?}")
    };
    let sum: f64 = elements.iter().sum();
    assert!((f64::from_bits(total) - sum).abs() < 1e-9 * n as f64);
}

/// An operator that is not commutative, with an initial value and in place, under schedules that
/// hold back warps, blocks and so devices for as long as they please.
#[test]
fn what_devices_tell_each_other_is_right_under_schedules_and_checks() {
    const INITIAL: Affine = Affine { a: 1.0, b: -4.0 };
    let artifact = modules::ours().expect("the artifact is whole");
    let map = |i: usize| Affine {
        a: if i.is_multiple_of(3) { -1.0 } else { 1.0 },
        b: (i % 17) as f64,
    };
    // Of three granules the first device has those before and behind the second one's.
    for (granules, layout, schedule) in [(2, Layout::Dealt, 1), (1, Layout::Contiguous, 2)] {
        let n = granules * granule::<Compose>() + 777;
        let elements: Vec<Affine> = (0..n).map(map).collect();
        let (devices, verdicts) = checked(2, schedule, &artifact);
        let modules = devices.load(&artifact).expect("it loads");
        let mut plan = ShardedPlan::<Compose>::new(&devices, &modules, n, layout).expect("a plan");
        let mut data = devices.upload(plan.partition(), &elements).expect("room");
        plan.exclusive_with_in_place(INITIAL, &mut data)
            .expect("a scan");
        let expected = oracle::exclusive::<Compose>(INITIAL, &elements);
        assert!(data.to_vec().expect("a scan") == expected, "{layout:?}");
        expect_clean(&verdicts);
    }
}

#[test]
fn arrays_of_few_elements_and_of_none_are_scanned_and_reduced() {
    let artifact = modules::ours().expect("the artifact is whole");
    for layout in LAYOUTS {
        for n in [0usize, 33, 10_000] {
            let elements: Vec<u32> = (1..=n as u32).collect();
            let (results, total) = together::<Sum<u32>>(&devices(3), layout, &artifact, &elements);
            assert!(results == oracle::inclusive::<Sum<u32>>(None, &elements));
            assert_eq!(total as usize, n * (n + 1) / 2);
        }
    }
}

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

/// Scans the segments of elements on devices, by keys.
fn segments<O: SegmentedScanKernels>(
    devices: &Devices,
    artifact: &Artifact,
    keys: &[u32],
    elements: &[O::Input],
    initial: Option<O::Accumulator>,
) -> Vec<O::Output> {
    let modules = devices.load(artifact).expect("it loads");
    let plan = ShardedSegmentedPlan::<O>::new(devices, &modules, elements.len());
    let mut plan = plan.expect("a plan");
    let partition = *plan.partition();
    let keys = devices.upload(&partition, keys).expect("room");
    let input = devices.upload(&partition, elements).expect("room");
    let mut output = devices.alloc(&partition).expect("room");
    let scan = plan.by_key(&keys);
    let done = match initial {
        Some(initial) => scan.exclusive_with(initial, &input, &mut output),
        None => scan.inclusive(&input, &mut output),
    };
    done.expect("a scan");
    output.to_vec().expect("a scan")
}

/// A segment of all of a device's elements and more, short ones, and one that begins where a device does.
#[test]
fn segments_over_several_devices_have_the_bits_of_one_device() {
    let artifact = modules::ours().expect("the artifact is whole");
    let one = devices(1);
    let modules = one.load(&artifact).expect("it loads");
    let granule = ShardedSegmentedPlan::<Sum<f64>>::new(&one, &modules, 1).expect("a plan");
    let granule = granule.partition().granule();
    let n = 3 * granule + 999;
    let elements: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin() + 1e-3).collect();
    let key = |i: usize| match i {
        i if i < granule / 2 => i / 10,
        i if i < 2 * granule => granule,
        i => granule + i / 1000,
    };
    let keys: Vec<u32> = (0..n).map(|i| key(i) as u32).collect();
    let options = Options {
        algorithm: Some(Algorithm::LookAhead),
        ..Options::default()
    };
    let mut plan = SegmentedPlan::<Sum<f64>>::with(&modules[0], n as u64, options).expect("a plan");
    let of_keys = one[0].upload(&keys).expect("room");
    let input = one[0].upload(&elements).expect("room");
    let mut output = one[0].alloc(n).expect("room");
    plan.by_key(&of_keys)
        .inclusive(&input, &mut output)
        .expect("a scan");
    let expected = output.to_vec().expect("a scan");
    for count in COUNTS {
        let found = segments::<Sum<f64>>(&devices(count), &artifact, &keys, &elements, None);
        let bits = bytemuck::cast_slice::<f64, u8>;
        assert!(bits(&found) == bits(&expected), "{count} devices");
    }
}

#[test]
fn segments_of_maps_are_scanned_behind_an_initial_value_under_checks() {
    const INITIAL: Affine = Affine { a: 2.0, b: -4.0 };
    let artifact = modules::ours().expect("the artifact is whole");
    let (devices, verdicts) = checked(2, 3, &artifact);
    let modules = devices.load(&artifact).expect("it loads");
    let granule = ShardedSegmentedPlan::<Compose>::new(&devices, &modules, 1).expect("a plan");
    let n = granule.partition().granule() + 777;
    let map = |i: usize| Affine {
        a: if i.is_multiple_of(3) { -1.0 } else { 1.0 },
        b: (i % 17) as f64,
    };
    let elements: Vec<Affine> = (0..n).map(map).collect();
    // The last segment of the first device goes on.
    let keys: Vec<u32> = (0..n).map(|i| (i / 5000) as u32).collect();
    let found = segments::<Compose>(&devices, &artifact, &keys, &elements, Some(INITIAL));
    for (found, elements) in found.chunks(5000).zip(elements.chunks(5000)) {
        assert!(found == oracle::exclusive::<Compose>(INITIAL, elements));
    }
    expect_clean(&verdicts);
}

#[test]
fn an_integral_has_the_same_bits_on_every_number_of_devices() {
    let artifact = modules::ours().expect("the artifact is whole");
    let strips = 3 << 22;
    let value = |count: usize| {
        let modules = devices(count).load(&artifact).expect("it loads");
        let plans = modules.iter();
        let plans = plans.map(|module| Composite::<f32>::of::<QuarterCircle>(module, strips));
        let plan = ShardedComposite::new(plans.collect::<quadscan::Result<_>>().expect("plans"));
        let mut plan = plan.expect("of one function");
        let value = plan.value(Rule::Midpoint, strips, (0.0, 1.0), &[]);
        value.expect("an integral")
    };
    let values = [1, 2, 8].map(value);
    assert!(values.iter().all(|of| of.to_bits() == values[0].to_bits()));
    assert!((4.0 * f64::from(values[0]) - std::f64::consts::PI).abs() < 1e-6);
}

#[test]
fn what_does_not_fit_is_refused_in_one_sentence() {
    let artifact = modules::ours().expect("the artifact is whole");
    let devices = Devices::emulated(2, None).expect("two devices");
    let modules = devices.load(&artifact).expect("it loads");
    let plan = |layout| ShardedPlan::<Sum<u32>>::new(&devices, &modules, 5, layout);
    let said = |result: quadscan::Result<()>| result.expect_err("refused").to_string();

    let mut dealt = plan(Layout::Dealt).expect("a plan");
    let contiguous = plan(Layout::Contiguous).expect("a plan");
    let mut data = devices
        .upload(contiguous.partition(), &[1u32; 5])
        .expect("room");
    let text = said(dealt.inclusive_in_place(&mut data));
    assert!(text.starts_with("data is distributed as "), "{text}");

    // A shorter buffer in the place of a shard.
    let mut data = devices.upload(dealt.partition(), &[1u32; 5]).expect("room");
    data.shards_mut()[0] = devices[0].alloc(4).expect("room");
    let expected = "data has 4 elements on device 0, needed are 5";
    assert_eq!(said(dealt.inclusive_in_place(&mut data)), expected);
    let sum = reduce::ShardedPlan::<Sum<u32>>::of(&devices, &modules, dealt.partition());
    let text = said(sum.expect("a plan").reduce(&data).map(drop));
    assert_eq!(text, expected.replace("data", "input"));

    let partition = Partition::new(5, 100, 2, Layout::Contiguous).expect("100 elements");
    let plan = reduce::ShardedPlan::<Sum<u32>>::of(&devices, &modules, &partition);
    let expected = "partition has granules of 100 elements, allowed are multiples of 8192";
    assert_eq!(said(plan.map(drop)), expected);
    let plan = select::ShardedPlan::<Compare<i32>>::of(&devices, &modules, dealt.partition());
    let text = said(plan.map(drop));
    assert!(
        text.starts_with("partition is Dealt, allowed is Contiguous"),
        "{text}"
    );
    let three = Partition::new(5, 1, 3, Layout::Contiguous).expect("three devices");
    let plan = select::ShardedPlan::<Compare<i32>>::of(&devices, &modules, &three);
    assert_eq!(
        said(plan.map(drop)),
        "partition is for 3 devices, allowed are 2"
    );

    let text = said(Devices::emulated(9, None).map(drop));
    assert!(
        text.contains("devices") && text.contains("1 to 8"),
        "{text}"
    );
    let twice = vec![devices[0].clone(), devices[0].clone()];
    let text = said(Devices::new(twice).map(drop));
    assert!(
        text.ends_with("twice, allowed is each device once"),
        "{text}"
    );

    let mut reversed = modules.clone();
    reversed.reverse();
    let wrong = ShardedPlan::<Sum<u32>>::new(&devices, &reversed, 5, Layout::Contiguous);
    let text = said(wrong.map(drop));
    assert!(text.contains("2 devices, in their order"), "{text}");

    // Of code without a manifest beside that of an artifact.
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry none() { ret; }";
    let strange = devices[1].load_ptx(ptx).expect("it loads");
    let mixed = [modules[0].clone(), strange];
    let wrong = ShardedPlan::<Sum<u32>>::new(&devices, &mixed, 5, Layout::Contiguous);
    assert_eq!(
        said(wrong.map(drop)),
        "modules are of several artifacts, allowed is one"
    );

    // Devices of different machines.
    let strangers = [(), ()].map(|()| Devices::emulated(1, None).expect("one")[0].clone());
    let strangers = Devices::new(strangers.to_vec()).expect("two devices");
    let modules = strangers.load(&artifact).expect("it loads");
    let apart = ShardedPlan::<Sum<u32>>::new(&strangers, &modules, 5, Layout::Dealt);
    let text = said(apart.map(drop));
    assert!(text.contains("cannot reach each other's memory"), "{text}");
}

#[test]
fn nothing_is_launched_while_any_of_the_devices_is_recorded() {
    let artifact = modules::ours().expect("the artifact is whole");
    let devices = Devices::emulated(2, None).expect("two devices");
    let modules = devices.load(&artifact).expect("it loads");
    for layout in LAYOUTS {
        let plan = ShardedPlan::<Sum<u32>>::new(&devices, &modules, 5, layout);
        let mut plan = plan.expect("a plan");
        let mut data = devices.upload(plan.partition(), &[1u32; 5]).expect("room");
        let sum = reduce::ShardedPlan::<Sum<u32>>::of(&devices, &modules, plan.partition());
        let mut sum = sum.expect("a plan");
        for device in devices.iter() {
            let refused = device.capture(|| plan.inclusive_in_place(&mut data));
            let text = refused.expect_err("refused").to_string();
            assert!(text.contains("cannot be recorded into a graph"), "{text}");
            let refused = device.capture(|| sum.reduce(&data).map(drop));
            let text = refused.expect_err("refused").to_string();
            assert!(text.contains("cannot be recorded into a graph"), "{text}");
            // Recorded by this thread, and asked of by another one.
            let recorded = device.capture(|| {
                let (plan, data) = (&mut plan, &mut data);
                let asked = move || plan.inclusive_in_place(data);
                let refused = std::thread::scope(|scope| scope.spawn(asked).join());
                let refused = refused.expect("no panic").expect_err("refused");
                assert!(matches!(refused, Error::Recording { .. }), "{refused}");
                Ok(())
            });
            recorded.map(drop).expect("an empty graph");
        }
        // The plan is as good as before.
        assert_eq!(sum.reduce(&data).expect("a reduction"), 5);
        plan.inclusive_in_place(&mut data).expect("a scan");
        assert_eq!(data.to_vec().expect("a scan"), [1, 2, 3, 4, 5]);
    }
}
