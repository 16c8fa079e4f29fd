//! Code with its source between: above what came from a line of Rust stand the line and the
//! calls that inlined it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use ptx_syntax::Kind;
use ptx_syntax::debug::{self, Id, Locations};

use crate::locations;
use crate::ptx::Entry;
use crate::sass::Line;

/// Where the sources are that PTX names: prefixes of its names, and the folders that they
/// stand for.
#[derive(Debug, Default)]
pub struct Sources {
    folders: Vec<(String, PathBuf)>,
    read: RefCell<HashMap<String, Option<Rc<str>>>>,
}

impl Sources {
    /// Of several prefixes that fit, the first counts. A `*` in one stands for the name of a
    /// folder: `/rustc/*/library/`.
    pub fn new(folders: Vec<(String, PathBuf)>) -> Self {
        Sources {
            folders,
            read: RefCell::default(),
        }
    }

    fn text(&self, file: &str) -> Option<Rc<str>> {
        if let Some(known) = self.read.borrow().get(file) {
            return known.clone();
        }
        let place = self
            .folders
            .iter()
            .find_map(|(prefix, folder)| Some(folder.join(without(file, prefix)?)));
        let text = place.and_then(|path| std::fs::read_to_string(path).ok());
        let text: Option<Rc<str>> = text.map(Rc::from);
        self.read.borrow_mut().insert(file.to_owned(), text.clone());
        text
    }

    /// Without `./`, and without a prefix that names no folder of its own.
    fn name<'f>(&self, file: &'f str) -> &'f str {
        let prefixes = self.folders.iter().map(|(prefix, _)| prefix.as_str());
        let mut short = prefixes
            .filter(|prefix| prefix.contains('*') || *prefix == "./")
            .filter_map(|prefix| without(file, prefix));
        short.next().unwrap_or(file)
    }

    /// `src/lib.rs:7 in scan: let x = y;`, or as much of it as is known.
    fn describe(&self, at: debug::Line<'_>) -> String {
        let debug::Line { file, line } = at;
        let place = format!("{}:{line}", self.name(file));
        let Some(text) = self.text(file) else {
            return place;
        };
        let Some(written) = text.lines().nth(line as usize - 1) else {
            return place;
        };
        match function(&text, line) {
            Some(name) => format!("{place} in {name}: {}", written.trim()),
            None => format!("{place}: {}", written.trim()),
        }
    }
}

/// What follows a prefix, in which `*` stands for the name of a folder.
fn without<'f>(file: &'f str, prefix: &str) -> Option<&'f str> {
    let Some((before, after)) = prefix.split_once('*') else {
        return file.strip_prefix(prefix);
    };
    let rest = file.strip_prefix(before)?;
    rest[rest.find('/')?..].strip_prefix(after)
}

/// The function that a line is in, as far as indentation tells: the nearest head above it that
/// stands further left, or the line itself.
fn function(text: &str, line: u32) -> Option<&str> {
    let lines: Vec<&str> = text.lines().take(line as usize).collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    // The last brace of a function stands as far left as its head.
    let mut most = indent(lines.last()?) + usize::from(lines.last()?.trim() == "}");
    if let Some(name) = head(lines.last()?) {
        return Some(name);
    }
    for line in lines.iter().rev().skip(1) {
        let at = indent(line);
        if line.trim().is_empty() || at >= most {
            continue;
        }
        if let Some(name) = head(line) {
            return Some(name);
        }
        // The end of a head of several lines, `) -> T {`, stands as far left as its `fn`.
        if !line.trim_start().starts_with(')') {
            most = at;
        }
    }
    None
}

/// The name in `pub(crate) unsafe fn name<T>(`.
fn head(line: &str) -> Option<&str> {
    let code = line.trim_start();
    if code.starts_with("//") {
        return None;
    }
    let rest = match code.strip_prefix("fn ") {
        Some(rest) => rest,
        None => code.split_once(" fn ")?.1,
    };
    let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))?;
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

/// The PTX of a kernel, with its source.
pub fn ptx(entry: &Entry<'_, '_>, sources: &Sources) -> String {
    let mut out = format!("{}:\n", entry.name());
    let mut locations = Locations::new(entry.module);
    let mut shown = None;
    for (statement, location) in locations.of(entry.function) {
        match &statement.kind {
            // Labels that only locations have brought: `$158:`.
            Kind::Label(label) if label[1..].starts_with(|c: char| c.is_ascii_digit()) => {}
            Kind::Label(label) => out.push_str(&format!("{label}:\n")),
            Kind::Location(_) => {}
            kind => {
                if matches!(kind, Kind::Instruction(_)) && location != shown {
                    shown = location;
                    push_lines(&mut out, shown, &locations, sources);
                }
                let lines: Vec<&str> = entry.written(statement).lines().map(str::trim).collect();
                let text = lines.join(" ").replace('\t', " ");
                out.push_str(&format!("        {text};\n"));
            }
        }
    }
    out
}

