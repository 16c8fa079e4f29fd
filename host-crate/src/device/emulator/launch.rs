//! Launches on an emulated device, and on others of its family.

use std::sync::{Arc, PoisonError};

use ptx_emulator::{LaunchOptions, Schedule, Shape};

use super::graph::Work;
use super::state::Function;
use super::{Emulator, Launch, Settings, refusal};
use crate::Result;
use crate::device::{FunctionHandle, LaunchConfig};

impl Emulator {
    fn options(&self, function: &Function) -> LaunchOptions {
        let Settings {
            schedule,
            weak_memory,
            cores,
            budget,
            ..
        } = self.settings;
        let is_free = schedule.is_none() && function.program.is_order_free(&function.kernel);
        LaunchOptions {
            schedule: schedule.map_or(Schedule::Deterministic, Schedule::Seed),
            weak_memory,
            budget,
            cores: if is_free { cores.max(1) } else { 1 },
            peers: Vec::new(),
        }
    }

    /// Runs a kernel, or records it; with `peers`, the parameters of further devices, on all of them
    /// in one launch, which gives the blocks of all of them turns.
    pub(super) fn run(
        &self,
        function: FunctionHandle,
        config: &LaunchConfig,
        parameters: &[&[u8]],
        peers: &[Vec<&[u8]>],
    ) -> Result<()> {
        let mut state = match peers {
            [] => self.enter()?,
            _ => self.enter_to("launch on several devices")?,
        };
        if let Some(recording) = &mut state.recording {
            recording.push(Work::launch(function, config, parameters));
            return Ok(());
        }
        let function = state.known(function)?;
        let shape = config.shape();
        let (grid, block) = (shape.grid, shape.block);
        let of_peer = |peer: &Vec<&[u8]>| peer.iter().map(|bytes| bytes.to_vec()).collect();
        let launch = Launch {
            program: &function.program,
            kernel: &function.kernel,
            shape: Shape {
                grid: [grid.x, grid.y, grid.z],
                block: [block.x, block.y, block.z],
                shared_bytes: shape.shared_bytes,
            },
            parameters,
            options: LaunchOptions {
                peers: peers.iter().map(of_peer).collect(),
                ..self.options(&function)
            },
        };
        let gpu = Arc::clone(&state.gpu);
        let mut gpu = gpu.lock().unwrap_or_else(PoisonError::into_inner);
        match state.observation.run(&mut gpu, &launch) {
            Ok(report) => {
                let counts = &mut state.counts;
                counts.warp_instructions += report.warp_instructions;
                Ok(())
            }
            Err(cause) => {
                let error = refusal::of_launch(&function.kernel, &cause, &self.properties);
                if error.is_context_lost() {
                    state.stopped = Some((function.kernel, cause));
                }
                Err(error)
            }
        }
    }
}
