//! A launch with a wrong argument, or one too few, does not compile, and the
//! compiler's words say what to pass.

#[test]
fn wrong_launches_do_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/right.rs");
    cases.compile_fail("tests/ui/wrong_*.rs");
}
