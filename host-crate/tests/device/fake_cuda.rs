//! The fake CUDA driver (`fixtures/fake_cuda/lib.rs`) in the driver's place,
//! and an artifact for it.

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use hmac_sha256::Hash as Sha256;
use quadscan::device::{Artifact, Device, DeviceChoice};

/// As the fixture's `Settings`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Settings {
    pub(crate) cuda: i32,
    pub(crate) capability: [i32; 2],
    pub(crate) devices: i32,
    pub(crate) init: i32,
    pub(crate) ptx: [i32; 2],
    pub(crate) retain: i32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            cuda: 13_000,
            capability: [9, 0],
            devices: 1,
            init: 0,
            ptx: [9, 0],
            retain: 0,
        }
    }
}

/// The fake driver, held by one test at a time.
pub(crate) struct FakeCuda {
    _guard: MutexGuard<'static, ()>,
}

impl FakeCuda {
    /// Builds the fixture once, puts it in the driver's place and resets it.
    pub(crate) fn new(settings: Settings) -> Self {
        static BUILT: OnceLock<tempfile::TempDir> = OnceLock::new();
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
        let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        BUILT.get_or_init(|| {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let library = folder.path().join("libfake_cuda.so");
            let source = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../host-crate/tests/fixtures/fake_cuda/lib.rs");
            let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
            let status = Command::new(rustc)
                .args(["--edition=2024", "-o"])
                .args([&library, &source])
                .status()
                .expect("rustc runs");
            assert!(status.success(), "the fake driver does not compile");
            // SAFETY: every test of this program comes through here before it
            // reads the environment, and the lock lets one through at a time.
            unsafe { std::env::set_var(libcuda_lazy::LIBRARY_VARIABLE, &library) };
            folder
        });
        // SAFETY: the fixture's signature.
        unsafe {
            let reset: unsafe extern "C" fn(Settings) = std::mem::transmute(symbol("fake_reset"));
            reset(settings);
        }
        Self { _guard: guard }
    }

    pub(crate) fn open(&self) -> Device {
        Device::open(DeviceChoice::Cuda(None)).expect("the fake driver has a device")
    }

    pub(crate) fn live_allocations(&self) -> usize {
        // SAFETY: the fixture's signature.
        unsafe {
            let count: unsafe extern "C" fn() -> usize =
                std::mem::transmute(symbol("fake_live_allocations"));
            count()
        }
    }

    /// The calls so far that begin with one of `words`.
    pub(crate) fn log(&self, words: &[&str]) -> Vec<String> {
        let mut text = vec![0u8; 1 << 16];
        // SAFETY: the fixture's signature, and the room is as told.
        let count = unsafe {
            let read: unsafe extern "C" fn(*mut u8, usize) -> usize =
                std::mem::transmute(symbol("fake_log"));
            read(text.as_mut_ptr(), text.len())
        };
        String::from_utf8_lossy(&text[..count])
            .lines()
            .filter(|line| words.iter().any(|word| line.starts_with(word)))
            .map(str::to_owned)
            .collect()
    }
}

fn symbol(name: &str) -> std::ptr::NonNull<std::ffi::c_void> {
    libcuda_lazy::symbol(name).expect("the fixture has it")
}

/// The kernels of the fake's PTX, with their parameters as the manifest tells them.
const KERNELS: &str = r#"[
  {"entry":"scale","module":"fake","parameters":[
    {"name":"input","type":"&[f32]","kind":"slice"},
    {"name":"out","type":"*mut f32","kind":"pointer_mut"},
    {"name":"factor","type":"f32","kind":"value"}],
   "max_threads":0,"min_blocks":0,"cluster":[0,0,0],"max_registers":0,
   "compiled":{"parameters":[{"type":".u64","bytes":8,"align":8},{"type":".u64","bytes":8,"align":8},
    {"type":".u64","bytes":8,"align":8},{"type":".f32","bytes":4,"align":4}],"static_shared_bytes":0,"dynamic_shared":true}},
  {"entry":"fault","module":"fake","parameters":[],"max_threads":0,"min_blocks":0,"cluster":[0,0,0],"max_registers":0,
   "compiled":{"parameters":[],"static_shared_bytes":0,"dynamic_shared":false}},
  {"entry":"bounded","module":"fake","parameters":[],"max_threads":256,"min_blocks":0,"cluster":[2,1,1],"max_registers":0,
   "compiled":{"parameters":[],"static_shared_bytes":1024,"dynamic_shared":false}},
  {"entry":"changed","module":"fake","parameters":[{"name":"n","type":"u64","kind":"value"}],
   "max_threads":0,"min_blocks":0,"cluster":[0,0,0],"max_registers":0,
   "compiled":{"parameters":[{"type":".u64","bytes":8,"align":8}],"static_shared_bytes":0,"dynamic_shared":false}},
  {"entry":"resized","module":"fake","parameters":[{"name":"pair","type":"Pair","kind":"value"}],
   "max_threads":0,"min_blocks":0,"cluster":[0,0,0],"max_registers":0,
   "compiled":{"parameters":[{"type":".b8","bytes":16,"align":8}],"static_shared_bytes":0,"dynamic_shared":false}}
]"#;

