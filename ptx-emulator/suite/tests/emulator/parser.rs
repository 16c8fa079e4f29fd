//! From text to a program: what is refused, and where.

use ptx_emulator::{LoadError, Program};

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

/// Every prefix of a real module, and the module with single bytes changed,
/// either parses or gives an error; nothing panics or hangs.
#[test]
fn damaged_modules_never_panic() {
    let text = include_str!("../../../tests/fixtures/quarter_circle.ptx");
    for end in 0..text.len() {
        let _ = Program::load(&text[..end]);
    }
    let mut state = 1u64;
    for _ in 0..3000 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..4 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = b" \n.;,{}[]()<>%$_019afxr+-@!|\"/*"[(state >> 20) as usize % 31];
        }
        let _ = Program::load(std::str::from_utf8(&bytes).unwrap());
    }
}

#[test]
fn an_unknown_instruction_is_refused_with_its_source_line() {
    let error = Program::load(&format!(
        "{HEAD}.entry k() {{ .reg .b32 %r<4>;\n.loc 3 17 5\n  add.u32 %r1, %r2, 1;\n  tex.1d.v4.f32 %r1, %r2;\nret; }}\n.file 3 \"src/k.rs\"\n"
    ))
    .unwrap_err();
    let LoadError::Refused(refusal) = &error else {
        panic!("{error}")
    };
    assert_eq!((refusal.position.line, refusal.position.column), (7, 3));
    assert_eq!(refusal.text, "tex.1d.v4.f32 %r1, %r2;");
    assert_eq!(refusal.source_line.as_deref(), Some("src/k.rs:17"));
    assert_eq!(refusal.function, "k");
}

#[test]
fn an_alias_is_refused() {
    let text = format!("{HEAD}.func f() {{ ret; }}\n.alias g, f;\n.entry k() {{ ret; }}");
    let error = Program::load(&text).unwrap_err();
    assert_eq!(
        error.to_string(),
        "5:1: `.alias g, f;`: `.alias` is not supported"
    );
}

#[test]
fn an_unknown_modifier_is_refused_and_never_passed_over() {
    for (text, modifier) in [
        ("add.cc.u16 %r1, %r2, 1;", ".cc"),
        ("add.u32.sat %r1, %r2, 1;", ".sat"),
        ("ld.global.fancy.b32 %r1, [%rd1];", ".fancy"),
        ("bar.sync.later 0;", ".later"),
        ("fma.rn.relu.f32 %r1, %r2, %r3, %r3;", ".relu"),
    ] {
        let ptx = format!("{HEAD}.entry k() {{ .reg .b32 %r<4>; .reg .b64 %rd<2>; {text} ret; }}");
        let error = Program::load(&ptx).expect_err(text).to_string();
        assert!(error.contains(modifier), "{text}: {error}");
    }
}

/// LLVM writes the address of a packed value a byte an element.
#[test]
fn a_part_of_an_address_as_an_initial_value_is_refused_at_its_variable() {
    let declarations = ".global .b32 x;\n  .global .b8 pointer[2] = {0xFF(x), 0xFF00(x)};";
    let error = Program::load(&format!("{HEAD}{declarations}\n")).unwrap_err();
    let LoadError::Refused(refusal) = &error else {
        panic!("{error}")
    };
    assert_eq!((refusal.position.line, refusal.position.column), (5, 15));
    assert_eq!(refusal.text, "pointer");
    let reason = "parts of addresses as initial values are not supported";
    assert!(error.to_string().contains(reason), "{error}");
}

#[test]
fn names_are_looked_up_in_their_scope() {
    let good = "{ .reg .pred %q; L: bra M; M: } { .reg .pred %q; L: bra L; } ret;";
    Program::load(&format!("{HEAD}.entry k() {{ {good} }}")).unwrap();
    for bad in [
        "bra NOWHERE;",
        "{ L: } bra L;",
        "mov.b32 %x, 0;",
        "A: A: ret;",
    ] {
        assert!(
            Program::load(&format!("{HEAD}.entry k() {{ {bad} }}")).is_err(),
            "{bad}"
        );
    }
}
