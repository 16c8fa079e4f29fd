//! What the macros say about a kernel that cannot be one. The expected messages stand beside the
//! cases; after a change of wording, `TRYBUILD=overwrite cargo test -p cuda_std_macros-tests` writes
//! them anew.

#[test]
fn errors_say_what_to_write_instead() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
