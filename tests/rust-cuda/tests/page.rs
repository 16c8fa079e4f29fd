//! `docs/rust-cuda.md` is what the list says, and the list names what is there.
//!
//! `UPDATE_RUST_CUDA=1 cargo test -p rust-cuda-tests --test page` writes the page anew.

use std::fs;
use std::path::{Path, PathBuf};

use rust_cuda_tests::subjects::List;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn list() -> List {
    List::read().unwrap_or_else(|reason| panic!("subjects.toml: {reason}"))
}

#[test]
fn the_page_is_what_the_list_says() {
    let path = root().join("docs/rust-cuda.md");
    let page = list().page();
    if std::env::var_os("UPDATE_RUST_CUDA").is_some() {
        fs::write(&path, &page).expect("docs can be written");
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == page,
        "docs/rust-cuda.md is out of date: write it anew with UPDATE_RUST_CUDA=1"
    );
}

#[test]
fn every_kernel_has_a_test() {
    let artifact = rust_cuda_tests::artifact().expect("it was built");
    let tests = rust_cuda_tests::conformance::all();
    for module in &artifact.manifest().modules {
        for kernel in module.kernels() {
            let is_of = |name: &str| name.rsplit("::").next() == Some(&kernel.entry);
            assert!(
                tests.iter().any(|case| is_of(case.name)),
                "{}",
                kernel.entry
            );
        }
        assert_eq!(module.kernels().count(), tests.len());
    }
}

#[test]
fn every_counterpart_that_is_named_is_there() {
    assert_eq!(list().nowhere(&root()), [""; 0]);
}

#[test]
fn at_least_95_of_100_subjects_have_a_counterpart() {
    let (here, all) = list().counted();
    assert!(all >= 67, "rust-cuda has more compile tests than {all}");
    assert!(100 * here >= 95 * all, "{here} of {all}");
}
