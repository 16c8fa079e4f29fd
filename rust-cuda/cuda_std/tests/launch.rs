//! What the host knows about a kernel is what its author wrote.
#![allow(
    clippy::undocumented_unsafe_blocks,
    clippy::needless_lifetimes,
    reason = "kernels that never run"
)]

use cuda_std::launch::{
    Actual, Dim3, Kernel, LaunchShape, Parameter, ParameterKind, Pointer, PointerMut, Reference,
    SafeLaunch, Slice, SliceMut, Value,
};
use cuda_std::prelude::*;

const THREADS: u32 = 128;

#[derive(Clone, Copy)]
#[repr(C)]
struct Step {
    width: f64,
    count: u32,
}

/// All kinds of parameters.
#[kernel]
#[launch_bounds(THREADS * 2, 3)]
#[cluster(2)]
unsafe fn every_kind<'a>(
    a: &'a [f32],
    b: &mut [u64],
    c: *const u8,
    mut d: *mut [i32; 2],
    e: &Step,
    f: &mut Step,
    g: Step,
) {
    d = unsafe { d.add(a.len()) };
    unsafe { (*d)[0] = b.len() as i32 + i32::from(*c) };
    f.count = e.count + g.count;
}

#[kernel]
#[launch_contract(out.len() as u64 >= grid.count().saturating_mul(block.count()), !input.is_empty() && block.x <= 1024, step.count > 0, shared_bytes == 4 * block.x)]
unsafe fn with_contract(input: &[f32], out: *mut f32, step: Step) {
    let i = thread::index_1d() as usize;
    unsafe { *out.add(i) = input[i % input.len()] * step.width as f32 };
}

/// The macro's own names, for parameters and for constants.
const PARAMETERS: u32 = 64;
const BOUNDS: u32 = 2;
#[kernel]
#[launch_bounds(PARAMETERS, BOUNDS)]
#[launch_contract(condition > 0, holds < 4, shape.len() == 1, arguments, check != 5)]
unsafe fn named_like_the_macros_own(
    condition: u32,
    holds: u64,
    shape: *mut u32,
    arguments: bool,
    check: i8,
) {
    if arguments {
        unsafe { *shape = condition + holds as u32 + u32::from(check > 0) };
    }
}

mod inner {
    use cuda_std::kernel;

    // Names that shadow nothing and are shadowed by nothing: a module and a local variable.
    pub(super) mod scan {
        pub(super) const ITEMS: usize = 4;
    }

    #[kernel]
    pub(crate) unsafe fn scan(data: *mut u32) {
        let scan = data;
        unsafe { *scan = scan::ITEMS as u32 };
    }
}

// rustc resolves these before the macro sees them.
#[kernel]
#[cfg_attr(all(), launch_bounds(64), launch_contract(n > 0))]
#[cfg_attr(any(), launch_bounds(128), launch_contract(n > 1))]
unsafe fn conditional_attributes(n: u32) {
    let _ = n;
}

#[kernel]
#[max_registers(64)]
unsafe fn no_parameters() {}

/// What rust-cuda takes as a kernel, with its calling convention, a parameter without a name and
/// raw slices.
#[kernel]
#[launch_contract(words.len() > 2)]
unsafe extern "C" fn as_rust_cuda_has_them(_: u32, words: *mut [u32], bytes: *const [u8]) {
    let words = words.cast::<u32>();
    unsafe { *words.add(bytes.len()) = 1 };
}

#[kernel]
#[rustfmt::skip]
#[allow(clippy::too_many_arguments)]
unsafe fn seventeen_parameters(
    _: u32, _: u32, _: u32, _: u32, _: u32, _: u32, _: u32, _: u32, _: u32,
    _: u32, _: u32, _: u32, _: u32, _: u32, _: u32, _: u32, last: *mut u32,
) {
    unsafe { *last = 17 };
}

fn parameters<K: Kernel>(_: K) -> &'static [Parameter] {
    K::PARAMETERS
}

fn name<K: Kernel>(_: K) -> &'static str {
    K::NAME
}

fn takes<F, K: Kernel<Formals = F>>(_: K) {}

