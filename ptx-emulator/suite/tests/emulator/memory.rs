//! Loads, stores, spaces, bounds; expected values by hand.

use crate::harness;
use crate::harness::{expect32, expect64, launch, module};
use ptx_emulator::{
    FaultKind, Gpu, LaunchError, LaunchOptions, MemoryError, Model, Program, Shape,
};

#[test]
fn every_width_is_cut_and_extended() {
    let cases = [([0x8182_8384_8586_8788u64, 0, 0, 0], 0)];
    let with = |expected: u64| [(cases[0].0, expected)];
    expect64("ld.global.u8 %o, [%in];", &with(0x88));
    expect64("ld.global.s8 %o, [%in+1];", &with(0xffff_ffff_ffff_ff87));
    expect64("ld.global.s16 %o, [%in+2];", &with(0xffff_ffff_ffff_8586));
    expect64("ld.global.s32 %o, [%in+4];", &with(0xffff_ffff_8182_8384));
    expect64(
        "ld.global.nc.L1::no_allocate.b64 %o, [%in];",
        &with(cases[0].0[0]),
    );
    expect64("ld.u32 %o, [%in+4];", &with(0x8182_8384));
    expect64(
        "st.global.u8 [%in+8], %a; st.global.b16 [%in+10], %ha; ld.global.b64 %o, [%in+8];",
        &with(0x8788_0088),
    );
}

#[test]
fn vectors_are_loaded_and_stored_by_element() {
    expect32(
        "ld.global.v4.u32 {%ra, %rb, %rc, %rd}, [%in+16]; add.u32 %ro, %ra, %rd;",
        &[([0, 0, 0x2_0000_0001, 0x4_0000_0003], 5)],
    );
    expect64(
        "st.global.v2.b64 [%in], {%b, 7}; ld.global.v2.u64 {%c, %d}, [%in]; add.u64 %o, %c, %d;",
        &[([0, 5, 0, 0], 12)],
    );
    expect32(
        "ld.global.v2.u32 {%ra, _}, [%in]; mov.b32 %ro, %ra;",
        &[([9, 0, 0, 0], 9)],
    );
}

#[test]
fn local_memory_belongs_to_the_lane() {
    let declarations = "";
    let body = ".local .align 8 .b8 depot[64]; .reg .b64 %SP, %SPL;
        mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL;
        mov.u32 %r1, %laneid; st.local.u32 [%SPL+12], %r1; st.u32 [%SP+16], %r1;
        ld.u32 %r2, [%SP+12]; ld.local.u32 %r3, [depot+16]; add.u32 %r4, %r2, %r3;
        isspacep.local %p0, %SP; selp.u32 %r5, 100, 0, %p0; add.u32 %r4, %r4, %r5;
        mul.wide.u32 %d1, %r1, 4; add.s64 %d1, %d0, %d1; st.global.u32 [%d1], %r4; ret;";
    let (out, _) = launch(
        &module(declarations, body),
        1,
        32,
        32,
        &LaunchOptions::default(),
    )
    .unwrap();
    for (lane, &value) in out.iter().enumerate() {
        assert_eq!(value, 2 * lane as u32 + 100);
    }
}

#[test]
fn elements_and_constant_expressions_are_addresses_and_immediates() {
    let declarations = ".const .align 4 .b32 table[2*2] = {10, 2*10, 3 << 1, (40)};
        .global .align 8 .v2 .b32 pairs[2] = {1, 2, 3, 4};";
    let body = ".shared .b16 halves[4]; .reg .b16 %h;
        ld.const.u32 %r1, table[2-1]; ld.const.u32 %r2, [table+4*2]; add.u32 %r1, %r1, %r2;
        ld.global.u32 %r2, pairs[1]; add.u32 %r1, %r1, %r2;
        mov.u64 %d1, pairs[1]; ld.global.u32 %r2, [%d1+2*2]; add.u32 %r1, %r1, %r2;
        mov.u32 %r3, halves; mov.u32 %r4, halves[3]; sub.u32 %r4, %r4, %r3;
        add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, 5+1; st.global.u32 [%d0], %r1; ret;";
    let options = LaunchOptions::default();
    let (out, _) = launch(&module(declarations, body), 1, 1, 1, &options).unwrap();
    assert_eq!(out[0], (20 + 6) + 3 + 4 + 6 + 6);
    for (bad, reason) in [
        ("mov.u64 %d1, test[1];", "`test` is a function"),
        (
            "mov.u64 %d1, %d0[1];",
            "`%d0` has no address that is known at load",
        ),
        ("mov.u64 %d1, table[1<<62];", "`table` has no element"),
    ] {
        let refused = Program::load(&module(declarations, &format!("{bad} ret;"))).unwrap_err();
        assert!(refused.to_string().contains(reason), "{bad} {refused}");
    }
}

