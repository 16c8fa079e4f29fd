//! The modules of a package, and what each imports, read from the tokens of its files.
//!
//! No compiler is asked: a path counts wherever it stands, in a function and in a macro too. What
//! only tests have (`#[cfg(test)]`) is left out, and so are paths that begin with `$crate`, which
//! belong to whoever calls the macro. Names that a module re-exports are followed to where they
//! are from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

use super::File;

/// A module by the names on the way to it; the root has none.
pub(super) type Module = Vec<String>;

/// A path that a module names.
#[derive(Debug)]
pub(super) struct Import<'f> {
    /// The module that has it,
    pub(super) from: Module,
    /// the one that it leads to,
    pub(super) to: Module,
    /// and where it stands.
    pub(super) file: &'f File,
    pub(super) line: usize,
}

/// The modules below a package's first file.
#[derive(Debug)]
pub(super) struct Modules<'f> {
    pub(super) all: BTreeSet<Module>,
    /// Those that are written within another's file.
    inline: BTreeSet<Module>,
    /// What a module has by a `use`, under the name that it has it by.
    names: BTreeMap<(Module, String), Module>,
    paths: Vec<Import<'f>>,
}

impl<'f> Modules<'f> {
    /// Reads `root`, and each file that a `mod` in it leads to.
    ///
    /// # Errors
    ///
    /// The file that is no sequence of Rust's tokens.
    pub(super) fn of(root: &'f File, files: &'f [File]) -> Result<Self, String> {
        let mut modules = Modules {
            all: BTreeSet::new(),
            inline: BTreeSet::new(),
            names: BTreeMap::new(),
            paths: Vec::new(),
        };
        let folder = root.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut open = vec![(Vec::new(), root, folder.to_owned())];
        while let Some((module, file, folder)) = open.pop() {
            let tokens: TokenStream = file
                .text
                .parse()
                .map_err(|error| format!("{}: {error}", file.path))?;
            let mut reader = Reader {
                file,
                folder: &folder,
                found: &mut modules,
                files: Vec::new(),
            };
            reader.read(tokens, &module);
            for (module, candidates) in reader.files {
                let file = candidates.iter().find_map(|(path, folder)| {
                    let file = files.iter().find(|file| file.path == *path)?;
                    Some((file, folder.clone()))
                });
                modules.all.insert(module.clone());
                if let Some((file, folder)) = file {
                    open.push((module, file, folder));
                }
            }
        }
        Ok(modules)
    }

    /// The names of the modules that the root has, those in files of their own.
    pub(super) fn top(&self) -> BTreeSet<&str> {
        let in_files = self.all.difference(&self.inline);
        in_files.map(|module| module[0].as_str()).collect()
    }

    /// What the modules import of each other.
    pub(super) fn imports(&self) -> impl Iterator<Item = Import<'f>> {
        self.paths.iter().map(|path| Import {
            from: path.from.clone(),
            to: self.resolved(&path.to, 8),
            ..*path
        })
    }

    /// The module that a path from the root leads to, through `hops` re-exports at most.
    fn resolved(&self, path: &[String], hops: usize) -> Module {
        let mut module = Module::new();
        for (at, name) in path.iter().enumerate() {
            let mut child = module.clone();
            child.push(name.clone());
            if self.all.contains(&child) {
                module = child;
                continue;
            }
            let source = self.names.get(&(module.clone(), name.clone()));
            return match source.filter(|source| hops > 0 && **source != path[..=at]) {
                Some(source) => {
                    let rest = path[at + 1..].iter();
                    let whole: Module = source.iter().chain(rest).cloned().collect();
                    self.resolved(&whole, hops - 1)
                }
                None => module,
            };
        }
        module
    }
}

/// Files that may be a module's, each with the folder of the modules below it.
type Candidates = Vec<(String, String)>;

struct Reader<'r, 'f> {
    file: &'f File,
    /// Where the modules below the file are.
    folder: &'r str,
    found: &'r mut Modules<'f>,
    /// Modules in files of their own.
    files: Vec<(Module, Candidates)>,
}

