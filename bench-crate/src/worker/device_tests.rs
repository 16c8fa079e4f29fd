//! The laboratory over a device that is a CPU: launches, parameters, copies and
//! judgements without a GPU.

use super::*;
use crate::limit::Limit;
use crate::mapping::{Finish, Mapping, Partials, Way};
use crate::measure::{Method, Timing};
use crate::worker::cpu::{Cpu, Defect};
use crate::worker::protocol::Algorithm;

fn laboratory(defect: Defect) -> DeviceLaboratory {
    let device = Device::from_backend(Box::new(Cpu::new(defect)));
    let laboratory = crate::modules::ours().and_then(|artifact| {
        DeviceLaboratory::new(
            Opened {
                device,
                no_gpu: None,
                schedule: None,
                steps: None,
            },
            &artifact,
            &[],
        )
    });
    match laboratory {
        Ok(laboratory) => laboratory,
        Err(e) => panic!("{e}"),
    }
}

fn job(task: Task) -> Job {
    Job {
        id: 1,
        task,
        repeat: Some(3),
        peer: None,
        checked: false,
        untimed: false,
        cold: false,
    }
}

fn trapezoid(strips: u64) -> Job {
    job(Task::QuarterCircle {
        precision: Precision::F64,
        strips,
        blocks: 2,
        threads: 8,
    })
}

fn reading(defect: Defect, job: &Job) -> Reading {
    match laboratory(defect).carry_out(job) {
        Ok(reading) => reading,
        Err(failure) => panic!("{}", failure.reason),
    }
}

#[test]
fn a_right_kernel_is_timed_and_its_sums_are_the_oracles() {
    // A power of two, and a number that only the general kernel can do.
    for strips in [1024, 1008] {
        let reading = reading(Defect::None, &trapezoid(strips));
        assert_eq!(reading.wrong, None, "{strips}");
        let total = quarter_circle::partials(Precision::F64, strips, 16).sum();
        assert_eq!(reading.total, Some(total), "{strips}");
        assert_eq!(
            reading.kernel.map(|timing| timing.samples_ms),
            Some(vec![4.0; 3])
        );
        assert_eq!(reading.gpu.map(|timing| timing.samples_ms.len()), Some(3));
        assert_eq!(reading.nvcc_kernel, None);
    }
}

#[test]
fn a_kernel_is_timed_cold_when_asked_to_and_the_events_own_time_is_told() {
    let cold = Job {
        cold: true,
        ..trapezoid(1024)
    };
    let asked = reading(Defect::None, &cold);
    let samples = |timing: &Option<Timing>| timing.as_ref().map(|t| t.samples_ms.len());
    assert_eq!(samples(&asked.kernel_cold), Some(3));
    assert_eq!(samples(&asked.cold_events), Some(3));
    assert_eq!(
        (asked.kernel_method, asked.remarks.len()),
        (Some(Method::Single), 0)
    );
    let not_asked = reading(Defect::None, &trapezoid(1024));
    assert_eq!((not_asked.kernel_cold, not_asked.cold_events), (None, None));
    let unknown = reading(Defect::Silent, &cold);
    assert!(unknown.kernel.is_some() && unknown.kernel_cold.is_none());
    assert_eq!(
        unknown.remarks,
        ["kernel_cold_ms was not measured: the device does not tell the size of its cache"]
    );
}

#[test]
fn why_the_clocks_around_a_job_are_not_known_is_told() {
    assert_eq!(reading(Defect::None, &trapezoid(1024)).clocks, None);
    assert_eq!(
        laboratory(Defect::None).greeting().no_clocks.as_deref(),
        Some("the clocks of CPU are not known: nobody tells them")
    );
}

