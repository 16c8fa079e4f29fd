//! Forms of the language that few compilers write: constants by name, predicates that are numbers,
//! vector registers, parameters in registers, modifiers in any order, votes without a mask.

use crate::harness::{expect32, expect64, launch, module, refusal};
use ptx_emulator::{LaunchOptions, Program};

/// What one thread leaves in the output's only word.
fn one(declarations: &str, body: &str) -> u32 {
    let text = module(
        declarations,
        &format!("{body} st.global.u32 [%d0], %r0; ret;"),
    );
    let (words, _) = launch(&text, 1, 1, 1, &LaunchOptions::default()).expect(body);
    words[0]
}

#[test]
fn warp_sz_is_a_constant_wherever_one_may_stand() {
    expect32("add.u32 %ro, %ra, WARP_SZ;", &[([1, 0, 0, 0], 33)]);
    expect32("mov.u32 %ro, WARP_SZ*2+1;", &[([0; 4], 65)]);
    expect64("mov.u64 %o, WARP_SZ;", &[([0; 4], 32)]);
    let shared = ".shared .b32 words[WARP_SZ+1];";
    let body =
        "mov.u32 %r1, 7; st.shared.u32 [words+WARP_SZ*4], %r1; ld.shared.u32 %r0, [words+128];";
    assert_eq!(one(shared, body), 7);
}

#[test]
fn a_predicate_operand_may_be_a_number() {
    let cases = [([3, 4, 0, 0], 3)];
    expect32("selp.b32 %ro, %ra, %rb, 1;", &cases);
    expect32("selp.b32 %ro, %ra, %rb, 5;", &cases);
    expect32("selp.b32 %ro, %ra, %rb, !0;", &cases);
    expect32("selp.b32 %ro, %rb, %ra, 0;", &cases);
    expect32("selp.b32 %ro, %rb, %ra, !1;", &cases);
    expect32(
        "setp.eq.and.u32 %p, %ra, 3, 1; selp.b32 %ro, 1, 2, %p;",
        &[([3, 0, 0, 0], 1)],
    );
    expect32(
        "setp.eq.and.u32 %p, %ra, 3, 0; selp.b32 %ro, 1, 2, %p;",
        &[([3, 0, 0, 0], 2)],
    );
    expect32("and.pred %p, 1, 1; @%p mov.u32 %ro, 9;", &[([0; 4], 9)]);
    expect32(
        "mov.pred %p, 0; not.pred %p, %p; @%p mov.u32 %ro, 9;",
        &[([0; 4], 9)],
    );
    expect32("vote.sync.ballot.b32 %ro, 1, 1;", &[([0; 4], 1)]);
    expect32("bar.red.popc.u32 %ro, 0, 1;", &[([0; 4], 1)]);
}

/// The frames of two functions lie over each other, and each has its own constants.
#[test]
fn a_false_predicate_is_false_in_every_frame() {
    let functions = "
        .func (.reg .b32 r) fills(.reg .b32 x) {
            .reg .pred q<8>;
            setp.eq.u32 q0, x, x; setp.eq.u32 q1, x, x; setp.eq.u32 q2, x, x; setp.eq.u32 q3, x, x;
            setp.eq.u32 q4, x, x; setp.eq.u32 q5, x, x; setp.eq.u32 q6, x, x; setp.eq.u32 q7, x, x;
            selp.b32 r, 1, 2, q7; ret;
        }
        .func (.reg .b32 r) inner(.reg .b32 x) { selp.b32 r, 100, x, 0; ret; }
        .func (.reg .b32 r) outer(.reg .b32 x) { call (r), inner, (x); ret; }";
    let body = "call (%r1), fills, (5); call (%r0), outer, (7);";
    assert_eq!(one(functions, body), 7);
}

