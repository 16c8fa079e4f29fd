//! What a report says of source lines, and checking under several schedules.

use crate::checking::{Bench, check, line, module, only, schedules, shape, silent};
use ptx_emulator::observe::{Observer, Site};
use ptx_emulator::{Checks, Class, FindingKind, LaunchError, LaunchOptions, Program};

/// A barrier in the toolchain's library, called through a wrapper of another
/// crate, called by the kernel.
const WRAPPED: &str = "setp.ge.u32 %p0, %x, 3;
    .loc 1 10 5
    @%p0 ret;
    .loc 1 20 9
    .loc 2 88 5, function_name $L_name, inlined_at 1 20 9
    .loc 3 7 1, function_name $L_name, inlined_at 2 88 5
    bar.sync 0;
    ret;";

#[test]
fn the_authors_line_comes_first_and_the_wrappers_are_shown() {
    let checked = check("", WRAPPED, 4);
    let finding = only(&checked, FindingKind::Barrier);
    assert_eq!(line(&finding.at), "./k/src/lib.rs:20");
    assert_eq!(
        finding.at.source_stack,
        [
            "/rustc/0/library/core/src/mem.rs:7",
            "./std/src/thread.rs:88",
            "./k/src/lib.rs:20"
        ]
    );
    let text = checked.to_string();
    assert!(
        text.starts_with("barrier: barrier 0 completes although 1 thread of"),
        "{text}"
    );
    assert!(
        text.lines()
            .next()
            .unwrap()
            .ends_with("(test, ./k/src/lib.rs:20)"),
        "{text}"
    );
    let wrappers = "\n    in /rustc/0/library/core/src/mem.rs:7\n    in ./std/src/thread.rs:88\n";
    assert!(text.contains(wrappers), "{text}");
}

#[test]
fn a_function_of_the_kernels_own_crate_shows_where_it_was_called() {
    let body = ".loc 1 30 5
        .loc 1 90 9, function_name $L_name, inlined_at 1 30 5
        trap;";
    let checked = check("", body, 1);
    let finding = only(&checked, FindingKind::Fault);
    assert_eq!(line(&finding.at), "./k/src/lib.rs:90");
    let text = finding.to_string();
    assert!(
        text.ends_with("\n    inlined at ./k/src/lib.rs:30"),
        "{text}"
    );
}

#[test]
fn without_lines_the_ptx_is_named() {
    let checked = check("", "trap;", 1);
    let finding = only(&checked, FindingKind::Fault);
    let first = finding.to_string().lines().next().unwrap().to_owned();
    assert_eq!(
        first,
        format!("fault: trap (test, PTX line {})", finding.at.line)
    );
    assert_eq!(finding.at.statement, "trap;");
}

/// An uninitialised read, lanes at two aligned barriers, and an early exit.
const WRONG: &str = "and.b32 %r1, %x, 1; setp.eq.u32 %p0, %r1, 0;
    add.s64 %d3, %d0, %d2;
    .loc 1 40 5
    ld.global.u32 %r2, [%d3];
    @%p0 bra EVEN;
    .loc 1 41 5
    bar.sync 0; bra.uni END;
    EVEN: .loc 1 42 5
    bar.sync 0;
    END: setp.ge.u32 %p1, %x, 40;
    .loc 1 43 5
    @%p1 ret;
    .loc 1 44 5
    bar.sync 0;
    .loc 1 45 5
    bar.warp.sync -1;
    ret;";

#[test]
fn every_schedule_finds_the_same() {
    let ptx = module("", WRONG);
    let run = |schedule| {
        let options = LaunchOptions {
            schedule,
            ..LaunchOptions::default()
        };
        Bench::new(128).run(&ptx, shape(3, 64), &options)
    };
    let first = run(schedules()[0]);
    let lines: Vec<(FindingKind, &str, u64)> = first
        .findings
        .iter()
        .map(|finding| (finding.kind, line(&finding.at), finding.occurrences))
        .collect();
    assert_eq!(
        lines,
        [
            (FindingKind::UninitialisedRead, "./k/src/lib.rs:40", 3 * 32),
            (FindingKind::Barrier, "./k/src/lib.rs:41", 3 * 2),
            (FindingKind::Barrier, "./k/src/lib.rs:44", 3),
            (FindingKind::Collective, "./k/src/lib.rs:45", 3 * 8),
        ]
    );
    for schedule in schedules() {
        assert_eq!(run(schedule).to_string(), first.to_string(), "{schedule:?}");
    }
}

