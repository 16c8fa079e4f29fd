//! Findings about warp collectives: qualifiers that differ, and members that
//! took part in another collective.

use crate::checking::{check, only, silent};
use ptx_emulator::check::FindingKind;
use ptx_emulator::{LaunchError, Program};

/// Lanes 0 to 15 run the first collective, the others the second one.
fn halves(low: &str, high: &str) -> String {
    format!(
        "setp.lt.u32 %p0, %x, 16; @%p0 bra LOW;
         {high} bra.uni END;
         LOW: {low}
         END: ret;"
    )
}

#[test]
fn collectives_with_different_qualifiers_do_not_meet() {
    let shuffle = |mode: &str| format!("shfl.sync.{mode}.b32 %r2, %x, 1, 31, -1;");
    let reduce = |what: &str| format!("redux.sync.{what} %r2, %x, -1;");
    for (low, high) in [
        (shuffle("bfly"), shuffle("idx")),
        (reduce("add.u32"), reduce("max.u32")),
        (
            "match.any.sync.b32 %r2, %x, -1;".to_owned(),
            "match.any.sync.b64 %r2, %d0, -1;".to_owned(),
        ),
    ] {
        let checked = check("", &halves(&low, &high), 32);
        let finding = only(&checked, FindingKind::Collective);
        assert!(
            matches!(checked.outcome, Err(LaunchError::Deadlock(_))),
            "{finding}"
        );
        assert_eq!(
            finding.message,
            "lanes of one warp wait for each other at different collectives"
        );
        // The same instruction twice is one collective.
        silent(&check("", &halves(&low, &low), 32));
    }
}

#[test]
fn members_that_took_part_elsewhere_are_told_by_their_mask() {
    let shuffle = |mask: &str| format!("shfl.sync.bfly.b32 %r2, %x, 1, 31, {mask};");
    let body = format!(
        "setp.lt.u32 %p0, %x, 16; @%p0 bra LOW;
         {} ret;
         LOW: {} ret;",
        shuffle("-1"),
        shuffle("0xffff")
    );
    let checked = check("", &body, 32);
    let finding = only(&checked, FindingKind::Collective);
    assert_eq!(
        finding.message,
        "the member mask 0xffffffff names lanes that have exited (0x0000ffff); \
         the last collective of 0x0000ffff had the member mask 0x0000ffff"
    );
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let ptx = "\u{feff}.version 8.0\n.target sm_75\n.address_size 64\n.entry k() { ret; }";
    let program = Program::load(ptx).unwrap();
    assert_eq!(program.kernels().collect::<Vec<_>>(), ["k"]);
    // At the start only, and columns are counted behind it.
    assert!(Program::load(&ptx.replace(".entry", "\u{feff}.entry")).is_err());
    let error = Program::load("\u{feff}nonsense").unwrap_err();
    assert!(error.to_string().starts_with("1:1: "), "{error}");
}
