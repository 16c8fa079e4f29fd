//! Which bytes, which kinds of access: one block, or blocks that never meet.

use super::*;
use crate::observe::Memory;

#[test]
fn lanes_of_one_instruction_that_write_one_word_race() {
    let found = racy(
        (1, 32),
        "st.shared.u32 [tile], %r0;",
        &[("st.shared", "st.shared")],
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].count, 31, "each lane after the first");
    assert_eq!(found[0].memory, Some((Memory::Shared, 0, 4)));
    assert!(
        found[0].message.contains("two lanes of one instruction"),
        "{found:?}"
    );
    assert!(found[0].message.starts_with("write after write"));
    silent(
        (1, 32),
        "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [tile], %r0;",
    );
    silent((1, 32), "red.shared.add.u32 [tile], %r0;");
    silent((1, 32), "st.volatile.shared.u32 [tile], %r0;");
}

#[test]
fn both_places_are_named() {
    let body = "mov.u32 %r6, 5; setp.eq.u32 %p0, %r1, 1; @%p0 bra READ;
         st.global.u32 [%d0+8], %r6; ret;
         READ: ld.global.u32 %r7, [%d0+8];";
    let found = racy((2, 1), body, &[("st.global", "ld.global")]);
    assert_eq!(found.len(), 1);
    let (at, other) = (found[0].at, found[0].other.unwrap());
    assert_eq!((at.block, at.thread, at.verb), (1, 0, "reads"));
    assert_eq!((other.block, other.thread, other.verb), (0, 0, "writes"));
    assert!(
        found[0].message.starts_with("read after write"),
        "{found:?}"
    );
    let Some((Memory::Global, address, 4)) = found[0].memory else {
        panic!("{found:?}");
    };
    assert_eq!(address % 256, 8);
}

#[test]
fn distinct_bytes_of_a_word_do_not_race() {
    let byte = "add.u32 %r6, %r3, %r0; mov.u16 %h0, 1;";
    silent(
        (1, 64),
        &format!("{byte} st.shared.u8 [%r6], %h0; ld.shared.u8 %h1, [%r6];"),
    );
    racy(
        (1, 64),
        &format!("{byte} and.b32 %r6, %r6, -2; st.shared.u16 [%r6], %h0;"),
        &[("st.shared.u16", "st.shared.u16")],
    );
    // One reads the whole word that others write by bytes.
    let read = "setp.eq.u32 %p0, %r0, 40; @%p0 ld.shared.u32 %r7, [%r3+8];";
    racy(
        (1, 64),
        &format!("{byte} st.shared.u8 [%r6], %h0; {read}"),
        &[("st.shared.u8", "ld.shared.u32")],
    );
    silent(
        (1, 64),
        &format!("{byte} st.shared.u8 [%r6], %h0; bar.sync 0; {read}"),
    );
}

#[test]
fn a_write_over_one_byte_leaves_the_others_to_who_wrote_them() {
    // Thread 0 writes the word, then a byte; thread 32 reads another byte.
    let write = "mov.u16 %h0, 1; setp.ne.u32 %p0, %r0, 0; @%p0 bra OVER;
         st.shared.u32 [tile], %r0; st.shared.u8 [tile+1], %h0; OVER:";
    let read = "setp.eq.u32 %p1, %r0, 32; @%p1 ld.shared.u8 %h1, [tile+2];";
    racy(
        (1, 64),
        &format!("{write} {read}"),
        &[("st.shared.u32", "ld.shared")],
    );
    silent((1, 64), &format!("{write} bar.sync 0; {read}"));
}

#[test]
fn atomics_do_not_race_with_strong_accesses_of_their_size() {
    let update = "setp.ge.u32 %p0, %r0, 32; @%p0 bra READ;
         atom.shared.add.u32 %r6, [tile], 1; bra END; READ:";
    let end = "END:";
    racy(
        (1, 64),
        &format!("{update} ld.shared.u32 %r7, [tile]; {end}"),
        &[("atom.shared", "ld.shared")],
    );
    for strong in [
        "ld.relaxed.cta.shared.u32 %r7, [tile];",
        "ld.volatile.shared.u32 %r7, [tile];",
        "ld.acquire.gpu.shared.u32 %r7, [tile];",
        "atom.shared.max.u32 %r7, [tile], 3;",
        "st.relaxed.cta.shared.u32 [tile], 3;",
    ] {
        silent((1, 64), &format!("{update} {strong} {end}"));
    }
    let found = racy(
        (1, 64),
        &format!("{update} atom.shared.add.u64 %d3, [tile], 1; {end}"),
        &[("add.u32", "add.u64")],
    );
    assert!(found[0].message.contains("different sizes"), "{found:?}");
}

