//! `mul` and `add` contracted to `fma`: values by hand, where one rounding and
//! two differ; 96 kernels of random sums of products with the results of an
//! H200; and, with an assembler in `PTXAS`, that it contracts the same kernels.

use std::sync::atomic::{AtomicUsize, Ordering};

use ptx_emulator::{Gpu, LoadOptions, Model, Program};

/// x * x = 1 + 2^-11 + 2^-24, of which f32 keeps all but the last.
const X: f32 = 1.0 + 1.0 / 4096.0;
/// x * x rounded.
const SQUARE: f32 = 1.0 + 1.0 / 2048.0;
/// What rounding takes from x * x.
const REST: f32 = 1.0 / 16_777_216.0;

/// A kernel of one thread: `%x` is X, `%s` is SQUARE, `%y` 3, `%c` a true
/// predicate; the body leaves `%o` and `%u`.
fn kernel(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry test(.param .u64 data) {{\n\
         .reg .b64 %d; .reg .b32 %r<9>; .reg .f32 %x, %s, %y, %o, %u, %p<9>; .reg .pred %c;\n\
         ld.param.u64 %d, [data];\n\
         ld.global.f32 %x, [%d]; ld.global.f32 %s, [%d+4]; ld.global.f32 %y, [%d+8];\n\
         mov.f32 %o, 0f00000000; mov.f32 %u, 0f00000000; setp.gt.f32 %c, %x, 0f00000000;\n\
         {body}\n\
         st.global.f32 [%d+12], %o; st.global.f32 [%d+16], %u; ret;\n}}\n"
    )
}

/// `%o` and `%u`.
fn run(ptx: &str, contract: bool) -> [f32; 2] {
    let program = Program::load_with(ptx, &LoadOptions { contract }).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let data = gpu.alloc(20).unwrap();
    let values = [X, SQUARE, 3.0, 1.0, 0.0].map(f32::to_le_bytes).concat();
    gpu.copy_in(data, &values).unwrap();
    let parameters: [&[u8]; 1] = [&data.to_le_bytes()];
    gpu.launch(&program, "test", [1; 3], [1; 3], 0, &parameters)
        .unwrap();
    let mut bytes = [0; 8];
    gpu.copy_out(data + 12, &mut bytes).unwrap();
    let (o, u) = bytes.split_at(4);
    [o, u].map(|part| f32::from_le_bytes(part.try_into().unwrap()))
}

/// How many f32 `fma` the assembler makes of it; `None` without one.
fn assembled(ptx: &str) -> Option<usize> {
    use std::process::Command;
    let assembler = std::env::var_os("PTXAS")?;
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("contract-{}-{call}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (text, binary) = (folder.join("test.ptx"), folder.join("test.cubin"));
    std::fs::write(&text, ptx).unwrap();
    let output = Command::new(&assembler)
        .arg("-arch=sm_90")
        .args([&text, std::path::Path::new("-o"), &binary])
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{ptx}{errors}");
    let disassembler = std::path::Path::new(&assembler).with_file_name("cuobjdump");
    let output = Command::new(disassembler)
        .args([std::path::Path::new("-sass"), &binary])
        .output()
        .unwrap();
    assert!(output.status.success(), "no cuobjdump beside the assembler");
    let text = String::from_utf8(output.stdout).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    Some(text.lines().filter(|line| line.contains(" FFMA")).count())
}

/// `%o` and `%u` contracted and not, and how many sums are contracted.
type Case<'a> = (&'a str, [f32; 2], [f32; 2], usize);

