//! Steps of blocks: activity and bank conflicts of the scans against the
//! published figures and by hand, marks, limits.

use crate::counting::{count, count_body, options, scan, shape};
use crate::harness;
use ptx_emulator::Schedule;
use ptx_emulator::count::{Activity, Counts, MAX_STEPS, SharedRequests, Step};

/// The steps in which threads combine elements.
fn combining(counts: &Counts) -> Vec<Step> {
    let steps = counts.steps.steps.iter();
    steps
        .filter(|step| step.combines.threads > 0)
        .copied()
        .collect()
}

fn loads(steps: &[Step]) -> Vec<SharedRequests> {
    steps.iter().map(|step| step.shared.loads).collect()
}

fn wavefronts(steps: &[Step]) -> u64 {
    loads(steps).iter().map(|loads| loads.wavefronts).sum()
}

fn worst(steps: &[Step]) -> Vec<u64> {
    loads(steps).iter().map(|loads| loads.worst).collect()
}

/// 2^0, 2^1, ...
fn doubling(count: u32) -> Vec<u64> {
    (0..count).map(|power| 1 << power).collect()
}

#[test]
fn work_efficient_scan_of_1024_takes_762_wavefronts_for_its_operands() {
    let (_, counts) = scan("blelloch_exclusive_u32", 1024, 512);
    // Fill, 9 steps up, the root cleared, 10 steps down, output.
    assert_eq!(counts.steps.steps.len(), 22);
    let steps = combining(&counts);
    assert_eq!(steps.len(), 19);
    // A step over sub-trees of s leaves touches words at stride 2 s: gcd(2 s,
    // 32) lanes of a full warp share a bank, and fewer when there are fewer.
    assert_eq!(worst(&steps[..9]), [2, 4, 8, 16, 32, 16, 8, 4, 2]);
    assert_eq!(worst(&steps[9..]), [1, 2, 4, 8, 16, 32, 16, 8, 4, 2]);
    // Two loads of p / 32 warps with that many wavefronts each: 64 while there
    // are 32 pairs and more, then 2 p.
    let up = [64, 64, 64, 64, 64, 32, 16, 8, 4];
    let found: Vec<u64> = loads(&steps).iter().map(|loads| loads.wavefronts).collect();
    assert_eq!(found[..9], up);
    assert_eq!(found[9..], [2, 4, 8, 16, 32, 64, 64, 64, 64, 64]);
    assert_eq!(wavefronts(&steps), 762);
    // Two loads of 71 warps; half the words of a warp's row would do.
    let requests: u64 = loads(&steps).iter().map(|loads| loads.requests).sum();
    let ideal: u64 = loads(&steps).iter().map(|loads| loads.ideal).sum();
    assert_eq!((requests, ideal), (142, 142));
}

#[test]
fn padded_work_efficient_scan_takes_the_fewest_wavefronts() {
    let (_, counts) = scan("blelloch_padded_exclusive_f32", 1024, 512);
    let steps = combining(&counts);
    assert_eq!(worst(&steps), [1; 19]);
    assert_eq!(wavefronts(&steps), 142);
    // i + (i >> 5) + (i >> 10): 2048 elements have 32 + 16 + ... + 1 + 4 + 1
    // working warps up and one step of 32 more down, two loads each.
    let (_, counts) = scan("blelloch_padded_exclusive_f32", 2048, 1024);
    assert_eq!(wavefronts(&combining(&counts)), 270);
    assert_eq!(worst(&combining(&counts)), [1; 21]);
}