#[test]
fn parameters_and_results_are_registers_numbers_and_param_variables() {
    let functions = "
        .func (.reg .b32 r) in_registers(.reg .b32 x, .reg .b64 y) {
            .reg .b32 low; cvt.u32.u64 low, y; sub.u32 r, x, low; ret;
        }
        .func (.param .b32 r) in_param(.param .b32 x) {
            .reg .b32 t; ld.param.b32 t, [x]; add.u32 t, t, 1; st.param.b32 [r], t; ret;
        }";
    let call = |call: &str| {
        one(
            functions,
            &format!("mov.u32 %r1, 50; mov.u64 %d1, 8; {call}"),
        )
    };
    assert_eq!(call("call (%r0), in_registers, (%r1, %d1);"), 42);
    assert_eq!(call("call (%r0), in_registers, (50, 9);"), 41);
    assert_eq!(call("call (%r0), in_param, (%r1);"), 51);
    assert_eq!(call("call (%r0), in_param, (6);"), 7);
    let mixed = "{ .param .b32 q; st.param.b32 [q], 5; call (%r0), in_param, (q); }";
    assert_eq!(call(mixed), 6);
    let mixed = "{ .param .b32 q; call (q), in_registers, (%r1, %d1); ld.param.b32 %r0, [q]; }";
    assert_eq!(call(mixed), 42);
    assert_eq!(
        call("mov.u32 %r0, 3; call (_), in_registers, (%r1, %d1);"),
        3
    );
    let indirect = "mov.u64 %d2, in_param; P: .callprototype (.reg .b32 _) _ (.reg .b32 _); \
                    call (%r0), %d2, (%r1), P;";
    assert_eq!(call(indirect), 51);
    let nobody = "mov.u32 %r0, 4; mov.u64 %d2, in_param; \
                  P: .callprototype (.reg .b32 _) _ (.reg .b32 _); call (_), %d2, (%r1), P;";
    assert_eq!(call(nobody), 4);
    for (wrong, reason) in [
        ("call (7), in_param, (%r1);", "a result goes to"),
        ("call (%r0), in_param, (_);", "no argument"),
    ] {
        let text = module(functions, wrong);
        let error = Program::load(&text).expect_err(wrong).to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn registers_of_calls_are_their_own_in_a_recursion_and_a_divergent_one() {
    let function = "
        .func (.reg .b32 r) triangle(.reg .b32 n) {
            .reg .pred p; .reg .b32 m;
            mov.u32 r, 0; setp.eq.u32 p, n, 0; @p ret;
            sub.u32 m, n, 1; call (r), triangle, (m); add.u32 r, r, n; ret;
        }";
    let body = "mov.u32 %r1, %tid.x; call (%r2), triangle, (%r1); mul.wide.u32 %d1, %r1, 4; \
                add.u64 %d0, %d0, %d1; st.global.u32 [%d0], %r2; ret;";
    let (words, _) = launch(
        &module(function, body),
        1,
        32,
        32,
        &LaunchOptions::default(),
    )
    .unwrap();
    let expected: Vec<u32> = (0..32).map(|n| n * (n + 1) / 2).collect();
    assert_eq!(words, expected);
}

#[test]
fn vector_registers_are_moved_stored_and_named_by_their_parts() {
    let with = |body: &str| one(".global .align 16 .b32 cells[4] = {5, 6, 7, 8};", body);
    let load = ".reg .v4 .b32 v, w<2>; mov.u64 %d1, cells; ld.global.v4.b32 v, [%d1];";
    for (part, value) in [("x", 5), ("g", 6), ("z", 7), ("a", 8)] {
        assert_eq!(
            with(&format!("{load} mov.b32 %r0, v.{part};")),
            value,
            "{part}"
        );
    }
    let moved = "mov.v4.b32 w1, v; add.u32 w1.x, w1.y, w1.w; mov.b32 %r0, w1.r;";
    assert_eq!(with(&format!("{load} {moved}")), 14);
    let pairs = ".reg .v2 .b32 h; mov.v2.b32 h, {%r1, 3}; mov.b64 %d2, h; shr.u64 %d2, %d2, 32; \
                 cvt.u32.u64 %r0, %d2;";
    assert_eq!(with(pairs), 3);
    let unpacked = ".reg .v2 .b32 h; mov.b64 h, 0x200000001; add.u32 %r0, h.x, h.y;";
    assert_eq!(with(unpacked), 3);
    let stored =
        "mov.v4.b32 w0, {1, 2, 3, 4}; st.global.v4.b32 [%d1], w0; ld.global.b32 %r0, [%d1+8];";
    assert_eq!(with(&format!("{load} {stored}")), 3);
}

/// A product that is read as a part of a vector is not lost to a fused sum.
#[test]
fn a_part_of_a_vector_is_read_where_the_vector_is() {
    let body = ".reg .v2 .f32 v; .reg .f32 s; mov.b32 %r1, 0f40400000;
        mul.f32 v.x, %r1, %r1; mov.f32 v.y, 0f00000000; add.f32 s, v.x, %r1;
        mov.b64 %d1, v; cvt.u32.u64 %r0, %d1;";
    assert_eq!(one("", body), 9f32.to_bits());
}

#[test]
fn modifiers_stand_in_any_order_but_for_types_and_parts_of_opcodes() {
    let bits = |value: f32| u64::from(value.to_bits());
    let sum = [([bits(0.75), bits(0.5), 0, 0], 1f32.to_bits())];
    for order in ["rn.ftz.sat.f32", "sat.f32.rn.ftz", "f32.sat.ftz.rn"] {
        expect32(&format!("add.{order} %ro, %ra, %rb;"), &sum);
    }
    expect32(
        "shfl.b32.idx.sync %ro, %ra, 0, 31, 1;",
        &[([6, 0, 0, 0], 6)],
    );
    expect32(
        "setp.u32.and.lt %p, %ra, %rb, 1; selp.u32 %ro, 1, 2, %p;",
        &[([3, 4, 0, 0], 1)],
    );
    expect32(
        "cvt.f32.f64.sat.rn %ro, %a;",
        &[([2.5f64.to_bits(), 0, 0, 0], 1f32.to_bits())],
    );
    for refused in [
        "mul.s32.lo %ro, %ra, %rb;",
        "cvt.f64.f32.rn %ro, %a;",
        "shf.clamp.l.b32 %ro, %ra, %rb, %rc;",
    ] {
        refusal(refused);
    }
}

#[test]
fn an_address_and_an_offset_are_a_value_to_store() {
    let stored = |space: &str, name: &str| {
        let value = format!(
            ".{space} .align 16 .b8 room[64]; st.{space}.u32 [room+4], {name}+12; ld.{space}.u32 %r0, [room+4]; mov.u32 %r1, {name}; sub.u32 %r0, %r0, %r1;"
        );
        one("", &value)
    };
    assert_eq!(stored("local", "room"), 12);
    assert_eq!(stored("shared", "room"), 12);
}

#[test]
fn votes_and_shuffles_without_a_mask_are_of_the_lanes_that_come_and_of_old_targets() {
    let text = |head: &str| {
        let body = "mov.u32 %r1, %tid.x; setp.lt.u32 %p0, %r1, 5; @!%p0 bra DONE;
            setp.gt.u32 %p1, %r1, 2; vote.ballot.b32 %r2, %p1; vote.any.pred %p2, !%p1;
            @%p2 add.u32 %r2, %r2, 100; shfl.down.b32 %r3, %r1, 1, 31; add.u32 %r2, %r2, %r3;
            @%p1 st.global.u32 [%d0], %r2; DONE: ret;";
        module("", body).replacen(".version 8.0\n.target sm_90", head, 1)
    };
    for head in [".version 6.3\n.target sm_75", ".version 8.0\n.target sm_60"] {
        let (words, _) = launch(&text(head), 1, 4, 1, &LaunchOptions::default()).unwrap();
        // Lane 3 votes alone; the lane above it is not there, and it reads itself or 0.
        assert!(matches!(words[0], 108 | 111), "{head}: {}", words[0]);
    }
    let error = Program::load(&text(".version 6.4\n.target sm_70")).unwrap_err();
    assert!(error.to_string().contains("`.sync` is needed"), "{error}");
}
