//! Floating-point atomics: sums in memory, to the bit; and where there are no atomics.

use crate::harness::{evaluate, launch, module, refusal};
use crate::patterns::{bits, flush, triples};
use ptx_emulator::{FaultKind, LaunchError, LaunchOptions};
use rustc_apfloat::ieee::{BFloat, Half, Single};
use rustc_apfloat::{Float, Round};

/// Stores `%a` to shared memory, adds `%b` to it by `add`, and leaves the
/// old value and the new one in the halves of `%o`.
fn body(add: &str, register: &str) -> String {
    let width = if register == "h" { 16 } else { 32 };
    format!(
        ".shared .b32 cells[32]; .reg .b32 %at; .reg .b{width} %old, %new;
         shl.b32 %at, %lane, 2; mov.u32 %t32, cells; add.u32 %at, %at, %t32;
         st.shared.b{width} [%at], %{register}a;
         {add} %old, [%at], %{register}b;
         ld.shared.b{width} %new, [%at];
         cvt.u64.u{width} %o, %new; shl.b64 %o, %o, 32;
         cvt.u64.u{width} %t64, %old; or.b64 %o, %o, %t64;"
    )
}

fn check<F: Float>(name: &str, nan: u64) {
    let cases = triples::<F>(2000);
    let inputs: Vec<[u64; 4]> = cases.iter().map(|&[a, b, _]| [a, b, 0, 0]).collect();
    let sum = |a: u64, b: u64| {
        let (a, b) = (F::from_bits(a.into()), F::from_bits(b.into()));
        bits(a.add_r(b, Round::NearestTiesToEven).value, nan)
    };
    let register = if F::BITS == 16 { "h" } else { "r" };
    let code = body(&format!("atom.shared.add{name}"), register);
    for (case, found) in inputs.iter().zip(evaluate(&code, &inputs)) {
        assert_eq!(found as u32 as u64, case[0], "{name} {case:x?}");
        assert_eq!(found >> 32, sum(case[0], case[1]), "{name} {case:x?}");
    }
    if F::BITS == 32 {
        return;
    }
    let pairs: Vec<[u64; 4]> = inputs
        .iter()
        .zip(inputs.iter().rev())
        .map(|(x, y)| [x[0] | y[0] << 16, x[1] | y[1] << 16, 0, 0])
        .collect();
    let code = body(&format!("atom.shared.add{name}x2"), "r");
    for (case, found) in pairs.iter().zip(evaluate(&code, &pairs)) {
        let low = sum(case[0] & 0xffff, case[1] & 0xffff);
        let high = sum(case[0] >> 16, case[1] >> 16);
        assert_eq!(found as u32 as u64, case[0], "{name}x2 {case:x?}");
        assert_eq!(found >> 32, low | high << 16, "{name}x2 {case:x?}");
    }
}

#[test]
fn sums_in_shared_memory_keep_subnormals() {
    check::<Half>(".noftz.f16", 0x7fff);
    check::<BFloat>(".noftz.bf16", 0x7fff);
    check::<Single>(".f32", 0x7fff_ffff);
}

#[test]
fn f32_sums_in_global_memory_flush_subnormals() {
    // PTX ISA, `atom`: `.add.f32` flushes in global memory.
    let cases = triples::<Single>(2000);
    let inputs: Vec<[u64; 4]> = cases.iter().map(|&[a, b, _]| [a, b, 0, 0]).collect();
    let expected = |a: u64, b: u64| {
        let part = |x: u64| flush(Single::from_bits(x.into()));
        let sum = part(a).add_r(part(b), Round::NearestTiesToEven).value;
        bits(flush(sum), 0x7fff_ffff)
    };
    for add in [
        "red.global.add.f32 [%out], %rb;",
        "red.add.f32 [%out], %rb;",
        "atom.global.add.f32 %t32, [%out], %rb;",
    ] {
        let body = format!(
            "st.global.b32 [%out], %ra; {add} ld.global.b32 %ro, [%out]; cvt.u64.u32 %o, %ro;"
        );
        for (case, found) in inputs.iter().zip(evaluate(&body, &inputs)) {
            assert_eq!(found, expected(case[0], case[1]), "{add} {case:x?}");
        }
    }
}

#[test]
fn lanes_add_one_after_the_other() {
    // 32 times 1 in f16; then 32 times 1 and -1 in bf16.
    let body = ".shared .align 4 .b8 cell[4]; .reg .b16 %one; .reg .b32 %ones;
                mov.b16 %one, 0x3c00; mov.b32 %ro, 0; st.shared.b32 [cell], %ro; bar.sync 0;
                red.shared.add.noftz.f16 [cell], %one; bar.sync 0;
                ld.shared.b32 %ro, [cell]; cvt.u64.u32 %o, %ro;";
    assert_eq!(evaluate(body, &[[0; 4]; 32]), vec![0x5000; 32]);
    let body = body
        .replace("mov.b16 %one, 0x3c00", "mov.b32 %ones, 0x3f80bf80")
        .replace("f16 [cell], %one", "bf16x2 [cell], %ones");
    assert_eq!(evaluate(&body, &[[0; 4]; 32]), vec![0x4200_c200; 32]);
}

#[test]
fn additions_say_whether_they_flush_and_what_ptxas_refuses_is_refused() {
    for text in [
        "atom.global.add.f16 %ho, [%in], %ha;",
        "atom.global.add.noftz.f32 %ro, [%in], %ra;",
    ] {
        assert!(refusal(text).contains("`.noftz`"), "{text}");
    }
    refusal(".reg .b128 %q; atom.global.exch.b128 %q, [%in], %q;");
    for text in [
        "atom.global.add.s64 %o, [%in], %a;",
        "atom.global.exch.b16 %ho, [%in], %ha;",
        "red.global.add.s64 [%in], %a;",
        "red.acquire.gpu.global.add.u32 [%in], %ra;",
        "red.acq_rel.gpu.global.add.u32 [%in], %ra;",
    ] {
        refusal(text);
    }
    refusal("atom.global.min.noftz.f16 %ho, [%in], %ha;");
}

/// PTX ISA, "atom": "with generic addressing, where the address points to .global or .shared space".
#[test]
fn an_atomic_on_local_memory_is_a_fault() {
    let body = ".local .b32 own; mov.u64 %d1, own; cvta.local.u64 %d1, %d1; st.u32 [%d1], 1;
        atom.relaxed.gpu.add.u32 %r1, [%d1], 1; st.global.u32 [%d0], %r1; ret;";
    let said = launch(&module("", body), 1, 1, 4, &LaunchOptions::default());
    let Err(LaunchError::Fault(fault)) = said else {
        panic!("{said:?}");
    };
    assert!(matches!(&fault.kind, FaultKind::Undefined(text) if text.contains("local memory")));
}