/// The tree's addresses with or without the root step, one block of n / 2
/// threads: loads left and right, stores right.
fn tree(n: u32, root: bool, padding: &[u32]) -> Counts {
    let mut steps: Vec<(u32, u32)> = (1..=n.ilog2())
        .map(|level| (n >> level, 1 << (level - 1)))
        .collect();
    let down: Vec<(u32, u32)> = steps.iter().rev().copied().collect();
    if !root {
        steps.pop();
    }
    let mut body =
        "mov.u32 %r0, %tid.x; mad.lo.u32 %r1, %r0, 2, 1; mov.u32 %r9, tree;\n".to_owned();
    for (index, (pairs, size)) in steps.into_iter().chain(down).enumerate() {
        body.push_str(&format!(
            "bar.sync 0; setp.ge.u32 %p0, %r0, {pairs}; @%p0 bra L{index};
             mul.lo.u32 %r2, %r1, {size}; sub.u32 %r2, %r2, 1; add.u32 %r3, %r2, {size};\n"
        ));
        for (node, place) in [("%r2", "%r4"), ("%r3", "%r5")] {
            body.push_str(&format!("mov.u32 {place}, {node};\n"));
            for shift in padding {
                body.push_str(&format!(
                    "shr.u32 %r6, {node}, {shift}; add.u32 {place}, {place}, %r6;\n"
                ));
            }
            body.push_str(&format!("mad.lo.u32 {place}, {place}, 4, %r9;\n"));
        }
        body.push_str(&format!(
            "ld.shared.u32 %r7, [%r4]; ld.shared.u32 %r8, [%r5]; add.u32 %r8, %r7, %r8;
             st.shared.u32 [%r5], %r8;\nL{index}:\n"
        ));
    }
    body.push_str("ret;");
    count_body(".shared .align 4 .b8 tree[8704];", &body, 1, n / 2)
}

#[test]
fn a_barrier_of_the_cluster_ends_a_step() {
    let body = "mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 40;
        barrier.cluster.arrive; barrier.cluster.wait; @%p0 bra END;
        shl.b32 %r1, %r0, 2; mov.u32 %r2, room; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %r0;
        END: ret;";
    let counts = count_body(".shared .align 4 .b8 room[256];", body, 1, 64);
    let stores: Vec<u64> = counts
        .steps
        .steps
        .iter()
        .map(|step| step.shared_stores.threads)
        .collect();
    assert_eq!(stores, [0, 40]);
}

#[test]
fn tree_scans_take_the_published_wavefronts_in_every_form() {
    // Published: 764 wavefronts in 20 steps, and 144 padded; 762 and 142 in 19
    // steps, without the root. The root step is one warp with two loads.
    for (n, padding, with_root) in [
        (1024, &[][..], 764),
        (1024, &[5], 144),
        (1024, &[5, 10], 144),
        (2048, &[], 1532),
        (2048, &[5], 292),
        (2048, &[5, 10], 272),
    ] {
        for root in [true, false] {
            let counts = tree(n, root, padding);
            let steps = combining(&counts);
            let count = 2 * n.ilog2() as usize - usize::from(!root);
            assert_eq!(steps.len(), count, "{n} {padding:?} {root}");
            let expected = with_root - if root { 0 } else { 2 };
            assert_eq!(wavefronts(&steps), expected, "{n} {padding:?} {root}");
        }
    }
    let counts = tree(1024, true, &[]);
    let up = [2, 4, 8, 16, 32, 16, 8, 4, 2, 1];
    assert_eq!(worst(&combining(&counts)[..10]), up);
    // One level of padding does not part nodes that are 1024 apart.
    let counts = tree(2048, true, &[5]);
    assert_eq!(
        worst(&combining(&counts)[..11]),
        [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 1]
    );
}

#[test]
fn work_efficient_scan_keeps_71_warps_busy_and_naive_scan_289() {
    let (_, counts) = scan("blelloch_exclusive_u32", 1024, 512);
    let steps = combining(&counts);
    let threads: Vec<u64> = steps.iter().map(|step| step.combines.threads).collect();
    let mut expected: Vec<u64> = doubling(10)[1..].iter().rev().copied().collect();
    expected.extend(doubling(10));
    assert_eq!(threads, expected);
    let warps: Vec<u64> = steps.iter().map(|step| step.combines.warps).collect();
    assert_eq!(warps.iter().sum::<u64>(), 71);
    assert_eq!(warps[..9], [16, 8, 4, 2, 1, 1, 1, 1, 1]);
    // All 16 warps run the step, if only to find that they have nothing to do.
    assert!(steps.iter().all(|step| step.ran.warps == 16));

    let (_, counts) = scan("hillis_steele_inclusive_u32", 1024, 1024);
    let steps = combining(&counts);
    let threads: Vec<u64> = steps.iter().map(|step| step.combines.threads).collect();
    let expected: Vec<u64> = doubling(10)
        .iter()
        .map(|distance| 1024 - distance)
        .collect();
    assert_eq!(threads, expected);
    let warps: Vec<u64> = steps.iter().map(|step| step.combines.warps).collect();
    assert_eq!(warps, [32, 32, 32, 32, 32, 31, 30, 28, 24, 16]);
    assert_eq!(warps.iter().sum::<u64>(), 289);
    // The others copy their element: they load once and store.
    assert!(steps.iter().all(|step| step.shared_stores.threads == 1024));
    // Fill from global memory, output to it.
    let steps = &counts.steps.steps;
    assert_eq!(steps.len(), 12);
    let all = Activity {
        threads: 1024,
        warps: 32,
        most_threads: 1024,
        most_warps: 32,
    };
    assert_eq!((steps[0].global_loads, steps[11].global_stores), (all, all));
    assert_eq!(steps[5].global_loads, Activity::default());
}

