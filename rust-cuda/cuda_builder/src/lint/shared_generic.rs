//! A shared variable accessed through a generic address.
//!
//! Such an access is slower and hides from the hardware which memory is meant.
//! The lint follows the address of each shared variable, once it has become
//! generic, through the registers of the function, without regard to order.

use std::collections::BTreeSet;

use ptx_syntax::{Instruction, Operand};

use super::{Body, Finding, Lint};

/// Instructions whose result is an address when an operand is one.
const KEEPS_ADDRESS: &[&str] = &["mov", "add", "sub", "mad", "selp", "or", "and"];

const SPACES: &[&str] = &["global", "shared", "local", "param", "const"];

pub(super) fn check(body: &Body<'_, '_>, findings: &mut Vec<Finding>) {
    let generic = generic_addresses(body);
    if generic.is_empty() {
        return;
    }
    for (one, at) in body
        .instructions()
        .filter(|(one, _)| is_generic_access(one))
    {
        let is_address = |operand: &&Operand<'_>| matches!(operand, Operand::Address { .. });
        let mut address = one.operands.iter().find(is_address).into_iter();
        if address.any(|address| names_any(address, &generic)) {
            let message = format!(
                "`{}` reaches a shared variable through a generic address; keep the variable and other memory in different pointers",
                one.name()
            );
            findings.push(body.finding(Lint::SharedGeneric, Some(at), message));
        }
    }
}

/// Registers that hold the generic address of something shared.
fn generic_addresses<'t>(body: &Body<'_, 't>) -> BTreeSet<&'t str> {
    let mut generic = BTreeSet::new();
    let is_source = |one: &Instruction<'_>| one.is("cvta.shared");
    if !body.instructions().any(|(one, _)| is_source(one)) {
        return generic;
    }
    loop {
        let before = generic.len();
        for (one, _) in body.instructions() {
            let [target, sources @ ..] = &one.operands[..] else {
                continue;
            };
            let keeps = KEEPS_ADDRESS.contains(&one.opcode);
            let stays = keeps && sources.iter().any(|source| names_any(source, &generic));
            if is_source(one) || stays {
                let registers = target.names().into_iter();
                generic.extend(registers.filter(|name| name.starts_with('%')));
            }
        }
        if generic.len() == before {
            return generic;
        }
    }
}

fn names_any(operand: &Operand<'_>, registers: &BTreeSet<&str>) -> bool {
    let names = operand.names();
    names.iter().any(|name| registers.contains(name))
}

fn is_generic_access(one: &Instruction<'_>) -> bool {
    let names_space = |modifier: &&str| {
        let space = modifier.split("::").next().unwrap_or(modifier);
        SPACES.contains(&space)
    };
    matches!(one.opcode, "ld" | "st" | "atom" | "red") && !one.modifiers.iter().any(names_space)
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