/// The machine code of a kernel, with its source where there are `locations`: those that
/// [`locations::numbered`] gave for the text that was assembled.
pub fn sass(
    entry: &str,
    code: &[Line],
    locations: Option<&Locations>,
    sources: &Sources,
) -> String {
    let mut out = format!("{entry}:\n");
    let mut shown = None;
    for line in code {
        match line {
            Line::Label(label) => out.push_str(&format!("{label}\n")),
            Line::Instruction { text, line } => {
                let location = line.and_then(locations::of_number);
                if let Some(locations) = locations
                    && location.is_some()
                    && location != shown
                {
                    shown = location;
                    push_lines(&mut out, shown, locations, sources);
                }
                out.push_str(&format!("        {text};\n"));
            }
        }
    }
    out
}

fn push_lines(out: &mut String, at: Option<Id>, locations: &Locations, sources: &Sources) {
    let lines = at.into_iter().flat_map(|at| locations.lines(at));
    for (depth, line) in lines.enumerate() {
        let mark = if depth == 0 { "//" } else { "//   inlined at" };
        out.push_str(&format!("{mark} {}\n", sources.describe(line)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PTX: &str = "\
.version 8.0
.visible .entry scan(
\t.param .u64 scan_param_0
)
{
\t.reg .b32 \t%r<3>;
$L__func_begin0:
\t.loc\t1 2 0
\tld.param.b64 \t%rd1, [scan_param_0];
$7:
\t.loc\t2 3 0 //1
\tadd.s32 \t%r1, %r1, 1;
\tbar.sync \t0;
$L__BB0_1:
\t.loc\t1 3 0
\tret;
}
\t.file\t1 \"./kernel.rs\"
\t.file\t2 \"/elsewhere/add.rs\"
//.call 1 1 2
";

    const KERNEL: &str = "pub unsafe fn scan(x: *mut u32) {\n    add(x);\n}\n";
    const ADD: &str =
        "impl Sum {\n    fn add(\n        x: u32,\n    ) -> u32 {\n        x + 1\n    }\n}\n";

    fn sources(folder: &std::path::Path) -> Sources {
        std::fs::write(folder.join("kernel.rs"), KERNEL).unwrap();
        Sources::new(vec![("./".into(), folder.to_owned())])
    }

    #[test]
    fn above_instructions_stand_their_line_and_the_calls_that_inlined_it() {
        let here = tempfile::tempdir().unwrap();
        let module = ptx_syntax::parse(PTX).unwrap();
        let entry = Entry::find(&module, PTX, "scan").unwrap();
        let found = ptx(&entry, &sources(here.path()));
        let expected = "\
scan:
        .reg .b32  %r<3>;
$L__func_begin0:
// kernel.rs:2 in scan: add(x);
        ld.param.b64  %rd1, [scan_param_0];
// /elsewhere/add.rs:3
//   inlined at kernel.rs:2 in scan: add(x);
        add.s32  %r1, %r1, 1;
        bar.sync  0;
$L__BB0_1:
// kernel.rs:3 in scan: }
        ret;
";
        assert_eq!(found, expected);
    }

    #[test]
    fn machine_code_leads_back_through_the_numbers_of_locations() {
        let here = tempfile::tempdir().unwrap();
        let (numbered, locations) = locations::numbered(PTX).unwrap();
        let added = numbered.split(".loc\t2 ").nth(1).unwrap();
        let number = added.split(' ').next().unwrap().parse().unwrap();
        let code = |line| Line::Instruction {
            text: "IADD3 R1, R1, 0x1, RZ".into(),
            line,
        };
        let lines = [
            code(Some(number)),
            code(Some(number)),
            Line::Label(".L_x_0:".into()),
            code(None),
        ];
        let found = sass("scan", &lines, Some(&locations), &sources(here.path()));
        let expected = "\
scan:
// /elsewhere/add.rs:3
//   inlined at kernel.rs:2 in scan: add(x);
        IADD3 R1, R1, 0x1, RZ;
        IADD3 R1, R1, 0x1, RZ;
.L_x_0:
        IADD3 R1, R1, 0x1, RZ;
";
        assert_eq!(found, expected);
    }

    #[test]
    fn a_star_in_a_prefix_stands_for_one_folder() {
        let core = "/rustc/7df8/library/core/src/ptr.rs";
        assert_eq!(without(core, "/rustc/*/library/"), Some("core/src/ptr.rs"));
        assert_eq!(
            without("/rustc/a/b/library/x.rs", "/rustc/*/library/"),
            None
        );
        assert_eq!(without("./src/lib.rs", "./"), Some("src/lib.rs"));
        let sources = Sources::new(vec![("/rustc/*/library/".into(), "/nowhere".into())]);
        assert_eq!(sources.name(core), "core/src/ptr.rs");
        assert_eq!(sources.name("/elsewhere/add.rs"), "/elsewhere/add.rs");
    }

    #[test]
    fn a_line_is_in_the_function_whose_head_stands_left_above_it() {
        assert_eq!(function(KERNEL, 2), Some("scan"));
        assert_eq!(function(KERNEL, 1), Some("scan"));
        assert_eq!(function(ADD, 5), Some("add"));
        assert_eq!(function("// a fn in words\nconst X: u32 = 1;\n", 2), None);
    }
}