#[test]
fn kernels_of_rust_cuda_have_a_launcher() {
    takes::<(Value<u32>, SliceMut<u32>, Slice<u8>), _>(as_rust_cuda_has_them);
    let listed = parameters(as_rust_cuda_has_them).iter();
    let listed: Vec<_> = listed.map(|p| (p.name, p.ty)).collect();
    let expected = [
        ("_0", "u32"),
        ("words", "*mut [u32]"),
        ("bytes", "*const [u8]"),
    ];
    std::assert_eq!(listed, expected);
    std::assert_eq!(parameters(seventeen_parameters)[16].name, "last");
}

#[test]
fn parameters_are_listed_as_written() {
    let listed: Vec<_> = parameters(every_kind)
        .iter()
        .map(|p| (p.name, p.ty, p.kind))
        .collect();
    let expected = [
        ("a", "&'a [f32]", ParameterKind::Slice),
        ("b", "&mut [u64]", ParameterKind::SliceMut),
        ("c", "*const u8", ParameterKind::Pointer),
        ("d", "*mut [i32; 2]", ParameterKind::PointerMut),
        ("e", "&Step", ParameterKind::Reference),
        ("f", "&mut Step", ParameterKind::ReferenceMut),
        ("g", "Step", ParameterKind::Value),
    ];
    std::assert_eq!(listed, expected);
}

#[test]
fn formals_are_the_parameters_as_types() {
    takes::<
        (
            Slice<f32>,
            SliceMut<u64>,
            Pointer<u8>,
            PointerMut<[i32; 2]>,
            Reference<Step>,
            cuda_std::launch::ReferenceMut<Step>,
            Value<Step>,
        ),
        _,
    >(every_kind);
    takes::<(PointerMut<u32>,), _>(inner::scan);
    takes::<(), _>(no_parameters);
}

#[test]
fn names_are_the_entries() {
    std::assert_eq!(name(every_kind), "every_kind");
    std::assert_eq!(name(inner::scan), "scan");
}

#[test]
fn bounds_take_constant_expressions() {
    fn bounds<K: Kernel>(_: K) -> (u32, u32, [u32; 3], u32) {
        (
            K::BOUNDS.max_threads,
            K::BOUNDS.min_blocks,
            K::BOUNDS.cluster,
            K::BOUNDS.max_registers,
        )
    }
    std::assert_eq!(bounds(every_kind), (256, 3, [2, 1, 1], 0));
    std::assert_eq!(bounds(named_like_the_macros_own), (64, 2, [0; 3], 0));
    std::assert_eq!(bounds(conditional_attributes), (64, 0, [0; 3], 0));
    std::assert_eq!(bounds(no_parameters), (0, 0, [0; 3], 64));
}

fn check(elements: usize, count: u32, block: u32, shared: u32) -> Result<(), &'static str> {
    let shape = LaunchShape::new(4, Dim3::from(block)).with_shared(shared);
    check_shape(shape, elements, count)
}

fn check_shape(shape: LaunchShape, elements: usize, count: u32) -> Result<(), &'static str> {
    fn run<K: SafeLaunch>(
        _: K,
        shape: &LaunchShape,
        arguments: &[Actual<'_>],
    ) -> Result<(), &'static str> {
        // SAFETY: the arguments are those of `with_contract`.
        unsafe { K::check(shape, arguments) }
    }
    let address = 0x1000u64.to_ne_bytes();
    let step = Step { width: 0.5, count };
    // SAFETY: the bytes of a live value; its padding is zeroed first.
    let bytes = unsafe {
        let mut bytes = [0u8; size_of::<Step>()];
        bytes.as_mut_ptr().cast::<f64>().write_unaligned(step.width);
        bytes
            .as_mut_ptr()
            .add(8)
            .cast::<u32>()
            .write_unaligned(step.count);
        bytes
    };
    run(
        with_contract,
        &shape,
        &[
            Actual {
                bytes: &address,
                elements: Some(elements.min(1)),
            },
            Actual {
                bytes: &address,
                elements: Some(elements),
            },
            Actual {
                bytes: &bytes,
                elements: None,
            },
        ],
    )
}

