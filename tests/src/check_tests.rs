//! A race is found, a test that fails too, and what cannot be checked is refused.

use cuda_std::launch::Actual;
use quadscan::device::LaunchShape;
use quadscan_bench::modules;

use super::*;
use crate::suite::Outcome;

/// Threads write one word each and read their neighbour's, with a barrier
/// between the two or without.
fn neighbours(bench: &Bench, barrier: &str) -> Outcome {
    neighbours_as("neighbours", bench, barrier)
}

/// The same as an entry of another name.
fn neighbours_as(entry: &str, bench: &Bench, barrier: &str) -> Outcome {
    let ptx = format!(
        ".version 8.0 .target sm_75 .address_size 64
         .visible .entry {entry}(.param .u64 out) {{
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
    unsafe { module.launch_raw(entry, LaunchShape::new(1, 64), &[address])? };
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
        slow: false,
        trace: false,
        variables: None,
        block: Index::default(),
        thread: Index::default(),
        artifact: None,
        launches: None,
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

/// Lines 3 and 4 of a file are gone through before the read in line 6; 9 comes behind it.
#[test]
fn the_lines_that_led_to_a_finding_stand_below_it() {
    const LINES: Case = Case {
        name: "neighbours::with_lines",
        run: |bench| {
            let ptx = ".version 8.0 .target sm_75 .address_size 64
                .visible .entry hang(.param .u64 out) {
                    .reg .b32 %r<4>; .shared .align 4 .b8 tile[256];
                    .loc 1 3 0
                    mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
                    .loc 1 4 0
                    mov.u32 %r3, tile; add.u32 %r2, %r2, %r3;
                    .loc 1 6 0
                    ld.shared.u32 %r1, [%r2];
                    .loc 1 9 0
                    bar.sync 0; ret;
                }
                .file 1 \"tests/src/check.rs\"";
            let module = bench.device.load_ptx(ptx)?;
            let address = Actual {
                bytes: &[0; 8],
                elements: None,
            };
            // SAFETY: the kernel does not use its parameter.
            unsafe { module.launch_raw("hang", LaunchShape::new(1, 64), &[address])? };
            Ok(())
        },
    };
    let Report { text, .. } = report_on_all(LINES);
    let source = include_str!("check.rs");
    let line = |number: usize| {
        let text = source.lines().nth(number - 1).unwrap_or_default();
        format!("    tests/src/check.rs:{number}  {text}")
            .trim_end()
            .to_owned()
    };
    let written = [
        (3, "%r1 = 0, %r2 = 0"),
        (4, "%r3 = 0, %r2 = 0"),
        (6, "%r1 = 0"),
    ];
    let way = written.map(|(number, values)| format!("{}  // {values}", line(number)));
    let expected = format!("\n  the thread came there by\n{}\n", way.join("\n"));
    assert!(text.contains("uninitialised read: "), "{text}");
    assert!(text.contains(&expected), "{text}");
    assert!(
        !report_on_all(RACY).text.contains("came there by"),
        "it has no lines"
    );
}

#[test]
fn launches_of_other_kernels_are_not_watched() {
    let both = Case {
        name: "neighbours::one_kernel_beside_another",
        run: |bench| {
            neighbours_as("hang", bench, "bar.sync 0;")?;
            neighbours(bench, "")
        },
    };
    let Report { text, .. } = report(both);
    assert!(text.contains("hang: nothing found in 2 launches"), "{text}");
    assert!(!text.contains("race"), "{text}");
}

#[test]
fn tests_that_take_long_run_once_unless_they_are_asked_for_or_needed() {
    let known = |kernel: &str, seconds| Known {
        seconds,
        kernels: BTreeSet::from([kernel.to_owned()]),
    };
    let all = [
        ("quick", "a", 1.0),
        ("long", "a", 1e6),
        ("needed", "b", 1e6),
    ];
    let cases = all.map(|(name, ..)| Case { name, ..SOUND });
    let all = all.map(|(name, kernel, seconds)| (name.to_owned(), known(kernel, seconds)));
    let launches = Launches(all.into());
    let split = |slow, kernel: Option<&str>| {
        let arguments = Arguments {
            slow,
            ..arguments(kernel)
        };
        under_all(&cases, vec![0, 1, 2], &arguments, &["a", "b"], &launches)
    };
    assert_eq!(split(false, None), (vec![0, 2], vec![1]));
    assert_eq!(split(true, None), (vec![0, 1, 2], vec![]));
    // Those of a name were chosen before.
    assert_eq!(split(false, Some("a")), (vec![0, 1, 2], vec![]));
}

#[test]
fn a_kernel_that_no_test_launches_is_no_pass() {
    let Report { text, clean, .. } = report_on_all(SOUND);
    assert!(!clean);
    assert!(
        text.contains("trapezoid_f64: not launched by any test"),
        "{text}"
    );
}

#[test]
fn a_kernel_that_is_asked_for_and_not_launched_is_no_pass() {
    let report = check(&[SOUND], &arguments(Some("fault"))).expect("it is a kernel");
    assert!(!report.clean, "{}", report.text);
}

#[test]
fn a_test_that_fails_fails_the_check() {
    let Report { text, clean, .. } = report_on_all(FALSE);
    assert!(!clean);
    assert!(text.contains("two_is_three fails: it is not"), "{text}");
    let Report { text, clean, .. } = report_on_all(PANICS);
    assert!(!clean);
    assert!(text.contains("one_is_two fails: it never was"), "{text}");
}

#[test]
fn what_cannot_be_checked_is_refused_with_what_can() {
    let refused = check(&[SOUND], &arguments(Some("blelloch_exclusive_i8")))
        .err()
        .expect("there is no such kernel");
    let near = "KERNEL `blelloch_exclusive_i8` is not a kernel's name: near it are blelloch_exclusive_f32, ";
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
fn a_name_is_that_of_an_entry_a_module_of_ptx_an_integrand_or_a_family() {
    let artifact = modules::ours().expect("the program was built whole");
    let named = |name| {
        let module = artifact.manifest().modules.last().into_iter();
        let found = names::entries(name, module.flat_map(|module| &module.parts));
        found.map(Vec::from_iter)
    };
    assert_eq!(named("hang"), Ok(vec!["hang"]));
    let of_runge = named("integrate_runge").expect("a module");
    assert!(of_runge.contains(&"composite_runge_f64"), "{of_runge:?}");
    assert_eq!(named("runge").expect("an integrand"), of_runge);
    let family = named("adaptive").expect("a family");
    assert!(
        family.contains(&"adaptive_genz_oscillatory_f64"),
        "{family:?}"
    );
    assert!(named("rung").is_err());
}

#[test]
fn kernels_that_tests_lack_are_needed() {
    let run = |failure: Option<&str>| Run {
        case: 0,
        schedule: None,
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

/// A test of its own module is run, others where they launch the kernel, which is found out.
#[test]
fn tests_of_a_name_are_found_by_their_module_or_by_what_they_launch() {
    let artifact = modules::ours().expect("the program was built whole");
    let here = tempfile::tempdir().expect("a temporary folder");
    let file = here.path().join("launches.json");
    let names = |cases: &[Case], kernel: &str| {
        let mut launches = Launches::read(&file);
        let arguments = Arguments {
            launches: Some(file.clone()),
            ..arguments(Some(kernel))
        };
        let chosen = choose(cases, kernel, &arguments, &artifact, &mut launches);
        let tests = chosen.expect("a name").map(|chosen| chosen.tests);
        let tests = tests.expect("all kernels are there").into_iter();
        tests.map(|place| cases[place].name).collect::<Vec<_>>()
    };
    let own = [SOUND.name, RACY.name];
    assert_eq!(names(&[SOUND, RACY, FALSE], "neighbours"), own);
    assert!(!file.exists(), "nothing had to be found out");
    let hang = |bench: &Bench| neighbours_as("hang", bench, "bar.sync 0;");
    let hanging = Case {
        name: "neighbours::of_another_name",
        run: hang,
    };
    assert_eq!(names(&[SOUND, hanging, FALSE], "hang"), [hanging.name]);
    assert!(file.exists());
    let tests: [&str; 0] = [];
    assert_eq!(names(&[SOUND, FALSE], "hang"), tests);
}

#[test]
fn a_module_of_tests_is_checked_by_its_name_alone() {
    let report = check(&[SOUND, FALSE], &arguments(Some("neighbours"))).expect("a module");
    assert!(report.clean, "{}", report.text);
    let said = "\n1 test under 2 schedules: nothing found\n";
    assert!(report.text.ends_with(said), "{}", report.text);
    let report = check(&[RACY, FALSE], &arguments(Some("neighbours"))).expect("a module");
    assert!(
        !report.clean && report.text.contains("race: "),
        "{}",
        report.text
    );
}

#[test]
fn the_way_of_a_thread_is_told_by_lines_of_the_source() {
    let artifact = modules::ours().expect("the program was built whole");
    let run: fn(&Bench) -> Outcome = |bench| {
        let hang = quadscan_kernels::diagnostics::hang;
        let mut spent = bench.device.alloc_zeroed::<u64>(1)?;
        Ok(bench
            .module
            .launch(hang, LaunchShape::new(1, 1), (1u64, &mut spent))?)
    };
    let case = Case {
        name: "diagnostics::a_short_hang",
        run,
    };
    let follow = |thread| {
        let thread = Thread {
            block: Index::default(),
            thread: Index([thread, 0, 0]),
        };
        trace::trace(&[case], &[0], &["hang"], thread, &artifact, None)
    };
    let told = follow(0).expect("it is launched");
    let lines: Vec<&str> = told.lines().collect();
    let head = "hang: block [0, 0, 0] of [1, 1, 1], thread [0, 0, 0] of [1, 1, 1]: ";
    assert!(lines[0].starts_with(head), "{told}");
    let is_at = |line: &&str| line.starts_with("  kernels-crate/src/diagnostics.rs:");
    assert!(lines[1..].iter().all(is_at), "{told}");
    assert!(told.contains("elapsed = global_timer() - start;"), "{told}");
    // Behind it, what it wrote.
    let timer = lines
        .iter()
        .find(|line| line.contains("elapsed = global_timer() - start;"));
    let values = timer
        .and_then(|line| line.split_once("  // %r"))
        .map(|(_, values)| values);
    assert!(
        values.is_some_and(|values| values.contains(" = ")),
        "{told}"
    );
    let missing = follow(1).expect_err("it has one thread");
    assert!(missing.contains("a thread [1, 0, 0]"), "{missing}");
}

/// A name that entries begin with, and a module of tests of the same name, of which none launches
/// those entries.
#[test]
fn a_module_of_tests_is_meant_where_entries_begin_with_its_name() {
    let case = Case {
        name: "reduce::of_another_kernel",
        run: |bench| neighbours(bench, "bar.sync 0;"),
    };
    let report = check(&[case], &arguments(Some("reduce"))).expect("a module");
    assert!(report.clean, "{}", report.text);
    assert!(!report.text.contains("not launched"), "{}", report.text);
}

#[test]
fn the_index_of_a_thread_has_up_to_three_numbers() {
    let index = |text: &str| text.parse::<Index>();
    assert_eq!(index("7"), Ok(Index([7, 0, 0])));
    assert_eq!(index("1,2,3"), Ok(Index([1, 2, 3])));
    for wrong in ["", "-1", "1,", "1,2,3,4", "x"] {
        assert!(index(wrong).is_err(), "{wrong}");
    }
}
