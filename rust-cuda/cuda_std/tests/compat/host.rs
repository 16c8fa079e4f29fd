//! Host programs in the style of rust-cuda's examples.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use ptx_emulator::{Checks, Gpu, LaunchOptions, Model, Program, Shape};

use super::{Ptx, folder, lock, scratch, target};

/// What the kernels compute, by the host's compiler.
#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::undocumented_unsafe_blocks,
    reason = "in the style of rust-cuda's examples"
)]
#[path = "../rust-cuda-compat/host/kernels/src"]
mod kernels {
    pub(super) mod tracer;
    pub(super) mod wide;
}

use kernels::tracer::{SPHERES, View, pixel};
use kernels::wide::arithmetic;

/// Their build script calls the builder, they use `cust`, and without a driver they say so in words.
pub(super) fn programs() {
    let host = folder("host");
    lock(&host);
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--bins", "--manifest-path"])
        .arg(host.join("Cargo.toml"))
        // What is built of the builder's dependencies is the workspace's.
        .arg("--config")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))
        // The builder itself is built anew, and has little to do.
        .args(["--config", "profile.dev.package.cuda_builder.opt-level=0"])
        .args(["--config", "profile.dev.package.ptx-syntax.opt-level=0"])
        .env("CARGO_BUILD_BUILD_DIR", target())
        .env("CARGO_TARGET_DIR", scratch("host"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let ptx = Ptx::of(&host.join("resources/kernels.ptx"));
    assert_eq!(
        ptx.entries(),
        BTreeSet::from(["gemm", "render", "sha256", "vecadd", "wide_integers"])
    );
    ptx.has("vecadd", &["ld.global.nc.b32", "st.global.b32", "add."]);
    the_emulator_gives_the_hosts_results(&ptx.0);
    let programs = [
        "vecadd",
        "streams",
        "gemm",
        "wide_integers",
        "sha256",
        "path_tracer",
    ];
    for program in programs {
        let program = scratch("host").join("debug").join(program);
        let mut without = Command::new(&program);
        let without = without.env("LIBCUDA_LAZY_LIBRARY", "/nonexistent/libcuda.so.1");
        let ended = without.output().expect("it starts without a driver");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{said}");
        assert!(said.contains("could not be loaded"), "{said}");
        // With a GPU, it checks its own results.
        let ended = Command::new(&program).output().expect("it starts");
        let said = String::from_utf8_lossy(&ended.stderr);
        match ended.status.code() {
            Some(0) => assert!(String::from_utf8_lossy(&ended.stdout).contains("are right")),
            code => assert_eq!(code, Some(2), "{said}"),
        }
    }
}

/// The bytes of numbers.
///
/// # Safety
///
/// The type has no padding.
unsafe fn bytes<T: Copy>(values: &[T]) -> &[u8] {
    // SAFETY: the bytes of the values, all of which are written, as the caller says.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

/// What a kernel writes to its last parameter, so many bytes; before that come a value, if there is
/// one, and slices, by their bytes and elements.
fn run(
    program: &Program,
    kernel: &str,
    shape: [[u32; 3]; 2],
    value: Option<&[u8]>,
    slices: &[(&[u8], usize)],
    out: usize,
) -> Vec<u8> {
    let mut gpu = Gpu::new(Model::h200());
    let mut parameters: Vec<Vec<u8>> = value.map(<[u8]>::to_vec).into_iter().collect();
    for (bytes, elements) in slices {
        let address = gpu.alloc(bytes.len()).expect("room");
        gpu.copy_in(address, bytes).expect("it is as long");
        parameters.push(address.to_le_bytes().into());
        parameters.push(elements.to_le_bytes().into());
    }
    let address = gpu.alloc(out).expect("room");
    parameters.push(address.to_le_bytes().into());
    let parameters: Vec<&[u8]> = parameters.iter().map(Vec::as_slice).collect();
    let [grid, block] = shape;
    let shape = Shape {
        grid,
        block,
        shared_bytes: 0,
    };
    let (options, checks) = (LaunchOptions::default(), Checks::all());
    let checked = gpu.check(program, kernel, shape, &parameters, &options, checks);
    let checked = checked.expect("the parameters are the kernel's");
    assert!(checked.is_clean(), "{checked}");
    let mut written = vec![0; out];
    gpu.copy_out(address, &mut written).expect("it is as long");
    written
}

fn the_emulator_gives_the_hosts_results(ptx: &str) {
    let program = Program::load(ptx).expect("it is PTX");
    let line = |threads: u32| [[1, 1, 1], [threads, 1, 1]];

    let ends = [0, 1, -1, 7, -9, 1 << 64, -1 << 90, i128::MAX, i128::MIN];
    let pairs = ends.iter().flat_map(|&a| ends.map(|b| (a, b)));
    let (a, b): (Vec<i128>, Vec<i128>) = pairs.unzip();
    let expected: Vec<_> = a.iter().zip(&b).map(|(&a, &b)| arithmetic(a, b)).collect();
    // SAFETY: integers have no padding.
    let (a, b, expected) = unsafe { (bytes(&a), bytes(&b), bytes(&expected)) };
    let slices = [(a, a.len() / 16), (b, b.len() / 16)];
    let results = run(
        &program,
        "wide_integers",
        line(96),
        None,
        &slices,
        expected.len(),
    );
    assert!(results == expected);

    // FIPS 180-2, appendix B; the first is that of no bytes, the last of "abc".
    let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    let text = format!("{long}abc");
    let ends = [0u32, 56, 59].map(u32::to_le_bytes).concat();
    let slices = [(text.as_bytes(), text.len()), (&ends[..], 3)];
    let digests = run(&program, "sha256", line(32), None, &slices, 96);
    let hexadecimal: String = digests.iter().map(|byte| format!("{byte:02x}")).collect();
    let expected = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\
                    248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1\
                    ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hexadecimal, expected);

    let view = View::new(20, 12, 3);
    let places = (0..view.height).flat_map(|y| (0..view.width).map(move |x| (x, y)));
    let colours = places.map(|(x, y)| pixel(&view, &SPHERES, x, y).to_array());
    let expected: Vec<[f32; 3]> = colours.collect();
    // SAFETY: floats and integers of 32 bits have no padding between them.
    let (value, spheres, expected) = unsafe {
        (
            bytes(std::slice::from_ref(&view)),
            bytes(&SPHERES),
            bytes(&expected),
        )
    };
    let slices = [(spheres, SPHERES.len())];
    let shape = [[3, 2, 1], [8, 8, 1]];
    let drawn = run(
        &program,
        "render",
        shape,
        Some(value),
        &slices,
        expected.len(),
    );
    assert!(drawn == expected);
}
