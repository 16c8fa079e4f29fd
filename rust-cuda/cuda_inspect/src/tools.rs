//! The assembler and the disassemblers: where they are, and what they say.
//!
//! They come with a CUDA toolkit, or alone as Python packages. Nothing else here starts
//! programs.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::ptxas::{self, Usage};
use crate::sass::{self, Line};
use crate::{Error, Result};

/// Asks a Python for the folders of its packages, one a line.
const SITE_PACKAGES: &str = "import site, sysconfig
for folder in [sysconfig.get_path('purelib'), *site.getsitepackages(), site.getusersitepackages()]:
    print(folder)";

/// What to do about a missing assembler.
pub const REMEDY: &str =
    "install a CUDA toolkit, or `python3 -m pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm`";

/// The programs that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tools {
    /// The assembler.
    pub ptxas: Option<PathBuf>,
    /// The disassembler that knows of lines.
    pub nvdisasm: Option<PathBuf>,
    /// The other one.
    pub cuobjdump: Option<PathBuf>,
}

/// A kernel, assembled.
#[derive(Debug)]
pub struct Assembled {
    /// What the assembler says of it.
    pub usage: Usage,
    /// The cubin.
    code: tempfile::NamedTempFile,
}

impl Tools {
    /// Looks for each of them as [`find`] does.
    pub fn find() -> Self {
        Tools {
            ptxas: find("ptxas"),
            nvdisasm: find("nvdisasm"),
            cuobjdump: find("cuobjdump"),
        }
    }

    /// What cannot be told for want of a program, and how to get it; `None` when all is there.
    pub fn missing(&self) -> Option<String> {
        let what = match (&self.ptxas, &self.nvdisasm, &self.cuobjdump) {
            (None, _, _) => {
                "registers, spills, constant memory and machine code (SASS) are missing: ptxas is"
            }
            (_, None, None) => "machine code (SASS) is missing: neither nvdisasm nor cuobjdump is",
            _ => return None,
        };
        Some(format!(
            "{what} not on PATH, in CUDA_HOME, CUDA_PATH or /usr/local/cuda, nor among the packages of python3; {REMEDY}"
        ))
    }

    /// The assembler's release, such as `13.5.37`.
    pub fn version(&self) -> Option<String> {
        let output = Command::new(self.ptxas.as_ref()?)
            .arg("--version")
            .output()
            .ok()?;
        release(&String::from_utf8_lossy(&output.stdout)).map(str::to_owned)
    }

    /// Assembles one kernel of a text for an architecture (`sm_90`), with the lines of the
    /// source; `None` where there is no assembler.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] with the assembler's words; [`Error::Unreadable`], [`Error::Io`].
    pub fn assemble(&self, ptx: &str, entry: &str, arch: &str) -> Result<Option<Assembled>> {
        let Some(ptxas) = &self.ptxas else {
            return Ok(None);
        };
        let text = temporary(".ptx")?;
        fs::write(text.path(), ptx).map_err(|source| Error::Io {
            path: text.path().to_owned(),
            source,
        })?;
        let code = temporary(".cubin")?;
        let mut command = Command::new(ptxas);
        command
            .args(["-v", "-lineinfo", "-arch", arch, "--entry", entry, "-o"])
            .arg(code.path())
            .arg(text.path());
        // Lines are those of the text; the file is gone when anybody reads of it.
        let output = run(command, ptxas).map_err(|error| match error {
            Error::Refused { tool, reason } => Error::Refused {
                tool,
                reason: reason.replace(&*text.path().to_string_lossy(), "PTX"),
            },
            other => other,
        })?;
        let said = String::from_utf8_lossy(&output.stderr);
        let usage = ptxas::read(&said)
            .into_iter()
            .find(|usage| usage.entry == entry);
        let unreadable = || Error::Unreadable {
            tool: ptxas.clone(),
            entry: entry.to_owned(),
        };
        let usage = usage.ok_or_else(unreadable)?;
        Ok(Some(Assembled { usage, code }))
    }

    /// What the assembler says of every kernel of a file; `None` where there is none.
    ///
    /// # Errors
    ///
    /// As [`Tools::assemble`].
    pub fn usages(&self, ptx: &Path, arch: &str) -> Result<Option<Vec<Usage>>> {
        let Some(ptxas) = &self.ptxas else {
            return Ok(None);
        };
        let code = temporary(".cubin")?;
        let mut command = Command::new(ptxas);
        command
            .args(["-v", "-arch", arch, "-o"])
            .arg(code.path())
            .arg(ptx);
        let output = run(command, ptxas)?;
        Ok(Some(ptxas::read(&String::from_utf8_lossy(&output.stderr))))
    }

    /// The machine code of a kernel; `None` where there is no disassembler. Lines are those of
    /// the text that was assembled, where `nvdisasm` is there.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`], [`Error::Io`].
    pub fn disassemble(&self, assembled: &Assembled) -> Result<Option<Vec<Line>>> {
        let (tool, arguments) = match (&self.nvdisasm, &self.cuobjdump) {
            (Some(nvdisasm), _) => (nvdisasm, &["-c", "-g"][..]),
            (None, Some(cuobjdump)) => (cuobjdump, &["-sass"][..]),
            (None, None) => return Ok(None),
        };
        let mut command = Command::new(tool);
        command.args(arguments).arg(assembled.code.path());
        let output = run(command, tool)?;
        Ok(Some(sass::read(&String::from_utf8_lossy(&output.stdout))))
    }
}

