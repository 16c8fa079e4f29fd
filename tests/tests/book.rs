//! The book in `docs`: all pages are in its summary, no link leads nowhere, down to the
//! heading, and every block of code is tested somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use quadscan_tests::tidy;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn events(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// Where the links and pictures of a page lead.
fn links(text: &str) -> Vec<String> {
    let link = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    };
    events(text).filter_map(link).collect()
}

/// What a heading is called in a link, as mdbook and GitHub name it: lower case, spaces
/// become hyphens, and other signs go.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => c.to_lowercase().next(),
        _ => None,
    });
    kept.collect()
}

/// The anchors of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut heading: Option<String> = None;
    for event in events(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&piece);
                }
            }
            Event::End(TagEnd::Heading(
                HeadingLevel::H1
                | HeadingLevel::H2
                | HeadingLevel::H3
                | HeadingLevel::H4
                | HeadingLevel::H5
                | HeadingLevel::H6,
            )) => {
                let name = anchor(&heading.take().unwrap_or_default());
                let before = times.entry(name.clone()).or_default();
                found.insert(match *before {
                    0 => name,
                    n => format!("{name}-{n}"),
                });
                *before += 1;
            }
            _ => {}
        }
    }
    found
}

/// Links of a page to what is not there; `page` looks up another one's text.
fn dead(path: &Path, text: &str, page: impl Fn(&Path) -> Option<String>) -> Vec<String> {
    let is_dead = |link: &String| {
        if link.contains("://") || link.starts_with("mailto:") {
            return false;
        }
        let (place, heading) = link.split_once('#').unwrap_or((link, ""));
        let target = match place {
            "" => path.to_owned(),
            place => path.parent().unwrap_or(Path::new("")).join(place),
        };
        let is_page = target
            .extension()
            .is_some_and(|extension| extension == "md");
        match page(&target) {
            None => true,
            Some(text) => is_page && !heading.is_empty() && !anchors(&text).contains(heading),
        }
    };
    links(text).into_iter().filter(is_dead).collect()
}

#[test]
fn no_link_of_a_document_leads_nowhere() {
    let there = |path: &Path| {
        let full = root().join(path);
        let text = || fs::read_to_string(&full).unwrap_or_default();
        full.exists().then(text)
    };
    let files = tidy::files(&root()).expect("the repository can be read");
    let is_page = |file: &&tidy::File| file.has_extension("md");
    let pages: Vec<&tidy::File> = files.iter().filter(is_page).collect();
    assert!(pages.len() > 20, "only {} pages found", pages.len());
    let mut found = Vec::new();
    for file in pages {
        let dead = dead(Path::new(&file.path), &file.text, there);
        found.extend(
            dead.into_iter()
                .map(|link| format!("{:?}: {link}", file.path)),
        );
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_summary_has_every_page_once() {
    let mut listed = links(&read("docs/SUMMARY.md"));
    listed.sort();
    let names = |folder: &str| {
        let entries = fs::read_dir(root().join("docs").join(folder)).expect("the folder");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let names = entries.map(move |entry| name(entry.expect("an entry")));
        names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
    };
    let below = names("tables").map(|name| format!("tables/{name}"));
    let mut pages: Vec<String> = names("").chain(below).collect();
    pages.sort();
    assert_eq!(listed, pages);
}

/// Pages whose blocks of Rust are doc tests of `quadscan`.
fn doc_tested() -> BTreeSet<String> {
    let source = read("bench-crate/src/lib.rs");
    let parts = source.split("include_str!(\"../../docs/").skip(1);
    parts
        .filter_map(|part| part.split_once('"').map(|(name, _)| name.to_owned()))
        .collect()
}

/// Blocks of a page: language and text.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut language = None;
    for event in events(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                language = Some(info.into_string());
                found.push((language.clone().unwrap_or_default(), String::new()));
            }
            Event::Text(piece) if language.is_some() => {
                if let Some((_, text)) = found.last_mut() {
                    text.push_str(&piece);
                }
            }
            Event::End(TagEnd::CodeBlock) => language = None,
            _ => {}
        }
    }
    found
}

