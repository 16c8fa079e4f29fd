//! Which kernel a name means, and which PTX an architecture runs.

use cuda_builder::NvvmArch;
use cuda_builder::manifest::Manifest;
use cuda_builder::names::UnknownKernel;
use cuda_inspect::figures::Request;

use crate::check;
use crate::error::Refused;

/// Candidates that a refusal names.
const SHOWN: usize = 12;

/// An architecture, and the PTX for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The place of the module in the manifest.
    pub(super) module: usize,
    /// What it is assembled for.
    pub(super) arch: NvvmArch,
}

/// Reads the value of `--arch`.
pub(super) fn arch(text: &str) -> Result<NvvmArch, String> {
    text.parse()
        .map_err(|error: cuda_builder::CudaBuilderError| error.to_string())
}

/// The most characters that the name of an entry may have, as PTX says.
const LONGEST: usize = 1024;

/// What may be a part of an entry's name.
pub(super) fn part(text: &str) -> Result<String, String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    match !text.is_empty() && text.len() <= LONGEST && text.chars().all(is_allowed) {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "allowed are up to {LONGEST} letters, digits, _ and $"
        )),
    }
}

/// The kernel of that name; else the only one that begins with it, or else has it in its name.
pub(super) fn kernel(manifest: &Manifest, name: &str) -> Result<String, Refused> {
    let modules = manifest.modules.iter();
    let mut entries: Vec<&str> = modules
        .flat_map(|module| module.kernels())
        .map(|kernel| kernel.entry.as_str())
        .collect();
    entries.sort_unstable();
    entries.dedup();
    if entries.contains(&name) {
        return Ok(name.to_owned());
    }
    let those = |fits: &dyn Fn(&str) -> bool| -> Vec<&str> {
        entries
            .iter()
            .copied()
            .filter(|entry| fits(entry))
            .collect()
    };
    let beginning = those(&|entry| entry.starts_with(name));
    let having = those(&|entry| entry.contains(name));
    match (beginning.as_slice(), having.as_slice()) {
        ([only], _) | ([], [only]) => Ok((*only).to_owned()),
        ([], []) => Err(check::refused(&UnknownKernel::among(name, entries))),
        ([], several) | (several, _) => Err(Refused(format!(
            "KERNEL `{name}` matches {} kernels: {}",
            several.len(),
            listed(several)
        ))),
    }
}

