//! Matrices of 8 x 8 that a warp loads, stores and turns; expected values by the tables of the ISA.

use crate::harness::{launch, module, refusal};
use ptx_emulator::LaunchOptions;

/// Element `e` of four matrices, of 64 each, is the number `e`. `%r1` is the lane, `%r2` the address
/// of the row that it names; what is left in `%r4` to `%r7` comes back, four words a lane.
fn run(body: &str) -> Result<Vec<u32>, String> {
    let text = module(
        ".shared .align 16 .b8 room[1024];",
        &format!(
            "mov.u32 %r1, %tid.x; mov.u32 %r2, room; mad.lo.u32 %r2, %r1, 16, %r2;
             mad.lo.u32 %r3, %r1, 0x80008, 0x10000; st.shared.u32 [%r2], %r3;
             add.u32 %r3, %r3, 0x20002; st.shared.u32 [%r2+4], %r3;
             add.u32 %r3, %r3, 0x20002; st.shared.u32 [%r2+8], %r3;
             add.u32 %r3, %r3, 0x20002; st.shared.u32 [%r2+12], %r3; bar.sync 0;
             {body}
             mul.wide.u32 %d1, %r1, 16; add.u64 %d0, %d0, %d1;
             st.global.v4.u32 [%d0], {{%r4, %r5, %r6, %r7}}; ret;"
        ),
    );
    let options = LaunchOptions::default();
    let (words, _) = launch(&text, 1, 32, 128, &options).map_err(|error| error.to_string())?;
    Ok(words)
}

/// The words of lane `lane` and matrix `matrix` by the elements that they hold.
fn expect(words: &[u32], elements: impl Fn(u32, u32) -> [u32; 2], matrices: u32) {
    for lane in 0..32 {
        for matrix in 0..matrices {
            let [low, high] = elements(lane, matrix);
            let word = words[(4 * lane + matrix) as usize];
            assert_eq!(
                word,
                high << 16 | low,
                "lane {lane}, matrix {matrix}: {word:#x}"
            );
        }
    }
}

fn plain(lane: u32, matrix: u32) -> [u32; 2] {
    let first = 64 * matrix + 8 * (lane / 4) + 2 * (lane % 4);
    [first, first + 1]
}

fn transposed(lane: u32, matrix: u32) -> [u32; 2] {
    let first = 64 * matrix + 8 * (2 * (lane % 4)) + lane / 4;
    [first, first + 8]
}

const ALL: &str = "{%r4, %r5, %r6, %r7}";

#[test]
fn ldmatrix_gives_each_lane_two_elements_of_a_row_or_of_a_column() {
    let words = run(&format!(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {ALL}, [%r2];"
    ));
    expect(&words.unwrap(), plain, 4);
    let generic = "cvt.u64.u32 %d2, %r2; cvta.shared.u64 %d2, %d2;";
    let load = format!("{generic} ldmatrix.sync.aligned.m8n8.x4.trans.b16 {ALL}, [%d2];");
    expect(&run(&load).unwrap(), transposed, 4);
    // Of one matrix, the addresses of lanes from 8 on are not looked at.
    let load = "setp.ge.u32 %p0, %r1, 8; @%p0 mov.u32 %r2, 1;
                ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2];";
    expect(&run(load).unwrap(), plain, 1);
}

#[test]
fn stmatrix_and_movmatrix_turn_what_ldmatrix_turned() {
    let back = format!(
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {ALL}, [%r2];
         stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r2+512], {ALL}; bar.sync 0;
         ldmatrix.sync.aligned.m8n8.x4.shared.b16 {ALL}, [%r2+512];"
    );
    expect(&run(&back).unwrap(), plain, 4);
    let moved = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}, [%r2];
                 movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r4;";
    expect(&run(moved).unwrap(), transposed, 1);
}

#[test]
fn a_row_is_aligned_and_in_shared_memory_and_all_lanes_come_together() {
    let fails = |body: &str| run(body).unwrap_err();
    let row = "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r4}";
    assert!(fails(&format!("{row}, [%r2+8];")).contains("misaligned"));
    assert!(fails(&format!("{row}, [%r2+1024];")).contains("out of bounds"));
    let global = "ldmatrix.sync.aligned.m8n8.x1.b16 {%r4}, [%d0];";
    assert!(fails(global).contains("not an address of shared memory"));
    let some = format!("setp.lt.u32 %p0, %r1, 16; @%p0 {row}, [%r2];");
    assert!(fails(&some).contains("not all lanes"));
    for wrong in [
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%ro}, [room];",
        "ldmatrix.sync.aligned.m8n8.x1.global.b16 {%ro}, [%in];",
        "ldmatrix.aligned.m8n8.x1.shared.b16 {%ro}, [%in];",
        "movmatrix.sync.aligned.m8n8.b16 %ro, %ra;",
    ] {
        refusal(wrong);
    }
}