#[test]
fn constants_globals_and_pointers_between_them_are_initialised() {
    let declarations = ".const .align 4 .b32 table[4] = {10, 20, 30, 40};
        .global .align 4 .b32 counter = 5;
        .global .u64 where = counter;
        .const .u64 generically = generic(table)+4;";
    let body = "ld.const.u32 %r1, [table+8]; ld.global.u64 %d1, [where]; ld.global.u32 %r2, [%d1];
        ld.const.u64 %d2, [generically]; ld.u32 %r3, [%d2];
        add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.global.u32 [%d0], %r1; ret;";
    let (out, _) = launch(
        &module(declarations, body),
        1,
        1,
        1,
        &LaunchOptions::default(),
    )
    .unwrap();
    assert_eq!(out, [30 + 5 + 20]);
}

#[test]
fn shared_memory_static_and_dynamic_is_the_blocks() {
    let ptx = module(
        ".shared .align 4 .b32 fixed[32]; .extern .shared .align 16 .b8 more[];",
        "mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; mov.u64 %d2, fixed; mov.u64 %d3, more;
         add.s64 %d2, %d2, %d1; add.s64 %d3, %d3, %d1; add.s64 %d4, %d0, %d1;
         st.shared.u32 [%d2], %r0; cvta.shared.u64 %d5, %d3; mov.u32 %r1, 100; st.u32 [%d5], %r1;
         bar.sync 0; xor.b32 %r2, %r0, 31; mul.wide.u32 %d6, %r2, 4; mov.u64 %d7, fixed; add.s64 %d7, %d7, %d6;
         ld.shared.u32 %r3, [%d7]; ld.shared.u32 %r4, [%d3]; add.u32 %r3, %r3, %r4; st.global.u32 [%d4], %r3; ret;",
    );
    let program = Program::load(&ptx).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let out = gpu.alloc(128).unwrap();
    let report = gpu.launch(
        &program,
        "test",
        [1, 1, 1],
        [32, 1, 1],
        128,
        &[&out.to_le_bytes()],
    );
    report.unwrap();
    for (lane, value) in harness::read32(&gpu, out, 32).into_iter().enumerate() {
        assert_eq!(value, 31 - lane as u32 + 100);
    }
    // Without the dynamic part the access is out of bounds.
    let error = gpu
        .launch(
            &program,
            "test",
            [1, 1, 1],
            [32, 1, 1],
            0,
            &[&out.to_le_bytes()],
        )
        .unwrap_err();
    let LaunchError::Fault(fault) = error else {
        panic!("{error}")
    };
    assert!(
        matches!(
            fault.kind,
            FaultKind::OutOfBounds {
                room: "shared",
                address: 128,
                bytes: 4,
                ..
            }
        ),
        "{fault}"
    );
}

#[test]
fn each_kernel_of_a_module_has_the_shared_variables_that_it_names() {
    let mut text = ".version 8.0 .target sm_90 .address_size 64 .shared .b32 cell;".to_owned();
    for name in ["first", "second"] {
        text.push_str(&format!(
            ".visible .entry {name}(.param .u64 out) {{
                 .reg .b32 %r<3>; .reg .b64 %d<2>;
                 ld.param.u64 %d0, [out];
                 mov.u32 %r0, cell;
                 mov.u32 %r1, 7;
                 st.shared.u32 [%r0], %r1;
                 ld.shared.u32 %r2, [%r0];
                 st.global.u32 [%d0], %r2;
                 ret;
             }}"
        ));
    }
    let program = Program::load(&text).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    for name in ["first", "second"] {
        let out = gpu.alloc(4).unwrap();
        gpu.launch(&program, name, [1; 3], [1; 3], 0, &[&out.to_le_bytes()])
            .unwrap();
        assert_eq!(harness::read32(&gpu, out, 1), [7], "{name}");
    }
}

