//! What text is taken, and where it is said that it is not PTX.

use ptx_syntax::{Kind, Number, Operand, Type, location, parse, version};

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
    let variables: Vec<_> = module.variables().collect();
    let [pairs, dynamic, pointer] = &variables[..] else {
        panic!("{variables:?}")
    };
    assert_eq!(
        (pairs.ty, pairs.vector, pairs.bytes(), pairs.alignment()),
        (Type::F32, 2, 24, 8)
    );
    assert_eq!((dynamic.elements, dynamic.bytes()), (Some(0), 0));
    assert_eq!(pointer.initial.len(), 1);
    let files: Vec<_> = module.files().map(|file| (file.index, file.path)).collect();
    assert_eq!(files, [(1, "a.rs")]);
}

#[test]
fn an_instruction_with_every_kind_of_operand() {
    let text = format!(
        "{HEAD}.entry k() {{ .reg .b32 %r<4>; .loc 1 2 3, function_name $L0, inlined_at 1 9 8\n \
         @!%p1 foo.a::b.v2.u32 {{%r1, _}}, [%rd1+-8], !%p2, %p|%q, %tid.x, -7, 0f3F800000; }}"
    );
    let module = parse(&text).unwrap();
    let kernel = module.entries().next().unwrap();
    let body = &kernel.body.as_ref().unwrap().statements;
    let Kind::Location(location) = &body[1].kind else {
        panic!("{body:?}")
    };
    assert_eq!(location.inlined_at, Some([1, 9, 8]));
    let Kind::Instruction(instruction) = &body[2].kind else {
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
        Operand::Vector(vec![Operand::Name("%r1"), Operand::Sink])
    );
    assert_eq!(
        instruction.operands[1],
        Operand::Address {
            base: Some("%rd1"),
            offset: -8,
            rest: vec![]
        }
    );
    assert_eq!(instruction.operands[2], Operand::Not("%p2"));
    assert_eq!(instruction.operands[4], Operand::Name("%tid.x"));
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

#[test]
fn the_version_of_a_text_is_told_without_reading_the_rest() {
    let text = "//\n// Generated\n//\n\n.version 8.6 // PTX\n.target sm_90\nwhatever";
    assert_eq!(version(text), Some((8, 6)));
    assert_eq!(version(".version 8"), None);
    assert_eq!(version("not ptx"), None);
    // The ISA has it begin a module: nothing but blanks and comments comes before it.
    assert_eq!(version("\u{feff}\n/* a\nb */\t.version 7.0"), Some((7, 0)));
    assert_eq!(version(".target sm_90\n.version 8.6"), None);
    assert_eq!(version("; .version 8.6"), None);
}

#[test]
fn a_location_is_read_by_itself() {
    let read = location("\t.loc\t3 30 0 //2").unwrap();
    assert_eq!((read.at, read.call), ([3, 30, 0], Some(2)));
    let long = location(".loc 2 20 9, function_name $L0+4, inlined_at 1 8 3").unwrap();
    assert_eq!(long.function_name, Some(("$L0", 4)));
    assert_eq!((long.inlined_at, long.call), (Some([1, 8, 3]), None));
    assert_eq!(location(".loc 1"), None);
    assert_eq!(location("\tret;"), None);
}

#[test]
fn operands_of_video_instructions_are_parts_of_registers() {
    let text = format!("{HEAD}.entry k() {{ vadd.s32.u32.s32 %r1, %r2.b0, %r3.h1; }}");
    let module = parse(&text).unwrap();
    let kernel = module.entries().next().unwrap();
    let names = kernel.instructions().next().unwrap().names();
    assert_eq!(names, ["%r1", "%r2.b0", "%r3.h1"]);
    let several = |name: &str| format!("{HEAD}.entry k() {{ vadd2 {name}, %r2, %r3; }}");
    for name in ["%r1.h10", "%r1.b7012"] {
        let text = several(name);
        let module = parse(&text).unwrap();
        let kernel = module.entries().next().unwrap();
        assert_eq!(kernel.instructions().next().unwrap().names()[0], name);
    }
    for name in ["%r1.h8", "%r1.b01234"] {
        assert!(parse(&several(name)).is_err(), "{name}");
    }
}

/// The operands of an instruction.
fn operands(text: &str) -> Vec<String> {
    let text = format!("{HEAD}.entry k() {{ foo {text}; }}");
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let kernel = module.entries().next().unwrap();
    let operands = &kernel.instructions().next().unwrap().operands;
    operands.iter().map(ToString::to_string).collect()
}

#[test]
fn operators_bind_as_in_c() {
    for (expression, value) in [
        ("5+1", "6"),
        ("2+3*4", "14"),
        ("(2+3)*4", "20"),
        ("10-4-3", "3"),
        ("100/7%5", "4"),
        ("(9)%5 % 3", "1"),
        ("1<<2+1", "8"),
        ("7&3|8^1", "11"),
        ("1|2==2", "1"),
        ("3>2&&2>=3||0", "0"),
        ("0!=0||5<6", "1"),
        ("1?2:0?3:4", "2"),
        ("0?2:0?3:4", "4"),
        ("-2*-3", "6"),
        ("!5+!0", "1"),
        ("1.5+2.0*0.25", "0d4000000000000000"),
        ("1.5<2.5", "1"),
        ("-0f3F800000", "0fBF800000"),
    ] {
        assert_eq!(operands(expression), [value], "{expression}");
    }
}

#[test]
fn integers_of_an_expression_are_unsigned_where_the_isa_says_so() {
    for (expression, value) in [
        ("-8/2", "-4"),
        ("-8>>1", "-4"),
        ("(.u64)-8>>1", "9223372036854775804"),
        ("-1<1", "1"),
        ("-1<1U", "0"),
        ("-1<(.s64)1U", "1"),
        ("0xFFFFFFFFFFFFFFFF>1", "1"),
        ("~0>1", "1"),
        ("1<<64", "0"),
        ("1U>>64", "0"),
        ("-1>>64", "-1"),
        ("-9223372036854775807-1", "-9223372036854775808"),
        ("(0-9223372036854775807-1)/-1", "-9223372036854775808"),
    ] {
        assert_eq!(operands(expression), [value], "{expression}");
    }
}

#[test]
fn offsets_elements_and_sizes_are_expressions() {
    let written = operands("[a+4*2], [a-(1+1)*8+1], [8/2], a[2], a[1+2], a+2*3, {1+1, x}");
    let read = ["[a+8]", "[a+-15]", "[4]", "a[2]", "a[3]", "a+6", "{2, x}"];
    assert_eq!(written, read);
    assert_eq!(operands("%r1, %r2").len(), operands(".u32%r1,%r2").len());
    let text = format!("{HEAD}.global .b32 x[2*3+1] = {{1<<4, (2), x+4*2}};");
    let module = parse(&text).unwrap();
    let x = module.variables().next().unwrap();
    assert_eq!((x.elements, x.initial.len()), (Some(7), 3));
    let call = format!("{HEAD}.entry k() {{ call (r), f, (1+1, a[2]); }}");
    let module = parse(&call).unwrap();
    let call = module.entries().next().unwrap().instructions().next();
    assert_eq!(call.unwrap().to_string(), "call \t(r), f, (2, a[2]);");
}

#[test]
fn expressions_that_have_no_value_are_refused_where_they_stand() {
    let said = |expression: &str| {
        let (line, column, message) = place(&format!(".entry k() {{ foo {expression}; }}"));
        assert_eq!(line, 4);
        (column, message)
    };
    assert_eq!(said("5/0").1, "a constant is divided by 0");
    assert_eq!(said("5%(1-1)"), (19, "a constant is divided by 0".into()));
    assert_eq!(
        said("5 %r1").1,
        "expected `,` or `;` behind an operand, found `%r1`"
    );
    assert_eq!(said("5U/0").1, "a constant is divided by 0");
    assert_eq!(said("1.5%2.5").1, "`%` takes integers");
    assert_eq!(said("~1.5").1, "`~` takes an integer");
    let kinds = "`+` takes two integers or two fractions of 64 bits";
    assert_eq!(said("1+1.5").1, kinds);
    assert_eq!(said("0f3F800000+0f3F800000").1, kinds);
    assert_eq!(said("(.u64)1.5").1, "a fraction has no cast to an integer");
    assert_eq!(said("1.5?1:2").1, "the condition of `?` must be an integer");
    assert_eq!(
        said("a[1.5]").1,
        "the index of an element must be an integer"
    );
    assert_eq!(said("[a+1.5]").1, "an offset must be an integer");
    assert_eq!(said("5+").1, "expected a number, found `;`");
    assert_eq!(said("(5").1, "expected `)`, found `;`");
    for open in ["(", "-", "!", "1?"] {
        let deep = said(&open.repeat(100_000)).1;
        assert_eq!(deep, "more than 64 levels of nesting");
    }
}
