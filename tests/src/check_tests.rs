//! A race is found, a statement that does not hold too, and what cannot be checked is refused.

use cuda_std::launch::Actual;
use quadscan::device::LaunchShape;

use super::*;
use crate::suite::Outcome;

/// Threads write one word each and read their neighbour's, with a barrier
/// between the two or without.
fn neighbours(bench: &Bench, barrier: &str) -> Outcome {
    let ptx = format!(
        ".version 8.0 .target sm_75 .address_size 64
         .visible .entry neighbours(.param .u64 out) {{
             .reg .b32 %r<4>; .reg .b64 %rd<3>; .shared .align 4 .b8 tile[256];
             mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
             mov.u32 %r3, tile; add.u32 %r2, %r2, %r3;
             st.shared.u32 [%r2], %r1;
             {barrier}
             xor.b32 %r2, %r2, 128; ld.shared.u32 %r1, [%r2];
             ld.param.u64 %rd1, [out]; mov.u32 %r2, %tid.x;
             mul.wide.u32 %rd2, %r2, 4; add.s64 %rd1, %rd1, %rd2;
             st.global.u32 [%rd1], %r1; ret;
         }}"
    );
    let module = bench.device.load_ptx(&ptx)?;
    let out = bench.device.alloc_zeroed::<u32>(64)?;
    let address = Actual {
        bytes: &out.address().to_ne_bytes(),
        elements: None,
    };
    // SAFETY: the kernel takes one address, of 64 words for 64 threads.
    unsafe { module.launch_raw("neighbours", LaunchShape::new(1, 64), &[address])? };
    assert_eq!(out.to_vec()?[..2], [32, 33]);
    Ok(())
}

const SOUND: Case = Case {
    name: "neighbours::with_a_barrier",
    run: |bench| neighbours(bench, "bar.sync 0;"),
};
const RACY: Case = Case {
    name: "neighbours::without_a_barrier",
    run: |bench| neighbours(bench, ""),
};
const FALSE: Case = Case {
    name: "arithmetic::two_is_three",
    run: |_| Err("it is not".into()),
};
const PANICS: Case = Case {
    name: "arithmetic::one_is_two",
    run: |_| panic!("it never was"),
};

fn arguments(kernel: Option<&str>) -> Arguments {
    Arguments {
        kernel: kernel.map(str::to_owned),
        schedules: 2,
        artifact: None,
        entries: Vec::new(),
        launches: None,
        rest: false,
    }
}

fn report(case: Case) -> Report {
    check(&[case], &arguments(Some("hang"))).expect("it is a kernel")
}

/// As `report`, with launches of every kernel watched.
fn report_on_all(case: Case) -> Report {
    check(&[case], &arguments(None)).expect("nothing is asked for")
}

#[test]
fn a_race_is_found_and_told_with_its_place() {
    let Report { text, clean, .. } = report_on_all(RACY);
    assert!(!clean);
    assert!(text.contains("race: "), "{text}");
    assert!(text.contains("tile[32]: 4 bytes"), "{text}");
    assert!(text.contains("FAILED"), "{text}");
    let Report { text, .. } = report_on_all(SOUND);
    assert!(!text.contains("race"), "{text}");
}

#[test]
fn launches_of_other_kernels_are_not_watched() {
    assert!(!report(RACY).text.contains("race"));
}

#[test]
fn a_kernel_that_no_statement_launches_is_no_pass() {
    let Report { text, clean, .. } = report_on_all(SOUND);
    assert!(!clean);
    assert!(
        text.contains("trapezoid_f64: not launched by any statement"),
        "{text}"
    );
}

#[test]
fn a_kernel_that_is_asked_for_and_not_launched_is_no_pass() {
    let report = check(&[SOUND], &arguments(Some("fault"))).expect("it is a kernel");
    assert!(!report.clean, "{}", report.text);
}