fn fault(body: &str) -> FaultKind {
    match launch(&module("", body), 1, 32, 4, &LaunchOptions::default()) {
        Err(LaunchError::Fault(fault)) => fault.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn wrong_addresses_stop_the_kernel() {
    assert!(matches!(
        fault("ld.global.u32 %r1, [%d0+16]; ret;"),
        FaultKind::OutOfBounds { room: "global", .. }
    ));
    assert!(matches!(
        fault("ld.global.u32 %r1, [%d0-4]; ret;"),
        FaultKind::OutOfBounds { .. }
    ));
    assert!(matches!(
        fault("ld.global.u64 %d1, [%d0+4]; ret;"),
        FaultKind::Misaligned { bytes: 8, .. }
    ));
    assert!(matches!(
        fault("mov.b64 %d1, 0; st.u32 [%d1], 1; ret;"),
        FaultKind::OutOfBounds { address: 0, .. }
    ));
    assert!(matches!(
        fault("ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d0+8]; ret;"),
        FaultKind::OutOfBounds { bytes: 16, .. }
    ));
}

#[test]
fn freed_memory_is_not_used_again() {
    let program = Program::load(&module("", "ld.global.u32 %r1, [%d0]; ret;")).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let (first, second) = (gpu.alloc(64).unwrap(), gpu.alloc(64).unwrap());
    gpu.free(first).unwrap();
    assert!(gpu.alloc(64).unwrap() > second);
    let error = gpu
        .launch(
            &program,
            "test",
            [1, 1, 1],
            [1, 1, 1],
            0,
            &[&first.to_le_bytes()],
        )
        .unwrap_err();
    let LaunchError::Fault(fault) = error else {
        panic!("{error}")
    };
    assert_eq!(
        fault.kind,
        FaultKind::UseAfterFree {
            address: first,
            bytes: 4
        }
    );
    assert_eq!(
        gpu.free(first),
        Err(MemoryError::NotAllocated {
            address: first,
            bytes: 0
        })
    );
    assert!(matches!(
        gpu.copy_in(second, &[0; 65]),
        Err(MemoryError::NotAllocated { .. })
    ));
    assert!(matches!(gpu.alloc(1 << 60), Err(MemoryError::Full { .. })));
}

#[test]
fn launches_that_do_not_fit_say_why() {
    let program = Program::load(&module("", "ret;")).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let zero = 0u64.to_le_bytes();
    let mut say = |kernel: &str, grid, block, shared, parameters: &[&[u8]]| {
        gpu.launch(&program, kernel, grid, block, shared, parameters)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        say("nothing", [1, 1, 1], [1, 1, 1], 0, &[&zero]),
        "no kernel `nothing`; the program has: test"
    );
    assert!(say("test", [1, 1, 1], [1025, 1, 1], 0, &[&zero]).contains("allowed are 1 to 1024"));
    assert!(say("test", [1, 1, 1], [64, 32, 1], 0, &[&zero]).contains("a block of 2048 threads"));
    assert!(say("test", [0, 1, 1], [1, 1, 1], 0, &[&zero]).contains("grid.x is 0"));
    assert!(say("test", [1, 1, 1], [1, 1, 1], 1 << 20, &[&zero]).contains("shared memory"));
    assert!(say("test", [1, 1, 1], [1, 1, 1], 0, &[&[0; 4]]).contains("has 8 bytes, not 4"));
}

#[test]
fn a_launch_that_faults_reports_what_it_ran() -> Result<(), LaunchError> {
    // Behind the harness's load: a move, and the store that faults.
    let body = "mov.u32 %r1, 7; st.global.u32 [%d0], %r1; ret;";
    let program = Program::load(&module("", body)).unwrap();
    let shape = Shape {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        shared_bytes: 0,
    };
    let mut gpu = Gpu::new(Model::h200());
    let options = LaunchOptions::default();
    let zero = 0u64.to_le_bytes();
    let seen = gpu.launch_observed(&program, "test", shape, &[&zero], &options, ())?;
    assert!(seen.outcome.is_err());
    assert_eq!(seen.report.warp_instructions, 3);
    Ok(())
}
