//! A workload: our launch of it, and those of the peers, each compared with what it has
//! to give and then timed beside the others and a copy.

use std::path::{Path, PathBuf};

use super::libraries::Libraries;
use super::protocol::{Job, Peer, Reading, Task};
use crate::measure::{Rule, device as timing};
use crate::peers::contestant::Contestant;
use crate::peers::library;
use crate::record::PeerTime;
use crate::workload::memory::{Memory, Size, Turn, rotated_bytes};
use crate::workload::{Workload, ours};
use quadscan::device::Module;
use quadscan::scan::Algorithm;
use quadscan::{Error, Result};

/// An algorithm by its name.
fn by_name(name: &str) -> Result<Algorithm> {
    let found = Algorithm::ALL.into_iter().find(|one| one.name() == name);
    found.ok_or_else(|| unknown("algorithm", name))
}

fn unknown(argument: &str, name: &str) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem: format!("`{name}` is unknown to the measuring process"),
    }
}

/// What a job asks for.
pub(crate) fn asked(task: &Task) -> Result<(Size, Option<Algorithm>)> {
    let Task::Workload {
        operation,
        element,
        n,
        segment,
        algorithm,
    } = task
    else {
        return Err(unknown("task", "another"));
    };
    let size = Size {
        workload: Workload::by_name(operation).ok_or_else(|| unknown("operation", operation))?,
        element: *element,
        n: *n,
        segment: *segment,
    };
    Ok((size, algorithm.as_deref().map(by_name).transpose()?))
}

/// Why there are no offsets of so many elements, if there are none.
fn too_many(size: &Size) -> Option<String> {
    let is_too_many = size.segments() > 0 && u32::try_from(size.n).is_err();
    is_too_many.then(|| {
        format!(
            "the offsets of {} have 32 bits, and count up to {} elements",
            size.workload.name,
            u32::MAX
        )
    })
}

/// Checks a workload, and times it where there is a timer and times are asked for.
pub(super) fn measure(
    module: &Module,
    libraries: &mut Libraries<library::Peer>,
    job: &Job,
) -> Result<Reading> {
    let (size, algorithm) = asked(&job.task)?;
    if let Some(missing) = too_many(&size) {
        return Ok(Reading {
            missing: Some(missing),
            ..Reading::default()
        });
    }
    let device = module.device();
    let is_timed = device.properties().has_timer && !job.untimed;
    let rotated = if is_timed { rotated_bytes(device) } else { 0 };
    let memory = Memory::new(device, size, rotated)?;
    let mut reading = Reading {
        bytes: Some(size.moved()),
        ..Reading::default()
    };
    let mut ours = ours(module, &memory, algorithm, &mut reading)?;
    reading.algorithm = ours
        .as_ref()
        .and_then(|ours| Some(ours.algorithm(memory.size())?.to_owned()));
    if !is_timed || reading.wrong.is_some() {
        return Ok(reading);
    }
    let paths: &[PathBuf] = match &job.peer {
        Some(Peer::Libraries(paths)) => paths,
        _ => &[],
    };
    // SAFETY: the run has built it from `peers/scan`, or has been told that it did.
    let load = |path: &Path| unsafe { library::Peer::load(path) };
    let mut peers = Vec::new();
    for peer in libraries.of(paths, load) {
        let found = match peer {
            Ok(peer) => checked(&memory, peer, &mut reading)?,
            Err(reason) => {
                reading.peer_problem = Some(format!("--peers: {reason}"));
                None
            }
        };
        peers.extend(found);
    }
    if reading.wrong.is_none() {
        let rule = Rule::new(job.repeat);
        times(
            module,
            &memory,
            &rule,
            ours.as_deref_mut(),
            &peers,
            &mut reading,
        )?;
    }
    Ok(reading)
}

/// Our launch, if there is one, whose result is right or in the reading what is wrong.
fn ours(
    module: &Module,
    memory: &Memory,
    algorithm: Option<Algorithm>,
    reading: &mut Reading,
) -> Result<Option<Box<dyn ours::Launch>>> {
    let launched = ours::plan(module, memory.size(), algorithm).and_then(|plan| {
        let Some(mut plan) = plan else {
            return Ok(None);
        };
        plan.launch(memory, 0)?;
        Ok(Some(plan))
    });
    match launched {
        Ok(Some(plan)) => {
            let wrong = memory.difference()?;
            reading.wrong = wrong.map(|wrong| format!("{}: {wrong}", memory.size().workload.name));
            Ok(Some(plan))
        }
        Ok(None) => {
            let workload = memory.size().workload.name;
            let element = memory.size().element.name();
            reading.missing = Some(format!("quadscan has no {workload} of {element}"));
            Ok(None)
        }
        // It says what rules the algorithm out: operator, device, addresses or elements.
        Err(error @ Error::Argument { .. }) if algorithm.is_some() => {
            reading.missing = Some(error.to_string());
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// A peer whose result is right. What it has not is no matter; what is wrong is in the
/// reading.
fn checked<'a>(
    memory: &Memory,
    peer: &'a library::Peer,
    reading: &mut Reading,
) -> Result<Option<Contestant<'a>>> {
    match Contestant::new(peer, memory) {
        Ok(Some(Ok(contestant))) => Ok(Some(contestant)),
        Ok(Some(Err(wrong))) => {
            reading.wrong = Some(wrong);
            Ok(None)
        }
        Ok(None) => Ok(None),
        Err(error) if error.is_context_lost() => Err(error),
        Err(error) => {
            reading.peer_problem = Some(format!("--peers: {error}"));
            Ok(None)
        }
    }
}

/// Times all of them, a sample of each in every round.
fn times(
    module: &Module,
    memory: &Memory,
    rule: &Rule,
    ours: Option<&mut (dyn ours::Launch + 'static)>,
    peers: &[Contestant<'_>],
    reading: &mut Reading,
) -> Result<()> {
    let device = module.device();
    let is_ours = ours.is_some();
    let mut works: Vec<Box<dyn FnMut() -> Result<()> + '_>> = Vec::new();
    if let Some(ours) = ours {
        let turn = Turn::default();
        works.push(Box::new(move || ours.launch(memory, memory.next(&turn))));
    }
    let turn = Turn::default();
    works.push(Box::new(move || memory.copy(module, memory.next(&turn))));
    for peer in peers {
        let turn = Turn::default();
        works.push(Box::new(move || peer.launch(memory, memory.next(&turn))));
    }
    let mut launches: Vec<timing::Launch<'_>> = works
        .iter_mut()
        .map(|work| work.as_mut() as timing::Launch<'_>)
        .collect();
    let mut measured = timing::kernels_and_methods(rule, device, &mut launches)?.into_iter();
    if is_ours && let Some(ours) = measured.next() {
        reading.kernel = Some(ours.timing);
        reading.kernel_method = Some(ours.method);
    }
    reading.copy = measured.next().map(|copy| copy.timing);
    reading.copy_bytes = Some(memory.size().copy_moved());
    reading.peers = peers
        .iter()
        .zip(measured)
        .map(|(contestant, measured)| PeerTime {
            name: contestant.peer().name().to_owned(),
            version: contestant.peer().version().to_owned(),
            timing: measured.timing,
            method: measured.method.to_string(),
        })
        .collect();
    Ok(())
}

#[cfg(test)]
#[path = "workload_tests.rs"]
mod tests;
