//! Whether a name can be a kernel's, by the sources alone: what it stands for is known when all
//! kernels have been built (`cuda_builder::names`), which takes minutes.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use cuda_builder::manifest::MAIN;
use cuda_builder::names::UnknownKernel;

use crate::{Refused, alone, cargo};

/// What stands for kernels.
pub(crate) const ALLOWED: &str = "allowed are the name of an entry, a part, an integrand, a module of kernels, and what names of entries begin with; `cargo xtask inspect --all` lists the entries";

/// The crate of kernels.
const KERNELS: &str = "kernels-crate/src";

/// Refuses what no kernel can be called: a name with a word that no name in the sources has.
pub(crate) fn can_be(name: &str) -> Result<(), Refused> {
    let mut words = BTreeSet::from([MAIN.to_owned()]);
    collect(&cargo::root().join(KERNELS), &mut words);
    if is_made_of(name, &words) {
        return Ok(());
    }
    let own = own();
    let unknown = UnknownKernel::among(name, own.iter().map(String::as_str));
    Err(refused(&unknown, ALLOWED))
}

/// Where no name is near, what is allowed.
pub(crate) fn refused(unknown: &UnknownKernel, allowed: &str) -> Refused {
    match unknown.near.is_empty() {
        true => Refused(format!("{unknown}: {allowed}")),
        false => Refused(unknown.to_string()),
    }
}

/// Macros put names together of words.
fn is_made_of(name: &str, words: &BTreeSet<String>) -> bool {
    name.split('_').all(|word| words.contains(word))
}

/// The words of the names in all files below a folder, and of the files' own.
fn collect(folder: &Path, words: &mut BTreeSet<String>) {
    // What cannot be read has no names.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let mut add = |text: &str| {
            let is_word = |c: char| c.is_ascii_alphanumeric();
            let found = text.split(|c| !is_word(c)).filter(|word| !word.is_empty());
            words.extend(found.map(str::to_owned));
        };
        stem.into_iter().for_each(&mut add);
        if path.is_dir() {
            collect(&path, words);
        } else if let Ok(text) = fs::read_to_string(&path) {
            let code = text.lines().filter_map(|line| line.split("//").next());
            code.for_each(add);
        }
    }
}

/// Kernels with statements of their own.
fn own() -> Vec<String> {
    let folder = cargo::root().join(alone::STATEMENTS);
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = files.filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.filter(|name| alone::has_statements(name)).collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_macros_put_together_can_be_and_others_cannot() {
        let words = ["lookahead", "sum", "f32", "copy", "kernel"];
        let words: BTreeSet<String> = words.map(str::to_owned).into();
        for name in ["copy", "lookahead_sum_f32", "lookahead", "copy_kernel_f32"] {
            assert!(is_made_of(name, &words), "{name}");
        }
        for name in [
            "no_kernel",
            "lookahead_mean_f32",
            "",
            "../copy",
            "copy_",
            "_",
        ] {
            assert!(!is_made_of(name, &words), "{name}");
        }
    }

    #[test]
    fn names_of_our_own_sources_can_be() {
        for name in [
            "lookahead_sum_f32",
            "device_blelloch_above_add_sum_u32",
            "adaptive_runge_f64",
            "textbook",
            "limit_copy",
            "gaussian",
            "block_scan",
            "blelloch_exclusive",
            "device_hillis_steele",
            "u8_u32",
            "main",
        ] {
            assert!(can_be(name).is_ok(), "{name}");
        }
        for name in ["no_such_kernel", "../main", "", "hillis_stele"] {
            assert!(can_be(name).is_err(), "{name}");
        }
    }
}
