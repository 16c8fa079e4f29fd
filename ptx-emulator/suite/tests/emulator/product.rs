//! `mma.sync`: its registers are those that `ldmatrix` gives, whatever the elements are, and its
//! sums are the products of matrices.

use crate::harness::{launch, module, refusal};
use ptx_emulator::LaunchOptions;

/// An instruction, the bits of a factor's element, rows and columns of A, what a number is as an
/// element of A, of B and of C, and whether the latter are halves.
struct Form {
    name: &'static str,
    bits: usize,
    rows: usize,
    depth: usize,
    a: fn(i64) -> u64,
    b: fn(i64) -> u64,
    c: fn(i64) -> u64,
    halves: bool,
}

fn f32_bits(x: i64) -> u64 {
    u64::from((x as f32).to_bits())
}

fn bf16_bits(x: i64) -> u64 {
    f32_bits(x) >> 16
}

/// Of a number that is an integer below 2048.
fn f16_bits(x: i64) -> u64 {
    let bits = f32_bits(x);
    match x {
        0 => 0,
        _ => bits >> 16 & 0x8000 | ((bits & 0x7fff_ffff) - (112 << 23)) >> 13,
    }
}

const fn form(
    name: &'static str,
    [bits, rows, depth]: [usize; 3],
    [a, b, c]: [fn(i64) -> u64; 3],
) -> Form {
    let halves = false;
    Form {
        name,
        bits,
        rows,
        depth,
        a,
        b,
        c,
        halves,
    }
}

const BYTES: [fn(i64) -> u64; 3] = [
    |x| x as u8 as u64,
    |x| x.unsigned_abs(),
    |x| x as u32 as u64,
];
const NIBBLES: [fn(i64) -> u64; 3] = [|x| x.unsigned_abs(), |x| x as u64 & 15, |x| x as u32 as u64];
const BITS: [fn(i64) -> u64; 3] = [|x| x as u64 & 1, |x| x as u64 & 1, |x| x as u32 as u64];
const F32: [fn(i64) -> u64; 3] = [f32_bits; 3];
const BF16: [fn(i64) -> u64; 3] = [bf16_bits, bf16_bits, f32_bits];
const F16: [fn(i64) -> u64; 3] = [f16_bits, f16_bits, f32_bits];

const FORMS: [Form; 17] = [
    form("m16n8k8.row.col.f32.f16.f16.f32", [16, 16, 8], F16),
    form("m16n8k16.row.col.f32.f16.f16.f32", [16, 16, 16], F16),
    Form {
        halves: true,
        ..form(
            "m16n8k8.row.col.f16.f16.f16.f16",
            [16, 16, 8],
            [f16_bits; 3],
        )
    },
    Form {
        halves: true,
        ..form(
            "m16n8k16.row.col.f16.f16.f16.f16",
            [16, 16, 16],
            [f16_bits; 3],
        )
    },
    form("m16n8k8.row.col.f32.bf16.bf16.f32", [16, 16, 8], BF16),
    form("m16n8k16.row.col.f32.bf16.bf16.f32", [16, 16, 16], BF16),
    form("m16n8k4.row.col.f32.tf32.tf32.f32", [32, 16, 4], F32),
    form("m16n8k8.row.col.f32.tf32.tf32.f32", [32, 16, 8], F32),
    form("m8n8k16.row.col.s32.s8.u8.s32", [8, 8, 16], BYTES),
    form("m16n8k16.row.col.s32.s8.u8.s32", [8, 16, 16], BYTES),
    form(
        "m16n8k32.row.col.satfinite.s32.s8.u8.s32",
        [8, 16, 32],
        BYTES,
    ),
    form("m8n8k32.row.col.s32.u4.s4.s32", [4, 8, 32], NIBBLES),
    form("m16n8k32.row.col.s32.u4.s4.s32", [4, 16, 32], NIBBLES),
    form(
        "m16n8k64.row.col.satfinite.s32.u4.s4.s32",
        [4, 16, 64],
        NIBBLES,
    ),
    form("m8n8k128.row.col.s32.b1.b1.s32.xor.popc", [1, 8, 128], BITS),
    form(
        "m16n8k128.row.col.s32.b1.b1.s32.and.popc",
        [1, 16, 128],
        BITS,
    ),
    form(
        "m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
        [1, 16, 256],
        BITS,
    ),
];

