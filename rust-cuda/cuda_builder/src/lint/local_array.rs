//! An array that stayed in local memory.

use super::{Finding, Lint, finding};
use crate::ptx::{Function, Ptx, opcode};

pub(super) fn check(ptx: &Ptx<'_>, function: &Function, findings: &mut Vec<Finding>) {
    let declaration = function.statements(ptx).find(|(_, statement)| {
        opcode(statement) == ".local" && statement.contains("__local_depot")
    });
    let Some((declared, statement)) = declaration else {
        return;
    };
    let bytes = statement
        .rsplit_once('[')
        .map_or("", |(_, size)| size.trim_end_matches(']'));
    // The declaration has no source line; the first access has.
    let place = function
        .statements(ptx)
        .find(|(_, statement)| {
            let opcode = opcode(statement);
            opcode.starts_with("st.local")
                || opcode.starts_with("ld.local")
                || statement.contains("%SP,")
        })
        .map_or(declared, |(index, _)| index);
    let mut found = finding(
        Lint::LocalArray,
        ptx,
        function,
        place,
        format!(
            "{bytes} bytes of an array are in local memory; index it by constants only, or in loops that unroll"
        ),
    );
    found.line = declared + 1;
    findings.push(found);
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, testing::findings};

    #[test]
    fn fires_on_a_depot_and_names_the_line_of_the_first_access() {
        let found = findings(
            Lint::LocalArray,
            "\t.local .align 8 .b8 \t__local_depot0[64];\n\t.loc\t1 12 9\n\tst.local.b32 [%rd1], %r1;",
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].source.as_deref(), Some("src/lib.rs:12"));
        assert!(found[0].message.contains("64 bytes"));
        assert_eq!((found[0].kernel.as_str(), found[0].line), ("k", 9));
    }

    #[test]
    fn is_silent_about_registers() {
        assert_eq!(findings(Lint::LocalArray, "\tmov.b32 %r1, 0;"), []);
    }
}