impl Reader<'_, '_> {
    fn read(&mut self, tokens: TokenStream, module: &Module) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut at, mut path_of_file) = (0, None);
        while let Some(token) = tokens.get(at) {
            if let Some(attribute) = attribute(&tokens[at..]) {
                at += 2;
                match (is_for_tests(attribute), literal(attribute, "path")) {
                    (true, _) => at += item(&tokens[at..]),
                    (false, Some(path)) => path_of_file = Some(path),
                    (false, None) => {}
                }
                continue;
            }
            let used = match token {
                TokenTree::Ident(word) if word == "mod" => {
                    self.module(&tokens[at..], module, path_of_file.take())
                }
                TokenTree::Ident(word) if word == "use" => self.names(&tokens[at + 1..], module),
                TokenTree::Ident(_) if begins(&tokens, at) => self.paths(&tokens[at..], module),
                TokenTree::Group(group) => {
                    self.read(group.stream(), module);
                    1
                }
                _ => 1,
            };
            at += used.max(1);
        }
    }

    /// Reads `mod name;` or `mod name { .. }`; how many tokens that were.
    fn module(&mut self, tokens: &[TokenTree], parent: &Module, path: Option<String>) -> usize {
        let (Some(TokenTree::Ident(name)), Some(body)) = (tokens.get(1), tokens.get(2)) else {
            return 1;
        };
        let mut module = parent.clone();
        module.push(name.to_string());
        match body {
            TokenTree::Group(group) => {
                self.found.all.insert(module.clone());
                self.found.inline.insert(module.clone());
                self.read(group.stream(), &module);
            }
            _ => {
                let candidates = self.candidates(&name.to_string(), path);
                self.files.push((module, candidates));
            }
        }
        3
    }

    fn candidates(&self, name: &str, path: Option<String>) -> Candidates {
        let below = format!("{}/{name}", self.folder);
        match path {
            Some(path) => {
                let own = Path::new(&self.file.path).parent().unwrap_or(Path::new(""));
                let path = own.join(path).to_string_lossy().into_owned();
                vec![(path, below)]
            }
            None => {
                let files = [format!("{below}.rs"), format!("{below}/mod.rs")];
                files.map(|file| (file, below.clone())).to_vec()
            }
        }
    }

    /// Reads what follows `use`: paths, and the names that the module has them by.
    fn names(&mut self, tokens: &[TokenTree], module: &Module) -> usize {
        let end = tokens
            .iter()
            .position(|token| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ';'))
            .unwrap_or(tokens.len());
        let tokens = &tokens[..end];
        let is_of_package = begins(tokens, 0);
        for (path, line, name) in paths(tokens, &Vec::new()).1 {
            let path = match is_of_package {
                true => absolute(&path, module),
                // Of a module below this one, or of another package: no module is found there.
                false => module.iter().cloned().chain(path).collect(),
            };
            if let Some(name) = name {
                let key = (module.clone(), name);
                self.found.names.insert(key, path.clone());
            }
            if is_of_package {
                self.import(path, line, module);
            }
        }
        end + 1
    }

    /// Reads a path that begins with `crate`, `super` or `self`.
    fn paths(&mut self, tokens: &[TokenTree], module: &Module) -> usize {
        let (used, found) = paths(tokens, &Vec::new());
        for (path, line, _) in found {
            self.import(absolute(&path, module), line, module);
        }
        used
    }

    fn import(&mut self, to: Module, line: usize, from: &Module) {
        self.found.paths.push(Import {
            from: from.clone(),
            to,
            file: self.file,
            line,
        });
    }
}

/// The group of an attribute, where the tokens begin with one.
fn attribute(tokens: &[TokenTree]) -> Option<&Group> {
    match tokens {
        [TokenTree::Punct(sign), TokenTree::Group(group), ..] if sign.as_char() == '#' => {
            Some(group)
        }
        _ => None,
    }
}

fn is_for_tests(attribute: &Group) -> bool {
    let text = attribute.stream().to_string();
    let is_word = |word| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|found| found == word)
    };
    text.starts_with("cfg") && (is_word("test") || is_word("doctest")) && !is_word("not")
}

/// The text in `name = "text"`.
fn literal(attribute: &Group, name: &str) -> Option<String> {
    let text = attribute.stream().to_string();
    let value = text.strip_prefix(name)?.trim_start().strip_prefix('=')?;
    Some(value.trim().trim_matches('"').to_owned())
}

/// How many tokens the item has that the tokens begin with: to its braces, or to a semicolon.
fn item(tokens: &[TokenTree]) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(sign) => sign.as_char() == ';',
        _ => false,
    };
    let end = tokens.iter().position(is_end);
    end.map_or(tokens.len(), |end| end + 1)
}

fn is_colons(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Punct(a), TokenTree::Punct(b), ..]
        if a.as_char() == ':' && a.spacing() == Spacing::Joint && b.as_char() == ':')
}

/// Whether a path of the package begins there.
fn begins(tokens: &[TokenTree], at: usize) -> bool {
    let is_word =
        |word: &TokenTree| ["crate", "super", "self"].contains(&word.to_string().as_str());
    let is_of_caller = at > 0 && tokens[at - 1].to_string() == "$";
    tokens.get(at).is_some_and(is_word) && is_colons(&tokens[at + 1..]) && !is_of_caller
}

