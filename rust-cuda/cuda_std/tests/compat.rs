//! Crates written as for rust-cuda, each a workspace of its own, become PTX with the entries and
//! the instructions that they ask for. One target folder for all of them and the workspace's own
//! kernels, so that core is built once an architecture.

#[path = "compat/host.rs"]
mod host;

use cuda_builder::manifest::Kernel;
use cuda_builder::{Artifact, CudaBuilder, NvvmArch};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/rust-cuda-compat")
        .join(name)
}

/// The target folder that this test was built in.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("")
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("rust-cuda-compat")
        .join(name)
}

/// The dependencies' versions are this workspace's, which are there without a network; cargo drops
/// what the crate does not need.
fn lock(folder: &Path) {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    std::fs::copy(lock, folder.join("Cargo.lock")).expect("the workspace has a lock file");
    let output = Command::new(env!("CARGO"))
        .args([
            "update",
            "--workspace",
            "--offline",
            "--quiet",
            "--manifest-path",
        ])
        .arg(folder.join("Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

struct Ptx(String);

impl Ptx {
    fn of(path: &Path) -> Self {
        Self(std::fs::read_to_string(path).expect("the builder wrote this file"))
    }

    fn entries(&self) -> BTreeSet<&str> {
        self.0
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix(".visible .entry "))
            .map(|rest| rest.trim_end_matches(['(', ')', '{', ' ']))
            .collect()
    }

    /// The text of one entry.
    fn entry(&self, name: &str) -> &str {
        let head = format!(".entry {name}(");
        let start = self
            .0
            .find(&head)
            .unwrap_or_else(|| panic!("no entry {name}"));
        let end = self.0[start..].find("\n}").expect("an entry ends");
        &self.0[start..start + end]
    }

    #[track_caller]
    fn has(&self, entry: &str, instructions: &[&str]) {
        let text = self.entry(entry);
        for instruction in instructions {
            assert!(
                text.contains(instruction),
                "{entry} has no `{instruction}`:\n{text}"
            );
        }
    }

    #[track_caller]
    fn lacks(&self, entry: &str, instructions: &[&str]) {
        let text = self.entry(entry);
        for instruction in instructions {
            assert!(
                !text.contains(instruction),
                "{entry} has `{instruction}`:\n{text}"
            );
        }
    }
}

fn build(name: &str, archs: &[NvvmArch]) -> Vec<Ptx> {
    let artifact = artifact(name, archs);
    artifact.ptx_paths().map(|path| Ptx::of(&path)).collect()
}

fn artifact(name: &str, archs: &[NvvmArch]) -> Artifact {
    part(name, archs, &[], name)
}

/// The parts of a crate that are named, in a folder.
fn part(name: &str, archs: &[NvvmArch], only: &[&str], out: &str) -> Artifact {
    let folder = folder(name);
    lock(&folder);
    CudaBuilder::new(&folder)
        .archs(archs)
        .only(only)
        .target_dir(target().join("cuda-builder"))
        .out_dir(scratch(out))
        .build_all()
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

const BOTH: &[NvvmArch] = &[NvvmArch::Compute75, NvvmArch::Compute90];

/// One test, since the builds share a folder.
#[test]
fn crates_written_for_rust_cuda_become_ptx() {
    tiled_gemm();
    the_whole_library();
    ordinary_rust();
    floating_point();
    host::programs();
    kernels_in_parts();
}

/// Ours, not rust-cuda's: `#[part]`, as a macro writes it; and what is left of a kernel that
/// is left out is its description.
fn kernels_in_parts() {
    let artifact = artifact("in_parts", &[NvvmArch::Compute90]);
    let alone = part(
        "in_parts",
        &[NvvmArch::Compute90],
        &["of_f64"],
        "in_parts_alone",
    );
    let [of_all, of_one] = [&artifact, &alone].map(|built| &built.manifest.modules[0].parts);
    for (whole, alone) in of_all.iter().zip(of_one) {
        assert_eq!(alone.is_complete(), alone.name == "of_f64");
        match alone.is_complete() {
            true => assert_eq!(alone, whole),
            false => assert!(alone.sha256.is_none()),
        }
        let described = |kernel: &Kernel| Kernel {
            compiled: None,
            ..kernel.clone()
        };
        let described = [whole, alone].map(|part| part.kernels.iter().map(described));
        let [whole, alone] = described.map(Iterator::collect::<Vec<_>>);
        assert_eq!(alone, whole);
    }
    assert_eq!(of_one.len(), of_all.len());
    let parts = artifact.manifest.modules[0].parts.iter().map(|part| {
        let kernels = part.kernels.iter().map(|kernel| kernel.entry.as_str());
        (part.name.as_str(), kernels.collect::<Vec<_>>())
    });
    let expected = [
        ("main", vec!["clear"]),
        ("of_f32", vec!["double_f32", "square_f32"]),
        ("of_f64", vec!["double_f64", "square_f64"]),
    ];
    assert_eq!(parts.collect::<Vec<_>>(), expected);
}

fn tiled_gemm() {
    for ptx in build("gemm", BOTH) {
        assert_eq!(ptx.entries(), BTreeSet::from(["gemm_tiled"]));
        ptx.has(
            "gemm_tiled",
            &[
                "ld.shared",
                "st.shared",
                "bar.sync",
                "ld.global.nc",
                "st.global",
            ],
        );
        ptx.lacks("gemm_tiled", &[".local", "ld.b32", "st.b32"]);
    }
}

fn the_whole_library() {
    // 12.1 has no name of rustc's own, and everything that 9.0 has.
    let ptx = build("api", &[BOTH[0], BOTH[1], NvvmArch::Compute121]);
    let [base, hopper, newest] = ptx.as_slice() else {
        panic!("three architectures")
    };
    assert_eq!(base.entries(), hopper.entries());
    assert_eq!(
        hopper.entries(),
        BTreeSet::from([
            "atomic_floats",
            "atomic_integers",
            "atomic_intrinsics",
            "atomics_with_an_order",
            "capability",
            "dynamic_shared",
            "gpu_only_function",
            "misc_functions",
            "named_like_the_macros",
            "other_spaces",
            "printing",
            "printing_floats",
            "raw_slices",
            "registers",
            "static_shared",
            "thread_indices",
            "thread_sync",
            "vectors",
            "warp_lanes",
            "warp_reductions",
            "warp_shuffles",
            "warp_votes",
        ])
    );
    for ptx in [base, hopper] {
        ptx.has(
            "thread_sync",
            &[
                "bar.sync",
                "bar.red.and.pred",
                "bar.red.or.pred",
                "bar.red.popc.u32",
                "fence.acq_rel.cta",
                "fence.acq_rel.gpu",
                "fence.acq_rel.sys",
                "nanosleep.u32",
            ],
        );
        ptx.has(
            "misc_functions",
            &[
                ".maxntid 128",
                ".minnctapersm 2",
                "pmevent 3",
                "%clock64",
                "%globaltimer",
                "%smid",
            ],
        );
        ptx.lacks("misc_functions", &["brkpt"]);
        ptx.has(
            "warp_lanes",
            &[
                "%laneid",
                "%lanemask_lt",
                "%lanemask_ge",
                "bar.warp.sync",
                "activemask.b32",
            ],
        );
        ptx.has(
            "warp_shuffles",
            &[
                "shfl.sync.bfly.b32",
                "shfl.sync.up.b32",
                "shfl.sync.down.b32",
                "shfl.sync.idx.b32",
            ],
        );
        // 8, 16, 32, 64, 64, 128 and 32 bits.
        assert_eq!(
            ptx.entry("warp_shuffles").matches("shfl.sync").count(),
            1 + 1 + 1 + 2 + 2 + 4 + 1
        );
        ptx.lacks("warp_shuffles", &["trap"]);
        ptx.has(
            "warp_votes",
            &[
                "vote.sync.all.pred",
                "vote.sync.any.pred",
                "vote.sync.ballot.b32",
                "match.any.sync.b32",
                "match.any.sync.b64",
                "match.all.sync.b64",
            ],
        );
        ptx.has(
            "atomics_with_an_order",
            &[
                "fence.sc.gpu",
                "fence.acq_rel.cta",
                "ld.acquire.gpu.b32",
                "st.release.sys.b32",
                "atom.relaxed.gpu.add.f64",
                "atom.acq_rel.cta.max.u32",
                "atom.release.gpu.cas.b32",
                "atom.relaxed.gpu.inc.u32",
            ],
        );
        ptx.has("raw_slices", &["raw_slices_param_4", "st.global.b32"]);
        ptx.has(
            "static_shared",
            &["ld.shared.b32", "st.shared.b32", "[1024]", "[384]"],
        );
        ptx.has(
            "dynamic_shared",
            &[
                "ld.shared.b32",
                "st.shared.b32",
                "%dynamic_smem_size",
                "%total_smem_size",
            ],
        );
        ptx.has(
            "other_spaces",
            &[
                "ld.const",
                "ld.global",
                "isspacep.shared",
                "cvta.to.shared.u64",
            ],
        );
        ptx.has(
            "vectors",
            &[
                "ld.global.cg.v2.b64",
                "st.shared.v2.b64",
                "ld.shared.v2.b64",
                "st.global.cs.v4.b32",
            ],
        );
        ptx.has(
            "atomic_floats",
            &[
                "atom.relaxed.gpu.add.f32",
                "ld.acquire.gpu.b32",
                "st.release.gpu.b32",
                "atom.acq_rel.gpu.cas.b32",
                "atom.acq_rel.cta.add.f32",
                "fence.sc.sys",
                "atom.acquire.sys.add.f32",
                "atom.relaxed.gpu.add.f64",
                "atom.acquire.gpu.exch.b64",
            ],
        );
        ptx.has(
            "atomic_integers",
            &[
                "atom.relaxed.gpu.add.u32",
                "atom.release.gpu.add.u32",
                "atom.acq_rel.gpu.min.u32",
                "atom.acq_rel.gpu.cas.b32",
                "fence.sc.gpu",
                "st.relaxed.gpu.b32",
                "ld.acquire.gpu.b64",
                "atom.acquire.gpu.xor.b64",
                "atom.relaxed.cta.max.s32",
                "atom.release.sys.or.b64",
            ],
        );
        ptx.has(
            "atomic_intrinsics",
            &[
                "atom.relaxed.gpu.inc.u32",
                "atom.acq_rel.cta.dec.u32",
                "atom.acquire.sys.cas.b32",
                "ld.volatile.b32",
                "membar.gl",
            ],
        );
        for entry in [
            "raw_slices",
            "registers",
            "vectors",
            "atomic_floats",
            "warp_shuffles",
            "static_shared",
        ] {
            ptx.lacks(entry, &[".local"]);
        }
        assert!(ptx.0.contains("vprintf"), "printing does not print");
        assert!(
            ptx.0.contains(".visible .func") && ptx.0.contains(" twice("),
            "the visible function is gone"
        );
    }
    hopper.has(
        "warp_reductions",
        &[
            "redux.sync.add.u32",
            "redux.sync.min.s32",
            "redux.sync.or.b32",
        ],
    );
    for (ptx, number) in [(base, ", 75;"), (hopper, ", 90;"), (newest, ", 121;")] {
        ptx.has("capability", &[number]);
    }
    newest.has("warp_reductions", &["redux.sync.add.u32"]);
    newest.has("warp_lanes", &["elect.sync"]);
    for ptx in [base, hopper] {
        ptx.has("named_like_the_macros", &[".maxntid 64", ".minnctapersm 3"]);
    }
    base.has("warp_reductions", &["shfl.sync.idx.b32"]);
    hopper.has("warp_lanes", &["elect.sync"]);
    hopper.has("vectors", &["ld.global.nc.L1::no_allocate.v4.b32"]);
    base.has("vectors", &["ld.global.nc.v4.b32"]);
}

fn ordinary_rust() {
    let ptx = build("crates_io", &[NvvmArch::Compute90]);
    assert_eq!(
        ptx[0].entries(),
        BTreeSet::from([
            "areas",
            "count",
            "heap",
            "iterate",
            "reflect",
            "rotate",
            "sha256_oneshot",
            "sha512_incremental",
            "wide"
        ])
    );
    ptx[0].has("wide", &["trap"]);
    ptx[0].has("reflect", &["ld.global.b32", "fma.rn.f32", "st.global.b32"]);
    ptx[0].has("count", &["trap", "atom.acq_rel.sys", "ld.acquire.sys"]);
    assert!(
        ptx[0].0.contains("malloc") && ptx[0].0.contains("free"),
        "no heap"
    );
}

fn floating_point() {
    let ptx = &build("floats", &[NvvmArch::Compute90])[0];
    ptx.has(
        "float_instructions",
        &[
            "sqrt.rn.f32",
            "sqrt.rn.f64",
            "fma.rn.f32",
            "fma.rn.f64",
            "cvt.rmi.f32",
            "cvt.rpi.f64",
            "cvt.rzi.f32",
            "abs.f64",
            "rcp.rn.f32",
            "min.f64",
        ],
    );
    ptx.lacks("float_instructions", &[".local", "call", ".approx"]);
    ptx.lacks("trigonometry", &[".local"]);
    ptx.has(
        "float_approximations",
        &[
            "sqrt.approx.f32",
            "rsqrt.approx.f32",
            "rcp.approx.f32",
            "sin.approx.f32",
            "cos.approx.f32",
            "ex2.approx.f32",
            "lg2.approx.f32",
            "tanh.approx.f32",
            "div.approx.f32",
            "rsqrt.approx.f64",
            "rsqrt.approx.ftz.f64",
            "rcp.approx.ftz.f64",
        ],
    );
}
