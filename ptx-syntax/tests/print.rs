//! What is printed parses to the same tree, and is laid out as LLVM does it.

use std::fs;
use std::path::{Path, PathBuf};

use ptx_syntax::parse;

/// A module as LLVM writes it, without comments and blank lines.
const LLVM: &str = "\
.version 8.3
.target sm_90
.address_size 64
.extern .func  (.param .b32 func_retval0) vprintf(
\t.param .b64 vprintf_param_0,
\t.param .b64 vprintf_param_1
)
;
.global .align 8 .b8 table[5] = {1, 2, 3, 4, 255};
.global .align 1 .u8 packed[3] = {0xFF(generic(table)), 0xFF00(generic(table)+8), 7};
.extern .shared .align 16 .b8 dynamic[];
.func helper()
{
\tret;
}
.visible .entry k(
\t.param .u64 .ptr .global .align 4 k_param_0,
\t.param .align 8 .b8 k_param_1[24]
)
.maxntid 32, 4, 1
.noreturn
{
\t.local .align 8 .b8 \t__local_depot1[64];
\t.reg .pred \t%p<4>;
\t.reg .b32 \t%r<14>;
$L__func_begin0:
\t.loc\t1 7 0
\t.shared .align 4 .u32 own;
\tld.param.b64 \t%rd1, [k_param_1+16];
$0:
\t.loc\t2 20 9, function_name $L__info_string0, inlined_at 1 8 3
\tld.global.v2.b32 \t{%r1, _}, [%rd1+-8];
\t.loc\t3 30 0 //2
\t@!%p1 bra \t$L__BB3_5;
\tshfl.sync.up.b32 \t%r3|%p2, %r2, 1, 0, -1;
\tmul.rn.f32 \t%r4, %r5, 0f3F800000;
\tmul.rn.f64 \t%rd4, %rd5, 0dC02ABF5C28F5C28F;
\tcall.uni (retval0), vprintf, (param0, param1);
\t.pragma \"nounroll\";
\t$L_brx_0: .branchtargets
\t\t$L__BB3_5,
\t\t$L__BB3_6;
\tbrx.idx \t%r1, $L_brx_0;
$L__BB3_5:
$L__BB3_6:
\tret;
}
\t.file\t1 \"./src/lib.rs\"
\t.file\t2 \"/elsewhere/add.rs\", 1700000000, 99
\t.section\t.debug_str
\t{
$L__info_string0:
.b8 95
.b8 0
\t}
//.call 1 1 8
//.call 2 2 20 1
";

#[test]
fn what_llvm_writes_is_printed_byte_for_byte() {
    // A call has its operands behind a blank alone.
    let printed = parse(LLVM).unwrap().to_string();
    assert_eq!(printed.replace("call.uni \t", "call.uni "), LLVM);
}

#[test]
fn what_people_write_is_printed_in_that_layout() {
    let text = ".version 7.0 .target sm_75, debug .address_size 64 // comment
        .visible .global .attribute(.managed) .v2 .f32 pairs[2][2] = {{1.5, 0x1fU}, 017};
        .weak .const .u64 p = generic(pairs)+8; .pragma \"a\", \"b\"; .alias g, f;
        .entry k() .pragma \"c\"; { { .reg .pred over, %q<2>; @over exit; } L: P: .callprototype
        (.param .b32 _) _ (.param .b64 _, .param .b8 _[8]); T: .calltargets f, g;
        mov.u64 x, pairs+-4; tex [a, {b}], [16], !p, - 1; }";
    let expected = "\
.version 7.0
.target sm_75, debug
.address_size 64
.visible .global .attribute(.managed) .v2 .f32 pairs[4] = {0d3FF8000000000000, 31, 15};
.weak .const .u64 p = generic(pairs)+8;
.pragma \"a\", \"b\";
.alias g, f;
.entry k()
.pragma \"c\";
{
\t{
\t.reg .pred \tover, %q<2>;
\t@over exit;
}
L:
\tP: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b8 _[8]);
\tT: .calltargets
\t\tf,
\t\tg;
\tmov.u64 \tx, pairs+-4;
\ttex \t[a, {b}], [16], !p, -1;
}
";
    let module = parse(text).unwrap();
    assert_eq!(module.to_string(), expected);
    assert_eq!(parse(expected).as_ref(), Ok(&module));
}

#[test]
fn trees_that_say_something_else_are_not_equal() {
    for (from, to) in [
        ("sm_90", "sm_80"),
        ("[%rd1+-8]", "[%rd1+-4]"),
        ("%r<14>", "%r<15>"),
        ("$L__BB3_5:\n", ""),
        ("//.call 1 1 8", "//.call 1 1 9"),
        (".loc\t1 7 0", ".loc\t1 7 1"),
    ] {
        let other = LLVM.replace(from, to);
        assert_ne!(parse(&other), parse(LLVM), "{from}");
    }
}

/// Every PTX file below a folder of the repository.
fn files(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(folder);
    let mut folders = vec![root];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "ptx") {
                files.push(path);
            }
        }
    }
    files
}

/// What nvcc, clang and people have written, not only what our builder writes.
#[test]
fn every_file_is_printed_to_the_same_tree() {
    let folders = [
        ("ptx-emulator/examples", 1),
        ("ptx-emulator/fuzz/seeds", 5),
        ("ptx-emulator/tests/fixtures", 4),
        ("tests/fixtures", 2),
    ];
    for (folder, least) in folders {
        let files = files(folder);
        assert!(files.len() >= least, "{folder}: {files:?}");
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let module = parse(&text).unwrap_or_else(|error| panic!("{file:?}: {error}"));
            let printed = module.to_string();
            let again = parse(&printed).unwrap_or_else(|error| panic!("{file:?}: {error}"));
            assert_eq!(again, module, "{file:?}");
            // A second print changes nothing.
            assert_eq!(again.to_string(), printed, "{file:?}");
        }
    }
}

#[test]
fn numbers_of_calls_are_printed_once() {
    let head = ".version 8.0 .target sm_90 .address_size 64\n";
    for text in [
        ".section .debug_str {\n//.call 1 1 8\n}\n//.call 2 2 20 1\n",
        ".global .attribute(.managed\n//.call 1 1 8\n) .u32 x;",
        ".entry k() { .loc 1 7 0 //5\n, function_name f, inlined_at 1 8 3 //6\n ret; }",
    ] {
        let text = format!("{head}{text}");
        let module = parse(&text).unwrap();
        assert_eq!(parse(&module.to_string()).as_ref(), Ok(&module), "{text}");
    }
}
