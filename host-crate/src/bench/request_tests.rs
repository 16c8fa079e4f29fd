//! What is refused, and in which words; what a request comes to.

use super::*;

fn arguments() -> BenchArguments {
    BenchArguments {
        device: "auto".into(),
        format: "csv".into(),
        ..BenchArguments::default()
    }
}

fn problem(change: impl FnOnce(&mut BenchArguments)) -> String {
    let mut arguments = arguments();
    change(&mut arguments);
    Request::new(&arguments)
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[test]
fn without_tables_all_five_are_asked_for() {
    let names = Request::new(&arguments()).map(|request| {
        request
            .tables
            .iter()
            .map(|(table, _)| table.name())
            .collect::<Vec<_>>()
    });
    assert_eq!(
        names.unwrap_or_default(),
        ["activity", "sweep-f64", "sweep-f32", "accuracy", "limits"]
    );
}

#[test]
fn a_table_without_published_figures_has_no_place_beside_published() {
    let published = BenchArguments {
        published: true,
        ..arguments()
    };
    let names = Request::new(&published).map(|request| {
        let names = request.tables.iter().map(|(table, _)| table.name());
        names.collect::<Vec<_>>()
    });
    let four = ["activity", "sweep-f64", "sweep-f32", "accuracy"];
    assert_eq!(names.unwrap_or_default(), four);
    assert_eq!(
        problem(|a| (a.published, a.tables) = (true, vec!["limits".into()])),
        "TABLE `limits` has no published figures, allowed beside --published are activity, \
         sweep-f64, sweep-f32, accuracy"
    );
}

#[test]
fn an_unknown_table_lists_the_known_ones() {
    assert_eq!(
        problem(|a| a.tables = vec!["mapping".into()]),
        "TABLE `mapping` is unknown, known are activity, sweep-f64, sweep-f32, accuracy, \
         limits"
    );
}

#[test]
fn strips_that_the_threads_do_not_divide_are_refused_with_what_would_be_lost() {
    assert_eq!(
        problem(|a| {
            a.tables = vec!["sweep-f64".into()];
            a.strips = Some("1000".into());
            a.blocks = Some("3".into());
            a.threads = Some("32".into());
        }),
        "--strips 1000 is not a multiple of blocks * threads = 3 * 32 = 96, and sweep-f64 \
         refuses such a size because the page's integer division would drop 40 strips"
    );
}

#[test]
fn only_known_devices_are_allowed() {
    for device in [
        "emulator:1",
        "cuda:",
        "cuda:x",
        "gpu",
        "cuda:99999999999",
        "",
    ] {
        let problem = problem(|a| a.device = device.into());
        assert!(problem.starts_with("--device"), "{device}: {problem}");
        assert!(
            problem.ends_with("allowed are auto, cuda, cuda:N and emulator"),
            "{problem}"
        );
    }
    for device in ["auto", "cuda", "cuda:0", "cuda:12", "emulator"] {
        assert_eq!(problem(|a| a.device = device.into()), "");
    }
}

#[test]
fn a_schedule_is_a_number_and_the_emulators_alone() {
    let with = |device: &str, seed: &str| {
        problem(|a| (a.device, a.schedule) = (device.into(), Some(seed.into())))
    };
    assert_eq!(with("emulator", "18446744073709551615"), "");
    assert_eq!(
        with("emulator", "x"),
        "--schedule `x` is not a whole number, allowed are 0 to 18446744073709551615"
    );
    for device in ["auto", "cuda", "cuda:1"] {
        assert_eq!(
            with(device, "7"),
            format!(
                "--schedule is for the emulator alone, allowed with --device emulator and \
                 not {device}"
            )
        );
    }
}

#[test]
fn a_table_behind_peers_is_a_table() {
    let peers = |folder: &str| {
        let arguments = BenchArguments {
            peers: Some(folder.into()),
            ..arguments()
        };
        let Ok(request) = Request::new(&arguments) else {
            panic!("refused")
        };
        let names: Vec<&str> = request
            .tables
            .iter()
            .map(|(table, _)| table.name())
            .collect();
        (names.join(" "), request.peers)
    };
    assert_eq!(
        peers("sweep-f64"),
        ("sweep-f64".into(), Some("peers".into()))
    );
    assert_eq!(peers("x").1, Some("x".into()));
}

#[test]
fn runs_that_measure_something_else_have_another_identity() {
    let identity = |change: fn(&mut BenchArguments), peers: &str| {
        let mut arguments = BenchArguments {
            tables: vec!["sweep-f64".into()],
            ..arguments()
        };
        change(&mut arguments);
        Request::new(&arguments)
            .map(|request| request.identity(peers))
            .unwrap_or_default()
    };
    let ours = identity(|_| {}, "none");
    assert_eq!(ours, identity(|a| a.format = "json".into(), "none"));
    for other in [
        identity(|_| {}, "nvcc"),
        identity(|a| a.published = true, "none"),
        identity(|a| a.repeat = Some("3".into()), "none"),
        identity(|a| a.cold = true, "none"),
        identity(|a| a.strips = Some("65536".into()), "none"),
        identity(|a| a.processes = Some("2".into()), "none"),
        identity(|a| a.save = Some("x".into()), "none"),
        identity(|a| a.device = "emulator".into(), "none"),
        identity(
            |a| (a.device, a.schedule) = ("emulator".into(), Some("0".into())),
            "none",
        ),
    ] {
        assert_ne!(ours, other);
    }
}

#[test]
fn names_of_baselines_stay_in_their_folder() {
    for name in ["", "../x", "a b", "a/b", "ä"] {
        assert!(
            problem(|a| a.save = Some(name.into())).starts_with("--save"),
            "{name}"
        );
        assert!(
            problem(|a| a.baseline = Some(name.into())).starts_with("--baseline"),
            "{name}"
        );
    }
    assert_eq!(problem(|a| a.save = Some("h200_v1.0-a".into())), "");
}

#[test]
fn a_kernel_of_one_thread_may_take_longer() {
    let Ok(request) = Request::new(&arguments()) else {
        panic!("refused")
    };
    let task = |blocks, threads| Task::QuarterCircle {
        precision: crate::oracle::Precision::F64,
        strips: 1 << 24,
        blocks,
        threads,
    };
    assert!(request.limit(&task(1, 1), true) > Duration::from_secs(500));
    assert!(request.limit(&task(64, 256), true) < Duration::from_secs(61));
    // 2^24 strips in one warp, and in 2^13 warps of 4 lanes.
    assert!(request.limit(&task(1, 1), false) > Duration::from_secs(200));
    assert!(request.limit(&task(8192, 4), false) > Duration::from_secs(100));
    assert!(request.limit(&task(64, 256), false) < Duration::from_secs(70));
}
