//! Which calls must keep the threads of a warp or block together.
//!
//! A barrier or a shuffle is executed by all threads of its mask at once. An
//! optimiser that does not know copies it into the two arms of a branch, and
//! the kernel hangs or computes something else. rustc does not mark inline
//! assembly, so everything that might hold a collective is marked here before
//! anything is optimised; LLVM takes the mark from functions that need none.

use crate::llvm::{Module, Opcode};

/// Parts of PTX instructions that more than one thread takes part in.
const COLLECTIVE: &[&str] = &[
    ".sync",
    ".aligned",
    "bar.",
    "barrier",
    "shfl",
    "vote",
    "match.",
    "redux",
    "elect",
    "activemask",
    "setmaxnreg",
    "wgmma",
    "tcgen05",
    "griddepcontrol",
];

/// Marks every function, every call that may reach a collective, and inline
/// assembly that holds one.
pub(crate) fn mark(module: &Module) {
    for function in module.functions() {
        if function.is_intrinsic() {
            continue;
        }
        function.add_attribute("convergent");
        for call in calls(function.instructions()) {
            let convergent = match call.assembly() {
                Some(text) => is_collective(&text),
                None => !call.callee().is_some_and(|callee| callee.is_intrinsic()),
            };
            if convergent {
                call.add_call_attribute("convergent");
            }
        }
    }
}

/// Takes every mark away, to show what goes wrong without.
pub(crate) fn unmark(module: &Module) {
    for function in module.functions() {
        if function.is_intrinsic() {
            continue;
        }
        function.remove_attribute("convergent");
        for call in calls(function.instructions()) {
            call.remove_call_attribute("convergent");
        }
    }
}

fn calls(
    instructions: Vec<crate::llvm::Value<'_>>,
) -> impl Iterator<Item = crate::llvm::Value<'_>> {
    instructions
        .into_iter()
        .filter(|instruction| instruction.opcode() == Opcode::Call)
}

/// Whether PTX text holds an instruction that several threads execute together.
fn is_collective(assembly: &str) -> bool {
    COLLECTIVE.iter().any(|part| assembly.contains(part))
}

#[cfg(test)]
mod tests {
    use super::is_collective;

    #[test]
    fn collectives_are_known_by_their_text() {
        for text in [
            "bar.sync 0;",
            "shfl.sync.bfly.b32 $0, $1, 1, 31, -1;",
            "vote.sync.ballot.b32 $0, p, -1;",
            "match.any.sync.b32 $0, $1, -1;",
            "mbarrier.try_wait.parity.shared.b64 p, [$0], $1;",
            "setmaxnreg.inc.sync.aligned.u32 240;",
        ] {
            assert!(is_collective(text), "{text}");
        }
    }

    #[test]
    fn a_load_or_a_fence_is_none() {
        for text in [
            "ld.global.v4.u32 {$0, $1, $2, $3}, [$4];",
            "fence.acq_rel.gpu;",
        ] {
            assert!(!is_collective(text), "{text}");
        }
    }
}
