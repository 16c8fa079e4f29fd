//! What an author reads who writes something that cannot become PTX: the whole sentence.
//! What rustc itself says passes through; `build_script.rs` has a kernel that it refuses.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use cuda_builder::{
    CudaBuilder, CudaBuilderError, DebugInfo, Lint, LintLevel, NvvmArch, toolchain,
};
use support::{Kernels, kernel};

#[test]
fn a_crate_that_calls_std_is_told_what_kernels_have() {
    let expected = "the kernels in KERNELS do not compile: see the errors above; \
                    kernels have core and alloc, and no std, which needs an operating system: \
                    write `core::` or `alloc::`, and switch off the features of a dependency \
                    that need std";
    let own = Kernels::new("pub use std::collections::HashMap;");
    assert_eq!(own.refused(), expected);

    let other = Kernels::new("pub use part::Name;");
    let dependency = "[dependencies]\npart = { path = \"part\" }\n";
    other.write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"own-kernels\"\nedition = \"2024\"\n[workspace]\n{dependency}"
        ),
    );
    other.write(
        "part/Cargo.toml",
        "[package]\nname = \"part\"\nedition = \"2024\"\n",
    );
    other.write("part/src/lib.rs", "pub type Name = std::string::String;");
    assert_eq!(other.refused(), expected);
}

#[test]
fn a_macro_of_the_prelude_that_is_missing_is_told() {
    let kernels = Kernels::new(&kernel("own_kernels", "a", "println!(\"x\");"));
    assert_eq!(
        kernels.refused(),
        "the kernels in KERNELS do not compile: see the errors above; \
         write `use cuda_std::prelude::*;`, which has println!, format!, Vec and Box"
    );
}

#[test]
fn a_kernel_is_defined_once_and_called_by_the_host_alone() {
    let own = kernel("own_kernels", "a", "core::hint::black_box(3);");
    let other = kernel("own_kernels::b", "a", "").replace("no_mangle", "export_name = \"other\"");
    let twice = Kernels::new(&format!("mod b {{ use crate::metadata; {other} }}\n{own}"));
    assert_eq!(
        twice.refused(),
        "kernel `a` cannot be built: own_kernels and own_kernels::b both define it, \
         and names of kernels are global: rename one of them"
    );
    let caller = kernel("own_kernels", "b", "unsafe { a() }").replace("OF", "OTHER");
    let called = Kernels::new(&format!("#[inline(never)]\n{own}\n{caller}"));
    assert_eq!(
        called.refused(),
        "kernel `a` cannot be built: device code calls it or takes its address, \
         which a kernel does not allow: move its body to a function of its own that both can call"
    );
}

/// What no GPU has room for is said with the place in the source, and a driver would not.
#[test]
fn variables_that_are_too_large_are_named_with_their_kernel() {
    let shared = "#[unsafe(link_section = \".shared\")]\n\
                  static mut BIG: core::mem::MaybeUninit<[u32; 12289]> = core::mem::MaybeUninit::uninit();\n";
    let use_shared = "unsafe { (&raw mut BIG).cast::<u32>().write_volatile(3); }";
    let constant = "#[unsafe(link_section = \".constant\")]\n\
                    static BIG: [u32; 16385] = [7; 16385];\n";
    let use_constant = "unsafe { (&raw const BIG).cast::<u32>().read_volatile() };";
    for (variable, body, expected) in [
        (
            shared,
            use_shared,
            "a: its static shared memory is 49156 bytes, and a block may have 49152; \
             take more as dynamic shared memory, whose size the launch says [memory-size]",
        ),
        (
            constant,
            use_constant,
            "a: the constants of this module are 65540 bytes, and a module may have 65536; \
             put large tables into global memory: leave #[address_space(constant)] away \
             [memory-size]",
        ),
    ] {
        let source = format!("{variable}{}", kernel("own_kernels", "a", body));
        let kernels = Kernels::new(&source);
        let denying = kernels.builder().lint(Lint::MemorySize, LintLevel::Deny);
        let said = kernels.said(&denying.build_all().unwrap_err());
        assert!(said.starts_with("the PTX is not acceptable:\n"), "{said}");
        assert!(said.contains(expected), "{said}");
        assert!(said.contains(", src/lib.rs:"), "{said}");
        // Without a word about it, a warning.
        assert!(kernels.builder().build_all().is_ok());
    }
}

