//! Scans of segments.

use quadscan::device::{Artifact, Devices};
use quadscan::scan::{
    Affine, Algorithm, Compose, Options, SegmentedPlan, SegmentedScanKernels, ShardedSegmentedPlan,
    Sum,
};
use quadscan_bench::modules;
use quadscan_tests::oracle::scan as oracle;

use crate::{checked, devices, expect_clean};

/// How it is told where segments begin.
#[derive(Clone, Copy)]
enum By {
    Keys,
    Flags,
}

/// Scans the segments of elements on devices.
fn segments<O: SegmentedScanKernels>(
    devices: &Devices,
    artifact: &Artifact,
    keys: &[u32],
    elements: &[O::Input],
    initial: Option<O::Accumulator>,
    by: By,
) -> Vec<O::Output> {
    let modules = devices.load(artifact).expect("it loads");
    let plan = ShardedSegmentedPlan::<O>::new(devices, &modules, elements.len());
    let mut plan = plan.expect("a plan");
    let partition = *plan.partition();
    let flags: Vec<u8> = (0..keys.len())
        .map(|i| u8::from(i == 0 || keys[i] != keys[i - 1]))
        .collect();
    let flags = devices.upload(&partition, &flags).expect("room");
    let keys = devices.upload(&partition, keys).expect("room");
    let input = devices.upload(&partition, elements).expect("room");
    let mut output = devices.alloc(&partition).expect("room");
    let done = match (initial, by) {
        (Some(initial), By::Keys) => {
            plan.by_key(&keys)
                .exclusive_with(initial, &input, &mut output)
        }
        (Some(initial), By::Flags) => {
            plan.by_flags(&flags)
                .exclusive_with(initial, &input, &mut output)
        }
        (None, By::Keys) => plan.by_key(&keys).inclusive(&input, &mut output),
        (None, By::Flags) => plan.by_flags(&flags).inclusive(&input, &mut output),
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
    for (count, by) in [(1, By::Keys), (2, By::Flags), (3, By::Keys), (8, By::Keys)] {
        let found = segments::<Sum<f64>>(&devices(count), &artifact, &keys, &elements, None, by);
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
    let found = segments::<Compose>(
        &devices,
        &artifact,
        &keys,
        &elements,
        Some(INITIAL),
        By::Keys,
    );
    for (found, elements) in found.chunks(5000).zip(elements.chunks(5000)) {
        assert!(found == oracle::exclusive::<Compose>(INITIAL, elements));
    }
    expect_clean(&verdicts);
}