/// One kernel without parameters, as the manifest tells of it.
pub(crate) fn kernel(entry: &str) -> serde_json::Value {
    serde_json::json!({
        "entry": entry, "module": "fake", "parameters": [], "max_threads": 0, "min_blocks": 0,
        "cluster": [0, 0, 0], "max_registers": 0,
        "compiled": {"parameters": [], "static_shared_bytes": 0, "dynamic_shared": false},
    })
}

/// SHA-256 in hexadecimal digits.
fn hash(text: &str) -> String {
    let digest = Sha256::hash(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The fake's PTX, whose first line names the architecture.
pub(crate) fn ptx(arch: &str, version: &str) -> String {
    format!(
        "// {arch}\n.version {version}\n.target {arch}\n.entry scale\n.entry fault\n\
         .entry bounded threads=256 shared=1024\n.entry changed\n.entry resized\n"
    )
}

/// Writes the files of one architecture to `folder`: of each part its name, its PTX
/// and its kernels. What the manifest says of it.
pub(crate) fn write_module(
    folder: &Path,
    (arch, version): (&str, &str),
    parts: &[(&str, String, serde_json::Value)],
) -> serde_json::Value {
    let whole: String = parts.iter().map(|(_, text, _)| text.as_str()).collect();
    let part = |(name, text, kernels): &(&str, String, serde_json::Value)| {
        let file = match *name {
            "main" => format!("fake.{arch}.ptx"),
            name => format!("fake.{name}.{arch}.ptx"),
        };
        std::fs::write(folder.join(&file), text).expect("a file");
        serde_json::json!({ "name": name, "file": file, "sha256": hash(text), "kernels": kernels })
    };
    let parts: Vec<_> = parts.iter().map(part).collect();
    serde_json::json!({
        "arch": arch, "ptx_version": version, "sha256": hash(&whole), "parts": parts,
    })
}

/// Writes the manifest of these modules.
pub(crate) fn write_manifest(folder: &Path, modules: &[serde_json::Value]) {
    let manifest = serde_json::json!({
        "format": 3, "crate": "fake", "version": "0.1.0", "rustc": "none", "llvm": "none",
        "flags": [], "modules": modules,
    });
    std::fs::write(folder.join("manifest.json"), manifest.to_string()).expect("a file");
}

/// Writes an artifact with these (architecture, PTX version) to `folder`. Each has
/// three parts: the main one, `extra` with the kernel `in_extra`, and `broken`, whose
/// PTX is none, with the kernel `in_broken`.
pub(crate) fn write_artifact(folder: &Path, modules: &[(&str, &str)]) {
    let write = |&(arch, version): &(&str, &str)| {
        let kernels = serde_json::from_str(KERNELS).expect("JSON");
        let extra = format!("// {arch} extra\n.version {version}\n.entry in_extra\n");
        let parts = [
            ("main", ptx(arch, version), kernels),
            ("extra", extra, [kernel("in_extra")].into()),
            ("broken", "rubbish".to_owned(), [kernel("in_broken")].into()),
        ];
        write_module(folder, (arch, version), &parts)
    };
    let modules: Vec<_> = modules.iter().map(write).collect();
    write_manifest(folder, &modules);
}

/// An artifact with these (architecture, PTX version).
pub(crate) fn artifact(modules: &[(&str, &str)]) -> Artifact {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_artifact(folder.path(), modules);
    read(folder.path()).expect("a whole artifact")
}

/// Reads the artifact in a folder of this program's tests.
pub(crate) fn read(folder: &Path) -> quadscan::Result<Artifact> {
    // SAFETY: its kernels are the fake driver's, of which it runs no more than
    // the launchers' contracts in `kernels` allow.
    unsafe { Artifact::read(folder) }
}

/// What the builder makes: a portable base and the newest architecture.
pub(crate) const BOTH: &[(&str, &str)] = &[("sm_75", "6.4"), ("sm_90", "8.6")];
