//! Builds the kernels to PTX and packs them for the program.
//!
//! The output is `artifact.rs`, which `src/lib.rs` includes: the
//! manifest and the PTX of each part and architecture, packed. The network is not used.

mod families;
mod ptx;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs, iter, process, thread};

use cuda_builder::LintLevel;
use cuda_builder::manifest::{self, Manifest, Part};
use miniz_oxide::deflate::compress_to_vec_zlib;

use families::FAMILIES;

/// Where the kernels are, as the build script of `quadscan-kernels` says.
const KERNELS: &str = "DEP_QUADSCAN_KERNELS_FOLDER";

fn main() {
    let is_wanted = |family: &&(&str, _)| {
        let feature = format!("CARGO_FEATURE_{}", family.0);
        env::var_os(feature).is_some()
    };
    let wanted: Vec<_> = FAMILIES.iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        return;
    }
    let names: Vec<&str> = match wanted.len() == FAMILIES.len() {
        true => Vec::new(),
        false => wanted.iter().flat_map(|family| family.1).copied().collect(),
    };
    if let Err(reason) = embed(&names) {
        eprintln!("{reason}");
        process::exit(1);
    }
}

/// Builds these kernels, or all where none is named.
fn embed(names: &[&str]) -> Result<(), String> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    // One who comes by another way, such as a link, gets what was built for all.
    let kernels = env::var_os(KERNELS).ok_or_else(|| format!("{KERNELS} is not set"))?;
    let kernels = fs::canonicalize(&kernels)
        .map_err(|error| format!("cannot find {}: {error}", kernels.display()))?;
    let artifact = ptx::builder(kernels)
        .lints(LintLevel::Deny)
        .only(names)
        .build_all()
        .map_err(|error| error.to_string())?;
    let source = source(&artifact.manifest, &artifact.dir, &out)?;
    write(&out.join("artifact.rs"), source.as_bytes())
}

/// Rust source that holds the artifact's files, which are packed into `out`.
fn source(manifest: &Manifest, dir: &Path, out: &Path) -> Result<String, String> {
    let modules = manifest.modules().iter();
    let parts = modules.flat_map(|module| &module.parts);
    let parts: Vec<&Part> = parts.filter(|part| part.sha256.is_some()).collect();
    let folder = out.join("packed");
    pack_all(&parts, dir, &folder)?;
    let name = manifest::FILE_NAME;
    let packed = out.join(format!("{name}.z"));
    let text = fs::read(dir.join(name)).map_err(|error| format!("cannot read {name}: {error}"))?;
    write(&packed, &compress_to_vec_zlib(&text, LEVEL))?;
    let mut source = format!(
        "/// The manifest, packed by zlib.\npub const MANIFEST: &[u8] = include_bytes!({packed:?});\n\
         /// Each file that the manifest names, packed in the same way.\npub const PTX: &[(&str, &[u8])] = &[\n"
    );
    for part in parts {
        let packed = folder.join(packed_name(part));
        let _ = writeln!(source, "    ({:?}, include_bytes!({packed:?})),", part.file);
    }
    source.push_str("];\n");
    Ok(source)
}

/// The name of a part's packed file says what is in it.
fn packed_name(part: &Part) -> String {
    let hash = part.sha256.as_deref().unwrap_or_default();
    format!("{}.{hash}.z", part.file)
}

/// zlib's own default: more of it takes longer and saves a hundredth.
const LEVEL: u8 = 6;

/// Packs the parts that are not packed yet, on all cores, and removes what is none's.
fn pack_all(parts: &[&Part], dir: &Path, folder: &Path) -> Result<(), String> {
    let cannot = |what: &str, path: &Path| {
        let path = path.display().to_string();
        let what = what.to_owned();
        move |error: std::io::Error| format!("cannot {what} {path}: {error}")
    };
    fs::create_dir_all(folder).map_err(cannot("create", folder))?;
    let pack_one = |part: &Part| {
        let packed = folder.join(packed_name(part));
        if packed.is_file() {
            return Ok(());
        }
        let path = dir.join(&part.file);
        let text = fs::read(&path).map_err(cannot("read", &path))?;
        // What is there by its name is whole.
        let new = packed.with_extension("new");
        write(&new, &compress_to_vec_zlib(&text, LEVEL))?;
        fs::rename(&new, &packed).map_err(cannot("rename", &new))
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let left = Mutex::new(parts.iter());
    let next = || left.lock().ok().and_then(|mut left| left.next());
    let pack_some = || iter::from_fn(next).try_for_each(|part| pack_one(part));
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(pack_some)).collect();
        threads.into_iter().try_for_each(|thread| {
            let panicked = |_| Err("packing PTX panicked".to_owned());
            thread.join().unwrap_or_else(panicked)
        })
    })?;
    let names: BTreeSet<String> = parts.iter().map(|part| packed_name(part)).collect();
    for entry in fs::read_dir(folder)
        .map_err(cannot("read", folder))?
        .flatten()
    {
        if !names.contains(&*entry.file_name().to_string_lossy()) {
            // One that stays is read by nobody.
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