/// The number at a place of a matrix, from -3 to 3.
fn number(matrix: usize, row: usize, column: usize) -> i64 {
    let mixed = (matrix * 977 + row * 131 + column * 31 + 7).wrapping_mul(0x9e37_79b9) >> 13;
    (mixed % 7) as i64 - 3
}

fn bytes(matrix: usize, rows: usize, form: &Form, encode: fn(i64) -> u64) -> Vec<u8> {
    let mut bytes = vec![0; rows * form.depth * form.bits / 8];
    for place in 0..rows * form.depth {
        let value = encode(number(matrix, place / form.depth, place % form.depth));
        for bit in 0..form.bits {
            let at = place * form.bits + bit;
            bytes[at / 8] |= (value >> bit & 1) as u8 * (1 << (at % 8));
        }
    }
    bytes
}

fn list(names: std::ops::Range<usize>, letter: char) -> String {
    let names: Vec<String> = names.map(|index| format!("%{letter}{index}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// The element of C that part `part` of register `register` of a lane is: row and column.
fn place(form: &Form, lane: usize, register: usize, part: usize) -> (usize, usize) {
    let element = if form.halves {
        2 * register + part
    } else {
        register
    };
    (lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2)
}

/// The words of d, register by register of each lane.
fn run(form: &Form) -> Vec<u32> {
    let stride = form.depth * form.bits / 8;
    let (blocks, times) = (form.rows / 8, stride / 16);
    let results = if form.halves { blocks } else { 2 * blocks };
    let mut data = bytes(0, form.rows, form, form.a);
    let b_at = data.len();
    data.extend(bytes(1, 8, form, form.b));
    let c_at = data.len();
    for lane in 0..32 {
        for register in 0..results {
            let part = |part: usize| {
                let (row, column) = place(form, lane, register, part);
                (form.c)(number(2, row, column)) as u32
            };
            let word = if form.halves {
                part(0) | part(1) << 16
            } else {
                part(0)
            };
            data.extend(word.to_le_bytes());
        }
    }
    let numbers: Vec<String> = data.iter().map(u8::to_string).collect();
    let mut body = format!(
        ".reg .b32 %x<4>, %a<8>, %b<4>, %c<4>, %d<4>; .reg .pred %q;
         mov.u32 %x0, %tid.x; mov.u32 %x1, room; mov.u64 %d1, data; mov.u32 %x2, %x0;
         COPY: cvt.u64.u32 %d2, %x2; add.u64 %d3, %d1, %d2; ld.global.u8 %x3, [%d3];
         add.u32 %x3, %x3, 0; mov.u32 %r1, room; add.u32 %r1, %r1, %x2; st.shared.u8 [%r1], %x3;
         add.u32 %x2, %x2, 32; setp.lt.u32 %q, %x2, {c_at}; @%q bra COPY; bar.sync 0;
         and.b32 %x0, %x0, 7; mad.lo.u32 %x1, %x0, {stride}, %x1;\n"
    )
    .replace("%d<4>", "%e<4>");
    for register in 0..blocks * times {
        let offset = 8 * (register % blocks) * stride + 16 * (register / blocks);
        body += &format!(
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%a{register}}}, [%x1+{offset}];\n"
        );
    }
    for register in 0..times {
        let offset = b_at + 16 * register;
        body += &format!(
            "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%b{register}}}, [%x1+{offset}];\n"
        );
    }
    body += &format!(
        "mov.u32 %x0, %tid.x; mul.wide.u32 %d2, %x0, {}; add.u64 %d3, %d1, %d2; add.u64 %d0, %d0, %d2;\n",
        4 * results
    );
    for register in 0..results {
        body += &format!(
            "ld.global.b32 %c{register}, [%d3+{}];\n",
            c_at + 4 * register
        );
    }
    body += &format!(
        "mma.sync.aligned.{} {}, {}, {}, {};\n",
        form.name,
        list(0..results, 'e'),
        list(0..blocks * times, 'a'),
        list(0..times, 'b'),
        list(0..results, 'c')
    );
    for register in 0..results {
        body += &format!("st.global.b32 [%d0+{}], %e{register};\n", 4 * register);
    }
    let declarations = format!(
        ".shared .align 16 .b8 room[1024]; .global .align 16 .b8 data[{}] = {{{}}};",
        data.len(),
        numbers.join(", ")
    );
    let text = module(&declarations, &(body + "ret;"));
    crate::harness::assemble(&text);
    let (words, _) = launch(&text, 1, 32, 32 * results, &LaunchOptions::default()).unwrap();
    words
}

#[test]
fn products_of_every_shape_and_type_are_those_of_their_matrices() {
    for form in &FORMS {
        let words = run(form);
        let results = words.len() / 32;
        for (index, word) in words.iter().enumerate() {
            for part in 0..if form.halves { 2 } else { 1 } {
                let (row, column) = place(form, index / results, index % results, part);
                // What a number is where it has no sign, or one bit.
                let factor = |matrix, row, k, encode: fn(i64) -> u64| {
                    let number = number(matrix, row, k);
                    let is_unsigned = encode(-3) == 3;
                    if is_unsigned { number.abs() } else { number }
                };
                let product = |k| {
                    let (x, y) = (factor(0, row, k, form.a), factor(1, column, k, form.b));
                    match form.name.split('.').nth_back(1) {
                        Some("xor") => (x ^ y) & 1,
                        Some("and") => x & y & 1,
                        _ => x * y,
                    }
                };
                let sum = number(2, row, column) + (0..form.depth).map(product).sum::<i64>();
                let expected = (form.c)(sum) as u32;
                let found = if form.halves {
                    word >> (16 * part) & 0xffff
                } else {
                    *word
                };
                assert_eq!(found, expected, "{} {row} {column}: {sum}", form.name);
            }
        }
    }
}

/// The first word that lane 0 gets of products of one number of A with one of B, in the first
/// places, and another such product; C is `c`.
fn sum(name: &str, a: [u32; 2], b: [u32; 2], c: u32) -> u32 {
    let body = format!(
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p0, %r1, 0; setp.eq.u32 %p1, %r1, 1;
         selp.b32 %r2, {}, 0, %p0; @%p1 mov.b32 %r2, {};
         selp.b32 %r3, {}, 0, %p0; @%p1 mov.b32 %r3, {}; mov.b32 %r4, 0; mov.b32 %r5, {c};
         mma.sync.aligned.{name} {{%r6, %r7, %r8, %r9}}, {{%r2, %r4}}, {{%r3}}, {{%r5, %r4, %r4, %r4}};
         mul.wide.u32 %d1, %r1, 4; add.u64 %d0, %d0, %d1; st.global.b32 [%d0], %r6; ret;",
        a[0], a[1], b[0], b[1]
    );
    let text = module("", &body);
    launch(&text, 1, 32, 32, &LaunchOptions::default())
        .unwrap()
        .0[0]
}

const TF32: &str = "m16n8k4.row.col.f32.tf32.tf32.f32";

#[test]
fn terms_are_cut_off_two_bits_below_the_largest_and_their_sum_towards_zero() {
    let of = |x: f32| x.to_bits();
    let power = |exponent: i32| of(2f32.powi(exponent));
    let sum = |a: [u32; 2], b: [u32; 2], c: u32| f32::from_bits(sum(TF32, a, b, c));
    let ulp = 2f32.powi(-23);
    // 1 + 2^-24 + 2^-24: both terms are there.
    let halves = [power(-12); 2];
    assert_eq!(sum(halves, halves, of(1.0)), 1.0 + ulp);
    // 1 + 2^-25 + 3 * 2^-25 is 1 + 2^-23, and 1 + 2^-26 + ... is 1.
    assert_eq!(
        sum(
            [power(-12), power(-12)],
            [power(-13), of(1.5 * 2f32.powi(-12))],
            of(1.0)
        ),
        1.0 + ulp
    );
    assert_eq!(
        sum(
            [power(-13); 2],
            [power(-13), of(1.75 * 2f32.powi(-11))],
            of(1.0)
        ),
        1.0
    );
    // To nearest it were 1 + 2^-23.
    assert_eq!(
        sum([power(-12), 0], [of(1.5 * 2f32.powi(-12)), 0], of(1.0)),
        1.0
    );
    assert_eq!(
        sum([power(-12), 0], [of(-2f32.powi(-12)), 0], of(1.0)),
        1.0 - ulp / 2.0
    );
    // The lower 13 bits of a factor are not looked at.
    assert_eq!(sum([of(1.0) | 0x1fff, 0], [of(1.0), 0], 0), 1.0);
}

#[test]
fn infinities_and_nans_are_those_of_the_sum() {
    let infinity = f32::INFINITY.to_bits();
    let one = 1f32.to_bits();
    let minus = (-1f32).to_bits();
    let nan = 0x7fff_ffff;
    assert_eq!(sum(TF32, [infinity, 0], [one, 0], one), infinity);
    assert_eq!(sum(TF32, [infinity; 2], [one, minus], one), nan);
    assert_eq!(sum(TF32, [infinity, 0], [0, 0], one), nan);
    assert_eq!(sum(TF32, [one, 0], [one, 0], 0xff80_0001), nan);
    let huge = 2f32.powi(127).to_bits();
    assert_eq!(sum(TF32, [huge; 2], [one, one], 0), infinity);
    assert_eq!(sum(TF32, [one, one], [one, minus], 0), 0);
}

#[test]
fn integers_saturate_where_they_are_told_to() {
    let body = |more: &str, c: u32, a: u32| {
        let text = module(
            "",
            &format!(
                "mov.b32 %r1, {a}; mov.b32 %r2, 0x7f7f7f7f; mov.b32 %r3, {c};
                 mma.sync.aligned.m8n8k16.row.col{more}.s32.s8.s8.s32 {{%r4, %r5}}, {{%r1}}, {{%r2}}, {{%r3, %r3}};
                 mov.u32 %r6, %tid.x; mul.wide.u32 %d1, %r6, 4; add.u64 %d0, %d0, %d1;
                 st.global.b32 [%d0], %r5; ret;"
            ),
        );
        launch(&text, 1, 32, 32, &LaunchOptions::default())
            .unwrap()
            .0[9]
    };
    let product = 16 * 127 * 127;
    assert_eq!(
        body("", i32::MAX as u32, 0x7f7f_7f7f),
        (i32::MAX as u32).wrapping_add(product)
    );
    assert_eq!(
        body(".satfinite", i32::MAX as u32, 0x7f7f_7f7f),
        i32::MAX as u32
    );
    assert_eq!(
        body(".satfinite", i32::MIN as u32, 0x8181_8181),
        i32::MIN as u32
    );
    assert_eq!(
        body(".satfinite", 5, 0x8181_8181),
        5u32.wrapping_sub(product)
    );
}

#[test]
fn products_of_f64_are_fused_in_the_order_of_the_columns() {
    for (shape, rows, depth) in [
        ("m8n8k4", 8, 4),
        ("m16n8k4", 16, 4),
        ("m16n8k8", 16, 8),
        ("m16n8k16", 16, 16),
    ] {
        let (blocks, times) = (rows / 8, depth / 4);
        // A is 1 + 2^-30 (row + 16 column), B is 1 - 2^-40 (row + 16 column).
        let mut body = ".reg .f64 %a<8>, %b<4>, %c<4>, %e<4>, %y<4>;
             mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 2; and.b32 %r3, %r1, 3;\n"
            .to_owned();
        let part = |register: String, bits: i32| {
            format!(
                "cvt.rn.f64.u32 %y0, %r4; fma.rn.f64 %{register}, %y0, {:#x}, 0d3FF0000000000000;\n",
                (if bits > 0 { 2f64 } else { -2f64 }.powi(-bits.abs()) * f64::from(bits.signum())).to_bits()
            )
            .replace("0x", "0d")
        };
        for register in 0..blocks * times {
            let (row, column) = (8 * (register % blocks), 4 * (register / blocks));
            body += &format!(
                "add.u32 %r4, %r2, {row}; add.u32 %r5, %r3, {column}; mad.lo.u32 %r4, %r5, 16, %r4;\n"
            );
            body += &part(format!("a{register}"), 30);
        }
        for register in 0..times {
            body += &format!(
                "add.u32 %r5, %r3, {}; mad.lo.u32 %r4, %r2, 16, %r5;\n",
                4 * register
            );
            body += &part(format!("b{register}"), 40);
        }
        for register in 0..2 * blocks {
            body += &format!("mov.b32 %r4, {register}; cvt.rn.f64.u32 %c{register}, %r4;\n");
        }
        body += &format!(
            "mma.sync.aligned.{shape}.row.col.f64.f64.f64.f64 {}, {}, {}, {};
             mul.wide.u32 %d1, %r1, {}; add.u64 %d0, %d0, %d1;\n",
            list(0..2 * blocks, 'e'),
            list(0..blocks * times, 'a'),
            list(0..times, 'b'),
            list(0..2 * blocks, 'c'),
            16 * blocks
        );
        for register in 0..2 * blocks {
            body += &format!("st.global.f64 [%d0+{}], %e{register};\n", 8 * register);
        }
        let text = module("", &(body + "ret;"));
        crate::harness::assemble(&text);
        let count = 32 * 4 * blocks;
        let (words, _) = launch(&text, 1, 32, count, &LaunchOptions::default()).unwrap();
        for (index, pair) in words.chunks_exact(2).enumerate() {
            let found = f64::from_bits(u64::from(pair[1]) << 32 | u64::from(pair[0]));
            let (lane, register) = (index / (2 * blocks), index % (2 * blocks));
            let (row, column) = (lane / 4 + 8 * (register / 2), lane % 4 * 2 + register % 2);
            let expected = (0..depth).fold(register as f64, |sum, k| {
                let a = ((row + 16 * k) as f64).mul_add(2f64.powi(-30), 1.0);
                let b = ((k + 16 * column) as f64).mul_add(2f64.powi(-40), 1.0);
                a.mul_add(b, sum)
            });
            assert_eq!(found, expected, "{shape} {row} {column}");
        }
    }
}

#[test]
fn shapes_and_types_that_do_not_go_together_are_refused() {
    for wrong in [
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%ro}, {%ra}, {%rb}, {%rc};",
        "mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%ro}, {%ra}, {%rb}, {%rc};",
        "mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32 {%ro}, {%ra}, {%rb}, {%rc};",
        "mma.sync.aligned.m16n8k8.row.col.f16.bf16.bf16.f16 {%ro}, {%ra}, {%rb}, {%rc};",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f32 {%ro,%rd}, {%ra,%rb}, {%rb}, {%rc,%ra};",
        "mma.sync.aligned.m16n8k8.row.col.satfinite.f16.f16.f16.f16 {%ro,%rd}, {%ra,%rb}, {%rb}, {%rc,%ra};",
        "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%ro}, {%ra,%rb}, {%rb}, {%rc,%ra};",
        "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.or.popc {%ro,%rd}, {%ra}, {%rb}, {%rc,%ra};",
        "mma.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%ro,%rd}, {%ra}, {%rb}, {%rc,%ra};",
    ] {
        refusal(wrong);
    }
}
