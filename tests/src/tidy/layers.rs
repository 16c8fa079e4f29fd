//! Layers: what the modules of a package may import.
//!
//! A package's `lib.rs` or `main.rs` has a list in its documentation, below a line that begins
//! with `Its layers`: an item a layer, in which the names of the layer's modules stand before a
//! colon ("`a`, `b`: what they are. `c`: what it is"). A module imports modules of layers above
//! its own in the list, and of no other. A package with several modules has such a list. Modules
//! of one folder are in no list, and do not import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::modules::{Import, Module, Modules};
use super::{File, Finding};

/// How the list is announced.
const HEAD: &str = "Its layers";

/// The layers of a package, top first: each the names of its modules.
#[derive(Debug, PartialEq, Eq)]
pub struct Layers(pub Vec<Vec<String>>);

impl Layers {
    /// Of the documentation of a package's first file; `None` without a list.
    pub fn of(text: &str) -> Option<Self> {
        let docs = text.lines().map_while(|line| line.strip_prefix("//!"));
        let list = docs.skip_while(|line| !line.trim_start().starts_with(HEAD));
        let mut items: Vec<String> = Vec::new();
        for line in list.skip(1).skip_while(|line| !is_item(line)) {
            match (line.trim_start().strip_prefix("- "), items.last_mut()) {
                (Some(item), _) => items.push(item.to_owned()),
                (None, Some(item)) if !line.trim().is_empty() => {
                    item.push(' ');
                    item.push_str(line.trim());
                }
                _ => break,
            }
        }
        (!items.is_empty()).then(|| Layers(items.iter().map(|item| named(item)).collect()))
    }

    fn place(&self, module: &str) -> Option<usize> {
        let has = |layer: &Vec<String>| layer.iter().any(|name| name == module);
        self.0.iter().position(has)
    }
}

fn is_item(line: &str) -> bool {
    line.trim_start().starts_with("- ")
}

/// The names that stand before a colon, one or several with commas, or are all of an item; they may
/// be links.
fn named(item: &str) -> Vec<String> {
    let item = item.replace("[`", "`").replace("`]", "`");
    let pieces: Vec<&str> = item.split('`').collect();
    let (mut names, mut waiting) = (Vec::new(), Vec::new());
    // Every other piece is a name, and the piece after it says what becomes of it.
    for pair in pieces[1..].chunks(2) {
        waiting.push(pair[0].to_owned());
        let after = pair.get(1).copied().unwrap_or_default();
        let target = after
            .strip_prefix('(')
            .and_then(|link| link.split_once(')'));
        let after = target.map_or(after, |(_, after)| after);
        if after.starts_with(':') || after.is_empty() && names.is_empty() {
            names.append(&mut waiting);
        } else if after.trim() != "," && after.trim() != "and" {
            waiting.clear();
        }
    }
    names
}

