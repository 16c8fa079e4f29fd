//! Functions that rustc leaves to the linker: those of compiler_builtins,
//! which takes no part in link-time optimisation.

use std::fs;
use std::path::PathBuf;

use crate::CudaBuilderError;
use crate::llvm::Module;

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER: usize = 60;

/// Links the archives' bitcode if the module calls functions that it lacks.
pub(crate) fn link_missing(module: &Module, archives: &[PathBuf]) -> Result<(), CudaBuilderError> {
    if missing(module).is_empty() {
        return Ok(());
    }
    for path in archives {
        let bytes = fs::read(path).map_err(|source| CudaBuilderError::io("read", path, source))?;
        for member in members(&bytes).filter(|member| is_bitcode(member)) {
            module.link(member, &path.display().to_string())?;
        }
    }
    Ok(())
}

/// The names of functions that are called and not defined.
fn missing(module: &Module) -> Vec<String> {
    module
        .functions()
        .into_iter()
        .filter(|function| function.is_declaration() && !function.is_intrinsic())
        .map(|function| function.name())
        .collect()
}

fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xC0\xDE")
}

/// The contents of an `ar` archive's members, one after the other.
fn members(archive: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = archive.strip_prefix(MAGIC).unwrap_or_default();
    std::iter::from_fn(move || {
        let header = rest.get(..HEADER)?;
        // Bytes 48 to 58 hold the size in decimal.
        let size: usize = std::str::from_utf8(&header[48..58])
            .ok()?
            .trim()
            .parse()
            .ok()?;
        let contents = rest.get(HEADER..HEADER + size)?;
        // Members start at even offsets.
        rest = rest.get(HEADER + size + size % 2..).unwrap_or_default();
        Some(contents)
    })
}

#[cfg(test)]
mod tests {
    use super::members;

    #[test]
    fn members_of_odd_size_are_padded() {
        let mut archive = b"!<arch>\n".to_vec();
        for contents in ["abc", "defg"] {
            archive
                .extend_from_slice(format!("{:<48}{:<10}`\n", "name/", contents.len()).as_bytes());
            archive.extend_from_slice(contents.as_bytes());
            if contents.len() % 2 == 1 {
                archive.push(b'\n');
            }
        }
        let found: Vec<&[u8]> = members(&archive).collect();
        assert_eq!(found, [b"abc".as_slice(), b"defg".as_slice()]);
    }
}
