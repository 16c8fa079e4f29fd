//! PTX text as LLVM writes it, read as far as the manifest and the lints need.
//!
//! Not a parser of PTX: it knows LLVM's layout, one directive or instruction
//! a line, and treats inline assembly as statements between semicolons.

use std::collections::BTreeSet;

use crate::manifest::PtxParameter;
use crate::places::{self, Frame, Places};
use crate::variable::{self, Variable};

/// A module's text and where things are in it.
#[derive(Debug)]
pub(crate) struct Ptx<'t> {
    pub(crate) lines: Vec<&'t str>,
    pub(crate) functions: Vec<Function>,
    pub(crate) shared: Vec<Variable<'t>>,
    /// Functions that are declared, and defined elsewhere if at all.
    pub(crate) undefined: Vec<String>,
    places: Places,
}

/// A function with a body.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) is_entry: bool,
    pub(crate) parameters: Vec<PtxParameter>,
    /// Indices of the lines of the body, braces included.
    pub(crate) body: std::ops::Range<usize>,
}

impl<'t> Ptx<'t> {
    pub(crate) fn read(text: &'t str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut ptx = Ptx {
            functions: Vec::new(),
            shared: Vec::new(),
            undefined: Vec::new(),
            places: Places::read(text),
            lines,
        };
        let mut index = 0;
        while index < ptx.lines.len() {
            let line = uncommented(ptx.lines[index]);
            if let Some(variable) = variable::shared(line) {
                ptx.shared.push(variable);
            } else if is_function_head(line) {
                index = ptx.add_function(index);
                continue;
            }
            index += 1;
        }
        ptx
    }

    /// The source position that holds for a line: `src/lib.rs:12`, innermost
    /// first, but in the crates being built rather than in the standard
    /// library or a package from elsewhere where both are known.
    pub(crate) fn source(&self, function: &Function, line: usize) -> Option<String> {
        let mut fallback = None;
        for text in self.lines[function.body.start..=line].iter().rev() {
            let Some(position) = places::read(text) else {
                continue;
            };
            for Frame { file, line } in self.places.frames(position) {
                let elsewhere = file.starts_with("/rustc") || file.starts_with("/cargo");
                let place = format!("{}:{line}", file.strip_prefix("./").unwrap_or(&file));
                if !elsewhere {
                    return Some(place);
                }
                fallback.get_or_insert(place);
            }
        }
        fallback
    }

    /// Shared memory that a kernel and what it calls declare, in bytes, and
    /// whether it uses memory whose size the launch decides.
    pub(crate) fn shared_use(&self, kernel: &Function) -> (u64, bool) {
        let words = self.reachable_words(kernel);
        let mut bytes = 0_u64;
        let mut dynamic = false;
        for variable in &self.shared {
            if !words.contains(variable.name) {
                continue;
            }
            match variable.bytes {
                Some(size) => bytes = bytes.next_multiple_of(variable.align) + size,
                None => dynamic = true,
            }
        }
        (bytes, dynamic)
    }

    /// Every identifier in a function and in the functions that it names.
    fn reachable_words(&self, kernel: &Function) -> BTreeSet<&'t str> {
        let mut words = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![kernel];
        while let Some(function) = waiting.pop() {
            if !seen.insert(function.name.as_str()) {
                continue;
            }
            for line in &self.lines[function.body.clone()] {
                words.extend(identifiers(uncommented(line)));
            }
            waiting.extend(
                self.functions
                    .iter()
                    .filter(|other| words.contains(other.name.as_str())),
            );
        }
        words
    }

    /// Reads the function whose head starts at `start`; returns the index of
    /// the line after it.
    fn add_function(&mut self, start: usize) -> usize {
        let mut head = String::new();
        let mut index = start;
        while index < self.lines.len() {
            let line = uncommented(self.lines[index]);
            if line == "{" {
                break;
            }
            head.push_str(line);
            head.push(' ');
            index += 1;
            if line.ends_with(';') {
                if head.starts_with(".extern")
                    && let Some((name, _)) = function_head(&head)
                {
                    self.undefined.push(name);
                }
                return index;
            }
        }
        let body_start = index;
        let mut depth = 0_i32;
        while index < self.lines.len() {
            let line = uncommented(self.lines[index]);
            depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
            if let Some(variable) = variable::shared(line) {
                self.shared.push(variable);
            }
            index += 1;
            if depth <= 0 {
                break;
            }
        }
        if let Some((name, parameters)) = function_head(&head) {
            self.functions.push(Function {
                name,
                is_entry: head.contains(".entry"),
                parameters,
                body: body_start..index,
            });
        }
        index
    }
}

