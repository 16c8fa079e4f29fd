//! Small files that ask for much: time and memory stay in proportion to the
//! text, and names keep their meaning.

use std::time::{Duration, Instant};

use crate::harness::read32;
use ptx_emulator::{Gpu, Model, Program, refusals};
use ptx_syntax::parse;

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Loads `body` behind a header; the error's text. Anything quadratic in what
/// the tests below hold takes minutes.
#[track_caller]
fn load(body: &str) -> Result<Program, String> {
    let text = format!("{HEAD}{body}");
    let started = Instant::now();
    let loaded = Program::load(&text).map_err(|error| error.to_string());
    let took = started.elapsed();
    assert!(took < Duration::from_secs(20), "{took:?}");
    loaded
}

#[test]
fn a_ladder_of_branches_takes_no_quadratic_time() {
    let rungs = 100_000;
    let mut body = String::from(".entry k() { .reg .pred p;\n");
    for at in 0..rungs {
        let (back, on) = (at.max(1) - 1, rungs.min(at + 2));
        body.push_str(&format!("L{at}: @p bra L{back}; @!p bra L{on};\n"));
    }
    body.push_str(&format!("L{rungs}: ret; }}"));
    load(&body).unwrap();
}

#[test]
fn a_branch_over_everything_takes_no_quadratic_time() {
    let count = 100_000;
    let mut body = String::from(".entry k() { .reg .pred p;\n");
    for at in 0..count {
        body.push_str(&format!("L{at}: @p bra L{};\n", count - 1 - at));
    }
    load(&(body + "ret; }")).unwrap();
}

#[test]
fn many_kernels_with_many_registers_cost_what_they_use() {
    let body: String = (0..20_000)
        .map(|kernel| {
            format!(".entry k{kernel}() {{ .reg .b32 %r<131072>; mov.b32 %r7, %r131071; ret; }}\n")
        })
        .collect();
    load(&body).unwrap();
}

#[test]
fn a_list_of_targets_that_many_branches_share_is_limited() {
    let targets = vec!["L"; 20_000].join(", ");
    let branches = "brx.idx r, T;\n".repeat(20_000);
    let error = load(&format!(
        ".entry k() {{ .reg .b32 r; L: T: .branchtargets {targets};\n{branches} ret; }}"
    ))
    .unwrap_err();
    assert!(
        error.contains("more than 1048576 targets of `brx`"),
        "{error}"
    );
}

#[test]
fn many_shared_variables_and_uses_take_no_quadratic_time() {
    let count = 50_000;
    let declared: String = (0..count)
        .map(|at| format!(".shared .b8 s{at};\n"))
        .collect();
    let used: String = (0..count)
        .map(|at| format!("mov.u64 d, s{at}+1; mov.u64 d, s{at}+2;\n"))
        .collect();
    load(&format!(
        "{declared} .entry k() {{ .reg .b64 d;\n{used} ret; }}"
    ))
    .unwrap();
}

#[test]
fn deep_scopes_with_many_names_take_no_quadratic_time() {
    let labels: String = (0..50_000)
        .map(|at| format!("L{at}: bra L{at};\n"))
        .collect();
    let (open, close) = ("{".repeat(60), "}".repeat(60));
    load(&format!(
        ".entry k() {{ X: {open} {labels} bra X; {close} ret; }}"
    ))
    .unwrap();
}

/// Of a chain of inlined calls, a refusal needs the first line only.
#[test]
fn many_refusals_deep_in_inlined_calls_take_no_quadratic_time() {
    let mut text = format!("{HEAD}.file 1 \"a.rs\"\n.entry k() {{\n.loc 1 1 1\n");
    for line in 2..100_000 {
        let caller = line - 1;
        text.push_str(&format!(
            ".loc 1 {line} 1, function_name f, inlined_at 1 {caller} 1\n"
        ));
    }
    text.push_str(&"fancy;\n".repeat(5000));
    text.push('}');
    let started = Instant::now();
    let refused = refusals(&text).unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(refused.len(), 1000);
    assert_eq!(refused[0].source_line.as_deref(), Some("a.rs:99999"));
}

