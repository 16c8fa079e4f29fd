//! An entry that nobody knows how to launch.

use super::{Body, Finding, Lint};

pub(super) fn check(body: &Body<'_, '_>, entries: &[&str], findings: &mut Vec<Finding>) {
    if body.function.entry && !entries.contains(&body.function.name) {
        let message = "it is an entry of the PTX, and the manifest does not list it; define kernels with #[kernel]".into();
        findings.push(body.finding(Lint::UnlistedEntry, None, message));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, check};

    const TEXT: &str = ".version 8.0 .visible .entry known()\n{\n\tret;\n}\n.visible .entry stray()\n{\n\tret;\n}\n";

    #[test]
    fn fires_on_an_entry_that_the_manifest_lacks() {
        let found = check(TEXT, &["known"]).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].kernel, "stray");
        assert_eq!(found[0].lint, Lint::UnlistedEntry);
    }

    #[test]
    fn is_silent_when_all_are_listed() {
        assert_eq!(check(TEXT, &["known", "stray"]), Ok(vec![]));
    }
}
