//! `list` and `coverage`: what a file holds, and what is emulated.

use std::fmt::Write;
use std::path::Path;

use ptx_emulator::{Program, refusals};
use ptx_syntax::{Function, Variable, parse};

use crate::{Outcome, Refused, read_text};

/// Kernels with their parameters and shared memory, and what is refused.
pub(crate) fn list(file: &Path) -> Result<Outcome, Refused> {
    let text = read_text("FILE", file)?;
    let refuse = |error| Refused(format!("{}: {error}", file.display()));
    let module = parse(&text).map_err(refuse)?;
    let program = Program::load(&text).ok();
    let refused = refusals(&text).map_err(refuse)?;
    let mut out = String::new();
    for kernel in module.entries() {
        describe(&mut out, kernel, program.as_ref());
    }
    if out.is_empty() {
        out.push_str("no kernels\n");
    }
    for refusal in &refused {
        let _ = writeln!(out, "refused: {}:{refusal}", file.display());
    }
    let good = program.is_some() && refused.is_empty();
    Ok(Outcome { text: out, good })
}

fn describe(out: &mut String, kernel: &Function<'_>, program: Option<&Program>) {
    let parameters: Vec<String> = kernel.parameters.iter().map(parameter).collect();
    let _ = writeln!(out, "{}({})", kernel.name, parameters.join(", "));
    if let Some(shared) = program.and_then(|program| program.shared(kernel.name)) {
        let dynamic = if shared.dynamic { ", and dynamic" } else { "" };
        let _ = writeln!(out, "  shared memory: {} bytes{dynamic}", shared.bytes);
    }
    for directive in &kernel.directives {
        let _ = writeln!(out, "  {directive}");
    }
}

/// `u64 data`, `b8[12] shape`.
fn parameter(variable: &Variable<'_>) -> String {
    let ty = variable.ty.word();
    let name = variable.name;
    match variable.elements {
        Some(count) => format!("{ty}[{count}] {name}"),
        None => format!("{ty} {name}"),
    }
}

/// The coverage table, aligned.
pub(crate) fn coverage() -> Outcome {
    let mut text = String::new();
    for row in ptx_emulator::coverage() {
        let line = format!("{:<10} {:<12} {}", row.group, row.opcode, row.forms);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    Outcome { text, good: true }
}
