//! Mutants of kernels: a barrier, a fence, an order or a bounds check less, one
//! at a time, and whether the emulator's checks notice.
//!
//! [`flow`] reads an entry of a PTX text, [`change`] makes its mutants and says
//! where the fault of each must show, [`run`] launches them under checks,
//! [`unnoticed`] lists those without a fault, with the reason of each, and
//! [`page`] tells a reader of all of them.
//! `tests/tests/mutants.rs` holds the kernels to it.

pub mod change;
pub mod flow;
pub mod page;
pub mod run;
pub mod unnoticed;

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
    let is_header = |line: &&str| {
        [".version", ".target", ".address_size"]
            .iter()
            .any(|h| line.starts_with(h))
    };
    let is_file = |line: &&str| line.trim_start().starts_with(".file");
    let mut text = String::new();
    let header = ptx.lines().filter(is_header);
    let body = ptx[start..start + end + 2].lines();
    for line in header.chain(body).chain(ptx.lines().filter(is_file)) {
        text.push_str(line);
        text.push('\n');
    }
    Ok(text)
}