#[test]
fn registers_of_a_range_are_its_own_and_no_others() {
    let kernel = |text: &str| load(&format!(".entry k() {{ {text} ret; }}"));
    kernel(".reg .b32 %r<4>; mov.b32 %r3, %r0;").unwrap();
    kernel(".reg .b32 %r<0>; .reg .b32 %r0;").unwrap();
    // `%r1<2>` is `%r10` and `%r11`; `%r01` is in no range.
    kernel(".reg .b32 %r<10>; .reg .b64 %r1<2>; mov.b64 %r11, %r10; mov.b32 %r9, %r1;").unwrap();
    kernel(".reg .b32 %r<4>; .reg .b64 %r01; mov.b64 %r01, 0;").unwrap();
    // An inner range hides an outer register, also after the outer was used.
    kernel(
        ".reg .b32 %r<4>; mov.b32 %r1, 0; { .reg .b64 %r<2>; mov.b64 %r1, 0; mov.b32 %r3, 0; } \
         mov.b32 %r1, 0;",
    )
    .unwrap();
    kernel(".reg .b32 %r<4>; { .reg .b64 %r1; mov.b64 %r1, 0; } mov.b32 %r1, 0;").unwrap();
    for unknown in ["%r4", "%r01", "%r", "%r00", "%r1000000", "%r4294967297"] {
        let error = kernel(&format!(".reg .b32 %r<4>; mov.b32 {unknown}, 0;")).unwrap_err();
        assert!(error.contains("no register"), "{unknown}: {error}");
    }
    for twice in [
        ".reg .b32 %r<4>; .reg .b32 %r3;",
        ".reg .b32 %r3; .reg .b32 %r<4>;",
        ".reg .b32 %r<4>; .reg .b32 %r<2>;",
        ".reg .b32 %r<11>; .reg .b32 %r1<2>;",
        ".reg .b32 %r1<2>; .reg .b32 %r<11>;",
        ".reg .b32 %r<2>; mov.b32 %r1, 0; .reg .b32 %r1;",
        ".reg .b32 %r<2>; %r1: mov.b32 %r0, 0;",
    ] {
        let error = kernel(twice).unwrap_err();
        assert!(
            error.contains("this name exists already"),
            "{twice}: {error}"
        );
    }
    let error = kernel(".reg .b64 %a<131072>; .reg .b64 %b<131072>; .reg .b64 %c;").unwrap_err();
    assert!(error.contains("more than 262144 registers"), "{error}");
}

#[test]
fn one_name_is_an_entry_or_a_function() {
    let error = load(".func f(); .entry f() { ret; }").unwrap_err();
    assert!(error.contains("both as `.entry` and as `.func`"), "{error}");
}

#[test]
fn an_open_array_of_vectors_counts_its_vectors() {
    let text = format!("{HEAD}.global .v4 .f32 x[] = {{1.0, 2.0, 3.0, 4.0, 5.0}};");
    let module = parse(&text).unwrap();
    let array = module.variables().next().unwrap();
    assert_eq!(array.elements, Some(2));
    assert_eq!(array.bytes(), 32);
}

/// The second kernel that names a shared variable has a place for it, too.
#[test]
fn two_kernels_share_the_name_of_a_shared_variable() {
    let program = load(
        ".shared .align 4 .b8 pad[64]; .shared .b32 x;
         .entry first() { .reg .b64 %d; mov.u64 %d, pad; ret; }
         .entry second(.param .u64 out) { .reg .b64 %d<3>; .reg .b32 %r<2>;
             ld.param.u64 %d0, [out]; mov.u64 %d1, pad; mov.u64 %d2, x;
             st.shared.b32 [%d1], 1; st.shared.b32 [%d2], 2;
             ld.shared.b32 %r0, [%d1]; st.global.b32 [%d0], %r0;
             ld.shared.b32 %r1, [%d2]; st.global.b32 [%d0+4], %r1; ret; }",
    )
    .unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let out = gpu.alloc(8).unwrap();
    let parameters: [&[u8]; 1] = [&out.to_le_bytes()];
    gpu.launch(&program, "second", [1, 1, 1], [1, 1, 1], 0, &parameters)
        .unwrap();
    assert_eq!(read32(&gpu, out, 2), [1, 2]);
}