impl Function {
    /// The statements of the body with the index of their line: labels and
    /// comments removed, inline assembly taken apart.
    pub(crate) fn statements<'t>(
        &self,
        ptx: &Ptx<'t>,
    ) -> impl Iterator<Item = (usize, &'t str)> + use<'t> {
        let lines: Vec<(usize, &'t str)> = self
            .body
            .clone()
            .map(|index| (index, ptx.lines[index]))
            .collect();
        lines.into_iter().flat_map(|(index, line)| {
            uncommented(line)
                .split(';')
                .map(|part| part.trim().trim_start_matches('{').trim())
                .filter(|part| !part.is_empty() && *part != "}")
                .map(move |part| (index, part))
                .collect::<Vec<_>>()
        })
    }
}

/// An instruction's name, without the predicate that guards it.
pub(crate) fn opcode(statement: &str) -> &str {
    unguarded(statement).split_whitespace().next().unwrap_or("")
}

/// What follows the name.
pub(crate) fn operands(statement: &str) -> &str {
    unguarded(statement)
        .split_once(char::is_whitespace)
        .map_or("", |(_, rest)| rest.trim())
}

fn unguarded(statement: &str) -> &str {
    match statement.strip_prefix('@') {
        Some(rest) => rest
            .split_once(char::is_whitespace)
            .map_or("", |(_, rest)| rest.trim()),
        None => statement,
    }
}

/// The registers in a piece of text.
pub(crate) fn registers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "%_$.".contains(letter)))
        .filter(|word| word.starts_with('%'))
}

/// The names in a piece of text that may be those of variables or functions.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || "%_$.".contains(letter)))
        .filter(|word| {
            word.starts_with(|first: char| first.is_ascii_alphabetic() || "_$".contains(first))
        })
}

fn uncommented(line: &str) -> &str {
    line.split_once("//").map_or(line, |(code, _)| code).trim()
}

fn is_function_head(line: &str) -> bool {
    line.split_whitespace()
        .any(|word| word == ".entry" || word == ".func")
}

/// Name and parameters out of `.visible .entry name( .param .u32 a, ... )`.
fn function_head(head: &str) -> Option<(String, Vec<PtxParameter>)> {
    let (_, rest) = head
        .split_once(".entry")
        .or_else(|| head.split_once(".func"))?;
    let mut rest = rest.trim_start();
    if rest.starts_with('(') {
        // The value that a function returns.
        rest = rest.split_once(')')?.1.trim_start();
    }
    let (name, rest) = rest.split_once('(').unwrap_or((rest, ""));
    let name = name.split_whitespace().next()?.to_owned();
    let (parameters, _) = rest.split_once(')').unwrap_or((rest, ""));
    Some((name, parameters.split(',').filter_map(parameter).collect()))
}

/// `.param .align 8 .b8 name[24]` or `.param .u64 .ptr .global .align 4 name`.
fn parameter(text: &str) -> Option<PtxParameter> {
    let mut words = text.split_whitespace().peekable();
    if words.next()? != ".param" {
        return None;
    }
    let mut align = None;
    if words.peek() == Some(&".align") {
        words.next();
        align = words.next()?.parse().ok();
    }
    let ty = words.next()?.to_owned();
    let unit = type_bytes(&ty)?;
    let name = words.last()?;
    let bytes = match name.split_once('[') {
        Some((_, count)) => unit * count.trim_end_matches(']').parse::<u64>().ok()?,
        None => unit,
    };
    Some(PtxParameter {
        ty,
        bytes,
        align: align.unwrap_or(unit),
    })
}

