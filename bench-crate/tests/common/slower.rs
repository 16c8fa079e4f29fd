//! An artifact whose `trapezoid_f64_dyadic` does a little more: what a comparison
//! has to find.
//!
//! Behind a share of its square roots, spread evenly, stands an addition of +0, which changes no bit of a
//! height (none is -0) and which no compiler may leave out.

use std::path::Path;

use hmac_sha256::Hash as Sha256;
use quadscan_bench::modules;

/// The kernel that is slowed.
const ENTRY: &str = ".entry trapezoid_f64_dyadic(";

/// The kernel's text with an addition behind `percent` of its square roots.
fn slowed(kernel: &str, percent: usize) -> String {
    let mut text = String::new();
    let mut roots = 0;
    for line in kernel.split_inclusive('\n') {
        text.push_str(line);
        let mut words = line.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        if words.next() == Some("sqrt.rn.f64") {
            let due = |roots: usize| roots * percent / 100;
            roots += 1;
            if let (Some(height), true) = (words.next(), due(roots) > due(roots - 1)) {
                text.push_str(&format!(
                    "\tadd.rn.f64 \t{height}, {height}, 0d0000000000000000;\n"
                ));
            }
        }
    }
    text
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes the program's own artifact with the kernel slowed by an addition behind
/// `percent` (1 to 100) of its square roots into a folder.
pub(crate) fn write(folder: &Path, percent: usize) -> Result<(), Box<dyn std::error::Error>> {
    let artifact = modules::ours()?;
    let mut manifest = artifact.manifest().clone();
    std::fs::create_dir_all(folder)?;
    for (module, listed) in artifact.modules().zip(&mut manifest.modules) {
        let mut whole = Sha256::new();
        let mut changed = 0;
        for (part, listed) in module.parts().zip(&mut listed.parts) {
            let mut text = part.ptx().to_owned();
            if let Some(begin) = text.find(ENTRY) {
                let length = text[begin..].find("\n}").ok_or("the kernel has no end")?;
                let kernel = begin..begin + length;
                let slower = slowed(&text[kernel.clone()], percent);
                text.replace_range(kernel, &slower);
                changed += 1;
            }
            listed.sha256 = Some(hex(&Sha256::hash(text.as_bytes())));
            whole.update(text.as_bytes());
            std::fs::write(folder.join(&listed.file), text)?;
        }
        if changed != 1 {
            return Err("the artifact has no such kernel".into());
        }
        listed.sha256 = hex(&whole.finalize());
    }
    std::fs::write(folder.join("manifest.json"), serde_json::to_vec(&manifest)?)?;
    Ok(())
}
