//! The instructions, a file a group: how each is decoded, and what it does.
//!
//! To add a group: write `exec/<group>.rs` with a `GROUP`, and add it to
//! `GROUPS`. To add a pure instruction to a group, add its arm to the group's
//! decoder, as one closure over the values of a lane (`lanes!`). Several
//! groups may decode one opcode (`cvt`, `add`): they are asked in the order
//! of the table, and the first that takes the instruction has it.

use crate::lower::{Fused, InstructionSet};

mod approximate;
pub(crate) mod async_copy;
pub(crate) mod atomic;
pub(crate) mod barrier;
mod carry;
mod compare;
mod contracted;
pub(crate) mod control;
mod convert;
mod decode;
mod extreme;
mod float32;
mod float64;
mod half;
mod integer;
mod logic;
mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
mod mixed;
mod packed;
pub(crate) mod product;
mod softfloat;
pub(crate) mod special;
pub(crate) mod system;
mod video;
mod video_parallel;
pub(crate) mod warp;
mod wide;

pub(crate) use crate::lower::Group;
pub(crate) use warp::source_lane;

/// All groups, and the source of the coverage table.
const GROUPS: &[&Group] = &[
    &integer::GROUP,
    &logic::GROUP,
    &compare::GROUP,
    &convert::GROUP,
    &float32::GROUP,
    &float64::GROUP,
    &half::GROUP,
    &approximate::GROUP,
    &carry::GROUP,
    &packed::GROUP,
    &mixed::GROUP,
    &wide::GROUP,
    &memory::GROUP,
    &atomic::GROUP,
    &control::GROUP,
    &barrier::GROUP,
    &warp::GROUP,
    &special::GROUP,
    &async_copy::GROUP,
    &mbarrier::GROUP,
    &system::GROUP,
    &video::GROUP,
    &video_parallel::GROUP,
    &matrix::GROUP,
    &product::GROUP,
];

/// All that a module is lowered to.
pub(crate) static INSTRUCTIONS: InstructionSet = InstructionSet::new(
    GROUPS,
    Fused {
        product: contracted::product,
        quotient: contracted::quotient,
        sum: contracted::sum,
    },
);

/// One row of the coverage table.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The group, which is the name of its file.
    pub group: &'static str,
    /// The opcode.
    pub opcode: &'static str,
    /// The modifiers and types that are supported.
    pub forms: &'static str,
}

/// Every instruction that is decoded, from the very table that decodes.
pub fn coverage() -> impl Iterator<Item = Coverage> {
    GROUPS.iter().flat_map(|group| {
        group.opcodes().map(|(opcode, forms)| Coverage {
            group: group.name,
            opcode,
            forms,
        })
    })
}
