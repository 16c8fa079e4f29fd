//! What a kernel has and names, with what it calls.

use ptx_syntax::{Module, parse};

const TEXT: &str = "\
.version 8.0
.target sm_90
.shared .align 4 .b8 TILE[1024];
.extern .shared .align 16 .b8 DYNAMIC[];
.shared .align 16 .b8 OTHER[24];
.extern .func elsewhere();
.func  (.param .b32 func_retval0) device_part(
\t.param .b64 device_part_param_0
)
{
\tmov.b64 %rd1, OTHER;
\tcall.uni elsewhere, ();
\tret;
}
.visible .entry scan()
{
\tmov.b64 %rd1, TILE; // a comment; with DYNAMIC words
\t{ .shared .align 8 .b64 own; @%p1 ld.shared.v2.b32 {%r1, %r2}, [own+4]; }
\tcall.uni (retval0), device_part, (param0);
\tret;
}
.visible .entry empty()
{
\tmov.b64 %rd1, DYNAMIC;
\tret;
}
";

fn module() -> Module<'static> {
    parse(TEXT).unwrap()
}

#[test]
fn entries_have_a_body_and_functions_may_not() {
    let module = module();
    let names: Vec<_> = module.entries().map(|entry| entry.name).collect();
    assert_eq!(names, ["scan", "empty"]);
    let bodies = module.functions().map(|function| function.body.is_some());
    assert_eq!(bodies.collect::<Vec<_>>(), [false, true, true, true]);
}

#[test]
fn instructions_of_inner_scopes_stand_in_their_place() {
    let module = module();
    let scan = module.entries().next().unwrap();
    let names: Vec<_> = scan.instructions().map(|one| one.name()).collect();
    assert_eq!(names, ["mov.b64", "ld.shared.v2.b32", "call.uni", "ret"]);
    let load = scan.instructions().nth(1).unwrap();
    assert!(load.is("ld") && load.is("ld.shared") && load.has("v2"));
    assert!(!load.is("ld.share") && !load.is("ld.v2") && !load.is("ld.shared.v2.b32.more"));
    assert_eq!(load.names(), ["%r1", "%r2", "own"]);
}

#[test]
fn shared_memory_counts_what_callees_use_and_its_alignment() {
    let module = module();
    let [scan, empty] = ["scan", "empty"].map(|name| {
        let mut entries = module.entries();
        module.reached(entries.find(|entry| entry.name == name).unwrap())
    });
    let functions: Vec<_> = scan.functions.iter().map(|one| one.name).collect();
    assert_eq!(functions, ["scan", "device_part"]);
    let shared: Vec<_> = scan.shared().map(|one| one.name).collect();
    assert_eq!(shared, ["TILE", "OTHER", "own"]);
    assert_eq!(scan.shared_bytes(), 1024 + 24 + 8);
    assert_eq!(empty.shared_bytes(), 0);
    assert!(empty.shared().all(|one| one.is_of_launch()));
}

#[test]
fn every_part_knows_where_it_stands() {
    let module = module();
    let scan = module.entries().next().unwrap();
    assert_eq!(scan.position().to_string(), "15:17");
    assert!(scan.span.of(TEXT).starts_with(".visible .entry scan()\n{"));
    assert!(scan.span.of(TEXT).ends_with("ret;\n}"));
    let load = scan.instructions().nth(1).unwrap();
    assert_eq!(
        load.span.of(TEXT),
        "@%p1 ld.shared.v2.b32 {%r1, %r2}, [own+4];"
    );
    let own = scan.variables().next().unwrap();
    assert_eq!(own.span.of(TEXT), ".shared .align 8 .b64 own;");
    assert_eq!(own.position().to_string(), "18:26");
}