#[test]
fn only_the_checks_that_are_asked_for_are_made() {
    let program = Program::load(&module("", WRONG)).unwrap();
    let kinds = |checks: Checks| {
        let mut bench = Bench::new(128);
        let parameters: [&[u8]; 2] = [&bench.input.to_le_bytes(), &bench.output.to_le_bytes()];
        let options = LaunchOptions::default();
        let checked = bench
            .gpu
            .check(
                &program,
                "test",
                shape(1, 64),
                &parameters,
                &options,
                checks,
            )
            .unwrap();
        let mut kinds: Vec<FindingKind> = checked.findings.iter().map(|f| f.kind).collect();
        kinds.dedup();
        kinds
    };
    let none = Checks::none();
    assert_eq!(kinds(none), []);
    let initialised = Checks {
        initialised: true,
        ..none
    };
    assert_eq!(kinds(initialised), [FindingKind::UninitialisedRead]);
    let barriers = Checks {
        barriers: true,
        ..none
    };
    assert_eq!(kinds(barriers), [FindingKind::Barrier]);
    let collectives = Checks {
        collectives: true,
        ..none
    };
    assert_eq!(kinds(collectives), [FindingKind::Collective]);
    assert_eq!(Checks::default(), Checks::all());
}

#[test]
fn a_race_names_both_lines_and_the_element() {
    let body = |barrier: &str| {
        format!(
            ".shared .align 4 .b8 TILE[256];
             mov.u64 %d3, TILE; add.s64 %d3, %d3, %d2;
             .loc 1 50 5
             st.shared.u32 [%d3], %x;
             {barrier}
             setp.ne.u32 %p0, %x, 40; @%p0 bra END;
             .loc 1 51 5
             ld.shared.u32 %r1, [TILE+20];
             END: ret;"
        )
    };
    let checked = check("", &body(""), 64);
    let finding = only(&checked, FindingKind::Race);
    let memory = finding.memory.as_ref().unwrap();
    assert_eq!(
        (memory.name.as_deref(), memory.element),
        (Some("TILE"), Some(5))
    );
    let other = finding.other.as_ref().unwrap();
    let mut parties = [
        (line(&finding.at), finding.at.thread),
        (line(other), other.thread),
    ];
    parties.sort_unstable();
    let expected = [
        ("./k/src/lib.rs:50", [5, 0, 0]),
        ("./k/src/lib.rs:51", [40, 0, 0]),
    ];
    assert_eq!(parties, expected);
    silent(&check("", &body("bar.sync 0;"), 64));
}

/// Counts warp instructions.
struct Count(u64);

impl Observer for Count {
    const INSTRUCTIONS: bool = true;

    fn fork(&self) -> Self {
        Count(0)
    }
    fn merge(&mut self, other: Self) {
        self.0 += other.0;
    }
    fn instruction(&mut self, _at: Site, _class: Class, _active: u32, _path: u32) {
        self.0 += 1;
    }
}

#[test]
fn another_observer_sees_a_checked_launch() {
    let program = Program::load(&module("", "bar.sync 0; ret;")).unwrap();
    let mut bench = Bench::new(0);
    let parameters: [&[u8]; 2] = [&bench.input.to_le_bytes(), &bench.output.to_le_bytes()];
    let options = LaunchOptions::default();
    for checks in [Checks::all(), Checks::none()] {
        let (checked, Count(count)) = bench
            .gpu
            .check_observed(
                &program,
                "test",
                shape(1, 64),
                &parameters,
                &options,
                checks,
                Count(0),
            )
            .unwrap();
        silent(&checked);
        assert_eq!(checked.to_string(), "nothing found in test");
        // Two loads, a move, a multiplication, the barrier and the return.
        assert_eq!(checked.report.warp_instructions, 2 * 6);
        assert_eq!(count, 2 * 6);
    }
}

#[test]
fn a_launch_that_cannot_begin_is_an_error_and_forgets_nothing() {
    let program = Program::load(&module("", "ld.global.u32 %r1, [%d0]; ret;")).unwrap();
    let mut bench = Bench::new(0);
    let options = LaunchOptions::default();
    let error = bench
        .gpu
        .check(&program, "test", shape(1, 4), &[], &options, Checks::all());
    assert!(matches!(error, Err(LaunchError::Parameter { .. })));
    let checked = bench.run(
        &module("", "ld.global.u32 %r1, [%d0]; ret;"),
        shape(1, 4),
        &options,
    );
    only(&checked, FindingKind::UninitialisedRead);
}
