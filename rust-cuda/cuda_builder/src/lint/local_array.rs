//! An array that stayed in local memory.

use ptx_syntax::Statement;

use super::{Body, Finding, Lint};

pub(super) fn check(body: &Body<'_, '_>, findings: &mut Vec<Finding>) {
    let depot = |statement: &Statement<'_>| {
        let mut variables = statement.variables().iter();
        let depot = variables.find(|one| one.name.starts_with("__local_depot"));
        depot.map(|depot| (statement.span.position.line, depot.bytes()))
    };
    let statements = body.statements.iter().enumerate();
    let mut found = statements.filter_map(|(at, (statement, _))| Some((at, depot(statement)?)));
    let Some((declared, (line, bytes))) = found.next() else {
        return;
    };
    // The declaration has no source line; the first access has.
    let access = body
        .instructions()
        .find(|(one, _)| one.names().contains(&"%SP") || one.is("st.local") || one.is("ld.local"));
    let at = access.map_or(declared, |(_, at)| at);
    let message = format!(
        "{bytes} bytes of an array are in local memory; index it by constants only, or in loops that unroll"
    );
    findings.push(Finding {
        line: line as usize,
        ..body.finding(Lint::LocalArray, Some(at), message)
    });
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
