//! `run --check --weak-memory`: a message that is passed without an order, and with one.

use std::fs;

use tempfile::TempDir;

use crate::run;

/// Warp 0 writes a message and sets a flag; warp 1 waits for the flag and gives the message.
fn message(release: &str, acquire: &str) -> String {
    format!(
        ".version 8.0 .target sm_90 .address_size 64
         .visible .entry message(.param .u64 cells, .param .u64 got) {{
             .reg .b32 %r<4>; .reg .b64 %d<3>; .reg .pred %p<3>;
             ld.param.u64 %d1, [cells]; ld.param.u64 %d2, [got];
             mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31;
             setp.ne.u32 %p1, %r2, 0; @%p1 ret;
             setp.ne.u32 %p2, %r1, 0; @%p2 bra READ;
             st.relaxed.gpu.global.u32 [%d1], 7; st.{release}.gpu.global.u32 [%d1+128], 1; ret;
             READ:
             ld.{acquire}.gpu.global.u32 %r3, [%d1+128];
             setp.ne.u32 %p1, %r3, 1; @%p1 bra READ;
             ld.relaxed.gpu.global.u32 %r3, [%d1]; st.global.u32 [%d2], %r3; ret;
         }}"
    )
}

/// The messages that were given under 30 schedules.
fn given(orders: [&str; 2], option: &str) -> Vec<u32> {
    let folder = TempDir::new().unwrap();
    fs::write(
        folder.path().join("message.ptx"),
        message(orders[0], orders[1]),
    )
    .unwrap();
    let one = |seed: u32| {
        let arguments = format!(
            "run message.ptx --kernel message --grid 1 --block 64 --arg zero:u32:64 \
             --arg out:u32:1:got.bin --schedule {seed} --budget 100000 --check{option}"
        );
        let (code, out, err) = run(folder.path(), &arguments);
        assert_eq!((code, err.as_str()), (0, ""), "{out}");
        let bytes = fs::read(folder.path().join("got.bin")).unwrap();
        u32::from_le_bytes(bytes.try_into().unwrap())
    };
    (0..30).map(one).collect()
}

#[test]
fn an_old_value_is_given_where_nothing_orders_the_reads() {
    let relaxed = ["relaxed", "relaxed"];
    assert_eq!(given(relaxed, ""), [7; 30]);
    let weak = given(relaxed, " --weak-memory");
    assert!(weak.contains(&0) && weak.contains(&7), "{weak:?}");
    assert_eq!(given(["release", "acquire"], " --weak-memory"), [7; 30]);
}

#[test]
fn weak_memory_needs_the_checks() {
    let folder = TempDir::new().unwrap();
    let launch = "run no.ptx --kernel k --grid 1 --block 1 --weak-memory";
    let (code, out, err) = run(folder.path(), launch);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("--check"), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}