/// A program on the path, in a CUDA toolkit (CUDA_HOME, CUDA_PATH and the usual folders), or among
/// the packages of the `python3` on the path.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let toolkits = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(env::var_os);
    let toolkits = toolkits
        .map(PathBuf::from)
        .chain(["/usr/local/cuda".into(), "/opt/cuda".into()]);
    let installed = env::split_paths(&path).chain(toolkits.map(|toolkit| toolkit.join("bin")));
    first(installed, name).or_else(|| first(site_packages().iter().flat_map(|at| bins(at)), name))
}

fn first(folders: impl Iterator<Item = PathBuf>, name: &str) -> Option<PathBuf> {
    let mut paths = folders.map(|folder| folder.join(name));
    paths.find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn site_packages() -> Vec<PathBuf> {
    let output = Command::new("python3").args(["-c", SITE_PACKAGES]).output();
    match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout);
            text.lines().map(PathBuf::from).collect()
        }
        _ => Vec::new(),
    }
}

/// `nvidia/cu13/bin`, or `nvidia/cuda_nvcc/bin` of the packages for CUDA 12; the last by name
/// first.
fn bins(packages: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(packages.join("nvidia")) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .collect();
    found.sort();
    found.reverse();
    found
}

fn temporary(suffix: &str) -> Result<tempfile::NamedTempFile> {
    let made = tempfile::Builder::new().suffix(suffix).tempfile();
    made.map_err(|source| Error::Io {
        path: env::temp_dir(),
        source,
    })
}

fn run(mut command: Command, tool: &Path) -> Result<Output> {
    let failed = |source: io::Error| Error::Io {
        path: tool.to_owned(),
        source,
    };
    let output = command.output().map_err(failed)?;
    if output.status.success() {
        return Ok(output);
    }
    let said = [output.stderr, output.stdout].concat();
    Err(Error::Refused {
        tool: tool.to_owned(),
        reason: complaint(&String::from_utf8_lossy(&said), &output.status.to_string()),
    })
}

/// The first error of many, or how the program ended.
fn complaint(said: &str, status: &str) -> String {
    let is_error = |line: &&str| line.contains("error") || line.contains("fatal");
    let line = said.lines().find(is_error).or_else(|| said.lines().next());
    line.map_or(status, str::trim).to_owned()
}

/// `13.5.37` of `Cuda compilation tools, release 13.5, V13.5.37`.
fn release(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(", V")?;
    rest.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_missing_assembler_is_a_sentence_with_what_is_missing_and_how_to_get_it() {
        let none = Tools::default();
        let sentence = none.missing().unwrap();
        for word in [
            "registers",
            "spills",
            "SASS",
            "ptxas",
            "pip install nvidia-cuda-nvcc",
        ] {
            assert!(sentence.contains(word), "{sentence}");
        }
        assert!(!sentence.contains('\n'));
        assert!(none.assemble("", "k", "sm_90").unwrap().is_none());
        let some = Tools {
            ptxas: Some("ptxas".into()),
            ..none
        };
        assert!(some.missing().unwrap().starts_with("machine code"));
        let all = Tools {
            cuobjdump: Some("cuobjdump".into()),
            ..some
        };
        assert_eq!(all.missing(), None);
    }

    #[test]
    fn programs_of_python_packages_are_found_in_their_folders() {
        let here = tempfile::tempdir().unwrap();
        for package in ["cuda_nvcc", "cu13"] {
            let bin = here.path().join("nvidia").join(package).join("bin");
            fs::create_dir_all(&bin).unwrap();
            fs::write(bin.join("ptxas"), "").unwrap();
        }
        let found = || first(bins(here.path()).into_iter(), "ptxas");
        assert_eq!(found(), None);
        let newer = here.path().join("nvidia/cu13/bin/ptxas");
        fs::set_permissions(&newer, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(found(), Some(newer));
    }

    #[test]
    fn an_assembler_that_refuses_is_quoted_with_its_first_error() {
        let said = "ptxas a.ptx, line 9; error   : Unknown symbol 'x'\nptxas fatal   : Ptx assembly aborted due to errors\n";
        assert_eq!(
            complaint(said, ""),
            "ptxas a.ptx, line 9; error   : Unknown symbol 'x'"
        );
        assert_eq!(complaint("", "exit status: 1"), "exit status: 1");
        let tools = Tools {
            ptxas: Some("/nonexistent/ptxas".into()),
            ..Tools::default()
        };
        let error = tools.assemble("", "k", "sm_90").unwrap_err().to_string();
        assert!(error.starts_with("/nonexistent/ptxas: "), "{error}");
    }

    #[test]
    fn the_release_is_read_from_behind_the_copyright() {
        let text = "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.0, V13.0.48\nBuild cuda_13.0\n";
        assert_eq!(release(text), Some("13.0.48"));
        assert_eq!(release(""), None);
    }
}
