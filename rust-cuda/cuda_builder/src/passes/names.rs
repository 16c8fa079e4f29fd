//! Names that two clones of one commit agree on.
//!
//! A mangled name holds a hash of where its crate lies, and a constant's one
//! of its crate's. Whatever nobody outside the module can ask for is renamed
//! to its path in Rust, or to its number.

use std::collections::BTreeSet;

use crate::llvm::{Module, Value};

/// Renames every function and global that is not visible from outside.
pub(crate) fn settle(module: &Module) {
    let mut taken = BTreeSet::new();
    let mut rename = Vec::new();
    for value in module.functions().into_iter().chain(module.globals()) {
        let name = value.name();
        // Dynamic shared memory is declared, not defined, and nobody's but ours.
        let hidden = match value.is_declaration() {
            true => value.is_shared() && name.starts_with("_R"),
            false => !value.is_external(),
        };
        if hidden && !name.starts_with("llvm.") {
            rename.push(value);
        } else {
            taken.insert(name);
        }
    }
    let wanted: Vec<String> = rename.iter().map(|value| plain(&value.name())).collect();
    // Names of their own first, so that no new name meets an old one.
    for (index, value) in rename.iter().enumerate() {
        value.set_name(&format!("cuda_builder.renaming.{index}"));
    }
    for (value, wanted) in rename.into_iter().zip(wanted) {
        set_unique(value, &wanted, &mut taken);
    }
}

/// Takes off what tells the build that a part comes from, so that what else is built with it
/// makes no difference: constants' names hold a hash of all kernels, and so do the numbers
/// that LLVM knows globals by (`guid`), which it makes anew.
pub(crate) fn forget_build(module: &Module) {
    let mut constants = 0;
    for value in module.functions().into_iter().chain(module.globals()) {
        value.remove_metadata("guid");
        if value.name().starts_with("anon.") {
            value.set_name(&format!("anon.{constants}"));
            constants += 1;
        }
    }
}

fn set_unique(value: Value<'_>, wanted: &str, taken: &mut BTreeSet<String>) {
    let mut name = wanted.to_owned();
    let mut number = 1;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{wanted}_{number}");
    }
    value.set_name(&name);
}

/// The path of a mangled name in letters that PTX takes:
/// `core::slice::index::fail` is `core__slice__index__fail`.
fn plain(name: &str) -> String {
    if name.starts_with("anon.") || name.starts_with("alloc_") || name.starts_with("switch.table") {
        return "constant".into();
    }
    let readable = match rustc_demangle::try_demangle(name) {
        Ok(path) => format!("{path:#}"),
        Err(_) => name.to_owned(),
    };
    let letters: String = readable
        .chars()
        .map(|letter| match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '$' => letter,
            _ => '_',
        })
        .collect();
    if letters.starts_with(|first: char| first.is_ascii_digit()) {
        return format!("_{letters}");
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_crates_hash_is_not_part_of_the_new_name() {
        assert_eq!(plain("_RNvCsE7jOgvXauF_1k4TILE"), "k__TILE");
        assert_eq!(plain("_RNvCs1234567890a_1k4TILE"), "k__TILE");
    }

    #[test]
    fn constants_lose_theirs() {
        assert_eq!(plain("anon.25e7c9a3a28d4d3955cce3deb802ce10.7"), "constant");
    }
}
