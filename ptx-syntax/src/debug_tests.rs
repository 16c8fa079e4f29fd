//! Where instructions come from, in the form of compilers and in the short one.

use super::*;

const FILES: &str = "\
.file 1 \"./k/src/scan.rs\"
.file 2 \"./std/src/thread.rs\", 1700000000, 99
.file 3 \"/rustc/0/mem.rs\"
//.call 1 1 10
//.call 2 2 20 1
";

/// The lines of each instruction of the functions with these bodies.
fn lines(bodies: &[&str]) -> Vec<Vec<String>> {
    let functions = bodies.iter().enumerate();
    let functions: String = functions
        .map(|(index, body)| format!(".entry k{index}() {{\n{body}\n}}\n"))
        .collect();
    let text = format!(".version 8.0\n{functions}{FILES}");
    let module = crate::parse(&text).expect("it is PTX");
    let mut locations = Locations::new(&module);
    let functions = module.functions();
    let found = functions.flat_map(|one| locations.of(one));
    let found: Vec<_> = found
        .filter(|(one, _)| one.instruction().is_some())
        .collect();
    let lines = |id: Option<Id>| -> Vec<String> {
        let lines = id.into_iter().flat_map(|id| locations.lines(id));
        lines.map(|line| line.to_string()).collect()
    };
    found.into_iter().map(|(_, id)| lines(id)).collect()
}

const STACK: [&str; 3] = [
    "/rustc/0/mem.rs:30",
    "./std/src/thread.rs:20",
    "./k/src/scan.rs:10",
];

#[test]
fn an_instruction_knows_the_calls_that_it_was_inlined_by() {
    let inlined = |line: u32| {
        format!(
            ".loc 1 {line} 5
             .loc 2 20 5, function_name $L__info_string0, inlined_at 1 {line} 5
             .loc 3 30 5, function_name $L__info_string1, inlined_at 2 20 5
             ret;"
        )
    };
    // The same wrapper, called from another line.
    let found = lines(&[&format!("{}{}", inlined(10), inlined(11))]);
    assert_eq!(found[0], STACK);
    assert_eq!(found[1], [STACK[0], STACK[1], "./k/src/scan.rs:11"]);
}

#[test]
fn a_numbered_call_stands_for_its_line_and_its_callers() {
    let found = lines(&[
        ".loc 3 30 0 //2\nret;",
        ".loc 3 30 0 //1\nret;",
        ".loc 3 30 0 //9\nret;",
    ]);
    // Calls hold for the whole module; one that is not listed is none.
    assert_eq!(found[0], STACK);
    assert_eq!(found[1], [STACK[0], STACK[2]]);
    assert_eq!(found[2], STACK[..1]);
}

#[test]
fn a_call_whose_caller_does_not_stand_above_it_has_none() {
    let text = ".version 8.0 .file 2 \"a.rs\" .entry k() { .loc 2 1 5 //2\nret; }
//.call 1 2 20 2\n//.call 2 2 21 2\n";
    let module = crate::parse(text).expect("it is PTX");
    let mut locations = Locations::new(&module);
    let kernel = module.entries().next().expect("there is one");
    let [_, (_, Some(id))] = locations.of(kernel)[..] else {
        panic!("one instruction with a location");
    };
    let found: Vec<_> = locations.lines(id).map(|line| line.line).collect();
    assert_eq!(found, [1, 21]);
}

#[test]
fn a_line_0_is_left_out_and_its_callers_stay() {
    let found = lines(&[
        ".loc 1 10 5\n.loc 2 0 5, function_name $L0, inlined_at 1 10 5\nret;\n.loc 1 0 5\nret;",
    ]);
    assert_eq!(found, [vec!["./k/src/scan.rs:10"], vec![]]);
}

#[test]
fn locations_of_another_function_are_not_callers() {
    let found = lines(&[
        ".loc 2 7 5\n.loc 1 10 5, function_name $L0, inlined_at 2 7 5\nret;",
        ".loc 3 3 5, function_name $L0, inlined_at 1 10 5\nret;",
    ]);
    assert_eq!(found[1], ["/rustc/0/mem.rs:3", "./k/src/scan.rs:10"]);
}

#[test]
fn equal_locations_have_one_number() {
    let text = ".version 8.0 .entry k() { .loc 1 7 0\nret;\n.loc 3 30 0\nret;\n.loc 1 7 9\nret; }";
    let module = crate::parse(text).expect("it is PTX");
    let mut locations = Locations::new(&module);
    let kernel = module.entries().next().expect("there is one");
    let found: Vec<_> = locations.of(kernel).iter().map(|(_, id)| *id).collect();
    let [_, first, _, other, _, again] = found[..] else {
        panic!("three instructions, a `.loc` before each: {found:?}");
    };
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert_eq!(locations.len(), 2);
}

const REFUSED: &str = "\
.version 8.0
.entry first()
{
\t.loc\t2 40 9
\tret;
}
.entry second()
{
\tmov.u32 {%r1, %r2}, 1 1;
\t.loc\t1 12 0 //3
\twibble.u32 %r1, 2;
}
.file\t1 \"./src/lib.rs\"
.file\t2 \"src/other.rs\"
";

#[test]
fn a_line_of_what_is_no_ptx_is_told_by_the_location_that_holds_for_it() {
    assert!(crate::parse(REFUSED).is_err());
    let of = |number| line_of(REFUSED, number).map(|line| line.to_string());
    assert_eq!(of(11).as_deref(), Some("./src/lib.rs:12"));
    assert_eq!(of(5).as_deref(), Some("src/other.rs:40"));
    for number in [1, 6, 9, 12, 99] {
        assert_eq!(of(number), None, "{number}");
    }
}
