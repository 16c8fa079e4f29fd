//! One kernel out of a module of LLVM IR, as text: its function, the functions and variables
//! that it uses, and the attributes of all of them.
//!
//! Positions and other metadata are left out, which is most of the text and says nothing that
//! a listing of PTX does not show better.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::{Error, Result};

/// A definition, declaration, variable or group of attributes.
struct Item<'t> {
    name: &'t str,
    lines: Vec<&'t str>,
}

/// The IR of one kernel, in the module's order.
///
/// # Errors
///
/// [`Error::NoEntry`] when the module defines no function of that name.
pub fn kernel(module: &str, entry: &str) -> Result<String> {
    let items = items(module);
    let is_kernel = |item: &Item<'_>| item.name == entry && item.lines[0].starts_with("define");
    if !items.iter().any(is_kernel) {
        return Err(Error::NoEntry(entry.to_owned()));
    }
    let mut wanted = BTreeSet::from([entry]);
    let mut waiting = vec![entry];
    while let Some(name) = waiting.pop() {
        let named = items.iter().filter(|item| item.name == name);
        for word in named
            .flat_map(|item| &item.lines)
            .flat_map(|line| names(line))
        {
            if wanted.insert(word) {
                waiting.push(word);
            }
        }
    }
    let mut out = String::new();
    for item in items.iter().filter(|item| wanted.contains(item.name)) {
        for line in &item.lines {
            // Writing to a string does not fail.
            let _ = writeln!(out, "{}", without_metadata(line));
        }
        if item.lines.len() > 1 {
            out.push('\n');
        }
    }
    Ok(out)
}

fn items(module: &str) -> Vec<Item<'_>> {
    let mut items = Vec::new();
    let mut lines = module.lines();
    while let Some(line) = lines.next() {
        let Some(name) = names(line).next() else {
            continue;
        };
        let mut item = Item {
            name,
            lines: vec![line],
        };
        if line.starts_with("define") {
            for line in lines.by_ref() {
                if !line.trim_start().starts_with("#dbg_") {
                    item.lines.push(line);
                }
                if line == "}" {
                    break;
                }
            }
        } else if !["declare", "@", "attributes"]
            .iter()
            .any(|start| line.starts_with(start))
        {
            continue;
        }
        items.push(item);
    }
    items
}

/// Names of globals (without `@` and quotes) and of groups of attributes (`#0`).
fn names(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices(['@', '#']).filter_map(|(at, mark)| {
        let rest = &line[at + 1..];
        if let Some(quoted) = rest.strip_prefix('"') {
            return quoted.split('"').next();
        }
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_$.-".contains(letter);
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        let name = if mark == "#" {
            &line[at..at + 1 + end]
        } else {
            &rest[..end]
        };
        (end > 0).then_some(name)
    })
}

/// Without ` !dbg !7` and its like: what follows the first `!` of a kind and number.
fn without_metadata(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(" !") {
        let (before, mark) = rest.split_at(at);
        let mut words = mark[1..].splitn(3, [' ', ',']);
        let kind = words.next().unwrap_or("");
        let value = words.next().unwrap_or("");
        if kind.len() > 1 && value.starts_with('!') {
            out.push_str(before.trim_end_matches(','));
            rest = &mark[1 + kind.len() + 1 + value.len()..];
        } else {
            out.push_str(before);
            out.push_str(" !");
            rest = &mark[2..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"; ModuleID = 'm'
@TILE = internal addrspace(3) global [4 x i8] undef, align 4, !dbg !3
@OTHER = internal addrspace(3) global [4 x i8] undef, align 4

; Function Attrs: nounwind
define ptx_kernel void @scan(ptr %x) local_unnamed_addr #0 !dbg !7 {
start:
    #dbg_value(ptr %x, !8, !DIExpression(), !9)
  %0 = load i32, ptr %x, align 4, !dbg !10, !noundef !11
  tail call void @"helper::<u32>"(i32 %0) #2, !dbg !12
  %1 = load i32, ptr addrspace(3) @TILE, align 4, !range !13
  br i1 true, label %start, label %end, !llvm.loop !14
end:
  ret void
}

define internal void @"helper::<u32>"(i32 %0) {
  call void @llvm.nvvm.barrier0()
  ret void
}

define ptx_kernel void @other() {
  ret void
}

declare void @llvm.nvvm.barrier0() #1

attributes #0 = { nounwind "target-cpu"="sm_90" }
attributes #1 = { convergent }
attributes #2 = { nounwind }
attributes #3 = { cold }
!3 = !{!"x"}
"#;

    #[test]
    fn a_kernel_comes_with_what_it_uses_and_nothing_else() {
        let found = kernel(MODULE, "scan").unwrap();
        for there in [
            "@TILE =",
            "@scan(",
            "define internal void @\"helper::<u32>\"",
            "declare void @llvm.nvvm.barrier0",
            "attributes #0",
            "attributes #1",
            "attributes #2",
        ] {
            assert!(found.contains(there), "{there}: {found}");
        }
        for absent in [
            "@OTHER",
            "@other",
            "attributes #3",
            "!dbg",
            "#dbg_",
            "!noundef",
            "!range",
        ] {
            assert!(!found.contains(absent), "{absent}: {found}");
        }
        assert!(
            found.contains("  %0 = load i32, ptr %x, align 4\n"),
            "{found}"
        );
        assert!(found.contains("local_unnamed_addr #0 {\n"), "{found}");
    }

    #[test]
    fn a_kernel_that_is_not_there_is_an_error() {
        assert!(matches!(kernel(MODULE, "none"), Err(Error::NoEntry(_))));
        assert!(matches!(
            kernel(MODULE, "llvm.nvvm.barrier0"),
            Err(Error::NoEntry(_))
        ));
    }
}