#[test]
fn ptx_that_cannot_be_put_where_it_was_asked_for_is_refused_by_its_path() {
    let kernels = Kernels::new(&kernel("own_kernels", "a", ""));
    // A folder that is missing is made; below a file there can be none.
    let nowhere = kernels.folder.path().join("Cargo.toml/a.ptx");
    let error = kernels.builder().copy_to(&nowhere).build().unwrap_err();
    let said = error.to_string();
    let expected = format!("the PTX could not be copied to {}: ", nowhere.display());
    assert!(said.starts_with(&expected), "{said}");
}

/// PTX has none. LLVM makes plain instructions of the others on local memory, and not of this one.
#[test]
fn an_atomic_of_a_threads_own_memory_is_refused_by_its_line() {
    let body = "use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
        let counts = [const { AtomicU32::new(0) }; 8];
        let out = core::ptr::without_provenance_mut::<u32>(64);
        unsafe {
            for _ in 0..out.read_volatile() {
                let count = &counts[out.read_volatile() as usize % 8];
                count.fetch_add(1, Relaxed);
                let _ = count.compare_exchange(1, 2, Relaxed, Relaxed); // here
            }
            out.write_volatile(counts[out.read_volatile() as usize % 8].load(Relaxed));
        }";
    let kernels = Kernels::new(&kernel("own_kernels", "a", body));
    let source = fs::read_to_string(kernels.folder.path().join("src/lib.rs")).unwrap();
    let line = source
        .lines()
        .position(|line| line.ends_with("// here"))
        .unwrap()
        + 1;
    let said = kernels.refused();
    let expected = "is no PTX, because local memory is its thread's alone: use a plain variable or \
                    a `Cell` there, and atomics in global or shared memory [local-atomic]";
    assert!(
        said.starts_with("the PTX is not acceptable:\nsm_90: a: `atom."),
        "{said}"
    );
    assert!(said.contains(expected), "{said}");
    assert!(said.contains(&format!(", src/lib.rs:{line})")), "{said}");
    let allowed = kernels.builder().lint(Lint::LocalAtomic, LintLevel::Allow);
    assert!(allowed.build_all().is_ok());
    let allowed_in = |part: &str| {
        let builder = kernels.builder();
        builder
            .lint_of_part(part, Lint::LocalAtomic, LintLevel::Allow)
            .build_all()
    };
    assert!(allowed_in("main").is_ok());
    assert!(allowed_in("other").is_err());
}

/// Set for a process that is started to see how it ends and what it says.
const CHILD: &str = "CUDA_BUILDER_TEST_CHILD";

/// Runs a test in a process of its own; its exit code and stderr.
fn in_a_child(test: &str) -> (Option<i32>, String) {
    in_a_child_with(test, &[])
}

fn in_a_child_with(test: &str, variables: &[(&str, &Path)]) -> (Option<i32>, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "1")
        .envs(variables.iter().copied())
        // This is no build script, whose warnings cargo would read.
        .env_remove("OUT_DIR")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn a_crate_without_a_kernel_is_told_so_and_one_with_kernels_is_not() {
    if std::env::var_os(CHILD).is_some() {
        let function = "pub fn forgotten(out: &mut u32) { *out = 1 }";
        for source in [function, &kernel("own_kernels", "a", "")] {
            assert!(Kernels::new(source).builder().build_all().is_ok());
        }
        return;
    }
    let (code, said) =
        in_a_child("a_crate_without_a_kernel_is_told_so_and_one_with_kernels_is_not");
    assert_eq!(code, Some(0), "{said}");
    let warning = "warning: own-kernels has no kernel, so its PTX is empty: write #[kernel] above \
                   an `unsafe fn` of it; those of crates that it depends on are there with \
                   kernels_of_dependencies(true)";
    assert_eq!(said.matches(warning).count(), 1, "{said}");
    assert_eq!(said.matches("has no kernel").count(), 1, "{said}");
}