/// Each warp w of a block runs w + 1 steps of one global store, ended by
/// `pmevent`, then a barrier, then a step without memory.
const MARKS: &str = "mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; mov.u32 %r2, 0;
    LOOP: st.global.u32 [%d0], %r0; pmevent 1; add.u32 %r2, %r2, 1;
    setp.le.u32 %p0, %r2, %r1; @%p0 bra LOOP; bar.sync 0; mov.u32 %r3, 1; ret;";

#[test]
fn marks_end_the_step_of_a_warp_and_barriers_that_of_a_block() {
    for cores in [1, 2] {
        let ptx = harness::module("", MARKS);
        let options = options(Schedule::Deterministic, cores);
        let counts = count(&ptx, "test", shape(5, 80), 64, &options);
        let steps = &counts.steps.steps;
        // Warps of 32, 32 and 16 threads, of which 3, 2, 1 store in steps 1,
        // 2, 3; what lies between the last mark of a warp and the barrier is
        // its next step, so step 2 has what warp 0 does there, and so on.
        let stores: Vec<(u64, u64)> = steps
            .iter()
            .map(|step| (step.global_stores.threads, step.global_stores.warps))
            .collect();
        assert_eq!(stores, [(400, 15), (240, 10), (80, 5), (0, 0), (0, 0)]);
        let ran: Vec<(u64, u64)> = steps
            .iter()
            .map(|step| (step.ran.threads, step.ran.warps))
            .collect();
        assert_eq!(ran, [(400, 15), (400, 15), (240, 10), (80, 5), (400, 15)]);
        assert_eq!(steps[1].global_stores.most_threads, 48);
        assert_eq!(steps[1].global_stores.most_warps, 2);
        assert!(steps.iter().all(|step| step.blocks == 5));
    }
}

#[test]
fn parts_of_a_divergent_warp_end_a_step_once() {
    // Each half of the warp calls the function on its own.
    let function = ".func mark() { pmevent 1; ret; }";
    let both = "mov.u32 %r0, %laneid; setp.lt.u32 %p0, %r0, 16; @%p0 bra A; call mark; bra B;
        A: call mark; B: st.global.u32 [%d0], %r0; ret;";
    let counts = count_body(function, both, 1, 32);
    let stores = |counts: &Counts| -> Vec<u64> {
        let steps = counts.steps.steps.iter();
        steps.map(|step| step.global_stores.threads).collect()
    };
    assert_eq!(stores(&counts), [0, 32]);
    // All lanes twice, and two different marks, end a step each time.
    let twice = "call mark; call mark; st.global.u32 [%d0], %r0; ret;";
    assert_eq!(stores(&count_body(function, twice, 1, 32)), [0, 0, 32]);
    let two = "pmevent 1; pmevent 2; st.global.u32 [%d0], %r0; ret;";
    assert_eq!(stores(&count_body("", two, 1, 32)), [0, 0, 32]);
}

#[test]
fn steps_beyond_the_limit_are_added_to_the_last() {
    let body = "mov.u32 %r2, 0; LOOP: bar.sync 0; add.u32 %r2, %r2, 1;
        setp.lt.u32 %p0, %r2, 2000; @%p0 bra LOOP; ret;";
    let counts = count_body("", body, 1, 32);
    // 2001 steps.
    assert_eq!(counts.steps.steps.len(), MAX_STEPS);
    assert_eq!(counts.steps.beyond, 2001 - MAX_STEPS as u64);
    let threads: u64 = counts.steps.steps.iter().map(|step| step.ran.threads).sum();
    assert_eq!(threads, 2001 * 32);
}

#[test]
fn a_barrier_of_a_part_of_the_block_ends_no_step() {
    let body = "mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 64; @%p0 bra A; bar.sync 1, 64;
        A: bar.sync 0, 96; ret;";
    let counts = count_body("", body, 1, 96);
    assert_eq!(counts.steps.steps.len(), 2);
}
