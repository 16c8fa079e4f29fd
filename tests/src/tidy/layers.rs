//! Layers: what the modules of a package may import.
//!
//! A package's `lib.rs` or `main.rs` has a list in its documentation, below a line that begins
//! with `Its layers`: an item a layer, which begins with the names of the layer's modules. A
//! module imports modules of layers above its own in the list, and of no other; what it has
//! below itself is its own business. A package with several modules has such a list.

use std::collections::BTreeSet;

use super::{File, Finding};

/// How the list is announced.
const HEAD: &str = "Its layers";

/// The layers of a package: each the names of its modules.
#[derive(Debug, PartialEq, Eq)]
struct Layers(Vec<Vec<String>>);

impl Layers {
    /// Of the documentation of a package's first file; `None` without a list.
    fn of(text: &str) -> Option<Self> {
        let docs = text.lines().map_while(|line| line.strip_prefix("//!"));
        let list = docs.skip_while(|line| !line.trim_start().starts_with(HEAD));
        let items = list.filter_map(|line| line.trim_start().strip_prefix("- "));
        let names = |item: &str| {
            let names = item.split_once(':').map_or(item, |(names, _)| names);
            let names = names.split('`').skip(1).step_by(2);
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        let layers: Vec<Vec<String>> = items.map(names).collect();
        (!layers.is_empty()).then_some(Layers(layers))
    }

    fn place(&self, module: &str) -> Option<usize> {
        let has = |layer: &Vec<String>| layer.iter().any(|name| name == module);
        self.0.iter().position(has)
    }
}

/// The module of the package that a file belongs to, by its path below `src`.
fn module<'f>(package: &str, file: &'f File) -> Option<&'f str> {
    let below = file.path.strip_prefix(package)?.strip_prefix("/src/")?;
    let first = below.split('/').next()?;
    Some(first.strip_suffix(".rs").unwrap_or(first))
}

/// The modules that a line of code names: what follows `crate::`, and in a group each of its
/// members.
fn named(line: &str) -> Vec<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let first = |path: &'_ str| -> Option<usize> {
        let end = path.find(|c| !is_name(c)).unwrap_or(path.len());
        (end > 0).then_some(end)
    };
    let mut found = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let is_whole = !line[..at].ends_with(|c: char| is_name(c) || c == '$');
        let rest = &line[at + "crate::".len()..];
        if !is_whole {
            continue;
        }
        match rest.strip_prefix('{') {
            Some(group) => {
                let members = group.split(',').map(str::trim);
                found.extend(members.filter_map(|member| Some(&member[..first(member)?])));
            }
            None => found.extend(first(rest).map(|end| &rest[..end])),
        }
    }
    found
}

/// Imports that point upwards, and modules that are in no layer.
pub fn upward_imports(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for root in files {
        let is_root = |name: &str| root.path.ends_with(name);
        let Some(package) = ["/src/lib.rs", "/src/main.rs"]
            .into_iter()
            .find(|name| is_root(name))
            .and_then(|name| root.path.strip_suffix(name))
        else {
            continue;
        };
        if package.starts_with("tests/") || root.is_sample() {
            continue;
        }
        findings.extend(of_package(package, root, files));
    }
    findings
}

fn of_package(package: &str, root: &File, files: &[File]) -> Vec<Finding> {
    let of_modules = files.iter().filter_map(|file| {
        let module = module(package, file).filter(|name| !["lib", "main", "bin"].contains(name))?;
        file.has_extension("rs").then_some((module, file))
    });
    let of_modules: Vec<(&str, &File)> = of_modules.collect();
    let modules: BTreeSet<&str> = of_modules.iter().map(|(module, _)| *module).collect();
    if modules.len() < 2 {
        return Vec::new();
    }
    let Some(layers) = Layers::of(&root.text) else {
        let message = format!("its modules are in no layers: list them below `{HEAD}`");
        return vec![root.finding(0, message)];
    };
    let mut findings = Vec::new();
    for module in &modules {
        if layers.place(module).is_none() {
            findings.push(root.finding(0, format!("`{module}` is in none of the layers")));
        }
    }
    for (module, file) in of_modules {
        let Some(own) = layers.place(module) else {
            continue;
        };
        let tests = file.text.find("\n#[cfg(test)]\nmod tests {");
        let lines_of_code = tests.map_or(usize::MAX, |at| file.text[..at].lines().count());
        let is_of_tests = file.path.ends_with("tests.rs") || file.path.contains("/tests/");
        for (number, line) in file.code().filter(|(number, _)| *number <= lines_of_code) {
            let upward = |name: &&str| {
                let place = layers.place(name).filter(|_| *name != module);
                place.is_some_and(|place| place >= own)
            };
            if let Some(name) = named(line)
                .into_iter()
                .find(upward)
                .filter(|_| !is_of_tests)
            {
                let message = format!(
                    "`{module}` imports `{name}`, which is no layer above it: see the list in {}",
                    root.path
                );
                findings.push(file.finding(number, message));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "//! What.\n//!\n//! Its layers, top first:\n//!\n//! - `a`, `b`: words.\n\
                        //!   More words.\n//! - `c`\n\nmod a;\nmod b;\nmod c;\n";

    fn findings(path: &str, text: &str) -> Vec<String> {
        let others = ["a", "b", "c"].map(|name| format!("p/src/{name}.rs"));
        let others = others.iter().filter(|other| *other != path);
        let mut files: Vec<File> = others.map(|other| File::new(other, "//! What.")).collect();
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
    }

    #[test]
    fn imports_of_layers_above_are_fine_and_others_are_not() {
        assert!(findings("p/src/c.rs", "use crate::a::A;\nuse crate::{b, a::C};").is_empty());
        assert!(findings("p/src/c/d.rs", "use crate::c::E;").is_empty());
        for (path, text) in [
            ("p/src/a.rs", "use crate::c::A;"),
            ("p/src/a/d.rs", "fn f() { crate::c::f() }"),
            ("p/src/a.rs", "use crate::b::B;"),
            ("p/src/b.rs", "use crate::{c, d};"),
        ] {
            assert_eq!(findings(path, text).len(), 1, "{path}: {text}");
        }
    }

    #[test]
    fn tests_and_comments_may_name_anything() {
        let text = "// crate::c\n\n#[cfg(test)]\nmod tests {\n    use crate::c::A;\n}\n";
        assert!(findings("p/src/a.rs", text).is_empty());
        assert!(
            findings("p/src/a_tests.rs", "use crate::c::A;").len() == 1,
            "in no layer"
        );
    }

    #[test]
    fn a_module_in_no_layer_is_said() {
        let found = findings("p/src/d.rs", "//! What.");
        assert_eq!(found, ["p/src/lib.rs: `d` is in none of the layers"]);
    }
}
