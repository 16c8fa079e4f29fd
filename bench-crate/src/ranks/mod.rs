//! The processes that `mpirun` or `srun` has started with this one, and messages between them; one
//! process where nothing of the kind has.
//!
//! A message is a header, with the sender and the number of bytes, and the bytes. Errors that all
//! processes learn of (`Ranks::agree`) are said by the first one alone; any other ends all of them.

mod mpi;

use std::env;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use quadscan::device::{DeviceChoice, Devices};

use crate::error::{Error, Result};
use mpi::Calls;

/// The variable that names the library of MPI, or is `off` where the program shall not use any.
pub const MPI: &str = "QUADSCAN_MPI";

/// Variables with the number of processes that those who start them set: Open MPI; MPICH, and SLURM
/// with PMI2; SLURM with PMIx, which has another one beside it.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"];

/// Those with the number of this process, in the same order.
const NUMBERS: [&str; 3] = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"];

/// The variable beside the last of [`SIZES`].
const PMIX: &str = "PMIX_RANK";

/// How long the process that is asked looks for no message.
const PAUSE: Duration = Duration::from_micros(200);

/// The first process, which reads the command's input and writes its output.
pub(crate) const FIRST: usize = 0;

fn number(name: &str) -> Option<usize> {
    env::var(name).ok()?.parse().ok()
}

/// Which of [`SIZES`] says how many processes were started together, and how many, where they are several.
fn started() -> Option<(usize, usize)> {
    let started = SIZES.iter().position(|name| {
        (*name != SIZES[2] || env::var_os(PMIX).is_some()) && number(name).is_some()
    })?;
    let is_off = env::var(MPI).is_ok_and(|value| value == "off");
    let size = number(SIZES[started]).filter(|size| *size > 1 && !is_off)?;
    Some((started, size))
}

/// Whether this is one of several processes, and not the first, as far as their environment says: what all of
/// them see in the command line is said by that one.
pub fn is_beside() -> bool {
    started().is_some_and(|(by, _)| number(NUMBERS[by]).is_some_and(|rank| rank != FIRST))
}

/// This process and the others.
pub struct Ranks {
    calls: Option<Box<dyn Calls>>,
    rank: usize,
    size: usize,
    /// Which of the processes on this machine it is.
    local: usize,
    /// Whether all have learnt of an error.
    has_failed: AtomicBool,
}

impl Ranks {
    /// One process.
    pub fn alone() -> Self {
        Self {
            calls: None,
            rank: FIRST,
            size: 1,
            local: 0,
            has_failed: AtomicBool::new(false),
        }
    }

    /// Those that were started together.
    ///
    /// # Errors
    ///
    /// [`Error::Mpi`] where there are several, and no library of MPI.
    pub fn start() -> Result<Self> {
        let Some((started, size)) = started() else {
            return Ok(Self::alone());
        };
        let wrong = |problem: &str| Error::Mpi {
            problem: format!(
                "this is one of {size} processes, and {problem}: {MPI} names the library, or is off \
                 for processes without each other"
            ),
        };
        let calls = mpi::start(started == 1).map_err(|problem| wrong(&problem))?;
        let (rank, all) = (calls.rank(), calls.size());
        if all == 1 {
            return Err(wrong("the library of MPI is not that of who started them"));
        }
        let size = all;
        let calls = Some(calls);
        let mut ranks = Self {
            calls,
            rank,
            size,
            local: 0,
            has_failed: AtomicBool::new(false),
        };
        ranks.local = ranks.number_on_machine();
        Ok(ranks)
    }

    /// The number of this process, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// How many processes there are.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether there are no others.
    pub(crate) fn is_alone(&self) -> bool {
        self.size == 1
    }

    /// Whether it is the one that reads input, writes output and talks.
    pub fn is_first(&self) -> bool {
        self.rank == FIRST
    }

    /// Whether it is the last one.
    pub(crate) fn is_last(&self) -> bool {
        self.rank + 1 == self.size
    }

    /// What this process says of an error: nothing where all have learnt of it and another one says it.
    pub fn says(&self, error: Error) -> Option<Error> {
        let is_all = self.has_failed.load(Ordering::Relaxed);
        match (self.is_first(), is_all) {
            (true, _) => Some(error),
            (false, true) => None,
            (false, false) => Some(Error::Agreed {
                problem: format!("rank {}: {error}", self.rank),
                code: error.exit_code(),
            }),
        }
    }

    /// Ends the work with the others: at its end or after an error that all have learnt of, or in their
    /// middle, which ends them.
    pub fn end(&self, is_whole: bool, code: u8) {
        match &self.calls {
            Some(calls) if is_whole || self.has_failed.load(Ordering::Relaxed) => calls.finalize(),
            Some(calls) => calls.abort(code),
            None => {}
        }
    }

