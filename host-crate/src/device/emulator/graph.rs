//! Graphs of the emulator: recorded work that can be run any number of times.

use super::{Emulator, refusal};
use crate::device::{Backend, FunctionHandle, LaunchConfig};
use crate::{Error, Result};

/// One thing that was asked for.
pub(super) enum Work {
    Launch {
        function: FunctionHandle,
        config: LaunchConfig,
        parameters: Vec<Vec<u8>>,
    },
    Fill {
        address: u64,
        value: u8,
        bytes: usize,
    },
    Copy {
        source: u64,
        target: u64,
        bytes: usize,
    },
}

impl Work {
    pub(super) fn launch(
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[&[u8]],
    ) -> Self {
        Work::Launch {
            function,
            config: *config,
            parameters: parameters.iter().map(|bytes| bytes.to_vec()).collect(),
        }
    }

    /// Does it.
    ///
    /// # Safety
    ///
    /// As [`Backend::launch_graph`].
    pub(super) unsafe fn ask(&self, emulator: &Emulator) -> Result<()> {
        match self {
            Work::Launch {
                function,
                config,
                parameters,
            } => {
                let parameters: Vec<&[u8]> = parameters.iter().map(Vec::as_slice).collect();
                // SAFETY: the caller's.
                unsafe { emulator.launch(*function, config, &parameters) }
            }
            Work::Fill {
                address,
                value,
                bytes,
            } => {
                // SAFETY: the caller's.
                unsafe { emulator.fill(*address, *value, *bytes) }
            }
            Work::Copy {
                source,
                target,
                bytes,
            } => {
                // SAFETY: the caller's.
                unsafe { emulator.copy(*source, *target, *bytes) }
            }
        }
    }
}

/// A recording in progress.
#[derive(Default)]
pub(super) struct Recording {
    work: Vec<Work>,
    /// What was asked for that cannot be recorded.
    spoiled: Option<&'static str>,
}

impl Recording {
    pub(super) fn push(&mut self, work: Work) {
        self.work.push(work);
    }

    /// Notes what cannot be recorded, and refuses it.
    pub(super) fn refuse(&mut self, action: &'static str) -> Error {
        self.spoiled = Some(action);
        refusal::of(action, "its work is being recorded into a graph")
    }

    pub(super) fn end(self) -> Result<Vec<Work>> {
        match self.spoiled {
            None => Ok(self.work),
            Some(action) => {
                let reason = format!("it was asked to {action} meanwhile");
                Err(refusal::of("make a graph", &reason))
            }
        }
    }
}
