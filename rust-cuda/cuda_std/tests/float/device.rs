//! A device gives the host's bits: a kernel a function, built without an array in local memory and
//! run on the emulator, over arguments of every exponent and the special ones. Terms of sums, which
//! start from an instruction whose bits are a device's own, are within their bound.

use std::path::Path;
use std::process::Command;

use cuda_builder::{CudaBuilder, Lint, LintLevel, NvvmArch};
use cuda_std::float::{Addend, LazyFloat};
use cuda_std::{FloatExt, GpuFloat};
use ptx_emulator::{Gpu, Model, Program};

use super::exact::Numbers;

const COUNT: usize = 2048;
const BLOCK: u32 = 128;

/// The PTX of `rust-cuda-compat/functions`; the tests of that folder share its target folder.
fn ptx() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/rust-cuda-compat/functions");
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::copy(root.join("../../Cargo.lock"), folder.join("Cargo.lock")).expect("a lock file");
    let update = Command::new(env!("CARGO"))
        .args([
            "update",
            "--workspace",
            "--offline",
            "--quiet",
            "--manifest-path",
        ])
        .arg(folder.join("Cargo.toml"))
        .status()
        .expect("cargo runs");
    assert!(update.success());
    let artifact = CudaBuilder::new(&folder)
        .archs(&[NvvmArch::Compute75])
        .lint(Lint::LocalArray, LintLevel::Deny)
        // Where core has been built.
        .target_dir(scratch.with_file_name("cuda-builder"))
        .out_dir(scratch.join("rust-cuda-compat/functions"))
        .build_all()
        .unwrap_or_else(|error| panic!("{error}"));
    let path = artifact.ptx_paths().next().expect("one architecture");
    std::fs::read_to_string(path).expect("PTX is text")
}

trait Number: Copy + core::fmt::Debug + PartialEq {
    fn of(x: f64) -> Self;
    fn of_bits(bits: u64) -> Self;
    fn bytes(self) -> Vec<u8>;
    fn from_bytes(bytes: &[u8]) -> Self;
    /// A NaN has one sign and payload here: IEEE 754 leaves both open.
    fn bits(self) -> u64;
}

macro_rules! number {
    ($($float:ident, $bits:ident;)*) => {$(
        impl Number for $float {
            fn of(x: f64) -> Self {
                x as $float
            }
            fn of_bits(bits: u64) -> Self {
                $float::from_bits((bits >> (64 - $bits::BITS)) as $bits)
            }
            fn bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }
            fn from_bytes(bytes: &[u8]) -> Self {
                $float::from_le_bytes(bytes.try_into().expect("one number"))
            }
            fn bits(self) -> u64 {
                if self.is_nan() { u64::MAX } else { self.to_bits().into() }
            }
        }
    )*};
}

number! { f32, u32; f64, u64; }

/// Special values, numbers of every exponent, and numbers near those that functions like.
fn arguments<T: Number>(numbers: &mut Numbers) -> Vec<T> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        1e-320,
        -1e-44,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let mut all: Vec<T> = special.into_iter().map(T::of).collect();
    while all.len() < COUNT {
        all.push(T::of_bits(numbers.bits()));
        for size in [1.0, 4.0, 100.0, 800.0] {
            all.push(T::of(numbers.between(-size, size)));
        }
    }
    all.truncate(COUNT);
    all
}

struct Device {
    gpu: Gpu,
    program: Program,
}

impl Device {
    fn run<T: Number>(&mut self, kernel: &str, x: &[T], y: &[T]) -> Vec<T> {
        self.run_which(kernel, x, y, None)
    }