/// The first files of packages.
pub fn roots(files: &[File]) -> impl Iterator<Item = &File> {
    let is_root = |file: &&File| {
        let path = &file.path;
        let is_program = path.contains("/src/bin/") && path.ends_with("/main.rs");
        (path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs") || is_program)
            && !file.is_sample()
    };
    files.iter().filter(is_root)
}

/// Runs `judge` on the modules of every package.
fn of_packages(
    files: &[File],
    judge: impl Fn(&File, &Modules<'_>) -> Vec<Finding>,
) -> Vec<Finding> {
    let of_package = |root| match Modules::of(root, files) {
        Ok(modules) => judge(root, &modules),
        Err(error) => vec![root.finding(0, format!("not Rust: {error}"))],
    };
    let mut findings: Vec<Finding> = roots(files).flat_map(of_package).collect();
    // A `use` with braces names a module several times.
    findings.dedup();
    findings
}

/// Imports that point upwards, and modules that are in no layer.
pub fn upward_imports(files: &[File]) -> Vec<Finding> {
    of_packages(files, |root, modules| {
        let top = modules.top();
        if top.len() < 2 {
            return Vec::new();
        }
        let Some(layers) = Layers::of(&root.text) else {
            let message = format!("its modules are in no layers: list them below `{HEAD}`");
            return vec![root.finding(0, message)];
        };
        let homeless = top.iter().filter(|module| layers.place(module).is_none());
        let homeless =
            homeless.map(|module| root.finding(0, format!("`{module}` is in none of the layers")));
        let upward = modules.imports().filter_map(|import| {
            let (Some(from), Some(to)) = (import.from.first(), import.to.first()) else {
                return None;
            };
            let (own, other) = (layers.place(from)?, layers.place(to)?);
            (from != to && other >= own).then(|| {
                let message = format!(
                    "`{from}` imports `{to}`, which is no layer above it: see the list in {}",
                    root.path
                );
                import.file.finding(import.line, message)
            })
        });
        homeless.chain(upward).collect()
    })
}

/// Modules of one folder that import each other in a circle.
pub fn import_cycles(files: &[File]) -> Vec<Finding> {
    of_packages(files, |_, modules| {
        let mut folders: BTreeMap<Module, Vec<Import<'_>>> = BTreeMap::new();
        for import in modules.imports() {
            let pairs = import.from.iter().zip(&import.to);
            let common = pairs.take_while(|(from, to)| from == to).count();
            // A module and one below it are no neighbours; those of the root are in layers.
            if common > 0 && common < import.from.len() && common < import.to.len() {
                let folder = import.from[..common].to_vec();
                folders.entry(folder).or_default().push(import);
            }
        }
        let of_folder = |(folder, imports): (Module, Vec<Import<'_>>)| {
            let depth = folder.len();
            let mut circle = imports
                .iter()
                .filter(|import| reaches(&imports, depth, &import.to[depth], &import.from[depth]));
            circle.next().map(|import| {
                let message = format!(
                    "`{}` and `{}` of `{}` import each other",
                    import.from[depth],
                    import.to[depth],
                    folder.join("::")
                );
                import.file.finding(import.line, message)
            })
        };
        folders.into_iter().filter_map(of_folder).collect()
    })
}

/// Whether imports lead from one of a folder's modules to another.
fn reaches(imports: &[Import<'_>], depth: usize, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        if module == to {
            return true;
        }
        if seen.insert(module) {
            let of_module = imports.iter().filter(|import| import.from[depth] == module);
            open.extend(of_module.map(|import| import.to[depth].as_str()));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "//! What.\n//!\n//! Its layers, top first:\n//!\n//! - `a`, `b`: words.\n\
                        //!   More words of `c`.\n//! - `c`\n\nmod a;\nmod b;\nmod c;\n";

    fn findings(path: &str, text: &str) -> Vec<String> {
        let others = ["a", "b", "c"].map(|name| format!("p/src/{name}.rs"));
        let others = others.iter().filter(|other| *other != path);
        let mut files: Vec<File> = others.map(|other| File::new(other, "mod d;")).collect();
        files.push(File::new("p/src/lib.rs", ROOT));
        files.push(File::new(path, text));
        let found = upward_imports(&files).into_iter();
        found.map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn a_list_is_read_off_the_documentation() {
        let layers = Layers::of(ROOT).expect("a list");
        assert_eq!(layers.0, [vec!["a", "b"], vec!["c"]]);
        assert_eq!(Layers::of("//! What.\n//! - `a`\n"), None);
        assert_eq!(named("`a`: one of `b`. `c`,`d`: two"), ["a", "c", "d"]);
        assert_eq!(named("[`a`], [`b`](mod@b): of [`c`]"), ["a", "b"]);
    }

    #[test]
    fn imports_of_layers_above_are_fine_and_others_are_not() {
        assert!(findings("p/src/c.rs", "use crate::a::A;\nuse crate::{b, a::C};").is_empty());
        assert!(findings("p/src/c/d.rs", "use crate::c::E;").is_empty());
        for (path, text) in [
            ("p/src/a.rs", "use crate::c::A;"),
            ("p/src/a/d.rs", "fn f() { crate::c::f() }"),
            ("p/src/a/d.rs", "fn f() { super::super::c::f() }"),
            ("p/src/a.rs", "use crate::b::B;"),
            ("p/src/b.rs", "use crate::{\n    a::d,\n    c,\n};"),
        ] {
            assert!(!findings(path, text).is_empty(), "{path}: {text}");
        }
    }

    #[test]
    fn a_module_in_no_layer_and_a_package_without_layers_are_said() {
        let root = ROOT.replace("mod c;", "mod c;\nmod d;");
        let said = |root: &str| upward_imports(&[File::new("p/src/lib.rs", root)]);
        assert_eq!(said(ROOT), []);
        let found = said(&root);
        assert_eq!(found[0].message, "`d` is in none of the layers");
        assert!(said("mod a;\nmod b;")[0].message.contains("in no layers"));
        assert_eq!(
            said("mod a;\nmod b {}"),
            [],
            "one that has no file has no layer"
        );
        assert_eq!(said("mod a;"), [], "one module has no layers");
        assert!(said("mod a {")[0].message.starts_with("not Rust"));
    }

    #[test]
    fn modules_of_a_folder_that_import_each_other_are_said() {
        let files = |text: &str| {
            [
                File::new("p/src/lib.rs", "mod a;"),
                File::new("p/src/a.rs", "mod b;\nmod c;\nmod d;"),
                File::new("p/src/a/b.rs", "use super::c::C;"),
                File::new("p/src/a/c.rs", "use crate::a::d::D;"),
                File::new("p/src/a/d.rs", text),
            ]
        };
        let found = import_cycles(&files("use super::b::B;"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(import_cycles(&files("use super::None;")), []);
    }
}
