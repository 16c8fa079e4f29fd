//! Each lint on a kernel compiled for it, and none on a clean one.

mod support;

use std::fs;

use cuda_builder::{CudaBuilderError, Finding, Lint, LintLevel, check_ptx};
use support::{builder, fixture, ptx};

fn findings() -> Vec<Finding> {
    let out = tempfile::tempdir().unwrap();
    let artifact = builder(&fixture("lints"), out.path())
        .lints(LintLevel::Allow)
        .build_all()
        .unwrap();
    let entries = [
        "local_array",
        "atomic_order",
        "shared_generic",
        "undefined_function",
    ];
    // `clean` is not listed.
    check_ptx(&ptx(&artifact, 0), &entries).unwrap()
}

#[test]
fn each_lint_fires_once_on_its_kernel_and_names_the_line_of_the_source() {
    let source = fs::read_to_string(fixture("lints").join("src/lib.rs")).unwrap();
    let found = findings();
    for lint in [
        Lint::LocalArray,
        Lint::AtomicOrder,
        Lint::SharedGeneric,
        Lint::UndefinedFunction,
    ] {
        let name = lint.name().replace('-', "_");
        let of_lint: Vec<_> = found
            .iter()
            .filter(|finding| finding.lint == lint)
            .collect();
        assert_eq!(of_lint.len(), 1, "{lint}: {found:?}");
        assert_eq!(of_lint[0].kernel, name);
        if lint == Lint::LocalArray {
            assert!(
                of_lint[0]
                    .source
                    .as_ref()
                    .unwrap()
                    .starts_with("src/lib.rs:")
            );
            continue;
        }
        let marked = source
            .lines()
            .position(|line| line.ends_with(&format!("// {name} is here")))
            .unwrap();
        assert_eq!(
            of_lint[0].source.as_deref(),
            Some(format!("src/lib.rs:{}", marked + 1).as_str())
        );
    }
}

#[test]
fn findings_say_what_is_wrong_and_what_helps() {
    let found = findings();
    for (lint, expected) in [
        (
            Lint::LocalArray,
            "local_array: 64 bytes of an array are in local memory; index it by constants only, or in loops that unroll [local-array]",
        ),
        (
            Lint::AtomicOrder,
            "atomic_order: `red.global.add.u32` has no memory order; write .relaxed, .acquire, .release or .acq_rel, and a scope [atomic-order]",
        ),
        (
            Lint::SharedGeneric,
            "reaches a shared variable through a generic address; keep the variable and other memory in different pointers [shared-generic]",
        ),
        (
            Lint::UndefinedFunction,
            "undefined_function: it calls `elsewhere`, which nothing defines; a driver will refuse the module [undefined-function]",
        ),
        (
            Lint::UnlistedEntry,
            "clean: it is an entry of the PTX, and the manifest does not list it; define kernels with #[kernel] [unlisted-entry]",
        ),
    ] {
        let of_lint = found.iter().find(|finding| finding.lint == lint).unwrap();
        let said = of_lint.to_string();
        assert!(said.contains(expected), "{said}");
        assert!(said.contains("(PTX line "), "{said}");
    }
}

#[test]
fn an_entry_that_is_not_listed_is_the_only_thing_wrong_with_a_clean_kernel() {
    let found = findings();
    let clean: Vec<_> = found
        .iter()
        .filter(|finding| finding.kernel == "clean")
        .collect();
    assert_eq!(clean.len(), 1, "{clean:?}");
    assert_eq!(clean[0].lint, Lint::UnlistedEntry);
}

#[test]
fn a_denied_lint_stops_the_build_and_an_allowed_one_does_not() {
    let out = tempfile::tempdir().unwrap();
    let error = builder(&fixture("lints"), out.path())
        .lints(LintLevel::Allow)
        .lint(Lint::AtomicOrder, LintLevel::Deny)
        .build_all()
        .unwrap_err();
    let CudaBuilderError::Lints(text) = error else {
        panic!("{error}");
    };
    assert!(
        text.contains("sm_90: atomic_order:") && text.contains("[atomic-order]"),
        "{text}"
    );
    assert!(!text.contains("local_array"), "{text}");
}
