//! A warp: its registers and its paths; what an instruction does to it next.

use super::block::BlockState;
use super::launch::Launch;
use super::path::{Path, Paths, Wait};
use super::storage::Lanes;
use crate::error::{Fault, FaultKind};
use crate::ir::FULL;

#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) lanes: Lanes,
    pub(crate) paths: Paths,
}

/// What an instruction works with besides its warp.
pub(crate) struct Context<'a, O> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) block: &'a mut BlockState,
    pub(crate) observer: &'a mut O,
    /// Nanoseconds since the launch, as the kernel sees them.
    pub(crate) time: u64,
}

/// A fault before it knows its place: the lane, and what.
pub(crate) type LaneFault = (u32, FaultKind);

/// What the path does after an instruction that is not pure.
pub(crate) enum Next {
    /// The next instruction, or another one.
    To(u32),
    /// As `To`, but another warp first.
    Yield(u32),
    /// Stays at this instruction and waits.
    Wait(Wait),
    /// No lanes are left on this path.
    Ended,
}

impl<'a, O> Context<'a, O> {
    pub(crate) fn new(
        launch: &'a Launch<'a>,
        block: &'a mut BlockState,
        observer: &'a mut O,
        time: u64,
    ) -> Self {
        Context {
            launch,
            block,
            observer,
            time,
        }
    }
}

impl Warp {
    pub(crate) fn new(launch: &Launch<'_>, index: u32, mask: u32) -> Self {
        let function = &launch.code.functions[launch.kernel as usize];
        Warp {
            lanes: Lanes::new(function.sizes, index),
            paths: Paths::new(function.code.0, mask, launch.kernel),
        }
    }

    /// Makes the warp new for another block of the same launch.
    pub(crate) fn reset(&mut self, launch: &Launch<'_>, mask: u32) {
        let function = &launch.code.functions[launch.kernel as usize];
        self.lanes.reset();
        self.paths = Paths::new(function.code.0, mask, launch.kernel);
    }

    /// A fault of a lane of the path, with its place.
    pub(crate) fn fault<O>(
        &self,
        context: &Context<'_, O>,
        path: &Path,
        (lane, kind): LaneFault,
    ) -> Box<Fault> {
        let code = context.launch.code;
        Box::new(Fault {
            kind,
            kernel: code.functions[context.launch.kernel as usize].name.clone(),
            pc: path.pc,
            line: code.line(path.pc),
            text: code.statement(path.pc),
            source_line: code.authors_line(path.pc),
            device: context.launch.device(context.block.device),
            block: context.block.index,
            thread: context.launch.thread(self.lanes.index * 32 + lane),
        })
    }
}

/// Lanes of the warp `index` of a block of `threads`.
pub(crate) fn full_mask(threads: u32, index: u32) -> u32 {
    let left = threads - index * 32;
    if left >= 32 { FULL } else { (1 << left) - 1 }
}
