//! Integer arithmetic, bit fields and logic on edges and random operands,
//! against i128 arithmetic and the bit-by-bit definitions of the PTX ISA.

use crate::harness::evaluate;
use crate::patterns::Random;

/// The integer types with their width.
const TYPES: [(&str, u32); 6] = [
    ("u16", 16),
    ("s16", 16),
    ("u32", 32),
    ("s32", 32),
    ("u64", 64),
    ("s64", 64),
];

fn cases(count: usize) -> Vec<[u64; 4]> {
    let mut random = Random(7);
    let mut pick = || {
        let bits = random.next();
        let edge = 1u64 << (bits >> 8 & 63);
        match bits & 7 {
            0 => 0,
            1 => edge,
            2 => edge - 1,
            3 => edge.wrapping_neg(),
            4 => !edge,
            // All widths have small numbers and edges.
            5 => bits >> 40,
            _ => bits,
        }
    };
    (0..count)
        .map(|_| [pick(), pick(), pick(), pick()])
        .collect()
}

/// The register with this letter that holds values of `width` bits.
fn register(letter: &str, width: u32) -> String {
    match width {
        16 => format!("%h{letter}"),
        32 => format!("%r{letter}"),
        _ => format!("%{letter}"),
    }
}

/// Runs `name` with operands of these widths, the destination first.
fn check(name: &str, widths: &[u32], expected: impl Fn([u64; 4]) -> u64) {
    let destination = register("o", widths[0]);
    let sources: String = widths[1..]
        .iter()
        .zip(["a", "b", "c", "d"])
        .map(|(&width, letter)| format!(", {}", register(letter, width)))
        .collect();
    let widen = match widths[0] {
        64 => String::new(),
        width => format!("cvt.u64.u{width} %o, {destination};"),
    };
    let body = format!("{name} {destination}{sources}; {widen}");
    let cases = cases(3000);
    let mask = u64::MAX >> (64 - widths[0]);
    for (case, found) in cases.iter().zip(evaluate(&body, &cases)) {
        let expected = expected(*case) & mask;
        assert_eq!(
            found, expected,
            "{name} {case:x?}: {found:#x} {expected:#x}"
        );
    }
}

/// The value of the low bits as a number of this type.
fn value(ty: &str, width: u32, bits: u64) -> i128 {
    let up = 64 - width;
    if ty.starts_with('s') {
        i128::from((bits << up) as i64 >> up)
    } else {
        i128::from(bits << up >> up)
    }
}

