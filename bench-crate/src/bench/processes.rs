//! Starts the measuring processes of a run that is to be compared.

use crate::worker::child::{Child, Program, Start};
use crate::worker::pool::Pool;
use crate::worker::protocol::Greeting;

/// This process and others like it, started at the same time; and what to say when
/// not all of them hold the device.
pub(super) fn pool(
    program: &Program,
    first: Child,
    greeting: &Greeting,
    processes: u32,
) -> (Pool<Child>, Option<String>) {
    let starts: Vec<_> = std::thread::scope(|scope| {
        let starting: Vec<_> = (1..processes)
            .map(|_| scope.spawn(|| Child::start(program.clone())))
            .collect();
        let started = starting.into_iter().map(|thread| thread.join());
        started.collect()
    });
    let mut members = vec![first];
    let mut problem = None;
    for start in starts {
        match start {
            Ok(Ok(Start::Ready(child, other))) if other.device == greeting.device => {
                members.push(*child);
            }
            Ok(Ok(Start::Ready(..))) => problem = Some("it has another device".to_owned()),
            Ok(Ok(Start::NoDevice(reason) | Start::Refused(reason)) | Err(reason)) => {
                problem = Some(reason);
            }
            Err(_) => problem = Some("its thread ended".to_owned()),
        }
    }
    let notice = problem.map(|problem| {
        format!(
            "{} of {processes} measuring processes hold the device, another one does not: {problem}",
            members.len()
        )
    });
    (Pool::new(members), notice)
}
