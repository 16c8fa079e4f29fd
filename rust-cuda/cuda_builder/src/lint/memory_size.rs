//! More variables in shared or constant memory than there is room for.
//!
//! A driver refuses such a module, and does not say where in the source they are.
//! The sizes are those of the CUDA Programming Guide 13.0, "Technical
//! Specifications per Compute Capability", the same for every architecture.

use super::{Finding, Lint, finding};
use crate::ptx::{Function, Ptx};

/// What a kernel may declare; beyond it, the launch decides the size.
const SHARED: u64 = 48 * 1024;

/// What all constants of a module may take up.
const CONSTANT: u64 = 64 * 1024;

pub(super) fn shared(ptx: &Ptx<'_>, function: &Function, findings: &mut Vec<Finding>) {
    let (bytes, _) = ptx.shared_use(function);
    if function.is_entry && bytes > SHARED {
        findings.push(finding(
            Lint::MemorySize,
            ptx,
            function,
            place(ptx, function),
            format!(
                "its static shared memory is {bytes} bytes, and a block may have {SHARED}; take more as dynamic shared memory, whose size the launch says"
            ),
        ));
    }
}

pub(super) fn constant(ptx: &Ptx<'_>, findings: &mut Vec<Finding>) {
    let bytes: u64 = ptx
        .lines
        .iter()
        .filter_map(|line| constant_bytes(line))
        .sum();
    let Some(function) = ptx.functions.iter().find(|function| function.is_entry) else {
        return;
    };
    if bytes > CONSTANT {
        findings.push(finding(
            Lint::MemorySize,
            ptx,
            function,
            place(ptx, function),
            format!(
                "the constants of this module are {bytes} bytes, and a module may have {CONSTANT}; put large tables into global memory: leave #[address_space(constant)] away"
            ),
        ));
    }
}

/// The first line of a function that has a position.
fn place(ptx: &Ptx<'_>, function: &Function) -> usize {
    let mut lines = function.body.clone();
    let is_position = |index: &usize| ptx.lines[*index].trim().starts_with(".loc");
    lines.find(is_position).unwrap_or(function.body.start)
}

/// The bytes of a variable in constant memory, if the line declares one.
fn constant_bytes(line: &str) -> Option<u64> {
    let mut words = line.split_whitespace();
    words
        .find(|word| !matches!(*word, ".visible" | ".weak" | ".extern"))
        .filter(|word| *word == ".const")?;
    let declaration = line.split(['=', ';']).next()?;
    let (_, size) = declaration.rsplit_once('[')?;
    size.split(']').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::super::{Lint, check, testing::findings};

    fn with(variable: &str) -> String {
        format!(
            ".version 8.0\n.target sm_90\n{variable}\n.visible .entry k()\n{{\n\t.loc\t1 7 1\n\
             \tld.shared.b32 %r1, [BIG];\n\tret;\n}}\n.file\t1 \"src/lib.rs\"\n"
        )
    }

    #[test]
    fn fires_one_byte_beyond_each_limit_and_not_at_it() {
        for (space, limit) in [(".shared", 48 * 1024), (".visible .const", 64 * 1024)] {
            let of = |bytes: u64| {
                check(
                    &with(&format!("{space} .align 4 .b8 BIG[{bytes}];")),
                    &["k"],
                )
            };
            assert_eq!(of(limit), []);
            let found = of(limit + 1);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].lint, Lint::MemorySize);
            assert_eq!(found[0].source.as_deref(), Some("src/lib.rs:7"));
            let words = format!("{} bytes", limit + 1);
            assert!(found[0].message.contains(&words), "{}", found[0].message);
        }
    }

    #[test]
    fn is_silent_about_shared_memory_that_the_kernel_does_not_use() {
        let body = "\tst.shared.b32 [TILE], 0;";
        assert_eq!(findings(Lint::MemorySize, body), []);
        let other = with(".shared .align 4 .b8 OTHER[65536];");
        assert_eq!(check(&other, &["k"]), []);
    }
}