/// A path, its line, and the name that a `use` of it gives.
type Named = (Module, usize, Option<String>);

/// The paths that the tokens begin with, several where there are braces, and how many tokens they
/// are.
fn paths(tokens: &[TokenTree], before: &Module) -> (usize, Vec<Named>) {
    let (mut path, mut at, mut line) = (before.clone(), 0, 0);
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(word)) => {
                line = word.span().start().line;
                path.push(word.to_string());
            }
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_comma =
                    |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
                let members = inner.split(is_comma).filter(|member| !member.is_empty());
                let found = members.flat_map(|member| paths(member, &path).1);
                return (at + 1, found.collect());
            }
            // A glob.
            glob => {
                let line = glob.map_or(line, |glob| glob.span().start().line);
                return (at, vec![(path, line, None)]);
            }
        }
        at += 1;
        if !is_colons(&tokens[at..]) {
            break;
        }
        at += 2;
    }
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = match (tokens.get(at), tokens.get(at + 1)) {
        (Some(TokenTree::Ident(word)), Some(name)) if word == "as" => Some(name.to_string()),
        _ => path.last().cloned(),
    };
    (at, vec![(path, line, name)])
}

/// The path from the root, of one that begins with `crate`, `super` or `self`.
fn absolute(path: &[String], module: &Module) -> Module {
    let mut found = module.clone();
    for (at, word) in path.iter().enumerate() {
        match word.as_str() {
            "crate" if at == 0 => found.clear(),
            "self" if at == 0 => {}
            "super" => {
                found.pop();
            }
            _ => found.push(word.clone()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the modules `a`, `a::b` and `c` import when `a/b.rs` reads so.
    fn imports(text: &str) -> Vec<String> {
        let files = [
            File::new("p/src/lib.rs", "mod a;\nmod c;\npub use c::{C, D as E};"),
            File::new("p/src/a/mod.rs", "mod b;\nuse crate::c::C as F;"),
            File::new(
                "p/src/c.rs",
                "mod inner { pub struct C; }\npub use inner::C;",
            ),
            File::new("p/src/a/b.rs", text),
        ];
        let modules = Modules::of(&files[0], &files).expect("Rust");
        let of_b = modules.imports().filter(|import| import.from.len() > 1);
        of_b.map(|import| format!("{} {}", import.line, import.to.join("::")))
            .collect()
    }

    #[test]
    fn paths_of_all_spellings_lead_to_their_modules() {
        for (text, expected) in [
            ("use crate::c::inner::C;", "1 c::inner"),
            ("use super::super::c::D;", "1 c"),
            ("fn f() {\n    super::super::c::f()\n}", "2 c"),
            ("macro_rules! m { () => { crate::c::f() } }", "1 c"),
            ("mod deep {\n use super::super::super::c::D;\n}", "2 c"),
            ("use crate::{\n    E,\n};", "2 c"),
            ("use crate::C;", "1 c::inner"),
            ("use super::F;", "1 c::inner"),
            ("use super::{super::c, super::c::D};", "1 c"),
            ("use crate::c::{self, *};", "1 c"),
            ("use crate::a::None;", "1 a"),
        ] {
            let found = imports(text);
            assert!(
                !found.is_empty() && found.iter().all(|found| found == expected),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn tests_comments_texts_and_macros_of_others_import_nothing() {
        for text in [
            "// crate::c\n/// [`crate::c`]\nfn f() { g(\"crate::c\") }",
            "#[cfg(test)]\nmod tests {\n    use crate::c::A;\n}",
            "#[cfg(test)]\nuse crate::c::A;",
            "#[cfg(all(test, unix))]\n#[path = \"x.rs\"]\nmod tests;",
            "macro_rules! m { () => { $crate::c::f() } }",
            "pub(crate) fn f() {}",
            "use std::fs;",
        ] {
            assert_eq!(imports(text), [""; 0], "{text}");
        }
        assert_eq!(imports("#[cfg(not(test))]\nuse crate::c::D;"), ["2 c"]);
    }

    #[test]
    fn modules_of_tests_are_none() {
        let files = [
            File::new("p/src/lib.rs", "mod a;\n#[cfg(test)]\nmod b;"),
            File::new(
                "p/src/a.rs",
                "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;",
            ),
        ];
        let modules = Modules::of(&files[0], &files).expect("Rust");
        assert_eq!(modules.all, BTreeSet::from([vec!["a".to_owned()]]));
        let torn = [File::new("p/src/lib.rs", "mod a {")];
        assert!(Modules::of(&torn[0], &torn).is_err());
    }
}
