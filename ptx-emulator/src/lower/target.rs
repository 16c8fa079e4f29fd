//! What a module is lowered to: the set of instructions, and how. `lower`
//! itself knows no instruction.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::decoder::{Decoded, Decoder, Reason};
use super::fused::Fused;

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
    /// Opcodes, and the forms of them that are supported: `add sub: f32; .rn`.
    pub(crate) forms: &'static [&'static str],
    pub(crate) decode: fn(&mut Decoder<'_, '_>) -> Result<Decoded, Reason>,
}

impl Group {
    /// Each opcode with its forms.
    pub(crate) fn opcodes(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.forms.iter().flat_map(|line| {
            let (opcodes, forms) = line.split_once(": ").unwrap_or((line, ""));
            opcodes.split(' ').map(move |opcode| (opcode, forms))
        })
    }
}

/// All instructions that there are.
pub(crate) struct InstructionSet {
    /// Several may decode one opcode: they are asked in this order.
    pub(crate) groups: &'static [&'static Group],
    pub(crate) fused: Fused,
    /// The groups by opcode.
    index: OnceLock<HashMap<&'static str, Vec<&'static Group>>>,
}

impl InstructionSet {
    pub(crate) const fn new(groups: &'static [&'static Group], fused: Fused) -> Self {
        InstructionSet {
            groups,
            fused,
            index: OnceLock::new(),
        }
    }

    /// The groups that decode an opcode.
    pub(super) fn groups_of(&self, opcode: &str) -> &[&'static Group] {
        let index = self.index.get_or_init(|| {
            let mut index: HashMap<_, Vec<&'static Group>> = HashMap::new();
            for group in self.groups {
                for (opcode, _) in group.opcodes() {
                    index.entry(opcode).or_default().push(group);
                }
            }
            index
        });
        index.get(opcode).map_or(&[], Vec::as_slice)
    }
}
