//! `wmma`: matrices from memory to fragments and back, and their products.

use crate::harness::{launch, module, refusal};
use ptx_emulator::LaunchOptions;

/// Two matrices that count, times each other, from memory and back to it: by rows and by columns.
#[test]
fn matrices_of_wmma_are_read_and_written_by_rows_and_by_columns() {
    for [a, b, d] in [
        ["row", "row", "row"],
        ["col", "row", "col"],
        ["row", "col", "row"],
    ] {
        let body = format!(
            ".reg .b32 %a<2>, %b<2>, %c<8>;
             wmma.load.a.sync.aligned.{a}.m16n16k16.global.s8 {{%a0, %a1}}, [left], 16;
             wmma.load.b.sync.aligned.{b}.m16n16k16.global.s8 {{%b0, %b1}}, [right], 16;
             wmma.load.c.sync.aligned.row.m16n16k16.global.s32 {{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}}, [zero], 16;
             wmma.mma.sync.aligned.{a}.{b}.m16n16k16.s32.s8.s8.s32 {{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}},
                 {{%a0, %a1}}, {{%b0, %b1}}, {{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}};
             wmma.store.d.sync.aligned.{d}.m16n16k16.global.s32 [%d0], {{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}};
             ret;"
        );
        let left = |row: usize, k: usize| (row * 3 + k * 5) as i32 % 11 - 5;
        let right = |k: usize, column: usize| (k * 7 + column * 2) as i32 % 13 - 6;
        let list = |order: &str, value: &dyn Fn(usize, usize) -> i32| {
            let one = |at: usize| match order {
                "row" => value(at / 16, at % 16),
                _ => value(at % 16, at / 16),
            };
            (0..256)
                .map(|at| one(at).to_string())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let declarations = format!(
            ".global .align 32 .s8 left[256] = {{{}}}; .global .align 32 .s8 right[256] = {{{}}};
             .global .align 32 .b32 zero[256];",
            list(a, &left),
            list(b, &right)
        );
        let text = module(&declarations, &body);
        crate::harness::assemble(&text);
        let (words, _) = launch(&text, 1, 32, 256, &LaunchOptions::default()).unwrap();
        for (at, word) in words.iter().enumerate() {
            let (row, column) = if d == "row" {
                (at / 16, at % 16)
            } else {
                (at % 16, at / 16)
            };
            let sum: i32 = (0..16).map(|k| left(row, k) * right(k, column)).sum();
            assert_eq!(*word as i32, sum, "{a} {b} {d}: {row} {column}");
        }
    }
}

#[test]
fn fragments_that_do_not_go_together_are_refused() {
    for wrong in [
        "wmma.load.a.sync.aligned.row.m16n16k8.f16 {%ro,%ra,%rb,%rc,%ro,%ra,%rb,%rc}, [%a];",
        "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%ro,%ra,%rb,%rc}, [%a];",
        "wmma.load.a.sync.aligned.col.m8n8k32.u4 {%ro}, [%a];",
        "wmma.load.d.sync.aligned.row.m8n8k4.f64 {%o, %b}, [%a];",
        "wmma.mma.sync.aligned.row.row.m8n8k32.s32.u4.u4.s32 {%ro,%ra}, {%ra}, {%rb}, {%ra,%rb};",
        "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.s4.s32 {%ro,%ra}, {%ra}, {%rb}, {%ra,%rb};",
        "wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {%ro,%ra}, {%ra}, {%rb}, {%ra,%rb};",
        "wmma.mma.sync.aligned.row.col.m16n16k8.rz.f32.tf32.tf32.f32 {%ro,%ra,%rb,%rc,%ro,%ra,%rb,%rc}, {%ro,%ra,%rb,%rc}, {%ro,%ra,%rb,%rc}, {%ro,%ra,%rb,%rc,%ro,%ra,%rb,%rc};",
    ] {
        refusal(wrong);
    }
}
