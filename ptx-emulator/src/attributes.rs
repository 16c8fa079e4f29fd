//! What a kernel takes up, and whether the order of its blocks can matter:
//! known from the code, before any launch.

use ptx_syntax::Space;

use crate::ir::Op;
use crate::observe::Order;
use crate::program::Program;

/// What a kernel takes up. Sizes in bytes. Registers are not here: PTX has as
/// many as it likes, and only an assembler allocates them.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Threads of a block at most, by `.maxntid` or `.reqntid`; `None` when the
    /// kernel sets no bound.
    pub threads: Option<u64>,
    /// Static shared memory of a block.
    pub shared: u64,
    /// Local memory that one thread declares, calls not counted.
    pub local: u32,
    /// Constant memory of the module.
    pub constant: u64,
}

impl Program {
    /// What a kernel takes up; `None` when there is no such kernel.
    pub fn attributes(&self, kernel: &str) -> Option<Attributes> {
        let code = &self.code;
        let index = self.entry(kernel)?;
        let function = &code.functions[index];
        let threads = function
            .directives
            .iter()
            .filter(|(name, _)| name == "maxntid" || name == "reqntid")
            .map(|(_, values)| {
                let values = values.iter().copied().map(u64::from);
                values.fold(1, u64::saturating_mul)
            })
            .min();
        let layout = self.layout(index);
        let shared = layout.map_or(u64::MAX, |layout| u64::from(layout.fixed));
        let constants = code.variables.iter();
        let constant = constants
            .filter(|variable| variable.space == Space::Constant)
            .map(|variable| variable.bytes)
            .sum();
        Some(Attributes {
            threads,
            shared,
            local: function.sizes.local,
            constant,
        })
    }

    /// Whether the blocks of a kernel may run in any order, and at the same
    /// time, without a difference that PTX defines: it has no atomic, no fence
    /// and no access with an order, reads no clock, and calls nothing. False
    /// when in doubt, and when there is no such kernel.
    pub fn is_order_free(&self, kernel: &str) -> bool {
        let Some(index) = self.entry(kernel) else {
            return false;
        };
        let (begin, end) = self.code.functions[index].code;
        let body = self.code.instructions.get(begin as usize..end as usize);
        body.is_some_and(|body| {
            body.iter().all(|instruction| match &instruction.op {
                Op::Load(access) | Op::Store(access) => access.order == Order::Weak,
                Op::Special(special) => !special.is_clock(),
                Op::Lanes(_) | Op::FrameAddress { .. } => true,
                Op::Branch { .. } | Op::BranchIndexed { .. } => true,
                Op::Return | Op::Exit | Op::Trap => true,
                Op::Barrier(_) | Op::Collective(_) => true,
                Op::Yield | Op::Mark | Op::Nothing => true,
                _ => false,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LoadError;

    const HEAD: &str = ".version 8.0 .target sm_75 .address_size 64\n";

    #[test]
    fn what_a_kernel_declares_is_what_it_takes_up() -> Result<(), LoadError> {
        let program = Program::load(&format!(
            "{HEAD} .const .b32 table[3];
             .shared .align 8 .b64 tile[10];
             .visible .entry bounded() .maxntid 32, 4, 1
             {{ .local .align 4 .b8 spill[16]; .reg .b32 %r<2>;
                st.local.u32 [spill], 1; ld.shared.u32 %r1, [tile]; ret; }}
             .visible .entry free() {{ ret; }}"
        ))?;
        let bounded = Attributes {
            threads: Some(128),
            shared: 80,
            local: 16,
            constant: 12,
        };
        assert_eq!(program.attributes("bounded"), Some(bounded));
        let free = Attributes {
            threads: None,
            shared: 0,
            local: 0,
            constant: 12,
        };
        assert_eq!(program.attributes("free"), Some(free));
        assert_eq!(program.attributes("none"), None);
        Ok(())
    }

    #[test]
    fn blocks_that_may_talk_to_each_other_have_an_order() -> Result<(), LoadError> {
        let free = |body: &str| {
            let text = format!(
                "{HEAD} .visible .entry k(.param .u64 p) {{ .reg .b32 %r<3>; .reg .b64 %rd<3>;
                 ld.param.u64 %rd1, [p]; {body} ret; }}"
            );
            Program::load(&text).map(|program| program.is_order_free("k"))
        };
        assert!(free(
            "ld.global.u32 %r1, [%rd1]; st.global.u32 [%rd1], %r1;"
        )?);
        assert!(free("mov.u32 %r1, %ctaid.x; bar.sync 0;")?);
        for body in [
            "atom.global.add.u32 %r1, [%rd1], 1;",
            "red.global.add.u32 [%rd1], 1;",
            "ld.volatile.global.u32 %r1, [%rd1];",
            "st.relaxed.gpu.global.u32 [%rd1], 1;",
            "membar.gl;",
            "mov.u64 %rd2, %globaltimer;",
            "mov.u32 %r1, %clock;",
        ] {
            assert!(!free(body)?, "{body}");
        }
        Ok(())
    }
}