#[test]
fn strong_vectors_are_compared_by_their_elements() {
    // The lower warp accesses a vector, the upper one its second half.
    let body = |vector: &str, half: &str| {
        format!(
            "setp.ge.u32 %p0, %r0, 32; @%p0 bra HALF; {vector} bra END; HALF: {half}
             END:"
        )
    };
    let two = "st.relaxed.gpu.global.v2.b32 [%d0], {%r6, %r7};";
    let four = "st.relaxed.gpu.global.v4.b32 [%d0], {%r6, %r7, %r8, %r9};";
    let wide = "st.relaxed.gpu.global.b64 [%d0], %d3;";
    let wide_two = "st.relaxed.gpu.global.v2.b64 [%d0], {%d3, %d4};";
    let half = "ld.relaxed.gpu.global.b32 %r10, [%d0+4];";
    let wide_half = "ld.relaxed.gpu.global.b64 %d5, [%d0+8];";
    let written = "st.relaxed.gpu.global.b32 [%d0+4], %r0;";
    for (vector, half) in [
        (two, half),
        (two, written),
        (four, half),
        (four, "ld.relaxed.gpu.global.v2.b32 {%r10, %r11}, [%d0+8];"),
        (wide_two, wide_half),
    ] {
        silent((1, 64), &body(vector, half));
    }
    for (vector, half) in [
        (wide, half),
        (wide, written),
        (four, wide_half),
        (wide_two, half),
        (wide, "ld.relaxed.gpu.global.v2.b32 {%r10, %r11}, [%d0];"),
    ] {
        let found = racy(
            (1, 64),
            &body(vector, half),
            &[(vector.trim(), half.trim())],
        );
        assert!(found[0].message.contains("different sizes"), "{found:?}");
    }
}

#[test]
fn packed_atomics_are_two_accesses() {
    let body = |other: &str| {
        format!(
            "setp.ge.u32 %p0, %r0, 32; @%p0 bra OTHER;
             red.global.add.noftz.f16x2 [%d0], %r6; bra END; OTHER: {other} END:"
        )
    };
    silent((1, 64), &body("red.global.add.noftz.f16 [%d0+2], %h0;"));
    racy(
        (1, 64),
        &body("red.global.add.u32 [%d0], %r6;"),
        &[("f16x2", "add.u32")],
    );
}

#[test]
fn scopes_have_to_hold_both_threads() {
    racy(
        (2, 32),
        "red.cta.global.add.u32 [%d0], 1;",
        &[("red.cta", "red.cta")],
    );
    silent((2, 32), "red.global.add.u32 [%d0], 1;");
    silent((1, 64), "red.cta.global.add.u32 [%d0], 1;");
    // One side's wide scope does not help.
    let mixed = "setp.eq.u32 %p0, %r1, 0; @%p0 red.cta.global.add.u32 [%d0], 1;
         @!%p0 red.gpu.global.add.u32 [%d0], 1;";
    let found = racy((2, 32), mixed, &[("red.cta", "red.gpu")]);
    assert!(found[0].message.contains("scope"), "{found:?}");
}

#[test]
fn blocks_that_write_their_own_words_are_silent() {
    silent(
        (4, 64),
        "st.global.u32 [%d2], %r0; ld.global.u32 %r6, [%d2];",
    );
    racy(
        (4, 64),
        "st.global.u32 [%d1], %r0;",
        &[("st.global", "st.global")],
    );
    silent(
        (8, 64),
        "ld.global.u32 %r6, [%d0]; ld.global.u32 %r7, [%d1];",
    );
}