    /// `which` stands before the results.
    fn run_which<T: Number>(
        &mut self,
        kernel: &str,
        x: &[T],
        y: &[T],
        which: Option<u32>,
    ) -> Vec<T> {
        let size = size_of::<T>();
        let place = |gpu: &mut Gpu, values: &[T]| {
            let address = gpu.alloc(size_of_val(values)).expect("memory");
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.bytes()).collect();
            gpu.copy_in(address, &bytes).expect("a copy");
            address
        };
        let (at_x, at_y) = (place(&mut self.gpu, x), place(&mut self.gpu, y));
        let out = self.gpu.alloc(COUNT * size).expect("memory");
        let count = (COUNT as u64).to_le_bytes();
        let (a, b, c) = (at_x.to_le_bytes(), at_y.to_le_bytes(), out.to_le_bytes());
        let which = which.map(u32::to_le_bytes);
        let mut parameters: Vec<&[u8]> = vec![&a, &count, &b, &count];
        parameters.extend(which.iter().map(|which| which.as_slice()));
        parameters.push(&c);
        let blocks = COUNT as u32 / BLOCK;
        self.gpu
            .launch(
                &self.program,
                kernel,
                [blocks, 1, 1],
                [BLOCK, 1, 1],
                0,
                &parameters,
            )
            .unwrap_or_else(|error| panic!("{kernel}: {error}"));
        let mut bytes = vec![0; COUNT * size];
        self.gpu.copy_out(out, &mut bytes).expect("a copy");
        bytes.chunks(size).map(T::from_bytes).collect()
    }

    fn compare<T: Number>(&mut self, kernel: &str, host: impl Fn(T, T) -> T) {
        let mut numbers = Numbers::new();
        let x = arguments::<T>(&mut numbers);
        let mut y = arguments::<T>(&mut numbers);
        // Special values meet all kinds, each other among them.
        y.rotate_left(COUNT / 2);
        y[..11].copy_from_slice(&x[..11]);
        for (i, value) in self.run(kernel, &x, &y).into_iter().enumerate() {
            let expected = host(x[i], y[i]);
            assert_eq!(
                value.bits(),
                expected.bits(),
                "{kernel} of {:?} and {:?} is {value:?} on the device, {expected:?} here",
                x[i],
                y[i]
            );
        }
    }

    /// Terms within 2^-22 (f32) or 2^-51 (f64), added to what is of their size.
    fn bounded<T: Number>(
        &mut self,
        kernel: &str,
        bound: f64,
        value: fn(T) -> f64,
        wide: fn(T) -> f64,
    ) {
        let mut numbers = Numbers::new();
        let x: Vec<T> = (0..COUNT)
            .map(|_| T::of(numbers.between(1e-3, 1e3)))
            .collect();
        let zero = vec![T::of(0.0); COUNT];
        for (i, sum) in self.run(kernel, &x, &zero).into_iter().enumerate() {
            let error = wide(sum) / value(x[i]) - 1.0;
            assert!(error.abs() <= bound, "{kernel} of {:?} is {sum:?}", x[i]);
        }
    }
}

/// The functions of `fast`, within the bounds of their docs: with the bits of a Hopper GPU.
fn fast_functions_are_within_their_bounds(device: &mut Device) {
    type Case = (fn(&mut Numbers) -> (f64, f64), fn(f64, f64) -> f64, Bound);
    enum Bound {
        Relative(f64),
        Absolute(f64),
        /// Absolute from 1/2 to 2, relative elsewhere.
        Logarithm(f64, f64),
        Power,
    }
    use Bound::{Absolute, Logarithm, Power, Relative};
    let cases: [Case; 11] = [
        (
            |n| (n.between(-87.3, 88.7), 0.0),
            |x, _| x.exp(),
            Relative(-21.3),
        ),
        (
            |n| (n.between(-126.0, 128.0), 0.0),
            |x, _| x.exp2(),
            Relative(-22.0),
        ),
        (
            |n| (n.between(-20.0, 20.0).exp2(), 0.0),
            |x, _| x.ln(),
            Logarithm(-22.0, -21.5),
        ),
        (
            |n| (n.between(-20.0, 20.0).exp2(), 0.0),
            |x, _| x.log2(),
            Logarithm(-22.0, -22.0),
        ),
        (
            |n| (n.between(-1.0, 1.0) * n.between(0.0, 16.0).exp2(), 0.0),
            |x, _| x.sin(),
            Absolute(-20.0),
        ),
        (
            |n| (n.between(-1.0, 1.0) * n.between(0.0, 16.0).exp2(), 0.0),
            |x, _| x.cos(),
            Absolute(-20.0),
        ),
        (
            |n| (n.between(-9.0, 9.0), 0.0),
            |x, _| x.tanh(),
            Relative(-16.0),
        ),
        (
            |n| (n.between(0.01, 100.0), n.between(-18.0, 18.0)),
            f64::powf,
            Power,
        ),
        (
            |n| (n.between(-9.0, 9.0), n.between(-60.0, 60.0).exp2()),
            |x, y| x / y,
            Relative(-22.0),
        ),
        (
            |n| (n.between(-60.0, 60.0).exp2(), 0.0),
            |x, _| x.sqrt(),
            Relative(-23.0),
        ),
        (
            |n| (n.between(-60.0, 60.0).exp2(), 0.0),
            |x, _| 1.0 / x.sqrt(),
            Relative(-22.9),
        ),
    ];
    for (which, (arguments, truth, bound)) in cases.iter().enumerate() {
        let mut numbers = Numbers::new();
        let pairs: Vec<_> = (0..COUNT).map(|_| arguments(&mut numbers)).collect();
        let (x, y): (Vec<_>, Vec<_>) = pairs.iter().map(|&(x, y)| (x as f32, y as f32)).unzip();
        let values = device.run_which("fast_functions", &x, &y, Some(which as u32));
        let mut largest = f64::NEG_INFINITY;
        for ((value, x), y) in values.into_iter().zip(x).zip(y) {
            let (x, y) = (f64::from(x), f64::from(y));
            let truth = truth(x, y);
            let error = (f64::from(value) - truth).abs();
            let (scale, bound) = match *bound {
                Relative(bound) => (truth.abs(), bound),
                Absolute(bound) => (1.0, bound),
                Logarithm(bound, _) if (0.5..2.0).contains(&x) => (1.0, bound),
                Logarithm(_, bound) => (truth.abs(), bound),
                Power => (truth * (1.0 + y.abs()) * (1.0 + x.log2().abs()), -21.0),
            };
            let bits = (error / scale).log2();
            assert!(
                bits <= bound,
                "function {which} of {x} and {y} is 2^{bits} away"
            );
            largest = largest.max(bits - bound);
        }
        // The bound is not much more than there is.
        assert!(
            largest > -3.0,
            "function {which} is 2^{largest} of its bound"
        );
    }
}

