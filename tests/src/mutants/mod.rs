//! Mutants of kernels: a barrier, a fence, an order or a bounds check less, one
//! at a time, and whether the emulator's checks notice.
//!
//! [`flow`] reads an entry of a PTX text, [`change`] makes its mutants and says
//! where the fault of each must show, [`run`] launches them under checks,
//! [`survived`] lists those without a fault, with the reason of each, and
//! [`page`] tells a reader of all of them.
//! `tests/tests/mutants.rs` holds the kernels to it.

pub mod change;
pub mod flow;
pub mod page;
pub mod run;
pub mod survived;

/// The folder of the kernels' source, as the PTX names it.
pub const SOURCE: &str = "./kernels-crate/src/";

/// A module of one entry of `ptx`, with what its lines refer to.
///
/// # Errors
///
/// When there is no such entry.
pub fn alone(ptx: &str, entry: &str) -> Result<String, String> {
    let head = format!(".visible .entry {entry}(");
    let start = ptx.find(&head).ok_or_else(|| format!("no entry {entry}"))?;
    let end = ptx[start..].find("\n}").ok_or("an entry does not end")?;
    let body = &ptx[start..start + end + 2];
    // What several entries share stands before all of them: `.shared .align 8 .b8 NAME[8];`
    let is_used = |line: &str| {
        let name = line.rsplit(' ').next().unwrap_or_default();
        line.starts_with(".shared ") && body.contains(name.split(['[', ';']).next().unwrap_or(name))
    };
    let is_header = |line: &&str| {
        let is = |directive| line.starts_with(directive);
        [".version", ".target", ".address_size"].into_iter().any(is) || is_used(line)
    };
    let is_file = |line: &&str| {
        let word = line.trim_start();
        word.starts_with(".file") || word.starts_with("//.call ")
    };
    let mut text = String::new();
    let header = ptx.lines().filter(is_header);
    for line in header
        .chain(body.lines())
        .chain(ptx.lines().filter(is_file))
    {
        text.push_str(line);
        text.push('\n');
    }
    Ok(text)
}