fn listed(names: &[&str]) -> String {
    let shown = names.len().min(SHOWN);
    let text = names[..shown].join(", ");
    match names.len() - shown {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

/// The PTX that each architecture runs: the newest that is not newer. Of none, those that
/// there is PTX for, the newest last.
pub(super) fn targets(manifest: &Manifest, archs: &[NvvmArch]) -> Result<Vec<Target>, Refused> {
    let there: Vec<(usize, NvvmArch)> = manifest
        .modules
        .iter()
        .enumerate()
        .filter_map(|(place, module)| Some((place, module.arch.parse().ok()?)))
        .collect();
    let runs = |ptx: NvvmArch, arch: NvvmArch| match ptx.target().chars().last() {
        Some('a' | 'f') => ptx == arch,
        _ => ptx.compute_capability() <= arch.compute_capability(),
    };
    let target = |arch: NvvmArch| {
        let fitting = there.iter().filter(|&&(_, ptx)| runs(ptx, arch));
        let best = fitting.max_by_key(|&&(_, ptx)| ptx);
        best.map(|&(module, _)| Target { module, arch })
            .ok_or_else(|| {
                let names: Vec<&str> = there.iter().map(|(_, arch)| arch.target()).collect();
                Refused(format!(
                    "--arch {arch}: the PTX is for {} and newer architectures",
                    names.join(" and ")
                ))
            })
    };
    if archs.is_empty() {
        let mut all: Vec<Target> = there
            .iter()
            .map(|&(module, arch)| Target { module, arch })
            .collect();
        all.sort_by_key(|target| target.arch);
        return Ok(all);
    }
    archs.iter().map(|&arch| target(arch)).collect()
}

/// Refuses a block that the kernel does not allow.
pub(super) fn check_block(request: &Request<'_>) -> Result<(), Refused> {
    match (request.block, request.kernel.max_threads) {
        (Some(threads), most) if most > 0 && threads > most => Err(Refused(format!(
            "--block {threads}: {} is bounded to 1 to {most} threads",
            request.kernel.entry
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use cuda_builder::manifest::{Kernel, MAIN, Module, Part};

    use super::*;

    pub(crate) fn sample(entries: &[&str]) -> Manifest {
        let kernel = |entry: &&str| Kernel {
            entry: (*entry).to_owned(),
            module: "crate::scans".into(),
            max_threads: 128,
            ..Kernel::default()
        };
        let module = |arch: &str| Module {
            arch: arch.into(),
            ptx_version: "8.0".into(),
            sha256: String::new(),
            parts: vec![Part {
                name: MAIN.into(),
                file: format!("kernels.{arch}.ptx"),
                sha256: Some(String::new()),
                kernels: entries.iter().map(kernel).collect(),
            }],
        };
        Manifest {
            format: cuda_builder::manifest::FORMAT,
            crate_name: "kernels".into(),
            version: "0.1.0".into(),
            rustc: String::new(),
            llvm: String::new(),
            flags: vec![],
            modules: vec![module("sm_75"), module("sm_90")],
        }
    }

    fn chosen(name: &str) -> Result<String, String> {
        let manifest = sample(&["scan_f32", "scan_f32_wide", "reduce_f32", "reduce_f64"]);
        kernel(&manifest, name).map_err(|refused| refused.to_string())
    }

    #[test]
    fn a_whole_name_counts_before_a_beginning_and_that_before_a_part() {
        assert_eq!(chosen("scan_f32"), Ok("scan_f32".into()));
        assert_eq!(chosen("scan_f32_w"), Ok("scan_f32_wide".into()));
        assert_eq!(chosen("wide"), Ok("scan_f32_wide".into()));
        assert_eq!(chosen("f64"), Ok("reduce_f64".into()));
    }

    #[test]
    fn a_name_that_fits_several_kernels_or_none_is_refused_with_candidates() {
        assert_eq!(
            chosen("reduce").unwrap_err(),
            "KERNEL `reduce` matches 2 kernels: reduce_f32, reduce_f64"
        );
        let refused = chosen("reduce_i64").unwrap_err();
        let expected =
            "KERNEL `reduce_i64` is not a kernel's name: near it are reduce_f32, reduce_f64";
        assert_eq!(refused, expected);
        assert!(
            chosen("x")
                .unwrap_err()
                .ends_with("`cargo xtask inspect --all` lists the entries")
        );
    }

    #[test]
    fn long_lists_of_candidates_are_cut() {
        let names: Vec<String> = (0..20).map(|number| format!("scan_{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let refused = kernel(&sample(&names), "scan").unwrap_err().to_string();
        assert!(refused.ends_with(" and 8 more"), "{refused}");
    }

    #[test]
    fn an_architecture_runs_the_newest_ptx_that_is_not_newer() {
        let manifest = sample(&["k"]);
        let of = |names: &[&str]| {
            let archs: Vec<NvvmArch> = names.iter().map(|name| arch(name).unwrap()).collect();
            targets(&manifest, &archs).map(|found| {
                let found = found
                    .iter()
                    .map(|target| (target.module, target.arch.target()));
                found.collect::<Vec<_>>()
            })
        };
        assert_eq!(of(&[]).unwrap(), [(0, "sm_75"), (1, "sm_90")]);
        assert_eq!(
            of(&["sm_89", "sm_120"]).unwrap(),
            [(0, "sm_89"), (1, "sm_120")]
        );
        let refused = of(&["sm_70"]).unwrap_err().to_string();
        assert!(
            refused.starts_with("--arch sm_70: the PTX is for sm_75 and sm_90"),
            "{refused}"
        );
        assert!(arch("sm_7").is_err());
    }

    #[test]
    fn a_block_beyond_the_kernels_bound_is_refused() {
        let manifest = sample(&["k"]);
        let mut request = Request {
            kernel: manifest.modules[0].kernel("k").unwrap(),
            ptx: "",
            ptx_arch: "sm_75",
            arch: "sm_75",
            capability: (7, 5),
            block: Some(129),
            dynamic_shared: 0,
        };
        let refused = check_block(&request).unwrap_err().to_string();
        assert_eq!(refused, "--block 129: k is bounded to 1 to 128 threads");
        request.block = Some(128);
        assert!(check_block(&request).is_ok());
    }
}