/// How often each of `instructions` stands in the kernel's PTX.
fn counts<const N: usize>(ptx: &str, kernel: &str, instructions: [&str; N]) -> [usize; N] {
    let start = ptx.find(&format!(".entry {kernel}(")).expect("a kernel");
    let text = &ptx[start..];
    let text = &text[..text.find("\n}").expect("its end")];
    instructions.map(|instruction| text.matches(instruction).count())
}

/// What the documentation of terms says they cost; the products by `SCALE` stand in the kernels.
fn terms_take_few_instructions(ptx: &str) {
    let wide = [
        "rsqrt.approx.ftz.f64",
        "rcp.approx.ftz.f64",
        "mul.f64",
        "fma.rn.f64",
        "add.f64",
    ];
    assert_eq!(counts(ptx, "root_f64", wide), [1, 0, 1 + 1, 3, 0]);
    assert_eq!(counts(ptx, "reciprocal_f64", wide), [0, 1, 0, 3, 0]);
    let single = [
        "sqrt.approx.ftz.f32",
        "rcp.approx.ftz.f32",
        "mul.f32",
        "fma.rn.f32",
        "add.f32",
    ];
    assert_eq!(counts(ptx, "root_f32", single), [1, 0, 0, 0, 1]);
    assert_eq!(counts(ptx, "reciprocal_f32", single), [0, 1, 0, 0, 1]);
    assert_eq!(
        counts(ptx, "fast_forms", ["sqrt.rn", "rcp.rn", "div.rn", "call"]),
        [0; 4]
    );
}

macro_rules! compare_all {
    ($($one:ident)*; $($two:ident)*; $($term:ident)*; $($more:ident)*) => {
        /// All in one test, since they are of one build.
        #[test]
        fn every_function_has_the_hosts_bits_on_a_device_and_no_local_memory() {
            let ptx = ptx();
            terms_take_few_instructions(&ptx);
            let program = Program::load(&ptx).expect("PTX that the emulator reads");
            let gpu = Gpu::new(Model::h200());
            let mut device = Device { gpu, program };
            fast_functions_are_within_their_bounds(&mut device);
            $(
                device.compare::<f32>(concat!(stringify!($one), "_f32"), |x, _| GpuFloat::$one(x));
                device.compare::<f64>(concat!(stringify!($one), "_f64"), |x, _| GpuFloat::$one(x));
            )*
            $(
                device.compare::<f32>(concat!(stringify!($more), "_f32"), |x, _| FloatExt::$more(x));
                device.compare::<f64>(concat!(stringify!($more), "_f64"), |x, _| FloatExt::$more(x));
            )*
            $(
                device.compare::<f32>(concat!(stringify!($two), "_f32"), |x, y| GpuFloat::$two(x, y));
                device.compare::<f64>(concat!(stringify!($two), "_f64"), |x, y| GpuFloat::$two(x, y));
            )*
            $(
                let (value, wide) = (|x: f32| x.$term().value().into(), f64::from);
                device.bounded::<f32>(concat!(stringify!($term), "_f32"), 2f64.powi(-22), value, wide);
                let (value, wide) = (|x: f64| x.$term().value(), |x| x);
                device.bounded::<f64>(concat!(stringify!($term), "_f64"), 2f64.powi(-51), value, wide);
            )*
        }
    };
}

for_each_function!(compare_all);