#[test]
fn a_device_without_a_timer_gives_results_and_counts_and_no_times() {
    let choice = DeviceChoice::Emulator { schedule: None };
    let mut laboratory = match DeviceLaboratory::open(choice, None, &[]) {
        Ok(laboratory) => laboratory,
        Err(e) => panic!("{e}"),
    };
    let greeting = laboratory.greeting();
    assert_eq!(greeting.no_gpu, None, "it was asked for");
    assert_eq!(greeting.no_clocks, None, "nobody misses them");
    let mut reading = |job: &Job| match laboratory.carry_out(job) {
        Ok(reading) => reading,
        Err(failure) => panic!("{}", failure.reason),
    };
    let first = reading(&trapezoid(1024));
    let total = quarter_circle::partials(Precision::F64, 1024, 16).sum();
    assert_eq!((first.total, &first.wrong), (Some(total), &None));
    assert_eq!((&first.gpu, &first.kernel), (&None, &None));
    let counted = |reading: &Reading| match reading.counts {
        Some(counts) => counts.warp_instructions,
        None => panic!("nothing was counted"),
    };
    // Two warps, 64 strips a thread: at least a square root each.
    assert!(counted(&first) > 2 * 64, "{}", counted(&first));
    assert_eq!(
        reading(&trapezoid(1024)),
        first,
        "once each, and not added up"
    );
    // Whatever comes before and after the loop comes twice as often.
    let twice = reading(&job(Task::QuarterCircle {
        precision: Precision::F64,
        strips: 2048,
        blocks: 4,
        threads: 8,
    }));
    assert_eq!(counted(&twice), 2 * counted(&first));
}

#[test]
fn a_fault_of_an_emulated_kernel_names_its_source_line_and_loses_the_device() {
    let choice = DeviceChoice::Emulator { schedule: None };
    let mut laboratory = match DeviceLaboratory::open(choice, None, &[]) {
        Ok(laboratory) => laboratory,
        Err(e) => panic!("{e}"),
    };
    let task = |kind| job(Task::Diagnostic { kind });
    assert!(laboratory.carry_out(&task(Diagnostic::Healthy)).is_ok());
    let Err(failure) = laboratory.carry_out(&task(Diagnostic::Fault)) else {
        panic!("a store to nowhere went well")
    };
    assert!(failure.lost);
    let reason = &failure.reason;
    assert!(
        reason.contains("kernel `fault`, block [0, 0, 0], thread [0, 0, 0], ")
            && reason.contains("4 bytes at 0x40 (global) are out of bounds")
            && reason.contains("kernels-crate/src/diagnostics.rs:"),
        "{reason}"
    );
}

#[test]
fn a_single_wrong_bit_in_one_partial_sum_is_seen() {
    let reason = reading(Defect::WrongBit, &trapezoid(1024))
        .wrong
        .unwrap_or_default();
    assert!(
        reason.starts_with("1 of 16 partial sums are not the host's, the first is number 3: "),
        "{reason}"
    );
}

#[test]
fn a_way_to_sum_is_repeated_judged_and_timed() {
    let task = Task::Mapping {
        way: Way {
            mapping: Mapping::Contiguous,
            partials: Partials::Registers,
            finish: Finish::Host,
        },
        strips: 1024,
        blocks: 2,
        threads: 8,
    };
    let right = reading(Defect::None, &job(task.clone()));
    let total = quarter_circle::partials(Precision::F64, 1024, 16).sum();
    assert_eq!((right.total, right.repeats), (Some(total), Some(true)));
    assert_eq!(right.wrong, None);
    assert_eq!(right.gpu.map(|timing| timing.samples_ms.len()), Some(3));
    let kernel = right.kernel.map(|timing| timing.samples_ms);
    assert_eq!(kernel, Some(vec![4.0; 3]));
    let wrong = reading(Defect::WrongBit, &job(task));
    let reason = wrong.wrong.unwrap_or_default();
    assert!(
        reason.starts_with("1 of 16 threads' sums are not the host's, the first is number 3: "),
        "{reason}"
    );
}

