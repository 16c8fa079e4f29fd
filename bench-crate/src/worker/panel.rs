//! Several measuring processes as one: each measures every cell, so that what
//! differs from process to process is in the samples of a run.
//!
//! The first one checks the result and times the peers, and ours with a cold cache, as
//! a single process does.
//! The others take a few samples each of the same launch, and their total has to
//! have the same bits. Only one of them works at a time. Why this is needed stands
//! in [`crate::measure::comparison`].

use std::time::Duration;

use super::Executor;
use super::protocol::{Job, Reading};
use crate::measure::Timing;

/// Samples that a process takes of each time when nothing else is asked for.
const SAMPLES: u32 = 3;

/// A kernel this long is timed once a process, ms.
const VERY_LONG_MS: f64 = 100.0;

/// Measuring processes that hold the same device.
pub struct Panel<E> {
    members: Vec<E>,
}

impl<E: Executor> Panel<E> {
    /// A panel of these.
    pub fn new(members: Vec<E>) -> Self {
        Panel { members }
    }
}

/// Fewer samples of what takes long.
fn samples(job: &Job, first: &Reading) -> u32 {
    let long = |timing: &Timing| timing.median_ms > VERY_LONG_MS;
    match job.repeat {
        Some(repeat) => repeat,
        None if first.kernel.as_ref().is_some_and(long) => 1,
        None => SAMPLES,
    }
}

/// What all processes had to say about how they measured: the clocks from before the
/// first to after the last, and every remark once.
fn conditions(first: &mut Reading, others: &[Reading]) {
    for other in others {
        if let (Some(ours), Some(theirs)) = (&mut first.clocks, &other.clocks) {
            ours.sm_after_mhz = theirs.sm_after_mhz;
            for reason in &theirs.throttled {
                if !ours.throttled.contains(reason) {
                    ours.throttled.push(reason.clone());
                }
            }
        }
        for remark in &other.remarks {
            if !first.remarks.contains(remark) {
                first.remarks.push(remark.clone());
            }
        }
    }
}

/// What any process found wrong, the first of them, and whether launches repeated in
/// every process that looked.
fn findings(first: &mut Reading, others: &[Reading]) {
    for (index, other) in others.iter().enumerate() {
        if let (None, Some(wrong)) = (&first.wrong, &other.wrong) {
            first.wrong = Some(format!("measuring process {}: {wrong}", index + 2));
        }
        first.repeats = match (first.repeats, other.repeats) {
            (Some(ours), Some(theirs)) => Some(ours && theirs),
            (ours, theirs) => ours.or(theirs),
        };
    }
}

/// The times of all processes as one of each kind; the first one's where another
/// has none.
fn merged(mut readings: Vec<Reading>) -> Option<Reading> {
    if let Some((first, others)) = readings.split_first_mut() {
        conditions(first, others);
        findings(first, others);
    }
    let mut all: Vec<_> = readings.iter_mut().map(Reading::pooled_timings).collect();
    let (first, others) = all.split_first_mut()?;
    for (index, timing) in first.iter_mut().enumerate() {
        let of_others = others.iter().map(|timings| timings[index].clone());
        let of_all: Option<Vec<Timing>> =
            std::iter::once(timing.clone()).chain(of_others).collect();
        if let Some(together) = of_all.as_deref().and_then(Timing::of_processes) {
            **timing = Some(together);
        }
    }
    drop(all);
    readings.into_iter().next()
}