fn expect(cases: &[Case<'_>]) {
    if std::env::var_os("PTXAS").is_none() {
        eprintln!("not compared with an assembler: PTXAS names none");
    }
    for &(body, contracted, plain, count) in cases {
        let ptx = kernel(body);
        assert_eq!(run(&ptx, true), contracted, "{body}");
        assert_eq!(run(&ptx, false), plain, "not contracted: {body}");
        if let Some(found) = assembled(&ptx) {
            assert_eq!(found, count, "of the assembler: {body}");
        }
    }
}

#[test]
fn the_product_that_ends_an_approximate_quotient_is_contracted() {
    let third = 1f32 / 3.0;
    let rounded = X * third;
    let rest = X.mul_add(third, -rounded);
    assert_ne!(rest, 0.0);
    for (div, sub) in [
        ("div.full.f32", "sub.f32"),
        ("div.approx.f32", "sub.f32"),
        ("div.full.ftz.f32", "sub.ftz.f32"),
    ] {
        let ptx = kernel(&format!(
            "{div} %p1, %x, %y; {sub} %o, %p1, 0f{:08x}; {div} %x, %x, %y; add.rn.f32 %u, %x, %x;",
            rounded.to_bits()
        ));
        assert_eq!(run(&ptx, true), [rest, 2.0 * rounded], "{div}");
        assert_eq!(run(&ptx, false), [0.0, 2.0 * rounded], "{div}");
    }
    let exact = kernel("div.rn.f32 %p1, %x, %y; sub.f32 %o, %p1, %s;");
    assert_eq!(run(&exact, true), run(&exact, false));
}

#[test]
fn a_product_goes_into_a_sum_on_either_side() {
    let plain = [0.0, 0.0];
    expect(&[
        (
            "mul.f32 %p1, %x, %x; sub.f32 %o, %p1, %s;",
            [REST, 0.0],
            plain,
            1,
        ),
        (
            "mul.f32 %p1, %x, %x; sub.f32 %o, %s, %p1;",
            [-REST, 0.0],
            plain,
            1,
        ),
        (
            "neg.f32 %p2, %s; mul.f32 %p1, %x, %x; add.f32 %o, %p2, %p1;",
            [REST, 0.0],
            plain,
            1,
        ),
        // The very register of the product, and of a factor.
        (
            "mul.f32 %o, %x, %x; sub.f32 %o, %o, %s;",
            [REST, 0.0],
            plain,
            1,
        ),
        (
            "mul.f32 %p1, %x, %x; add.f32 %x, %x, %x; sub.f32 %o, %p1, %s; mov.f32 %u, %x;",
            [REST, 2.0 * X],
            [0.0, 2.0 * X],
            1,
        ),
        (
            "mul.f32 %x, %x, %x; sub.f32 %o, %x, %s;",
            [REST, 0.0],
            plain,
            1,
        ),
        // A guarded sum; an immediate on the left.
        (
            "mul.f32 %p1, %x, %x; @%c sub.f32 %o, %p1, %s;",
            [REST, 0.0],
            plain,
            1,
        ),
        (
            "mul.f32 %p1, %x, %x; sub.f32 %o, 0f3F801000, %p1;",
            [-REST, 0.0],
            plain,
            1,
        ),
        // Saturated after the one rounding: -2^-24 to 0.
        (
            "mul.f32 %p1, %x, %x; sub.sat.f32 %o, %p1, %s; sub.sat.f32 %u, %s, %p1;",
            [REST, 0.0],
            plain,
            2,
        ),
        (
            "mul.ftz.f32 %p1, %x, %x; sub.ftz.f32 %o, %p1, %s;",
            [REST, 0.0],
            plain,
            1,
        ),
    ]);
}

#[test]
fn copies_and_negatives_may_stand_between() {
    let plain = [0.0, 0.0];
    expect(&[
        (
            "mul.f32 %p1, %x, %x; mov.b32 %r1, %p1; mov.b32 %p2, %r1; sub.f32 %o, %p2, %s;",
            [REST, 0.0],
            plain,
            1,
        ),
        (
            "mul.f32 %p1, %x, %x; neg.f32 %p2, %p1; add.f32 %o, %p2, %s; sub.f32 %u, %p1, %s;",
            [-REST, REST],
            plain,
            2,
        ),
        (
            "mul.f32 %p1, %x, %x; neg.f32 %p2, %p1; add.f32 %o, %p2, %s; mov.f32 %u, %p2;",
            [0.0, -SQUARE],
            [0.0, -SQUARE],
            0,
        ),
        (
            "ld.volatile.global.f32 %p3, [%d]; mul.f32 %p1, %x, %p3; abs.f32 %p2, %p1; \
             sub.f32 %o, %p2, %s;",
            plain,
            plain,
            0,
        ),
    ]);
}

#[test]
fn a_product_with_another_use_stays() {
    let plain = [0.0, 0.0];
    let used = [0.0, SQUARE];
    expect(&[
        (
            "mul.f32 %p1, %x, %x; sub.f32 %o, %p1, %s; sub.f32 %u, %s, %p1;",
            [REST, -REST],
            plain,
            2,
        ),
        (
            "mul.f32 %p1, %x, %x; sub.f32 %o, %p1, %s; mov.f32 %u, %p1;",
            used,
            used,
            0,
        ),
        (
            "mul.f32 %p1, %x, %x; sub.f32 %o, %p1, %s; sub.rn.f32 %u, %p1, %s;",
            plain,
            plain,
            0,
        ),
        (
            "mul.f32 %p1, %x, %x; add.f32 %o, %p1, %p1;",
            [2.0 * SQUARE, 0.0],
            [2.0 * SQUARE, 0.0],
            0,
        ),
        // Another value may come by.
        (
            "mul.f32 %p1, %x, %x; @!%c mov.f32 %p1, %y; sub.f32 %o, %p1, %s;",
            plain,
            plain,
            0,
        ),
        // In another block, or live in one.
        (
            "mul.f32 %p1, %x, %x; @!%c bra L; sub.f32 %o, %p1, %s; bar.sync 0; L:",
            plain,
            plain,
            0,
        ),
        (
            "mul.f32 %p1, %x, %x; bra.uni L; L: sub.f32 %o, %p1, %s;",
            [REST, 0.0],
            plain,
            1,
        ),
    ]);
}

#[test]
fn a_product_that_a_function_returns_in_a_register_stays() {
    let ptx = ".version 8.0\n.target sm_90\n.address_size 64\n\
        .func (.reg .f32 r) square(.reg .f32 a, .reg .b64 at) {\n\
        .reg .f32 s, t; ld.global.f32 s, [at+4];\n\
        mul.f32 r, a, a; sub.f32 t, r, s; st.global.f32 [at+12], t; ret; }\n\
        .visible .entry test(.param .u64 data) {\n\
        .reg .b64 %d; .reg .f32 %x, %u; ld.param.u64 %d, [data]; ld.global.f32 %x, [%d];\n\
        call (%u), square, (%x, %d); st.global.f32 [%d+16], %u; ret; }\n";
    assert_eq!(run(ptx, true), [0.0, SQUARE]);
}

#[test]
fn a_product_is_one_in_whatever_order_its_modifiers_are() {
    let contracted = [REST, 0.0];
    expect(&[(
        "mul.f32.ftz %p1, %x, %x; sub.f32.ftz %o, %p1, %s;",
        contracted,
        [0.0, 0.0],
        1,
    )]);
}

#[test]
fn a_rounding_modifier_on_either_or_other_flushing_forbids() {
    let plain = [0.0, 0.0];
    expect(&[
        (
            "mul.rn.f32 %p1, %x, %x; sub.f32 %o, %p1, %s;",
            plain,
            plain,
            0,
        ),
        (
            "mul.f32 %p1, %x, %x; sub.rn.f32 %o, %p1, %s;",
            plain,
            plain,
            0,
        ),
        (
            "mul.ftz.f32 %p1, %x, %x; sub.f32 %o, %p1, %s;",
            plain,
            plain,
            0,
        ),
        (
            "mul.f32 %p1, %x, %x; sub.ftz.f32 %o, %p1, %s;",
            plain,
            plain,
            0,
        ),
        (
            "mul.sat.f32 %p1, %x, %x; sub.f32 %o, %p1, %s;",
            [1.0 - SQUARE, 0.0],
            [1.0 - SQUARE, 0.0],
            0,
        ),
        (
            "@%c mul.f32 %p1, %x, %x; @%c sub.f32 %o, %p1, %s;",
            plain,
            plain,
            0,
        ),
    ]);
}

/// Of x * x, which is not exact, and s * 1, which is, a sum takes one.
#[test]
fn of_two_products_one_is_taken() {
    let products = "ld.volatile.global.f32 %p3, [%d+12]; \
                    mul.f32 %p1, %x, %x; mul.f32 %p2, %s, %p3; ";
    let cases = [
        // The left one.
        ("sub.f32 %o, %p1, %p2;", [REST, 0.0], 1),
        ("sub.f32 %o, %p2, %p1;", [0.0, 0.0], 1),
        // s * 1 has no other use and is taken; x * x is its term, and not
        // contracted before either.
        ("sub.f32 %u, %p1, %s; sub.f32 %o, %p1, %p2;", [0.0, 0.0], 1),
        // x * x has two uses and s * 1 three: the one with fewer, on the right.
        (
            "sub.f32 %o, %p2, %p1; sub.f32 %u, %p1, %p2; add.f32 %p5, %p2, %y; \
             st.global.f32 [%d], %p5;",
            [-REST, REST],
            2,
        ),
        // Both have two uses: the left one of the first sum.
        (
            "sub.f32 %o, %p1, %p2; sub.f32 %u, %p2, %p1;",
            [REST, -REST],
            2,
        ),
    ];
    for (sums, contracted, count) in cases {
        let body = format!("{products}{sums}");
        expect(&[(&body, contracted, [0.0, 0.0], count)]);
    }
}

/// 64-bit FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// `h200.txt`: kernel, type, and the digest of what an H200 wrote by the PTX text
/// (driver 580.159.04), 12 results for each of 64 threads with 8 inputs each.
#[test]
fn random_sums_of_products_have_the_bits_of_an_h200() {
    let program =
        Program::load(include_str!("../../../tests/fixtures/contract/chains.ptx")).unwrap();
    let mut differ = Vec::new();
    let recorded = include_str!("../../../tests/fixtures/contract/h200.txt");
    for line in recorded.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [kernel, ty, expected] = words[..] else {
            panic!("{line}");
        };
        let (inputs, width): (&[u8], usize) = match ty {
            "f32" => (
                include_bytes!("../../../tests/fixtures/contract/inputs.f32.bin"),
                4,
            ),
            "f64" => (
                include_bytes!("../../../tests/fixtures/contract/inputs.f64.bin"),
                8,
            ),
            _ => (
                include_bytes!("../../../tests/fixtures/contract/inputs.f16x2.bin"),
                4,
            ),
        };
        let mut gpu = Gpu::new(Model::h200());
        let from = gpu.alloc(inputs.len()).unwrap();
        gpu.copy_in(from, inputs).unwrap();
        let mut bytes = vec![0; 64 * 12 * width];
        let to = gpu.alloc(bytes.len()).unwrap();
        gpu.copy_in(to, &bytes).unwrap();
        let parameters: [&[u8]; 2] = [&from.to_le_bytes(), &to.to_le_bytes()];
        gpu.launch(&program, kernel, [1; 3], [64, 1, 1], 0, &parameters)
            .unwrap();
        gpu.copy_out(to, &mut bytes).unwrap();
        if format!("{:016x}", digest(&bytes)) != expected {
            differ.push(kernel);
        }
    }
    assert_eq!(recorded.lines().count(), 96);
    assert!(differ.is_empty(), "{differ:?}");
}