#[test]
fn arithmetic_is_that_of_the_numbers() {
    for (ty, width) in TYPES {
        let v = |bits| value(ty, width, bits);
        let two = [width; 3];
        check(&format!("add.{ty}"), &two, |[a, b, ..]| {
            (v(a) + v(b)) as u64
        });
        check(&format!("sub.{ty}"), &two, |[a, b, ..]| {
            (v(a) - v(b)) as u64
        });
        check(&format!("min.{ty}"), &two, |[a, b, ..]| {
            v(a).min(v(b)) as u64
        });
        check(&format!("max.{ty}"), &two, |[a, b, ..]| {
            v(a).max(v(b)) as u64
        });
        // A product of u64 needs all of u128.
        let product = |a, b| v(a).wrapping_mul(v(b));
        let high = |a, b| {
            if ty == "u64" {
                ((u128::from(a) * u128::from(b)) >> 64) as i128
            } else {
                product(a, b) >> width
            }
        };
        check(&format!("mul.lo.{ty}"), &two, |[a, b, ..]| {
            product(a, b) as u64
        });
        check(&format!("mul.hi.{ty}"), &two, |[a, b, ..]| {
            high(a, b) as u64
        });
        let three = [width; 4];
        check(&format!("mad.lo.{ty}"), &three, |[a, b, c, _]| {
            product(a, b).wrapping_add(v(c)) as u64
        });
        check(&format!("mad.hi.{ty}"), &three, |[a, b, c, _]| {
            (high(a, b) + v(c)) as u64
        });
        check(&format!("sad.{ty}"), &three, |[a, b, c, _]| {
            (v(c) + (v(a) - v(b)).abs()) as u64
        });
        // PTX leaves a division by zero open; the divisor is made odd.
        let odd = format!("or.b{width} {0}, {0}, 1;", register("b", width));
        check(&format!("{odd} div.{ty}"), &two, |[a, b, ..]| {
            (v(a) / v(b | 1)) as u64
        });
        check(&format!("{odd} rem.{ty}"), &two, |[a, b, ..]| {
            (v(a) % v(b | 1)) as u64
        });
        if ty.starts_with('s') {
            check(&format!("abs.{ty}"), &[width; 2], |[a, ..]| {
                v(a).unsigned_abs() as u64
            });
            check(&format!("neg.{ty}"), &[width; 2], |[a, ..]| -v(a) as u64);
        }
        if width < 64 {
            let wide = [2 * width, width, width];
            check(&format!("mul.wide.{ty}"), &wide, |[a, b, ..]| {
                product(a, b) as u64
            });
            let wide = [2 * width, width, width, 2 * width];
            check(&format!("mad.wide.{ty}"), &wide, |[a, b, c, _]| {
                (product(a, b) + value(ty, 2 * width, c)) as u64
            });
        }
    }
    let v = |bits| value("s32", 32, bits);
    let clamp = |x: i128| x.clamp(i32::MIN.into(), i32::MAX.into()) as u64;
    check("add.sat.s32", &[32; 3], |[a, b, ..]| clamp(v(a) + v(b)));
    check("sub.sat.s32", &[32; 3], |[a, b, ..]| clamp(v(a) - v(b)));
    check("mad.hi.sat.s32", &[32; 4], |[a, b, c, _]| {
        clamp(((v(a) * v(b)) >> 32) + v(c))
    });
    for ty in ["u32", "s32"] {
        let v = |bits| value(ty, 24, bits);
        let product = |a, b| v(a) * v(b);
        check(&format!("mul24.lo.{ty}"), &[32; 3], |[a, b, ..]| {
            product(a, b) as u64
        });
        check(&format!("mul24.hi.{ty}"), &[32; 3], |[a, b, ..]| {
            (product(a, b) >> 16) as u64
        });
        check(&format!("mad24.lo.{ty}"), &[32; 4], |[a, b, c, _]| {
            (product(a, b) + value(ty, 32, c)) as u64
        });
        check(&format!("mad24.hi.{ty}"), &[32; 4], |[a, b, c, _]| {
            ((product(a, b) >> 16) + value(ty, 32, c)) as u64
        });
    }
}

/// Bit `position` of `x`.
fn bit(x: u64, position: u32) -> u64 {
    if position < 64 { x >> position & 1 } else { 0 }
}

