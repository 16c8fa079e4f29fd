//! An atomic operation on local memory.
//!
//! PTX has none (PTX ISA, `atom`: "state spaces .global, .shared"), so a driver refuses the whole
//! module. LLVM makes plain instructions of a read-modify-write that it knows to be on the
//! thread's own memory, but not of a compare-and-exchange.

use super::{Body, Finding, Lint};

pub(super) fn check(body: &Body<'_, '_>, findings: &mut Vec<Finding>) {
    for (one, at) in body.instructions() {
        if matches!(one.opcode, "atom" | "red") && one.has("local") {
            let message = format!(
                "`{}` is no PTX, because local memory is its thread's alone: use a plain variable or a `Cell` there, and atomics in global or shared memory",
                one.name()
            );
            findings.push(body.finding(Lint::LocalAtomic, Some(at), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, testing::findings};

    #[test]
    fn fires_on_local_memory_alone() {
        let found = findings(
            Lint::LocalAtomic,
            "\t.loc\t1 21 5\n\tatom.relaxed.sys.local.add.u32 %r1, [%rd1], 1;\n\tatom.relaxed.sys.shared.add.u32 %r1, [%rd1], 1;\n\tst.local.b32 [%rd1], %r1;",
        );
        assert_eq!(found.len(), 1);
        assert!(
            found[0]
                .message
                .starts_with("`atom.relaxed.sys.local.add.u32` is no PTX")
        );
        assert_eq!(found[0].source.as_deref(), Some("src/lib.rs:21"));
    }
}
