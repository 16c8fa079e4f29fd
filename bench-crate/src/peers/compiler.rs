//! nvcc, where there is one: where it is, what it makes of the peers' source, and
//! that it makes it once.
//!
//! What is built is kept under a name that has the source, the compiler, the headers
//! and the architecture in it; nothing is built twice. What is wrong is said in one
//! sentence, for whoever asked for the peer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use hmac_sha256::Hash as Sha256;

/// Every file is compiled with these.
const FLAGS: &[&str] = &[
    "-O3",
    "-std=c++17",
    "-Xcompiler",
    // Two of these libraries are loaded beside each other: they share nothing.
    "-fPIC,-fvisibility=hidden,-fno-gnu-unique",
];

/// nvcc on the path, in the folder that CUDA_HOME or CUDA_PATH names, or in the
/// usual one.
pub fn find_nvcc() -> Option<PathBuf> {
    let on_path = std::env::var_os("PATH").unwrap_or_default();
    let named = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(std::env::var_os);
    std::env::split_paths(&on_path)
        .chain(named.map(|folder| Path::new(&folder).join("bin")))
        .chain([PathBuf::from("/usr/local/cuda/bin")])
        .map(|folder| folder.join("nvcc"))
        .find(|nvcc| nvcc.is_file())
}

/// `name` in `folder`, or in that folder beside this program.
pub fn find_source(folder: &Path, name: &str) -> Option<PathBuf> {
    let program = std::env::current_exe().ok();
    let beside = program.and_then(|program| Some(program.parent()?.join(folder)));
    let folders = [folder.to_owned()].into_iter().chain(beside);
    folders
        .map(|folder| folder.join(name))
        .find(|source| source.exists())
}

/// nvcc's name of an architecture: `sm_90` of `9.0`.
pub fn architecture(capability: &str) -> String {
    format!("sm_{}", capability.replace('.', ""))
}

/// Runs the compiler. Err is its exit status and the first line that says what is wrong.
pub fn compile(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{program}: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let wrong = text.lines().find(|line| line.contains("error"));
    let wrong = wrong.or(text.lines().next()).unwrap_or_default();
    Err(format!("nvcc failed ({}): {wrong}", output.status))
}

/// What a library is built from, and where it goes.
#[derive(Clone, Debug)]
pub struct Build {
    /// nvcc.
    pub nvcc: PathBuf,
    /// Such as `sm_90`.
    pub arch: String,
    /// The peers' folder.
    pub peers: PathBuf,
    /// The folder of the source in it, such as `scan`.
    pub name: &'static str,
    /// The folder of another CUB than the toolkit's: it has `cub/version.cuh`.
    pub cub: Option<PathBuf>,
    /// Where the library is kept.
    pub out: PathBuf,
}

impl Build {
    /// The library, which is built unless it was before. Err in one sentence.
    pub fn library(&self) -> Result<PathBuf, String> {
        let folder = find_source(&self.peers, self.name)
            .ok_or_else(|| format!("{} has no {}", self.peers.display(), self.name))?;
        let sources = sources(&folder)?;
        let identity = &self.identity(&sources)?[..16];
        let name = format!("{}.{}.{identity}", self.name, self.arch);
        let library = self.out.join(format!("{name}.so"));
        if !library.is_file() {
            // Of its own: two runs may build at once, and either is whole.
            let objects = self.out.join(format!("{name}.{}", std::process::id()));
            fs::create_dir_all(&objects).map_err(|e| format!("{}: {e}", objects.display()))?;
            let built = self.build(&sources, &objects, &library);
            // What could not be removed is nobody's loss.
            let _ = fs::remove_dir_all(&objects);
            built?;
        }
        // The measuring process may have another working folder one day.
        std::path::absolute(&library).map_err(|e| e.to_string())
    }

    /// A digest of all that the library depends on, as far as it is known.
    fn identity(&self, sources: &[(PathBuf, Vec<u8>)]) -> Result<String, String> {
        let mut digest = Sha256::new();
        let mut add = |part: &[u8]| {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        };
        for (path, text) in sources {
            add(path.file_name().unwrap_or_default().as_encoded_bytes());
            add(text);
        }
        add(self.nvcc.as_os_str().as_encoded_bytes());
        add(compile(Command::new(&self.nvcc).arg("--version"))?.as_bytes());
        FLAGS.iter().for_each(|flag| add(flag.as_bytes()));
        if let Some(folder) = &self.cub {
            let version = folder.join("cub/version.cuh");
            let text = fs::read(&version)
                .map_err(|_| format!("--cub {} has no cub/version.cuh", folder.display()))?;
            add(folder.as_os_str().as_encoded_bytes());
            add(&text);
        }
        let bytes = digest.finalize();
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Compiles every source beside the others and links them.
    fn build(
        &self,
        sources: &[(PathBuf, Vec<u8>)],
        objects: &Path,
        library: &Path,
    ) -> Result<(), String> {
        let sources = sources.iter().map(|(path, _)| path);
        let sources = sources.filter(|path| path.extension().is_some_and(|end| end == "cu"));
        let job = |path| {
            let name = Path::new(path).file_name().unwrap_or_default();
            (path, objects.join(name).with_extension("o"))
        };
        let jobs: Vec<(&PathBuf, PathBuf)> = sources.map(job).collect();
        thread::scope(|scope| {
            let started = jobs
                .iter()
                .map(|(source, object)| scope.spawn(|| self.object(source, object)));
            let started: Vec<_> = started.collect();
            let panicked = |_| Err("the thread of a compiler panicked".to_owned());
            let mut ended = started
                .into_iter()
                .map(|job| job.join().unwrap_or_else(panicked));
            ended.try_for_each(|ended| ended)
        })?;
        let linked = objects.join("linked.so");
        let mut link = Command::new(&self.nvcc);
        link.arg("-shared").arg(format!("-arch={}", self.arch));
        link.arg("-o").arg(&linked);
        link.args(jobs.iter().map(|(_, object)| object));
        compile(&mut link)?;
        fs::rename(&linked, library).map_err(|e| format!("{}: {e}", library.display()))
    }

    fn object(&self, source: &Path, object: &Path) -> Result<(), String> {
        let mut command = Command::new(&self.nvcc);
        command.args(FLAGS).arg(format!("-arch={}", self.arch));
        if let Some(folder) = &self.cub {
            // Before the toolkit's own, which stands among the system's.
            command.arg("-I").arg(folder);
        }
        command.arg("-c").arg("-o").arg(object).arg(source);
        compile(&mut command).map(|_| ())
    }
}

/// The files of a folder with their text, in the order of their names.
fn sources(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let entries = fs::read_dir(folder).map_err(failed)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<PathBuf>, _>>().map_err(failed)?;
    paths.sort();
    let read = |path: PathBuf| fs::read(&path).map(|text| (path, text)).map_err(failed);
    paths.into_iter().map(read).collect()
}

#[cfg(test)]
#[path = "compiler_tests.rs"]
mod tests;