#[test]
fn bit_fields_a_bit_at_a_time() {
    for (ty, width) in &TYPES[2..] {
        let signed = ty.starts_with('s');
        check(
            &format!("and.b32 %rb, %rb, 255; and.b32 %rc, %rc, 255; bfe.{ty}"),
            &[*width, *width, 32, 32],
            |[a, b, c, _]| {
                let (start, length) = (b as u32 & 0xff, c as u32 & 0xff);
                let sign = if !signed || length == 0 {
                    0
                } else {
                    bit(a, (start + length - 1).min(width - 1))
                };
                (0..*width).fold(0, |field, i| {
                    let from = if i < length && start + i < *width {
                        bit(a, start + i)
                    } else {
                        sign
                    };
                    field | from << i
                })
            },
        );
        let top = |a: u64| {
            let flip = if signed && bit(a, width - 1) != 0 {
                !a
            } else {
                a
            };
            (0..*width).rev().find(|&i| bit(flip, i) != 0)
        };
        check(&format!("bfind.{ty}"), &[32, *width], |[a, ..]| {
            top(a).map_or(u64::MAX, u64::from)
        });
        check(&format!("bfind.shiftamt.{ty}"), &[32, *width], |[a, ..]| {
            top(a).map_or(u64::MAX, |i| u64::from(width - 1 - i))
        });
    }
    for width in [32, 64] {
        check(
            &format!("and.b32 %rc, %rc, 255; and.b32 %rd, %rd, 255; bfi.b{width}"),
            &[width, width, width, 32, 32],
            |[a, b, c, d]| {
                let (start, length) = (c as u32 & 0xff, d as u32 & 0xff);
                (0..width).fold(0, |out, i| {
                    let inside = i >= start && i < start + length;
                    out | if inside { bit(a, i - start) } else { bit(b, i) } << i
                })
            },
        );
        let ones = |a: u64| (0..width).map(|i| bit(a, i)).sum();
        check(&format!("popc.b{width}"), &[32, width], |[a, ..]| ones(a));
        check(&format!("clz.b{width}"), &[32, width], |[a, ..]| {
            (0..width).rev().take_while(|&i| bit(a, i) == 0).count() as u64
        });
        check(&format!("brev.b{width}"), &[width, width], |[a, ..]| {
            (0..width).fold(0, |out, i| out | bit(a, i) << (width - 1 - i))
        });
    }
    for (mode, wraps) in [("clamp", false), ("wrap", true)] {
        let count = |n: u64| {
            let n = n & 0xffff_ffff;
            (if wraps { n & 31 } else { n.min(32) }) as u32
        };
        check(&format!("bmsk.{mode}.b32"), &[32; 3], |[a, b, ..]| {
            let (start, length) = (count(a), count(b));
            (0..32).fold(0, |out, i| {
                out | u64::from(i >= start && i < start + length) << i
            })
        });
        for ty in ["u32", "s32"] {
            check(&format!("szext.{mode}.{ty}"), &[32; 3], |[a, b, ..]| {
                let kept = count(b);
                let sign = if ty == "s32" && kept > 0 {
                    bit(a, kept - 1)
                } else {
                    0
                };
                (0..32).fold(0, |out, i| {
                    out | if i < kept { bit(a, i) } else { sign } << i
                })
            });
        }
        let pair = |a: u64, b: u64| a & 0xffff_ffff | b << 32;
        check(&format!("shf.l.{mode}.b32"), &[32; 4], |[a, b, c, _]| {
            ((u128::from(pair(a, b)) << count(c)) >> 32) as u64
        });
        check(&format!("shf.r.{mode}.b32"), &[32; 4], |[a, b, c, _]| {
            (u128::from(pair(a, b)) >> count(c)) as u64
        });
    }
}

#[test]
fn logic_and_shifts() {
    for width in [16, 32, 64] {
        let two = [width; 3];
        check(&format!("and.b{width}"), &two, |[a, b, ..]| a & b);
        check(&format!("or.b{width}"), &two, |[a, b, ..]| a | b);
        check(&format!("xor.b{width}"), &two, |[a, b, ..]| a ^ b);
        check(&format!("not.b{width}"), &[width; 2], |[a, ..]| !a);
        let low = |x: u64| x & u64::MAX >> (64 - width);
        check(&format!("cnot.b{width}"), &[width; 2], |[a, ..]| {
            u64::from(low(a) == 0)
        });
        let shift = [width, width, 32];
        let amount = |b: u64| (b & 0xffff_ffff).min(u64::from(width)) as u32;
        check(&format!("shl.b{width}"), &shift, |[a, b, ..]| {
            (u128::from(a) << amount(b)) as u64
        });
        check(&format!("shr.u{width}"), &shift, |[a, b, ..]| {
            (u128::from(low(a)) >> amount(b)) as u64
        });
        check(&format!("shr.s{width}"), &shift, |[a, b, ..]| {
            (value("s", width, a) >> amount(b)) as u64
        });
    }
    for table in [0, 0x1b, 0x96, 0xe8, 0x80, 0xff] {
        let result = |[a, b, c, _]: [u64; 4]| {
            (0..32).fold(0, |out, i| {
                let index = bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i);
                out | (table >> index & 1) << i
            })
        };
        let body = format!("lop3.b32 %ro, %ra, %rb, %rc, {table}; cvt.u64.u32 %o, %ro;");
        let cases = cases(500);
        for (case, found) in cases.iter().zip(evaluate(&body, &cases)) {
            assert_eq!(found, result(*case), "lop3 {table:#x} {case:x?}");
        }
        for word in ["or", "and"] {
            let body = format!(
                "setp.lt.s32 %q, %rd, 0; lop3.{word}.b32 %ro|%p, %ra, %rb, %rc, {table}, !%q;
                 cvt.u64.u32 %o, %ro; @%p or.b64 %o, %o, 0x100000000;"
            );
            for (case, found) in cases.iter().zip(evaluate(&body, &cases)) {
                let result = result(*case);
                let other = case[3] as i32 >= 0;
                let holds = match word {
                    "or" => result != 0 || other,
                    _ => result != 0 && other,
                };
                assert_eq!(found, result | u64::from(holds) << 32, "{body} {case:x?}");
            }
        }
    }
}

