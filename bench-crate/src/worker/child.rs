//! The run's side of the measuring process: starts it, gives it jobs, waits no
//! longer than the limit, and starts another one after a death.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child as Process, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::Executor;
use super::protocol::{Answer, Greeting, Job};
use crate::measure::Measurement;
use crate::record::DeviceInfo;

/// The longest time from the start to the first answer: the driver's start, a
/// context, and the PTX's compilation.
const START_LIMIT: Duration = Duration::from_secs(120);

/// Starts in a row that may fail before the rest of the run is given up.
const FAILED_STARTS: u32 = 2;

/// What the first line of a measuring process said.
pub enum Start {
    /// It is ready.
    Ready(Box<Child>, Box<Greeting>),
    /// There is no such device.
    NoDevice(String),
    /// The request cannot be carried out on the device.
    Refused(String),
}

/// A measuring process that is restarted when it dies.
pub struct Child {
    program: Program,
    /// What the first process held: the rows of a run are of one device.
    device: DeviceInfo,
    running: Option<Running>,
    failed_starts: u32,
}

/// How the process is started.
#[derive(Clone, Debug)]
pub struct Program {
    /// The executable.
    pub executable: std::path::PathBuf,
    /// Its arguments.
    pub arguments: Vec<std::ffi::OsString>,
    /// The longest time to its first line.
    pub start_limit: Duration,
}

impl Program {
    /// A program with the usual limit for its start.
    pub fn new(executable: std::path::PathBuf, arguments: Vec<std::ffi::OsString>) -> Self {
        Program {
            executable,
            arguments,
            start_limit: START_LIMIT,
        }
    }
}

struct Running {
    process: Process,
    /// `None` once closed, which asks the process to end.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

enum Silence {
    TimedOut,
    Ended,
    Garbage(String),
}

impl Running {
    fn start(program: &Program) -> Result<Self, String> {
        let mut process = Command::new(&program.executable)
            .args(&program.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", program.executable.display()))?;
        let input = process.stdin.take();
        let (sender, lines) = channel();
        if let Some(output) = process.stdout.take() {
            std::thread::spawn(move || {
                let received = BufReader::new(output).lines().map_while(Result::ok);
                for line in received {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        Ok(Running {
            process,
            input,
            lines,
        })
    }

    fn answer(&self, limit: Duration) -> Result<Answer, Silence> {
        match self.lines.recv_timeout(limit) {
            Ok(line) => serde_json::from_str(&line).map_err(|_| Silence::Garbage(line)),
            Err(RecvTimeoutError::Timeout) => Err(Silence::TimedOut),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Ended),
        }
    }

    fn ask(&mut self, job: &Job) -> std::io::Result<()> {
        let line = serde_json::to_string(job)? + "\n";
        match &mut self.input {
            Some(input) => input
                .write_all(line.as_bytes())
                .and_then(|()| input.flush()),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Kills it when it has not ended, and says how it ended.
    fn end(mut self) -> String {
        // An error means that it has ended already.
        let _ = self.process.kill();
        match self.process.wait() {
            Ok(status) => status.to_string(),
            Err(e) => e.to_string(),
        }
    }

    /// How it ended by itself, waiting a little for a process whose output is
    /// closed already.
    fn ended(mut self) -> String {
        for _ in 0..100 {
            if let Ok(Some(status)) = self.process.try_wait() {
                return status.to_string();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.end()
    }
}

impl Child {
    /// Starts a measuring process and waits for its first line. Err in one
    /// sentence when it says nothing that is understood.
    pub fn start(program: Program) -> Result<Start, String> {
        let running = Running::start(&program)?;
        match running.answer(program.start_limit) {
            Ok(Answer::Ready(greeting)) => {
                let child = Child {
                    program,
                    device: greeting.device.clone(),
                    running: Some(running),
                    failed_starts: 0,
                };
                Ok(Start::Ready(Box::new(child), greeting))
            }
            Ok(Answer::NoDevice { reason }) => {
                running.ended();
                Ok(Start::NoDevice(reason))
            }
            Ok(Answer::Refused { reason }) => {
                running.ended();
                Ok(Start::Refused(reason))
            }
            Ok(other) => {
                running.end();
                Err(format!("its first line is not a greeting: {other:?}"))
            }
            Err(Silence::Garbage(line)) => {
                running.end();
                Err(format!("its first line is not a greeting: {line}"))
            }
            Err(Silence::TimedOut) => {
                running.end();
                Err(format!(
                    "it did not answer within {} s",
                    program.start_limit.as_secs()
                ))
            }
            Err(Silence::Ended) => Err(format!(
                "it ended before its first line: {}",
                running.ended()
            )),
        }
    }

    /// A running process: the one that is there, or a new one.
    fn running(&mut self) -> Result<Running, String> {
        if let Some(running) = self.running.take() {
            return Ok(running);
        }
        if self.failed_starts >= FAILED_STARTS {
            return Err("the measuring process could not be started again".into());
        }
        let failure = match Child::start(self.program.clone()) {
            // The best device may be another one now.
            Ok(Start::Ready(_, greeting)) if greeting.device != self.device => format!(
                "it has another device: {}, not {}",
                greeting.device.name, self.device.name
            ),
            Ok(Start::Ready(mut child, _)) => match child.running.take() {
                Some(running) => {
                    self.failed_starts = 0;
                    return Ok(running);
                }
                None => "it did not start".to_owned(),
            },
            Ok(Start::NoDevice(reason) | Start::Refused(reason)) | Err(reason) => reason,
        };
        self.failed_starts += 1;
        Err(format!(
            "the measuring process could not be started again: {failure}"
        ))
    }
}

impl Executor for Child {
    fn run(&mut self, job: &Job, limit: Duration) -> Result<Measurement, String> {
        let mut running = self.running()?;
        if running.ask(job).is_err() {
            return Err(format!("the measuring process died: {}", running.ended()));
        }
        match running.answer(limit) {
            Ok(Answer::Done { id, measurement }) if id == job.id => {
                self.running = Some(running);
                Ok(*measurement)
            }
            Ok(Answer::Failed {
                id,
                reason,
                entries,
                lost,
            }) if id == job.id => {
                if lost {
                    running.end();
                } else {
                    self.running = Some(running);
                }
                Ok(Measurement::failed(&job.table, &job.cell, reason, entries))
            }
            Ok(_) => {
                running.end();
                Err("the measuring process answered another question".into())
            }
            Err(Silence::Garbage(line)) => {
                running.end();
                let shown: String = line.chars().take(60).collect();
                Err(format!(
                    "the measuring process gave an invalid answer: `{shown}`"
                ))
            }
            Err(Silence::TimedOut) => {
                running.end();
                Err(format!(
                    "no result within {} s, the measuring process was killed",
                    limit.as_secs_f64()
                ))
            }
            Err(Silence::Ended) => Err(format!("the measuring process died: {}", running.ended())),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // The end of its input asks it to end; a healthy one does.
            running.input = None;
            running.ended();
        }
    }
}