/// `.u64` is 8 bytes.
fn type_bytes(ty: &str) -> Option<u64> {
    let bits: u64 = ty
        .trim_start_matches(|letter: char| !letter.is_ascii_digit())
        .parse()
        .ok()?;
    ty.starts_with('.').then_some(bits / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "\
.version 8.0
.target sm_90
.shared .align 4 .b8 TILE[1024];
.extern .shared .align 16 .b8 DYNAMIC[];
.shared .align 16 .b8 OTHER[24];
.func  (.param .b32 func_retval0) device_part(
\t.param .b64 device_part_param_0
)
{
\tmov.b64 %rd1, OTHER;
\tret;
}
.visible .entry scan(
\t.param .u64 .ptr .align 1 scan_param_0,
\t.param .align 8 .b8 scan_param_1[24],
\t.param .u32 scan_param_2
)
.maxntid 256
{
\t.loc\t1 7 9
\tmov.b64 %rd1, TILE; // a comment; with OTHER words
\tcall.uni (retval0), device_part, (param0);
\t.loc\t2 70 3, function_name $L__info_string0, inlined_at 1 9 5
\tret;
}
.visible .entry empty()
{
\tmov.b64 %rd1, DYNAMIC;
\tret;
}
.file\t1 \"./src/lib.rs\"
.file\t2 \"/rustc/7df81381d/library/core/src/ptr.rs\"
";

    #[test]
    fn parameters_have_the_size_and_alignment_that_ptx_gives_them() {
        let ptx = Ptx::read(MODULE);
        let scan = ptx.functions.iter().find(|f| f.name == "scan").unwrap();
        let shapes: Vec<_> = scan
            .parameters
            .iter()
            .map(|p| (p.ty.as_str(), p.bytes, p.align))
            .collect();
        assert_eq!(shapes, [(".u64", 8, 8), (".b8", 24, 8), (".u32", 4, 4)]);
        assert!(scan.is_entry);
    }

    #[test]
    fn shared_memory_counts_what_callees_use_and_its_alignment() {
        let ptx = Ptx::read(MODULE);
        let scan = ptx.functions.iter().find(|f| f.name == "scan").unwrap();
        assert_eq!(ptx.shared_use(scan), (1024 + 24, false));
        let empty = ptx.functions.iter().find(|f| f.name == "empty").unwrap();
        assert_eq!(ptx.shared_use(empty), (0, true));
        assert!(empty.parameters.is_empty());
    }

    #[test]
    fn a_position_in_the_standard_library_is_told_by_where_it_was_inlined() {
        let ptx = Ptx::read(MODULE);
        let scan = ptx.functions.iter().find(|f| f.name == "scan").unwrap();
        let ret = scan.body.end - 2;
        assert_eq!(ptx.source(scan, ret).as_deref(), Some("src/lib.rs:9"));
        assert_eq!(ptx.source(scan, ret - 2).as_deref(), Some("src/lib.rs:7"));
    }

    #[test]
    fn a_position_in_the_standard_library_is_told_by_the_calls_behind_it() {
        let long = "\t.loc\t2 70 3, function_name $L__info_string0, inlined_at 1 9 5\n";
        assert!(MODULE.contains(long));
        let text = MODULE.replace(long, "\t.loc\t2 70 0 //2\n");
        let text = format!("{text}//.call 1 1 9\n//.call 2 2 60 1\n");
        let ptx = Ptx::read(&text);
        let scan = ptx.functions.iter().find(|f| f.name == "scan").unwrap();
        let ret = scan.body.end - 2;
        assert_eq!(ptx.source(scan, ret).as_deref(), Some("src/lib.rs:9"));
    }
}
