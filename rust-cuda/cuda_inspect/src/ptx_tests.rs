//! What is read of an entry: its statements, registers, memory and barriers.

use super::*;

/// What `read` finds of a kernel.
fn of<T>(text: &str, entry: &str, read: impl Fn(&Entry<'_, '_>) -> T) -> T {
    let module = ptx_syntax::parse(text).unwrap();
    read(&Entry::find(&module, text, entry).unwrap())
}

const TEXT: &str = "\
.version 8.0
.target sm_90
.extern .func printf
(
\t.param .b64 a
)
;
.func  (.param .b32 result) helper(
\t.param .b64 helper_param_0
)
{
\t.local .align 4 .b8 \t__local_depot0[8];
\t.reg .b32 \t%r<3>;
\tld.u32 \t%r1, [%rd1];
\tret;
}
.visible .entry scan(
\t.param .u64 .ptr .align 4 scan_param_0
)
.maxntid 1024
{
\t.local .align 16 .b8 \t__local_depot1[24];
\t.reg .pred \t%p<4>;
\t.reg .b32 \t%r<14>, %s<2>;
\t.reg .f64 x;
$L__func_begin3:
\t.loc\t1 7 0
\tld.global.v2.b32 \t{%r1, %r2}, [%rd1]; // mov.b32 in a comment;
$158:
\t.loc\t6 2564 0 //38
\t{ .reg .pred over; mbarrier.try_wait.shared::cta.b64 over, [%r1], %r2; @over bra done; }
\tbar.sync \t0;
\t@%p1 bar.sync \t3, 64;
\tbar.warp.sync \t%r3;
\tcall.uni (retval0), helper, (param0);
\t@%p2 bra \t$L__BB3_5;
$L_brx_0: .branchtargets
\t$L__BB3_5,
\t$L__BB3_6;
\tret;
}
.visible .entry empty()
{
\tbar.sync \t%r1;
\tret;
}
";

#[test]
fn entries_are_found_and_others_are_not() {
    let module = ptx_syntax::parse(TEXT).unwrap();
    let scan = Entry::find(&module, TEXT, "scan").unwrap();
    assert!(scan.text().starts_with(".visible .entry scan(\n"));
    assert!(scan.text().ends_with("\tret;\n}"));
    let helper = Entry::find(&module, TEXT, "helper");
    assert!(matches!(helper, Err(Error::NoEntry(name)) if name == "helper"));
}

#[test]
fn instructions_are_counted_with_those_of_functions_that_are_called() {
    let mix = of(TEXT, "scan", |entry| entry.mix());
    let count = |class| mix.get(class);
    assert_eq!((count(Class::Global), count(Class::Generic)), (1, 1));
    assert_eq!((count(Class::Barrier), count(Class::Warp)), (3, 1));
    // bra within braces, call, bra, ret, and the callee's ret.
    assert_eq!((count(Class::Control), count(Class::Move)), (5, 0));
    assert_eq!(mix.total(), 11);
}

#[test]
fn local_memory_registers_and_barriers_are_those_that_are_declared() {
    assert_eq!(of(TEXT, "scan", |entry| entry.local_bytes()), 24 + 8);
    let registers = of(TEXT, "scan", |entry| entry.registers());
    assert_eq!(
        registers,
        [("b32", 13 + 1 + 2), ("f64", 1), ("pred", 3 + 1)].into()
    );
    assert_eq!(of(TEXT, "scan", |entry| entry.barriers()), Some(2));
    assert_eq!(of(TEXT, "empty", |entry| entry.barriers()), None);
}

#[test]
fn registers_that_cannot_be_counted_are_no_zero() {
    for bound in ["<x>", "<>", "<5", "<-1>"] {
        let text = TEXT.replacen("%r<14>", &format!("%r{bound}"), 1);
        assert_ne!(text, TEXT);
        let error = crate::Error::from(ptx_syntax::parse(&text).unwrap_err());
        let said = error.to_string();
        assert!(said.starts_with("24:"), "{said}");
        assert!(
            said.contains(&format!("`.reg .b32 \t%r{bound}, %s<2>;`")),
            "{said}"
        );
        assert!(
            said.ends_with(": this is not PTX; is the file damaged?"),
            "{said}"
        );
    }
}

#[test]
fn shared_memory_of_the_kernel_ends_where_that_of_the_launch_begins() {
    let dynamic = ".extern .shared .align 128 .b8 DYNAMIC[];\n.shared .align 16 .b8 TILE[20];\n";
    let kernel = "\
.visible .entry k()
{
\t.shared .align 8 .u64 own;
\tmov.b64 \t%rd1, TILE;
\tret;
}
";
    let bytes = |text: &str| {
        of(&format!(".version 8.0\n{text}"), "k", |entry| {
            entry.shared_bytes()
        })
    };
    assert_eq!(bytes(kernel), 8);
    let tile = dynamic.lines().last().unwrap();
    assert_eq!(bytes(&format!("{tile}\n{kernel}")), 24 + 8);
    // Named or not.
    assert_eq!(bytes(&format!("{dynamic}{kernel}")), 128);
    let launched = kernel.replace("\tret;", "\tmov.b64 \t%rd2, DYNAMIC;\n\tret;");
    assert_eq!(bytes(&format!("{dynamic}{launched}")), 128);
    let alone = launched
        .replace("\t.shared .align 8 .u64 own;\n", "")
        .replace("TILE", "0");
    assert_eq!(bytes(&format!("{dynamic}{alone}")), 0);
}

#[test]
fn code_is_the_same_wherever_the_kernel_stands_and_its_source_is() {
    let moved = TEXT
        .replace("$L__BB3_", "$L__BB7_")
        .replace("$L__func_begin3", "$L__func_begin7")
        .replace("__local_depot1", "__local_depot5")
        .replace("$158:", "$911:")
        .replace(".loc\t1 7 0", ".loc\t1 8 0 //4");
    let code = |text: &str| of(text, "scan", |entry| entry.code());
    assert_eq!(code(&moved), code(TEXT));
    for (from, to) in [
        ("%r1, %r2}", "%r2, %r1}"),
        ("1024", "512"),
        ("BB3_5", "BB3_6"),
        ("ld.u32", "ld.s32"),
    ] {
        assert_ne!(code(&TEXT.replace(from, to)), code(TEXT), "{from}");
    }
}
