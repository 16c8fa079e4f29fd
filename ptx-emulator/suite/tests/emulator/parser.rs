//! The front end: what it takes, and where it says that it does not.

use ptx_emulator::ast::{Number, Operand, Statement, Type};
use ptx_emulator::{LoadError, Program, parse};

const HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";

fn place(text: &str) -> (u32, u32, String) {
    let error = parse(&format!("{HEAD}{text}")).expect_err(text);
    (error.position.line, error.position.column, error.message)
}

#[test]
fn headers_files_and_variables() {
    let module = parse(
        ".version 7.8\n.target sm_90, debug\n.address_size 64\n\
         .global .align 8 .v2 .f32 pairs[3] = {0f3F800000, 1.5};\n\
         .extern .shared .align 16 .b8 dynamic[];\n\
         .const .u64 pointer = generic(pairs)+8;\n\
         .file 1 \"a.rs\", 12, 34\n\
         .section .debug_str { $L__info: .b8 95, {1} \n.b8 0 }\n",
    )
    .unwrap();
    assert_eq!(module.version, (7, 8));
    assert_eq!(module.target, ["sm_90", "debug"]);
    let [pairs, dynamic, pointer] = &module.variables[..] else {
        panic!("{:?}", module.variables)
    };
    assert_eq!(
        (pairs.ty, pairs.vector, pairs.bytes(), pairs.alignment()),
        (Type::F32, 2, 24, 8)
    );
    assert_eq!((dynamic.elements, dynamic.bytes()), (Some(0), 0));
    assert_eq!(pointer.initial.len(), 1);
    assert_eq!(
        (module.files[0].index, module.files[0].path.as_str()),
        (1, "a.rs")
    );
}

#[test]
fn an_instruction_with_every_kind_of_operand() {
    let module = parse(&format!(
        "{HEAD}.entry k() {{ .reg .b32 %r<4>; .loc 1 2 3, function_name $L0, inlined_at 1 9 8\n \
         @!%p1 foo.a::b.v2.u32 {{%r1, _}}, [%rd1+-8], !%p2, %p|%q, %tid.x, -7, 0f3F800000; }}"
    ))
    .unwrap();
    let body = module.functions[0].body.as_ref().unwrap();
    let Statement::Location(location) = &body[1] else {
        panic!("{body:?}")
    };
    assert_eq!(location.inlined_at, Some((1, 9, 8)));
    let Statement::Instruction(instruction) = &body[2] else {
        panic!("{body:?}")
    };
    assert!(
        instruction
            .guard
            .as_ref()
            .is_some_and(|guard| guard.negated && guard.register == "%p1")
    );
    assert_eq!(instruction.opcode, "foo");
    assert_eq!(instruction.modifiers, ["a::b", "v2", "u32"]);
    assert_eq!(
        instruction.operands[0],
        Operand::Vector(vec![Operand::Name("%r1".into()), Operand::Sink])
    );
    assert_eq!(
        instruction.operands[1],
        Operand::Address {
            base: Some("%rd1".into()),
            offset: -8,
            rest: vec![]
        }
    );
    assert_eq!(instruction.operands[2], Operand::Not("%p2".into()));
    assert_eq!(instruction.operands[4], Operand::Name("%tid.x".into()));
    assert_eq!(
        instruction.operands[5],
        Operand::Number(Number::Integer(-7i64 as u64))
    );
    assert_eq!(
        instruction.operands[6],
        Operand::Number(Number::F32(0x3F80_0000))
    );
}

#[test]
fn malformed_text_is_refused_with_line_and_column() {
    assert_eq!(
        place(".entry k( {"),
        (4, 11, "expected `.param` or `.reg`, found `{`".into())
    );
    assert_eq!(
        place(".entry k() { add.u32 %r1 %r2; }"),
        (
            4,
            26,
            "expected `,` or `;` behind an operand, found `%r2`".into()
        )
    );
    assert_eq!(
        place(".entry k() {\n  ret;\n"),
        (
            6,
            1,
            "expected an instruction, a label or a directive, found the end of the text".into()
        )
    );
    assert_eq!(
        place(".global .b32 x = 0f123;"),
        (4, 18, "0f needs 8 hexadecimal digits".into())
    );
    assert_eq!(
        place(".global .b32 x = 99999999999999999999;").2,
        "not a decimal number of at most 64 bits"
    );
    assert_eq!(
        place(".global .q32 x;"),
        (4, 9, "expected a type such as `.b32`, found `.q32`".into())
    );
    assert_eq!(place(".entry k() { ret; } \u{e9}").1, 21);
    assert_eq!(place(".file 1 \"a").2, "a text without its closing quote");
    assert_eq!(
        place(".global .align 3 .b8 x;").2,
        "an alignment is a power of two up to 65536"
    );
    assert_eq!(parse("").unwrap_err().position.line, 1);
}

#[test]
fn what_asks_for_too_much_is_refused_at_once() {
    assert!(
        place(".entry k() { .reg .b32 %r<4000000000>; }")
            .2
            .contains("registers of one name")
    );
    assert!(
        place(".global .b8 x[4294967296][4294967296];")
            .2
            .contains("a variable of more than")
    );
    let deep = format!(".entry k() {}", "{".repeat(100_000));
    assert!(place(&deep).2.contains("levels of nesting"));
    let deep = format!(".global .b32 x = {};", "{".repeat(100_000));
    assert!(place(&deep).2.contains("levels of nesting"));
    let long = format!(".global .b32 {};", "x".repeat(1 << 20));
    assert!(place(&long).2.contains("a name has more than"));
}

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