#[test]
fn full_debug_information_is_warned_of_except_for_emulators() {
    if std::env::var_os(CHILD).is_some() {
        let kernels = Kernels::new(&kernel("own_kernels", "a", ""));
        let builder = || kernels.builder().debug(DebugInfo::Full);
        assert!(builder().build_all().is_ok());
        assert!(builder().for_emulators(true).build_all().is_ok());
        return;
    }
    let (code, said) = in_a_child("full_debug_information_is_warned_of_except_for_emulators");
    assert_eq!(code, Some(0), "{said}");
    let warning = "warning: DebugInfo::Full makes PTX that no GPU's driver loads: ptxas does not \
                   accept `.target ..., debug` in optimised code; use DebugInfo::LineTables\n";
    assert_eq!(said.matches(warning).count(), 1, "{said}");
    assert_eq!(said.matches("DebugInfo::Full").count(), 1, "{said}");
}

#[test]
fn what_llvm_cannot_do_ends_the_build_with_the_kernels_name() {
    let source = kernel(
        "own_kernels",
        "quadruple",
        "let a: f128 = core::hint::black_box(1.5); core::hint::black_box(a * a);",
    );
    if std::env::var_os(CHILD).is_some() {
        let kernels = Kernels::new(&source);
        let text = fs::read_to_string(kernels.folder.path().join("src/lib.rs")).unwrap();
        kernels.write("src/lib.rs", &format!("#![feature(f128)]\n{text}"));
        let built = kernels.builder().build_all();
        panic!("LLVM went on: {:?}", built.map(|artifact| artifact.dir));
    }
    let (code, said) = in_a_child("what_llvm_cannot_do_ends_the_build_with_the_kernels_name");
    assert_eq!(code, Some(1), "{said}");
    let expected = "error: LLVM cannot generate code for `quadruple` (sm_90): \
                    unsupported library call operation; something in them is nothing that a \
                    GPU does, such as arithmetic in f128: leave it away";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn inline_assembly_that_is_not_ptx_is_refused_with_its_line() {
    let body = r#"unsafe { core::arch::asm!("add.u32 %r1, %r2") }"#;
    let own = Kernels::new(&kernel("own_kernels", "broken", body));
    let said = own.refused();
    let (start, end) = (
        "own_kernels",
        ": is it inline assembly that is wrong there?",
    );
    assert!(said.starts_with(start) && said.ends_with(end), "{said}");
    assert!(said.contains(".ptx is not PTX, 19:2: expected "), "{said}");
}

#[test]
fn an_architecture_that_does_not_exist_is_refused_by_name() {
    let refused = |text: &str| text.parse::<NvvmArch>().unwrap_err().to_string();
    assert_eq!(
        refused("sm_91"),
        "`sm_91` is not an architecture: write one such as sm_75 or sm_90"
    );
    let old = Kernels::new("").builder().arch(NvvmArch::Compute61);
    assert_eq!(
        old.build_all().unwrap_err().to_string(),
        "sm_61 is too old for rustc's code generator: choose sm_70 or newer"
    );
}

#[test]
fn kernels_that_are_not_there_are_refused_by_their_folder() {
    let error = CudaBuilder::new(Path::new("no/such/crate")).build();
    assert_eq!(
        error.unwrap_err().to_string(),
        "there is no crate of kernels at no/such/crate: no Cargo.toml is there"
    );
}

/// Each thread would have one, for as long as it is there.
#[test]
fn a_static_that_is_local_to_a_thread_is_refused_by_its_path() {
    let count = "#[thread_local]\nstatic mut COUNT: u32 = 7;\n";
    let body = "unsafe { (&raw mut COUNT).write_volatile((&raw const COUNT).read_volatile() + 1) }";
    let kernels = Kernels::new(&format!("{count}{}", kernel("own_kernels", "a", body)));
    let path = "src/lib.rs";
    let source = fs::read_to_string(kernels.folder.path().join(path)).unwrap();
    let with_it = source.replacen("feature(", "feature(thread_local, ", 1);
    kernels.write(path, &with_it);
    let error = kernels.builder().build_all().unwrap_err();
    assert!(
        matches!(error, CudaBuilderError::BadStatic { .. }),
        "{error}"
    );
    assert_eq!(
        kernels.said(&error),
        "static `own_kernels::COUNT` cannot be built: it is #[thread_local], and threads of a GPU \
         have no variables that outlive the kernel: use a `let` in the kernel, or shared memory \
         with an element a thread"
    );
}

/// Where the child finds the packages of this machine.
const REGISTRY: &str = "CUDA_BUILDER_TEST_REGISTRY";

fn run(folder: &Path, command: &str) {
    let mut shell = Command::new("sh");
    let status = shell.args(["-c", command]).current_dir(folder).status();
    assert!(status.unwrap().success(), "{command}");
}

/// Kernels with a dependency that git has, and its folder.
fn kernels_with_a_package_from_git() -> (Kernels, Kernels) {
    let package = Kernels::new("");
    run(
        package.folder.path(),
        "git init -q && git add . && git -c user.name=a -c user.email=a@b commit -q -m a",
    );
    let kernels = Kernels::new(&kernel("kernels", "a", ""));
    let dependency = format!(
        "own-kernels.git = \"file://{}\"",
        package.folder.path().display()
    );
    kernels.write(
        "Cargo.toml",
        &format!(
            "[package]\nname = \"kernels\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n{dependency}\n"
        ),
    );
    (kernels, package)
}

#[test]
fn a_package_that_is_missing_is_fetched_by_the_command_that_the_error_names() {
    let Some(registry) = std::env::var_os(REGISTRY) else {
        let own = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let own = own.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
        let home = tempfile::tempdir().unwrap();
        let (code, said) = in_a_child_with(
            "a_package_that_is_missing_is_fetched_by_the_command_that_the_error_names",
            &[
                ("CARGO_HOME", home.path()),
                (REGISTRY, &own.unwrap().join("registry")),
            ],
        );
        assert_eq!(code, Some(0), "{said}");
        return;
    };
    let (kernels, _package) = kernels_with_a_package_from_git();
    let remedy = || match kernels.builder().build_all() {
        Err(CudaBuilderError::NotFetched { remedy, .. }) => remedy,
        other => panic!("{other:?}"),
    };
    // Nothing at all is there.
    let toolchain = toolchain::find().unwrap();
    let library = toolchain.sysroot.join("lib/rustlib/src/rust/library");
    let of_core = format!(
        "{} fetch --locked --manifest-path {}",
        toolchain.cargo().display(),
        library.join("Cargo.toml").display()
    );
    assert_eq!(remedy(), of_core);
    // Instead of the network.
    let home = std::env::var_os("CARGO_HOME").unwrap();
    let place = Path::new(&home).join("registry");
    let _ = fs::remove_dir_all(&place);
    std::os::unix::fs::symlink(registry, place).unwrap();
    run(Path::new("/"), &format!("{of_core} --offline"));

    let of_kernels = remedy();
    assert!(
        of_kernels.starts_with("cargo fetch --manifest-path "),
        "{of_kernels}"
    );
    run(Path::new("/"), &of_kernels);
    kernels.builder().build_all().unwrap();
}
