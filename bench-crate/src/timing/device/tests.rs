//! Ways of launching, flushes and rules, on a device whose launches take as long as
//! they are told to. Times are sums of powers of two, so that they are exact.

use super::fake::Clockwork;
use super::*;

/// A short kernel: a graph of 1024 takes 2 ms.
const SHORT: f64 = 1.0 / 512.0;

/// The times of kernels that take as long as `lengths`.
fn measured(clockwork: &Clockwork, has_graphs: bool, lengths: &[f64]) -> Vec<Measured> {
    let device = clockwork.device(has_graphs, None, 0.0);
    let mut works: Vec<_> = lengths
        .iter()
        .map(|&ms| move || clockwork.work(ms))
        .collect();
    let mut launches: Vec<Launch<'_>> = works.iter_mut().map(|work| work as Launch<'_>).collect();
    match kernels_and_methods(&Rule::new(Some(4)), &device, &mut launches) {
        Ok(measured) => measured,
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn a_short_kernel_is_timed_by_replays_of_a_graph_of_two_milliseconds() {
    let clockwork = Clockwork::default();
    let measured = measured(&clockwork, true, &[SHORT]);
    assert_eq!(measured[0].method, Method::Graph(1024));
    assert_eq!(measured[0].timing.samples_ms, [SHORT; 4]);
    let state = clockwork.state();
    // The samples, and up to two windows of three to warm up.
    assert!((4 + 1..=4 + 2 * 3).contains(&state.graph_launches));
    assert!(state.launches < 1024, "the graph does the rest");
}

#[test]
fn a_short_kernel_is_timed_in_batches_where_there_are_no_graphs() {
    let clockwork = Clockwork::default();
    let measured = measured(&clockwork, false, &[SHORT]);
    assert_eq!(measured[0].method, Method::Batch(1024));
    assert_eq!(measured[0].timing.samples_ms, [SHORT; 4]);
    assert!(clockwork.state().launches > 4 * 1024);
}

#[test]
fn long_kernels_are_single_launches_beside_a_short_ones_graph() {
    let clockwork = Clockwork::default();
    let measured = measured(&clockwork, true, &[SHORT, 8.0, 512.0]);
    let methods: Vec<Method> = measured.iter().map(|kernel| kernel.method).collect();
    assert_eq!(
        methods,
        [Method::Graph(1024), Method::Single, Method::Single]
    );
    let medians: Vec<f64> = measured
        .iter()
        .map(|kernel| kernel.timing.median_ms)
        .collect();
    assert_eq!(medians, [SHORT, 8.0, 512.0]);
}

#[test]
fn a_very_long_kernel_is_launched_once_before_it_is_measured() {
    let clockwork = Clockwork::default();
    measured(&clockwork, true, &[512.0]);
    assert_eq!(clockwork.state().launches, 1 + 4);
}

#[test]
fn work_that_waits_cannot_be_recorded_and_is_timed_in_batches() {
    let clockwork = Clockwork::default();
    let device = clockwork.device(true, None, 0.0);
    let mut work = || {
        clockwork.work(SHORT)?;
        device.synchronize()
    };
    let measured = match kernels_and_methods(&Rule::new(Some(4)), &device, &mut [&mut work]) {
        Ok(measured) => measured,
        Err(e) => panic!("{e}"),
    };
    assert_eq!(measured[0].method, Method::Batch(1024));
    assert_eq!(measured[0].timing.samples_ms, [SHORT; 4]);
}

fn cold(clockwork: &Clockwork, rule: &Rule, cache: Option<u32>) -> Option<Cold> {
    let device = clockwork.device(true, cache, 0.25);
    match kernel_cold(rule, &device, &mut || clockwork.work(0.5)) {
        Ok(cold) => cold,
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn every_cold_launch_follows_a_flush_of_twice_the_cache_and_the_events_time_is_told() {
    let clockwork = Clockwork::default();
    let Some(cold) = cold(&clockwork, &Rule::new(None), Some(1 << 20)) else {
        panic!("nothing was measured")
    };
    assert_eq!(
        cold.kernel.samples_ms, [0.75; 11],
        "with an event's time in it"
    );
    assert_eq!(cold.events.samples_ms, [0.25; 11]);
    let state = clockwork.state();
    assert_eq!(state.allocated, [2 << 20]);
    assert!(state.fills.iter().all(|&(_, bytes)| bytes == 2 << 20));
    // Each launch, and each empty pair of events.
    assert_eq!(state.fills.len(), state.launches + 11);
    let values: Vec<u8> = state.fills.iter().map(|fill| fill.0).collect();
    assert!(
        values.windows(2).all(|pair| pair[0] != pair[1]),
        "{values:?}"
    );
}

#[test]
fn a_very_long_kernel_is_launched_cold_three_times() {
    let clockwork = Clockwork::default();
    let device = clockwork.device(true, Some(1), 0.0);
    let cold = kernel_cold(&Rule::new(None), &device, &mut || clockwork.work(512.0));
    let samples = cold.map(|cold| cold.map(|cold| cold.kernel.samples_ms));
    assert_eq!(samples.ok().flatten(), Some(vec![512.0; 3]));
}

#[test]
fn as_many_cold_samples_as_asked_for() {
    let cold = cold(&Clockwork::default(), &Rule::new(Some(3)), Some(1));
    assert_eq!(cold.map(|cold| cold.kernel.samples_ms.len()), Some(3));
}

#[test]
fn a_cache_of_unknown_size_is_not_flushed_and_nothing_is_called_cold() {
    for unknown in [None, Some(0)] {
        let clockwork = Clockwork::default();
        assert_eq!(cold(&clockwork, &Rule::new(None), unknown), None);
        assert_eq!(clockwork.state().launches, 0);
    }
}