#[test]
fn a_statement_that_does_not_hold_fails_the_check() {
    let Report { text, clean, .. } = report(FALSE);
    assert!(!clean);
    assert!(
        text.contains("two_is_three does not hold: it is not"),
        "{text}"
    );
    let Report { text, clean, .. } = report(PANICS);
    assert!(!clean);
    assert!(
        text.contains("one_is_two does not hold: it never was"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_checked_is_refused_with_what_can() {
    let refused = check(&[SOUND], &arguments(Some("blelloch_exclusive_i8")))
        .err()
        .expect("there is no such kernel");
    let near =
        "KERNEL `blelloch_exclusive_i8` is no kernel's name: near it are blelloch_exclusive_f32, ";
    assert!(refused.starts_with(near), "{refused}");
    for wrong in [
        &["--schedules", "0"][..],
        &["--schedules", "x"],
        &["a", "b"],
    ] {
        let error = Arguments::try_parse_from(wrong).expect_err("not allowed");
        assert_eq!(error.exit_code(), 2, "{wrong:?}");
    }
}

#[test]
fn a_name_is_that_of_an_entry_a_part_an_integrand_a_family_or_a_module() {
    let artifact = Artifact::embedded().expect("the program was built whole");
    let named = |name| named(&artifact, name);
    assert_eq!(named("hang"), Ok(vec!["hang"]));
    let of_runge = [
        "adaptive_runge_f32",
        "adaptive_runge_f64",
        "composite_runge_f32",
        "composite_runge_f64",
        "tanh_sinh_runge_f32",
        "tanh_sinh_runge_f64",
    ];
    assert_eq!(named("runge"), Ok(of_runge.to_vec()));
    assert_eq!(named("integrate_runge"), Ok(of_runge.to_vec()));
    let family = named("adaptive").expect("a family");
    assert!(family.contains(&"adaptive_runge_f32"), "{family:?}");
    let module = named("diagnostics").expect("a module");
    assert!(module.contains(&"hang"), "{module:?}");
    assert!(named("rung").is_err());
}

/// The arguments for a kernel that was built alone.
fn alone(kernel: &str) -> Arguments {
    Arguments {
        artifact: Some("somewhere".into()),
        ..arguments(Some(kernel))
    }
}

#[test]
fn of_a_kernel_that_was_built_alone_its_own_statements_are_run() {
    let names = |arguments: &Arguments| {
        let found = statements(&[SOUND, RACY, FALSE], arguments);
        found.map(|cases| cases.iter().map(|case| case.name).collect::<Vec<_>>())
    };
    let own = [
        "neighbours::with_a_barrier",
        "neighbours::without_a_barrier",
    ];
    assert_eq!(names(&alone("neighbours")), Ok(own.to_vec()));
    let all = names(&arguments(Some("neighbours"))).map(|all| all.len());
    assert_eq!(all, Ok(3), "all kernels are there");
    let said = "no statement is of a module `hang`: list those of \
                tests/tests/conformance/hang.rs in main.rs there";
    assert_eq!(names(&alone("hang")), Err(said.to_owned()));
}

#[test]
fn kernels_that_statements_lack_are_needed() {
    let run = |failure: Option<&str>| Run {
        case: 0,
        is_first: true,
        known: Known::default(),
        failure: failure.map(str::to_owned),
        verdicts: BTreeMap::new(),
    };
    let missing = |kernel: &str| {
        let kernel = kernel.to_owned();
        quadscan::Error::UnknownKernel { kernel }.to_string()
    };
    let runs = [
        run(None),
        run(Some(&missing("b"))),
        run(Some(&format!("called `unwrap()`: {}", missing("a")))),
        run(Some("4 is not 5")),
    ];
    assert_eq!(needed(&runs), ["a", "b"]);
    assert!(needed(&runs[3..]).is_empty());
}

/// The arguments for a kernel that was built anew among all others.
fn anew(file: &std::path::Path, rest: bool) -> Arguments {
    Arguments {
        entries: vec!["neighbours".into()],
        launches: Some(file.into()),
        rest,
        ..alone("neighbours")
    }
}

/// Of the statements about one that was built anew, those that launch it are run, which is
/// found out; none of them twice.
#[test]
fn statements_are_found_by_what_they_launch_and_run_once() {
    let artifact = Artifact::embedded().expect("the program was built whole");
    let here = tempfile::tempdir().expect("a temporary folder");
    let file = here.path().join("statements.json");
    let run = |cases: &[Case], rest: bool| {
        watched(cases, &anew(&file, rest), &file, &artifact).expect("it runs")
    };
    let report = run(&[SOUND, FALSE], false);
    assert!(report.clean && !report.more, "{}", report.text);
    let said = "\n1 statement under 2 schedules: nothing found\n";
    assert!(report.text.ends_with(said), "{}", report.text);
    let report = run(&[SOUND, FALSE], true);
    let said = "\n0 statements under 2 schedules: nothing found\n";
    assert!(report.text.ends_with(said), "{}", report.text);
    // One that is new is found out.
    let report = run(&[SOUND, RACY, FALSE], false);
    assert!(
        !report.clean && report.text.contains("race: "),
        "{}",
        report.text
    );
    let said = "\n2 statements under 2 schedules: FAILED\n";
    assert!(report.text.ends_with(said), "{}", report.text);
}
