//! What a module is lowered to: the set of instructions, and how. `lower`
//! itself knows no instruction.

use ptx_syntax::Type;

use super::decoder::{Decoded, Decoder, Reason};
use crate::ir::LaneFn;

/// How a program is loaded.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// Floating-point products without a rounding modifier become one `fma` with
    /// the sums that they go into, as a driver makes them; true by default.
    /// Without, as of `ptxas -fmad=false`.
    pub contract: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        LoadOptions { contract: true }
    }
}

/// Instructions that are decoded and run by one file.
pub(crate) struct Group {
    /// As in the coverage table.
    pub(crate) name: &'static str,
    /// Opcode, and the forms of it that are supported.
    pub(crate) opcodes: &'static [(&'static str, &'static str)],
    pub(crate) decode: fn(&mut Decoder<'_, '_>) -> Result<Decoded, Reason>,
}

/// All instructions that there are.
pub(crate) struct InstructionSet {
    /// Several may decode one opcode: they are asked in this order.
    pub(crate) groups: &'static [&'static Group],
    /// `d[0]` = s0 * s1, `d[1]` = s0, `d[2]` = s1; `aux` has `FTZ`.
    pub(crate) product: fn(Type) -> LaneFn,
    /// `d[0]` = s0 * s1 + s2, rounded once; `aux` has the flags below.
    pub(crate) sum: fn(Type) -> LaneFn,
}

/// `.ftz` of both instructions.
pub(crate) const FTZ: u64 = 1;
/// `.sat` of the sum.
pub(crate) const SATURATE: u64 = 2;
/// The product's sign is changed.
pub(crate) const NEGATE_PRODUCT: u64 = 4;
/// The other term's sign is changed.
pub(crate) const NEGATE_TERM: u64 = 8;

impl InstructionSet {
    /// The groups that decode an opcode.
    pub(super) fn groups_of(&self, opcode: &str) -> impl Iterator<Item = &'static Group> {
        let knows = move |group: &&Group| group.opcodes.iter().any(|(name, _)| *name == opcode);
        self.groups.iter().copied().filter(knows)
    }
}