#[test]
fn a_lost_context_is_said_to_be_lost() {
    let failure = laboratory(Defect::Fault).carry_out(&trapezoid(1024)).err();
    assert_eq!(failure.as_ref().map(|failure| failure.lost), Some(true));
    assert!(failure.is_some_and(|failure| failure.reason.contains("(700)")));
}

#[test]
fn the_activity_of_a_step_is_what_the_kernel_counted() {
    let task = Task::Activity {
        algorithm: Algorithm::Naive,
        n: 1024,
        step: 6,
    };
    let right = reading(Defect::None, &job(task.clone()));
    assert_eq!(
        (right.active_threads, right.active_warps),
        (Some(992), Some(31))
    );
    assert_eq!(right.wrong, None);
    let wrong = reading(Defect::WrongBit, &job(task))
        .wrong
        .unwrap_or_default();
    assert!(wrong.starts_with("element 3 of the scan is "), "{wrong}");
}

#[test]
fn a_scan_is_timed_once_for_all_of_its_steps_alone_and_in_a_batch() {
    let step = |step| {
        job(Task::Activity {
            algorithm: Algorithm::Naive,
            n: 64,
            step,
        })
    };
    let mut laboratory = laboratory(Defect::None);
    let mut reading = |step_| match laboratory.carry_out(&step(step_)) {
        Ok(reading) => reading,
        Err(failure) => panic!("{}", failure.reason),
    };
    let (first, last) = (reading(1), reading(6));
    assert_eq!(first.adds, Some(63));
    assert_eq!(last.adds, Some(32));
    // One multiprocessor holds 32 blocks of 64 threads.
    assert_eq!(first.batch_blocks, Some(8 * 32));
    assert!(first.kernel.is_some() && first.batch.is_some());
    assert_eq!((&first.kernel, &first.batch), (&last.kernel, &last.batch));
    assert_eq!(first.wrong, None);
}

#[test]
fn a_scan_that_does_not_run_beside_the_second_kernel_has_no_time_beside_it() {
    // On this device every two marks are equally far apart.
    let task = Task::Concurrent {
        algorithm: Algorithm::Naive,
        n: 64,
    };
    let reading = reading(Defect::None, &job(task));
    assert_eq!(reading.wrong, None);
    assert_eq!(reading.companion_shape, Some((1, 1024)));
    assert!(reading.kernel.is_some() && reading.companion.is_some());
    assert!(reading.kernel_beside.is_none() && reading.companion_beside.is_none());
    assert_eq!(
        reading.remarks,
        [
            "the device has one multiprocessor, and the second kernel leaves none to the scan",
            "the two kernels did not run at the same time: of the second one's, the scans took 0 %"
        ]
    );
}

#[test]
fn a_peer_that_cannot_be_read_costs_its_columns_alone() {
    let peer = Peer::Kernel(PeerKernel {
        cubin: "/nonexistent/x.cubin".into(),
        entry: "quarter_circle_f64".into(),
        dyadic_entry: Some("quarter_circle_f64_dyadic".into()),
    });
    let reading = reading(
        Defect::None,
        &Job {
            peer: Some(peer),
            ..trapezoid(1024)
        },
    );
    assert!(reading.kernel.is_some() && reading.nvcc_kernel.is_none());
    let problem = reading.peer_problem.unwrap_or_default();
    assert!(
        problem.starts_with("--peers: cannot read /nonexistent/x.cubin"),
        "{problem}"
    );
}

/// A cell of `strips` with a peer that was compiled for `compiled` strips.
fn with_peer(defect: Defect, strips: u64, compiled: u64) -> Reading {
    let Ok(file) = tempfile::NamedTempFile::new() else {
        panic!("no file")
    };
    assert!(std::fs::write(file.path(), compiled.to_string()).is_ok());
    let peer = Peer::Kernel(PeerKernel {
        cubin: file.path().into(),
        entry: "quarter_circle_f64".into(),
        dyadic_entry: strips
            .is_power_of_two()
            .then(|| "quarter_circle_f64_dyadic".into()),
    });
    let job = Job {
        peer: Some(peer),
        ..trapezoid(strips)
    };
    reading(defect, &job)
}