impl<E: Executor> Executor for Panel<E> {
    fn run(&mut self, job: &Job, limit: Duration) -> Result<Reading, String> {
        let Some((first, others)) = self.members.split_first_mut() else {
            return Err("there is no measuring process".into());
        };
        let asked = Job {
            repeat: Some(job.repeat.unwrap_or(SAMPLES)),
            ..job.clone()
        };
        let reading = first.run(&asked, limit)?;
        if reading.wrong.is_some() || reading.kernel.is_none() {
            return Ok(reading);
        }
        let again = Job {
            repeat: Some(samples(job, &reading)),
            peer: None,
            cold: false,
            checked: true,
            ..job.clone()
        };
        let mut readings = vec![reading];
        for (index, member) in others.iter_mut().enumerate() {
            let reading = member.run(&again, limit)?;
            let same = reading.total.map(f64::to_bits) == readings[0].total.map(f64::to_bits);
            if job.task.has_an_order() && !same {
                readings.truncate(1);
                readings[0].wrong = Some(format!(
                    "measuring process {} has the sum {:?}, the first one {:?}",
                    index + 2,
                    reading.total,
                    readings[0].total
                ));
                break;
            }
            readings.push(reading);
        }
        merged(readings).ok_or_else(|| "there is no measuring process".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::{Finish, Mapping, Partials, Way};
    use crate::record::Clocks;
    use crate::worker::protocol::{Diagnostic, Task};

    /// Answers with a time, and keeps what it was asked.
    struct Member {
        ms: f64,
        total: f64,
        wrong: Option<String>,
        repeats: Option<bool>,
        asked: Vec<Job>,
    }

    impl Executor for Member {
        fn run(&mut self, job: &Job, _limit: Duration) -> Result<Reading, String> {
            self.asked.push(job.clone());
            let samples = vec![self.ms; job.repeat.unwrap_or(7) as usize];
            Ok(Reading {
                total: Some(self.total),
                kernel: Timing::from_samples(samples),
                clocks: Some(Clocks {
                    sm_before_mhz: Some(100 + self.ms as u32),
                    sm_after_mhz: Some(200 + self.ms as u32),
                    throttled: vec!["heat".into(), format!("{}", self.ms)],
                    ..Clocks::default()
                }),
                remarks: vec!["of all".into()],
                wrong: self.wrong.clone(),
                repeats: self.repeats,
                nvcc_kernel: job.peer.as_ref().and(Timing::from_samples(vec![1.0])),
                ..Reading::default()
            })
        }
    }

    fn panel(times: &[f64]) -> Panel<Member> {
        let member = |&ms: &f64| Member {
            ms,
            total: 0.5,
            wrong: None,
            repeats: None,
            asked: Vec::new(),
        };
        Panel::new(times.iter().map(member).collect())
    }

    fn run(panel: &mut Panel<Member>, repeat: Option<u32>) -> Reading {
        let task = Task::Diagnostic {
            kind: Diagnostic::Healthy,
        };
        run_task(panel, repeat, task)
    }

    fn run_task(panel: &mut Panel<Member>, repeat: Option<u32>, task: Task) -> Reading {
        let job = Job {
            id: 1,
            task,
            repeat,
            peer: Some(crate::worker::protocol::Peer::Libraries(vec!["x".into()])),
            cold: true,
            checked: false,
            untimed: false,
        };
        match panel.run(&job, Duration::from_secs(1)) {
            Ok(reading) => reading,
            Err(e) => panic!("{e}"),
        }
    }

    fn kernel(reading: &Reading) -> Timing {
        match &reading.kernel {
            Some(timing) => timing.clone(),
            None => panic!("no time"),
        }
    }

    #[test]
    fn every_process_is_a_draw_and_the_peers_are_timed_once() {
        let mut panel = panel(&[1.0, 2.0, 3.0]);
        let reading = run(&mut panel, None);
        assert_eq!(kernel(&reading).draws(), [1.0, 2.0, 3.0]);
        assert_eq!(kernel(&reading).samples_ms.len(), 9);
        assert!(reading.nvcc_kernel.is_some_and(|t| t.processes.is_empty()));
        let asked: Vec<(bool, bool)> = panel
            .members
            .iter()
            .map(|member| &member.asked[0])
            .map(|job| (job.peer.is_some() && job.cold, job.checked))
            .collect();
        assert_eq!(asked, [(true, false), (false, true), (false, true)]);
    }

    #[test]
    fn what_the_processes_had_to_say_is_said_once() {
        let reading = run(&mut panel(&[1.0, 2.0]), None);
        assert_eq!(reading.remarks, ["of all"]);
        let clocks = reading.clocks.unwrap_or_default();
        let mhz = (clocks.sm_before_mhz, clocks.sm_after_mhz);
        assert_eq!(mhz, (Some(101), Some(202)));
        assert_eq!(clocks.throttled, ["heat", "1", "2"]);
    }

    #[test]
    fn a_kernel_that_takes_long_is_timed_once_by_the_others() {
        let counts = |ms, repeat| kernel(&run(&mut panel(&[ms; 3]), repeat)).processes;
        assert_eq!(counts(99.0, None), [3, 3, 3]);
        assert_eq!(counts(101.0, None), [3, 1, 1]);
        assert_eq!(counts(101.0, Some(2)), [2, 2, 2]);
    }

    #[test]
    fn additions_without_an_order_may_have_another_sum_in_another_process() {
        let mut panel = panel(&[1.0; 3]);
        panel.members[2].total = 0.25;
        let way = Way {
            mapping: Mapping::Contiguous,
            partials: Partials::Registers,
            finish: Finish::Atomics,
        };
        let reading = run_task(&mut panel, None, mapping(way));
        assert_eq!(reading.wrong, None);
        let reading = run_task(
            &mut panel,
            None,
            mapping(Way {
                finish: Finish::Host,
                ..way
            }),
        );
        assert!(reading.wrong.is_some());
    }

    fn mapping(way: Way) -> Task {
        Task::Mapping {
            way,
            strips: 64,
            blocks: 2,
            threads: 32,
        }
    }

    #[test]
    fn what_is_wrong_in_any_process_is_wrong() {
        let mut panel = panel(&[1.0; 4]);
        panel.members[2].wrong = Some("a step has other sums".into());
        panel.members[3].wrong = Some("another".into());
        let reading = run(&mut panel, None);
        assert_eq!(
            reading.wrong.as_deref(),
            Some("measuring process 3: a step has other sums")
        );
    }

    #[test]
    fn launches_that_repeat_do_so_in_every_process_that_looked() {
        let all = |each: [Option<bool>; 3]| {
            let mut panel = panel(&[1.0; 3]);
            for (member, repeats) in panel.members.iter_mut().zip(each) {
                member.repeats = repeats;
            }
            run(&mut panel, None).repeats
        };
        assert_eq!(all([Some(true); 3]), Some(true));
        assert_eq!(all([Some(true), Some(true), Some(false)]), Some(false));
        assert_eq!(all([Some(true), None, Some(true)]), Some(true));
        assert_eq!(all([None, Some(false), None]), Some(false));
        assert_eq!(all([None; 3]), None);
    }

    #[test]
    fn another_sum_in_another_process_is_wrong() {
        let mut panel = panel(&[1.0; 3]);
        panel.members[2].total = 0.25;
        let reading = run(&mut panel, None);
        assert_eq!(
            reading.wrong.as_deref(),
            Some("measuring process 3 has the sum Some(0.25), the first one Some(0.5)")
        );
    }
}