#[test]
fn a_weak_read_by_any_of_many_is_remembered() {
    // The reader, then updates it itself: what follows is still a race.
    let body = "setp.eq.u32 %p0, %r1, 0; @!%p0 bra OTHERS;
         ld.global.u32 %r6, [%d0]; red.global.add.u32 [%d0], 1; ret;
         OTHERS: red.global.max.u32 [%d0], 1;";
    racy((4, 1), body, &[("ld.global", "red.global.max")]);
    silent((4, 1), &body.replace("ld.global", "ld.relaxed.gpu.global"));
}

#[test]
fn broadcast_reads_come_before_a_later_write_when_a_barrier_says_so() {
    let write = "setp.eq.u32 %p0, %r0, 77; @%p0 st.shared.u32 [tile], %r0;";
    racy(
        (1, 128),
        &format!("ld.shared.u32 %r6, [tile]; {write}"),
        &[("ld.shared", "st.shared")],
    );
    silent(
        (1, 128),
        &format!("ld.shared.u32 %r6, [tile]; bar.sync 0; {write}"),
    );
}

#[test]
fn more_readers_than_a_cell_holds_still_race_with_a_writer() {
    let body = "ld.global.u32 %r6, [%d0]; setp.eq.u32 %p0, %r1, 150;
         @%p0 st.global.u32 [%d0], %r6;";
    racy((200, 1), body, &[("ld.global", "st.global")]);
}

#[test]
fn vectors_touch_all_their_bytes() {
    let write = "shl.b32 %r6, %r0, 4; add.u32 %r6, %r3, %r6;
         st.shared.v4.u32 [%r6], {%r0, %r0, %r0, %r0};";
    let read = "mov.u32 %r8, 63; sub.u32 %r7, %r8, %r0; shl.b32 %r7, %r7, 4;
         add.u32 %r7, %r3, %r7; ld.shared.v2.u32 {%r8, %r9}, [%r7+8];";
    racy(
        (1, 64),
        &format!("{write} {read}"),
        &[("st.shared.v4", "ld.shared.v2")],
    );
    silent((1, 64), &format!("{write} bar.sync 0; {read}"));
    // A vector and the word after it.
    let next = "setp.eq.u32 %p0, %r0, 0; @%p0 st.global.v4.u32 [%d0], {%r0, %r0, %r0, %r0};
         setp.eq.u32 %p1, %r0, 32; @%p1 ld.global.u32 %r6, [%d0+OFFSET];";
    silent((1, 64), &next.replace("OFFSET", "16"));
    racy(
        (1, 64),
        &next.replace("OFFSET", "12"),
        &[("st.global.v4", "ld.global")],
    );
}

#[test]
fn generic_addresses_reach_the_same_memory() {
    let body = "cvta.shared.u64 %d3, tile; setp.eq.u32 %p0, %r0, 0; @%p0 st.u32 [%d3], %r0;
         BARRIER setp.eq.u32 %p1, %r0, 1; @%p1 ld.shared.u32 %r6, [tile];";
    racy(
        (1, 32),
        &body.replace("BARRIER", ""),
        &[("st.u32", "ld.shared")],
    );
    silent((1, 32), &body.replace("BARRIER", "bar.sync 0;"));
}

#[test]
fn local_memory_is_a_threads_own() {
    silent(
        (2, 64),
        ".local .align 8 .b8 depot[64]; st.local.u32 [depot], %r0; ld.local.u32 %r6, [depot];",
    );
}

#[test]
fn a_wild_address_is_the_machines_to_refuse() {
    for body in [
        "mov.b64 %d3, -4; ld.global.v2.u32 {%r6, %r7}, [%d3];",
        "mov.b64 %d3, -4; red.release.gpu.global.add.u64 [%d3], 1;",
        "mov.u32 %r6, -4; st.shared.u32 [%r6], %r0;",
    ] {
        let program = load(body);
        let mut gpu = Gpu::new(Model::h200());
        let shape = Shape {
            grid: [1, 1, 1],
            block: [1, 1, 1],
            shared_bytes: 0,
        };
        let options = LaunchOptions::default();
        let parameters: [&[u8]; 1] = [&[0; 8]];
        let seen = gpu
            .launch_observed(
                &program,
                "test",
                shape,
                &parameters,
                &options,
                Races::default(),
            )
            .unwrap();
        assert!(seen.outcome.is_err(), "{body}");
        assert!(seen.observer.findings().is_empty(), "{body}");
    }
}
