//! Arrays as text, what kernels print, launches that hang, and PTX of several files.

use std::fs;

use tempfile::TempDir;

use super::{folder, run, saxpy};

#[test]
fn text_arrays_hold_a_row_a_line() {
    let folder = folder();
    fs::write(folder.path().join("x.txt"), "1 2\n3\t0x40800000\n").unwrap();
    let arguments = "--arg u32:4 --arg f32:0.5 --arg in:f32:x.txt --arg inout:f32:square.npy:z.txt";
    assert_eq!(saxpy(folder.path(), arguments).0, 0);
    let text = fs::read_to_string(folder.path().join("z.txt")).unwrap();
    assert_eq!(text, "10.5 21\n31.5 42\n");
    let again = "--arg u32:4 --arg f32:0 --arg in:f32:x.txt --arg inout:f32:z.txt:y.txt";
    assert_eq!(saxpy(folder.path(), again).0, 0);
    let text = fs::read_to_string(folder.path().join("y.txt")).unwrap();
    assert_eq!(text, "10.5\n21\n31.5\n42\n");
    fs::write(folder.path().join("x.txt"), "1 two 3 4").unwrap();
    let (code, _, err) = saxpy(folder.path(), arguments);
    assert_eq!(code, 2);
    assert!(
        err.contains("`x.txt` has `two` as number 2; f32 takes decimal numbers"),
        "{err}"
    );
    fs::write(folder.path().join("x.txt"), " \n").unwrap();
    let (_, _, err) = saxpy(folder.path(), arguments);
    assert!(err.contains("`x.txt` has no numbers"), "{err}");
}

#[test]
fn what_a_kernel_prints_comes_first_and_the_errors_are_counted() {
    let folder = TempDir::new().unwrap();
    let ptx = ".version 8.0\n.target sm_75\n.address_size 64\n\
        .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);\n\
        .global .align 1 .b8 text[14] = {116, 104, 114, 101, 97, 100, 32, 37, 117, 33, 10, 111, 107, 0};\n\
        .entry greet(.param .u64 out) { .local .align 8 .b8 v[8]; .reg .b32 %t; .reg .b64 %f, %v;\n\
        mov.u32 %t, %tid.x; st.local.u32 [v], %t; mov.u64 %f, text; cvta.global.u64 %f, %f;\n\
        mov.u64 %v, v; cvta.local.u64 %v, %v; { .param .b64 a; st.param.b64 [a], %f;\n\
        .param .b64 b; st.param.b64 [b], %v; .param .b32 r; call (r), vprintf, (a, b); } ret; }";
    fs::write(folder.path().join("greet.ptx"), ptx).unwrap();
    let greet = "run greet.ptx --kernel greet --grid 1 --block 2 --arg null --check";
    let (code, out, err) = run(folder.path(), greet);
    assert_eq!((code, err.as_str()), (0, ""));
    let expected = "thread 0!\nokthread 1!\nok\ngreet: 10 warp instructions";
    assert!(out.starts_with(expected), "{out}");
    assert!(out.ends_with("nothing found in greet\n0 errors\n"), "{out}");
}

#[test]
fn a_function_of_another_file_is_linked_and_its_mistakes_are_of_that_file() {
    let folder = TempDir::new().unwrap();
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n";
    let main = ".extern .func (.reg .b32 r) twice(.reg .b32 x);\n.entry k(.param .u64 out) {\n\
        .reg .b32 %r; .reg .b64 %o; ld.param.u64 %o, [out]; mov.u32 %r, %tid.x;\n\
        call (%r), twice, (%r); st.global.u32 [%o], %r; ret; }";
    let part = ".visible .func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }";
    fs::write(folder.path().join("main.ptx"), format!("{head}{main}")).unwrap();
    fs::write(folder.path().join("part.ptx"), format!("{head}{part}")).unwrap();
    let launch = "run main.ptx --kernel k --grid 1 --block 1 --arg out:u32:1:o.txt";
    let (code, _, err) = run(folder.path(), &format!("{launch} --link part.ptx"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(
        fs::read_to_string(folder.path().join("o.txt")).unwrap(),
        "0\n"
    );
    let (code, _, err) = run(folder.path(), launch);
    assert_eq!(code, 2);
    assert!(
        err.contains("main.ptx:7:1") && err.contains("`twice` has no body"),
        "{err}"
    );
    fs::write(folder.path().join("part.ptx"), format!("{head}{part} oops")).unwrap();
    let (code, _, err) = run(folder.path(), &format!("{launch} --link part.ptx"));
    assert_eq!(code, 2);
    assert!(err.contains("part.ptx:4:"), "{err}");
}

#[test]
fn a_launch_that_hangs_is_a_report_and_exit_code_1() {
    let folder = TempDir::new().unwrap();
    let ptx = ".version 8.0\n.target sm_75\n.address_size 64\n.entry spin() { L: bra L; }";
    fs::write(folder.path().join("spin.ptx"), ptx).unwrap();
    let spin = "run spin.ptx --kernel spin --grid 1 --block 1 --budget 1000";
    let (code, out, err) = run(folder.path(), spin);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(out.contains("livelock"), "{out}");
    assert!(out.contains("\n1 error\n"), "{out}");
}
