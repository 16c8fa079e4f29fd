//! Arrays and integrals on several emulated devices: results have the same bits for every number of
//! devices and both layouts, under the checks of all of them together.

mod integrals;
mod reduce_and_select;
mod segments;

use quadscan::device::emulator::ptx_emulator::{Checks, Model};
use quadscan::device::emulator::{Checking, Emulator, Observation, Settings, Unobserved, Verdicts};
use quadscan::device::{Artifact, Device, Devices, Layout, Module, Partition};
use quadscan::scan::{
    Affine, Algorithm, Compose, Identity, Options, Plan, ScanKernels, ShardedPlan, Sum,
};
use quadscan::select::{self, Compare};
use quadscan::{Error, reduce};
use quadscan_bench::modules;
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
    (devices, modules): (&Devices, &[Module]),
    layout: Layout,
    elements: &[O::Input],
) -> (Vec<O::Output>, O::Output) {
    let mut plan = ShardedPlan::<O>::new(devices, modules, elements.len(), layout)
        .expect("the devices reach each other");
    let input = devices.upload(plan.partition(), elements).expect("room");
    let mut output = devices.alloc(plan.partition()).expect("room");
    let mut sum = reduce::ShardedPlan::<O>::of(devices, modules, plan.partition())
        .expect("granules of whole blocks");
    let total = sum.reduce(&input).expect("a reduction");
    plan.inclusive(&input, &mut output).expect("a scan");
    (output.to_vec().expect("a scan"), total)
}

#[test]
fn floats_have_the_same_bits_on_1_2_3_4_7_and_8_devices_and_as_on_one_alone() {
    let artifact = modules::ours().expect("the artifact is whole");
    // Some of 4, 7 and 8 devices have none.
    let n = 2 * granule::<Sum<f64>>() + 5000;
    let elements: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin() + 1e-3).collect();
    let bits = bytemuck::cast_slice::<f64, u8>;
    let expected = alone::<Sum<f64>>(&artifact, &elements);
    let mut totals = Vec::new();
    let dealt = COUNTS.map(|count| (count, Layout::Dealt));
    let contiguous = [3].map(|count| (count, Layout::Contiguous));
    for (count, layout) in dealt.into_iter().chain(contiguous) {
        let devices = devices(count);
        let modules = devices.load(&artifact).expect("it loads");
        let (results, total) = together::<Sum<f64>>((&devices, &modules), layout, &elements);
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
        // Of which a block of threads combines two slices or three.
        let few = &elements[..90_000];
        let sum = reduce::ShardedPlan::<Compose>::new(&devices, &modules, few.len(), layout);
        let mut sum = sum.expect("a plan");
        let data = devices.upload(sum.partition(), few).expect("room");
        let whole = oracle::inclusive::<Compose>(None, few).pop();
        assert_eq!(sum.reduce(&data).ok(), whole, "{layout:?}");
        expect_clean(&verdicts);
    }
}

#[test]
fn arrays_of_few_elements_and_of_none_are_scanned_and_reduced() {
    let artifact = modules::ours().expect("the artifact is whole");
    let devices = devices(3);
    let modules = devices.load(&artifact).expect("it loads");
    for layout in LAYOUTS {
        for n in [0usize, 33, 10_000] {
            let elements: Vec<u32> = (1..=n as u32).collect();
            let (results, total) = together::<Sum<u32>>((&devices, &modules), layout, &elements);
            assert!(results == oracle::inclusive::<Sum<u32>>(None, &elements));
            assert_eq!(total as usize, n * (n + 1) / 2);
        }
    }
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
