//! What the builder says about a module that rustc cannot say, seen in PTX.

mod support;

use std::sync::OnceLock;

use cuda_builder::manifest::{Module, ParameterKind};
use cuda_builder::{Artifact, CudaBuilder, LintLevel, NvvmArch};
use support::{builder, entry, fixture, ptx};

fn basic() -> &'static (Artifact, tempfile::TempDir) {
    static BUILT: OnceLock<(Artifact, tempfile::TempDir)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let out = tempfile::tempdir().unwrap();
        let artifact = builder(&fixture("basic"), out.path())
            .archs(&[NvvmArch::Compute75, NvvmArch::Compute90])
            .build_all()
            .unwrap();
        (artifact, out)
    })
}

fn sm_90(name: &str) -> String {
    entry(&ptx(&basic().0, 1), name).to_owned()
}

#[test]
fn shared_memory_is_accessed_as_shared_and_slices_as_global() {
    let text = sm_90("reverse");
    assert!(
        text.contains(".shared .align 4 .b8 basic_kernels__TILE[1024];"),
        "{text}"
    );
    for access in [
        "st.shared.b32",
        "ld.shared.b32",
        "ld.global.b32",
        "st.global.b32",
    ] {
        assert!(text.contains(access), "{access} in {text}");
    }
    assert_eq!(text.matches(".param .u64").count(), 3, "{text}");
}

#[test]
fn constants_and_globals_keep_their_values() {
    let text = ptx(&basic().0, 1);
    assert!(text.contains(".const .align 4 .b8 basic_kernels__TABLE[16] = {0, 0, 0, 63,"));
    assert!(text.contains(".global .align 4 .b8 basic_kernels__COUNT[4] = {7};"));
    assert!(sm_90("scale").contains("ld.const.b32"));
}

#[test]
fn dynamic_shared_memory_is_declared_and_not_sized() {
    let text = ptx(&basic().0, 1);
    assert!(text.contains(".extern .shared .align 16 .b8 basic_kernels__DYNAMIC[];"));
    let kernel = basic().0.manifest.modules[1].kernel("dynamic").unwrap();
    let compiled = kernel.compiled.as_ref().unwrap();
    assert!(compiled.dynamic_shared);
    assert_eq!(compiled.static_shared_bytes, 0);
    assert!(sm_90("dynamic").contains("ld.shared.b32"));
}

#[test]
fn launch_bounds_clusters_and_register_limits_reach_the_entry() {
    let text = sm_90("reverse");
    assert!(
        text.contains(".maxntid 256") && text.contains(".minnctapersm 2"),
        "{text}"
    );
    assert!(sm_90("dynamic").contains(".reqnctapercluster 2, 1, 1"));
    assert!(sm_90("scale").contains(".maxnreg 40"));
    let kernel = basic().0.manifest.modules[1].kernel("reverse").unwrap();
    assert_eq!((kernel.max_threads, kernel.min_blocks), (256, 2));
}

#[test]
fn a_structure_is_one_parameter_and_a_pointer_in_it_is_global() {
    let text = sm_90("scale");
    assert!(
        text.contains(".param .align 8 .b8 scale_param_0[24]"),
        "{text}"
    );
    assert!(
        text.contains("ld.global.b32") && text.contains("st.global.b32"),
        "{text}"
    );
    assert!(
        !text.contains("\tld.b32") && !text.contains("\tst.b32"),
        "{text}"
    );
}

#[test]
fn atomics_keep_their_order() {
    assert!(sm_90("count").contains("atom.acq_rel.sys.global.add.u32"));
}

#[test]
fn functions_of_compiler_builtins_are_linked() {
    let text = ptx(&basic().0, 1);
    assert!(!text.contains(".extern .func"), "{text}");
    assert!(sm_90("wide").contains("st.global"));
}

#[test]
fn a_module_of_each_architecture_is_listed_with_its_kernels() {
    let manifest = &basic().0.manifest;
    let modules: Vec<_> = manifest
        .modules()
        .iter()
        .map(|module| {
            (
                module.arch.as_str(),
                module.compute_capability(),
                module.ptx_version.as_str(),
            )
        })
        .collect();
    assert_eq!(
        modules,
        [("sm_75", (7, 5), "7.0"), ("sm_90", (9, 0), "8.0")]
    );
    let names: Vec<_> = manifest.modules[0]
        .kernels()
        .map(|kernel| kernel.entry.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "barrier", "count", "dynamic", "reverse", "roots", "scale", "wide"
        ]
    );
    let reverse = manifest.modules[0].kernel("reverse").unwrap();
    assert_eq!(reverse.parameters[0].kind, ParameterKind::Slice);
    let compiled = reverse.compiled.as_ref().unwrap();
    assert_eq!(compiled.parameters.len(), 3);
    assert_eq!(compiled.static_shared_bytes, 1024);
    let read = cuda_builder::manifest::Manifest::read(&basic().0.dir).unwrap();
    assert_eq!(&read, manifest);
}

#[test]
fn a_barrier_is_one_instruction_and_becomes_two_when_it_is_not_marked() {
    let barriers = |text: &str| entry(text, "barrier").matches("bar.sync 0;").count();
    assert_eq!(barriers(&ptx(&basic().0, 1)), 1);
    let out = tempfile::tempdir().unwrap();
    let unmarked = builder(&fixture("basic"), out.path())
        .without_convergence_marking()
        .build_all()
        .unwrap();
    assert_eq!(
        barriers(&ptx(&unmarked, 0)),
        2,
        "{}",
        entry(&ptx(&unmarked, 0), "barrier")
    );
}

#[test]
fn arithmetic_is_as_exact_as_the_options_say() {
    let kernel = |name: &str, change: fn(CudaBuilder) -> CudaBuilder| {
        let out = tempfile::tempdir().unwrap();
        let builder = change(builder(&fixture("basic"), out.path()));
        let artifact = builder.build_all().unwrap();
        entry(&ptx(&artifact, 0), name).to_owned()
    };
    assert!(kernel("scale", |builder| builder).contains("add.rn.f32"));
    assert!(kernel("scale", |builder| builder.fma_contraction(true)).contains("fma.rn.f32"));
    assert!(kernel("scale", |builder| builder.ftz(true)).contains("add.rn.ftz.f32"));
    let exact = kernel("roots", |builder| builder);
    assert!(
        exact.contains("sqrt.rn.f32") && exact.contains("div.rn.f32"),
        "{exact}"
    );
    let fast = kernel("roots", |builder| builder.fast_sqrt(true).fast_div(true));
    assert!(
        fast.contains("sqrt.approx.f32") && fast.contains("div.approx.f32"),
        "{fast}"
    );
    assert!(
        fast.contains("sqrt.rn.f64") && fast.contains("div.rn.f64"),
        "{fast}"
    );
}

#[test]
fn an_unoptimised_build_has_the_same_kernels() {
    let out = tempfile::tempdir().unwrap();
    let artifact = builder(&fixture("basic"), out.path())
        .release(false)
        .lints(LintLevel::Allow)
        .build_all()
        .unwrap();
    let text = ptx(&artifact, 0);
    let names = |module: &Module| -> Vec<String> {
        module
            .kernels()
            .map(|kernel| kernel.entry.clone())
            .collect()
    };
    assert_eq!(
        names(&artifact.manifest.modules[0]),
        names(&basic().0.manifest.modules[1])
    );
    assert!(entry(&text, "reverse").contains(".maxntid 256"));
    assert_eq!(entry(&text, "barrier").matches("bar.sync 0;").count(), 1);
}
