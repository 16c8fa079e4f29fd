//! A shared variable accessed through a generic address.
//!
//! Such an access is slower and hides from the hardware which memory is meant.
//! The lint follows the address of each shared variable, once it has become
//! generic, through the registers of the function, without regard to order.

use std::collections::BTreeSet;

use super::{Finding, Lint, finding};
use crate::ptx::{Function, Ptx, opcode, operands, registers};

/// Instructions whose result is an address when an operand is one.
const KEEPS_ADDRESS: &[&str] = &["mov", "add", "sub", "mad", "selp", "or", "and"];

const SPACES: &[&str] = &["global", "shared", "local", "param", "const"];

pub(super) fn check(ptx: &Ptx<'_>, function: &Function, findings: &mut Vec<Finding>) {
    let statements: Vec<(usize, &str)> = function.statements(ptx).collect();
    let generic = generic_addresses(&statements);
    if generic.is_empty() {
        return;
    }
    for (index, statement) in statements {
        let opcode = opcode(statement);
        if !is_generic_access(opcode) {
            continue;
        }
        let address = operands(statement)
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'))
            .map_or("", |(address, _)| address);
        if registers(address).any(|register| generic.contains(register)) {
            findings.push(finding(
                Lint::SharedGeneric,
                ptx,
                function,
                index,
                format!("`{opcode}` reaches a shared variable through a generic address; keep the variable and other memory in different pointers"),
            ));
        }
    }
}

/// Registers that hold the generic address of something shared.
fn generic_addresses<'t>(statements: &[(usize, &'t str)]) -> BTreeSet<&'t str> {
    let mut generic = BTreeSet::new();
    loop {
        let before = generic.len();
        for (_, statement) in statements {
            let opcode = opcode(statement);
            let operands = operands(statement);
            let Some((target, sources)) = operands.split_once(',') else {
                continue;
            };
            let kind = opcode.split('.').next().unwrap_or("");
            let becomes = opcode.starts_with("cvta.shared");
            let stays = KEEPS_ADDRESS.contains(&kind)
                && registers(sources).any(|source| generic.contains(source));
            if becomes || stays {
                generic.extend(registers(target));
            }
        }
        if generic.len() == before {
            return generic;
        }
    }
}

fn is_generic_access(opcode: &str) -> bool {
    let mut parts = opcode.split('.');
    matches!(parts.next(), Some("ld" | "st" | "atom" | "red"))
        && !parts.any(|part| {
            let space = part.split("::").next().unwrap_or(part);
            SPACES.contains(&space)
        })
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, testing::findings};

    const ADDRESS: &str = "\tmov.b64 %rd1, TILE;\n\tcvta.shared.u64 %rd2, %rd1;\n\tadd.s64 %rd3, %rd2, 16;\n\tselp.b64 %rd4, %rd3, %rd9, %p1;";

    #[test]
    fn follows_a_generic_address_to_the_access() {
        let found = findings(
            Lint::SharedGeneric,
            &format!("{ADDRESS}\n\t.loc\t1 44 2\n\tst.b32 [%rd4+4], %r1;"),
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].source.as_deref(), Some("src/lib.rs:44"));
    }

    #[test]
    fn is_silent_about_shared_accesses_and_other_generic_ones() {
        let body = format!("{ADDRESS}\n\tst.shared.b32 [%rd1], %r1;\n\tld.b32 %r2, [%rd9];");
        assert_eq!(findings(Lint::SharedGeneric, &body), []);
    }
}
