//! Several measuring processes as one: each measures every cell, so that what
//! differs from process to process is in the samples of a run.
//!
//! The first one checks the result and times the peers, and ours with a cold cache, as
//! a single process does.
//! The others take a few samples each of the same launches, and their result has to
//! have the same bits. Only one of them works at a time. Why this is needed stands
//! in [`crate::timing::comparison`].

use std::time::Duration;

use super::Executor;
use super::protocol::Job;
use crate::measure::{Measurement, Sampling};
use crate::record::{Metric, Record, Status};
use crate::timing::Timing;

/// Samples that a process takes of each time when nothing else is asked for.
const SAMPLES: u32 = 3;

/// A kernel this long is timed once a process, ms.
const VERY_LONG_MS: f64 = 100.0;

/// Measuring processes that hold the same device.
pub struct Pool<E> {
    members: Vec<E>,
}

impl<E: Executor> Pool<E> {
    /// A pool of these.
    pub fn new(members: Vec<E>) -> Self {
        Pool { members }
    }
}

/// Fewer samples of what takes long.
fn samples(job: &Job, first: &Record) -> u32 {
    match job.sampling.repeat {
        Some(repeat) => repeat,
        None if first.ms("kernel").is_some_and(|ms| ms > VERY_LONG_MS) => 1,
        None => SAMPLES,
    }
}

