//! Hands the package a hash of its own sources and of `ptx-syntax`'s beside it,
//! `CUDA_BUILDER_SOURCES`: PTX that another state of them made is not taken for theirs.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io, process};

/// The second is there in a checkout of the workspace alone.
const FOLDERS: [&str; 2] = ["src", "../../ptx-syntax/src"];

fn main() {
    let folders = FOLDERS.map(Path::new);
    let folders: Vec<&Path> = folders.into_iter().filter(|path| path.is_dir()).collect();
    for folder in &folders {
        println!("cargo::rerun-if-changed={}", folder.display());
    }
    match hash(&folders) {
        Ok(hash) => println!("cargo::rustc-env=CUDA_BUILDER_SOURCES={hash:016x}"),
        Err(error) => {
            eprintln!("cannot read the sources of cuda_builder: {error}");
            process::exit(1);
        }
    }
}

fn hash(folders: &[&Path]) -> io::Result<u64> {
    let mut files = Vec::new();
    for folder in folders {
        list(folder, &mut files)?;
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        let text = fs::read(&file)?;
        hasher.write(file.as_os_str().as_encoded_bytes());
        hasher.write_usize(text.len());
        hasher.write(&text);
    }
    Ok(hasher.finish())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
