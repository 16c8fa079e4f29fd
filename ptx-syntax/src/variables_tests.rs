//! Tests of the variables that registers hold, by texts as LLVM lays them out.

use super::*;
use crate::parse;

/// As LLVM lays it out, of a kernel with the variable `sum` and the parameter `n`.
const TEXT: &str = "\
.version 8.0
.target sm_90, debug
.address_size 64
.visible .entry k(.param .u32 k_param_0)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
$L__func_begin0:
    ld.param.b32 %r1, [k_param_0];
$L__tmp0:
    mov.b64 %rd1, 0d3FF0000000000000;
$L__tmp1:
    add.rn.f64 %rd1, %rd1, %rd1;
$L__tmp2:
    ret;
$L__func_end0:
}
    .file 1 \"./src/lib.rs\"
    .section .debug_loc
    {
$L__debug_loc0:
.b64 $L__tmp1
.b64 $L__tmp2
.b8 6, 0, 144, 177, 200, 201, 171, 2
.b64 $L__tmp2
.b64 $L__func_end0
.b8 1, 0, 48
.b64 0
.b64 0
    }
    .section .debug_abbrev
    {
.b8 1, 17, 1, 0, 0 // a unit
.b8 2, 46, 1, 17, 1, 18, 1, 0, 0 // a function
.b8 3, 52, 0, 2, 6, 3, 8, 58, 11, 73, 19, 0, 0 // a variable
.b8 4, 36, 0, 3, 8, 62, 11, 11, 11, 0, 0 // a type
.b8 5, 5, 0, 2, 10, 3, 8, 58, 11, 0, 0 // a parameter
.b8 0
    }
    .section .debug_info
    {
.b32 58
.b8 2, 0
.b32 .debug_abbrev
.b8 8
.b8 1
.b8 4, 102, 54, 52, 0, 4, 8
.b8 2
.b64 $L__func_begin0
.b64 $L__func_end0
.b8 3
.b32 $L__debug_loc0
.b8 115, 117, 109, 0, 1
.b32 12
.b8 5
.b8 5, 144, 177, 228, 149, 1
.b8 110, 0, 1
.b8 0
.b8 0
    }
";

#[test]
fn registers_hold_variables_between_labels_and_through_a_function() {
    let module = parse(TEXT).expect("it is PTX");
    let one = |name: &str, ty, register: &str, lines| Held {
        name: name.into(),
        file: "./src/lib.rs".into(),
        ty,
        register: register.into(),
        lines,
    };
    // Of the constant that `sum` is at last, nothing is told.
    let expected = [
        one("sum", Some(Type::F64), "%rd1", 11..13),
        one("n", None, "%r1", 7..15),
    ];
    assert_eq!(held(&module), expected);
}

#[test]
fn what_is_cut_or_unknown_tells_what_stands_before_it() {
    let texts = [
        (TEXT.replace(".b8 5\n.b8 5, 144", ".b8 77\n.b8 5, 144"), 1),
        (
            TEXT.replace(".b8 5, 144, 177, 228, 149, 1", ".b8 5, 144, 255"),
            1,
        ),
        (TEXT.replace("$L__tmp1:\n", ""), 1),
        (
            TEXT.replace(".debug_abbrev\n    {", ".debug_other\n    {"),
            0,
        ),
    ];
    for (text, count) in texts {
        let module = parse(&text).expect("it is PTX");
        assert_eq!(held(&module).len(), count, "{text}");
    }
}