#[test]
fn a_contract_names_the_condition_that_fails() {
    std::assert_eq!(check(128, 1, 32, 128), Ok(()));
    std::assert_eq!(
        check(127, 1, 32, 128),
        Err("out.len() as u64 >= grid.count().saturating_mul(block.count())")
    );
    std::assert_eq!(
        check(8192, 1, 2048, 8192),
        Err("!input.is_empty() && block.x <= 1024")
    );
    std::assert_eq!(check(128, 0, 32, 128), Err("step.count > 0"));
    std::assert_eq!(check(128, 1, 32, 0), Err("shared_bytes == 4 * block.x"));
}

#[test]
fn a_contract_refuses_more_threads_than_a_u64_counts() {
    let shape = LaunchShape::new((1 << 30, 1 << 15, 1 << 15), 16).with_shared(64);
    std::assert_eq!(
        check_shape(shape, 128, 1),
        Err("out.len() as u64 >= grid.count().saturating_mul(block.count())")
    );
}

#[test]
fn a_contract_sees_parameters_that_have_the_macros_own_names() {
    fn run<K: SafeLaunch>(
        _: K,
        condition: u32,
        holds: u64,
        elements: usize,
        arguments: bool,
        check: i8,
    ) -> Result<(), &'static str> {
        fn value(bytes: &[u8]) -> Actual<'_> {
            Actual {
                bytes,
                elements: None,
            }
        }
        let (condition, holds) = (condition.to_ne_bytes(), holds.to_ne_bytes());
        let (address, arguments) = (0x1000u64.to_ne_bytes(), [u8::from(arguments)]);
        let check = check.to_ne_bytes();
        let buffer = Actual {
            bytes: &address,
            elements: Some(elements),
        };
        let values = [
            value(&condition),
            value(&holds),
            buffer,
            value(&arguments),
            value(&check),
        ];
        // SAFETY: the bytes are those of the parameters' types.
        unsafe { K::check(&LaunchShape::new(1, 64), &values) }
    }
    let kernel = named_like_the_macros_own;
    std::assert_eq!(run(kernel, 1, 0, 1, true, 0), Ok(()));
    std::assert_eq!(run(kernel, 0, 0, 1, true, 0), Err("condition > 0"));
    std::assert_eq!(run(kernel, 1, 4, 1, true, 0), Err("holds < 4"));
    std::assert_eq!(run(kernel, 1, 0, 2, true, 0), Err("shape.len() == 1"));
    std::assert_eq!(run(kernel, 1, 0, 1, false, 0), Err("arguments"));
    std::assert_eq!(run(kernel, 1, 0, 1, true, 5), Err("check != 5"));
}

#[test]
fn a_contract_counts_its_arguments() {
    fn run<K: SafeLaunch>(_: K) -> Result<(), &'static str> {
        // SAFETY: there is no argument.
        unsafe { K::check(&LaunchShape::new(1, 1), &[]) }
    }
    std::assert_eq!(run(with_contract), Err("the kernel takes 3 arguments"));
}

#[test]
#[should_panic(expected = "`thread_idx_x` runs on the GPU only")]
fn device_functions_panic_on_the_host_with_their_name() {
    let _ = thread::thread_idx_x();
}

#[test]
fn atomics_work_on_the_host() {
    use cuda_std::atomic::{AtomicF64, BlockAtomicF32, Ordering, SystemAtomicI64};
    let sum = AtomicF64::new(1.0);
    std::assert_eq!(sum.fetch_add(0.5, Ordering::AcqRel), 1.0);
    std::assert_eq!(sum.fetch_max(7.0, Ordering::SeqCst), 1.5);
    std::assert_eq!(
        sum.compare_exchange(7.0, 8.0, Ordering::AcqRel, Ordering::Relaxed),
        Ok(7.0)
    );
    std::assert_eq!(sum.into_inner(), 8.0);
    let bits = BlockAtomicF32::new(-1.0);
    // SAFETY: there is no other block on the host.
    unsafe { bits.fetch_and(f32::from_bits(0x7fff_ffff), Ordering::Relaxed) };
    std::assert_eq!(bits.into_inner(), 1.0);
    let counter = SystemAtomicI64::new(5);
    std::assert_eq!(counter.fetch_min(-3, Ordering::Relaxed), 5);
    std::assert_eq!(counter.load(Ordering::Acquire), -3);
}
