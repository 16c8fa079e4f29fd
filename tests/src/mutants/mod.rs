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
    let module = ptx_syntax::parse(ptx).map_err(|error| error.to_string())?;
    let mut entries = module.entries();
    let found = entries.find(|function| function.name == entry);
    let kernel = found.ok_or_else(|| format!("no entry {entry}"))?;
    let (major, minor) = module.version;
    let mut lines = vec![
        format!(".version {major}.{minor}"),
        format!(".target {}", module.target.join(", ")),
        format!(".address_size {}", module.address_size),
    ];
    // What several entries share stands before all of them.
    let named = module.reached(kernel).names;
    let used = module.variables().filter(|one| named.contains(one.name));
    lines.extend(used.map(|variable| variable.span.of(ptx).to_owned()));
    lines.push(kernel.span.of(ptx).to_owned());
    lines.extend(module.files().map(ToString::to_string));
    lines.extend(module.calls.iter().map(ToString::to_string));
    Ok(lines.join("\n") + "\n")
}
