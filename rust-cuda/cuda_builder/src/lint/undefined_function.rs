//! A call of a function that is nowhere in the module.
//!
//! A driver refuses to load such a module, with a message that does not name
//! the caller.

use super::{Finding, Lint, finding};
use crate::ptx::{Function, Ptx, identifiers, opcode, operands};

/// What every driver provides.
const SYSTEM: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

pub(super) fn check(ptx: &Ptx<'_>, function: &Function, findings: &mut Vec<Finding>) {
    for (index, statement) in function.statements(ptx) {
        if !opcode(statement).starts_with("call") {
            continue;
        }
        let missing = identifiers(operands(statement)).find(|name| {
            ptx.undefined.iter().any(|undefined| undefined == name) && !SYSTEM.contains(name)
        });
        if let Some(name) = missing {
            findings.push(finding(
                Lint::UndefinedFunction,
                ptx,
                function,
                index,
                format!(
                    "it calls `{name}`, which nothing defines; a driver will refuse the module"
                ),
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, check};

    fn calling(name: &str) -> String {
        format!(
            ".extern .func  (.param .b32 func_retval0) {name}\n(\n\t.param .b64 {name}_param_0\n)\n;\n\
             .visible .entry k()\n{{\n\tcall.uni (retval0), {name}, (param0);\n\tret;\n}}\n"
        )
    }

    #[test]
    fn fires_on_a_function_that_is_only_declared() {
        let found = check(&calling("elsewhere"), &["k"]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].lint, Lint::UndefinedFunction);
        assert_eq!(found[0].line, 8);
    }

    #[test]
    fn is_silent_about_what_every_driver_provides() {
        assert_eq!(check(&calling("vprintf"), &["k"]), []);
    }
}
