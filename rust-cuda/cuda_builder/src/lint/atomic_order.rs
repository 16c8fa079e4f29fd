//! An atomic operation that says no memory order.
//!
//! PTX reads such an operation as relaxed, whatever the source meant: a
//! code generator or inline assembly has forgotten it.

use super::{Body, Finding, Lint};

const ORDERS: &[&str] = &["relaxed", "acquire", "release", "acq_rel"];

pub(super) fn check(body: &Body<'_, '_>, findings: &mut Vec<Finding>) {
    for (one, at) in body.instructions() {
        let has_order = || ORDERS.iter().any(|order| one.has(order));
        if matches!(one.opcode, "atom" | "red") && !has_order() {
            let message = format!(
                "`{}` has no memory order; write .relaxed, .acquire, .release or .acq_rel, and a scope",
                one.name()
            );
            findings.push(body.finding(Lint::AtomicOrder, Some(at), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, testing::findings};

    #[test]
    fn fires_on_inline_assembly_without_an_order() {
        let found = findings(
            Lint::AtomicOrder,
            "\t.loc\t1 30 5\n\t// begin inline asm\n\t{ .reg .b32 t; @%p1 atom.global.add.u32 t, [%rd1], 1; }\n\t// end inline asm",
        );
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains("atom.global.add.u32"));
        assert_eq!(found[0].source.as_deref(), Some("src/lib.rs:30"));
    }

    #[test]
    fn is_silent_where_an_order_is_said() {
        let body = "\tatom.acq_rel.sys.global.add.u32 %r1, [%rd1], 1;\n\tred.relaxed.gpu.global.add.f64 [%rd1], %fd1;\n\tredux.sync.add.u32 %r1, %r2, -1;";
        assert_eq!(findings(Lint::AtomicOrder, body), []);
    }
}
