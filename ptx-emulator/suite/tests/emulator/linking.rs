//! Several modules as one program.

use crate::harness::read32;
use ptx_emulator::{Checks, Gpu, LaunchOptions, LoadError, LoadOptions, Model, Program, Shape};

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Two words that `k` of the first module writes, and all that the checks say.
fn run(modules: &[String]) -> (Vec<u32>, String) {
    let texts: Vec<&str> = modules.iter().map(String::as_str).collect();
    let program = Program::link(&texts, &LoadOptions::default()).unwrap();
    let mut gpu = Gpu::new(Model::h200());
    let out = gpu.alloc(8).unwrap();
    let shape = Shape {
        grid: [1, 1, 1],
        block: [1, 1, 1],
        shared_bytes: 0,
    };
    let parameters: [&[u8]; 1] = [&out.to_le_bytes()];
    let options = LaunchOptions::default();
    let checked = gpu
        .check(&program, "k", shape, &parameters, &options, Checks::all())
        .unwrap();
    (read32(&gpu, out, 2), checked.to_string())
}

fn module(text: &str) -> String {
    format!("{HEAD}{text}")
}

const MAIN: &str = "
    .file 1 \"main.cu\"
    .extern .func (.param .b32 r) next(.param .b32 x);
    .extern .global .b32 counter[];
    .global .b32 own = 3;
    .func (.reg .b32 r) helper(.reg .b32 x) { add.u32 r, x, 100; ret; }
    .visible .entry k(.param .u64 out) {
        .reg .b32 %r<4>; .reg .b64 %d;
        ld.param.u64 %d, [out];
        ld.global.u32 %r1, [counter]; call (%r0), next, (%r1);
        st.global.u32 [%d], %r0;
        ld.global.u32 %r1, [own]; call (%r2), helper, (%r1);
        st.global.u32 [%d+4], %r2; ret; }";
const PART: &str = "
    .file 1 \"part.cu\"
    .visible .global .b32 counter[2] = {41, 7};
    .global .b32 own = 1000;
    .func (.reg .b32 r) helper(.reg .b32 x) { .reg .b32 t; ld.global.u32 t, [own]; add.u32 r, x, t; ret; }
    .visible .func (.param .b32 r) next(.param .b32 x) {
        .reg .b32 t; .shared .b32 room;
        .loc 1 5 1
        ld.shared.u32 t, [room];
        ld.param.u32 t, [x]; call (t), helper, (t); st.param.b32 [r], t; ret; }";

#[test]
fn names_with_a_linkage_are_shared_and_others_are_each_modules_own() {
    for order in [[MAIN, PART], [PART, MAIN]] {
        let (words, _) = run(&order.map(module));
        assert_eq!(words, [1041, 103]);
    }
}

#[test]
fn a_name_without_a_linkage_is_no_other_modules_in_whatever_order() {
    let shown = ".visible .global .b32 own = 5;
        .visible .func (.reg .b32 r) helper(.reg .b32 x) { mov.u32 r, 9; ret; }";
    for order in [[MAIN, PART, shown], [shown, PART, MAIN]] {
        let texts = order.map(module);
        let (words, _) = run(&texts);
        assert_eq!(words, [1041, 103]);
    }
}

#[test]
fn a_variable_that_two_modules_define_is_refused_in_the_second() {
    let texts = [MAIN, PART, ".visible .global .b32 counter[2];"].map(module);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (index, error) = Program::link(&texts, &LoadOptions::default()).unwrap_err();
    assert_eq!(index, 2);
    assert!(
        error.to_string().contains("this name exists already"),
        "{error}"
    );
}

#[test]
fn of_weak_functions_in_two_modules_one_counts_and_a_visible_one_before_them() {
    let main = ".extern .func (.param .b32 r) next(.param .b32 x);
        .weak .func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }
        .visible .entry k(.param .u64 out) {
            .reg .b32 %r<4>; .reg .b64 %d; ld.param.u64 %d, [out];
            call (%r0), next, (5); st.global.u32 [%d], %r0;
            call (%r1), twice, (7); st.global.u32 [%d+4], %r1; ret; }";
    let next = ".visible .func (.param .b32 r) next(.param .b32 x) {
            .reg .b32 t; ld.param.u32 t, [x]; call (t), twice, (t); st.param.b32 [r], t; ret; }";
    let part = |twice: &str| format!(".{twice} {next}");
    let weak = part("weak .func (.reg .b32 r) twice(.reg .b32 x) { shl.b32 r, x, 1; ret; }");
    let visible =
        part("visible .func (.reg .b32 r) twice(.reg .b32 x) { mul.lo.u32 r, x, 10; ret; }");
    for (part, words) in [(&weak, [10, 14]), (&visible, [50, 70])] {
        for order in [[main, part.as_str()], [part.as_str(), main]] {
            assert_eq!(run(&order.map(module)).0, words);
        }
    }
    let twice = [main, visible.as_str(), ".visible .func twice() { ret; }"].map(module);
    let texts: Vec<&str> = twice.iter().map(String::as_str).collect();
    let (index, _) = Program::link(&texts, &LoadOptions::default()).unwrap_err();
    assert_eq!(index, 2);
}

#[test]
fn the_widest_alignment_of_a_variables_declarations_counts() {
    let declared = ".extern .global .b8 data[];
        .visible .entry k(.param .u64 out) {
            .reg .b32 %r; .reg .b64 %d, %a; ld.param.u64 %d, [out]; mov.u64 %a, data;
            and.b64 %a, %a, 127; cvt.u32.u64 %r, %a; st.global.u32 [%d], %r;
            st.global.u32 [%d+4], 1; ret; }";
    let before = ".global .b8 odd = 1; ";
    let defined = ".visible .global .align 128 .b8 data[4];";
    let texts = [format!("{before}{declared}"), defined.into()].map(|text| module(&text));
    assert_eq!(run(&texts).0, [0, 1]);
}

#[test]
fn a_finding_in_another_module_has_its_text_and_its_source() {
    for order in [[MAIN, PART], [PART, MAIN]] {
        let (_, said) = run(&order.map(module));
        assert!(
            said.contains("part.cu:5") && said.contains("`ld.shared.u32 t, [room];`"),
            "{said}"
        );
    }
}

#[test]
fn a_module_that_cannot_be_loaded_is_named_by_its_index() {
    let fails = |second: &str| {
        let texts = [module(MAIN), module(second)];
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        Program::link(&texts, &LoadOptions::default()).unwrap_err()
    };
    assert!(matches!(fails("oops"), (1, LoadError::Parse(_))));
    assert!(matches!(
        fails(&format!("{PART} .visible .entry e() {{ oops; }}")),
        (1, _)
    ));
    let (index, error) = fails("");
    assert_eq!(index, 0);
    assert!(error.to_string().contains("`next` has no body"), "{error}");
    let twice = ".visible .entry k() { ret; }";
    assert!(
        fails(&format!("{PART}{twice}"))
            .1
            .to_string()
            .contains("this name exists already")
    );
}