#[test]
fn bytes_are_selected_and_multiplied() {
    // Byte i of b:a, or eight copies of its sign.
    let byte = |a: u64, b: u64, selector: u32| {
        let pair = a & 0xffff_ffff | b << 32;
        let byte = pair >> (8 * (selector & 7)) & 0xff;
        match selector & 8 {
            0 => byte,
            _ if byte >= 0x80 => 0xff,
            _ => 0,
        }
    };
    let word = |a: u64, b: u64, selectors: [u32; 4]| {
        (0..4).fold(0, |word, i| word | byte(a, b, selectors[i]) << (8 * i))
    };
    check("prmt.b32", &[32; 4], |[a, b, c, _]| {
        word(a, b, [0, 4, 8, 12].map(|shift| (c >> shift) as u32 & 15))
    });
    // The tables of the PTX ISA, `prmt`, least significant selector first.
    let modes: [(&str, [[u32; 4]; 4]); 6] = [
        (
            "f4e",
            [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6]],
        ),
        (
            "b4e",
            [[0, 7, 6, 5], [1, 0, 7, 6], [2, 1, 0, 7], [3, 2, 1, 0]],
        ),
        ("rc8", [[0; 4], [1; 4], [2; 4], [3; 4]]),
        (
            "ecl",
            [[0, 1, 2, 3], [1, 1, 2, 3], [2, 2, 2, 3], [3, 3, 3, 3]],
        ),
        (
            "ecr",
            [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 2, 2], [0, 1, 2, 3]],
        ),
        (
            "rc16",
            [[0, 1, 0, 1], [2, 3, 2, 3], [0, 1, 0, 1], [2, 3, 2, 3]],
        ),
    ];
    for (mode, rows) in modes {
        check(&format!("prmt.b32.{mode}"), &[32; 4], |[a, b, c, _]| {
            word(a, b, rows[c as usize & 3])
        });
    }
    for first in ["u32", "s32"] {
        for second in ["u32", "s32"] {
            let part = |ty, x: u64, width: u32, index: u32| value(ty, width, x >> (width * index));
            check(
                &format!("dp4a.{first}.{second}"),
                &[32; 4],
                |[a, b, c, _]| {
                    let sum: i128 = (0..4)
                        .map(|i| part(first, a, 8, i) * part(second, b, 8, i))
                        .sum();
                    (sum + i128::from(c)) as u64
                },
            );
            for (half, skip) in [("lo", 0), ("hi", 2)] {
                check(
                    &format!("dp2a.{half}.{first}.{second}"),
                    &[32; 4],
                    |[a, b, c, _]| {
                        let sum: i128 = (0..2)
                            .map(|i| part(first, a, 16, i) * part(second, b, 8, i + skip))
                            .sum();
                        (sum + i128::from(c)) as u64
                    },
                );
            }
        }
    }
}
