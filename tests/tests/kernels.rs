//! `docs/kernels.md` says of every kernel why our PTX has it.
//!
//! `UPDATE_KERNELS=1 cargo test -p quadscan-tests --test kernels` writes the page anew, with what
//! building each family alone costs: minutes. `UPDATE_KERNELS=new` measures those that the page has not.

#[path = "../../kernels-crate/embed/families.rs"]
mod embedded;
#[path = "../../kernels-crate/embed/ptx.rs"]
mod ptx;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cuda_builder::NvvmArch;
use cuda_builder::manifest::Module;
use cuda_builder::names;
use quadscan_tests::families::{self, Cost, FAMILIES};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn modules() -> Vec<Module> {
    let artifact = quadscan_bench::modules::ours().expect("the PTX was built");
    artifact.manifest().modules.clone()
}

/// Clock ticks of this process and of those that it waited for: a hundredth of a second each
/// (proc(5), stat).
fn ticks() -> u64 {
    let text = fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let (_, fields) = text.rsplit_once(") ").expect("a name in parentheses");
    let fields = fields.split(' ').skip(11).take(4);
    fields
        .map(|field| field.parse::<u64>().expect("a number"))
        .sum()
}

/// What building these entries alone costs, with nothing of them at hand.
fn cost(target: &Path, arch: NvvmArch, entries: &[&str]) -> Cost {
    let out = tempfile::tempdir().expect("a temporary folder");
    let before = ticks();
    let artifact = ptx::builder(root().join("kernels-crate"))
        .archs(&[arch])
        .target_dir(target)
        .out_dir(out.path())
        .only(entries)
        .build_all()
        .expect("it builds");
    let seconds = (ticks() - before) as f64 / 100.0;
    let size = |path: PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let bytes = artifact.ptx_paths().map(size).sum();
    Cost { seconds, bytes }
}

/// What the families cost of which nothing is known.
fn measured(modules: &[Module], known: BTreeMap<String, Cost>) -> BTreeMap<String, Cost> {
    let target = tempfile::tempdir().expect("a temporary folder");
    let mut costs = known.clone();
    for (&arch, module) in ptx::ARCHS.iter().zip(modules) {
        // What all of them need is built first; these two are a few instructions.
        let [_, nothing] = ["hang", "fault"].map(|entry| cost(target.path(), arch, &[entry]));
        let new = FAMILIES.iter().filter(|of| !known.contains_key(of.name));
        for family in new {
            let cost = cost(target.path(), arch, &family.entries(module));
            let of_all = costs.entry(family.name.to_owned()).or_default();
            of_all.seconds += (cost.seconds - nothing.seconds).max(0.0);
            of_all.bytes += cost.bytes;
        }
    }
    costs
}

#[test]
fn every_kernel_is_in_one_family_and_every_family_has_kernels() {
    for module in &modules() {
        assert_eq!(families::astray(module), [""; 0], "{}", module.arch);
        for family in FAMILIES {
            assert!(!family.entries(module).is_empty(), "{}", family.name);
        }
    }
}

#[test]
fn every_kernel_is_in_a_feature_that_embeds_it() {
    let modules = modules();
    let parts = || modules.iter().flat_map(|module| &module.parts);
    let kernels = parts().flat_map(|part| &part.kernels);
    let mut left: BTreeSet<&str> = kernels.map(|kernel| kernel.entry.as_str()).collect();
    for (feature, names) in embedded::FAMILIES {
        for name in names {
            let found = names::entries(name, parts());
            for entry in found.unwrap_or_else(|error| panic!("{feature}: {error}")) {
                left.remove(entry);
            }
        }
    }
    assert!(left.is_empty(), "no feature embeds {left:?}");
}

#[test]
fn the_page_is_that_of_the_kernels() {
    let (path, modules) = (root().join("docs/kernels.md"), modules());
    let there = fs::read_to_string(&path).unwrap_or_default();
    if let Some(which) = std::env::var_os("UPDATE_KERNELS") {
        let known = match which == "new" {
            true => families::costs(&there),
            false => BTreeMap::new(),
        };
        let page = families::page(&modules, &measured(&modules, known));
        fs::write(&path, page).expect("docs can be written to");
        return;
    }
    let page = families::page(&modules, &families::costs(&there));
    assert!(
        there == page,
        "docs/kernels.md is out of date: write it anew with UPDATE_KERNELS=1"
    );
}

#[test]
fn a_kernel_that_nobody_gave_a_reason_for_is_astray() {
    let mut module = modules().pop().expect("one architecture at least");
    module.parts[0].kernels[0].entry = "one_block_sum_i128".to_owned();
    assert_eq!(families::astray(&module), ["one_block_sum_i128"]);
}
