//! An entry that nobody knows how to launch.

use super::{Finding, Lint, finding};
use crate::ptx::{Function, Ptx};

pub(super) fn check(
    ptx: &Ptx<'_>,
    function: &Function,
    entries: &[&str],
    findings: &mut Vec<Finding>,
) {
    if function.is_entry && !entries.contains(&function.name.as_str()) {
        findings.push(finding(
            Lint::UnlistedEntry,
            ptx,
            function,
            function.body.start,
            "it is an entry of the PTX, and the manifest does not list it; define kernels with #[kernel]".into(),
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, check};

    const TEXT: &str =
        ".visible .entry known()\n{\n\tret;\n}\n.visible .entry stray()\n{\n\tret;\n}\n";

    #[test]
    fn fires_on_an_entry_that_the_manifest_lacks() {
        let found = check(TEXT, &["known"]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].kernel, "stray");
        assert_eq!(found[0].lint, Lint::UnlistedEntry);
    }

    #[test]
    fn is_silent_when_all_are_listed() {
        assert_eq!(check(TEXT, &["known", "stray"]), []);
    }
}
