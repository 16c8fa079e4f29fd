//! A call of a function that is nowhere in the module.
//!
//! A driver refuses to load such a module, with a message that does not name
//! the caller.

use ptx_syntax::{Linkage, Module};

use super::{Body, Finding, Lint};

/// What every driver provides.
const SYSTEM: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

pub(super) fn check(body: &Body<'_, '_>, module: &Module<'_>, findings: &mut Vec<Finding>) {
    let declared = module.functions().filter(|function| {
        let is_declared = function.linkage == Some(Linkage::Extern) && function.body.is_none();
        is_declared && !SYSTEM.contains(&function.name)
    });
    let undefined: Vec<&str> = declared.map(|function| function.name).collect();
    if undefined.is_empty() {
        return;
    }
    for (one, at) in body.instructions().filter(|(one, _)| one.opcode == "call") {
        let mut called = one.names().into_iter();
        if let Some(name) = called.find(|name| undefined.contains(name)) {
            let message = format!(
                "it calls `{name}`, which nothing defines; a driver will refuse the module"
            );
            findings.push(body.finding(Lint::UndefinedFunction, Some(at), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, check};

    fn calling(name: &str) -> String {
        format!(
            ".version 8.0 .extern .func  (.param .b32 func_retval0) {name}\n(\n\t.param .b64 {name}_param_0\n)\n;\n\
             .visible .entry k()\n{{\n\tcall.uni (retval0), {name}, (param0);\n\tret;\n}}\n"
        )
    }

    #[test]
    fn fires_on_a_function_that_is_only_declared() {
        let found = check(&calling("elsewhere"), &["k"]).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].lint, Lint::UndefinedFunction);
        assert_eq!(found[0].line, 8);
    }

    #[test]
    fn is_silent_about_what_every_driver_provides() {
        assert_eq!(check(&calling("vprintf"), &["k"]), Ok(vec![]));
    }
}