/// What all processes had to say about how they measured: the clocks from before the
/// first to after the last, and every remark once.
fn add_conditions(first: &mut Record, other: &Record) {
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

/// Of a metric what all processes say together: the samples of a time that all of them have, and
/// whether something is so in every process that looked.
fn add_metrics(first: &mut Record, others: &[Record]) {
    for (name, metric) in first.metrics.iter_mut() {
        match metric {
            Metric::Time(time) => {
                let of_others = others.iter().map(|other| other.timing(name).cloned());
                let own = std::iter::once(Some(time.timing.clone()));
                let all: Option<Vec<Timing>> = own.chain(of_others).collect();
                if let Some(together) = all.as_deref().and_then(Timing::of_processes) {
                    time.timing = together;
                }
            }
            Metric::Flag(flag) => {
                let mut of_others = others.iter().filter_map(|other| other.metrics.flag(name));
                *flag = *flag && of_others.all(|flag| flag);
            }
            Metric::Number(..) | Metric::Count(_) | Metric::Text(_) => {}
        }
    }
}

impl<E: Executor> Executor for Pool<E> {
    fn run(&mut self, job: &Job, limit: Duration) -> Result<Measurement, String> {
        let Some((first, others)) = self.members.split_first_mut() else {
            return Err("there is no measuring process".into());
        };
        let with = |sampling: Sampling| Job {
            sampling,
            ..job.clone()
        };
        let mut measured = first.run(
            &with(Sampling {
                repeat: Some(job.sampling.repeat.unwrap_or(SAMPLES)),
                ..job.sampling.clone()
            }),
            limit,
        )?;
        let record = &mut measured.record;
        if record.status != Status::Ok || record.ms("kernel").is_none() {
            return Ok(measured);
        }
        let again = with(Sampling {
            repeat: Some(samples(job, record)),
            peers: Vec::new(),
            cold: false,
            checked: true,
            ..job.sampling.clone()
        });
        let mut records = Vec::new();
        for (index, member) in others.iter_mut().enumerate() {
            let other = member.run(&again, limit)?;
            let process = index + 2;
            let wrong = match &other.record.reason {
                Some(reason) if other.record.status == Status::Failed => {
                    Some(format!("measuring process {process}: {reason}"))
                }
                _ if other.bits == measured.bits => None,
                _ => Some(format!(
                    "measuring process {process} has a result with the bits {:x?}, the first one \
                     with {:x?}",
                    other.bits, measured.bits
                )),
            };
            if let Some(wrong) = wrong {
                (record.status, record.reason) = (Status::Failed, Some(wrong));
                return Ok(measured);
            }
            add_conditions(record, &other.record);
            records.push(other.record);
        }
        add_metrics(record, &records);
        Ok(measured)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cell, Clocks, HostInfo};

    /// Answers with a time, and keeps what it was asked.
    struct Member {
        ms: f64,
        bits: Option<u64>,
        wrong: Option<String>,
        repeats: Option<bool>,
        asked: Vec<Job>,
    }

    impl Executor for Member {
        fn run(&mut self, job: &Job, _limit: Duration) -> Result<Measurement, String> {
            self.asked.push(job.clone());
            let mut record = Record::new("", &job.table, &job.cell, &HostInfo::current());
            let samples = vec![self.ms; job.sampling.repeat.unwrap_or(7) as usize];
            record.metrics.put("kernel", Timing::from_samples(samples));
            record.metrics.put("repeats", self.repeats);
            if !job.sampling.peers.is_empty() {
                record
                    .metrics
                    .put("nvcc_kernel", Timing::from_samples(vec![1.0]));
            }
            record.clocks = Some(Clocks {
                sm_before_mhz: Some(100 + self.ms as u32),
                sm_after_mhz: Some(200 + self.ms as u32),
                throttled: vec!["heat".into(), format!("{}", self.ms)],
                ..Clocks::default()
            });
            record.remarks = vec!["of all".into()];
            if let Some(wrong) = &self.wrong {
                (record.status, record.reason) = (Status::Failed, Some(wrong.clone()));
            }
            Ok(Measurement {
                record,
                notices: Vec::new(),
                bits: self.bits,
            })
        }
    }

    fn pool(times: &[f64]) -> Pool<Member> {
        let member = |&ms: &f64| Member {
            ms,
            bits: Some(5),
            wrong: None,
            repeats: None,
            asked: Vec::new(),
        };
        Pool::new(times.iter().map(member).collect())
    }

    fn run(pool: &mut Pool<Member>, repeat: Option<u32>) -> Record {
        let job = Job {
            id: 1,
            table: "limits".into(),
            cell: Cell::default(),
            sampling: Sampling {
                repeat,
                peers: vec!["x".into()],
                cold: true,
                ..Sampling::default()
            },
        };
        let run = pool.run(&job, Duration::from_secs(1));
        run.expect("nothing fails").record
    }

    fn kernel(record: &Record) -> &Timing {
        record.timing("kernel").expect("a time")
    }

    #[test]
    fn every_process_is_a_draw_and_the_peers_are_timed_once() {
        let mut pool = pool(&[1.0, 2.0, 3.0]);
        let record = run(&mut pool, None);
        assert_eq!(kernel(&record).draws(), [1.0, 2.0, 3.0]);
        assert_eq!(kernel(&record).samples_ms.len(), 9);
        let peer = record.timing("nvcc_kernel");
        assert!(peer.is_some_and(|timing| timing.processes.is_empty()));
        let asked = pool.members.iter().map(|member| &member.asked[0].sampling);
        let asked: Vec<(bool, bool)> = asked
            .map(|asked| (!asked.peers.is_empty() && asked.cold, asked.checked))
            .collect();
        assert_eq!(asked, [(true, false), (false, true), (false, true)]);
    }

    #[test]
    fn what_the_processes_had_to_say_is_said_once() {
        let record = run(&mut pool(&[1.0, 2.0]), None);
        assert_eq!(record.remarks, ["of all"]);
        let clocks = record.clocks.unwrap_or_default();
        let mhz = (clocks.sm_before_mhz, clocks.sm_after_mhz);
        assert_eq!(mhz, (Some(101), Some(202)));
        assert_eq!(clocks.throttled, ["heat", "1", "2"]);
    }

    #[test]
    fn a_kernel_that_takes_long_is_timed_once_by_the_others() {
        let counts = |ms, repeat| kernel(&run(&mut pool(&[ms; 3]), repeat)).processes.clone();
        assert_eq!(counts(99.0, None), [3, 3, 3]);
        assert_eq!(counts(101.0, None), [3, 1, 1]);
        assert_eq!(counts(101.0, Some(2)), [2, 2, 2]);
    }

    #[test]
    fn what_is_wrong_in_any_process_is_wrong() {
        let mut pool = pool(&[1.0; 4]);
        pool.members[2].wrong = Some("a step has other sums".into());
        pool.members[3].wrong = Some("another".into());
        let record = run(&mut pool, None);
        assert_eq!(
            record.reason.as_deref(),
            Some("measuring process 3: a step has other sums")
        );
    }

    #[test]
    fn launches_that_repeat_do_so_in_every_process_that_looked() {
        let all = |each: [Option<bool>; 3]| {
            let mut pool = pool(&[1.0; 3]);
            for (member, repeats) in pool.members.iter_mut().zip(each) {
                member.repeats = repeats;
            }
            run(&mut pool, None).metrics.flag("repeats")
        };
        assert_eq!(all([Some(true); 3]), Some(true));
        assert_eq!(all([Some(true), Some(true), Some(false)]), Some(false));
        assert_eq!(all([Some(true), None, Some(true)]), Some(true));
        assert_eq!(all([None; 3]), None);
    }

    #[test]
    fn other_bits_in_another_process_are_wrong() {
        let mut pool = pool(&[1.0; 3]);
        pool.members[2].bits = Some(6);
        let record = run(&mut pool, None);
        assert_eq!(
            record.reason.as_deref(),
            Some(
                "measuring process 3 has a result with the bits Some(6), the first one with Some(5)"
            )
        );
    }
}