/// What is wrong with a block of a page: Rust is a doc test, or stands in one of the files
/// that the page links to; commands are of programs whose commands are checked.
fn objection(page: &str, block: &(String, String), linked: &[String]) -> Option<String> {
    const COMMANDS: &[&str] = &[
        "cargo xtask ",
        "cargo test ",
        "cargo run ",
        "git ",
        "rsync ",
        "ssh ",
        "cd ",
        "quadscan ",
        "python3 -m pip ",
    ];
    let (language, text) = block;
    match language.as_str() {
        "rust" if doc_tested().contains(page) => None,
        "rust" => Some("Rust that no test compiles".into()),
        "rust,ignore" | "python" => {
            let is_there = linked.iter().any(|source| source.contains(text.trim_end()));
            (!is_there).then(|| "code that stands in no file that the page links to".into())
        }
        // Run by python/tests/test_devices.py, which finds prompts.
        "pycon" if page == "python.md" => {
            let begins = text.starts_with(">>> ") && text.ends_with("\n\n");
            (!begins).then(|| "Python without a prompt, or without an empty line at the end".into())
        }
        "sh" => {
            let known = |line: &&str| COMMANDS.iter().any(|start| line.starts_with(start));
            let mut lines = text
                .lines()
                .filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
            lines
                .find(|line| !known(line))
                .map(|line| format!("`{line}` is no known command"))
        }
        "" | "text" | "console" | "toml" => None,
        other => Some(format!("a block of `{other}`")),
    }
}

#[test]
fn the_citation_is_of_this_version() {
    let value = |text: &str, key: &str| -> Option<String> {
        let line = text.lines().find_map(|line| line.strip_prefix(key));
        line.map(|value| value.trim_matches([' ', '"', '=', ':']).to_owned())
    };
    let cited = value(&read("CITATION.cff"), "version");
    assert!(cited.is_some());
    assert_eq!(cited, value(&read("Cargo.toml"), "version"));
    assert_eq!(
        value("version: 0.2.0\n", "version").as_deref(),
        Some("0.2.0")
    );
}

#[test]
fn every_block_of_code_in_the_book_is_tested() {
    let mut found = Vec::new();
    for page in links(&read("docs/SUMMARY.md")) {
        let text = read(&format!("docs/{page}"));
        let sources = links(&text)
            .into_iter()
            .filter(|link| link.ends_with(".rs") || link.ends_with(".py"))
            .filter(|link| !link.contains("://"));
        let linked: Vec<String> = sources.map(|link| read(&format!("docs/{link}"))).collect();
        let objections = blocks(&text);
        let objections = objections
            .iter()
            .filter_map(|block| objection(&page, block, &linked));
        found.extend(objections.map(|objection| format!("{page}: {objection}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_link_to_a_page_or_a_heading_that_is_not_there_is_found() {
    let pages = |path: &Path| {
        (path == Path::new("docs/a.md"))
            .then(|| "# One `two`, three\n## Again\n## Again".to_owned())
    };
    let dead = |text: &str| dead(Path::new("docs/b.md"), text, pages);
    assert_eq!(
        dead("[x](a.md), [x](a.md#one-two-three) <https://y.z> [y](a.md#again-1)"),
        [""; 0]
    );
    assert_eq!(dead("[x](c.md)"), ["c.md"]);
    assert_eq!(dead("[x](a.md#four)"), ["a.md#four"]);
    assert_eq!(dead("[x](a.md#again-2)"), ["a.md#again-2"]);
    assert_eq!(dead("`[x](c.md)`"), [""; 0]);
}

#[test]
fn a_block_that_nobody_tests_is_found() {
    let block = |language: &str, text: &str| (language.to_owned(), text.to_owned());
    let page = "memory-orders.md";
    assert_eq!(objection(page, &block("rust", "f();"), &[]), None);
    assert!(objection("tables.md", &block("rust", "f();"), &[]).is_some());
    assert!(objection(page, &block("rust,ignore", "f();"), &["g();".into()]).is_some());
    assert_eq!(
        objection(
            page,
            &block("rust,ignore", "f();"),
            &["fn f() { f(); }".into()]
        ),
        None
    );
    assert!(objection(page, &block("sh", "sudo rm"), &[]).is_some());
    assert!(objection(page, &block("cpp", "f();"), &[]).is_some());
    assert!(objection(page, &block("python", "f()"), &["g()".into()]).is_some());
    assert!(objection(page, &block("pycon", ">>> f()\n\n"), &[]).is_some());
    let of_python = |text: &str| objection("python.md", &block("pycon", text), &[]);
    assert_eq!(of_python(">>> f()\n3\n\n"), None);
    assert!(of_python("f()\n\n").is_some() && of_python(">>> f()\n3\n").is_some());
}