#[test]
fn a_peer_is_timed_beside_our_kernel() {
    let reading = with_peer(Defect::None, 1024, 1024);
    assert_eq!(reading.peer_problem, None);
    assert_eq!(
        reading.nvcc_kernel.map(|timing| timing.samples_ms),
        Some(vec![4.0; 3])
    );
    assert!(
        reading.nvcc_dyadic_kernel.is_some(),
        "the form with our algorithm"
    );
    assert_eq!(reading.nvcc_total, reading.total);
}

#[test]
fn a_wrong_bit_of_either_form_of_the_peer_is_said_and_nothing_of_it_timed() {
    for (defect, entry) in [
        (Defect::WrongPeer, "quarter_circle_f64"),
        (Defect::WrongDyadicPeer, "quarter_circle_f64_dyadic"),
    ] {
        let reading = with_peer(defect, 1024, 1024);
        let problem = reading.peer_problem.unwrap_or_default();
        let start = format!(
            "--peers: {entry} is wrong and not timed: 1 of 16 partial sums are not the host's, \
             the first is number 3: "
        );
        assert!(problem.starts_with(&start), "{problem}");
        assert!(reading.nvcc_kernel.is_none() && reading.nvcc_dyadic_kernel.is_none());
        assert_eq!(reading.nvcc_total, None);
        assert_eq!(reading.wrong, None, "ours is right");
        assert!(reading.kernel.is_some());
    }
}

#[test]
fn a_peer_whose_products_are_rounded_may_differ_in_last_bits_and_in_no_more() {
    let near = with_peer(Defect::WrongPeer, 1008, 1008);
    assert_eq!(near.peer_problem, None);
    assert!(near.nvcc_kernel.is_some() && near.nvcc_dyadic_kernel.is_none());
    assert_ne!(near.nvcc_total, None);
    let far = with_peer(Defect::None, 1008, 2016);
    let problem = far.peer_problem.unwrap_or_default();
    assert!(
        problem.starts_with("--peers: quarter_circle_f64 is wrong and not timed: the sum is "),
        "{problem}"
    );
    assert!(far.nvcc_kernel.is_none());
}

#[test]
fn a_limit_has_its_work_and_the_time_of_it() {
    let of = |limit| reading(Defect::None, &job(Task::Limit { limit }));
    let launch = of(Limit::Launch);
    // The events of this device are 4 ms apart.
    let ms = launch.kernel.map(|kernel| kernel.median_ms);
    assert_eq!((launch.work, ms), (Some(1.0), Some(4.0)));
    for (limit, work) in [
        (Limit::LaunchAndWait, 1.0),
        (Limit::CopyOutLatency, 1.0),
        (Limit::CopyIn, 67_108_864.0),
    ] {
        let reading = of(limit);
        assert_eq!(reading.work, Some(work), "{limit:?}");
        assert_eq!(reading.gpu.map(|gpu| gpu.samples_ms.len()), Some(3));
        assert_eq!(reading.wrong, None);
    }
}

#[test]
fn a_dry_run_of_a_limit_has_no_time() {
    let task = Task::Limit {
        limit: Limit::Launch,
    };
    let dry = Job {
        untimed: true,
        ..job(task)
    };
    let reading = reading(Defect::None, &dry);
    assert_eq!((reading.kernel, reading.work), (None, None));
}

#[test]
fn a_chain_that_leaves_its_steps_out_is_wrong() {
    let limit = Limit::FmaLatencyF64;
    let wrong = reading(Defect::None, &job(Task::Limit { limit })).wrong;
    assert!(wrong.is_some_and(|wrong| wrong.starts_with("the chains end at 0")));
}