    /// Sends a message to another process.
    pub(crate) fn send(&self, to: usize, bytes: &[u8]) {
        if let Some(calls) = &self.calls {
            let header = [self.rank as u64, bytes.len() as u64];
            calls.send(to, bytemuck::bytes_of(&header));
            calls.send(to, bytes);
        }
    }

    /// Waits for a message of another process.
    pub(crate) fn receive(&self, from: usize) -> Vec<u8> {
        self.received(Some(from)).1
    }

    /// A message of any process, where there is one, and who sent it. Waits a little where there is
    /// none, which leaves the core to others.
    pub(crate) fn receive_any(&self) -> Option<(usize, Vec<u8>)> {
        if self.calls.as_ref().is_some_and(|calls| calls.is_there()) {
            return Some(self.received(None));
        }
        thread::sleep(PAUSE);
        None
    }

    fn received(&self, from: Option<usize>) -> (usize, Vec<u8>) {
        let Some(calls) = &self.calls else {
            return (FIRST, Vec::new());
        };
        let mut header = [0_u64; 2];
        calls.receive(from, bytemuck::bytes_of_mut(&mut header));
        let (from, len) = (header[0] as usize, header[1] as usize);
        let mut bytes = vec![0; len];
        calls.receive(Some(from), &mut bytes);
        (from, bytes)
    }

    /// What the first process makes of the messages of all, on all of them.
    fn exchange(&self, own: &[u8], make: impl FnOnce(&[Vec<u8>]) -> Vec<Vec<u8>>) -> Vec<u8> {
        if !self.is_first() {
            self.send(FIRST, own);
            return self.receive(FIRST);
        }
        let others = (1..self.size).map(|from| self.receive(from));
        let all: Vec<Vec<u8>> = [own.to_vec()].into_iter().chain(others).collect();
        let mut answers = make(&all);
        for (to, answer) in answers.iter().enumerate().skip(1) {
            self.send(to, answer);
        }
        answers.swap_remove(FIRST)
    }

    /// How many processes with a lower number are on the same machine.
    fn number_on_machine(&self) -> usize {
        let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let number = self.exchange(name.as_bytes(), |names| {
            let same = |k: usize| names[..k].iter().filter(|name| **name == names[k]).count();
            (0..names.len())
                .map(|k| (same(k) as u64).to_le_bytes().to_vec())
                .collect()
        });
        number
            .try_into()
            .map_or(0, |bytes| u64::from_le_bytes(bytes) as usize)
    }

    /// A result, where all processes have one.
    ///
    /// # Errors
    ///
    /// On all of them that of the lowest rank that has one.
    pub(crate) fn agree<T>(&self, result: Result<T>) -> Result<T> {
        if self.is_alone() {
            return result;
        }
        // The exit code, and the sentence.
        let own = result.as_ref().err().map_or(Vec::new(), |error| {
            let code = [error.exit_code()];
            [&code, error.to_string().as_bytes()].concat()
        });
        let verdict = self.exchange(&own, |all| {
            let failed = all.iter().position(|of| !of.is_empty());
            let verdict = failed.map_or(Vec::new(), |rank| {
                let sentence = String::from_utf8_lossy(&all[rank][1..]);
                let sentence = match rank {
                    FIRST => sentence.into_owned(),
                    rank => format!("rank {rank}: {sentence}"),
                };
                [&all[rank][..1], sentence.as_bytes()].concat()
            });
            vec![verdict; all.len()]
        });
        self.has_failed
            .store(!verdict.is_empty(), Ordering::Relaxed);
        match (verdict.split_first(), result) {
            (None, result) => result,
            // Whoever has it says it in its own form.
            (Some(_), Err(error)) if self.is_first() => Err(error),
            (Some((&code, sentence)), _) => Err(Error::Agreed {
                problem: String::from_utf8_lossy(sentence).into_owned(),
                code,
            }),
        }
    }

    /// Err where a file is standard input, which only the first process has.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`].
    pub(crate) fn expect_file(&self, argument: &str, path: &Path) -> Result<()> {
        match path == Path::new("-") && !self.is_alone() {
            true => Err(Error::Argument {
                argument: argument.to_owned(),
                problem: format!(
                    "- is standard input, which only one of the {} processes has, allowed is a \
                     file that all can read",
                    self.size
                ),
            }),
            false => Ok(()),
        }
    }

    /// The device of this process: of those that the processes of a machine can choose from, the GPUs
    /// in turn.
    pub(crate) fn device(&self, choice: DeviceChoice) -> DeviceChoice {
        let is_open = matches!(choice, DeviceChoice::Auto | DeviceChoice::Cuda(None));
        if self.is_alone() || !is_open {
            return choice;
        }
        match Devices::visible() {
            Ok(count) => DeviceChoice::Cuda(Some((self.local % count.max(1) as usize) as u32)),
            // Whoever opens it says why there is none.
            Err(_) => choice,
        }
    }
}
