//! What a kernel may be called: a word in snake case that means nothing yet, neither to Rust
//! nor to the texts that it is put into.

use std::fs;
use std::path::Path;

use super::origin;

/// The longest name: lines of the templates stay in their width.
const LONGEST: usize = 32;

/// Keywords in every edition, and words that are reserved (The Rust Reference, Keywords).
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "raw",
    "ref", "return", "safe", "self", "static", "struct", "super", "trait", "true", "try", "type",
    "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Crates that modules of these names would hide, and symbols that core brings.
const FOREIGN: &[&str] = &[
    "alloc", "bytemuck", "core", "cuda_std", "pastey", "quadscan", "std", "memcpy", "memmove",
    "memset", "memcmp", "bcmp", "strlen",
];

/// Why a kernel cannot be called so in the checkout at `root`: the rest of a sentence.
pub(crate) fn check(root: &Path, name: &str) -> Result<(), String> {
    if !is_snake_case(name) {
        return Err(format!(
            "is not a snake_case word, allowed are up to {LONGEST} lower-case letters, digits and single underscores, a letter first"
        ));
    }
    if KEYWORDS.contains(&name) {
        return Err("is a keyword of Rust: choose another word".into());
    }
    if FOREIGN.contains(&name) || origin::words().any(|word| word == name) {
        return Err("has a meaning in the kernel's own text: choose another word".into());
    }
    match taken(root, name) {
        Some(place) => Err(format!("is taken, by {place}: choose another word")),
        None => Ok(()),
    }
}

fn is_snake_case(name: &str) -> bool {
    let first = name.chars().next().is_some_and(|c| c.is_ascii_lowercase());
    let others = name
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    first && others && !name.contains("__") && !name.ends_with('_') && name.len() <= LONGEST
}

/// The file that has something of this name already.
fn taken(root: &Path, name: &str) -> Option<String> {
    for folder in [
        "kernels-crate/src",
        "bench-crate/src/kernels",
        "tests/tests/conformance",
    ] {
        for path in [format!("{folder}/{name}.rs"), format!("{folder}/{name}")] {
            if root.join(&path).exists() {
                return Some(path);
            }
        }
    }
    // The tests know integrals of both lists by these names.
    for integrands in [origin::CATALOGUE, "tests/kernels/src/lib.rs"] {
        let list = fs::read_to_string(root.join(integrands)).unwrap_or_default();
        if list.contains(&format!("\n    {name} = ")) {
            return Some(integrands.to_owned());
        }
    }
    having(root, "kernels-crate/src", &format!("pub unsafe fn {name}("))
}

/// The first file of Rust below a folder that has a text.
fn having(root: &Path, folder: &str, text: &str) -> Option<String> {
    let mut entries: Vec<_> = fs::read_dir(root.join(folder)).ok()?.flatten().collect();
    entries.sort_by_key(|entry| entry.file_name());
    entries.into_iter().find_map(|entry| {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            return having(root, &path, text);
        }
        let source = fs::read_to_string(entry.path()).ok()?;
        (path.ends_with(".rs") && source.contains(text)).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo;

    fn problem(name: &str) -> String {
        check(cargo::root(), name).err().unwrap_or_default()
    }

    #[test]
    fn words_in_snake_case_are_allowed() {
        for name in ["mine", "scale_f32", "a1", "x_2_y"] {
            assert_eq!(problem(name), "", "{name}");
        }
    }

    #[test]
    fn what_is_no_word_in_snake_case_is_refused_with_what_is() {
        let long = "a".repeat(LONGEST + 1);
        for name in [
            "",
            "Mine",
            "my-kernel",
            "1st",
            "_x",
            "x_",
            "a__b",
            "ä",
            "a b",
            "../x",
            &long,
        ] {
            let said = "is not a snake_case word, allowed are up to 32 lower-case letters, digits \
                        and single underscores, a letter first";
            assert_eq!(problem(name), said, "{name}");
        }
    }

    #[test]
    fn words_with_a_meaning_are_refused() {
        assert_eq!(problem("loop"), "is a keyword of Rust: choose another word");
        for name in [
            "core", "memcpy", "input", "thread", "launch", "elements", "bench",
        ] {
            let said = "has a meaning in the kernel's own text: choose another word";
            assert_eq!(problem(name), said, "{name}");
        }
    }

    #[test]
    fn names_that_are_taken_are_refused_with_the_place() {
        for (name, place) in [
            ("limit_empty", "kernels-crate/src/limits.rs"),
            ("limit_copy", "bench-crate/src/kernels/limit_copy.rs"),
            ("gaussian", "kernels-crate/src/integrate/catalogue.rs"),
            ("bessel", "tests/kernels/src/lib.rs"),
            ("scan", "kernels-crate/src/scan"),
            ("trapezoid", "tests/tests/conformance/trapezoid.rs"),
        ] {
            let said = format!("is taken, by {place}: choose another word");
            assert_eq!(problem(name), said);
        }
    }
}
